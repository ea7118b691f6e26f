// RUN: TILEIRAS_VERIFY_INVALID

!tview = !cuda_tile.tensor_view<64xf32, strides=[1]>
%tview = "test.op"() : () -> !tview
!tview_1 = !cuda_tile.tensor_view<32xf32, strides=[1]>
%tview_1 = "test.op"() : () -> !tview_1
!tview_2 = !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%tview_2 = "test.op"() : () -> !tview_2
!view = !cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>
%view = "test.op"() : () -> !view
!view_1 = !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
%view_1 = "test.op"() : () -> !view_1
!strided = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>
%strided = "test.op"() : () -> !strided
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
%gather = "test.op"() : () -> !gather
!view_2 = !cuda_tile.partition_view<tile=(2x2x2), tensor_view<4x4x4xf32, strides=[16,4,1]>>
%view_2 = "test.op"() : () -> !view_2
!gather_1 = !cuda_tile.gather_scatter_view<tile=(8x2x2), tensor_view<?x64x4xf32, strides=[256,4,1]>, sparse_dim=0>
%gather_1 = "test.op"() : () -> !gather_1
!view_3 = !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>
%view_3 = "test.op"() : () -> !view_3
!tview_3 = !cuda_tile.tensor_view<?xf32, strides=[?]>
!view_4 = !cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>
!strided_1 = !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>
!gather_2 = !cuda_tile.gather_scatter_view<tile=(8), tensor_view<32xf32, strides=[1]>, sparse_dim=0>
!gather_3 = !cuda_tile.gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>, sparse_dim=0>
!view_5 = !cuda_tile.partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>>
!strided_2 = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>>
!view_6 = !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi16, strides=[64,1]>>

// -----

// `make_tensor_view`.

// CHECK: 'cuda_tile.make_tensor_view' op operand #0 must be 0D tile of Pointer type values, but got '!t4xptr_f32'
%0 = "cuda_tile.make_tensor_view"(%t4xptr_f32) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!t4xptr_f32) -> !tview_1

// CHECK: 'cuda_tile.make_tensor_view' op operand #1 must be [[scalar_ints:variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values]], but got '!f32'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %f32) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ptr_f32, !f32) -> !cuda_tile.tensor_view<?xf32, strides=[1]>

// CHECK: 'cuda_tile.make_tensor_view' op operand #2 must be [[scalar_ints]], but got '!t1xi32'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i32, %t1xi32) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!ptr_f32, !i32, !t1xi32) -> !tview_3

// CHECK: 'cuda_tile.make_tensor_view' op expected pointer to 'i32' to build tensor_view of this type, got 'f32'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!ptr_f32) -> !cuda_tile.tensor_view<?xi32, strides=[1]>

// CHECK: 'cuda_tile.make_tensor_view' op expected 0 dynamic shape operands, got 1
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i64) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ptr_f32, !i64) -> !tview_1

// CHECK: 'cuda_tile.make_tensor_view' op expected 0 dynamic stride operands, got 1
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i64) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!ptr_f32, !i64) -> !tview_1

// CHECK: 'cuda_tile.make_tensor_view' op expected 1 dynamic stride operands, got 2
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i64, %i32, %i8) <{operandSegmentSizes = array<i32: 1, 1, 2>}> : (!ptr_f32, !i64, !i32, !i8) -> !tview_3

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic shape index 1 to be of the same type as the other dynamic values ('!i32'), got '!i64'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i32, %i64) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!ptr_f32, !i32, !i64) -> !cuda_tile.tensor_view<?x?xf32, strides=[1,1]>

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic stride index 0 to be of the same type as the other dynamic values ('!i32'), got '!i64'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i32, %i64) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!ptr_f32, !i32, !i64) -> !cuda_tile.tensor_view<?x8xf32, strides=[1,?]>

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic stride index 1 to be of the same type as the other dynamic values ('!i8'), got '!i64'
%0 = "cuda_tile.make_tensor_view"(%ptr_f32, %i8, %i64) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (!ptr_f32, !i8, !i64) -> !cuda_tile.tensor_view<8x8xf32, strides=[?,?]>

// CHECK: 'cuda_tile.make_tensor_view' op tensor_view must preserve ptr_attr from base pointer (#cuda_tile.ptr_attr<none>)
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <none>>>
%0 = cuda_tile.make_tensor_view %p, shape = [32], strides = [1] : tile<ptr<f32, <none>>> -> !tview_1

