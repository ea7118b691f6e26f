// RUN: TILEIRAS_PARSE_INVALID

// -----

// Unknown orderings, scopes and modes; each error names the word.

// REQ: B-35
// CHECK: [[containing:expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics']] [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%v, %u = cuda_tile.load_ptr_tko strong device %t8xptr_i32 : !t8xptr_i32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing]] [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%u = cuda_tile.store_ptr_tko strong device %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> token

// REQ: B-35
// CHECK: [[containing]] [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%v, %u = cuda_tile.atomic_cas_tko strong device %t8xptr_i32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing]] [weak, relaxed, acquire, release, acq_rel], got: 'strong'
%v, %u = cuda_tile.atomic_rmw_tko strong device add %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing_1:expected string or keyword containing one of the following enum values for attribute 'memory_scope']] [tl_blk, device, sys], got: 'cta'
%v, %u = cuda_tile.load_ptr_tko relaxed cta %t8xptr_i32 : !t8xptr_i32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing_1]] [tl_blk, device, sys], got: 'cta'
%u = cuda_tile.store_ptr_tko relaxed cta %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> token

// REQ: B-35
// CHECK: [[containing_1]] [tl_blk, device, sys], got: 'cta'
%v, %u = cuda_tile.atomic_cas_tko relaxed cta %t8xptr_i32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing_1]] [tl_blk, device, sys], got: 'cta'
%v, %u = cuda_tile.atomic_rmw_tko relaxed cta add %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: [[containing]] [weak, relaxed, acquire, release, acq_rel]
%v, %u = cuda_tile.load_ptr_tko  %t8xptr_i32 : !t8xptr_i32 -> !t8xi32, token

// CHECK: [[containing]] [weak, relaxed, acquire, release, acq_rel]
%v, %u = cuda_tile.load_ptr_tko 0 %t8xptr_i32 : !t8xptr_i32 -> !t8xi32, token

// CHECK: [[containing_1]] [tl_blk, device, sys]
%v, %u = cuda_tile.atomic_cas_tko relaxed %t8xptr_i32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: [[containing_1]] [tl_blk, device, sys]
%u = cuda_tile.store_ptr_tko relaxed 1 %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> token

// REQ: B-35
// CHECK: [[containing_2:expected string or keyword containing one of the following enum values for attribute 'mode']] [and, or, xor, add, addf, max, min, umax, umin, xchg], got: 'sub'
%v, %u = cuda_tile.atomic_rmw_tko relaxed device sub %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-35
// CHECK: [[containing_2]] [and, or, xor, add, addf, max, min, umax, umin, xchg], got: 'foo'
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %t8xptr_i32, foo, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: [[containing_2]] [and, or, xor, add, addf, max, min, umax, umin, xchg]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: [[containing_1]] [tl_blk, device, sys], got: 'add'
%v, %u = cuda_tile.atomic_rmw_tko relaxed add %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// Too many operands, and too few.

// CHECK: expected at most a pointer, a mask and a padding value
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32, %t8xi32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32, !t8xi32, !t8xi32 -> !t8xi32, token

// CHECK: expected a pointer, a value and at most a mask
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32 : !t8xptr_i32 -> token

// CHECK: expected a pointer, a value and at most a mask
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32, !t8xi32, !t8xi32 -> token

// CHECK: [[pointers:expected pointers, compare, value and at most a mask]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: [[pointers]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// CHECK: expected pointers, a value and at most a mask
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %t8xptr_i32, add, %t8xi32, %t8xi32, %t8xi32 : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// What the syntax shows cannot stand in the dictionary: there is one place for everything.

