// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --print-debuginfo | filecheck %s

// Everything in place of an op has the location of the op; the arrivals at the end of a loop body
// have that of its terminator.

!token = !nv_tileaa.mem_token

func.func @f(%p: !llvm.ptr<1>, %v: i32, %n: index, %one: index) {
  // CHECK:      nvvm.mbarrier.init.shared %{{.*}} : !llvm.ptr<3>, i32 loc("create")
  // CHECK-NEXT: %t0 = llvm.mlir.constant(0 : i32) : i32 loc("create")
  %t0 = nv_tileaa.create_mem_token : !token loc("create")
  // CHECK:      nv_tileas.store %p, %v : !llvm.ptr<1>, i32 loc("store")
  // CHECK-NEXT: nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64 loc("store")
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token loc("store")
  // CHECK:      nvvm.mbarrier.try_wait.parity.shared %{{.*}} -> i1 loc("join")
  // CHECK-NEXT: arith.xori {{.*}} loc("join")
  // CHECK-NEXT: scf.condition({{.*}}) loc("join")
  %j = nv_tileaa.join_mem_token [%t1] : !token loc("join")
  // CHECK:      scf.for
  %r = scf.for %i = %one to %n step %one iter_args(%t = %t0) -> (!token) {
    // CHECK:      nvvm.mbarrier.try_wait.parity.shared %{{.*}} -> i1 loc("load")
    // CHECK:      nv_tileas.load %p : !llvm.ptr<1> -> i32 loc("load")
    // CHECK-NEXT: nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64 loc("load")
    %x, %t2 = nv_tileaa.load %p token(%t) : !llvm.ptr<1> -> i32, !token loc("load")
    // CHECK:      nvvm.mbarrier.try_wait.parity.shared %{{.*}} -> i1 loc("yield")
    // CHECK:      nvvm.mbarrier.arrive.shared %slot0 : !llvm.ptr<3> -> i64 loc("yield")
    // CHECK-NEXT: scf.yield %t : i32 loc("yield")
    scf.yield %t2 : !token loc("yield")
  } loc("for")
  func.return
}
