// RUN: TILEIRAS_PARSE_INVALID

// -----

// Keywords; the word that was found is named.

// REQ: B-35

// CHECK: [[signedness:expected signedness to be one of: \{'signed', 'unsigned'\}, got: 'sign']]
%0 = cuda_tile.divi %i32, %i32 sign : !i32

// CHECK: [[signedness_1:expected signedness to be one of: \{'signed', 'unsigned'\}]]
%0 = cuda_tile.divi %i32, %i32 : !i32

// CHECK: [[signedness]]
%0 = cuda_tile.remi %i32, %i32 sign : !i32

// CHECK: [[signedness_1]]
%0 = cuda_tile.remi %i32, %i32 : !i32

// CHECK: [[signedness]]
%0 = cuda_tile.maxi %i32, %i32 sign : !i32

// CHECK: [[signedness_1]]
%0 = cuda_tile.maxi %i32, %i32 : !i32

// CHECK: [[signedness]]
%0 = cuda_tile.mini %i32, %i32 sign : !i32

// CHECK: [[signedness_1]]
%0 = cuda_tile.mini %i32, %i32 : !i32

// CHECK: [[signedness]]
%0 = cuda_tile.shri %i32, %i32 sign : !i32

// CHECK: [[signedness_1]]
%0 = cuda_tile.shri %i32, %i32 : !i32

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'ordered'
%0 = cuda_tile.cmpi equal %i32, %i32, ordered : !i32 -> !i1

// CHECK: [[signedness_1]]
%0 = cuda_tile.cmpi equal %i32, %i32, : !i32 -> !i1

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'eq'
%0 = cuda_tile.cmpi eq %i32, %i32, signed : !i32 -> !i1

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
%0 = cuda_tile.cmpi %i32, %i32, signed : !i32 -> !i1

// CHECK: [[overflow:expected overflow to be one of: \{'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'\}, got: 'nsw']]
%0 = cuda_tile.addi %i32, %i32 overflow<nsw> : !i32

// CHECK: [[overflow]]
%0 = cuda_tile.subi %i32, %i32 overflow<nsw> : !i32

// CHECK: [[overflow]]
%0 = cuda_tile.muli %i32, %i32 overflow<nsw> : !i32

// CHECK: [[overflow]]
%0 = cuda_tile.shli %i32, %i32 overflow<nsw> : !i32

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'wrap'
%0 = cuda_tile.negi %i32 overflow<wrap> : !i32

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}
%0 = cuda_tile.negi %i32 overflow<> : !i32

// CHECK: expected rounding mode to be one of: 'zero', 'negative_inf', 'positive_inf', got: 'up'
%0 = cuda_tile.divi %i32, %i32 signed rounding<up> : !i32
