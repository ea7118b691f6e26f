// RUN: TILEIRAS_PARSE_INVALID

!tview = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
%tview = "test.op"() : () -> !tview
!view = !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
%view = "test.op"() : () -> !view
!tview_1 = !cuda_tile.tensor_view<32x32xf32, strides=[32,1]>
!tview_2 = !cuda_tile.tensor_view<2x?x32xf32, strides=[64,32,1]>

// -----

// `make_tensor_view`.

// CHECK: expected shape declaration to contain 2 elements due to tensor_view type, but 0 were provided
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [], strides = [32, 1] : !tview_1

// CHECK: expected shape declaration to contain 0 elements due to tensor_view type, but 1 were provided
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [4], strides = [] : tensor_view<f32>

// CHECK: expected stride declaration to contain 2 elements due to tensor_view type, but 0 were provided
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32, 32], strides = [] : !tview_1

// CHECK: input shape dimension 1 does not match tensor_view type (expected 32, got 64)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32, 64], strides = [32, 1] : !tview_1

// CHECK: input shape dimension 2 does not match tensor_view type (expected 32, got dynamic)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [2, %i64, %i64], strides = [64, 32, 1] : !i64 -> !tview_2

// CHECK: input shape dimension 1 does not match tensor_view type (expected dynamic, got 32)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [2, 32, 32], strides = [64, 32, 1] : !tview_2

// CHECK: input stride dimension 0 does not match tensor_view type (expected 32, got 64)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32, 32], strides = [64, 1] : !tview_1

// CHECK: input stride dimension 1 does not match tensor_view type (expected 32, got dynamic)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [2, %i64, 32], strides = [64, %i64, 1] : !i64 -> !tview_2

// CHECK: input stride dimension 1 does not match tensor_view type (expected dynamic, got 32)
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [2, %i64, 32], strides = [64, 32, 1] : !i64 -> tensor_view<2x?x32xf32, strides=[64,?,1]>

// CHECK: expected either integer or SSA value
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32, pluto], strides = [1, 1] : tensor_view<32x32xf32, strides=[1,1]>

// CHECK: expected either integer or SSA value
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32, 32], strides = [1, ?] : tensor_view<32x32xf32, strides=[1,?]>

// CHECK: expected 'tensor_view' type, but got '!f32'
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32], strides = [1] : !f32

// CHECK: expected 'tensor_view' type, but got '!cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>'
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [%i64], strides = [1] : !i64 -> partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>

// REQ: B-19
// CHECK: [[structured:attribute 'operandSegmentSizes' is already given by the structured syntax]]
%0 = cuda_tile.make_tensor_view %ptr_f32, shape = [32], strides = [1] {operandSegmentSizes = array<i32: 1, 0, 0>} : tensor_view<32xf32, strides=[1]>

// Tile views.

// CHECK: expected 'partition_view' type, but got '!tview'
%0 = cuda_tile.make_partition_view %tview : !tview

// CHECK: expected 'partition_view' type, but got '!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>'
%0 = cuda_tile.make_partition_view %tview : strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>

// CHECK: expected 'strided_view' type, but got '!tview'
%0 = cuda_tile.make_strided_view %tview : !tview

// CHECK: expected 'strided_view' type, but got '!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>'
%0 = cuda_tile.make_strided_view %tview : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>

// CHECK: expected 'gather_scatter_view' type, but got '!tview'
%0 = cuda_tile.make_gather_scatter_view %tview : !tview

// CHECK: expected 'gather_scatter_view' type, but got '!view'
%0 = cuda_tile.make_gather_scatter_view %tview : !view

// CHECK: operand is used with type !cuda_tile.tensor_view<?x32xf32, strides=[64,1]>, but has been previously used or defined with type !tview
%0 = cuda_tile.make_partition_view %tview : partition_view<tile=(8x8), tensor_view<?x32xf32, strides=[64,1]>>

// Sizes.

// CHECK: expected tensor_view, got '!t8x8xptr_i32'
%0:2 = cuda_tile.get_tensor_shape %t8x8xptr_i32 : !t8x8xptr_i32 -> !i32

// CHECK: expected tile view, got '!tview'
%0:2 = cuda_tile.get_index_space_shape %tview : !tview -> !i32

// Accesses: unknown orderings and scopes.

// REQ: B-35
// CHECK: [[specification:invalid memory_ordering_semantics attribute specification\. Got "x" but expect one of: weak, relaxed, acquire, release, acq_rel, got: 'x']]
%y, %u = cuda_tile.load_view_tko x %view[%i32, %i32] : !view -> !t8x8xf32, token

// CHECK: [[specification_1:invalid memory_ordering_semantics attribute specification\. Got "%v" but expect one of: weak, relaxed, acquire, release, acq_rel]]
%v, %x, %i, %t = "test.op"() : () -> (!view, !t8x8xf32, !i32, !cuda_tile.token)
%y, %u = cuda_tile.load_view_tko  %v[%i, %i] : !view -> !t8x8xf32, token

