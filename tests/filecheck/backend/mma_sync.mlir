// RUN: tileiras-opt %s -t llvm-ir | filecheck %s
// RUN: tileiras-opt %s -t 'ptx{arch=sm_80}' | filecheck %s --check-prefix=PTX

// A 16 x 8 tile of a product, accumulated over a loop: a phi for each register.

// CHECK:       b1:
// CHECK-NEXT:    [[c0:%v[0-9]+]] = phi float [ 0.0, %b0 ], [ [[d0:%v[0-9]+]], %b1 ]
// CHECK-NEXT:    [[c1:%v[0-9]+]] = phi float [ 0.0, %b0 ], [ [[d1:%v[0-9]+]], %b1 ]
// CHECK-NEXT:    [[c2:%v[0-9]+]] = phi float [ 0.0, %b0 ], [ [[d2:%v[0-9]+]], %b1 ]
// CHECK-NEXT:    [[c3:%v[0-9]+]] = phi float [ 0.0, %b0 ], [ [[d3:%v[0-9]+]], %b1 ]
// CHECK-NEXT:    {{%v[0-9]+}} = phi i32 [ %v4, %b0 ]
// CHECK:         [[a:%v[0-9]+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3)
// CHECK-NEXT:    [[a0:%v[0-9]+]] = extractvalue { i32, i32, i32, i32 } [[a]], 0
// CHECK:         [[b:%v[0-9]+]] = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(
// CHECK:         [[d:%v[0-9]+]] = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"(i32 {{.*}}, float [[c0]], float [[c1]], float [[c2]], float [[c3]]) convergent nounwind
// CHECK-NEXT:    [[d0]] = extractvalue { float, float, float, float } [[d]], 0
// CHECK-NEXT:    [[d1]] = extractvalue { float, float, float, float } [[d]], 1

// PTX:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX:         mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

!struct = !llvm.struct<(i32, i32, i32, i32)>

gpu.module @kernels {
  llvm.func @tile(%out: !llvm.ptr<1>, %a: !llvm.ptr<3>, %b: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %empty = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %z0 = llvm.extractvalue %empty[0] : !llvm.struct<(f32, f32, f32, f32)>
    %c = "vector.from_elements"(%z0, %z0, %z0, %z0) : (f32, f32, f32, f32) -> vector<4xf32>
    llvm.br ^loop(%c, %n : vector<4xf32>, i32)
  ^loop(%acc: vector<4xf32>, %i: i32):
    %as = nvvm.ldmatrix.sync %a {num = 4 : i32, trans = false} : !llvm.ptr<3> -> !struct
    %a0 = llvm.extractvalue %as[0] : !struct
    %a1 = llvm.extractvalue %as[1] : !struct
    %a2 = llvm.extractvalue %as[2] : !struct
    %a3 = llvm.extractvalue %as[3] : !struct
    %bs = nvvm.ldmatrix.sync %b {num = 2 : i32, trans = true} : !llvm.ptr<3> -> !llvm.struct<(i32, i32)>
    %b0 = llvm.extractvalue %bs[0] : !llvm.struct<(i32, i32)>
    %b1 = llvm.extractvalue %bs[1] : !llvm.struct<(i32, i32)>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%acc] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>} : (i32, i32, vector<4xf32>) -> vector<4xf32>
    %m = llvm.sub %i, %one : i32
    %more = llvm.icmp "ne" %m, %zero : i32
    llvm.cond_br %more, ^loop(%d, %m : vector<4xf32>, i32), ^end
  ^end:
    %h = llvm.fptrunc %d : vector<4xf32> to vector<4xf16>
    llvm.store %h, %out {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
    llvm.return
  }
}