// Tile views.

// CHECK: 'cuda_tile.make_partition_view' op expected the type of the provided tensor_view value ('!tview') to be the same as the view's tensor_view type ('!tview_1')
%0 = "cuda_tile.make_partition_view"(%tview) : (!tview) -> !view_4

// CHECK: 'cuda_tile.make_strided_view' op expected the type of the provided tensor_view value ('!tview') to be the same as the view's tensor_view type ('!tview_1')
%0 = "cuda_tile.make_strided_view"(%tview) : (!tview) -> !strided_1

// CHECK: 'cuda_tile.make_strided_view' op operand #0 must be tensor view type, but got '!ptr_f32'
%0 = "cuda_tile.make_strided_view"(%ptr_f32) : (!ptr_f32) -> !strided_1

// CHECK: 'cuda_tile.make_gather_scatter_view' op expected the type of the provided tensor_view value ('!tview') to be the same as the view's tensor_view type ('!tview_1')
%0 = "cuda_tile.make_gather_scatter_view"(%tview) : (!tview) -> !gather_2

// CHECK: 'cuda_tile.make_gather_scatter_view' op operand #0 must be tensor view type, but got '!ptr_f32'
%0 = "cuda_tile.make_gather_scatter_view"(%ptr_f32) : (!ptr_f32) -> !gather_2

// Sizes.

// CHECK: 'cuda_tile.get_tensor_shape' op result #0 must be [[scalar_ints]], but got '!t2xi32'
%0:2 = cuda_tile.get_tensor_shape %tview_2 : !tview_2 -> !t2xi32

// CHECK: 'cuda_tile.get_tensor_shape' op result #1 must be [[scalar_ints]], but got '!f32'
%0:2 = cuda_tile.get_tensor_shape %tview_2 : !tview_2 -> !i32, !f32

// CHECK: 'cuda_tile.get_tensor_shape' op expected 2 results due to tensor rank, but got 3
%0:3 = "cuda_tile.get_tensor_shape"(%tview_2) : (!tview_2) -> (!i32, !i32, !i32)

// CHECK: 'cuda_tile.get_index_space_shape' op result #0 must be [[scalar_ints]], but got '!token'
%0:2 = cuda_tile.get_index_space_shape %view : !view -> token

// CHECK: 'cuda_tile.get_index_space_shape' op expected 2 results due to view index space rank, but got 3
%0:3 = "cuda_tile.get_index_space_shape"(%view) : (!view) -> (!i32, !i32, !i32)

// `load_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.load_view_tko' op result #0 must be Tile type, but got '!token'
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32] : !view_1 -> token, token

// CHECK: 'cuda_tile.load_view_tko' op result #1 must be cuda tile token type, but got '!i32'
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32] : !view_1 -> !t8x8xf32, !i32

// CHECK: 'cuda_tile.load_view_tko' op [[operands:expected 2 index operands \(based on view type\), got 1]]
%x, %u = cuda_tile.load_view_tko weak %view_1[%t1xi32] : !view_1, !t1xi32 -> !t8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 0
%x, %u = cuda_tile.load_view_tko weak %strided[] : !strided, !i32 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 3
%x, %u = cuda_tile.load_view_tko weak %gather[%i32, %i32, %i32] : !gather -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%x, %u = cuda_tile.load_view_tko weak %view_1[%t1xi32, %i64] : !view_1, !t1xi32, !i64 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type 1 to be the same as other index types ('!i32'), got '!i64'
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32, %i64] : !view_1, !i32, !i64 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%x, %u = cuda_tile.load_view_tko weak %strided[%t1xi32, %i64] : !strided, !t1xi32, !i64 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type 1 to be the same as other index types ('!i32'), got '!i64'
%x, %u = cuda_tile.load_view_tko weak %strided[%i32, %i64] : !strided, !i32, !i64 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!t2xi8'
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32, %t2xi8] : !view_1, !i32, !t2xi8 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%x, %u = cuda_tile.load_view_tko weak %view_2[%i32, %i64, %t1xi32] : !view_2, !i32, !i64, !t1xi32 -> !t2x2x2xf32, token

