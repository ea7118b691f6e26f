// RUN: TILEIRAS_VERIFY_INVALID

!view = !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>

// -----

// The generic form cannot bring in attributes that the custom form would not take back.

// REQ: B-22, B-25
// CHECK: 'cuda_tile.atomic_cas_tko' op attribute 'failure_ordering' is already given by the structured syntax
%v, %t = "cuda_tile.atomic_cas_tko"(%ptr_i32, %i32, %i32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {failure_ordering = 1 : i32} : (!ptr_i32, !i32, !i32) -> (!i32, !token)

// REQ: B-22, B-26
// CHECK: 'cuda_tile.atomic_rmw_tko' op attribute 'ordering' is already given by the structured syntax
%v, %t = "cuda_tile.atomic_rmw_tko"(%ptr_i32, %i32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {ordering = 1 : i32} : (!ptr_i32, !i32) -> (!i32, !token)

// REQ: B-22, B-23
// CHECK: 'cuda_tile.load_view_tko' op [[structured:attribute 'token' is already given by the structured syntax]]
%view, %i = "test.op"() : () -> (!view, !i32)
%v, %t = "cuda_tile.load_view_tko"(%view, %i) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0>}> {token} : (!view, !i32) -> (!t8xf32, !token)

// REQ: B-04, B-22
// CHECK: 'cuda_tile.print_tko' op [[structured]]
%t = "cuda_tile.print_tko"() <{str = "x", operandSegmentSizes = array<i32: 0, 0>}> {token} : () -> !token
