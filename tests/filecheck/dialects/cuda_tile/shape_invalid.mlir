// RUN: TILEIRAS_VERIFY_INVALID

// -----

// Operand and result types.

// CHECK: 'cuda_tile.broadcast' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.broadcast %token : token -> !f32

// CHECK: 'cuda_tile.broadcast' op result #0 must be Tile type, but got '!token'
%0 = cuda_tile.broadcast %f32 : !f32 -> token

// CHECK: 'cuda_tile.reshape' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.reshape %token : token -> !f32

// CHECK: 'cuda_tile.reshape' op result #0 must be Tile type, but got '!token'
%0 = cuda_tile.reshape %f32 : !f32 -> token

// CHECK: 'cuda_tile.permute' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.permute %token [1, 0] : token -> !t2x2xf32

// CHECK: 'cuda_tile.permute' op result #0 must be Tile type, but got 'f32'
%0 = cuda_tile.permute %t2x2xf32 [1, 0] : !t2x2xf32 -> f32

// CHECK: 'cuda_tile.cat' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.cat %token, %t2xf32 dim = 0 : token, !t2xf32 -> !t4xf32

// CHECK: 'cuda_tile.cat' op operand #1 must be Tile type, but got '!token'
%0 = cuda_tile.cat %t2xf32, %token dim = 0 : !t2xf32, token -> !t4xf32

// CHECK: 'cuda_tile.cat' op result #0 must be Tile type, but got '!token'
%0 = cuda_tile.cat %t2xf32, %t2xf32 dim = 0 : !t2xf32, !t2xf32 -> token

// CHECK: 'cuda_tile.extract' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.extract %token[] : token -> !f32

// CHECK: 'cuda_tile.extract' op operand #2 must be variadic of 0D tile of i32 values, but got '!t1xi32'
%0 = "cuda_tile.extract"(%t4x4xf32, %i32, %t1xi32) : (!t4x4xf32, !i32, !t1xi32) -> !t2x2xf32

// CHECK: 'cuda_tile.extract' op result #0 must be Tile type, but got '!token'
%0 = cuda_tile.extract %f32[] : !f32 -> token

// CHECK: 'cuda_tile.insert' op operand #0 must be Tile type, but got '!token'
%0 = cuda_tile.insert %token, %f32[] : token, !f32

// CHECK: 'cuda_tile.insert' op operand #1 must be Tile type, but got '!token'
%0 = cuda_tile.insert %f32, %token[] : !f32, token

// CHECK: 'cuda_tile.insert' op operand #2 must be variadic of 0D tile of i32 values, but got '!f32'
%0 = "cuda_tile.insert"(%t2xf32, %t4xf32, %f32) : (!t2xf32, !t4xf32, !f32) -> !t4xf32

// CHECK: 'cuda_tile.insert' op result #0 must be Tile type, but got '!token'
%0 = "cuda_tile.insert"(%f32, %f32) : (!f32, !f32) -> !token

// CHECK: 'cuda_tile.iota' op result #0 must be [[int:tile of i1 or i8 or i16 or i32 or i64 values]], but got '!t16xi4'
%0 = cuda_tile.iota : !t16xi4

// CHECK: 'cuda_tile.iota' op result #0 must be [[int]], but got '!t16xptr_i32'
%0 = cuda_tile.iota : !t16xptr_i32

// CHECK: 'cuda_tile.iota' op result #0 must be [[int]], but got '!token'
%0 = cuda_tile.iota : token

// CHECK: 'cuda_tile.select' op operand #1 must be Tile type, but got '!token'
%0 = cuda_tile.select %i1, %token, %token : !i1, token

// CHECK: 'cuda_tile.select' op operand #2 must be Tile type, but got '!token'
%0 = "cuda_tile.select"(%i1, %f32, %token) : (!i1, !f32, !token) -> !f32

// CHECK: 'cuda_tile.select' op result #0 must be Tile type, but got '!token'
%0 = "cuda_tile.select"(%i1, %f32, %f32) : (!i1, !f32, !f32) -> !token

// CHECK: 'cuda_tile.offset' op operand #0 must be tile of Pointer type values, but got '!i64'
%0 = cuda_tile.offset %i64, %i32 : !i64, !i32 -> !ptr_f32

// CHECK: 'cuda_tile.offset' op operand #1 must be [[int]], but got '!i4'
%0 = cuda_tile.offset %ptr_f32, %i4 : !ptr_f32, !i4 -> !ptr_f32