// REQ: B-35
// CHECK: [[specification_2:invalid memory_scope attribute specification\. Got "x" but expect one of: tl_blk, device, sys, got: 'x']]
%y, %u = cuda_tile.load_view_tko relaxed x %view[%i32, %i32] : !view -> !t8x8xf32, token

// CHECK: [[semantics:operation specifies weak memory ordering semantics, but then provides "device" scope, expected no memory scope\.]]
%y, %u = cuda_tile.load_view_tko weak device %view[%i32, %i32] : !view -> !t8x8xf32, token

// CHECK: [[semantics_1:operation specifies weak memory ordering semantics, but then provides "gpu" scope, expected no memory scope\.]]
%y, %u = cuda_tile.load_view_tko weak gpu %view[%i32, %i32] : !view -> !t8x8xf32, token

// CHECK: [[semantics_2:operation specifies weak memory ordering semantics, but then provides "pluto" scope, expected no memory scope\.]]
%y, %u = cuda_tile.load_view_tko weak pluto %view[%i32, %i32] : !view -> !t8x8xf32, token

// CHECK: [[index:expected 2 index types, got 3]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] : !view, !i32, !i32, !i32 -> !t8x8xf32, token

// REQ: B-35
// CHECK: [[specification]]
%u = cuda_tile.store_view_tko x %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view -> token

// CHECK: invalid memory_ordering_semantics attribute specification. Got "%x" but expect one of: weak, relaxed, acquire, release, acq_rel
%v, %x, %i, %t = "test.op"() : () -> (!view, !t8x8xf32, !i32, !cuda_tile.token)
%u = cuda_tile.store_view_tko  %x, %v[%i, %i] : !t8x8xf32, !view -> token

// REQ: B-35
// CHECK: [[specification_2]]
%u = cuda_tile.store_view_tko relaxed x %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view -> token

// CHECK: [[semantics]]
%u = cuda_tile.store_view_tko weak device %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view -> token

// CHECK: [[semantics_1]]
%u = cuda_tile.store_view_tko weak gpu %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view -> token

// CHECK: [[semantics_2]]
%u = cuda_tile.store_view_tko weak pluto %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view -> token

// CHECK: [[index]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view[%i32, %i32] : !t8x8xf32, !view, !i32, !i32, !i32 -> token

// REQ: B-35
// CHECK: [[specification]]
%u = cuda_tile.store_view_tko x %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32 -> token

// CHECK: [[specification_1]]
%v, %x, %i, %t = "test.op"() : () -> (!view, !t8x8xf32, !i32, !cuda_tile.token)
%u = cuda_tile.store_view_tko  %v[%i, %i], %x : !view, !t8x8xf32 -> token

// REQ: B-35
// CHECK: [[specification_2]]
%u = cuda_tile.store_view_tko relaxed x %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32 -> token

// CHECK: [[semantics]]
%u = cuda_tile.store_view_tko weak device %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32 -> token

// CHECK: [[semantics_1]]
%u = cuda_tile.store_view_tko weak gpu %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32 -> token

// CHECK: [[semantics_2]]
%u = cuda_tile.store_view_tko weak pluto %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32 -> token

// CHECK: [[index]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 : !view, !t8x8xf32, !i32, !i32, !i32 -> token

// `atomic_red_view_tko` words them differently.

// REQ: B-35
// CHECK: invalid memory_ordering_semantics: 'x'; expected one of: weak, relaxed, acquire, release, acq_rel, got: 'x'
%u = cuda_tile.atomic_red_view_tko x device %view[%i32, %i32], addf, %t8x8xf32 : !t8x8xf32, !view -> token

// REQ: B-35
// CHECK: invalid memory_scope: 'x'; expected one of: tl_blk, device, sys, got: 'x'
%u = cuda_tile.atomic_red_view_tko relaxed x %view[%i32, %i32], addf, %t8x8xf32 : !t8x8xf32, !view -> token

// CHECK: invalid memory_scope: '%v'; expected one of: tl_blk, device, sys
%v, %x, %i, %t = "test.op"() : () -> (!view, !t8x8xf32, !i32, !cuda_tile.token)
%u = cuda_tile.atomic_red_view_tko relaxed %v[%i, %i], addf, %x : !t8x8xf32, !view -> token

// REQ: B-35
// CHECK: unknown atomic RMW mode: 'x'; expected one of: and, or, xor, add, addf, max, min, umax, umin
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], x, %t8x8xf32 : !t8x8xf32, !view -> token

// CHECK: [[index]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 : !t8x8xf32, !view, !i32, !i32, !i32 -> token

// What the syntax shows cannot stand in the dictionary.

// REQ: B-17, B-57
// CHECK: [[structured_1:attribute 'memory_ordering_semantics' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {memory_ordering_semantics = 0 : i32} : !view -> !t8x8xf32, token

