// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// The literal has the type of the result.

// CHECK: 'cuda_tile.constant' op failed to verify that all of {value, result} have same type
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.constant' op failed to verify that all of {value, result} have same type
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<4xi32>>}> : () -> !cuda_tile.tile<2x2xi32>

// -----

// CHECK: 'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<ptr<i32>>'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !cuda_tile.tile<ptr<i32>>

// -----

// CHECK: 'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i4>'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i8: 1 : tile<i8>>}> : () -> !cuda_tile.tile<i4>

// -----

// CHECK: 'cuda_tile.constant' op attribute 'value' failed to satisfy constraint: dense elements attribute
%0 = "cuda_tile.constant"() <{value = 5 : i32}> : () -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.constant' op requires attribute 'value'
%0 = "cuda_tile.constant"() : () -> !cuda_tile.tile<i32>
