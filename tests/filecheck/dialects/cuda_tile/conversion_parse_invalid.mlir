// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines
// RUN: xdsl-opt %t.mlir --parsing-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

// -----

// Keywords; the word that was found is named.
// 
// REQ: B-35

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%0 = cuda_tile.exti %i32 sign : tile<i32> -> tile<i64>

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%0 = cuda_tile.exti %i32 : tile<i32> -> tile<i64>

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%0 = cuda_tile.ftoi %f32 sign : tile<f32> -> tile<i32>

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%0 = cuda_tile.ftoi %f32 : tile<f32> -> tile<i32>

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%0 = cuda_tile.itof %i32 sign : tile<i32> -> tile<f32>

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%0 = cuda_tile.itof %i32 : tile<i32> -> tile<f32>

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nuw'
%0 = cuda_tile.trunci %i32 overflow<nuw> : tile<i32> -> tile<i8>

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'foo'
%0 = cuda_tile.ftoi %f32 signed rounding<foo> : tile<f32> -> tile<i32>

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_even'
%0 = cuda_tile.ftoi %f32 signed rounding<nearest_even> : tile<f32> -> tile<i32>

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'zero'
%0 = cuda_tile.ftoi %f32 signed rounding<zero> : tile<f32> -> tile<i32>

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_away'
%0 = cuda_tile.ftoi %f32 signed rounding<nearest_away> : tile<f32> -> tile<i32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%0 = cuda_tile.itof %i32 signed rounding<approx> : tile<i32> -> tile<f32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%0 = cuda_tile.itof %i32 signed rounding<full> : tile<i32> -> tile<f32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%0 = cuda_tile.itof %i32 signed rounding<nearest_int_to_zero> : tile<i32> -> tile<f32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%0 = cuda_tile.itof %i32 signed rounding<nearest_away> : tile<i32> -> tile<f32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%0 = cuda_tile.itof %i32 signed rounding<up> : tile<i32> -> tile<f32>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<approx> : tile<f32> -> tile<f16>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<full> : tile<f32> -> tile<f16>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<nearest_int_to_zero> : tile<f32> -> tile<f16>

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<up> : tile<f32> -> tile<f16>