// CHECK: 'cuda_tile.offset' op result #0 must be tile of Pointer type values, but got '!f32'
%0 = cuda_tile.offset %ptr_f32, %i32 : !ptr_f32, !i32 -> !f32

// Traits.

// CHECK: 'cuda_tile.broadcast' op [[verify:failed to verify that all of \{source, result\} have same rank]]
%0 = cuda_tile.broadcast %t4xf32 : !t4xf32 -> !t8x4xf32

// CHECK: 'cuda_tile.broadcast' op [[operands:requires the same element type for all operands and results]]
%0 = cuda_tile.broadcast %t1xptr_f32 : !t1xptr_f32 -> !t4xptr_i32

// CHECK: 'cuda_tile.cat' op [[verify_1:failed to verify that all of \{lhs, rhs, result\} have same rank]]
%0 = cuda_tile.cat %t4xf32, %t4xf32 dim = 0 : !t4xf32, !t4xf32 -> !t2x4xf32

// CHECK: 'cuda_tile.cat' op [[element_1:failed to verify that all of \{lhs, rhs, result\} have the same element type]]
%0 = cuda_tile.cat %t4xf32, %t4xf32 dim = 0 : !t4xf32, !t4xf32 -> !t8xf16

// CHECK: 'cuda_tile.select' op [[verify_2:failed to verify that all of \{val_if_true, val_if_false, result\} have same type]]
%0 = "cuda_tile.select"(%i1, %f32, %f32) : (!i1, !f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.offset' op [[verify_3:failed to verify that all of \{result, ptr\} have same type]]
%0 = cuda_tile.offset %t4xptr_f32, %t4xi32 : !t4xptr_f32, !t4xi32 -> !t4xptr_i32

// CHECK: 'cuda_tile.offset' op [[verify_3]]
%0 = cuda_tile.offset %t4xptr_f32, %t4xi32 : !t4xptr_f32, !t4xi32 -> !t8xptr_f32

// Attributes.

// CHECK: 'cuda_tile.permute' op requires attribute 'permutation'
%0 = "cuda_tile.permute"(%t2x4xf32) : (!t2x4xf32) -> !t4x2xf32

// CHECK: 'cuda_tile.permute' op [[permutation:attribute 'permutation' failed to satisfy constraint: i32 dense array attribute]]
%0 = "cuda_tile.permute"(%t2x4xf32) <{permutation = array<i64: 1, 0>}> : (!t2x4xf32) -> !t4x2xf32

// CHECK: 'cuda_tile.permute' op [[permutation]]
%0 = "cuda_tile.permute"(%t2x4xf32) <{permutation = array<f32: 1.0, 0.0>}> : (!t2x4xf32) -> !t4x2xf32

// CHECK: 'cuda_tile.permute' op [[permutation]]
%0 = "cuda_tile.permute"(%t2x4xf32) <{permutation = [1 : i32, 0 : i32]}> : (!t2x4xf32) -> !t4x2xf32

// CHECK: 'cuda_tile.permute' op [[permutation]]
%0 = "cuda_tile.permute"(%t2x4xf32) <{permutation = dense<[1, 0]> : tensor<2xi32>}> : (!t2x4xf32) -> !t4x2xf32

// CHECK: 'cuda_tile.cat' op requires attribute 'dim'
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.cat' op [[constraint:attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute]]
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) <{dim = 0 : i32}> : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.cat' op [[constraint]]
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) <{dim = 0 : index}> : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.cat' op [[constraint]]
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) <{dim = 0 : si64}> : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.cat' op [[constraint]]
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) <{dim = 0.0 : f64}> : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.cat' op [[constraint]]
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) <{dim = unit}> : (!t2xf32, !t2xf32) -> !t4xf32

// CHECK: 'cuda_tile.assume' op requires attribute 'predicate'
%0 = "cuda_tile.assume"(%i32) : (!i32) -> !i32

// CHECK: 'cuda_tile.assume' op attribute 'predicate' failed to satisfy constraint: assume predicate attribute
%0 = "cuda_tile.assume"(%i32) <{predicate = 16 : i64}> : (!i32) -> !i32

// `broadcast`.

// CHECK: 'cuda_tile.broadcast' op expects the shape of source tile to be compatible with that of the result tile, but got: 4, 4 and 4, 8
%0 = cuda_tile.broadcast %t4x4xf32 : !t4x4xf32 -> !t4x8xf32

