// RUN: tileiras-opt -p "scalarize-loads" %s | filecheck %s

!memref0 = !nv_tileaa.memref<?x5xi64, strides = [5, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<1x8, !memref0>
!memref1 = !nv_tileaa.memref<?xf32, strides = [?]>
!tiled_view1 = !nv_tileaa.tiled_view<4, !memref1, padding = zero>
!tiled_view3 = !nv_tileaa.tiled_view<1, !memref1>
!tiled_view2 = !nv_tileaa.tiled_view<4, !memref1, padding = nan>

gpu.module @m {
  // Rows of a loop that ends where the tensor does, and the first columns: all are in the tensor.
  gpu.func @rows(%p: !llvm.ptr<1>, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t, %k = nv_tileaa.tiled_load %v[%i, %c0] : !tiled_view0, i32, i32 -> tensor<1x8xi64>, !nv_tileaa.mem_token
      %e0 = nv_tileaa.extract %t[%c0, %c0] : (tensor<1x8xi64>, i32, i32) -> tensor<1x1xi64>
      %s0 = nv_tileaa.view %e0 : tensor<1x1xi64> -> i64
      %e1 = nv_tileaa.extract %t[%c0, %c1] : (tensor<1x8xi64>, i32, i32) -> tensor<1x1xi64>
      %s1 = nv_tileaa.view %e1 : tensor<1x1xi64> -> i64
      "test.op"(%s0, %s1) : (i64, i64) -> ()
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @rows
  // CHECK: scf.for %i
  // CHECK-NOT: tiled_load
  // CHECK: [[P:%.*]] = nv_tileaa.addptr %p, {{%.*}} {elem_type = i64} : !llvm.ptr<1>, i64
  // CHECK-NEXT: [[A:%.*]], {{%.*}} = nv_tileaa.load [[P]] : !llvm.ptr<1> -> i64, !nv_tileaa.mem_token
  // CHECK: [[Q:%.*]] = nv_tileaa.addptr %p, {{%.*}} {elem_type = i64} : !llvm.ptr<1>, i64
  // CHECK-NEXT: [[B:%.*]], {{%.*}} = nv_tileaa.load [[Q]] : !llvm.ptr<1> -> i64, !nv_tileaa.mem_token
  // CHECK: "test.op"([[B]], [[A]])

  // Any element: it is loaded if the tensor has it. Who waits for the tile waits for the scalar.
  gpu.func @any(%p: !llvm.ptr<1>, %n: i32, %s: i32, %i: i32, %j: i32, %t0: !nv_tileaa.mem_token) kernel {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i32) : !llvm.ptr<1> -> !memref1
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 4>, dimGroups = [[0]]} : !memref1 -> !tiled_view1
    %t, %t1 = nv_tileaa.tiled_load %v[%i] token(%t0) : !tiled_view1, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
    %e = nv_tileaa.extract %t[%j] : (tensor<4xf32>, i32) -> f32
    "test.op"(%e, %t1) : (f32, !nv_tileaa.mem_token) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @any
  // CHECK: [[I:%.*]] = arith.extsi %i : i32 to i64
  // CHECK: [[FOUR:%.*]] = arith.constant 4 : i64
  // CHECK-NEXT: [[START:%.*]] = arith.muli [[I]], [[FOUR]] : i64
  // CHECK-NEXT: [[J:%.*]] = arith.extsi %j : i32 to i64
  // CHECK-NEXT: [[PLACE:%.*]] = arith.addi [[START]], [[J]] : i64
  // CHECK-NEXT: [[S:%.*]] = arith.extsi %s : i32 to i64
  // CHECK-NEXT: [[OFFSET:%.*]] = arith.muli [[PLACE]], [[S]] : i64
  // CHECK-NEXT: [[N:%.*]] = arith.extsi %n : i32 to i64
  // CHECK-NEXT: [[NONE:%.*]] = arith.constant 0 : i64
  // CHECK-NEXT: [[SIZE:%.*]] = arith.maxsi [[N]], [[NONE]] : i64
  // CHECK-NEXT: [[INSIDE:%.*]] = arith.cmpi ult, [[PLACE]], [[SIZE]] : i64
  // CHECK-NEXT: [[P:%.*]] = nv_tileaa.addptr %p, [[OFFSET]] {elem_type = f32} : !llvm.ptr<1>, i64
  // CHECK-NEXT: [[ZERO:%.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: [[E:%.*]], [[T:%.*]] = nv_tileaa.load [[P]] mask([[INSIDE]] : i1) other([[ZERO]] : f32) token(%t0) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
  // CHECK-NEXT: [[ALL:%.*]] = nv_tileaa.join_mem_token [[[T]]] : !nv_tileaa.mem_token
  // CHECK-NEXT: "test.op"([[E]], [[ALL]])

  // A tile of one element that is viewed as a scalar; one that is used as a tile, too, stays, and so
  // does one that is viewed as a tile without dimensions.
  gpu.func @one(%p: !llvm.ptr<1>, %n: i32, %s: i32, %i: i32) kernel {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i32) : !llvm.ptr<1> -> !memref1
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1>, dimGroups = [[0]]} : !memref1 -> !tiled_view3
    %t, %k = nv_tileaa.tiled_load %v[%i] : !tiled_view3, i32 -> tensor<1xf32>, !nv_tileaa.mem_token
    %e = nv_tileaa.view %t : tensor<1xf32> -> f32
    "test.op"(%e) : (f32) -> ()
    %t2, %k2 = nv_tileaa.tiled_load %v[%i] : !tiled_view3, i32 -> tensor<1xf32>, !nv_tileaa.mem_token
    %e2 = nv_tileaa.view %t2 : tensor<1xf32> -> f32
    "test.op"(%e2, %t2) : (f32, tensor<1xf32>) -> ()
    %t3, %k3 = nv_tileaa.tiled_load %v[%i] : !tiled_view3, i32 -> tensor<1xf32>, !nv_tileaa.mem_token
    %e3 = nv_tileaa.view %t3 : tensor<1xf32> -> tensor<f32>
    %d3 = nv_tileaa.addf %e3, %e3 : tensor<f32>
    "test.op"(%d3) : (tensor<f32>) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @one
  // CHECK-NOT: tiled_load
  // CHECK: [[E:%.*]], {{%.*}} = nv_tileaa.load {{%.*}} mask({{%.*}} : i1) : !llvm.ptr<1> -> f32
  // CHECK-NEXT: "test.op"([[E]])
  // CHECK: [[T:%.*]], {{%.*}} = nv_tileaa.tiled_load
  // CHECK: "test.op"({{%.*}}, [[T]])
  // CHECK: [[U:%.*]], {{%.*}} = nv_tileaa.tiled_load
  // CHECK-NEXT: [[V:%.*]] = nv_tileaa.view [[U]]
  // CHECK-NEXT: [[D:%.*]] = nv_tileaa.addf [[V]], [[V]]
  // CHECK-NEXT: "test.op"([[D]])

  // Tiles that are used as such, too, elements of unknown position, and padding that is not zero.
  gpu.func @others(%p: !llvm.ptr<1>, %n: i32, %s: i32, %i: i32, %j: i32) kernel {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i32) : !llvm.ptr<1> -> !memref1
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 4>, dimGroups = [[0]]} : !memref1 -> !tiled_view1
    %w = nv_tileaa.block_tile %m {tileSizes = array<i64: 4>, dimGroups = [[0]]} : !memref1 -> !tiled_view2
    %t, %t1 = nv_tileaa.tiled_load %v[%i] : !tiled_view1, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
    %e = nv_tileaa.extract %t[%j] : (tensor<4xf32>, i32) -> f32
    %u, %t2 = nv_tileaa.tiled_load %v[%j] : !tiled_view1, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
    %later = "test.op"(%e, %t) : (f32, tensor<4xf32>) -> i32
    %f = nv_tileaa.extract %u[%later] : (tensor<4xf32>, i32) -> f32
    %x, %t3 = nv_tileaa.tiled_load %w[%i] : !tiled_view2, i32 -> tensor<4xf32>, !nv_tileaa.mem_token
    %g = nv_tileaa.extract %x[%j] : (tensor<4xf32>, i32) -> f32
    "test.op"(%f, %g) : (f32, f32) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @others
  // CHECK: nv_tileaa.tiled_load %v[%i]
  // CHECK: nv_tileaa.tiled_load %v[%j]
  // CHECK: nv_tileaa.tiled_load %w[%i]
  // CHECK-NOT: nv_tileaa.load
}
