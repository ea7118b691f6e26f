// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Rounding modes: these reject all but the four of IEEE.
// 
// REQ: B-35

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.addf %a, %a rounding<approx> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.addf %a, %a rounding<full> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.addf %a, %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.addf %a, %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.addf %a, %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.subf %a, %a rounding<approx> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.subf %a, %a rounding<full> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.subf %a, %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.subf %a, %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.subf %a, %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.mulf %a, %a rounding<approx> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.mulf %a, %a rounding<full> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.mulf %a, %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.mulf %a, %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.mulf %a, %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fma %a, %a, %a rounding<approx> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fma %a, %a, %a rounding<full> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fma %a, %a, %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fma %a, %a, %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fma %a, %a, %a rounding<up> : tile<f32>

// -----

// These leave it to the verifier which modes they have.

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', 'full', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.divf %a, %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.sqrt %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'approx', 'full', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<up> : tile<f32>

// -----

// CHECK: expected rounding mode to be one of: 'approx', 'full', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<up> : tile<f32>

// -----

// Comparisons.
// 
// REQ: B-35

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'olt'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf olt ordered %a, %a : tile<f32> -> tile<i1>

// -----

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'ordered'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf ordered equal %a, %a : tile<f32> -> tile<i1>

// -----

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf %a, %a : tile<f32> -> tile<i1>

// -----

// CHECK: expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}, got: 'signed'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf equal signed %a, %a : tile<f32> -> tile<i1>

// -----

// CHECK: expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf equal %a, %a : tile<f32> -> tile<i1>
