// RUN: TILEIRAS_PARSE_INVALID

// -----

// Rounding modes: these reject all but the four of IEEE.
// 
// REQ: B-35

// CHECK: [[negative:expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx']]
%0 = cuda_tile.addf %f32, %f32 rounding<approx> : !f32

// CHECK: [[negative_1:expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full']]
%0 = cuda_tile.addf %f32, %f32 rounding<full> : !f32

// CHECK: [[negative_2:expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero']]
%0 = cuda_tile.addf %f32, %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: [[negative_3:expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_away']]
%0 = cuda_tile.addf %f32, %f32 rounding<nearest_away> : !f32

// CHECK: [[negative_4:expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'up']]
%0 = cuda_tile.addf %f32, %f32 rounding<up> : !f32

// CHECK: [[negative]]
%0 = cuda_tile.subf %f32, %f32 rounding<approx> : !f32

// CHECK: [[negative_1]]
%0 = cuda_tile.subf %f32, %f32 rounding<full> : !f32

// CHECK: [[negative_2]]
%0 = cuda_tile.subf %f32, %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: [[negative_3]]
%0 = cuda_tile.subf %f32, %f32 rounding<nearest_away> : !f32

// CHECK: [[negative_4]]
%0 = cuda_tile.subf %f32, %f32 rounding<up> : !f32

// CHECK: [[negative]]
%0 = cuda_tile.mulf %f32, %f32 rounding<approx> : !f32

// CHECK: [[negative_1]]
%0 = cuda_tile.mulf %f32, %f32 rounding<full> : !f32

// CHECK: [[negative_2]]
%0 = cuda_tile.mulf %f32, %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: [[negative_3]]
%0 = cuda_tile.mulf %f32, %f32 rounding<nearest_away> : !f32

// CHECK: [[negative_4]]
%0 = cuda_tile.mulf %f32, %f32 rounding<up> : !f32

// CHECK: [[negative]]
%0 = cuda_tile.fma %f32, %f32, %f32 rounding<approx> : !f32

// CHECK: [[negative_1]]
%0 = cuda_tile.fma %f32, %f32, %f32 rounding<full> : !f32

// CHECK: [[negative_2]]
%0 = cuda_tile.fma %f32, %f32, %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: [[negative_3]]
%0 = cuda_tile.fma %f32, %f32, %f32 rounding<nearest_away> : !f32

// CHECK: [[negative_4]]
%0 = cuda_tile.fma %f32, %f32, %f32 rounding<up> : !f32

// These leave it to the verifier which modes they have.

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', 'full', got: 'up'
%0 = cuda_tile.divf %f32, %f32 rounding<up> : !f32

// CHECK: expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', got: 'up'
%0 = cuda_tile.sqrt %f32 rounding<up> : !f32

// CHECK: [[rounding:expected rounding mode to be one of: 'approx', 'full', got: 'up']]
%0 = cuda_tile.exp %f32 rounding<up> : !f32

// CHECK: [[rounding]]
%0 = cuda_tile.tanh %f32 rounding<up> : !f32

// Comparisons.
// 
// REQ: B-35

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'olt'
%0 = cuda_tile.cmpf olt ordered %f32, %f32 : !f32 -> !i1

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'ordered'
%0 = cuda_tile.cmpf ordered equal %f32, %f32 : !f32 -> !i1

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
%0 = cuda_tile.cmpf %f32, %f32 : !f32 -> !i1

// CHECK: expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}, got: 'signed'
%0 = cuda_tile.cmpf equal signed %f32, %f32 : !f32 -> !i1

// CHECK: expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}
%0 = cuda_tile.cmpf equal %f32, %f32 : !f32 -> !i1
