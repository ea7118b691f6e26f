// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope --split-input-file | filecheck %s

// Triton's `num_warps` is a hint.

// CHECK-LABEL: cuda_tile.entry @copies
// CHECK-SAME:  optimization_hints=<default = {num_worker_warps_per_cta = 8}>
builtin.module attributes {tt.num_warps = 8 : i32} {
tt.func public @copies(%p: !tt.ptr<f32>, %x: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
}

// -----

// Tiles of dots say how many warps there have to be.

// CHECK-LABEL: cuda_tile.entry @multiplies
// CHECK-NOT:   optimization_hints
builtin.module attributes {tt.num_warps = 8 : i32} {
tt.func public @multiplies(%p: !tt.ptr<f32>, %h: f16) {
  %x = tt.splat %h : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %y = tt.dot %x, %x, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %y : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
}

// -----

// So does what a loop loads.

// CHECK-LABEL: cuda_tile.entry @repeats
// CHECK-NOT:   optimization_hints
builtin.module attributes {tt.num_warps = 8 : i32} {
tt.func public @repeats(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  }
  tt.return
}
}
