// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%v8xf16 = "test.op"() : () -> vector<8xf16>
%v4xf16 = "test.op"() : () -> vector<4xf16>
%v4xf32 = "test.op"() : () -> vector<4xf32>
%v2xptr = "test.op"() : () -> vector<2x!llvm.ptr<3>>
%a8, %b8, %c4, %sa, %sb = "test.op"() : () -> (vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>)
!ptr = !llvm.ptr<3>

// -----

// CHECK: there is no MMA of #nvvm.shape<m = 16, n = 8, k = 32> for 'f16'
%d = nvvm.fragment.mma %v8xf16, %v4xf16, %v4xf32 {shape = #nvvm.shape<m = 16, n = 8, k = 32>, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : vector<8xf16>, vector<4xf16>, vector<4xf32>

// CHECK: a lane has 16 elements of A, but got 'vector<8xf16>'
%d = nvvm.fragment.mma %v8xf16, %v4xf16, %v4xf32 {shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 2, 1, 1>, type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : vector<8xf16>, vector<4xf16>, vector<4xf32>

// CHECK: only matrices of elements of 16 bits can be transposed
%f = nvvm.fragment.ldmatrix %v2xptr {num = 4 : i64, trans} : vector<2x!ptr> -> vector<8xf32>

// CHECK: a lane gets 8 elements, but the result is 'vector<16xf16>'
%f = nvvm.fragment.ldmatrix %v2xptr {num = 2 : i64} : vector<2x!ptr> -> vector<16xf16>

// CHECK: a lane has 16 elements, but the value is 'vector<8xf16>'
nvvm.fragment.stmatrix %v8xf16, %v2xptr {num = 4 : i64} : vector<8xf16>, vector<2x!ptr>

%v, %rows = "test.op"() : () -> (vector<2xf64>, vector<1x!ptr>)
// CHECK: matrices have no elements as in 'vector<2xf64>'
nvvm.fragment.stmatrix %v, %rows {num = 4 : i64} : vector<2xf64>, vector<1x!ptr>

%from = "test.op"() : () -> vector<4x!llvm.ptr<1>>
// CHECK: 'vector<2x!llvm.ptr<3>>' and 'vector<4x!llvm.ptr<1>>' have different numbers of elements
nvvm.fragment.cp_async %v2xptr, %from {bytes = 16 : i64} : vector<2x!ptr>, vector<4x!llvm.ptr<1>>

%from = "test.op"() : () -> vector<2x!llvm.ptr<1>>
// CHECK: a copy has 4, 8 or 16 bytes, not 2
nvvm.fragment.cp_async %v2xptr, %from {bytes = 2 : i64} : vector<2x!ptr>, vector<2x!llvm.ptr<1>>

// CHECK: there is no MMA of kind 'mxf4' and #nvvm.shape<m = 16, n = 8, k = 32>
%s = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 0 : i64, kind = "mxf4", scale_type = #nvvm.mma_type<ue8m0>, scales = 2 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, type_b = #nvvm.mma_type<e2m1>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>

// CHECK: an MMA of kind 'mxf8f6f4' has no operands of e4m3 and e4m3 with 1 scales of ue4m3
%s = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 0 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue4m3>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e4m3>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>

// CHECK: steps 4 to 4 of 4 do not exist
%s = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 4 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e4m3>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>

// CHECK: a lane has 2 elements of 8 bits of the scales of A, but got 'vector<4xi8>'
%s = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 0 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 2 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e4m3>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
