// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope | filecheck %s

// A product is part of each sum that it is in; of two, the one with fewer uses. One of another block
// is not.

// CHECK-LABEL: cuda_tile.entry @sums
// CHECK:       %sum = cuda_tile.fma %x, %y, %z : !cuda_tile.tile<f32>
// CHECK-NEXT:  [[N:%[0-9]+]] = cuda_tile.negf %x : !cuda_tile.tile<f32>
// CHECK-NEXT:  %difference = cuda_tile.fma [[N]], %y, %sum : !cuda_tile.tile<f32>
// CHECK:       %s = cuda_tile.mulf %x, %y : !cuda_tile.tile<f32>
// CHECK-NEXT:  %two = cuda_tile.fma %z, %z, %s : !cuda_tile.tile<f32>
// CHECK:       cuda_tile.addf %s, %two : !cuda_tile.tile<f32>
builtin.module attributes {tt.enable_fp_fusion} {
tt.func public @sums(%p: !tt.ptr<f32>, %x: f32, %y: f32, %z: f32, %c: i1) {
  %m = arith.mulf %x, %y : f32
  %sum = arith.addf %m, %z : f32
  %difference = arith.subf %sum, %m : f32
  tt.store %p, %difference : !tt.ptr<f32>
  %s = arith.mulf %x, %y : f32
  %q = arith.mulf %z, %z : f32
  %two = arith.addf %s, %q : f32
  scf.if %c {
    %last = arith.addf %s, %two : f32
    tt.store %p, %last : !tt.ptr<f32>
  }
  tt.return
}
}