// CHECK: 'cuda_tile.broadcast' op expects the shape of source tile to be compatible with that of the result tile, but got: 2 and 1
%0 = cuda_tile.broadcast %t2xf32 : !t2xf32 -> !t1xf32

// CHECK: 'cuda_tile.broadcast' op expects the shape of source tile to be compatible with that of the result tile, but got: 1, 2, 1 and 4, 4, 4
%0 = cuda_tile.broadcast %t1x2x1xf32 : !t1x2x1xf32 -> !t4x4x4xf32

// `reshape`.

// CHECK: 'cuda_tile.reshape' op [[elements:expected source tile and result tile to have the same number of elements]]
%0 = cuda_tile.reshape %f32 : !f32 -> !t2xf32

// CHECK: 'cuda_tile.reshape' op [[elements]]
%0 = cuda_tile.reshape %t8xf32 : !t8xf32 -> !f32

// `permute`.

// CHECK: 'cuda_tile.permute' op expects at least rank 2, but got: 0
%0 = cuda_tile.permute %f32 [] : !f32 -> !f32

// CHECK: 'cuda_tile.permute' op expect permutation size (1) to equal the rank of the source (2)
%0 = cuda_tile.permute %t2x4xf32 [0] : !t2x4xf32 -> !t2x4xf32

// CHECK: 'cuda_tile.permute' op expect permutation size (3) to equal the rank of the source (2)
%0 = cuda_tile.permute %t2x4xf32 [0, 1, 2] : !t2x4xf32 -> !t2x4xf32

// CHECK: 'cuda_tile.permute' op permutation element at index 1 (-1) is out of bound [0, 2)
%0 = cuda_tile.permute %t2x4xf32 [0, -1] : !t2x4xf32 -> !t2x4xf32

// CHECK: 'cuda_tile.permute' op permutation element at index 0 (2) is out of bound [0, 2)
%0 = cuda_tile.permute %t2x4xf32 [2, 0] : !t2x4xf32 -> !t2x4xf32

// CHECK: 'cuda_tile.permute' op result shape invalid at index 0, expected: 2, but got: 4
%0 = cuda_tile.permute %t2x4xf32 [0, 1] : !t2x4xf32 -> !t4x2xf32

// CHECK: 'cuda_tile.permute' op result shape invalid at index 1, expected: 2, but got: 8
%0 = cuda_tile.permute %t2x4xf32 [1, 0] : !t2x4xf32 -> !t4x8xf32

// `cat`.

// CHECK: 'cuda_tile.cat' op expect dim to be [0, 2), but got: -1
%0 = cuda_tile.cat %t4x2xf32, %t4x2xf32_1 dim = -1 : !t4x2xf32, !t4x2xf32 -> !t8x2xf32

// CHECK: 'cuda_tile.cat' op expect dim to be [0, 0), but got: 0
%0 = cuda_tile.cat %f32, %f32_1 dim = 0 : !f32, !f32 -> !f32

// CHECK: 'cuda_tile.cat' op invalid concat at position 0, expected: 4 but got: 8
%0 = cuda_tile.cat %t2xf32, %t2xf32_1 dim = 0 : !t2xf32, !t2xf32 -> !t8xf32

// CHECK: 'cuda_tile.cat' op invalid concat at position 1, expected: 6 but got: 8
%0 = cuda_tile.cat %t2x4xf32, %t2x2xf32 dim = 1 : !t2x4xf32, !t2x2xf32 -> !t2x8xf32

// `extract`.

// CHECK: 'cuda_tile.extract' op [[divisible:source dimension 0 size \(4\) must be evenly divisible by result dimension 0 size \(8\)]]
%0 = cuda_tile.extract %t4xf32[%i32] : !t4xf32 -> !t8xf32

// CHECK: 'cuda_tile.extract' op source dimension 1 size (2) must be evenly divisible by result dimension 1 size (4)
%0 = cuda_tile.extract %t4x2xf32[%i32, %i32] : !t4x2xf32 -> !t4x4xf32

// CHECK: 'cuda_tile.extract' op expected 2 indices, but got 3
%0 = cuda_tile.extract %t4x4xf32[%i32, %i32, %i32] : !t4x4xf32 -> !t2x2xf32

// CHECK: 'cuda_tile.extract' op expected 0 indices, but got 1
%0 = cuda_tile.extract %f32[%i32] : !f32 -> !f32

