// RUN: TILEIRAS_VERIFY_INVALID

// -----

// The literal has the type of the result.

// CHECK: 'cuda_tile.constant' op [[verify:failed to verify that all of \{value, result\} have same type]]
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !i64

// CHECK: 'cuda_tile.constant' op [[verify]]
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<4xi32>>}> : () -> !t2x2xi32

// CHECK: 'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!ptr_i32'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !ptr_i32

// CHECK: 'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!i4'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i8: 1 : tile<i8>>}> : () -> !i4

// CHECK: 'cuda_tile.constant' op attribute 'value' failed to satisfy constraint: dense elements attribute
%0 = "cuda_tile.constant"() <{value = 5 : i32}> : () -> !i32

// CHECK: 'cuda_tile.constant' op requires attribute 'value'
%0 = "cuda_tile.constant"() : () -> !i32
