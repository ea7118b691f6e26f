// RUN: tileiras-opt %s -p "slice-fragments{elements=4}" | filecheck %s

!rows = vector<2x!llvm.ptr<3>>

gpu.module @kernels {
  // Each slice is computed, stored, and followed by an event, which its accumulators pass through.
  // Constants are those of a slice, scalars the same for all.

  gpu.func @sliced(%acc: vector<8xf32>, %bias: vector<4xf32>, %scale: f32, %a: i64, %rows: !rows) kernel {
    %d = nvvm.wgmma.mma_async %a, %a, %acc {shape = #nvvm.shape<m = 64, n = 16, k = 16>, types = ["f32", "f16", "f16"]} :
        i64, i64, vector<8xf32>
    %half = arith.constant dense<5.000000e-01> : vector<8xf32>
    %row = vector.shuffle %bias, %bias [0, 1, 0, 1, 2, 3, 2, 3] : vector<4xf32>, vector<4xf32>
    %scales = vector.broadcast %scale : f32 to vector<8xf32>
    %t = arith.addf %row, %d : vector<8xf32>
    %u = arith.mulf %t, %half : vector<8xf32>
    %v = llvm.intr.tanh(%u) : (vector<8xf32>) -> vector<8xf32>
    %w = math.fma %v, %scales, %t : vector<8xf32>
    %h = arith.truncf %w : vector<8xf32> to vector<8xf16>
    nvvm.fragment.stmatrix %h, %rows {num = 2 : i64} : vector<8xf16>, !rows
    "test.op"(%d) : (vector<8xf32>) -> ()
    gpu.return
  }

  // What something else uses, too, is computed as a whole.

  gpu.func @shared(%acc: vector<8xf32>, %a: i64, %to: vector<8x!llvm.ptr<1>>, %mask: vector<8xi1>) kernel {
    %d = nvvm.wgmma.mma_async %a, %a, %acc {shape = #nvvm.shape<m = 64, n = 16, k = 16>, types = ["f32", "f16", "f16"]} :
        i64, i64, vector<8xf32>
    %t = arith.addf %d, %d : vector<8xf32>
    %u = llvm.intr.tanh(%t) : (vector<8xf32>) -> vector<8xf32>
    nvvm.fragment.store %u, %to mask(%mask : vector<8xi1>) : vector<8xf32>, vector<8x!llvm.ptr<1>>
    "test.op"(%t) : (vector<8xf32>) -> ()
    gpu.return
  }

  // A chain is short; stores that release are one; a slice has no whole address; the rest is not lane by lane.

  gpu.func @whole(%acc: vector<8xf32>, %a: i64, %to: vector<8x!llvm.ptr<1>>, %one: vector<1x!llvm.ptr<1>>) kernel {
    %d = nvvm.wgmma.mma_async %a, %a, %acc {shape = #nvvm.shape<m = 64, n = 16, k = 16>, types = ["f32", "f16", "f16"]} :
        i64, i64, vector<8xf32>
    %t = arith.addf %d, %d : vector<8xf32>
    nvvm.fragment.store %t, %to : vector<8xf32>, vector<8x!llvm.ptr<1>>
    %u = llvm.intr.tanh(%d) : (vector<8xf32>) -> vector<8xf32>
    nvvm.fragment.store %u, %to {semantic = "release", scope = "gpu"} : vector<8xf32>, vector<8x!llvm.ptr<1>>
    %v = llvm.intr.tanh(%d) : (vector<8xf32>) -> vector<8xf32>
    %vh = arith.truncf %v : vector<8xf32> to vector<8xf16>
    nvvm.fragment.store %vh, %one : vector<8xf16>, vector<1x!llvm.ptr<1>>
    %w = llvm.intr.tanh(%d) : (vector<8xf32>) -> vector<8xf32>
    %x = vector.shuffle %w, %w [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
    nvvm.fragment.store %x, %to : vector<8xf32>, vector<8x!llvm.ptr<1>>
    gpu.return
  }

  // There is no WGMMA.

  gpu.func @others(%d: vector<8xf32>, %to: vector<8x!llvm.ptr<1>>) kernel {
    %u = llvm.intr.tanh(%d) : (vector<8xf32>) -> vector<8xf32>
    nvvm.fragment.store %u, %to : vector<8xf32>, vector<8x!llvm.ptr<1>>
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @sliced
// CHECK: [[D:%.*]] = nvvm.wgmma.mma_async
// CHECK: [[ROW:%.*]] = vector.shuffle %bias
// CHECK-NOT: llvm.intr.tanh(%{{.*}}) : (vector<8xf32>)
// CHECK: [[R0:%.*]] = vector.shuffle [[ROW]], [[ROW]] [0, 1, 2, 3] : vector<8xf32>
// CHECK-NEXT: [[D0:%.*]] = vector.shuffle [[D]], [[D]] [0, 1, 2, 3] : vector<8xf32>
// CHECK-NEXT: [[T0:%.*]] = arith.addf [[R0]], [[D0]] : vector<4xf32>
// CHECK-NEXT: [[HALF:%.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK-NEXT: [[U0:%.*]] = arith.mulf [[T0]], [[HALF]] : vector<4xf32>
// CHECK-NEXT: [[V0:%.*]] = llvm.intr.tanh([[U0]]) : (vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: [[S0:%.*]] = vector.broadcast %scale : f32 to vector<4xf32>
// CHECK-NEXT: [[W0:%.*]] = math.fma [[V0]], [[S0]], [[T0]] : vector<4xf32>
// CHECK-NEXT: [[H0:%.*]] = arith.truncf [[W0]] : vector<4xf32> to vector<4xf16>
// CHECK-NEXT: [[A0:%.*]] = vector.shuffle %rows, %rows [0]
// CHECK-NEXT: nvvm.fragment.stmatrix [[H0]], [[A0]] {num = 2 : i64} : vector<4xf16>, vector<1x!llvm.ptr<3>>
// CHECK-NEXT: [[X1:%.*]] = vector.shuffle [[D]], [[D]] [4, 5, 6, 7] : vector<8xf32>
// CHECK-NEXT: [[D1:%.*]] = nvvm.pmevent 1, [[X1]] : vector<4xf32>
// CHECK-NEXT: [[R1:%.*]] = vector.shuffle [[ROW]], [[ROW]] [4, 5, 6, 7] : vector<8xf32>
// CHECK-NEXT: arith.addf [[R1]], [[D1]] : vector<4xf32>
// CHECK: [[A1:%.*]] = vector.shuffle %rows, %rows [1]
// CHECK-NEXT: nvvm.fragment.stmatrix {{%.*}}, [[A1]]
// CHECK-NEXT: "test.op"([[D]])

// CHECK-LABEL: gpu.func @shared
// CHECK: [[T:%.*]] = arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT: [[T0:%.*]] = vector.shuffle [[T]], [[T]] [0, 1, 2, 3]
// CHECK-NEXT: [[U0:%.*]] = llvm.intr.tanh([[T0]])
// CHECK-NEXT: [[A0:%.*]] = vector.shuffle %to, %to [0, 1, 2, 3]
// CHECK-NEXT: [[M0:%.*]] = vector.shuffle %mask, %mask [0, 1, 2, 3] : vector<8xi1>
// CHECK-NEXT: nvvm.fragment.store [[U0]], [[A0]] mask([[M0]] : vector<4xi1>)
// CHECK-NEXT: [[X1:%.*]] = vector.shuffle [[T]], [[T]] [4, 5, 6, 7]
// CHECK-NEXT: [[T1:%.*]] = nvvm.pmevent 1, [[X1]]
// CHECK-NEXT: llvm.intr.tanh([[T1]])
// CHECK: "test.op"([[T]])

// CHECK-LABEL: gpu.func @whole
// CHECK-NOT: nvvm.pmevent

// CHECK-LABEL: gpu.func @others
// CHECK-NOT: nvvm.pmevent
