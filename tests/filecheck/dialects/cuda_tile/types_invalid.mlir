// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines
// RUN: xdsl-opt %t.mlir --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

// -----

// Tiles.

// REQ: A-28
// CHECK: tile dimensions must be positive (all dimensions must be positive constants, got 0)
func.func private @zero() -> !cuda_tile.tile<0xf32>

// REQ: A-28
// CHECK: tile dimensions must be positive (all dimensions must be positive constants, got 0, 2, 2)
func.func private @first_zero() -> !cuda_tile.tile<0x2x2xf32>

// REQ: A-28
// CHECK: tile dimensions must be positive (all dimensions must be positive constants, got 2, -4)
func.func private @negative() -> !cuda_tile.tile<2x-4xf32>

// REQ: A-29
// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 3)
func.func private @three() -> !cuda_tile.tile<3xf32>

// REQ: A-29
// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 8, 48)
func.func private @fourty_eight() -> !cuda_tile.tile<8x48xf32>

// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 3, 5, 9)
func.func private @all_odd() -> !cuda_tile.tile<3x5x9xf32>

// REQ: A-30
// CHECK: [[elements:tile would exceed the maximum element count \(tile would exceed the maximum of 16777216 elements\)]]
func.func private @twice_too_large() -> !cuda_tile.tile<8192x4096xf32>

// REQ: A-30
// CHECK: [[elements]]
func.func private @vector_too_large() -> !cuda_tile.tile<33554432xi1>

// No product wraps around: 2^64 and 2^128 elements.

// REQ: A-32
// CHECK: [[elements]]
func.func private @wraps() -> !cuda_tile.tile<4294967296x4294967296xi8>

// REQ: A-32
// CHECK: [[elements]]
func.func private @wraps_twice() -> !cuda_tile.tile<4611686018427387904x4611686018427387904x16xi8>

// Each dimension is checked completely before the next one.

// REQ: A-33
// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 3, 8192, 8192)
func.func private @power_before_count() -> !cuda_tile.tile<3x8192x8192xf32>

// REQ: A-33
// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 3, 0)
func.func private @left_to_right() -> !cuda_tile.tile<3x0xf32>

// REQ: A-33
// CHECK: tile dimensions must be positive (all dimensions must be positive constants, got 0, 3)
func.func private @positive_first() -> !cuda_tile.tile<0x3xf32>

// REQ: A-33
// CHECK: [[elements]]
func.func private @count_before_next() -> !cuda_tile.tile<33554432x3x0xf32>

// REQ: A-33
// CHECK: tile dimensions must be positive (all dimensions must be positive constants, got 4096, 4096, -2)
func.func private @positive_before_power() -> !cuda_tile.tile<4096x4096x-2xf32>

// Element types.

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'index'
func.func private @index() -> !cuda_tile.tile<4xindex>

// REQ: A-07
// CHECK: [[element:failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'i7']]
func.func private @i7() -> !cuda_tile.tile<4xi7>

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'i128'
func.func private @i128() -> !cuda_tile.tile<4xi128>

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'f80'
func.func private @f80() -> !cuda_tile.tile<4xf80>

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'vector<2xf32>'
func.func private @vector() -> !cuda_tile.tile<4xvector<2xf32>>

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got '!cuda_tile.tile<f32>'
func.func private @tile() -> !cuda_tile.tile<4x!cuda_tile.tile<f32>>

// REQ: A-07
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got '!cuda_tile.tile<f32>'
func.func private @bare_tile() -> !cuda_tile.tile<tile<f32>>

// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'si32'
func.func private @signed() -> !cuda_tile.tile<4xsi32>

// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got 'ui4'
func.func private @unsigned_i4() -> !cuda_tile.tile<4xui4>

// REQ: A-26
// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64 or Pointer type or i4, got '!cuda_tile.token'
func.func private @token() -> !cuda_tile.tile<4xtoken>

// The element is checked before the shape, and the number of f4 elements first of all.

