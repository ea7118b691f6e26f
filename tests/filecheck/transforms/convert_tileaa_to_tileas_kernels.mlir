// RUN: tileiras-opt %s -p convert-tileaa-to-tileas | filecheck %s

// How many warps kernels have: eight elements for each thread up to four warps, more for tensors
// that need the registers of more, four or eight for products; hints win.

"gpu.module"() <{sym_name = "m"}> ({
  // CHECK: sym_name = "scalar", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 1 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "scalar"} : () -> ()
  // CHECK: sym_name = "small", {{.*}}, nv_tileas.num_warps = 2 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = "test.op"() : () -> tensor<512xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "small"} : () -> ()
  // CHECK: sym_name = "medium", {{.*}}, nv_tileas.num_warps = 8 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = "test.op"() : () -> tensor<2048xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "medium"} : () -> ()
  // Threads that combine elements hold more of them.
  // CHECK: sym_name = "sums", {{.*}}, nv_tileas.num_warps = 4 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c = arith.constant dense<1.0> : tensor<1024xf32>
    %sum = nv_tileaa.reduce %c {axis = 0 : i32, identities = [0.0 : f32]} : tensor<1024xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = nv_tileaa.addf %a, %b : f32
      nv_tileaa.yield %s : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "sums"} : () -> ()
  // CHECK: sym_name = "large", {{.*}}, nv_tileas.num_warps = 8 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = "test.op"() : () -> tensor<8192xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "large"} : () -> ()
  // CHECK: sym_name = "huge", {{.*}}, nv_tileas.num_warps = 16 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = "test.op"() : () -> tensor<32768xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "huge"} : () -> ()
  // CHECK: sym_name = "product", {{.*}}, nv_tileas.num_warps = 4 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %a, %b, %c = "test.op"() : () -> (tensor<64x256xf16>, tensor<256x64xf16>, tensor<64x64xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<64x256xf16>, tensor<256x64xf16>, tensor<64x64xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "product"} : () -> ()
  // CHECK: sym_name = "large_product", {{.*}}, nv_tileas.num_warps = 8 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %a, %b, %c = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "large_product"} : () -> ()
  // CHECK: sym_name = "flat_product", {{.*}}, nv_tileas.num_warps = 4 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %a, %b, %c = "test.op"() : () -> (tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>)
    %d = nv_tileaa.dot %a, %b, %c : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "flat_product"} : () -> ()
  // CHECK: sym_name = "hint", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 2>, nv_tileas.num_warps = 2 : i32
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = "test.op"() : () -> tensor<8192xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "hint", nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 2>} : () -> ()
  // CHECK: sym_name = "no_kernel"}
  "gpu.func"() <{function_type = () -> ()}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "no_kernel"} : () -> ()
}) : () -> ()
