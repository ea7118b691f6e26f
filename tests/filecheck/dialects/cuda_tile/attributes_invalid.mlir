// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// `div_by`, in the order of the checks.

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume div_by<3>, %i : tile<i32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume div_by<0>, %i : tile<i32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2
%f = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.assume div_by<18446744073709551615, every 4>, %f : tile<f32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' must be used in combination
%i = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.assume div_by<16, every 4>, %i : tile<4xi32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' must be used in combination
%i = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.assume div_by<9223372036854775808, along 0>, %i : tile<4xi32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor is too large
%i = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.assume div_by<9223372036854775808>, %i : tile<i64>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor is too large
%f = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.assume div_by<9223372036854775808>, %f : tile<f32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a tensor_view
%v = "test.op"() : () -> !cuda_tile.tensor_view<?xf32, strides=[1]>
%0 = cuda_tile.assume div_by<16, every 4 along 0>, %v : tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.assume div_by<16, every 8 along 3>, %f : tile<4xf32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values
%t = "test.op"() : () -> !cuda_tile.token
%0 = cuda_tile.assume div_by<16>, %t : token

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a 0D tile
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume div_by<16, every 4 along 0>, %i : tile<i32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' every_dim (1) must be >= 0 and < tile rank (1)
%i = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.assume div_by<16, every 8 along 1>, %i : tile<4xi32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' every_dim (-1) must be >= 0 and < tile rank (1)
%i = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.assume div_by<16, every 4 along -1>, %i : tile<4xi32>

// -----

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (4)
%i = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.assume div_by<16, every 8 along 0>, %i : tile<4xi32>

// -----

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (8)
%p = "test.op"() : () -> !cuda_tile.tile<4x8xptr<i8>>
%0 = cuda_tile.assume div_by<16, every -1 along 1>, %p : tile<4x8xptr<i8>>

// -----

// `same_elements`.

// CHECK: 'cuda_tile.assume' op 'cuda_tile.same_elements' is valid only for tile of integer/pointer values
%f = "test.op"() : () -> !cuda_tile.tile<16xf32>
%0 = cuda_tile.assume same_elements<[]>, %f : tile<16xf32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.same_elements' is valid only for tile of integer/pointer values
%v = "test.op"() : () -> !cuda_tile.tensor_view<?xf32, strides=[1]>
%0 = cuda_tile.assume same_elements<[1]>, %v : tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.assume' op expected number of values in 'cuda_tile.same_elements' (1) to match rank of constrained tile (0)
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume same_elements<[1]>, %i : tile<i32>

// -----

// CHECK: 'cuda_tile.assume' op expected number of values in 'cuda_tile.same_elements' (1) to match rank of constrained tile (2)
%i = "test.op"() : () -> !cuda_tile.tile<4x4xi32>
%0 = cuda_tile.assume same_elements<[17]>, %i : tile<4x4xi32>

// -----

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.same_elements' value 0 to be within 0 and the size of the respective dimension (16)
%i = "test.op"() : () -> !cuda_tile.tile<16xi32>
%0 = cuda_tile.assume same_elements<[17]>, %i : tile<16xi32>

// -----

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.same_elements' value 1 to be within 0 and the size of the respective dimension (4)
%i = "test.op"() : () -> !cuda_tile.tile<16x4xi32>
%0 = cuda_tile.assume same_elements<[16, -1]>, %i : tile<16x4xi32>

// -----

// `bounded`.

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' is valid only for tile of integer values
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = cuda_tile.assume bounded<5, -5>, %p : tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' is valid only for tile of integer values
%v = "test.op"() : () -> !cuda_tile.tensor_view<?xi32, strides=[1]>
%0 = cuda_tile.assume bounded<0, ?>, %v : tensor_view<?xi32, strides=[1]>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be within [-128, 127]
%i = "test.op"() : () -> !cuda_tile.tile<i8>
%0 = cuda_tile.assume bounded<-129, ?>, %i : tile<i8>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be within [-128, 127]
%i = "test.op"() : () -> !cuda_tile.tile<i8>
%0 = cuda_tile.assume bounded<128, -129>, %i : tile<i8>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects upper bound to be within [-32768, 32767]
%i = "test.op"() : () -> !cuda_tile.tile<i16>
%0 = cuda_tile.assume bounded<?, 32768>, %i : tile<i16>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects upper bound to be within [-2147483648, 2147483647]
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume bounded<5, -2147483649>, %i : tile<i32>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects upper bound to be within [-1, 0]
%i = "test.op"() : () -> !cuda_tile.tile<i1>
%0 = cuda_tile.assume bounded<?, 1>, %i : tile<i1>

// -----

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume bounded<5, 4>, %i : tile<i32>

// -----

// The op itself: types come before the predicate.

// CHECK: 'cuda_tile.assume' op failed to verify that all of {value, result} have same type
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.assume"(%i) <{predicate = #cuda_tile.div_by<3>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.assume' op requires attribute 'predicate'
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.assume"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.assume' op attribute 'predicate' failed to satisfy constraint: assume predicate attribute
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.assume"(%i) <{predicate = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
