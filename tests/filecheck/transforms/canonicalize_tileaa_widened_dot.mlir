// RUN: tileiras-opt -p "canonicalize-tileaa" %s | filecheck %s

// Dots of 16-bit floats that were widened to tf32.

gpu.module @m {
  gpu.func @widened(%a: tensor<64x64xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x32xf32>, %p: !llvm.ptr<1>) kernel {
    %0 = nv_tileaa.fp_to_fp %a : tensor<64x64xbf16> to tensor<64x64xtf32>
    %1 = nv_tileaa.fp_to_fp %b : tensor<32x64xbf16> to tensor<32x64xf32>
    %2 = nv_tileaa.permute %1 {permutation = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
    %3 = nv_tileaa.fp_to_fp %2 : tensor<64x32xf32> to tensor<64x32xtf32>
    %4 = nv_tileaa.dot %0, %3, %c : tensor<64x64xtf32>, tensor<64x32xtf32>, tensor<64x32xf32>
    nv_tileaa.print "%f", %4 : tensor<64x32xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @widened
  // CHECK-NEXT: [[B:%.*]] = nv_tileaa.permute %b {permutation = array<i32: 1, 0>} : tensor<32x64xbf16> -> tensor<64x32xbf16>
  // CHECK-NEXT: nv_tileaa.dot %a, [[B]], %c : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>

  // One of them is no 16-bit float, or they are different ones, or the dot is one of f32.
  gpu.func @others(%a: tensor<64x64xbf16>, %b: tensor<64x32xf16>, %d: tensor<64x32xf32>, %c: tensor<64x32xf32>) kernel {
    %0 = nv_tileaa.fp_to_fp %a : tensor<64x64xbf16> to tensor<64x64xtf32>
    %1 = nv_tileaa.fp_to_fp %b : tensor<64x32xf16> to tensor<64x32xtf32>
    %2 = nv_tileaa.fp_to_fp %d : tensor<64x32xf32> to tensor<64x32xtf32>
    %3 = nv_tileaa.fp_to_fp %a : tensor<64x64xbf16> to tensor<64x64xf32>
    %4 = nv_tileaa.dot %0, %1, %c : tensor<64x64xtf32>, tensor<64x32xtf32>, tensor<64x32xf32>
    %5 = nv_tileaa.dot %0, %2, %4 : tensor<64x64xtf32>, tensor<64x32xtf32>, tensor<64x32xf32>
    %6 = nv_tileaa.dot %3, %3, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    nv_tileaa.print "%f %f", %5, %6 : tensor<64x32xf32>, tensor<64x64xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @others
  // CHECK: nv_tileaa.dot {{.*}} : tensor<64x64xtf32>, tensor<64x32xtf32>, tensor<64x32xf32>
  // CHECK: nv_tileaa.dot {{.*}} : tensor<64x64xtf32>, tensor<64x32xtf32>, tensor<64x32xf32>
  // CHECK: nv_tileaa.dot {{.*}} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