// CHECK: 'cuda_tile.load_view_tko' op [[position_1:expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 2]]
%x, %u = cuda_tile.load_view_tko weak %gather[%t8x1xi32, %i32] : !gather, !t8x1xi32, !i32 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected scalar index 2 to have the same type as other scalar indices ('!i32'), got '!i64'
%x, %u = cuda_tile.load_view_tko weak %gather_1[%t8xi8, %i32, %i64] : !gather_1, !t8xi8, !i32, !i64 -> !t8x2x2xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected tile type to be '!t8x8xf32' (based on view type), got '!t8xf32'
%x, %u = cuda_tile.load_view_tko release %view_1[%i32, %i32] : !view_1 -> !t8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op expected tile type to be '!t8x8xf32' (based on view type), got '!t8x8xi32'
%x, %u = cuda_tile.load_view_tko weak %strided[%i32, %i32] : !strided -> !t8x8xi32, token

// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: acq_rel
%x, %u = cuda_tile.load_view_tko acq_rel %view_1[%i32, %i32] : !view_1 -> !t8x8xf32, token

// REQ: B-29
// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: seq_cst
%x, %u = cuda_tile.load_view_tko seq_cst %view_1[%i32, %i32] : !view_1 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op [[constraint:attribute 'memory_scope' failed to satisfy constraint: 32-bit signless integer attribute with one of the values tl_blk, gpu, sys, cluster]]
%y, %u = "cuda_tile.load_view_tko"(%view_1, %i32, %i32) <{memory_ordering_semantics = 1 : i32, memory_scope = 9 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!view_1, !i32, !i32) -> (!t8x8xf32, !token)

// CHECK: 'cuda_tile.load_view_tko' op memory scope is required for relaxed load
%x, %u = cuda_tile.load_view_tko relaxed %view_1[%i32, %i32] : !view_1 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op [[dimensions:inbounds size \(1\) must match the number of index dimensions \(2\)]]
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32, %i32] inbounds = [true] : !view_1 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op [[dimensions_1:inbounds size \(3\) must match the number of index dimensions \(2\)]]
%x, %u = cuda_tile.load_view_tko weak %view_1[%i32, %i32] inbounds = [false, false, false] : !view_1 -> !t8x8xf32, token

// CHECK: 'cuda_tile.load_view_tko' op [[constraint_1:attribute 'inbounds' failed to satisfy constraint: i1 dense array attribute]]
%y, %u = "cuda_tile.load_view_tko"(%view_1, %i32, %i32) <{memory_ordering_semantics = 0 : i32, inbounds = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!view_1, !i32, !i32) -> (!t8x8xf32, !token)

// CHECK: 'cuda_tile.load_view_tko' op [[constraint_2:attribute 'align' failed to satisfy constraint: 64-bit signless integer attribute]]
%y, %u = "cuda_tile.load_view_tko"(%view_1, %i32, %i32) <{memory_ordering_semantics = 0 : i32, align = 16 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!view_1, !i32, !i32) -> (!t8x8xf32, !token)

// `store_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.store_view_tko' op operand #1 must be TileView instance, but got '!t32xf32'
%u = cuda_tile.store_view_tko acquire %t8x8xf32, %t32xf32[%i32] : !t8x8xf32, !t32xf32, !i32 -> token

// CHECK: 'cuda_tile.store_view_tko' op operand #2 must be variadic of tile of i1 or i8 or i16 or i32 or i64 values, but got '!f32'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%f32] : !t8x8xf32, !view_1, !f32 -> token

