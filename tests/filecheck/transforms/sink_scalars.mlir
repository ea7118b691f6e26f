// RUN: tileiras-opt %s -p sink-scalars | filecheck %s

gpu.module @kernels {
  // Agents that share a scalar have copies of their own, behind the reallocation of registers; what
  // is used behind a loop is computed there. What code before the branch uses as well stays, and so
  // does what lanes compute together. Nothing moves into a loop.

  gpu.func @agents(%k: i32, %thread: i32, %a: vector<8xf16>, %b: vector<4xf16>, %zero: vector<4xf32>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %trips = arith.divsi %k, %c1 : i32
    %row = arith.shrui %thread, %c1 : i32
    %offset = arith.xori %row, %thread : i32
    %kept = arith.addi %k, %thread : i32
    "test.op"(%kept) : (i32) -> ()
    %warp = nvvm.shfl.sync idx %all, %thread, %c0, %c1 : i32 -> i32
    %is_consumer = arith.cmpi ult, %warp, %c1 : i32
    scf.if %is_consumer {
      nvvm.setmaxregister increase 240
      %later = arith.muli %kept, %kept : i32
      %inside = arith.addi %later, %c1 : i32
      %d = scf.for %i = %c0 to %trips step %c1 iter_args(%c = %zero) -> (vector<4xf32>) : i32 {
        "test.op"(%row) : (i32) -> ()
        %e = nvvm.fragment.mma %a, %b, %c {shape = #nvvm.shape<m = 16, n = 8, k = 16>, type_a = #nvvm.mma_type<f16>,
            type_b = #nvvm.mma_type<f16>, tiles = array<i64: 1, 1, 1, 1>} : vector<8xf16>, vector<4xf16>, vector<4xf32>
        scf.yield %e : vector<4xf32>
      }
      "test.op"(%offset, %warp, %d) : (i32, i32, vector<4xf32>) -> ()
      "test.op"(%inside, %later) : (i32, i32) -> ()
      scf.yield
    } else {
      nvvm.setmaxregister decrease 24
      scf.for %i = %c0 to %trips step %c1 : i32 {
        "test.op"(%i) : (i32) -> ()
      }
      scf.yield
    }
    gpu.return
  }

  // Threads have registers to spare.

  gpu.func @others(%k: i32, %condition: i1) kernel {
    %c1 = arith.constant 1 : i32
    %trips = arith.divsi %k, %c1 : i32
    scf.if %condition {
      "test.op"(%trips) : (i32) -> ()
      scf.yield
    }
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @agents
// CHECK-NOT: arith.divsi
// CHECK: [[KEPT:%.*]] = arith.addi %k, %thread : i32
// CHECK-NEXT: "test.op"([[KEPT]])
// CHECK-NEXT: [[WARP:%.*]] = nvvm.shfl.sync
// CHECK-NEXT: [[CONSUMER:%.*]] = arith.cmpi ult, [[WARP]]
// CHECK-NEXT: scf.if [[CONSUMER]] {
// CHECK-NEXT: nvvm.setmaxregister increase 240
// CHECK-NEXT: [[TRIPS:%.*]] = arith.divsi %k
// CHECK-NEXT: [[ROW:%.*]] = arith.shrui %thread
// CHECK-NEXT: scf.for {{.*}} to [[TRIPS]] step
// CHECK: "test.op"([[ROW]])
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: [[OFFSET:%.*]] = arith.xori [[ROW]], %thread : i32
// CHECK-NEXT: "test.op"([[OFFSET]], [[WARP]]
// CHECK-NEXT: [[LATER:%.*]] = arith.muli [[KEPT]], [[KEPT]] : i32
// CHECK-NEXT: [[INSIDE:%.*]] = arith.addi [[LATER]]
// CHECK-NEXT: "test.op"([[INSIDE]], [[LATER]])
// CHECK: nvvm.setmaxregister decrease 24
// CHECK-NEXT: [[OWN:%.*]] = arith.divsi %k
// CHECK-NEXT: scf.for {{.*}} to [[OWN]] step

// CHECK-LABEL: gpu.func @others
// CHECK: arith.divsi
// CHECK-NEXT: scf.if
