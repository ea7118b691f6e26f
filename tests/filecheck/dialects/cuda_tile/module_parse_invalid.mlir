// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Names and numbers.

// CHECK: integer constant out of range for attribute
cuda_tile.global @g alignment = 9223372036854775808 <i32: 1> : tile<2xi32>

// -----

// CHECK: result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'tensor<f32>'
%0 = cuda_tile.constant <f32: 1.0> : tensor<f32>

// -----

// CHECK: mismatch between the element type: 'f16' and the tile element type 'f32'
cuda_tile.global @g <f16: 1.0> : tile<2xf32>

// -----

// CHECK: inferred shape of elements literal ([3]) does not match type ([8])
cuda_tile.global @g <i32: [1, 2, 3]> : tile<8xi32>