// CHECK: 'cuda_tile.store_view_tko' op operand #0 must be Tile type, but got '!token'
%u = cuda_tile.store_view_tko weak %token, %view_1[%i32] : token, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op operand #4 must be tile of i1 values, but got '!t8x8xf32'
%u = cuda_tile.store_view_tko weak %view_1[%i32, %i32], %t8x8xf32, %t8x8xf32 : !view_1, !t8x8xf32, !t8x8xf32 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[operands]]
%u = cuda_tile.store_view_tko weak %t8xf32, %view_1[%t1xi32] : !t8xf32, !view_1, !t1xi32 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 0
%u = cuda_tile.store_view_tko weak %t8x8xf32, %strided[] : !t8x8xf32, !strided, !i32 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 3
%u = cuda_tile.store_view_tko weak %t8x8xf32, %gather[%i32, %i32, %i32] : !t8x8xf32, !gather -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%t1xi32, %i64] : !t8x8xf32, !view_1, !t1xi32, !i64 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type 1 to be the same as other index types ('!i32'), got '!i64'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%i32, %i64] : !t8x8xf32, !view_1, !i32, !i64 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %strided[%t1xi32, %i64] : !t8x8xf32, !strided, !t1xi32, !i64 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type 1 to be the same as other index types ('!i32'), got '!i64'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %strided[%i32, %i64] : !t8x8xf32, !strided, !i32, !i64 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!t2xi8'
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%i32, %t2xi8] : !t8x8xf32, !view_1, !i32, !t2xi8 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!t1xi32'
%u = cuda_tile.store_view_tko weak %t2x2x2xf32, %view_2[%i32, %i64, %t1xi32] : !t2x2x2xf32, !view_2, !i32, !i64, !t1xi32 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[position:expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %gather[%i32, %i32] : !t8x8xf32, !gather -> token

// CHECK: 'cuda_tile.store_view_tko' op [[position_1]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %gather[%t8x1xi32, %i32] : !t8x8xf32, !gather, !t8x1xi32, !i32 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[dimension:expected gather/scatter index size \(4\) to match tile shape at gather/scatter dimension 0 \(8\)]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %gather[%t4xi32, %t2xi32] : !t8x8xf32, !gather, !t4xi32, !t2xi32 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[scalar:expected index 1 to be a scalar tile for GatherScatterView]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %gather[%t8xi32, %t8xi32_1] : !t8x8xf32, !gather, !t8xi32 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected scalar index 2 to have the same type as other scalar indices ('!i32'), got '!i64'
%u = cuda_tile.store_view_tko weak %t8x2x2xf32, %gather_1[%t8xi8, %i32, %i64] : !t8x2x2xf32, !gather_1, !t8xi8, !i32, !i64 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected tile type to be '!t8x8xf32' (based on view type), got '!t8xf32'
%u = cuda_tile.store_view_tko acquire %t8xf32, %view_1[%i32, %i32] : !t8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op expected tile type to be '!t8x8xf32' (based on view type), got '!t8x8xi32'
%u = cuda_tile.store_view_tko weak %t8x8xi32, %strided[%i32, %i32] : !t8x8xi32, !strided -> token

// CHECK: 'cuda_tile.store_view_tko' op failed to verify that shape of 'tile' must match the shape of 'mask'
%u = cuda_tile.store_view_tko acquire %view_1[%i32, %i32], %t8x8xf32, %t8xi1 : !view_1, !t8x8xf32, !t8xi1 -> token

// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: acq_rel
%u = cuda_tile.store_view_tko acq_rel %t8x8xf32, %view_1[%i32, %i32] : !t8x8xf32, !view_1 -> token

// REQ: B-29
// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: seq_cst
%u = cuda_tile.store_view_tko seq_cst %t8x8xf32, %view_1[%i32, %i32] : !t8x8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[constraint]]
%u = "cuda_tile.store_view_tko"(%t8x8xf32, %view_1, %i32, %i32) <{memory_ordering_semantics = 1 : i32, memory_scope = 9 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!t8x8xf32, !view_1, !i32, !i32) -> !token

// CHECK: 'cuda_tile.store_view_tko' op memory scope is required for relaxed store
%u = cuda_tile.store_view_tko relaxed %t8x8xf32, %view_1[%i32, %i32] : !t8x8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op memory scope is required for release store
%u = cuda_tile.store_view_tko release %t8x8xf32, %view_1[%i32, %i32] : !t8x8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[dimensions]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%i32, %i32] inbounds = [true] : !t8x8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[dimensions_1]]
%u = cuda_tile.store_view_tko weak %t8x8xf32, %view_1[%i32, %i32] inbounds = [false, false, false] : !t8x8xf32, !view_1 -> token

// CHECK: 'cuda_tile.store_view_tko' op [[constraint_1]]
%u = "cuda_tile.store_view_tko"(%t8x8xf32, %view_1, %i32, %i32) <{memory_ordering_semantics = 0 : i32, inbounds = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!t8x8xf32, !view_1, !i32, !i32) -> !token

