// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines --strict-whitespace
// RUN: xdsl-opt %t.mlir --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines --strict-whitespace

#signed = #cuda_tile.signedness<signed>

// -----

// Messages are compared with their spaces: all mismatches but the batch's have a second one.

// `mmaf`: types.

// CHECK:'cuda_tile.mmaf' op operand #0 must be [[mmaf:mmaf operand tile type of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values]], but got '!t2x2xi8'
%0 = cuda_tile.mmaf %t2x2xi8, %t2x2xi8_1, %t2x2xi32 : !t2x2xi8, !t2x2xi8, !t2x2xi32

// CHECK:'cuda_tile.mmaf' op operand #0 must be [[mmaf]], but got '!t2x2xf8E8M0FNU'
%0 = cuda_tile.mmaf %t2x2xf8E8M0FNU, %t2x2xf32, %t2x2xf32_1 : !t2x2xf8E8M0FNU, !t2x2xf32, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op operand #0 must be [[mmaf]], but got '!t2x2xf4E2M1FN'
%0 = cuda_tile.mmaf %t2x2xf4E2M1FN, %t2x2xf32, %t2x2xf32_1 : !t2x2xf4E2M1FN, !t2x2xf32, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op operand #0 must be [[mmaf]], but got '!t2x2xfnv8E5M3FNU'
%0 = cuda_tile.mmaf %t2x2xfnv8E5M3FNU, %t2x2xf32, %t2x2xf32_1 : !t2x2xfnv8E5M3FNU, !t2x2xf32, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op operand #0 must be [[mmaf]], but got '!t2x2xptr_f32'
%0 = cuda_tile.mmaf %t2x2xptr_f32, %t2x2xf32, %t2x2xf32_1 : !t2x2xptr_f32, !t2x2xf32, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op operand #1 must be [[mmaf]], but got '!t2x2xi1'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xi1, %t2x2xbf16 : !t2x2xf16, !t2x2xi1, !t2x2xbf16

// CHECK:'cuda_tile.mmaf' op operand #2 must be [[mmaf_1:mmaf acc/result tile type of f16 or f32 or f64 values]], but got '!t2x2xbf16'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xf16_1, %t2x2xbf16 : !t2x2xf16, !t2x2xf16, !t2x2xbf16

// CHECK:'cuda_tile.mmaf' op operand #2 must be [[mmaf_1]], but got '!t2x2xtf32'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xf16_1, %t2x2xtf32 : !t2x2xf16, !t2x2xf16, !t2x2xtf32

// CHECK:'cuda_tile.mmaf' op operand #2 must be [[mmaf_1]], but got '!t2x2xf8E4M3FN'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xf16_1, %t2x2xf8E4M3FN : !t2x2xf16, !t2x2xf16, !t2x2xf8E4M3FN

// CHECK:'cuda_tile.mmaf' op operand #2 must be [[mmaf_1]], but got '!t2x2xi32'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xf16_1, %t2x2xi32 : !t2x2xf16, !t2x2xf16, !t2x2xi32

// CHECK:'cuda_tile.mmaf' op result #0 must be [[mmaf_1]], but got '!t2x2xbf16'
%0 = "cuda_tile.mmaf"(%t2x2xf16, %t2x2xf16_1, %t2x2xf32) : (!t2x2xf16, !t2x2xf16, !t2x2xf32) -> !t2x2xbf16

// CHECK:'cuda_tile.mmaf' op [[verify:failed to verify that all of \{acc, result\} have same type]]
%0 = "cuda_tile.mmaf"(%t2x2xf16, %t2x2xf32, %t2x2xf32_1) : (!t2x2xf16, !t2x2xf32, !t2x2xf32) -> !t2x2xf16

// CHECK:'cuda_tile.mmaf' op [[verify]]
%0 = "cuda_tile.mmaf"(%t2x2xf16, %t2x2xf16_1, %t2x2xf32) : (!t2x2xf16, !t2x2xf16, !t2x2xf32) -> !t2x4xf32

// CHECK:'cuda_tile.mmaf' op [[element:failed to verify that all of \{lhs, rhs\} have the same element type]]
%0 = cuda_tile.mmaf %t4x8xf32, %t8xf16, %t4x16xf32 : !t4x8xf32, !t8xf16, !t4x16xf32

