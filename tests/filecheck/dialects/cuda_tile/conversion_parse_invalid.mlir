// RUN: TILEIRAS_PARSE_INVALID

// -----

// Keywords; the word that was found is named.
// 
// REQ: B-35

// CHECK: [[signedness:expected signedness to be one of: \{'signed', 'unsigned'\}, got: 'sign']]
%0 = cuda_tile.exti %i32 sign : !i32 -> !i64

// CHECK: [[signedness_1:expected signedness to be one of: \{'signed', 'unsigned'\}]]
%0 = cuda_tile.exti %i32 : !i32 -> !i64

// CHECK: [[signedness]]
%0 = cuda_tile.ftoi %f32 sign : !f32 -> !i32

// CHECK: [[signedness_1]]
%0 = cuda_tile.ftoi %f32 : !f32 -> !i32

// CHECK: [[signedness]]
%0 = cuda_tile.itof %i32 sign : !i32 -> !f32

// CHECK: [[signedness_1]]
%0 = cuda_tile.itof %i32 : !i32 -> !f32

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nuw'
%0 = cuda_tile.trunci %i32 overflow<nuw> : !i32 -> !i8

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'foo'
%0 = cuda_tile.ftoi %f32 signed rounding<foo> : !f32 -> !i32

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_even'
%0 = cuda_tile.ftoi %f32 signed rounding<nearest_even> : !f32 -> !i32

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'zero'
%0 = cuda_tile.ftoi %f32 signed rounding<zero> : !f32 -> !i32

// CHECK: expected rounding mode to be one of: 'nearest_int_to_zero', got: 'nearest_away'
%0 = cuda_tile.ftoi %f32 signed rounding<nearest_away> : !f32 -> !i32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%0 = cuda_tile.itof %i32 signed rounding<approx> : !i32 -> !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%0 = cuda_tile.itof %i32 signed rounding<full> : !i32 -> !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%0 = cuda_tile.itof %i32 signed rounding<nearest_int_to_zero> : !i32 -> !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%0 = cuda_tile.itof %i32 signed rounding<nearest_away> : !i32 -> !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%0 = cuda_tile.itof %i32 signed rounding<up> : !i32 -> !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<approx> : !f32 -> !f16

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<full> : !f32 -> !f16

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<nearest_int_to_zero> : !f32 -> !f16

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up' (since 13.4 also 'nearest_away')
%0 = cuda_tile.ftof %f32 rounding<up> : !f32 -> !f16
