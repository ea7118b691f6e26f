// RUN: tileiras-opt %s | tileiras-opt --print-local-scope | %verbatim %s

%a, %e, %c = "test.op"() : () -> (vector<16xf16>, vector<4xf16>, vector<8xf32>)
%d = nvvm.fragment.mma %a, %e, %c {shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 2, 1, 1>, type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : vector<16xf16>, vector<4xf16>, vector<8xf32>

%rows = "test.op"() : () -> vector<2x!llvm.ptr<3>>
%f = nvvm.fragment.ldmatrix %rows {num = 4 : i64, trans} : vector<2x!llvm.ptr<3>> -> vector<16xf16>
nvvm.fragment.stmatrix %f, %rows {num = 4 : i64} : vector<16xf16>, vector<2x!llvm.ptr<3>>

%source, %mask = "test.op"() : () -> (vector<2x!llvm.ptr<1>>, vector<2xi1>)
nvvm.fragment.cp_async %rows, %source mask(%mask : vector<2xi1>) {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
nvvm.fragment.cp_async %rows, %source {bytes = 4 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
