// Interplay: a second run, or upstream's canonicalize, comes to the same.
// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize-tileaa,canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize-tileaa | filecheck %s

// A mask that is known only once shapes are folded.
// REQ: D-01, D-03
!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!t8xf32 = tensor<8xf32>
!ptr = !llvm.ptr<1>

func.func @shape_then_mask(%p: !t8xptr, %o: !t8xf32, %t0: !token) -> (!t8xf32, !token) {
  %true = arith.constant true
  %m1 = "nv_tileaa.splat"(%true) : (i1) -> tensor<1xi1>
  %m  = "nv_tileaa.broadcast"(%m1) : (tensor<1xi1>) -> tensor<8xi1>
  %v, %t1 = "nv_tileaa.load"(%p, %m, %o, %t0) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (!t8xptr, tensor<8xi1>, !t8xf32, !token) -> (!t8xf32, !token)
  func.return %v, %t1 : !t8xf32, !token
}
// CHECK-LABEL: func.func @shape_then_mask(
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p token(%t0) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, [[token:!nv_tileaa.mem_token]]
// CHECK-NEXT: func.return %v, %t1 : tensor<8xf32>, [[token]]

// One of each kind of fold, in blocks of their own, over each other's results.
// REQ: D-02, D-04, D-05, J-16
func.func @everything(%p: !ptr, %n: i64, %c: i1, %x: f32, %t0: !token, %lb: index, %ub: index, %step: index) {
  %p1 = nv_tileaa.addptr %p, %n {elem_type = f32} : !ptr, i64
  %p2 = nv_tileaa.addptr %p1, %n {elem_type = f32} : !ptr, i64
  %s = nv_tileaa.splat %p2 : !ptr to tensor<4x!llvm.ptr<1>>
  %a = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<16>} : tensor<4x!llvm.ptr<1>>
  %e = nv_tileaa.expand_dims %a {axis = 0 : i32} : tensor<4x!llvm.ptr<1>> -> tensor<1x4x!llvm.ptr<1>>
  %b = nv_tileaa.broadcast %e : tensor<1x4x!llvm.ptr<1>> -> tensor<2x4x!llvm.ptr<1>>
  %ptrs = nv_tileaa.view %b : tensor<2x4x!llvm.ptr<1>> -> !t8xptr
  %zero = arith.constant 0.0 : f32
  %y = arith.select %c, %x, %zero : f32
  %other = nv_tileaa.splat %y : f32 to !t8xf32
  %false = arith.constant false
  %m = nv_tileaa.splat %false : i1 to tensor<8xi1>
  %v, %t1 = nv_tileaa.load %ptrs mask(%m : tensor<8xi1>) other(%other : !t8xf32) token(%t0) : !t8xptr -> !t8xf32, !token
  %j = nv_tileaa.join_mem_token [%t1, %t0] : !token
  %z = arith.constant 0 : i32
  %t = scf.for %i = %lb to %ub step %step iter_args(%t2 = %j) -> (!token) {
    %old, %t3 = nv_tileaa.atomic_rmw %p2, %z token(%t2) {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
    %new, %t4 = nv_tileaa.atomic_cas %p2, %z, %z token(%t3) {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32, !token
    %t5 = nv_tileaa.store %ptrs, %v mask(%m : tensor<8xi1>) token(%t4) : !t8xptr, !t8xf32 -> !token
    %t6 = nv_tileaa.store %ptrs, %v token(%t5) : !t8xptr, !t8xf32 -> !token
    scf.yield %t6 : !token
  }
  %mz = arith.constant dense<0.0> : tensor<4x4xf16>
  %mx = "test.op"() : () -> tensor<4x4xf16>
  %mc = arith.constant dense<1.0> : tensor<4x4xf32>
  %dot = nv_tileaa.dot %mx, %mz, %mc : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>
  %neg = nv_tileaa.negf %dot : tensor<4x4xf32>
  %lane = nv_tileaa.extract %neg[%z, %z] : (tensor<4x4xf32>, i32, i32) -> f32
  %q:2 = "nv_tileaa.queue.get"() ({
    nv_tileaa.queue.yield %lane, %neg : f32, tensor<4x4xf32>
  }) : () -> (f32, tensor<4x4xf32>)
  %r:2 = "nv_tileaa.pragma"() ({
    nv_tileaa.yield %q#0, %q#1 : f32, tensor<4x4xf32>
  }) {unroll = 2 : i32} : () -> (f32, tensor<4x4xf32>)
  "test.op"(%r#0, %t) : (f32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @everything(
// CHECK-NEXT: %0 = arith.addi %n, %n : i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %0 {elem_type = f32} : !llvm.ptr<1>, i64
// CHECK-NEXT: %1 = nv_tileaa.assume %p2 {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
// CHECK-NEXT: %ptrs = nv_tileaa.splat %1 : !llvm.ptr<1> to tensor<8x!llvm.ptr<1>>
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %2 = nv_tileaa.splat %c : i1 to tensor<8xi1>
// CHECK-NEXT: %3 = nv_tileaa.splat %x : f32 to tensor<8xf32>
// CHECK-NEXT: %4 = nv_tileaa.splat %zero : f32 to tensor<8xf32>
// CHECK-NEXT: %other = arith.select %2, %3, %4 : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: %z = arith.constant 0 : i32
// CHECK-NEXT: %t = scf.for %i = %lb to %ub step %step iter_args(%t2 = %t0) -> ([[token]]) {
// CHECK-NEXT:   %old, %t3 = nv_tileaa.load %p2 token(%t2) {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, [[token]]
// CHECK-NEXT:   %new, %t4 = nv_tileaa.load %p2 token(%t3) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, [[token]]
// CHECK-NEXT:   %t6 = nv_tileaa.store %ptrs, %other token(%t4) : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> [[token]]
// CHECK-NEXT:   scf.yield %t6 : [[token]]
// CHECK-NEXT: }
// CHECK-NEXT: %mx = "test.op"() : () -> tensor<4x4xf16>
// CHECK-NEXT: %mc = arith.constant dense<1.000000e+00> : tensor<4x4xf32>
// CHECK-NEXT: %5 = nv_tileaa.extract %mc[%z, %z] : (tensor<4x4xf32>, i32, i32) -> f32
// CHECK-NEXT: %lane = nv_tileaa.negf %5 : f32
// CHECK-NEXT: %q = "nv_tileaa.queue.get"() ({
// CHECK-NEXT:   nv_tileaa.queue.yield %lane : f32
// CHECK-NEXT: }) : () -> f32
// CHECK-NEXT: %r = "nv_tileaa.pragma"() ({
// CHECK-NEXT:   nv_tileaa.yield %q : f32
// CHECK-NEXT: }) {unroll = 2 : i32} : () -> f32
// CHECK-NEXT: "test.op"(%r, %t) : (f32, [[token]]) -> ()
// CHECK-NEXT: func.return
