// RUN: tileiras-opt %s -p hoist-views --print-local-scope | filecheck %s

!p = !llvm.ptr<1>
!fixed = !nv_tileaa.memref<64x32xf32, strides = [32, 1]>
!rows = !nv_tileaa.memref<?x32xf32, strides = [32, 1]>

gpu.module @m {
  // Out of a loop and a branch, with the scalars that a tensor is computed of.
  gpu.func @nested(%p: !p, %n: i32, %c: i1) kernel {
    "test.op"() {before} : () -> ()
    scf.if %c {
      %c2 = arith.constant 2 : i32
      "test.op"() {inside} : () -> ()
      scf.for %i = %n to %n step %n : i32 {
        %m = nv_tileaa.make_memref %p : !p -> !fixed
        %rows = nv_tileaa.muli %n, %c2 : i32
        %r = nv_tileaa.make_memref %p sizes(%rows : i32) : !p -> !rows
        "test.op"(%m, %r) : (!fixed, !rows) -> ()
      }
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @nested
  // CHECK-NEXT: "test.op"() {before}
  // CHECK-NEXT: %m = nv_tileaa.make_memref %p
  // CHECK-NEXT: %c2 = arith.constant 2
  // CHECK-NEXT: %rows = nv_tileaa.muli %n, %c2
  // CHECK-NEXT: %r = nv_tileaa.make_memref %p sizes(%rows
  // CHECK-NEXT: scf.if %c {
  // CHECK-NEXT: "test.op"() {inside}
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: "test.op"(%m, %r)

  // Not what depends on an iteration or on memory, divides, or is assumed there.
  gpu.func @others(%p: !p, %n: i32, %c: i1) kernel {
    scf.for %i = %n to %n step %n : i32 {
      %m = nv_tileaa.make_memref %p sizes(%i : i32) : !p -> !rows
      %k, %t = nv_tileaa.load %p : !p -> i32, !nv_tileaa.mem_token
      %r = nv_tileaa.make_memref %p sizes(%k : i32) : !p -> !rows
      "test.op"(%m, %r) : (!rows, !rows) -> ()
    }
    scf.if %c {
      %d = nv_tileaa.divi %n, %n {signedness = "signed"} : i32
      %m = nv_tileaa.make_memref %p sizes(%d : i32) : !p -> !rows
      %q = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !p
      %r = nv_tileaa.make_memref %q sizes(%n : i32) : !p -> !rows
      "test.op"(%m, %r) : (!rows, !rows) -> ()
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @others
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: %m = nv_tileaa.make_memref
  // CHECK-NEXT: nv_tileaa.load
  // CHECK-NEXT: %r = nv_tileaa.make_memref
  // CHECK: scf.if
  // CHECK-NEXT: nv_tileaa.divi
  // CHECK-NEXT: nv_tileaa.make_memref
  // CHECK-NEXT: nv_tileaa.assume
  // CHECK-NEXT: nv_tileaa.make_memref
}