// `insert`.

// CHECK: 'cuda_tile.insert' op result dimension 0 size (4) must be evenly divisible by source dimension 0 size (8)
%0 = cuda_tile.insert %t8xf32, %t4xf32[%i32] : !t8xf32, !t4xf32

// CHECK: 'cuda_tile.insert' op result dimension 1 size (2) must be evenly divisible by source dimension 1 size (4)
%0 = cuda_tile.insert %t4x4xf32, %t4x2xf32[%i32, %i32] : !t4x4xf32, !t4x2xf32

// CHECK: 'cuda_tile.insert' op expected 2 indices, but got 1
%0 = cuda_tile.insert %t2x2xf32, %t4x4xf32[%i32] : !t2x2xf32, !t4x4xf32

// CHECK: 'cuda_tile.insert' op expected 0 indices, but got 2
%0 = cuda_tile.insert %f32, %f32_1[%i32, %i32] : !f32, !f32

// `iota`.

// CHECK: 'cuda_tile.iota' op [[expects:expects result type to be 1-d tile]]
%0 = cuda_tile.iota : !t4x4xi32

// CHECK: 'cuda_tile.iota' op the number of elements 4 exceeds the maximum value of element type 'i1'
%0 = cuda_tile.iota : !t4xi1

// CHECK: 'cuda_tile.iota' op the number of elements 131072 exceeds the maximum value of element type 'i16'
%0 = cuda_tile.iota : !t131072xi16

// `select`.

// `assume`: one of each; more are with the attributes.
// 
// REQ: A-66

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2
%0 = cuda_tile.assume div_by<3>, %i32 : !i32

// CHECK: 'cuda_tile.assume' op expected number of values in 'cuda_tile.same_elements' (1) to match rank of constrained tile (0)
%0 = cuda_tile.assume same_elements<[1]>, %i32 : !i32

// CHECK: 'cuda_tile.assume' op 'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound
%0 = cuda_tile.assume bounded<5, 4>, %i32 : !i32

// CHECK: 'cuda_tile.assume' op 'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values
%0 = cuda_tile.assume div_by<16>, %token : token

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.iota' op requires zero operands
%0 = "cuda_tile.iota"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.offset' op expected 2 operands, but found 1
%0 = "cuda_tile.offset"(%i32) : (!i32) -> !i32

// CHECK: 'cuda_tile.reshape' op requires one result
%0, %1 = "cuda_tile.reshape"(%token) : (!token) -> (!f32, !f32)

// CHECK: 'cuda_tile.cat' op requires attribute 'dim'
%0 = "cuda_tile.cat"(%t2xf32, %token) : (!t2xf32, !token) -> !t4xf32

// CHECK: 'cuda_tile.cat' op requires attribute 'dim'
%0 = "cuda_tile.cat"(%t2xf32, %t2xf32) : (!t2xf32, !t2xf32) -> !t2x2xi32

// CHECK: 'cuda_tile.cat' op [[verify_1]]
%0 = cuda_tile.cat %t2xf32, %t2xf32 dim = 7 : !t2xf32, !t2xf32 -> !t2x2xi32

// CHECK: 'cuda_tile.broadcast' op [[verify]]
%0 = cuda_tile.broadcast %t4xf32 : !t4xf32 -> !t2x2xi32

// CHECK: 'cuda_tile.permute' op [[element:failed to verify that all of \{source, result\} have the same element type]]
%0 = cuda_tile.permute %t4xf32 [5] : !t4xf32 -> !t2x2xi32

// CHECK: 'cuda_tile.cat' op invalid concat at position 1, expected: 4 but got: 8
%0 = cuda_tile.cat %t2x2xf32, %t2x2xf32 dim = 1 : !t2x2xf32, !t2x2xf32 -> !t4x8xf32

// CHECK: 'cuda_tile.extract' op [[element_2:source and result element type do not match]]
%0 = cuda_tile.extract %t4xf32[] : !t4xf32 -> !t8xi32

// CHECK: 'cuda_tile.extract' op [[divisible]]
%0 = cuda_tile.extract %t4xf32[] : !t4xf32 -> !t8xf32

// CHECK: 'cuda_tile.insert' op [[element_2]]
%0 = cuda_tile.insert %t4xf32, %t2x2xi32[] : !t4xf32, !t2x2xi32

// CHECK: 'cuda_tile.iota' op [[expects]]
%0 = cuda_tile.iota : !t32x16xi8
