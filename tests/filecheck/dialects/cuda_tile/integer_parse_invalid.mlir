// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Keywords; the word that was found is named.

// REQ: B-35

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a sign : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.remi %a, %a sign : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.remi %a, %a : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.maxi %a, %a sign : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.maxi %a, %a : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.mini %a, %a sign : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.mini %a, %a : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'sign'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.shri %a, %a sign : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.shri %a, %a : tile<i32>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}, got: 'ordered'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi equal %a, %a, ordered : tile<i32> -> tile<i1>

// -----

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi equal %a, %a, : tile<i32> -> tile<i1>

// -----

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'eq'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi eq %a, %a, signed : tile<i32> -> tile<i1>

// -----

// CHECK: expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi %a, %a, signed : tile<i32> -> tile<i1>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nsw'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.addi %a, %a overflow<nsw> : tile<i32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nsw'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.subi %a, %a overflow<nsw> : tile<i32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nsw'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.muli %a, %a overflow<nsw> : tile<i32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'nsw'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.shli %a, %a overflow<nsw> : tile<i32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'wrap'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.negi %a overflow<wrap> : tile<i32>

// -----

// CHECK: expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.negi %a overflow<> : tile<i32>

// -----

// CHECK: expected rounding mode to be one of: 'zero', 'negative_inf', 'positive_inf', got: 'up'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<up> : tile<i32>