// CHECK:'cuda_tile.mmaf' op [[element]]
%0 = cuda_tile.mmaf %t2x2xf8E4M3FN, %t2x2xf8E5M2, %t2x2xf32 : !t2x2xf8E4M3FN, !t2x2xf8E5M2, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op [[verify_1:failed to verify that all of \{lhs, rhs, acc\} have same rank]]
%0 = cuda_tile.mmaf %t4xf32, %t8x16xf32, %t4x16xf32 : !t4xf32, !t8x16xf32, !t4x16xf32

// CHECK:'cuda_tile.mmaf' op [[verify_1]]
%0 = cuda_tile.mmaf %t4x8xf32, %t8xf32, %t4x16xf32 : !t4x8xf32, !t8xf32, !t4x16xf32

// CHECK:'cuda_tile.mmaf' op [[verify_1]]
%0 = cuda_tile.mmaf %t4x8xf32, %t8x16xf32, %t4xf32 : !t4x8xf32, !t8x16xf32, !t4xf32

// Shapes, in the order of the checks; element types last.

// CHECK:'cuda_tile.mmaf' op [[operands:operands must be 2D or 3D tiles]]
%0 = cuda_tile.mmaf %t8xf32, %t8xf32_1, %t8xf32_2 : !t8xf32, !t8xf32, !t8xf32

// CHECK:'cuda_tile.mmaf' op [[operands]]
%0 = cuda_tile.mmaf %f32, %f32_1, %f64 : !f32, !f32, !f64

// CHECK:'cuda_tile.mmaf' op [[operands]]
%0 = cuda_tile.mmaf %t1x1x2x2xf32, %t1x1x2x2xf32_1, %t1x1x2x2xf32_2 : !t1x1x2x2xf32, !t1x1x2x2xf32, !t1x1x2x2xf32

// CHECK:'cuda_tile.mmaf' op shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 2, 4) and rhs shape (4, 4, 2)
%0 = cuda_tile.mmaf %t2x2x4xf32, %t4x4x2xf32, %t2x2x2xf32 : !t2x2x4xf32, !t4x4x2xf32, !t2x2x2xf32

// CHECK:'cuda_tile.mmaf' op shape error: dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 4, 8) and acc shape (4, 4, 16)
%0 = cuda_tile.mmaf %t2x4x8xf32, %t2x16x16xf32, %t4x4x16xf32 : !t2x4x8xf32, !t2x16x16xf32, !t4x4x16xf32

// CHECK:'cuda_tile.mmaf' op [[shape: shape error: dim 1 of lhs \(4\) and dim 0 of rhs \(8\) must match, but got lhs shape \(2, 4\) and rhs shape \(8, 2\)]]
%0 = cuda_tile.mmaf %t2x4xf32, %t8x2xf32, %t2x2xf32 : !t2x4xf32, !t8x2xf32, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op  shape error: dim 2 of lhs (4) and dim 1 of rhs (8) must match, but got lhs shape (1, 2, 4) and rhs shape (1, 8, 2)
%0 = cuda_tile.mmaf %t1x2x4xf32, %t1x8x2xf32, %t1x4x2xf64 : !t1x2x4xf32, !t1x8x2xf32, !t1x4x2xf64

// CHECK:'cuda_tile.mmaf' op  shape error: dim 0 of lhs (16) and dim 0 of acc (4) must match, but got lhs shape (16, 8) and acc shape (4, 32)
%0 = cuda_tile.mmaf %t16x8xf32, %t8x16xf32, %t4x32xf32 : !t16x8xf32, !t8x16xf32, !t4x32xf32

// CHECK:'cuda_tile.mmaf' op  shape error: dim 1 of lhs (16) and dim 1 of acc (4) must match, but got lhs shape (1, 16, 8) and acc shape (1, 4, 16)
%0 = cuda_tile.mmaf %t1x16x8xf32, %t1x8x16xf32, %t1x4x16xf32 : !t1x16x8xf32, !t1x8x16xf32, !t1x4x16xf32

// CHECK:'cuda_tile.mmaf' op  shape error: dim 1 of rhs (16) and dim 1 of acc (32) must match, but got rhs shape (8, 16) and acc shape (4, 32)
%0 = cuda_tile.mmaf %t4x8xbf16, %t8x16xbf16, %t4x32xf64 : !t4x8xbf16, !t8x16xbf16, !t4x32xf64

