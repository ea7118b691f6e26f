// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

#sum = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
%slot, %flags = "test.op"() : () -> (!llvm.ptr<1>, !llvm.ptr<1>)
// CHECK: [[SUM:%.*]], [[MAX:%.*]] = nv_tileas.workspace_load %slot, %flags : !llvm.ptr<1>, !llvm.ptr<1> -> tensor<8x8xf32, #{{.*}}>, tensor<8xf16>
%sum, %max = nv_tileas.workspace_load %slot, %flags : !llvm.ptr<1>, !llvm.ptr<1> -> tensor<8x8xf32, #sum>, tensor<8xf16>
// CHECK-NEXT: nv_tileas.workspace_store %slot, %flags, [[SUM]], [[MAX]] : !llvm.ptr<1>, !llvm.ptr<1>, tensor<8x8xf32, #{{.*}}>, tensor<8xf16>
nv_tileas.workspace_store %slot, %flags, %sum, %max : !llvm.ptr<1>, !llvm.ptr<1>, tensor<8x8xf32, #sum>, tensor<8xf16>
