// RUN: tileiras-opt %s -t 'ptx{arch=sm_120}' | filecheck %s
// RUN: tileiras-opt %s -t 'cubin{arch=sm_121}' -o %t.cubin
// RUN: tileiras-opt %s -t 'ptx{arch=sm_100}' --verify-diagnostics 2>&1 | filecheck %s --check-prefix=OTHER

// MMAs of small floats, and with scales, which only sm_120a and sm_121a have.

// OTHER: 'nvvm.fragment.mma' needs sm_120a or sm_121a, the target is sm_100a

// CHECK: mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m1.f32
// CHECK: mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e5m2.f32.ue8m0 {{.*}}, {3, 0}, {{.*}}, {3, 0};
// CHECK: mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0 {{.*}}, {2, 0}, {{.*}}, {2, 0};
// CHECK: mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {{.*}}, {0, 0}, {{.*}}, {0, 0};

gpu.module @kernels {
  llvm.func @kernel(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %a = llvm.load %in : !llvm.ptr<1> -> vector<16xi8>
    %b = llvm.load %in : !llvm.ptr<1> -> vector<8xi8>
    %c = llvm.load %in : !llvm.ptr<1> -> vector<4xf32>
    %s = llvm.load %in : !llvm.ptr<1> -> vector<4xi8>
    %0 = nvvm.fragment.mma %a, %b, %c {shape = #nvvm.shape<m = 16, n = 8, k = 32>, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e3m2>, type_b = #nvvm.mma_type<e2m1>} : vector<16xi8>, vector<8xi8>, vector<4xf32>
    %1 = nvvm.fragment.scaled_mma %a, %b, %0, %s, %s {first = 3 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e5m2>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
    %2 = nvvm.fragment.scaled_mma %a, %b, %1, %s, %s {first = 1 : i64, kind = "mxf4", scale_type = #nvvm.mma_type<ue8m0>, scales = 2 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 64>, steps = 2 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, type_b = #nvvm.mma_type<e2m1>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
    %3 = nvvm.fragment.scaled_mma %a, %b, %2, %s, %s {first = 0 : i64, kind = "mxf4nvf4", scale_type = #nvvm.mma_type<ue4m3>, scales = 4 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 64>, steps = 1 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e2m1>, type_b = #nvvm.mma_type<e2m1>} : vector<16xi8>, vector<8xi8>, vector<4xf32>, vector<4xi8>, vector<4xi8>
    llvm.store %3, %out : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
}