// CHECK: [[element]]
func.func private @element_first() -> !cuda_tile.tile<3xi7>

// CHECK: [[elements_1:F4E2M1FN tiles must have an even number of elements]]
func.func private @scalar_f4() -> !cuda_tile.tile<f4E2M1FN>

// CHECK: [[elements_1]]
func.func private @odd_f4() -> !cuda_tile.tile<1x1xf4E2M1FN>

// CHECK: [[elements_1]]
func.func private @odd_f4_first() -> !cuda_tile.tile<3xf4E2M1FN>

// CHECK: tile dimensions must be powers of two (all dimensions must be powers of two, got 3, 2)
func.func private @even_f4() -> !cuda_tile.tile<3x2xf4E2M1FN>

// Pointers.

// REQ: A-23
// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got '!cuda_tile.ptr<f32>'
func.func private @ptr() -> !cuda_tile.ptr<!cuda_tile.ptr<f32>>

// REQ: A-23
// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got '!cuda_tile.ptr<f32>'
func.func private @ptr_in_tile() -> !cuda_tile.tile<8xptr<ptr<f32>>>

// REQ: A-23
// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got '!cuda_tile.token'
func.func private @token() -> !cuda_tile.ptr<!cuda_tile.token>

// REQ: A-23
// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got '!cuda_tile.tile<4xf32>'
func.func private @tile() -> !cuda_tile.ptr<tile<4xf32>>

// CHECK: failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got 'i4'
func.func private @i4() -> !cuda_tile.ptr<i4>

// Tensor views.

// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got '!cuda_tile.ptr<f32>'
func.func private @ptr() -> !cuda_tile.tensor_view<32x32xptr<f32>, strides=[32,1]>

// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got 'i4'
func.func private @i4() -> !cuda_tile.tensor_view<32xi4, strides=[1]>

// CHECK: failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i1 or i8 or i16 or i32 or i64, got 'i7'
func.func private @element_first() -> !cuda_tile.tensor_view<0xi7, strides=[1,1]>

// REQ: A-24, A-36
// CHECK: tensor_view shape and stride must have the same rank (expected shape and stride to be of same rank but got shape of rank 2 and stride of rank 1)
func.func private @few_strides() -> !cuda_tile.tensor_view<?x?xf32, strides=[1]>

// REQ: A-36, A-39
// CHECK: [[tensor:tensor_view shape and stride must have the same rank \(expected shape and stride to be of same rank but got shape of rank 1 and stride of rank 2\)]]
func.func private @many_strides() -> !cuda_tile.tensor_view<?xf32, strides=[?,?]>

// CHECK: tensor_view shape and stride must have the same rank (expected shape and stride to be of same rank but got shape of rank 1 and stride of rank 0)
func.func private @no_strides() -> !cuda_tile.tensor_view<?xf32, strides=[]>

// REQ: A-24, A-37
// CHECK: [[dimensions:static tensor_view dimensions must be positive \(dimensions must have strictly positive constant sizes but got]] [0])
func.func private @zero() -> !cuda_tile.tensor_view<0xf32, strides=[1]>

// REQ: A-37, A-39
// CHECK: [[dimensions]] [?, 4, -8])
func.func private @negative() -> !cuda_tile.tensor_view<?x4x-8xf32, strides=[1,1,1]>

// REQ: A-24, A-38
// CHECK: [[dimensions_1:static tensor_view strides must be positive \(dimensions must have strictly positive constant strides but got]] [0]; expected strictly positive integer, got 0)
func.func private @zero_stride() -> !cuda_tile.tensor_view<?xf32, strides=[0]>

// REQ: A-38
// CHECK: [[dimensions_1]] [-5]; expected strictly positive integer, got -5)
func.func private @negative_stride() -> !cuda_tile.tensor_view<?xf32, strides=[-5]>

