// RUN: TILEIRAS_VERBATIM

// Tiles of every element type.

// REQ: A-04, A-06, A-07

func.func private @i1() -> !cuda_tile.tile<4xi1>
func.func private @i4() -> !cuda_tile.tile<4xi4>
func.func private @i8() -> !cuda_tile.tile<4xi8>
func.func private @i16() -> !cuda_tile.tile<4xi16>
func.func private @i32() -> !cuda_tile.tile<4xi32>
func.func private @i64() -> !cuda_tile.tile<4xi64>
func.func private @f16() -> !cuda_tile.tile<4xf16>
func.func private @bf16() -> !cuda_tile.tile<4xbf16>
func.func private @f32() -> !cuda_tile.tile<4xf32>
func.func private @tf32() -> !cuda_tile.tile<4xtf32>
func.func private @f64() -> !cuda_tile.tile<4xf64>
func.func private @f8E4M3FN() -> !cuda_tile.tile<4xf8E4M3FN>
func.func private @f8E5M2() -> !cuda_tile.tile<4xf8E5M2>
func.func private @f8E8M0FNU() -> !cuda_tile.tile<4xf8E8M0FNU>
func.func private @f4E2M1FN() -> !cuda_tile.tile<4xf4E2M1FN>
func.func private @fnv8E5M3FNU() -> !cuda_tile.tile<4xfnv8E5M3FNU>
// PRINTS: func.func private @prefixed_fnv8E5M3FNU() -> tile<4xfnv8E5M3FNU>
func.func private @prefixed_fnv8E5M3FNU() -> !cuda_tile.tile<4x!cuda_tile.fnv8E5M3FNU>
func.func private @element_fnv8E5M3FNU() -> !cuda_tile.fnv8E5M3FNU

// -----

// Shapes: rank 0, extent 1, any rank, and as many elements as a tile may have.

// REQ: A-22, A-31, A-34, A-35

func.func private @scalar() -> !cuda_tile.tile<f32>
func.func private @scalar_pointer() -> !cuda_tile.tile<ptr<f32>>
func.func private @scalar_i4() -> !cuda_tile.tile<i4>
func.func private @one() -> !cuda_tile.tile<1xf32>
func.func private @one_by_one() -> !cuda_tile.tile<1x1xf32>
func.func private @rank_3() -> !cuda_tile.tile<2x4x8xf16>
func.func private @rank_8() -> !cuda_tile.tile<1x2x1x2x1x2x1x2xi1>
func.func private @largest_vector() -> !cuda_tile.tile<16777216xi64>
func.func private @largest_matrix() -> !cuda_tile.tile<4096x4096xi8>
func.func private @largest_of_many_ranks() -> !cuda_tile.tile<16x16x16x16x16x16x1x1xf32>
func.func private @even_f4_rows() -> !cuda_tile.tile<1x2xf4E2M1FN>
func.func private @even_f4_columns() -> !cuda_tile.tile<2x1xf4E2M1FN>

// -----

// Pointers to every number, and tiles of pointers with either spelling of the element.

// REQ: A-04, A-23

func.func private @i1() -> !cuda_tile.ptr<i1>
func.func private @i8() -> !cuda_tile.ptr<i8>
func.func private @i16() -> !cuda_tile.ptr<i16>
func.func private @i32() -> !cuda_tile.ptr<i32>
func.func private @i64() -> !cuda_tile.ptr<i64>
func.func private @f16() -> !cuda_tile.ptr<f16>
func.func private @bf16() -> !cuda_tile.ptr<bf16>
func.func private @f32() -> !cuda_tile.ptr<f32>
func.func private @tf32() -> !cuda_tile.ptr<tf32>
func.func private @f64() -> !cuda_tile.ptr<f64>
func.func private @f8E4M3FN() -> !cuda_tile.ptr<f8E4M3FN>
func.func private @f8E5M2() -> !cuda_tile.ptr<f8E5M2>
func.func private @f8E8M0FNU() -> !cuda_tile.ptr<f8E8M0FNU>
func.func private @f4E2M1FN() -> !cuda_tile.ptr<f4E2M1FN>
func.func private @fnv8E5M3FNU() -> !cuda_tile.ptr<fnv8E5M3FNU>
func.func private @bare_element() -> !cuda_tile.tile<4x8xptr<i8>>
// PRINTS: func.func private @prefixed_element() -> tile<4x8xptr<i8>>
func.func private @prefixed_element() -> !cuda_tile.tile<4x8x!cuda_tile.ptr<i8>>
func.func private @ptr_attr() -> !cuda_tile.ptr<f32, <none>>
// PRINTS: func.func private @prefixed_ptr_attr() -> ptr<f32, <none>>
func.func private @prefixed_ptr_attr() -> !cuda_tile.ptr<f32, #cuda_tile.ptr_attr<none>>
func.func private @element_ptr_attr() -> !cuda_tile.tile<4xptr<f32, <none>>>
// PRINTS: func.func private @spaced() -> ptr<f32, <none>>
func.func private @spaced() -> !cuda_tile.ptr < f32 , < none > >

