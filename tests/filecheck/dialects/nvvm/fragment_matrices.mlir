// RUN: tileiras-opt %s | tileiras-opt --print-local-scope | %verbatim %s

%a, %e, %c = "test.op"() : () -> (vector<16xf16>, vector<4xf16>, vector<8xf32>)
%d = nvvm.fragment.mma %a, %e, %c {shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 2, 1, 1>, type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : vector<16xf16>, vector<4xf16>, vector<8xf32>

%rows = "test.op"() : () -> vector<2x!llvm.ptr<3>>
%f = nvvm.fragment.ldmatrix %rows {num = 4 : i64, trans} : vector<2x!llvm.ptr<3>> -> vector<16xf16>
nvvm.fragment.stmatrix %f, %rows {num = 4 : i64} : vector<16xf16>, vector<2x!llvm.ptr<3>>

%source, %mask, %taken = "test.op"() : () -> (vector<2x!llvm.ptr<1>>, vector<2xi1>, vector<2xi32>)
nvvm.fragment.cp_async %rows, %source mask(%mask : vector<2xi1>) {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
nvvm.fragment.cp_async %rows, %source mask(%taken : vector<2xi32>) {bytes = 8 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
nvvm.fragment.cp_async %rows, %source {bytes = 4 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>

%a8, %b8, %a6, %c16 = "test.op"() : () -> (vector<16xi8>, vector<8xi8>, vector<16xi8>, vector<4xf16>)
%h = nvvm.fragment.mma %a6, %b8, %c16 {shape = #nvvm.shape<m = 16, n = 8, k = 32>, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e3m2>, type_b = #nvvm.mma_type<e4m3>} : vector<16xi8>, vector<8xi8>, vector<4xf16>

%c4, %sa, %sb = "test.op"() : () -> (vector<4xf32>, vector<4xi8>, vector<4xi8>)
%s = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 3 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e5m2>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
%t = nvvm.fragment.scaled_mma %a8, %b8, %c4, %sa, %sb {first = 0 : i64, kind = "mxf4nvf4", scale_type = #nvvm.mma_type<ue4m3>, scales = 4 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 64>, steps = 1 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, type_b = #nvvm.mma_type<e2m1>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
