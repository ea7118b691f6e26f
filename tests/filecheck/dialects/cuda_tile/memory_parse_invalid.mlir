// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Unknown orderings, scopes and modes; each error names the word.

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko strong device %p : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko strong device %p, %d : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko strong device %p, %d, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko strong device add %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys], got: 'cta'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko relaxed cta %p : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys], got: 'cta'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko relaxed cta %p, %d : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys], got: 'cta'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed cta %p, %d, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys], got: 'cta'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed cta add %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko  %p : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko 0 %p : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed %p, %d, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko relaxed 1 %p, %d : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg], got: 'sub'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device sub %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-35
// CHECK: expected string or keyword containing one of the following enum values for attribute 'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg], got: 'foo'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %p, foo, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg]
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys], got: 'add'
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed add %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// Too many operands, and too few.

// CHECK: expected at most a pointer, a mask and a padding value
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p, %d, %d, %d : tile<8xptr<i32>>, tile<8xi32>, tile<8xi32>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected a pointer, a value and at most a mask
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p : tile<8xptr<i32>> -> token

// -----

// CHECK: expected a pointer, a value and at most a mask
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d, %d, %d : tile<8xptr<i32>>, tile<8xi32>, tile<8xi32>, tile<8xi32> -> token

// -----

// CHECK: expected pointers, compare, value and at most a mask
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected pointers, compare, value and at most a mask
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d, %d, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// CHECK: expected pointers, a value and at most a mask
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %p, add, %d, %d, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// What the syntax shows cannot stand in the dictionary: there is one place for everything.

// REQ: B-17, B-57
// CHECK: attribute 'memory_ordering_semantics' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {memory_ordering_semantics = 0 : i32} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-18, B-57
// CHECK: attribute 'memory_scope' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {memory_scope = 1 : i32} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-19, B-57
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-20, B-57
// CHECK: attribute 'mode' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {mode = 3 : i32} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-21, B-57
// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {optimization_hints = #cuda_tile.optimization_hints<>} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-57
// CHECK: attribute 'token' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p {token = 1 : i32} : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// REQ: B-17, B-57
// CHECK: attribute 'memory_ordering_semantics' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {memory_ordering_semantics = 0 : i32} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-18, B-57
// CHECK: attribute 'memory_scope' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {memory_scope = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-19, B-57
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-20, B-57
// CHECK: attribute 'mode' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {mode = 3 : i32} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-21, B-57
// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {optimization_hints = #cuda_tile.optimization_hints<>} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-57
// CHECK: attribute 'token' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.store_ptr_tko weak %p, %d {token = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> token

// -----

// REQ: B-17, B-57
// CHECK: attribute 'memory_ordering_semantics' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {memory_ordering_semantics = 0 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-18, B-57
// CHECK: attribute 'memory_scope' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {memory_scope = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-19, B-57
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-20, B-57
// CHECK: attribute 'mode' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {mode = 3 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-21, B-57
// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {optimization_hints = #cuda_tile.optimization_hints<>} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-25, B-57
// CHECK: attribute 'token' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {token = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-25, B-57
// CHECK: attribute 'success_ordering' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {success_ordering = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-25, B-57
// CHECK: attribute 'failure_ordering' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_cas_tko relaxed device %p, %d, %d {failure_ordering = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-17, B-57
// CHECK: attribute 'memory_ordering_semantics' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {memory_ordering_semantics = 0 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-18, B-57
// CHECK: attribute 'memory_scope' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {memory_scope = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-19, B-57
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-20, B-57
// CHECK: attribute 'mode' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {mode = 3 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-21, B-57
// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {optimization_hints = #cuda_tile.optimization_hints<>} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-26, B-57
// CHECK: attribute 'token' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {token = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-26, B-57
// CHECK: attribute 'ordering' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {ordering = 1 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-26, B-57
// CHECK: attribute 'kind' is already given by the structured syntax
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %p, %d {kind = 3 : i32} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

// -----

// REQ: B-57
// CHECK: attribute 'token' is already given by the structured syntax
%u = cuda_tile.print_tko "x" {token = 1 : i32} -> token

// -----

// REQ: B-57
// CHECK: attribute 'str' is already given by the structured syntax
%u = cuda_tile.print_tko "x" {str = "x"} -> token

// -----

// REQ: B-57
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%u = cuda_tile.print_tko "x" {operandSegmentSizes = array<i32: 0, 0>} -> token

// -----

// REQ: B-57
// CHECK: attribute 'str' is already given by the structured syntax
cuda_tile.print "x" {str = "y"}

// -----

// Tokens are tokens.

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !cuda_tile.tile<8xi32>
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%v, %u = cuda_tile.load_ptr_tko weak %p token=%d : tile<8xptr<i32>> -> tile<8xi32>, token

// -----

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !cuda_tile.tile<8xi32>
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.memory_fence_alias_tko %d

// -----

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !cuda_tile.tile<8xi32>
%p, %d, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.token)
%u = cuda_tile.gdc_wait_tko token=%d -> token

// -----

// `print_tko` and `alloca`.

// CHECK: string literal expected
%u = cuda_tile.print_tko -> token

// -----

// CHECK: integer constant out of range for attribute
%0 = cuda_tile.alloca num_elem = 9223372036854775808, alignment = 4 : tile<ptr<f32>>