// -----

// Tensor views: every element type, static and dynamic sizes and strides.

// REQ: A-24, A-39, A-40

func.func private @i1() -> !cuda_tile.tensor_view<4xi1, strides=[1]>
func.func private @i8() -> !cuda_tile.tensor_view<4xi8, strides=[1]>
func.func private @i16() -> !cuda_tile.tensor_view<4xi16, strides=[1]>
func.func private @i32() -> !cuda_tile.tensor_view<4xi32, strides=[1]>
func.func private @i64() -> !cuda_tile.tensor_view<4xi64, strides=[1]>
func.func private @f16() -> !cuda_tile.tensor_view<4xf16, strides=[1]>
func.func private @bf16() -> !cuda_tile.tensor_view<4xbf16, strides=[1]>
func.func private @f32() -> !cuda_tile.tensor_view<4xf32, strides=[1]>
func.func private @tf32() -> !cuda_tile.tensor_view<4xtf32, strides=[1]>
func.func private @f64() -> !cuda_tile.tensor_view<4xf64, strides=[1]>
func.func private @f8E4M3FN() -> !cuda_tile.tensor_view<4xf8E4M3FN, strides=[1]>
func.func private @f8E5M2() -> !cuda_tile.tensor_view<4xf8E5M2, strides=[1]>
func.func private @f8E8M0FNU() -> !cuda_tile.tensor_view<4xf8E8M0FNU, strides=[1]>
func.func private @f4E2M1FN() -> !cuda_tile.tensor_view<4xf4E2M1FN, strides=[1]>
func.func private @fnv8E5M3FNU() -> !cuda_tile.tensor_view<4xfnv8E5M3FNU, strides=[1]>
func.func private @scalar() -> !cuda_tile.tensor_view<f32>
func.func private @static() -> !cuda_tile.tensor_view<32x64xf32, strides=[64,1]>
func.func private @dynamic_size() -> !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
func.func private @dynamic_stride() -> !cuda_tile.tensor_view<32x64xf32, strides=[?,1]>
func.func private @dynamic() -> !cuda_tile.tensor_view<?x?x?xf32, strides=[?,?,?]>
// PRINTS: func.func private @spaced() -> tensor_view<?x64xf32, strides=[64,1]>
func.func private @spaced() -> !cuda_tile.tensor_view<?x64xf32 , strides = [ 64, 1 ] >
func.func private @odd() -> !cuda_tile.tensor_view<1000003x7xf32, strides=[7,1]>
func.func private @huge() -> !cuda_tile.tensor_view<9223372036854775807x3xf32, strides=[9223372036854775807,5]>
func.func private @overlapping() -> !cuda_tile.tensor_view<8x8xf32, strides=[1,1]>
func.func private @odd_f4() -> !cuda_tile.tensor_view<3xf4E2M1FN, strides=[1]>
func.func private @ptr_attr() -> !cuda_tile.tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
// PRINTS: func.func private @short_ptr_attr() -> tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
func.func private @short_ptr_attr() -> !cuda_tile.tensor_view<4xf32, strides=[1], <none>>
func.func private @scalar_ptr_attr() -> !cuda_tile.tensor_view<f32, #cuda_tile.ptr_attr<none>>

// -----

// Partition views: nested types with and without prefix, every padding, the identity map left out.

// REQ: A-25, A-50, A-51, A-53, A-64