// CHECK: 'cuda_tile.store_view_tko' op [[constraint_2]]
%u = "cuda_tile.store_view_tko"(%t8x8xf32, %view_1, %i32, %i32) <{memory_ordering_semantics = 0 : i32, align = 16 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!t8x8xf32, !view_1, !i32, !i32) -> !token

// `atomic_red_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.atomic_red_view_tko' op operand #0 must be TileView instance, but got '!t8xi32'
%u = cuda_tile.atomic_red_view_tko weak sys %t8xi32[%i32, %i32], add, %t8xi32_1 : !t8xi32, !t8xi32 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op operand #3 must be Tile type, but got '!token'
%u = cuda_tile.atomic_red_view_tko weak sys %view_3[%i32, %i32], add, %token : token, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op [[reductions:views with padding_value are not supported for atomic reductions]]
%v = "test.op"() : () -> !strided_2
%u = cuda_tile.atomic_red_view_tko relaxed device %v[%i32, %i32], add, %t8x8xi32 : !t8x8xi32, !strided_2 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op view element type ('f32') must match value element type ('i32')
%u = cuda_tile.atomic_red_view_tko weak sys %view_1[%i32, %i32], xchg, %t4x8xi32 : !t4x8xi32, !view_1 -> token

// REQ: B-31
// CHECK: 'cuda_tile.atomic_red_view_tko' op atomic_red_view_tko op cannot use cmpxchg operation
%u = cuda_tile.atomic_red_view_tko weak sys %view_3[%i32, %i32], cmpxchg, %t8x8xi32 : !t8x8xi32, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op 'umax' works only with integers i32 and i64
%v, %x = "test.op"() : () -> (!view_6, !t8x8xi16)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i32, %i32], umax, %x : !t8x8xi16, !view_6 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op [[reductions_1:only 'relaxed' memory ordering is supported for view-based atomic reductions]]
%u = cuda_tile.atomic_red_view_tko weak sys %view_3[%i32, %i32], add, %t8x8xi32 : !t8x8xi32, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op [[reductions_1]]
%u = cuda_tile.atomic_red_view_tko release sys %view_3[%i32, %i32], add, %t8x8xi32 : !t8x8xi32, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op [[reductions_1]]
%u = cuda_tile.atomic_red_view_tko acq_rel sys %view_3[%i32, %i32], add, %t8x8xi32 : !t8x8xi32, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op [[reductions_1]]
%u = cuda_tile.atomic_red_view_tko seq_cst sys %view_3[%i32, %i32], add, %t8x8xi32 : !t8x8xi32, !view_3 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op expected 2 index operand(s) for view with tile rank 2, got 1
%u = cuda_tile.atomic_red_view_tko relaxed device %view_3[%t2xi32], add, %t8x8xi32 : !t8x8xi32, !view_3, !t2xi32 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op index operand 0 must be a scalar tile (rank 0), got shape 1
%u = cuda_tile.atomic_red_view_tko relaxed device %view_3[%t1xi32, %t1xi32], add, %t8x8xi32 : !t8x8xi32, !view_3, !t1xi32 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op index operand 1 must be a scalar tile (rank 0), got shape 2, 4
%u = cuda_tile.atomic_red_view_tko relaxed device %view_3[%i32, %t2x4xi32], add, %t8x8xi32 : !t8x8xi32, !view_3, !i32, !t2x4xi32 -> token

// CHECK: 'cuda_tile.atomic_red_view_tko' op attribute 'mode' failed to satisfy constraint: 32-bit signless integer attribute with one of the values and, or, xor, add, addf, max, min, umax, umin, xchg, addu, cmpxchg
%u = "cuda_tile.atomic_red_view_tko"(%view_3, %i32, %i32, %t8x8xi32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 99 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!view_3, !i32, !i32, !t8x8xi32) -> !token

// CHECK: 'cuda_tile.atomic_red_view_tko' op requires attribute 'memory_scope'
%u = "cuda_tile.atomic_red_view_tko"(%view_3, %i32, %i32, %t8x8xi32) <{memory_ordering_semantics = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!view_3, !i32, !i32, !t8x8xi32) -> !token

// CHECK: 'cuda_tile.atomic_red_view_tko' op requires attribute 'mode'
%u = "cuda_tile.atomic_red_view_tko"(%view_3, %i32, %i32, %t8x8xi32) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!view_3, !i32, !i32, !t8x8xi32) -> !token
