// RUN: TILEIRAS_VERIFY_INVALID

// -----

// Tokens.

// CHECK: 'cuda_tile.join_tokens' op expect two or more tokens
%0 = cuda_tile.join_tokens : token

// CHECK: 'cuda_tile.join_tokens' op operand #1 must be variadic of cuda tile token type, but got '!i32'
%0 = "cuda_tile.join_tokens"(%token, %i32) : (!token, !i32) -> !token

// CHECK: 'cuda_tile.token.join' op operand #0 must be variadic of cuda tile token type, but got '!i32'
%0 = "cuda_tile.token.join"(%i32) : (!i32) -> !token

// CHECK: 'cuda_tile.memory_fence_alias_tko' op requires a single operand
%0 = "cuda_tile.memory_fence_alias_tko"() : () -> !token

// CHECK: 'cuda_tile.gdc_launch_dependents_tko' op result #0 must be cuda tile token type, but got '!i32'
%0 = cuda_tile.gdc_launch_dependents_tko -> !i32

// `alloca`.

// CHECK: 'cuda_tile.alloca' op result #0 must be 0D tile of Pointer type values, but got '!t4xptr_f32'
%0 = cuda_tile.alloca num_elem = 64, alignment = 4 : !t4xptr_f32

// CHECK: 'cuda_tile.alloca' op [[constraint:attribute 'num_elem' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0]]
%0 = cuda_tile.alloca num_elem = -10, alignment = 3 : !ptr_f32

// CHECK: 'cuda_tile.alloca' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0
%0 = cuda_tile.alloca num_elem = 32, alignment = -10 : !ptr_f32

// CHECK: 'cuda_tile.alloca' op requires attribute 'alignment'
%0 = "cuda_tile.alloca"() <{num_elem = 4 : i64}> : () -> !ptr_f32

// CHECK: 'cuda_tile.alloca' op 'alignment' must be power of two
%0 = cuda_tile.alloca num_elem = 64, alignment = 3 : !ptr_f32

// CHECK: 'cuda_tile.alloca' op 'alignment' (4) must be at least the natural size (8 bytes) for element type 'i64'
%0 = cuda_tile.alloca num_elem = 64, alignment = 4 : !ptr_i64

// CHECK: 'cuda_tile.alloca' op 'alignment' (1) must be at least the natural size (2 bytes) for element type 'f16'
%0 = cuda_tile.alloca num_elem = 64, alignment = 1 : !ptr_f16

// CHECK: 'cuda_tile.alloca' op 'alignment' (1) must be at least the natural size (2 bytes) for element type 'tf32'
%0 = cuda_tile.alloca num_elem = 64, alignment = 1 : !ptr_tf32

// CHECK: 'cuda_tile.alloca' op 'alignment' (1) must be at least the natural size (8 bytes) for element type 'f64'
%0 = cuda_tile.alloca num_elem = 64, alignment = 1 : !ptr_f64

// `load_ptr_tko`: types, shapes, ordering, scope, in this order.

// CHECK: 'cuda_tile.load_ptr_tko' op operand #2 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!t8xptr_f32'
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_f32, %t8xi1, %t8xptr_f32 : !t8xptr_f32, !t8xi1, !t8xptr_f32 -> !t8xf32, token

// CHECK: 'cuda_tile.load_ptr_tko' op result #0 must be Tile type, but got 'f32'
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_f32 : !t8xptr_f32 -> f32, token

// CHECK: 'cuda_tile.load_ptr_tko' op result #1 must be cuda tile token type, but got '!i32'
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_f32 : !t8xptr_f32 -> !t8xf32, !i32

