// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// `make_tensor_view`.

// CHECK: 'cuda_tile.make_tensor_view' op operand #0 must be 0D tile of Pointer type values, but got '!cuda_tile.tile<f32>'
%p = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tensor_view<32xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op operand #0 must be 0D tile of Pointer type values, but got '!cuda_tile.tile<4xptr<f32>>'
%p = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>) -> !cuda_tile.tensor_view<32xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op operand #1 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%p, %n = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op operand #2 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<1xi32>'
%p, %n, %s = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<1xi32>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<1xi32>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op result #0 must be tensor view type, but got '!cuda_tile.tile<f32>'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected pointer to 'i32' to build tensor_view of this type, got 'f32'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xi32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected 1 dynamic shape operands, got 0
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected 0 dynamic shape operands, got 1
%p, %n = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<32xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected 1 dynamic stride operands, got 0
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<32xf32, strides=[?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected 0 dynamic stride operands, got 1
%p, %n = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<32xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected 1 dynamic stride operands, got 2
%p, %n, %m, %k = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>, !cuda_tile.tile<i32>, !cuda_tile.tile<i8>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %m, %k) <{operandSegmentSizes = array<i32: 1, 1, 2>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i64>, !cuda_tile.tile<i32>, !cuda_tile.tile<i8>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic shape index 1 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%p, %n, %m = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %m) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?x?xf32, strides=[1,1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic stride index 0 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%p, %n, %m = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %m) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?x8xf32, strides=[1,?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op expected dynamic stride index 1 to be of the same type as the other dynamic values ('!cuda_tile.tile<i8>'), got '!cuda_tile.tile<i64>'
%p, %n, %m = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i8>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.make_tensor_view"(%p, %n, %m) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i8>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<8x8xf32, strides=[?,?]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op tensor_view must preserve ptr_attr from base pointer (#cuda_tile.ptr_attr<none>)
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <none>>>
%0 = cuda_tile.make_tensor_view %p, shape = [32], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<32xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.make_tensor_view' op pointer base without ptr_attr cannot produce tensor_view with ptr_attr
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = cuda_tile.make_tensor_view %p, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1], #cuda_tile.ptr_attr<none>>

// -----

// Tile views.

// CHECK: 'cuda_tile.make_partition_view' op expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<32xf32, strides=[1]>')
%t = "test.op"() : () -> !cuda_tile.tensor_view<64xf32, strides=[1]>
%0 = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_partition_view' op operand #0 must be tensor view type, but got '!cuda_tile.tile<ptr<f32>>'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_partition_view"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_partition_view' op result #0 must be partition view type, but got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<32xf32, strides=[1]>
%0 = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<32xf32, strides=[1]>) -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_strided_view' op expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<32xf32, strides=[1]>')
%t = "test.op"() : () -> !cuda_tile.tensor_view<64xf32, strides=[1]>
%0 = "cuda_tile.make_strided_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_strided_view' op operand #0 must be tensor view type, but got '!cuda_tile.tile<ptr<f32>>'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_strided_view"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_strided_view' op result #0 must be strided view type, but got '!cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<32xf32, strides=[1]>
%0 = "cuda_tile.make_strided_view"(%t) : (!cuda_tile.tensor_view<32xf32, strides=[1]>) -> !cuda_tile.partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>

// -----

// CHECK: 'cuda_tile.make_gather_scatter_view' op expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<32xf32, strides=[1]>')
%t = "test.op"() : () -> !cuda_tile.tensor_view<64xf32, strides=[1]>
%0 = "cuda_tile.make_gather_scatter_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.gather_scatter_view<tile=(8), tensor_view<32xf32, strides=[1]>, sparse_dim=0>

// -----

// CHECK: 'cuda_tile.make_gather_scatter_view' op operand #0 must be tensor view type, but got '!cuda_tile.tile<ptr<f32>>'
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = "cuda_tile.make_gather_scatter_view"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.gather_scatter_view<tile=(8), tensor_view<32xf32, strides=[1]>, sparse_dim=0>

// -----

// CHECK: 'cuda_tile.make_gather_scatter_view' op result #0 must be gather/scatter view type, but got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<32xf32, strides=[1]>
%0 = "cuda_tile.make_gather_scatter_view"(%t) : (!cuda_tile.tensor_view<32xf32, strides=[1]>) -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<32xf32, strides=[1]>>

// -----

// Sizes.

// CHECK: 'cuda_tile.get_tensor_shape' op operand #0 must be tensor view type, but got '!cuda_tile.tile<i32>'
%t = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.get_tensor_shape"(%t) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.get_tensor_shape' op result #0 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<2xi32>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%0:2 = cuda_tile.get_tensor_shape %t : tensor_view<64x64xf16, strides=[64,1]> -> tile<2xi32>