// REQ: A-38, A-39
// CHECK: [[dimensions_1]] [?, 4, 0, -1]; expected strictly positive integer, got 0)
func.func private @some_strides() -> !cuda_tile.tensor_view<?x?x?x?xf32, strides=[?,4,0,-1]>

// What stands for "dynamic" in other implementations is an ordinary number.

// REQ: A-39
// CHECK: [[dimensions]] [-9223372036854775808])
func.func private @sentinel() -> !cuda_tile.tensor_view<-9223372036854775808xf32, strides=[1]>

// REQ: A-39
// CHECK: [[dimensions_1]] [-9223372036854775808]; expected strictly positive integer, got -9223372036854775808)
func.func private @sentinel_stride() -> !cuda_tile.tensor_view<?xf32, strides=[-9223372036854775808]>

// Ranks come first, then all sizes, then all strides.

// REQ: A-41
// CHECK: [[tensor]]
func.func private @rank_first() -> !cuda_tile.tensor_view<0xf32, strides=[0,0]>

// REQ: A-41
// CHECK: [[dimensions]] [4, 0])
func.func private @sizes_before_strides() -> !cuda_tile.tensor_view<4x0xf32, strides=[0,1]>

// Partition views.

// REQ: A-42
// CHECK: [[partition:partition tiles must have rank \(0-dimension tile shape is not supported\)]]
func.func private @no_rank() -> !cuda_tile.partition_view<tile=(), !cuda_tile.tensor_view<f32>>

// REQ: A-25, A-43
// CHECK: [[partition_1:partition tile rank must match tensor rank \(expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles of rank 1\)]]
func.func private @rank() -> !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

// REQ: A-43
// CHECK: partition tile rank must match tensor rank (expected tensor_view rank and tile rank to match, got tensor_view of rank 0 and tiles of rank 1)
func.func private @scalar() -> !cuda_tile.partition_view<tile=(8), tensor_view<f32>>

// REQ: A-25, A-44
// CHECK: [[dimensions_2:dim_map must cover every tile dimension \(expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings\)]]
func.func private @short_map() -> !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]>

// REQ: A-44
// CHECK: dim_map must cover every tile dimension (expected dim_map to map exactly all 1 dimensions of the tile, got 2 mappings)
func.func private @long_map() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>, dim_map=[0, 1]>

// REQ: A-45
// CHECK: [[dimensions_3:partition tile dimensions must be positive \(tile shape dimensions must have positive length but got]] [8, 0])
func.func private @zero() -> !cuda_tile.partition_view<tile=(8x0), tensor_view<64x64xf32, strides=[64,1]>>

// REQ: A-45
// CHECK: [[dimensions_3]] [-8])
func.func private @negative() -> !cuda_tile.partition_view<tile=(-8), tensor_view<64xf32, strides=[1]>>

// REQ: A-46
// CHECK: [[dimensions_4:partition tile dimensions must be powers of two \(tile shape dimensions must have power of two length but got]] [8, 12])
func.func private @power() -> !cuda_tile.partition_view<tile=(8x12), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

// REQ: A-46
// CHECK: [[dimensions_4]] [5])
func.func private @five() -> !cuda_tile.partition_view<tile=(5), tensor_view<64xf32, strides=[1]>>

// REQ: A-25, A-47
// CHECK: [[dimensions_5:dim_map target must be inside the tensor rank \(target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2\)]]
func.func private @target() -> !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 2]>

// REQ: A-47
// CHECK: [[dimension:dim_map target must be inside the tensor rank \(target dimension must not be negative, got -1\)]]
func.func private @negative_target() -> !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, -1]>

// REQ: A-47
// CHECK: dim_map target must be inside the tensor rank (target dimension is outside of tensor view dimensions, expected strictly less than 1, got 1)
func.func private @target_of_vector() -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>, dim_map=[1]>

// REQ: A-25, A-48
// CHECK: [[dimensions_6:dim_map must not map two tile dimensions to one tensor dimension \(target dimension 1 mapped at least twice \(for tile dimensions 0 and 1\)\)]]
func.func private @twice() -> !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 1]>

