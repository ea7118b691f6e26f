// RUN: tileiras-opt %s -p convert-tileaa-to-tileas | filecheck %s

// How many warps kernels have: eight elements for each thread up to four warps, eight warps where
// each thread accesses 16 bytes, more for tensors that need the registers of more, four or eight for
// products; hints win.

gpu.module @m {
  // CHECK-LABEL: gpu.func @scalar({{.*}} attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 1 : i32
  gpu.func @scalar() kernel {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @small({{.*}}, nv_tileas.num_warps = 2 : i32
  gpu.func @small() kernel {
    %x = "test.op"() : () -> tensor<512xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @medium({{.*}}, nv_tileas.num_warps = 8 : i32
  gpu.func @medium() kernel {
    %p = "test.op"() : () -> tensor<1024x!llvm.ptr<1>>
    %x = nv_tileaa.load %p : tensor<1024x!llvm.ptr<1>> -> tensor<1024xf32>
    gpu.return
  }
  // Half as many bytes, by accesses as wide, of half as many threads; however it is computed.
  // CHECK-LABEL: gpu.func @narrow({{.*}}, nv_tileas.num_warps = 4 : i32
  gpu.func @narrow() kernel {
    %p = "test.op"() : () -> tensor<1024x!llvm.ptr<1>>
    %x = nv_tileaa.load %p : tensor<1024x!llvm.ptr<1>> -> tensor<1024xf16>
    %y = "test.op"() : () -> tensor<1024xf32>
    gpu.return
  }
  // Threads that combine elements hold more of them.
  // CHECK-LABEL: gpu.func @sums({{.*}}, nv_tileas.num_warps = 4 : i32
  gpu.func @sums() kernel {
    %c = arith.constant dense<1.0> : tensor<1024xf32>
    %sum = nv_tileaa.reduce %c {axis = 0 : i32, identities = [0.0 : f32]} : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = nv_tileaa.addf %a, %b : f32
      nv_tileaa.yield %s : f32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @large({{.*}}, nv_tileas.num_warps = 8 : i32
  gpu.func @large() kernel {
    %x = "test.op"() : () -> tensor<8192xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @huge({{.*}}, nv_tileas.num_warps = 16 : i32
  gpu.func @huge() kernel {
    %x = "test.op"() : () -> tensor<32768xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @product({{.*}}, nv_tileas.num_warps = 4 : i32
  gpu.func @product() kernel {
    %a, %b, %c = "test.op"() : () -> (tensor<64x256xf16>, tensor<256x64xf16>, tensor<64x64xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<64x256xf16>, tensor<256x64xf16>, tensor<64x64xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @large_product({{.*}}, nv_tileas.num_warps = 8 : i32
  gpu.func @large_product() kernel {
    %a, %b, %c = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @flat_product({{.*}}, nv_tileas.num_warps = 4 : i32
  gpu.func @flat_product() kernel {
    %a, %b, %c = "test.op"() : () -> (tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @hint({{.*}} attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 2>, nv_tileas.num_warps = 2 : i32
  gpu.func @hint() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 2>} {
    %x = "test.op"() : () -> tensor<8192xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_kernel() {
  gpu.func @no_kernel() {
    gpu.return
  }
}