// -----

// CHECK: 'cuda_tile.get_tensor_shape' op result #1 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%0:2 = cuda_tile.get_tensor_shape %t : tensor_view<64x64xf16, strides=[64,1]> -> tile<i32>, tile<f32>

// -----

// CHECK: 'cuda_tile.get_tensor_shape' op expected 2 results due to tensor rank, but got 1
%t = "test.op"() : () -> !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%0 = "cuda_tile.get_tensor_shape"(%t) : (!cuda_tile.tensor_view<64x64xf16, strides=[64,1]>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.get_tensor_shape' op expected 2 results due to tensor rank, but got 3
%t = "test.op"() : () -> !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%0:3 = "cuda_tile.get_tensor_shape"(%t) : (!cuda_tile.tensor_view<64x64xf16, strides=[64,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)

// -----

// CHECK: 'cuda_tile.get_index_space_shape' op operand #0 must be TileView instance, but got '!cuda_tile.tensor_view<64x64xf16, strides=[64,1]>'
%t = "test.op"() : () -> !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>
%0:2 = "cuda_tile.get_index_space_shape"(%t) : (!cuda_tile.tensor_view<64x64xf16, strides=[64,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)

// -----

// CHECK: 'cuda_tile.get_index_space_shape' op result #0 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%v = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>
%0:2 = cuda_tile.get_index_space_shape %v : partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>> -> token

// -----

// CHECK: 'cuda_tile.get_index_space_shape' op expected 2 results due to view index space rank, but got 1
%v = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>
%0 = "cuda_tile.get_index_space_shape"(%v) : (!cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.get_index_space_shape' op expected 2 results due to view index space rank, but got 3
%v = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>
%0:3 = "cuda_tile.get_index_space_shape"(%v) : (!cuda_tile.partition_view<tile=(4x4), tensor_view<?x?xf32, strides=[1,1]>>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)

// -----

// `load_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.load_view_tko' op operand #0 must be TileView instance, but got '!cuda_tile.tile<32xf32>'
%v, %i = "test.op"() : () -> (!cuda_tile.tile<32xf32>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko release %v[%i] : tile<32xf32>, tile<i32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op operand #1 must be variadic of tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<f32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<f32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op result #0 must be Tile type, but got '!cuda_tile.token'
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op result #1 must be cuda tile token type, but got '!cuda_tile.tile<i32>'
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, tile<i32>

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 1
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<1xi32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32> -> tile<8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 0
%v = "test.op"() : () -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>
%x, %u = cuda_tile.load_view_tko weak %v[] : strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 3
%v, %i = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %i, %i] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<i64>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32>, tile<i64> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %i, %j = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<i64>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32>, tile<i64> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %i, %j = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<2xi8>'
%v, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<2xi8>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<2xi8> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %i, %j, %k = "test.op"() : () -> (!cuda_tile.partition_view<tile=(2x2x2), tensor_view<4x4x4xf32, strides=[16,4,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<1xi32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j, %k] : partition_view<tile=(2x2x2), tensor_view<4x4x4xf32, strides=[16,4,1]>>, tile<i32>, tile<i64>, tile<1xi32> -> tile<2x2x2xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0
%v, %i = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %i] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 2
%v, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x1xi32>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8x1xi32>, tile<i32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected gather/scatter index size (4) to match tile shape at gather/scatter dimension 0 (8)
%v, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<2xi32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<2xi32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected index 1 to be a scalar tile for GatherScatterView
%v, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected scalar index 2 to have the same type as other scalar indices ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %i, %j, %k = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x2x2), tensor_view<?x64x4xf32, strides=[256,4,1]>, sparse_dim=0>, !cuda_tile.tile<8xi8>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %j, %k] : gather_scatter_view<tile=(8x2x2), tensor_view<?x64x4xf32, strides=[256,4,1]>, sparse_dim=0>, tile<8xi8>, tile<i32>, tile<i64> -> tile<8x2x2xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected tile type to be '!cuda_tile.tile<8x8xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko release %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expected tile type to be '!cuda_tile.tile<8x8xf32>' (based on view type), got '!cuda_tile.tile<8x8xi32>'
%v, %i = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %i] : strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xi32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: release
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko release %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: acq_rel
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko acq_rel %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// REQ: B-29
// CHECK: 'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: seq_cst
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko seq_cst %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op weak load must not have memory scope
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%y, %u = "cuda_tile.load_view_tko"(%v, %i, %i) <{memory_ordering_semantics = 0 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8x8xf32>, !cuda_tile.token)

// -----

// CHECK: 'cuda_tile.load_view_tko' op attribute 'memory_scope' failed to satisfy constraint: 32-bit signless integer attribute with one of the values tl_blk, gpu, sys, cluster
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%y, %u = "cuda_tile.load_view_tko"(%v, %i, %i) <{memory_ordering_semantics = 1 : i32, memory_scope = 9 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8x8xf32>, !cuda_tile.token)

// -----

// CHECK: 'cuda_tile.load_view_tko' op memory scope is required for relaxed load
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko relaxed %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op memory scope is required for acquire load
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko acquire %v[%i, %i] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op inbounds size (1) must match the number of index dimensions (2)
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %i] inbounds = [true] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op inbounds size (3) must match the number of index dimensions (2)
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%x, %u = cuda_tile.load_view_tko weak %v[%i, %i] inbounds = [false, false, false] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<8x8xf32>, token