// REQ: A-48
// CHECK: dim_map must not map two tile dimensions to one tensor dimension (target dimension 0 mapped at least twice (for tile dimensions 0 and 2))
func.func private @twice_apart() -> !cuda_tile.partition_view<tile=(8x8x8), tensor_view<64x64x64xf32, strides=[64,8,1]>, dim_map=[0, 1, 0]>

// REQ: A-25, A-49
// CHECK: [[floating:special padding values require a floating-point element type \(padding_value nan can only be used with floating point element types, got 'i32'\)]]
func.func private @nan() -> !cuda_tile.partition_view<tile=(8), padding_value = nan, !cuda_tile.tensor_view<64xi32, strides=[1]>>

// REQ: A-49
// CHECK: special padding values require a floating-point element type (padding_value pos_inf can only be used with floating point element types, got 'i8')
func.func private @pos_inf() -> !cuda_tile.partition_view<tile=(8), padding_value = pos_inf, tensor_view<64xi8, strides=[1]>>

// REQ: A-49
// CHECK: special padding values require a floating-point element type (padding_value neg_inf can only be used with floating point element types, got 'i64')
func.func private @neg_inf() -> !cuda_tile.partition_view<tile=(8), padding_value = neg_inf, tensor_view<64xi64, strides=[1]>>

// REQ: A-49
// CHECK: special padding values require a floating-point element type (padding_value neg_zero can only be used with floating point element types, got 'i1')
func.func private @neg_zero() -> !cuda_tile.partition_view<tile=(8), padding_value = neg_zero, tensor_view<64xi1, strides=[1]>>

// The tile itself must be a valid one, too.

// CHECK: [[elements]]
func.func private @count() -> !cuda_tile.partition_view<tile=(8192x4096), tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: [[elements_1]]
func.func private @f4() -> !cuda_tile.partition_view<tile=(1x1), tensor_view<64x64xf4E2M1FN, strides=[64,1]>>

// Order of the checks where two faults meet.

// REQ: A-52
// CHECK: [[partition]]
func.func private @empty_before_rank() -> !cuda_tile.partition_view<tile=(), tensor_view<64xf32, strides=[1]>, dim_map=[7]>

// REQ: A-52
// CHECK: partition tile rank must match tensor rank (expected tensor_view rank and tile rank to match, got tensor_view of rank 1 and tiles of rank 2)
func.func private @rank_before_length() -> !cuda_tile.partition_view<tile=(3x3), tensor_view<64xf32, strides=[1]>, dim_map=[0]>

// REQ: A-52
// CHECK: [[dimensions_2]]
func.func private @length_before_dims() -> !cuda_tile.partition_view<tile=(0x3), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[9]>

// REQ: A-52
// CHECK: [[dimensions_4]] [3, 0])
func.func private @dims_left_to_right() -> !cuda_tile.partition_view<tile=(3x0), tensor_view<64x64xf32, strides=[64,1]>>

// REQ: A-52
// CHECK: [[dimensions_5]]
func.func private @target_before_next_dim() -> !cuda_tile.partition_view<tile=(8x0), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[2, 0]>

// REQ: A-52
// CHECK: [[dimensions_4]] [8, 12])
func.func private @dim_before_duplicate() -> !cuda_tile.partition_view<tile=(8x12), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 1]>

// REQ: A-52
// CHECK: [[dimension]]
func.func private @target_before_duplicate() -> !cuda_tile.partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[-1, -1]>

// REQ: A-52
// CHECK: [[dimensions_6]]
func.func private @duplicate_before_padding() -> !cuda_tile.partition_view<tile=(8x8), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>, dim_map=[1, 1]>

// REQ: A-52
// CHECK: [[floating]]
func.func private @padding_before_count() -> !cuda_tile.partition_view<tile=(8192x4096), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>>

