// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t8xf32 = tensor<8xf32>
!t2x4xf32 = tensor<2x4xf32>
%f, %p, %c, %i, %j, %t8, %t1, %t24, %t248 = "test.op"() : () -> (f32, !llvm.ptr<1>, i1, i32, i64, !t8xf32, tensor<1x8xf32>, !t2x4xf32, tensor<2x4x8xi32>)

// REQ: P-04
%splat0 = nv_tileaa.splat %f : f32 to tensor<8x64xf32>
// PRINTS: %splat1 = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<8x!llvm.ptr<1>>
%splat1 = "nv_tileaa.splat"(%p) : (!llvm.ptr<1>) -> tensor<8x!llvm.ptr<1>>
%splat2 = nv_tileaa.splat %c {my.tag} : i1 to tensor<1x1x1xi1>
%view0 = nv_tileaa.view %t8 : !t8xf32 -> !t2x4xf32
// PRINTS: %view1 = nv_tileaa.view %t24 : !t2x4xf32 -> tensor<4x2xf32>
%view1 = "nv_tileaa.view"(%t24) : (!t2x4xf32) -> tensor<4x2xf32>
%one = "test.op"() : () -> tensor<1x1xf32>
%view2 = nv_tileaa.view %one : tensor<1x1xf32> -> f32
%broadcast0 = nv_tileaa.broadcast %t1 : tensor<1x8xf32> -> tensor<4x8xf32>
// PRINTS: %broadcast1 = nv_tileaa.broadcast %t1 : tensor<1x8xf32> -> tensor<1x8xf32>
%broadcast1 = "nv_tileaa.broadcast"(%t1) : (tensor<1x8xf32>) -> tensor<1x8xf32>
%expand0 = nv_tileaa.expand_dims %t8 {axis = 0 : i32} : !t8xf32 -> tensor<1x8xf32>
// PRINTS: %expand1 = nv_tileaa.expand_dims %t8 {axis = 1 : i32} : !t8xf32 -> tensor<8x1xf32>
%expand1 = "nv_tileaa.expand_dims"(%t8) {axis = 1 : i32} : (!t8xf32) -> tensor<8x1xf32>
%expand2 = nv_tileaa.expand_dims %f {axis = 0 : i32} : f32 -> tensor<1xf32>
%permute = nv_tileaa.permute %t248 {permutation = array<i32: 2, 0, 1>} : tensor<2x4x8xi32> -> tensor<8x2x4xi32>
%cat0 = nv_tileaa.cat %t24, %t24 {dim = 1 : i64} : !t2x4xf32, !t2x4xf32 -> tensor<2x8xf32>
// PRINTS: %cat1 = nv_tileaa.cat %t8, %t8 {dim = 0 : i64} : !t8xf32, !t8xf32 -> tensor<16xf32>
%cat1 = "nv_tileaa.cat"(%t8, %t8) {dim = 0 : i64} : (!t8xf32, !t8xf32) -> tensor<16xf32>
%extract0 = nv_tileaa.extract %t8[%i] : (!t8xf32, i32) -> f32
// PRINTS: %extract1 = nv_tileaa.extract %t24[%i, %j] : (!t2x4xf32, i32, i64) -> tensor<1x2xf32>
%extract1 = "nv_tileaa.extract"(%t24, %i, %j) : (!t2x4xf32, i32, i64) -> tensor<1x2xf32>
%extract2 = nv_tileaa.extract %t24[%i, %i] {my.tag} : (!t2x4xf32, i32, i32) -> f32
%insert = nv_tileaa.insert %t24 into %t24[%i, %i] : (!t2x4xf32, !t2x4xf32, i32, i32) -> !t2x4xf32
%range0 = nv_tileaa.make_range %i, %i : i32 to tensor<8xi32>
// PRINTS: %range1 = nv_tileaa.make_range %j, %j : i64 to tensor<128xi64>
%range1 = "nv_tileaa.make_range"(%j, %j) : (i64, i64) -> tensor<128xi64>
%assume = nv_tileaa.assume %i {predicate = #nv_tileaa.bounded<0, 7>} : i32
