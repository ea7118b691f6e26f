// RUN: tileiras-opt %s -p recover-views --print-local-scope | filecheck %s

!p = !llvm.ptr<1>
!t = !nv_tileaa.mem_token
!x = tensor<16x16xf16>
!f = tensor<16x16xf32>
!n = tensor<16x16xi64>
!b = tensor<16x16xi1>
!ps = tensor<16x16x!llvm.ptr<1>>

gpu.module @m {
  // Rows from %i on, columns from 16 * %j on: a view has tiles at all rows, and at every eighth column,
  // where TMA can begin.
  gpu.func @rows(%p0: !p, %m0: i32, %k0: i32, %s0: i32, %i: i32, %j: i32, %t: !t) kernel {
    %p = nv_tileaa.assume %p0 {predicate = #nv_tileaa.div_by<16>} : !p
    %s1 = nv_tileaa.assume %s0 {predicate = #nv_tileaa.div_by<16>} : i32
    %s = nv_tileaa.assume %s1 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %m = nv_tileaa.assume %m0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %k = nv_tileaa.assume %k0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %h0 = arith.constant 0.0 : f16
    %zero = nv_tileaa.splat %h0 : f16 to !x
    %sum = arith.constant dense<0.0> : !f
    %column = nv_tileaa.muli %j, %c16 : i32
    %range = nv_tileaa.make_range %c0, %c16 : i32 to tensor<16xi32>
    %is = nv_tileaa.splat %i : i32 to tensor<16xi32>
    %r0 = nv_tileaa.addi %is, %range : tensor<16xi32>
    %r1 = nv_tileaa.view %r0 : tensor<16xi32> -> tensor<16x1xi32>
    %r2 = arith.extsi %r1 : tensor<16x1xi32> to tensor<16x1xi64>
    %r = nv_tileaa.broadcast %r2 : tensor<16x1xi64> -> !n
    %js = nv_tileaa.splat %column : i32 to tensor<16xi32>
    %q0 = nv_tileaa.addi %js, %range : tensor<16xi32>
    %q1 = nv_tileaa.view %q0 : tensor<16xi32> -> tensor<1x16xi32>
    %q2 = arith.extsi %q1 : tensor<1x16xi32> to tensor<1x16xi64>
    %q = nv_tileaa.broadcast %q2 : tensor<1x16xi64> -> !n
    %m1 = arith.extsi %m : i32 to i64
    %ms = nv_tileaa.splat %m1 : i64 to !n
    %k1 = arith.extsi %k : i32 to i64
    %ks = nv_tileaa.splat %k1 : i64 to !n
    %s2 = arith.extsi %s : i32 to i64
    %ss = nv_tileaa.splat %s2 : i64 to !n
    %a = nv_tileaa.cmpi %r, %ms {comparison_predicate = "less_than", signedness = "unsigned"} : !n -> !b
    %b = nv_tileaa.cmpi %q, %ks {comparison_predicate = "less_than", signedness = "unsigned"} : !n -> !b
    %inside = nv_tileaa.andi %a, %b : !b
    %far = nv_tileaa.muli %r, %ss : !n
    %offset = nv_tileaa.addi %far, %q : !n
    %base = nv_tileaa.splat %p : !p to !ps
    %ptr = nv_tileaa.addptr %base, %offset {elem_type = f16} : !ps, !n
    %x, %u = nv_tileaa.load %ptr mask(%inside : !b) other(%zero : !x) token(%t) : !ps -> !x, !t
    %y = nv_tileaa.dot %x, %x, %sum {input_precision = "tf32"} : !x, !x, !f
    // Nobody multiplies this one.
    %z, %v = nv_tileaa.load %ptr mask(%inside : !b) other(%zero : !x) token(%t) : !ps -> !x, !t
    "test.op"(%y, %z, %u, %v) : (!f, !x, !t, !t) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @rows
  // CHECK: [[EIGHTH:%.*]] = arith.shrsi %column, {{%.*}} : i32
  // CHECK-NEXT: [[M:%.*]] = nv_tileaa.make_memref %p sizes(%m, %k : i32, i32) strides(%s : i32)
  // CHECK-NEXT: [[V:%.*]] = nv_tileaa.block_tile [[M]]
  // CHECK-SAME: steps = [1, 8], padding = zero
  // CHECK-NEXT: [[X:%.*]], %u = nv_tileaa.tiled_load [[V]][%i, [[EIGHTH]]] token(%t)
  // CHECK-NEXT: nv_tileaa.dot [[X]], [[X]]
  // CHECK-NEXT: nv_tileaa.load %ptr
}