!view = !cuda_tile.partition_view<tile=(8x4), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!view_1 = !cuda_tile.partition_view<tile=(8x4), padding_value = nan, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
func.func private @plain() -> !view
func.func private @bare() -> !view
// PRINTS: func.func private @identity() -> !view
func.func private @identity() -> !cuda_tile.partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>, dim_map=[0, 1]>
func.func private @swapped() -> !cuda_tile.partition_view<tile=(4x2), !cuda_tile.tensor_view<64x16xf32, strides=[16,1]>, dim_map=[1, 0]>
func.func private @rotated() -> !cuda_tile.partition_view<tile=(4x2x1), tensor_view<64x16x4xf32, strides=[64,4,1]>, dim_map=[2, 0, 1]>
func.func private @all() -> !view_1
// PRINTS: func.func private @spaced() -> !view_1
func.func private @spaced() -> !cuda_tile.partition_view< tile = ( 8x4 ) , padding_value=nan , tensor_view<?x64xf32, strides=[64,1]> , dim_map = [ 1,0 ] >
func.func private @zero() -> !cuda_tile.partition_view<tile=(8), padding_value = zero, tensor_view<64xf32, strides=[1]>>
func.func private @neg_zero() -> !cuda_tile.partition_view<tile=(8), padding_value = neg_zero, tensor_view<64xf32, strides=[1]>>
func.func private @nan() -> !cuda_tile.partition_view<tile=(8), padding_value = nan, tensor_view<64xf32, strides=[1]>>
func.func private @pos_inf() -> !cuda_tile.partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xf32, strides=[1]>>
func.func private @neg_inf() -> !cuda_tile.partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xf32, strides=[1]>>
func.func private @small_float() -> !cuda_tile.partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xf8E4M3FN, strides=[1]>>
func.func private @zero_integers() -> !cuda_tile.partition_view<tile=(8), padding_value = zero, tensor_view<64xi32, strides=[1]>>
func.func private @no_padding_integers() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xi1, strides=[1]>>
func.func private @edge_tiles() -> !cuda_tile.partition_view<tile=(1x4), padding_value = nan, !cuda_tile.tensor_view<8x2xf32, strides=[2,1]>>
func.func private @tile_larger_than_tensor() -> !cuda_tile.partition_view<tile=(1024), tensor_view<3xf32, strides=[1]>>
func.func private @largest_tile() -> !cuda_tile.partition_view<tile=(4096x4096), tensor_view<3x3xf32, strides=[3,1]>>
func.func private @ptr_attr() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<none>>>

// -----

// Strided and gather/scatter views.

// REQ: A-25

func.func private @strided() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,3], !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
// PRINTS: func.func private @strided_all() -> strided_view<tile=(8x8), traversal_strides=[4,3], padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>, dim_map=[1, 0]>
func.func private @strided_all() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4, 3], padding_value = zero, tensor_view<?x64xi32, strides=[64,1]>, dim_map=[1, 0]>
// PRINTS: func.func private @strided_identity() -> strided_view<tile=(8x8), traversal_strides=[1,1000003], padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>>
func.func private @strided_identity() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[1,1000003], padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>, dim_map=[0, 1]>
// PRINTS: func.func private @strided_spaced() -> strided_view<tile=(8), traversal_strides=[4], tensor_view<?xf32, strides=[64]>>
func.func private @strided_spaced() -> !cuda_tile.strided_view< tile = (8) , traversal_strides = [ 4 ] , tensor_view<?xf32, strides=[64]> >
func.func private @gather() -> !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
func.func private @gather_all() -> !cuda_tile.gather_scatter_view<tile=(8x8), padding_value = nan, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
// PRINTS: func.func private @gather_spaced() -> gather_scatter_view<tile=(8), padding_value = zero, tensor_view<?xi8, strides=[1]>, sparse_dim=0>
func.func private @gather_spaced() -> !cuda_tile.gather_scatter_view< tile=(8) , padding_value=zero, tensor_view<?xi8, strides=[1]> , sparse_dim = 0 >

// -----

// Tokens and strings.

// REQ: A-04, A-26, A-27

func.func private @token() -> !cuda_tile.token
func.func private @string() -> !cuda_tile.string
func.func private @string_argument(!cuda_tile.string, !cuda_tile.token) -> ()

// -----

// Inside the dialect names need no prefix, at any depth and mixed with prefixed ones; MLIR has a
// builtin type `token`, which is not meant here.

// REQ: B-02, B-03

!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
!strided = !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
!gather = !cuda_tile.gather_scatter_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>, sparse_dim=0>
cuda_tile.module @m {
  // PRINTS: cuda_tile.testing$func @f(%tile: !cuda_tile.tile<4xptr<f32>>, %mixed: !cuda_tile.tile<4xptr<f32>>, %outer: !cuda_tile.tile<4xptr<f32>>, %ptr: !cuda_tile.ptr<i8>, %token: !cuda_tile.token, %string: !cuda_tile.string, %fnv: !cuda_tile.fnv8E5M3FNU) {
  // PRINTS: ^body:
  testing$func @f(%tile: tile<4xptr<f32>>, %mixed: tile<4x!cuda_tile.ptr<f32>>, %outer: !cuda_tile.tile<4xptr<f32>>, %ptr: ptr<i8>, %token: token, %string: string, %fnv: fnv8E5M3FNU) {
    return
  }
  // PRINTS: testing$func @g(%tensor: tensor_view<?xf32, strides=[1]>, %partition: !view, %strided: !strided, %gather: !gather) {
  // PRINTS: ^body:
  testing$func @g(%tensor: tensor_view<?xf32, strides=[1]>, %partition: !view, %strided: !strided, %gather: !gather) {
    return
  }
}
