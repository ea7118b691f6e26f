// RUN: TILEIRAS_PARSE_INVALID

// -----

// The dictionary may not repeat, or contradict, what the syntax shows.

// REQ: B-17
// CHECK: attribute 'memory_ordering_semantics' is already given by the structured syntax
%v, %t = cuda_tile.load_ptr_tko weak %ptr_f32 {memory_ordering_semantics = 0 : i32} : !ptr_f32 -> !f32, token

// REQ: B-18
// CHECK: attribute 'memory_scope' is already given by the structured syntax
%v, %t = cuda_tile.load_ptr_tko weak %ptr_f32 {memory_scope = 0 : i32} : !ptr_f32 -> !f32, token

// REQ: B-19
// CHECK: attribute 'operandSegmentSizes' is already given by the structured syntax
%v, %t = cuda_tile.load_ptr_tko weak %ptr_f32 {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : !ptr_f32 -> !f32, token

// REQ: B-20
// CHECK: attribute 'mode' is already given by the structured syntax
%v, %t = cuda_tile.atomic_rmw_tko relaxed gpu add %ptr_i32, %i32 {mode = 4 : i32} : !ptr_i32, !i32 -> !i32, token

// REQ: B-21
// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%v, %t = cuda_tile.load_ptr_tko weak %ptr_f32 {optimization_hints = #cuda_tile.optimization_hints<>} : !ptr_f32 -> !f32, token

// REQ: B-25
// CHECK: attribute 'success_ordering' is already given by the structured syntax
%v, %t = cuda_tile.atomic_cas_tko relaxed gpu %ptr_i32, %i32, %i32 {success_ordering = 1 : i32} : !ptr_i32, !i32 -> !i32, token

// REQ: B-26
// CHECK: attribute 'kind' is already given by the structured syntax
%v, %t = cuda_tile.atomic_rmw_tko relaxed gpu add %ptr_i32, %i32 {kind = "add"} : !ptr_i32, !i32 -> !i32, token
