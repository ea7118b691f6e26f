// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_80}" %s | filecheck %s

// A product of f16 is made of m16n8k16, spread over two warps along m and two along n; f8 becomes
// f16 first where it has no instruction; f32 is never rounded without being asked for.

gpu.module @m {
  gpu.func @k() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %a = arith.constant dense<1.0> : tensor<32x16xf16>
    %b = arith.constant dense<1.0> : tensor<16x32xf16>
    %c = arith.constant dense<0.0> : tensor<32x32xf32>
    // CHECK: #mma0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [8, 0], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 8]]>
    // CHECK: #slice0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 0]]>
    // CHECK: %d = nv_tileas.dot %a, %b, %c {nv_tileas.layout = #mma0, nv_tileas.layout_a = #slice0, {{.*}} atom = #nv_tileas.atom<mma.sm80>}
    %d = nv_tileas.dot %a, %b, %c {} : tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>
    %e = arith.constant dense<1.0> : tensor<32x16xf8E4M3FN>
    // CHECK: [[F:%.*]] = nv_tileaa.fp_to_fp %e : tensor<32x16xf8E4M3FN> to tensor<32x16xf16>
    // CHECK: nv_tileas.dot [[F]], %b, %d {nv_tileas.layout = {{.*}}, atom = #nv_tileas.atom<mma.sm80>}
    %f = nv_tileas.dot %e, %b, %d {} : tensor<32x16xf8E4M3FN>, tensor<16x32xf16>, tensor<32x32xf32>
    %g = arith.constant dense<1.0> : tensor<32x32xf32>
    // CHECK: nv_tileas.dot %g, %g, %f {nv_tileas.layout = {{.*}}, atom = #nv_tileas.atom<fma>}
    %h = nv_tileas.dot %g, %g, %f {} : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    gpu.return
  }
}