// REQ: B-17, B-57
// CHECK: [[structured:attribute 'memory_ordering_semantics' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {memory_ordering_semantics = 0 : i32} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-18, B-57
// CHECK: [[structured_1:attribute 'memory_scope' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {memory_scope = 1 : i32} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-19, B-57
// CHECK: [[structured_2:attribute 'operandSegmentSizes' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-20, B-57
// CHECK: [[structured_3:attribute 'mode' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {mode = 3 : i32} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-21, B-57
// CHECK: [[optimization:attribute 'optimization_hints' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {optimization_hints = #cuda_tile.optimization_hints<>} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-57
// CHECK: [[structured_4:attribute 'token' is already given by the structured syntax]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 {token = 1 : i32} : !t8xptr_i32 -> !t8xi32, token

// REQ: B-17, B-57
// CHECK: [[structured]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {memory_ordering_semantics = 0 : i32} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-18, B-57
// CHECK: [[structured_1]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {memory_scope = 1 : i32} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-19, B-57
// CHECK: [[structured_2]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-20, B-57
// CHECK: [[structured_3]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {mode = 3 : i32} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-21, B-57
// CHECK: [[optimization]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {optimization_hints = #cuda_tile.optimization_hints<>} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-57
// CHECK: [[structured_4]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_i32, %t8xi32 {token = 1 : i32} : !t8xptr_i32, !t8xi32 -> token

// REQ: B-17, B-57
// CHECK: [[structured]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {memory_ordering_semantics = 0 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-18, B-57
// CHECK: [[structured_1]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {memory_scope = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-19, B-57
// CHECK: [[structured_2]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-20, B-57
// CHECK: [[structured_3]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {mode = 3 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-21, B-57
// CHECK: [[optimization]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {optimization_hints = #cuda_tile.optimization_hints<>} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-25, B-57
// CHECK: [[structured_4]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {token = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-25, B-57
// CHECK: attribute 'success_ordering' is already given by the structured syntax
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {success_ordering = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-25, B-57
// CHECK: attribute 'failure_ordering' is already given by the structured syntax
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t8xptr_i32, %t8xi32, %t8xi32 {failure_ordering = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-17, B-57
// CHECK: [[structured]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {memory_ordering_semantics = 0 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-18, B-57
// CHECK: [[structured_1]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {memory_scope = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-19, B-57
// CHECK: [[structured_2]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-20, B-57
// CHECK: [[structured_3]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {mode = 3 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-21, B-57
// CHECK: [[optimization]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {optimization_hints = #cuda_tile.optimization_hints<>} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-26, B-57
// CHECK: [[structured_4]]
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {token = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-26, B-57
// CHECK: attribute 'ordering' is already given by the structured syntax
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {ordering = 1 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-26, B-57
// CHECK: attribute 'kind' is already given by the structured syntax
%v, %u = cuda_tile.atomic_rmw_tko relaxed device add %t8xptr_i32, %t8xi32 {kind = 3 : i32} : !t8xptr_i32, !t8xi32 -> !t8xi32, token

// REQ: B-57
// CHECK: [[structured_4]]
%u = cuda_tile.print_tko "x" {token = 1 : i32} -> token

// REQ: B-57
// CHECK: attribute 'str' is already given by the structured syntax
%u = cuda_tile.print_tko "x" {str = "x"} -> token

// REQ: B-57
// CHECK: [[structured_2]]
%u = cuda_tile.print_tko "x" {operandSegmentSizes = array<i32: 0, 0>} -> token

// REQ: B-57
// CHECK: attribute 'str' is already given by the structured syntax
cuda_tile.print "x" {str = "y"}

// Tokens are tokens.

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !t8xi32
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_i32 token=%t8xi32 : !t8xptr_i32 -> !t8xi32, token

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !t8xi32
%u = cuda_tile.memory_fence_alias_tko %t8xi32

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !t8xi32
%u = cuda_tile.gdc_wait_tko token=%t8xi32 -> token

// `print_tko` and `alloca`.

// CHECK: string literal expected
%u = cuda_tile.print_tko -> token

// CHECK: integer constant out of range for attribute
%0 = cuda_tile.alloca num_elem = 9223372036854775808, alignment = 4 : !ptr_f32
