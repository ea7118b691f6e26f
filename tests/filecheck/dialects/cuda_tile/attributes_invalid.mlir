// RUN: TILEIRAS_VERIFY_INVALID

!tview = !cuda_tile.tensor_view<?xf32, strides=[1]>
%tview = "test.op"() : () -> !tview

// -----

// `div_by`, in the order of the checks.

// CHECK: 'cuda_tile.assume' op [[divisor:'cuda_tile\.div_by' divisor must be a power of 2]]
%0 = cuda_tile.assume div_by<3>, %i32 : !i32

// CHECK: 'cuda_tile.assume' op [[divisor]]
%0 = cuda_tile.assume div_by<18446744073709551615, every 4>, %f32 : !f32

// CHECK: 'cuda_tile.assume' op [[combination:'cuda_tile\.div_by' 'every'/'along' must be used in combination]]
%0 = cuda_tile.assume div_by<9223372036854775808, along 0>, %t4xi32 : !t4xi32

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor is too large
%0 = cuda_tile.assume div_by<9223372036854775808>, %f32 : !f32

// CHECK: 'cuda_tile.assume' op [[integer:'cuda_tile\.div_by' is valid only for tile of integer/pointer or tensor_view values]]
%0 = cuda_tile.assume div_by<16, every 8 along 3>, %t4xf32 : !t4xf32

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' every_dim (-1) must be >= 0 and < tile rank (1)
%0 = cuda_tile.assume div_by<16, every 4 along -1>, %t4xi32 : !t4xi32

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (8)
%0 = cuda_tile.assume div_by<16, every -1 along 1>, %t4x8xptr_i8 : !t4x8xptr_i8

// `same_elements`.

// CHECK: 'cuda_tile.assume' op [[elements:'cuda_tile\.same_elements' is valid only for tile of integer/pointer values]]
%0 = cuda_tile.assume same_elements<[1]>, %tview : !tview

// CHECK: 'cuda_tile.assume' op expected number of values in 'cuda_tile.same_elements' (1) to match rank of constrained tile (2)
%0 = cuda_tile.assume same_elements<[17]>, %t4x4xi32 : !t4x4xi32

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.same_elements' value 0 to be within 0 and the size of the respective dimension (16)
%0 = cuda_tile.assume same_elements<[17]>, %t16xi32 : !t16xi32

// CHECK: 'cuda_tile.assume' op expected 'cuda_tile.same_elements' value 1 to be within 0 and the size of the respective dimension (4)
%0 = cuda_tile.assume same_elements<[16, -1]>, %t16x4xi32 : !t16x4xi32

// `bounded`.

// CHECK: 'cuda_tile.assume' op [[bounded:'cuda_tile\.bounded' is valid only for tile of integer values]]
%0 = cuda_tile.assume bounded<5, -5>, %ptr_f32 : !ptr_f32

// CHECK: 'cuda_tile.assume' op [[bounded]]
%v = "test.op"() : () -> !cuda_tile.tensor_view<?xi32, strides=[1]>
%0 = cuda_tile.assume bounded<0, ?>, %v : tensor_view<?xi32, strides=[1]>

// CHECK: 'cuda_tile.assume' op [[expects:'cuda_tile\.bounded' expects lower bound to be within]] [-128, 127]
%0 = cuda_tile.assume bounded<128, -129>, %i8 : !i8

// CHECK: 'cuda_tile.assume' op [[expects_1:'cuda_tile\.bounded' expects upper bound to be within]] [-32768, 32767]
%0 = cuda_tile.assume bounded<?, 32768>, %i16 : !i16

// CHECK: 'cuda_tile.assume' op [[expects_1]] [-2147483648, 2147483647]
%0 = cuda_tile.assume bounded<5, -2147483649>, %i32 : !i32

// CHECK: 'cuda_tile.assume' op [[expects_1]] [-1, 0]
%0 = cuda_tile.assume bounded<?, 1>, %i1 : !i1

// The op itself: types come before the predicate.

// CHECK: 'cuda_tile.assume' op failed to verify that all of {value, result} have same type
%0 = "cuda_tile.assume"(%i32) <{predicate = #cuda_tile.div_by<3>}> : (!i32) -> !i64

// CHECK: 'cuda_tile.assume' op requires attribute 'predicate'
%0 = "cuda_tile.assume"(%i32) : (!i32) -> !i64

// CHECK: 'cuda_tile.assume' op attribute 'predicate' failed to satisfy constraint: assume predicate attribute
%0 = "cuda_tile.assume"(%i32) <{predicate = #cuda_tile.rounding<zero>}> : (!i32) -> !i32