// CHECK:'cuda_tile.mmaf' op  shape error: dim 2 of rhs (16) and dim 2 of acc (32) must match, but got rhs shape (1, 8, 16) and acc shape (1, 4, 32)
%0 = cuda_tile.mmaf %t1x4x8xf32, %t1x8x16xf32, %t1x4x32xf32 : !t1x4x8xf32, !t1x8x16xf32, !t1x4x32xf32

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'bf16' expects accumulator/result type to be one of {'f32'}, but got 'f16'
%0 = cuda_tile.mmaf %t2x2xbf16, %t2x2xbf16_1, %t2x2xf16 : !t2x2xbf16, !t2x2xbf16, !t2x2xf16

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'bf16' expects accumulator/result type to be one of {'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xbf16, %t2x2xbf16_1, %t2x2xf64 : !t2x2xbf16, !t2x2xbf16, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'tf32' expects accumulator/result type to be one of {'f32'}, but got 'f16'
%0 = cuda_tile.mmaf %t2x2xtf32, %t2x2xtf32_1, %t2x2xf16 : !t2x2xtf32, !t2x2xtf32, !t2x2xf16

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'tf32' expects accumulator/result type to be one of {'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xtf32, %t2x2xtf32_1, %t2x2xf64 : !t2x2xtf32, !t2x2xtf32, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f32' expects accumulator/result type to be one of {'f32'}, but got 'f16'
%0 = cuda_tile.mmaf %t2x2xf32, %t2x2xf32_1, %t2x2xf16 : !t2x2xf32, !t2x2xf32, !t2x2xf16

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f32' expects accumulator/result type to be one of {'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xf32, %t2x2xf32_1, %t2x2xf64 : !t2x2xf32, !t2x2xf32, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f16' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xf16, %t2x2xf16_1, %t2x2xf64 : !t2x2xf16, !t2x2xf16, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f8E4M3FN' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xf8E4M3FN, %t2x2xf8E4M3FN_1, %t2x2xf64 : !t2x2xf8E4M3FN, !t2x2xf8E4M3FN, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f8E5M2' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'
%0 = cuda_tile.mmaf %t2x2xf8E5M2, %t2x2xf8E5M2_1, %t2x2xf64 : !t2x2xf8E5M2, !t2x2xf8E5M2, !t2x2xf64

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f64' expects accumulator/result type to be one of {'f64'}, but got 'f32'
%0 = cuda_tile.mmaf %t2x2xf64, %t2x2xf64_1, %t2x2xf32 : !t2x2xf64, !t2x2xf64, !t2x2xf32

// CHECK:'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f64' expects accumulator/result type to be one of {'f64'}, but got 'f16'
%0 = cuda_tile.mmaf %t2x2xf64, %t2x2xf64_1, %t2x2xf16 : !t2x2xf64, !t2x2xf64, !t2x2xf16

// `mmai`.

// CHECK:'cuda_tile.mmai' op operand #0 must be [[mmai:mmai operand tile type of i8 values]], but got '!t2x2xf32'
%0 = cuda_tile.mmai %t2x2xf32, %t2x2xf32_1, %t2x2xi32 signed signed : !t2x2xf32, !t2x2xf32, !t2x2xi32

// CHECK:'cuda_tile.mmai' op operand #0 must be [[mmai]], but got '!t2x2xi16'
%0 = cuda_tile.mmai %t2x2xi16, %t2x2xi16_1, %t2x2xi32 signed signed : !t2x2xi16, !t2x2xi16, !t2x2xi32

// CHECK:'cuda_tile.mmai' op operand #1 must be [[mmai]], but got '!t2x2xi4'
%0 = cuda_tile.mmai %t2x2xi8, %t2x2xi4, %t2x2xi32 signed signed : !t2x2xi8, !t2x2xi4, !t2x2xi32

// CHECK:'cuda_tile.mmai' op operand #2 must be mmai acc tile type of i32 values, but got '!t2x2xi64'
%0 = cuda_tile.mmai %t2x2xi8, %t2x2xi8_1, %t2x2xi64 signed signed : !t2x2xi8, !t2x2xi8, !t2x2xi64

// CHECK:'cuda_tile.mmai' op result #0 must be mmai result tile type of i32 values, but got '!t2x2xi8'
%0 = "cuda_tile.mmai"(%t2x2xi8, %t2x2xi8_1, %t2x2xi32) <{signedness_lhs = #signed, signedness_rhs = #signed}> : (!t2x2xi8, !t2x2xi8, !t2x2xi32) -> !t2x2xi8

// CHECK:'cuda_tile.mmai' op [[verify]]
%0 = "cuda_tile.mmai"(%t2x2xi8, %t2xi8, %t2x2xi32) <{signedness_lhs = #signed, signedness_rhs = #signed}> : (!t2x2xi8, !t2xi8, !t2x2xi32) -> !t2xi32

// CHECK:'cuda_tile.mmai' op requires attribute 'signedness_lhs'
%0 = "cuda_tile.mmai"(%t2x2xi8, %t2x2xi8_1, %t2x2xi32) <{signedness_rhs = #signed}> : (!t2x2xi8, !t2x2xi8, !t2x2xi32) -> !t2x2xi32

// CHECK:'cuda_tile.mmai' op requires attribute 'signedness_rhs'
%0 = "cuda_tile.mmai"(%t2x2xi8, %t2x2xi8_1, %t2x2xi32) <{signedness_lhs = #signed}> : (!t2x2xi8, !t2x2xi8, !t2x2xi32) -> !t2x2xi32

// CHECK:'cuda_tile.mmai' op [[verify_1]]
%0 = cuda_tile.mmai %t2x2xi8, %t2xi8, %t2x2xi32 signed signed : !t2x2xi8, !t2xi8, !t2x2xi32

// CHECK:'cuda_tile.mmai' op [[operands]]
%0 = cuda_tile.mmai %t8xi8, %t8xi8_1, %t8xi32 signed signed : !t8xi8, !t8xi8, !t8xi32

// CHECK:'cuda_tile.mmai' op shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 2, 4) and rhs shape (4, 8, 2)
%0 = cuda_tile.mmai %t2x2x4xi8, %t4x8x2xi8, %t4x2x2xi32 signed signed : !t2x2x4xi8, !t4x8x2xi8, !t4x2x2xi32

// CHECK:'cuda_tile.mmai' op [[shape]]
%0 = cuda_tile.mmai %t2x4xi8, %t8x2xi8, %t4x4xi32 signed signed : !t2x4xi8, !t8x2xi8, !t4x4xi32

// CHECK:'cuda_tile.mmai' op  shape error: dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 4) and acc shape (4, 4)
%0 = cuda_tile.mmai %t2x4xi8, %t4x2xi8, %t4x4xi32 signed signed : !t2x4xi8, !t4x2xi8, !t4x4xi32

// CHECK:'cuda_tile.mmai' op  shape error: dim 1 of rhs (2) and dim 1 of acc (4) must match, but got rhs shape (4, 2) and acc shape (2, 4)
%0 = cuda_tile.mmai %t2x4xi8, %t4x2xi8, %t2x4xi32 signed signed : !t2x4xi8, !t4x2xi8, !t2x4xi32

// `mmaf_scaled`: types.

// CHECK:'cuda_tile.mmaf_scaled' op operand #0 must be mmaf_scaled operand tile type of f8E4M3FN or f8E5M2 or f4E2M1FN values, but got '!t16x64xf16'
%0 = cuda_tile.mmaf_scaled %t16x64xf16, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t2x8xf8E8M0FNU : !t16x64xf16, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op operand #1 must be mmaf_scaled operand tile type of f8E4M3FN or f8E5M2 or f4E2M1FN values, but got '!t64x8xf8E8M0FNU'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E8M0FNU, %t16x8xf32, %t16x2xf8E8M0FNU, %t2x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E8M0FNU, !t16x8xf32, !t16x2xf8E8M0FNU, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op operand #2 must be mmaf_scaled result tile type of f32 values, but got '!t16x8xf16'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf16, %t16x2xf8E8M0FNU, %t2x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf16, !t16x2xf8E8M0FNU, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op operand #3 must be mmaf_scaled scale tile type of f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU values, but got '!t16x2xf32'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf32, %t2x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf32, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op operand #4 must be mmaf_scaled scale tile type of f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU values, but got '!t2x8xf8E5M2'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t2x8xf8E5M2 : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t2x8xf8E5M2

// CHECK:'cuda_tile.mmaf_scaled' op result #0 must be mmaf_scaled result tile type of f32 values, but got '!t16x8xf64'
%0 = "cuda_tile.mmaf_scaled"(%t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t2x8xf8E8M0FNU) : (!t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t2x8xf8E8M0FNU) -> !t16x8xf64

// CHECK:'cuda_tile.mmaf_scaled' op [[verify]]
%0 = "cuda_tile.mmaf_scaled"(%t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t2x8xf8E8M0FNU) : (!t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t2x8xf8E8M0FNU) -> !t16x16xf32

// CHECK:'cuda_tile.mmaf_scaled' op [[element]]
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E5M2, %t16x8xf32, %t16x2xf8E4M3FN, %t2x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E5M2, !t16x8xf32, !t16x2xf8E4M3FN, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op failed to verify that all of {lhs_scale, rhs_scale} have the same element type
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t8xf8E4M3FN : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t8xf8E4M3FN

// CHECK:'cuda_tile.mmaf_scaled' op failed to verify that all of {lhs, rhs, acc, lhs_scale, rhs_scale} have same rank
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t8xf8E8M0FNU

// Shapes: those of the matrices, then those of the scales.

// CHECK:'cuda_tile.mmaf_scaled' op [[operands]]
%0 = cuda_tile.mmaf_scaled %t8xf8E4M3FN, %t8xf8E4M3FN_1, %t8xf32, %t8xf8E8M0FNU, %t8xf8E8M0FNU_1 : !t8xf8E4M3FN, !t8xf8E4M3FN, !t8xf32, !t8xf8E8M0FNU, !t8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 1 of lhs (64) and dim 0 of rhs (32) must match, but got lhs shape (16, 64) and rhs shape (32, 8)
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t32x8xf8E4M3FN, %t16x8xf32, %t8x2xf8E8M0FNU, %t2x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t32x8xf8E4M3FN, !t16x8xf32, !t8x2xf8E8M0FNU, !t2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 0 of lhs (16) and dim 0 of lhs_scale (8) must match, but got lhs shape (16, 64) and lhs_scale shape (8, 2)
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t8x2xf8E8M0FNU, %t2x16xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t8x2xf8E8M0FNU, !t2x16xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 1 of rhs (8) and dim 1 of rhs_scale (16) must match, but got rhs shape (64, 8) and rhs_scale shape (4, 16)
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t4x16xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t4x16xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 1 of lhs_scale (2) and dim 0 of rhs_scale (4) must match, but got lhs_scale shape (16, 2) and rhs_scale shape (4, 8)
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xf8E8M0FNU, %t4x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xf8E8M0FNU, !t4x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 1 of lhs_scale (128) must be a divisor of dim 1 of lhs (64), but got lhs_scale shape (16, 128) and lhs shape (16, 64)
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x128xf8E4M3FN, %t128x8xf8E4M3FN : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x128xf8E4M3FN, !t128x8xf8E4M3FN

// CHECK:'cuda_tile.mmaf_scaled' op shape error: dim 0 of lhs (4) and dim 0 of rhs (2) must match, but got lhs shape (4, 16, 64) and rhs shape (2, 64, 8)
%0 = cuda_tile.mmaf_scaled %t4x16x64xf4E2M1FN, %t2x64x8xf4E2M1FN, %t4x16x8xf32, %t2x16x2xf8E8M0FNU, %t4x2x8xf8E8M0FNU : !t4x16x64xf4E2M1FN, !t2x64x8xf4E2M1FN, !t4x16x8xf32, !t2x16x2xf8E8M0FNU, !t4x2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: dim 0 of lhs (4) and dim 0 of lhs_scale (2) must match, but got lhs shape (4, 16, 64) and lhs_scale shape (2, 16, 2)
%0 = cuda_tile.mmaf_scaled %t4x16x64xf4E2M1FN, %t4x64x8xf4E2M1FN, %t4x16x8xf32, %t2x16x2xf8E8M0FNU, %t4x2x8xf8E8M0FNU : !t4x16x64xf4E2M1FN, !t4x64x8xf4E2M1FN, !t4x16x8xf32, !t2x16x2xf8E8M0FNU, !t4x2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: dim 0 of rhs (4) and dim 0 of rhs_scale (2) must match, but got rhs shape (4, 64, 8) and rhs_scale shape (2, 2, 8)
%0 = cuda_tile.mmaf_scaled %t4x16x64xf4E2M1FN, %t4x64x8xf4E2M1FN, %t4x16x8xf32, %t4x8x2xf8E8M0FNU, %t2x2x8xf8E8M0FNU : !t4x16x64xf4E2M1FN, !t4x64x8xf4E2M1FN, !t4x16x8xf32, !t4x8x2xf8E8M0FNU, !t2x2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 1 of lhs (16) and dim 1 of lhs_scale (8) must match, but got lhs shape (4, 16, 64) and lhs_scale shape (4, 8, 2)
%0 = cuda_tile.mmaf_scaled %t4x16x64xf4E2M1FN, %t4x64x8xf4E2M1FN, %t4x16x8xf32, %t4x8x2xf8E8M0FNU, %t4x2x8xf8E8M0FNU : !t4x16x64xf4E2M1FN, !t4x64x8xf4E2M1FN, !t4x16x8xf32, !t4x8x2xf8E8M0FNU, !t4x2x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op  shape error: dim 2 of lhs_scale (2) and dim 1 of rhs_scale (1) must match, but got lhs_scale shape (4, 16, 2) and rhs_scale shape (4, 1, 8)
%0 = cuda_tile.mmaf_scaled %t4x16x64xf4E2M1FN, %t4x64x8xf4E2M1FN, %t4x16x8xf32, %t4x16x2xf8E8M0FNU, %t4x1x8xf8E8M0FNU : !t4x16x64xf4E2M1FN, !t4x64x8xf4E2M1FN, !t4x16x8xf32, !t4x16x2xf8E8M0FNU, !t4x1x8xf8E8M0FNU

// Element types and sizes of blocks.

// CHECK:'cuda_tile.mmaf_scaled' op unsupported combination of element types. Scale type 'f8E4M3FN' expects lhs and rhs element types to be 'f4E2M1FN', but got 'f8E5M2'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E5M2, %t64x8xf8E5M2, %t16x8xf32, %t16x4xf8E4M3FN, %t4x8xf8E4M3FN : !t16x64xf8E5M2, !t64x8xf8E5M2, !t16x8xf32, !t16x4xf8E4M3FN, !t4x8xf8E4M3FN

// CHECK:'cuda_tile.mmaf_scaled' op unsupported combination of element types. Scale type 'fnv8E5M3FNU' expects lhs and rhs element types to be 'f4E2M1FN', but got 'f8E4M3FN'
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x2xfnv8E5M3FNU, %t2x8xfnv8E5M3FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x2xfnv8E5M3FNU, !t2x8xfnv8E5M3FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: f8 element type requires block scale factor of lhs_scale and rhs_scale to be 32, but got 16
%0 = cuda_tile.mmaf_scaled %t16x64xf8E4M3FN, %t64x8xf8E4M3FN, %t16x8xf32, %t16x4xf8E8M0FNU, %t4x8xf8E8M0FNU : !t16x64xf8E4M3FN, !t64x8xf8E4M3FN, !t16x8xf32, !t16x4xf8E8M0FNU, !t4x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: f8 element type requires block scale factor of lhs_scale and rhs_scale to be 32, but got 64
%0 = cuda_tile.mmaf_scaled %t16x64xf8E5M2, %t64x8xf8E5M2, %t16x8xf32, %t16x1xf8E8M0FNU, %t1x8xf8E8M0FNU : !t16x64xf8E5M2, !t64x8xf8E5M2, !t16x8xf32, !t16x1xf8E8M0FNU, !t1x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: f4E2M1FN element type with f8E4M3FN scales requires block scale factor of lhs_scale and rhs_scale to be 16, but got 32
%0 = cuda_tile.mmaf_scaled %t16x64xf4E2M1FN, %t64x8xf4E2M1FN, %t16x8xf32, %t16x2xf8E4M3FN, %t2x8xf8E4M3FN : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !t16x8xf32, !t16x2xf8E4M3FN, !t2x8xf8E4M3FN

// CHECK:'cuda_tile.mmaf_scaled' op shape error: f4E2M1FN element type with f8E8M0FNU scales requires block scale factor of lhs_scale and rhs_scale to be 16 or 32, but got 8
%0 = cuda_tile.mmaf_scaled %t16x64xf4E2M1FN, %t64x8xf4E2M1FN, %t16x8xf32, %t16x8xf8E8M0FNU, %t8x8xf8E8M0FNU : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !t16x8xf32, !t16x8xf8E8M0FNU, !t8x8xf8E8M0FNU

// CHECK:'cuda_tile.mmaf_scaled' op shape error: f4E2M1FN element type with fnv8E5M3FNU scales requires block scale factor of lhs_scale and rhs_scale to be 16 or 32, but got 64
%0 = cuda_tile.mmaf_scaled %t16x64xf4E2M1FN, %t64x8xf4E2M1FN, %t16x8xf32, %t16x1xfnv8E5M3FNU, %t1x8xfnv8E5M3FNU : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !t16x8xf32, !t16x1xfnv8E5M3FNU, !t1x8xfnv8E5M3FNU
