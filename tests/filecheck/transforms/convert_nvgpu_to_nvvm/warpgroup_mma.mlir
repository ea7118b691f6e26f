// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm --split-input-file --print-local-scope | filecheck %s

// Products of tiles by four warps.
// REQ: P-13

!v4xf32 = vector<4xf32>

// The products of the tile, fence and commit; the wait is an op of its own and guards accumulators.
func.func @async(%da: i64, %db: i64, %acc: !v4xf32, %other: !v4xf32) -> (!v4xf32, !v4xf32) {
  %0 = nvgpu.warpgroup.mma %da, %db, %acc {shape = [64, 8, 16], types = ["f32", "bf16", "bf16"], trans_a, trans_b, k_steps = 3 : i32, a_step = 2 : i64, b_step = 16 : i64, async} : i64, i64, !v4xf32
  %1, %2 = nvgpu.warpgroup.wait %0, %other {groups = 2 : i32} : !v4xf32, !v4xf32
  func.return %1, %2 : !v4xf32, !v4xf32
}
// CHECK-LABEL: func.func @async
// CHECK-NEXT:  nvvm.wgmma.fence.aligned
// CHECK-NEXT:  %0 = nvvm.wgmma.mma_async %da, %db, %acc {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "bf16", "bf16"], trans_a, trans_b, k_steps = 3 : i32, a_step = 2 : i64, b_step = 16 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT:  nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:  %1, %2 = nvvm.wgmma.wait.group.sync.aligned 2, %0, %other : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:  func.return %1, %2

// -----

!struct = !llvm.struct<(f32, f32, f32, f32)>

// Without `async` the wait comes right after; accumulators may be structs.
func.func @sync(%da: i64, %db: i64, %acc: !struct) -> !struct {
  %0 = nvgpu.warpgroup.mma %da, %db, %acc {shape = [64, 8, 16], types = ["f32", "f16", "f16"]} : i64, i64, !struct
  func.return %0 : !struct
}
// CHECK-LABEL: func.func @sync
// CHECK-NEXT:  nvvm.wgmma.fence.aligned
// CHECK-NEXT:  %0 = nvvm.wgmma.mma_async %da, %db, %acc {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"]} : i64, i64, !llvm.struct<(f32, f32, f32, f32)>
// CHECK-NEXT:  nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:  nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT:  func.return %0

// -----

// Without a shape it is converted, but no instruction can be chosen.
func.func @shapeless(%da: i64, %db: i64, %acc: vector<4xf32>) -> vector<4xf32> {
  %0 = nvgpu.warpgroup.mma %da, %db, %acc : i64, i64, vector<4xf32>
  func.return %0 : vector<4xf32>
}
// CHECK-LABEL: func.func @shapeless
// CHECK-NEXT:  nvvm.wgmma.fence.aligned
// CHECK-NEXT:  %0 = nvvm.wgmma.mma_async %da, %db, %acc : i64, i64, vector<4xf32>
// CHECK-NEXT:  nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:  nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT:  func.return %0