// -----

// CHECK: 'cuda_tile.load_view_tko' op attribute 'inbounds' failed to satisfy constraint: i1 dense array attribute
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%y, %u = "cuda_tile.load_view_tko"(%v, %i, %i) <{memory_ordering_semantics = 0 : i32, inbounds = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8x8xf32>, !cuda_tile.token)

// -----

// CHECK: 'cuda_tile.load_view_tko' op attribute 'align' failed to satisfy constraint: 64-bit signless integer attribute
%v, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>)
%y, %u = "cuda_tile.load_view_tko"(%v, %i, %i) <{memory_ordering_semantics = 0 : i32, align = 16 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8x8xf32>, !cuda_tile.token)

// -----

// `store_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.store_view_tko' op operand #1 must be TileView instance, but got '!cuda_tile.tile<32xf32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.tile<32xf32>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko acquire %x, %v[%i] : tile<8x8xf32>, tile<32xf32>, tile<i32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op operand #2 must be variadic of tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<f32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<f32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op operand #0 must be Tile type, but got '!cuda_tile.token'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.token, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i] : token, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op operand #4 must be tile of i1 values, but got '!cuda_tile.tile<8x8xf32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %v[%i, %i], %x, %x : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<8x8xf32>, tile<8x8xf32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 1
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<1xi32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i] : tile<8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 0
%v, %x = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>)
%u = cuda_tile.store_view_tko weak %x, %v[] : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 3
%v, %x, %i = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %i, %i] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<i64>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32>, tile<i64> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<i64>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<1xi32>, tile<i64> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<2xi8>'
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<2xi8>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<2xi8> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index type to be a scalar tile, got '!cuda_tile.tile<1xi32>'
%v, %x, %i, %j, %k = "test.op"() : () -> (!cuda_tile.partition_view<tile=(2x2x2), tensor_view<4x4x4xf32, strides=[16,4,1]>>, !cuda_tile.tile<2x2x2xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<1xi32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j, %k] : tile<2x2x2xf32>, partition_view<tile=(2x2x2), tensor_view<4x4x4xf32, strides=[16,4,1]>>, tile<i32>, tile<i64>, tile<1xi32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0
%v, %x, %i = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %i] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 2
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<8x1xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8x1xi32>, tile<i32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected gather/scatter index size (4) to match tile shape at gather/scatter dimension 0 (8)
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<2xi32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<2xi32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected index 1 to be a scalar tile for GatherScatterView
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j] : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected scalar index 2 to have the same type as other scalar indices ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'
%v, %x, %i, %j, %k = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x2x2), tensor_view<?x64x4xf32, strides=[256,4,1]>, sparse_dim=0>, !cuda_tile.tile<8x2x2xf32>, !cuda_tile.tile<8xi8>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %j, %k] : tile<8x2x2xf32>, gather_scatter_view<tile=(8x2x2), tensor_view<?x64x4xf32, strides=[256,4,1]>, sparse_dim=0>, tile<8xi8>, tile<i32>, tile<i64> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected tile type to be '!cuda_tile.tile<8x8xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko acquire %x, %v[%i, %i] : tile<8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expected tile type to be '!cuda_tile.tile<8x8xf32>' (based on view type), got '!cuda_tile.tile<8x8xi32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %i] : tile<8x8xi32>, strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op failed to verify that shape of 'tile' must match the shape of 'mask'
%v, %x, %i, %m = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<8xi1>)
%u = cuda_tile.store_view_tko acquire %v[%i, %i], %x, %m : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<8x8xf32>, tile<8xi1> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: acquire
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko acquire %x, %v[%i, %i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: acq_rel
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko acq_rel %x, %v[%i, %i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// REQ: B-29
// CHECK: 'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: seq_cst
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko seq_cst %x, %v[%i, %i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op weak store must not have memory scope
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.store_view_tko"(%x, %v, %i, %i) <{memory_ordering_semantics = 0 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<8x8xf32>, !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.store_view_tko' op attribute 'memory_scope' failed to satisfy constraint: 32-bit signless integer attribute with one of the values tl_blk, gpu, sys, cluster
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.store_view_tko"(%x, %v, %i, %i) <{memory_ordering_semantics = 1 : i32, memory_scope = 9 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<8x8xf32>, !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.store_view_tko' op memory scope is required for relaxed store
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko relaxed %x, %v[%i, %i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op memory scope is required for release store
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko release %x, %v[%i, %i] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op inbounds size (1) must match the number of index dimensions (2)
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %i] inbounds = [true] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op inbounds size (3) must match the number of index dimensions (2)
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.store_view_tko weak %x, %v[%i, %i] inbounds = [false, false, false] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.store_view_tko' op attribute 'inbounds' failed to satisfy constraint: i1 dense array attribute
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.store_view_tko"(%x, %v, %i, %i) <{memory_ordering_semantics = 0 : i32, inbounds = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<8x8xf32>, !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.store_view_tko' op attribute 'align' failed to satisfy constraint: 64-bit signless integer attribute
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.store_view_tko"(%x, %v, %i, %i) <{memory_ordering_semantics = 0 : i32, align = 16 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<8x8xf32>, !cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// `atomic_red_view_tko`, in the order of the checks.

// CHECK: 'cuda_tile.atomic_red_view_tko' op operand #0 must be TileView instance, but got '!cuda_tile.tile<8xi32>'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], add, %x : tile<8xi32>, tile<8xi32> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op operand #3 must be Tile type, but got '!cuda_tile.token'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.token, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], add, %x : token, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op gather_scatter_view is not supported; use partition_view instead
%v, %x, %i = "test.op"() : () -> (!cuda_tile.gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>, sparse_dim=0>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], xchg, %x : tile<8xf32>, gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>, sparse_dim=0> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op views with padding_value are not supported for atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], xchg, %x : tile<8xf32>, partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op views with padding_value are not supported for atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko relaxed device %v[%i, %i], add, %x : tile<8x8xi32>, strided_view<tile=(8x8), traversal_strides=[4,4], padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op view element type ('f32') must match value element type ('i32')
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<4x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], xchg, %x : tile<4x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op view tile shape 8, 8 must match value shape 4, 8 for element-wise atomic operations
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<4x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], xchg, %x : tile<4x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op atomic_red_view_tko op cannot use xchg operation
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], xchg, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// REQ: B-31
// CHECK: 'cuda_tile.atomic_red_view_tko' op atomic_red_view_tko op cannot use cmpxchg operation
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], cmpxchg, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op 'add' works only with integers i32 and i64
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], add, %x : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op 'umax' works only with integers i32 and i64
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi16, strides=[64,1]>>, !cuda_tile.tile<8x8xi16>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], umax, %x : tile<8x8xi16>, partition_view<tile=(8x8), tensor_view<?x64xi16, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op 'addf' works only with floats f16, bf16, f32, and f64
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], addf, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko weak sys %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko acquire sys %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko release sys %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko acq_rel sys %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op only 'relaxed' memory ordering is supported for view-based atomic reductions
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko seq_cst sys %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op memory scope 'sys' is not supported for view-based atomic reductions; use 'tl_blk' or 'device' for TMA compatibility
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = cuda_tile.atomic_red_view_tko relaxed sys %v[%i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op expected 2 index operand(s) for view with tile rank 2, got 1
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<2xi32>)
%u = cuda_tile.atomic_red_view_tko relaxed device %v[%i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, tile<2xi32> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op index operand 0 must be a scalar tile (rank 0), got shape 1
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<1xi32>)
%u = cuda_tile.atomic_red_view_tko relaxed device %v[%i, %i], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, tile<1xi32> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op index operand 1 must be a scalar tile (rank 0), got shape 2, 4
%v, %x, %i, %j = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>, !cuda_tile.tile<2x4xi32>)
%u = cuda_tile.atomic_red_view_tko relaxed device %v[%i, %j], add, %x : tile<8x8xi32>, partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, tile<i32>, tile<2x4xi32> -> token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op attribute 'mode' failed to satisfy constraint: 32-bit signless integer attribute with one of the values and, or, xor, add, addf, max, min, umax, umin, xchg, addu, cmpxchg
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 99 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<8x8xi32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op requires attribute 'memory_scope'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) <{memory_ordering_semantics = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<8x8xi32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.atomic_red_view_tko' op requires attribute 'mode'
%v, %x, %i = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<8x8xi32>, !cuda_tile.tile<i32>)
%u = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!cuda_tile.partition_view<tile=(8x8), tensor_view<?x64xi32, strides=[64,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<8x8xi32>) -> !cuda_tile.token