// REQ: B-18, B-57
// CHECK: [[structured_2:attribute 'memory_scope' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {memory_scope = 1 : i32} : !view -> !t8x8xf32, token

// REQ: B-19, B-57
// CHECK: [[structured]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {operandSegmentSizes = array<i32: 1, 2, 0>} : !view -> !t8x8xf32, token

// REQ: B-20, B-57
// CHECK: [[structured_3:attribute 'mode' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {mode = 3 : i32} : !view -> !t8x8xf32, token

// REQ: B-21, B-57
// CHECK: [[optimization:attribute 'optimization_hints' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {optimization_hints = #cuda_tile.optimization_hints<>} : !view -> !t8x8xf32, token

// REQ: B-23, B-57
// CHECK: [[structured_4:attribute 'token' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {token = 1 : i32} : !view -> !t8x8xf32, token

// REQ: B-23, B-57
// CHECK: [[structured_5:attribute 'addr_space' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {addr_space = 1 : i64} : !view -> !t8x8xf32, token

// REQ: B-23, B-57
// CHECK: [[structured_6:attribute 'align' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {align = 16 : i64} : !view -> !t8x8xf32, token

// REQ: B-23, B-57
// CHECK: [[structured_7:attribute 'inbounds' is already given by the structured syntax]]
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] {inbounds = array<i1: true, true>} : !view -> !t8x8xf32, token

// REQ: B-17, B-57
// CHECK: [[structured_1]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {memory_ordering_semantics = 0 : i32} : !view, !t8x8xf32 -> token

// REQ: B-18, B-57
// CHECK: [[structured_2]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {memory_scope = 1 : i32} : !view, !t8x8xf32 -> token

// REQ: B-19, B-57
// CHECK: [[structured]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {operandSegmentSizes = array<i32: 1, 2, 0>} : !view, !t8x8xf32 -> token

// REQ: B-20, B-57
// CHECK: [[structured_3]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {mode = 3 : i32} : !view, !t8x8xf32 -> token

// REQ: B-21, B-57
// CHECK: [[optimization]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {optimization_hints = #cuda_tile.optimization_hints<>} : !view, !t8x8xf32 -> token

// REQ: B-24, B-57
// CHECK: [[structured_4]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {token = 1 : i32} : !view, !t8x8xf32 -> token

// REQ: B-24, B-57
// CHECK: [[structured_5]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {addr_space = 1 : i64} : !view, !t8x8xf32 -> token

// REQ: B-24, B-57
// CHECK: [[structured_6]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {align = 16 : i64} : !view, !t8x8xf32 -> token

// REQ: B-24, B-57
// CHECK: [[structured_7]]
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 {inbounds = array<i1: true, true>} : !view, !t8x8xf32 -> token

// REQ: B-17, B-57
// CHECK: [[structured_1]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {memory_ordering_semantics = 0 : i32} : !t8x8xf32, !view -> token

// REQ: B-18, B-57
// CHECK: [[structured_2]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {memory_scope = 1 : i32} : !t8x8xf32, !view -> token

// REQ: B-19, B-57
// CHECK: [[structured]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {operandSegmentSizes = array<i32: 1, 2, 0>} : !t8x8xf32, !view -> token

// REQ: B-20, B-57
// CHECK: [[structured_3]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {mode = 3 : i32} : !t8x8xf32, !view -> token

// REQ: B-21, B-57
// CHECK: [[optimization]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {optimization_hints = #cuda_tile.optimization_hints<>} : !t8x8xf32, !view -> token

// REQ: B-57
// CHECK: [[structured_4]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {token = 1 : i32} : !t8x8xf32, !view -> token

// REQ: B-57
// CHECK: [[structured_5]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {addr_space = 1 : i64} : !t8x8xf32, !view -> token

// REQ: B-57
// CHECK: [[structured_6]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {align = 16 : i64} : !t8x8xf32, !view -> token

// REQ: B-57
// CHECK: [[structured_7]]
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 {inbounds = array<i1: true, true>} : !t8x8xf32, !view -> token

// Types.

// CHECK: expected the types of the view and the tile
%u = cuda_tile.store_view_tko weak %view[%i32, %i32], %t8x8xf32 : !view -> token

// CHECK: expected the types of the value and the view
%u = cuda_tile.atomic_red_view_tko relaxed device %view[%i32, %i32], addf, %t8x8xf32 : !t8x8xf32 -> token

// CHECK: operand is used with type !cuda_tile.token, but has been previously used or defined with type !i32
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] token=%i32 : !view -> !t8x8xf32, token

// CHECK: Expected boolean literal
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] inbounds = [1, 0] : !view -> !t8x8xf32, token

// CHECK: integer constant out of range for attribute
%y, %u = cuda_tile.load_view_tko weak %view[%i32, %i32] addr_space = 9223372036854775808 : !view -> !t8x8xf32, token
