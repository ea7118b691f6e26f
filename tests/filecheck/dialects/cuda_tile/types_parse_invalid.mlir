// RUN: TILEIRAS_PARSE_INVALID

// -----

// Tiles.

// REQ: A-05
// CHECK: expected static shape
func.func private @dynamic() -> !cuda_tile.tile<?x4xf32>

// REQ: A-05
// CHECK: expected static shape
func.func private @dynamic_last() -> !cuda_tile.tile<4x?xf32>

// CHECK: unknown type: pluto
func.func private @unknown() -> !cuda_tile.tile<4xpluto>

// CHECK: unknown type: >
func.func private @nothing() -> !cuda_tile.tile<>

// CHECK: unknown type: f33
func.func private @float() -> !cuda_tile.tile<f33>

// CHECK: [[question:expected either 64-bit integer or question mark]]
func.func private @too_long() -> !cuda_tile.tile<9223372036854775808xf32>

// Pointers.

// CHECK: unknown type: pluto
func.func private @pointee() -> !cuda_tile.ptr<pluto>

// CHECK: unknown type: >
func.func private @no_pointee() -> !cuda_tile.ptr<>

// The documents write `tile<ptr>`, which leaves open what is pointed to.

// CHECK: '<' expected
func.func private @opaque() -> !cuda_tile.tile<ptr>

// CHECK: expected a ptr_attr
func.func private @ptr_attr() -> !cuda_tile.ptr<f32, 4>

// CHECK: expected a ptr_attr
func.func private @other_attribute() -> !cuda_tile.ptr<f32, #cuda_tile.padding_value<nan>>

// CHECK: expected one of: none, got: 'shared'
func.func private @unknown_ptr_attr() -> !cuda_tile.ptr<f32, <shared>>

// Tensor views.

// CHECK: expected 'strides'
func.func private @no_strides() -> !cuda_tile.tensor_view<2xf32>

// CHECK: expected 'strides'
func.func private @other_keyword() -> !cuda_tile.tensor_view<2xf32, stride=[1]>

// CHECK: expected 'strides'
func.func private @no_comma() -> !cuda_tile.tensor_view<2xf32 strides=[1]>

// CHECK: strides must not be provided for 0-d tiles
func.func private @scalar_strides() -> !cuda_tile.tensor_view<f32, strides=[]>

// CHECK: [[unexpected:unexpected token after element type in 0-d tensor_view]]
func.func private @scalar_comma() -> !cuda_tile.tensor_view<f16,>

// CHECK: [[unexpected]]
func.func private @scalar_word() -> !cuda_tile.tensor_view<f16, pluto>

// CHECK: unexpected token after strides
func.func private @comma() -> !cuda_tile.tensor_view<4xf16, strides=[1],>

// CHECK: [[question]]
func.func private @missing_stride() -> !cuda_tile.tensor_view<?x32xf32, strides=[, 32]>

// CHECK: [[question]]
func.func private @float_stride() -> !cuda_tile.tensor_view<?x32xf32, strides=[1.5, 32]>

// REQ: A-39
// CHECK: [[question]]
func.func private @long_stride() -> !cuda_tile.tensor_view<?xf32, strides=[9223372036854775808]>

// CHECK: unknown type: pluto
func.func private @element() -> !cuda_tile.tensor_view<4xpluto, strides=[1]>

// Views.

// CHECK: expected static shape
func.func private @dynamic() -> !cuda_tile.partition_view<tile=(?x4), tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: tile dimension 0 exceeds i32 limitations (got 1099511627776, expected strictly positive and less than or equal to 2147483647)
func.func private @partition_i32() -> !cuda_tile.partition_view<tile=(1099511627776x1024), tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: tile dimension 1 exceeds i32 limitations (got 2147483648, expected strictly positive and less than or equal to 2147483647)
func.func private @strided_i32() -> !cuda_tile.strided_view<tile=(8x2147483648), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: tile dimension 0 exceeds i32 limitations (got 2147483648, expected strictly positive and less than or equal to 2147483647)
func.func private @gather_i32() -> !cuda_tile.gather_scatter_view<tile=(2147483648), tensor_view<64xf32, strides=[1]>, sparse_dim=0>

// CHECK: integer value too large
func.func private @traversal_i32() -> !cuda_tile.strided_view<tile=(8), traversal_strides=[2147483648], tensor_view<64xf32, strides=[1]>>

// CHECK: integer value too large
func.func private @dim_map_i32() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>, dim_map=[2147483648]>

// CHECK: invalid padding_value attribute specification. Got "x" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf
func.func private @partition_padding() -> !cuda_tile.partition_view<tile=(8), padding_value = x, tensor_view<64xf32, strides=[1]>>

// CHECK: invalid padding_value attribute specification. Got "NAN" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf
func.func private @strided_padding() -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], padding_value = NAN, tensor_view<64xf32, strides=[1]>>

// CHECK: invalid padding_value attribute specification. Got "inf" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf
func.func private @gather_padding() -> !cuda_tile.gather_scatter_view<tile=(8), padding_value = inf, tensor_view<64xf32, strides=[1]>, sparse_dim=0>

// CHECK: expected 'tensor_view' type, but got 'f32'
func.func private @partition_tensor() -> !cuda_tile.partition_view<tile=(8), f32>

// CHECK: expected 'tensor_view' type, but got '!cuda_tile.tile<8xf32>'
func.func private @strided_tensor() -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tile<8xf32>>

// CHECK: expected 'tensor_view' type, but got 'tensor<8xf32>'
func.func private @gather_tensor() -> !cuda_tile.gather_scatter_view<tile=(8), tensor<8xf32>, sparse_dim=0>

// CHECK: unknown type: pluto
func.func private @unknown_tensor() -> !cuda_tile.partition_view<tile=(8), pluto>

// CHECK: Expected 'dim_map'
func.func private @dim_map() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>, sparse_dim=0>

// CHECK: Expected 'sparse_dim'
func.func private @sparse_dim() -> !cuda_tile.gather_scatter_view<tile=(8), tensor_view<64xf32, strides=[1]>, dim_map=[0]>

// CHECK: Expected 'traversal_strides'
func.func private @traversal_strides() -> !cuda_tile.strided_view<tile=(8), tensor_view<64xf32, strides=[1]>>

// CHECK: Expected 'tile'
func.func private @tile() -> !cuda_tile.partition_view<tensor_view<64xf32, strides=[1]>>