// CHECK: 'cuda_tile.load_ptr_tko' op requires attribute 'memory_ordering_semantics'
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// CHECK: 'cuda_tile.load_ptr_tko' op attribute 'memory_ordering_semantics' failed to satisfy constraint: 32-bit signless integer attribute
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{memory_ordering_semantics = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// CHECK: 'cuda_tile.load_ptr_tko' op attribute 'optimization_hints' failed to satisfy constraint: Optimization hints attribute
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{memory_ordering_semantics = 0 : i32, optimization_hints = {latency = 1}, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// CHECK: 'cuda_tile.load_ptr_tko' op [[pointer:failed to verify that `source` type is expected a pointer type of `result` type]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_f32, %t4xi1 : !t8xptr_f32, !t4xi1 -> !t8xi32, token

// CHECK: 'cuda_tile.load_ptr_tko' op [[pointer]]
%v, %u = cuda_tile.load_ptr_tko weak %t8xptr_f32 : !t8xptr_f32 -> !t4xf32, token

// CHECK: 'cuda_tile.load_ptr_tko' op [[padding:failed to verify that type of 'paddingValue' must match the type of 'result']]
%v, %u = cuda_tile.load_ptr_tko release %t8xptr_f32, %t8xi1, %t8xi32 : !t8xptr_f32, !t8xi1, !t8xi32 -> !t8xf32, token

// REQ: B-29
// CHECK: 'cuda_tile.load_ptr_tko' op expect one of: weak, relaxed, or acquire, but got: seq_cst
%v, %u = cuda_tile.load_ptr_tko seq_cst %t8xptr_f32 : !t8xptr_f32 -> !t8xf32, token

// Integers without a keyword.

// CHECK: 'cuda_tile.load_ptr_tko' op attribute 'memory_ordering_semantics' failed to satisfy constraint: 32-bit signless integer attribute with one of the values weak, relaxed, acquire, release, acq_rel, seq_cst
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{memory_ordering_semantics = 6 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// CHECK: 'cuda_tile.load_ptr_tko' op [[constraint_1:attribute 'memory_scope' failed to satisfy constraint: 32-bit signless integer attribute with one of the values tl_blk, gpu, sys, cluster]]
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{memory_ordering_semantics = 1 : i32, memory_scope = 4 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// CHECK: 'cuda_tile.load_ptr_tko' op [[constraint_1]]
%v, %u = "cuda_tile.load_ptr_tko"(%t8xptr_f32) <{memory_ordering_semantics = 1 : i32, memory_scope = -1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!t8xptr_f32) -> (!t8xf32, !token)

// `store_ptr_tko`.

// CHECK: 'cuda_tile.store_ptr_tko' op operand #0 must be tile of Pointer type values, but got '!t8xf32'
%u = cuda_tile.store_ptr_tko acquire %t8xf32, %t8xf32_1 : !t8xf32, !t8xf32 -> token

// CHECK: 'cuda_tile.store_ptr_tko' op operand #1 must be Tile type, but got '!token'
%u = cuda_tile.store_ptr_tko weak %t8xptr_f32, %token : !t8xptr_f32, token -> token

// CHECK: 'cuda_tile.store_ptr_tko' op operand #2 must be tile of i1 values, but got '!t8xf32'
%u = cuda_tile.store_ptr_tko weak %t8xptr_f32, %t8xf32, %t8xf32 : !t8xptr_f32, !t8xf32, !t8xf32 -> token

// CHECK: 'cuda_tile.store_ptr_tko' op [[destination:failed to verify that `destination` type is expected a pointer type of `value` type]]
%u = cuda_tile.store_ptr_tko weak %t8xptr_f32, %t8xi32, %t4xi1 : !t8xptr_f32, !t8xi32, !t4xi1 -> token

// CHECK: 'cuda_tile.store_ptr_tko' op expect one of: weak, relaxed, or release, but got: acq_rel
%u = cuda_tile.store_ptr_tko acq_rel %t8xptr_f32, %t8xf32 : !t8xptr_f32, !t8xf32 -> token

// REQ: B-29
// CHECK: 'cuda_tile.store_ptr_tko' op expect one of: weak, relaxed, or release, but got: seq_cst
%u = cuda_tile.store_ptr_tko seq_cst %t8xptr_f32, %t8xf32 : !t8xptr_f32, !t8xf32 -> token

// CHECK: 'cuda_tile.store_ptr_tko' op memory scope is required for relaxed store
%u = cuda_tile.store_ptr_tko relaxed %t8xptr_f32, %t8xf32 : !t8xptr_f32, !t8xf32 -> token

// `atomic_cas_tko`.

// CHECK: 'cuda_tile.atomic_cas_tko' op operand #0 must be tile of Pointer type values, but got '!t2xi32'
%v, %u = cuda_tile.atomic_cas_tko weak device %t2xi32, %t2xi32, %t2xi32 : !t2xi32, !t2xi32 -> !t2xi32, token

// CHECK: 'cuda_tile.atomic_cas_tko' op operand #3 must be tile of i1 values, but got '!t2xi32'
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_i32, %t2xi32, %t2xi32_1, %t2xi32_1 : !t2xptr_i32, !t2xi32, !t2xi32 -> !t2xi32, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[pointers:failed to verify that all of \{pointers, cmp, val, result\} have same shape]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_i32, %t2xi32, %t2xi32_1 : !t2xptr_i32, !t2xi32 -> !t4xi64, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[verify:failed to verify that all of \{cmp, val, result\} have same type]]
%v, %u = cuda_tile.atomic_cas_tko weak device %t2xptr_i32, %t2xi32, %t2xi32_1 : !t2xptr_i32, !t2xi32 -> !t2xf32, token

// CHECK: 'cuda_tile.atomic_cas_tko' op expected pointee type ('f32') to match element type of 'val' ('i8')
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_f32, %t2xi8, %t2xi8 : !t2xptr_f32, !t2xi8 -> !t2xi8, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer:expect only float or integer types with 32 or 64 bit]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_i8, %t2xi8, %t2xi8, %t4xi1 : !t2xptr_i8, !t2xi8, !t4xi1 -> !t2xi8, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_i16, %t2xi16, %t2xi16, %t4xi1 : !t2xptr_i16, !t2xi16, !t4xi1 -> !t2xi16, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_f16, %t2xf16, %t2xf16, %t4xi1 : !t2xptr_f16, !t2xf16, !t4xi1 -> !t2xf16, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_bf16, %t2xbf16, %t2xbf16, %t4xi1 : !t2xptr_bf16, !t2xbf16, !t4xi1 -> !t2xbf16, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_tf32, %t2xtf32, %t2xtf32, %t4xi1 : !t2xptr_tf32, !t2xtf32, !t4xi1 -> !t2xtf32, token

// CHECK: 'cuda_tile.atomic_cas_tko' op [[integer]]
%v, %u = cuda_tile.atomic_cas_tko relaxed device %t2xptr_f8E4M3FN, %t2xf8E4M3FN, %t2xf8E4M3FN, %t4xi1 : !t2xptr_f8E4M3FN, !t2xf8E4M3FN, !t4xi1 -> !t2xf8E4M3FN, token

// CHECK: 'cuda_tile.atomic_cas_tko' op requires attribute 'memory_scope'
%v, %u = "cuda_tile.atomic_cas_tko"(%t2xptr_i32, %t2xi32, %t2xi32_1) <{memory_ordering_semantics = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t2xptr_i32, !t2xi32, !t2xi32) -> (!t2xi32, !token)

// `atomic_rmw_tko`.

// CHECK: 'cuda_tile.atomic_rmw_tko' op operand #1 must be Tile type, but got '!token'
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %t2xptr_i32, add, %token : !t2xptr_i32, token -> !t2xi32, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op expected pointee type ('f32') to match element type of 'arg' ('i32')
%v, %u = cuda_tile.atomic_rmw_tko relaxed device %t2xptr_f32, addf, %t2xi32, %t4xi1 : !t2xptr_f32, !t2xi32, !t4xi1 -> !t2xi32, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op 'addu' works only with integers i32 and i64
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_f64, addu, %f64 : !ptr_f64, !f64 -> !f64, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[floats:'addf' works only with floats f16, bf16, f32, and f64]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_i64, addf, %i64 : !ptr_i64, !i64 -> !i64, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[floats]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_tf32, addf, %tf32 : !ptr_tf32, !tf32 -> !tf32, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[floats]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_f8E5M2, addf, %f8E5M2 : !ptr_f8E5M2, !f8E5M2 -> !f8E5M2, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[bitwidth:'xchg' works only with integers or float of 32 or 64 bitwidth]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_i1, xchg, %i1 : !ptr_i1, !i1 -> !i1, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[bitwidth]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_i16, xchg, %i16 : !ptr_i16, !i16 -> !i16, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[bitwidth]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_tf32, xchg, %tf32 : !ptr_tf32, !tf32 -> !tf32, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[bitwidth]]
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_f8E4M3FN, xchg, %f8E4M3FN : !ptr_f8E4M3FN, !f8E4M3FN -> !f8E4M3FN, token

// REQ: B-31
// CHECK: 'cuda_tile.atomic_rmw_tko' op 'cmpxchg' has no compare operand here; use 'cuda_tile.atomic_cas_tko'
%v, %u = cuda_tile.atomic_rmw_tko weak device %ptr_i32, cmpxchg, %i32 : !ptr_i32, !i32 -> !i32, token

// CHECK: 'cuda_tile.atomic_rmw_tko' op attribute 'mode' failed to satisfy constraint: 32-bit signless integer attribute with one of the values and, or, xor, add, addf, max, min, umax, umin, xchg, addu, cmpxchg
%v, %u = "cuda_tile.atomic_rmw_tko"(%t2xptr_i32, %t2xi32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 12 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!t2xptr_i32, !t2xi32) -> (!t2xi32, !token)

// CHECK: 'cuda_tile.atomic_rmw_tko' op requires attribute 'mode'
%v, %u = "cuda_tile.atomic_rmw_tko"(%t2xptr_i32, %t2xi32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!t2xptr_i32, !t2xi32) -> (!t2xi32, !token)

// `print_tko`.

// CHECK: 'cuda_tile.print_tko' op [[unterminated:found unterminated format expression]]
%u = cuda_tile.print_tko "hello, %", %t2xf16 : !t2xf16 -> token

// CHECK: 'cuda_tile.print_tko' op operand #0 must be variadic of Tile type, but got '!token'
%u = cuda_tile.print_tko "%d %d", %token : token -> token

// `print`.

// CHECK: 'cuda_tile.print' op incorrect number of operands: expected 1, found 0
cuda_tile.print "one %i"

// CHECK: 'cuda_tile.print' op incorrect number of operands: expected 0, found 1
cuda_tile.print "100%%", %i32 : !i32

// CHECK: 'cuda_tile.print' op incorrect number of operands: expected 2, found 1
cuda_tile.print "hello, %t2xf16, %t2xf16", %t2xf16 : !t2xf16

// CHECK: 'cuda_tile.print' op [[unterminated]]
cuda_tile.print "hello, %", %t2xf16 : !t2xf16

// CHECK: 'cuda_tile.print' op [[unterminated]]
cuda_tile.print "%d %-5.2l", %t2xf16 : !t2xf16

// CHECK: 'cuda_tile.print' op operand #0 must be variadic of Tile type, but got '!token'
cuda_tile.print "%d %d", %token : token

// CHECK: 'cuda_tile.print_tko' op operand #1 must be cuda tile token type, but got '!i32'
%u = "cuda_tile.print_tko"(%i32, %i32) <{operandSegmentSizes = array<i32: 1, 1>, str = "%d"}> : (!i32, !i32) -> !token

// CHECK: 'cuda_tile.print_tko' op result #0 must be cuda tile token type, but got '!i32'
%u = cuda_tile.print_tko "no" -> !i32

// CHECK: 'cuda_tile.print_tko' op requires attribute 'str'
%u = "cuda_tile.print_tko"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> !token

// CHECK: 'cuda_tile.print' op attribute 'str' failed to satisfy constraint: string attribute
"cuda_tile.print"() <{str = 1 : i32}> : () -> ()
