// RUN: tileiras-opt %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic | tileiras-opt | filecheck %s --match-full-lines

// The generic form has MLIR's dense literals, with a tile type, beside our own attribute.

// CHECK:      %cst_5 = cuda_tile.constant <i32: 5> : !cuda_tile.tile<i32>
%0 = "cuda_tile.constant"() <{value = dense<5> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
// CHECK-NEXT: %cst = cuda_tile.constant <i8: [1, -2, 3, -1]> : !cuda_tile.tile<4xi8>
%1 = "cuda_tile.constant"() <{value = dense<[1, -2, 3, 255]> : !cuda_tile.tile<4xi8>}> : () -> !cuda_tile.tile<4xi8>
// CHECK-NEXT: %true = cuda_tile.constant <i1: true> : !cuda_tile.tile<4xi1>
%2 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
// CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : !cuda_tile.tile<2xi1>
%3 = "cuda_tile.constant"() <{value = dense<[true, false]> : !cuda_tile.tile<2xi1>}> : () -> !cuda_tile.tile<2xi1>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <f32: {{\[}}[1.500000e+00, 0x7FC00000], [-0.000000e+00, 0x7F800000]]> : !cuda_tile.tile<2x2xf32>
%4 = "cuda_tile.constant"() <{value = dense<[[1.5, 0x7FC00000], [-0.0, 1.0e39]]> : !cuda_tile.tile<2x2xf32>}> : () -> !cuda_tile.tile<2x2xf32>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <f32: [1.000000e+00, -2.000000e+00]> : !cuda_tile.tile<2xf32>
%5 = "cuda_tile.constant"() <{value = dense<"0x0000803F000000C0"> : !cuda_tile.tile<2xf32>}> : () -> !cuda_tile.tile<2xf32>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <fnv8E5M3FNU: 1.000000e+00> : !cuda_tile.tile<4xfnv8E5M3FNU>
%6 = "cuda_tile.constant"() <{value = dense<1.0> : !cuda_tile.tile<4xfnv8E5M3FNU>}> : () -> !cuda_tile.tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <f4E2M1FN: [5.000000e-01, -6.000000e+00]> : !cuda_tile.tile<2xf4E2M1FN>
%7 = "cuda_tile.constant"() <{value = dense<[0.5, 0xF]> : !cuda_tile.tile<2xf4E2M1FN>}> : () -> !cuda_tile.tile<2xf4E2M1FN>
// CHECK-NEXT: %cst_5_1 = cuda_tile.constant <i32: 5> : !cuda_tile.tile<4xi32>
%8 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 5 : tile<4xi32>>}> : () -> !cuda_tile.tile<4xi32>
// CHECK-NEXT: %cst_6 = cuda_tile.constant <f32: [1.000000e+00, 2.000000e+00]> : !cuda_tile.tile<2xf32>
// CHECK-NEXT: cuda_tile.module @m {
// CHECK-NEXT:   cuda_tile.global @g <i32: [1, 2]> : !cuda_tile.tile<2xi32>
// CHECK-NEXT: }
%9 = "cuda_tile.constant"() <{value = #cuda_tile.dense<f32: [1.0, 2.0] : !cuda_tile.tile<2xf32>>}> : () -> !cuda_tile.tile<2xf32>
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.global"() <{sym_name = "g", value = dense<[1, 2]> : !cuda_tile.tile<2xi32>, alignment = 0 : i64}> : () -> ()
}) : () -> ()
// CHECK-NEXT: }
