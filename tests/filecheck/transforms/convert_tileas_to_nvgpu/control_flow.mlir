// RUN: tileiras-opt -p convert-tileas-to-nvgpu %s | filecheck %s

// Loops and branches stay; a tile that they carry is a vector, a view its base and its sizes.

#row = #nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

!memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
!t128xf32_row = tensor<128xf32, #row>

gpu.module @m {
  gpu.func @regions(%f: f32, %n: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = nv_tileaa.splat %f : f32 to !t128xf32_row
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !llvm.ptr<1> -> !memref0
    %y:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %v = %m) -> (!t128xf32_row, !memref0) : i32 {
      %b = nv_tileaa.addf %a, %x : !t128xf32_row
      scf.yield %b, %v : !t128xf32_row, !memref0
    }
    %c = nv_tileaa.cmpi %n, %one {comparison_predicate = "less_than", signedness = "signed"} : i32 -> i1
    %z = scf.if %c -> (!t128xf32_row) {
      %d = nv_tileaa.negf %y#0 : !t128xf32_row
      scf.yield %d : !t128xf32_row
    } else {
      scf.yield %y#0 : !t128xf32_row
    }
    %w = scf.while (%u = %z) : (!t128xf32_row) -> !t128xf32_row {
      scf.condition(%c) %u : !t128xf32_row
    } do {
    ^after(%u: !t128xf32_row):
      %t = nv_tileaa.mulf %u, %u : !t128xf32_row
      scf.yield %t : !t128xf32_row
    }
    %e = nv_tileaa.negf %w : !t128xf32_row
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK-NEXT: %[[size:.*]] = arith.extsi %n : i32 to i64
  // CHECK-NEXT: %[[y:.*]], %{{.*}}, %{{.*}} = scf.for %{{.*}} = %{{.*}} to %n step %{{.*}} iter_args(%[[a:.*]] = %[[x]], %[[base:.*]] = %p, %[[s:.*]] = %[[size]]) -> (vector<4xf32>, !llvm.ptr<1>, i64) : i32 {
  // CHECK-NEXT:   %[[b:.*]] = arith.addf %[[a]], %[[x]] : vector<4xf32>
  // CHECK-NEXT:   scf.yield %[[b]], %[[base]], %[[s]] : vector<4xf32>, !llvm.ptr<1>, i64
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[c:.*]] = arith.cmpi slt
  // CHECK-NEXT: %[[z:.*]] = scf.if %[[c]] -> (vector<4xf32>) {
  // CHECK-NEXT:   %[[d:.*]] = arith.negf %[[y]] : vector<4xf32>
  // CHECK-NEXT:   scf.yield %[[d]] : vector<4xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   scf.yield %[[y]] : vector<4xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[w:.*]] = scf.while (%[[u:.*]] = %[[z]]) : (vector<4xf32>) -> vector<4xf32> {
  // CHECK-NEXT:   scf.condition(%[[c]]) %[[u]] : vector<4xf32>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^{{.*}}(%[[v:.*]]: vector<4xf32>):
  // CHECK-NEXT:   %[[t:.*]] = arith.mulf %[[v]], %[[v]] : vector<4xf32>
  // CHECK-NEXT:   scf.yield %[[t]] : vector<4xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: arith.negf %[[w]] : vector<4xf32>

  // What scratch memory is in use is not known where a loop begins again: threads wait before it
  // is written there.
  gpu.func @scratch(%f: f32, %n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = nv_tileaa.splat %f : f32 to !t128xf32_row
    %sum = scf.for %i = %zero to %n step %one iter_args(%a = %f) -> (f32) : i32 {
      %e = nv_tileaa.extract %x[%i] : (!t128xf32_row, i32) -> f32
      %b = nv_tileaa.addf %a, %e : f32
      scf.yield %b : f32
    }
    gpu.return
  }
  // CHECK:      scf.for
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.store
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load
  // CHECK-NOT:  gpu.barrier
  // CHECK:      scf.yield
}