// A fault of the tensor view comes before any of the partition view.

// CHECK: [[dimensions]] [0])
func.func private @tensor_first() -> !cuda_tile.partition_view<tile=(3), tensor_view<0xf32, strides=[1]>>

// Strided views: the same, and the traversal strides last.

// CHECK: [[partition]]
func.func private @no_rank() -> !cuda_tile.strided_view<tile=(), traversal_strides=[], tensor_view<f32>>

// CHECK: partition tile rank must match tensor rank (expected tensor_view rank and tile rank to match, got tensor_view of rank 3 and tiles of rank 2)
func.func private @rank() -> !cuda_tile.strided_view<tile=(1x1), traversal_strides=[1024,1], tensor_view<8192x8192x64xf32, strides=[524288,64,1]>>

// CHECK: [[dimensions_2]]
func.func private @short_map() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]>

// CHECK: [[dimensions_3]] [0])
func.func private @zero() -> !cuda_tile.strided_view<tile=(0), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>

// CHECK: [[dimensions_4]] [5, 1024])
func.func private @power() -> !cuda_tile.strided_view<tile=(5x1024), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: [[dimensions_5]]
func.func private @target() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[2, 1]>

// CHECK: dim_map must not map two tile dimensions to one tensor dimension (target dimension 0 mapped at least twice (for tile dimensions 0 and 1))
func.func private @twice() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 0]>

// CHECK: [[floating]]
func.func private @padding() -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], padding_value = nan, tensor_view<64xi32, strides=[1]>>

// CHECK: [[elements]]
func.func private @count() -> !cuda_tile.strided_view<tile=(8192x4096), traversal_strides=[4,4], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: expected 2 traversal strides, got 1
func.func private @few_strides() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[1], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: traversal strides must be strictly positive but got [1, 0]
func.func private @zero_stride() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[1,0], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: traversal strides must be strictly positive but got [1, -1]
func.func private @negative_stride() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[1,-1], tensor_view<64x64xf32, strides=[64,1]>>

// CHECK: [[floating]]
func.func private @padding_before_strides() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[0], padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>>

// CHECK: expected 2 traversal strides, got 1
func.func private @number_of_strides_first() -> !cuda_tile.strided_view<tile=(8x8), traversal_strides=[0], tensor_view<64x64xf32, strides=[64,1]>>

// Gather/scatter views: rank and dimensions, the sparse dimension, the tile, the padding.

// CHECK: [[partition]]
func.func private @no_rank() -> !cuda_tile.gather_scatter_view<tile=(), tensor_view<f32>, sparse_dim=0>

// CHECK: [[partition_1]]
func.func private @rank() -> !cuda_tile.gather_scatter_view<tile=(8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>

// CHECK: [[dimensions_3]] [0])
func.func private @zero() -> !cuda_tile.gather_scatter_view<tile=(0), tensor_view<64xf32, strides=[1]>, sparse_dim=0>

// CHECK: [[dimensions_4]] [8, 12])
func.func private @power() -> !cuda_tile.gather_scatter_view<tile=(8x12), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=7>

// CHECK: gather dimension is outside of tensor view dimensions, expected strictly less than 2, got 2
func.func private @sparse_dim() -> !cuda_tile.gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2>

// CHECK: gather dimension is outside of tensor view dimensions, expected strictly less than 2, got 4294967295
func.func private @largest_sparse_dim() -> !cuda_tile.gather_scatter_view<tile=(8192x4096), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=4294967295>

// CHECK: [[elements]]
func.func private @count_before_padding() -> !cuda_tile.gather_scatter_view<tile=(8192x4096), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>, sparse_dim=0>

// CHECK: special padding values require a floating-point element type (padding_value neg_zero can only be used with floating point element types, got 'i32')
func.func private @padding() -> !cuda_tile.gather_scatter_view<tile=(8x8), padding_value = neg_zero, tensor_view<64x64xi32, strides=[64,1]>, sparse_dim=0>
