// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Keywords; the word that was found is named.
// 
// REQ: B-35

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.exti %a sign : tile<i32> -> tile<i64>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.exti %a : tile<i32> -> tile<i64>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a sign : tile<f32> -> tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a : tile<f32> -> tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a sign : tile<i32> -> tile<f32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a : tile<i32> -> tile<f32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nuw'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.trunci %a overflow<nuw> : tile<i32> -> tile<i8>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'foo'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed rounding<foo> : tile<f32> -> tile<i32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_even'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed rounding<nearest_even> : tile<f32> -> tile<i32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'zero'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed rounding<zero> : tile<f32> -> tile<i32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed rounding<nearest_away> : tile<f32> -> tile<i32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<approx> : tile<i32> -> tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<full> : tile<i32> -> tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<nearest_int_to_zero> : tile<i32> -> tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<nearest_away> : tile<i32> -> tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<up> : tile<i32> -> tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx' (since 13.4 also 'nearest_away')
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a rounding<approx> : tile<f32> -> tile<f16>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full' (since 13.4 also 'nearest_away')
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a rounding<full> : tile<f32> -> tile<f16>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero' (since 13.4 also 'nearest_away')
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a rounding<nearest_int_to_zero> : tile<f32> -> tile<f16>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up' (since 13.4 also 'nearest_away')
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a rounding<up> : tile<f32> -> tile<f16>
