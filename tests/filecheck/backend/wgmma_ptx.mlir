// RUN: tileiras-opt %s -t ptx --split-input-file --verify-diagnostics | filecheck %s

// What products of tiles by four warps become in PTX.
// REQ: P-13

!v4xf32 = vector<4xf32>

// The products of the tile, fence and commit; the wait is an op of its own and guards accumulators.
llvm.func @async(%da: i64, %db: i64, %acc: !v4xf32, %other: !v4xf32) -> !v4xf32 {
  nvvm.wgmma.fence.aligned
  %0 = nvvm.wgmma.mma_async %da, %db, %acc {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "bf16", "bf16"], trans_a, trans_b, k_steps = 3 : i32, a_step = 2 : i64, b_step = 16 : i64} : i64, i64, !v4xf32
  nvvm.wgmma.commit.group.sync.aligned
  %1, %2 = nvvm.wgmma.wait.group.sync.aligned 2, %0, %other : !v4xf32, !v4xf32
  %3 = llvm.fadd %1, %2 : !v4xf32
  llvm.return %3 : !v4xf32
}
// CHECK-LABEL: {{\.func.* async\(}}
// CHECK: wgmma.fence.sync.aligned
// CHECK-NOT: wgmma.commit_group
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{.*}}, 1, 1, 1;
// CHECK-NOT: wgmma.commit_group
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{.*}}, 1, 1, 1;
// CHECK-NOT: wgmma.commit_group
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{.*}}, 1, 1, 1;
// CHECK-NOT: wgmma.{{mma|wait}}
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 2

// -----

// Copies of accumulators are other registers, which nothing else writes.
llvm.func @copies(%acc: vector<2xf32>) -> vector<2xf32> {
  %0 = nvvm.wgmma.wait.group.sync.aligned 1, %acc : vector<2xf32> {copies}
  llvm.return %0 : vector<2xf32>
}
// CHECK-LABEL: {{\.func.* copies\(}}
// CHECK: {[[FIRST:%r[0-9]+]], [[SECOND:%r[0-9]+]]}, [copies_param_0];
// CHECK: mov.b32 {{%r[0-9]+}}, [[FIRST]];
// CHECK-NEXT: mov.b32 {{%r[0-9]+}}, [[SECOND]];
// CHECK-NEXT: wgmma.wait_group.sync.aligned 1;

// -----

!struct = !llvm.struct<(f32, f32, f32, f32)>

// Accumulators may be structs.
llvm.func @sync(%da: i64, %db: i64, %acc: !struct) -> !struct {
  nvvm.wgmma.fence.aligned
  %0 = nvvm.wgmma.mma_async %da, %db, %acc {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"]} : i64, i64, !struct
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.return %0 : !struct
}
// CHECK-LABEL: {{\.func.* sync\(}}
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{.*}}, 0, 0;
// CHECK-NOT: wgmma.mma
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned {{\s*}}0

// -----

// Without a shape no instruction can be chosen.
llvm.func @shapeless(%da: i64, %db: i64, %acc: vector<4xf32>) -> vector<4xf32> {
  %0 = nvvm.wgmma.mma_async %da, %db, %acc : i64, i64, vector<4xf32>
  llvm.return %0 : vector<4xf32>
}
// CHECK: 'nvvm.wgmma.mma_async' without shape and types has no translation to LLVM IR
