// RUN: tileiras-opt %s -p uplift-while-to-for --split-input-file | filecheck %s

// What `while i < n: …; i += 1` becomes: two arms, of which one leaves.

func.func @two_arms(%n: i32, %init: f32) -> (i32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %u0, %u1, %count, %sum = scf.while (%i = %c0, %x = %init) : (i32, f32) -> (i32, f32, i32, f32) {
    %test = nv_tileaa.cmpi %i, %n {comparison_predicate = "less_than", signedness = "signed"} : i32 -> i1
    %flag, %a, %b, %c, %d = scf.if %test -> (i1, i32, f32, i32, f32) {
      %y = "test.op"(%i, %x) : (i32, f32) -> f32
      %next = nv_tileaa.addi %i, %c1 : i32
      %true = arith.constant true
      %p = ub.poison : i32
      %q = ub.poison : f32
      scf.yield %true, %next, %y, %p, %q : i1, i32, f32, i32, f32
    } else {
      %false = arith.constant false
      %p = ub.poison : i32
      %q = ub.poison : f32
      scf.yield %false, %p, %q, %i, %x : i1, i32, f32, i32, f32
    }
    scf.condition(%flag) %a, %b, %c, %d : i32, f32, i32, f32
  } do {
  ^bb0(%j: i32, %z: f32, %u2: i32, %u3: f32):
    scf.yield %j, %z : i32, f32
  }
  func.return %count, %sum : i32, f32
}

// CHECK:       func.func @two_arms(%n: i32, %init: f32) -> (i32, f32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> (f32) : i32 {
// CHECK-NEXT:      %y = "test.op"(%i, %x) : (i32, f32) -> f32
// CHECK-NEXT:      scf.yield %y : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %count = arith.maxsi %c0, %n : i32
// CHECK-NEXT:    func.return %count, %sum : i32, f32
// CHECK-NEXT:  }

// -----

// The arm that leaves comes first, and does something. Its bound is computed in the loop, and so
// is what it needs. Steps of two are carried on, to know where they end.

func.func @leave_first(%n0: i32, %init: i32) -> (i32, i32) {
  %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, 1000>} : i32
  %c0 = arith.constant 0 : i32
  %u0, %u1, %count, %sum = scf.while (%i = %c0, %x = %init) : (i32, i32) -> (i32, i32, i32, i32) {
    %square = nv_tileaa.muli %n, %n : i32
    %twice = nv_tileaa.addi %x, %x : i32
    %test = nv_tileaa.cmpi %square, %i {comparison_predicate = "less_than_or_equal", signedness = "signed"} : i32 -> i1
    %flag, %a, %b, %c, %d = scf.if %test -> (i1, i32, i32, i32, i32) {
      "test.op"(%i) {left} : (i32) -> ()
      %false = arith.constant false
      %p = ub.poison : i32
      scf.yield %false, %p, %p, %i, %twice : i1, i32, i32, i32, i32
    } else {
      %y = "test.op"(%i, %twice) : (i32, i32) -> i32
      %c2 = arith.constant 2 : i32
      %next = nv_tileaa.addi %c2, %i : i32
      %true = arith.constant true
      %p = ub.poison : i32
      scf.yield %true, %next, %y, %p, %p : i1, i32, i32, i32, i32
    }
    scf.condition(%flag) %a, %b, %c, %d : i32, i32, i32, i32
  } do {
  ^bb0(%j: i32, %z: i32, %u2: i32, %u3: i32):
    scf.yield %j, %z : i32, i32
  }
  func.return %count, %sum : i32, i32
}

// CHECK:       func.func @leave_first(%n0: i32, %init: i32) -> (i32, i32) {
// CHECK-NEXT:    %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, 1000>} : i32
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %square = nv_tileaa.muli %n, %n : i32
// CHECK-NEXT:    %0 = arith.constant 2 : i32
// CHECK-NEXT:    %count, %1 = scf.for %i = %c0 to %square step %0 iter_args(%2 = %c0, %x = %init) -> (i32, i32) : i32 {
// CHECK-NEXT:      %twice = nv_tileaa.addi %x, %x : i32
// CHECK-NEXT:      %y = "test.op"(%i, %twice) : (i32, i32) -> i32
// CHECK-NEXT:      %c2 = arith.constant 2 : i32
// CHECK-NEXT:      %next = nv_tileaa.addi %c2, %i : i32
// CHECK-NEXT:      scf.yield %next, %y : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %twice_1 = nv_tileaa.addi %1, %1 : i32
// CHECK-NEXT:    "test.op"(%count) {left} : (i32) -> ()
// CHECK-NEXT:    func.return %count, %twice_1 : i32, i32
// CHECK-NEXT:  }

// -----

// What `for unsigned` becomes, of numbers that are not negative.

func.func @unsigned(%n0: i32) {
  %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi ult, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) : (i32) -> ()
    %next = arith.addi %j, %c1 : i32
    scf.yield %next : i32
  } attributes {kept}
  func.return
}

// CHECK:       func.func @unsigned(%n0: i32) {
// CHECK-NEXT:    %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      "test.op"(%i) : (i32) -> ()
// CHECK-NEXT:    } {kept}
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// With a step that is limited to what is left, so that it leads to no number beyond the bound.

func.func @unsigned_step(%n0: i32) {
  %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi ult, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) : (i32) -> ()
    %left = arith.subi %n, %j : i32
    %most = arith.minui %c3, %left : i32
    %next = arith.addi %j, %most : i32
    scf.yield %next : i32
  }
  func.return
}

// CHECK:       func.func @unsigned_step(%n0: i32) {
// CHECK:         scf.for %i = %c0 to %n step %c3
// CHECK-NOT:     scf.while

// -----

// What is left to something else.

func.func @other_limit(%n0: i32, %m: i32) {
  %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi ult, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) : (i32) -> ()
    %left = arith.subi %m, %j : i32
    %most = arith.minui %c3, %left : i32
    %next = arith.addi %j, %most : i32
    scf.yield %next : i32
  }
  func.return
}

// CHECK:       func.func @other_limit(
// CHECK:         scf.while

// -----

// Down to zero.

func.func @down(%n0: i32) -> i32 {
  %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %c0 = arith.constant 0 : i32
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %test = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    %minus = arith.constant -1 : i32
    %next = nv_tileaa.addi %j, %minus : i32
    "test.op"(%next) : (i32) -> ()
    scf.yield %next : i32
  }
  func.return %r : i32
}

// CHECK:       func.func @down(%n0: i32) -> i32 {
// CHECK-NEXT:    %n = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %0 = arith.constant 1 : i32
// CHECK-NEXT:    %1 = arith.constant 0 : i32
// CHECK-NEXT:    scf.for %2 = %1 to %n step %0 : i32 {
// CHECK-NEXT:      %i = nv_tileaa.subi %n, %2 : i32
// CHECK-NEXT:      %minus = arith.constant -1 : i32
// CHECK-NEXT:      %next = nv_tileaa.addi %i, %minus : i32
// CHECK-NEXT:      "test.op"(%next) : (i32) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = nv_tileaa.subi %n, %n : i32
// CHECK-NEXT:    func.return %r : i32
// CHECK-NEXT:  }

// -----

// The test comes last, so there is one iteration at least.

func.func @last(%n: i32, %init: f32) -> (i32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %u0, %u1, %count, %sum = scf.while (%i = %c0, %x = %init) : (i32, f32) -> (i32, f32, i32, f32) {
    %y = "test.op"(%i, %x) : (i32, f32) -> f32
    %next = nv_tileaa.addi %i, %c1 : i32
    %test = nv_tileaa.cmpi %next, %n {comparison_predicate = "greater_than_or_equal", signedness = "signed"} : i32 -> i1
    %flag, %a, %b, %c, %d = scf.if %test -> (i1, i32, f32, i32, f32) {
      %false = arith.constant false
      %p = ub.poison : i32
      %q = ub.poison : f32
      scf.yield %false, %p, %q, %next, %y : i1, i32, f32, i32, f32
    } else {
      %true = arith.constant true
      %p = ub.poison : i32
      %q = ub.poison : f32
      scf.yield %true, %next, %y, %p, %q : i1, i32, f32, i32, f32
    }
    scf.condition(%flag) %a, %b, %c, %d : i32, f32, i32, f32
  } do {
  ^bb0(%j: i32, %z: f32, %u2: i32, %u3: f32):
    scf.yield %j, %z : i32, f32
  }
  func.return %count, %sum : i32, f32
}

// CHECK:       func.func @last(%n: i32, %init: f32) -> (i32, f32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %0 = arith.constant 1 : i32
// CHECK-NEXT:    %count = arith.maxsi %n, %0 : i32
// CHECK-NEXT:    %sum = scf.for %i = %c0 to %count step %c1 iter_args(%x = %init) -> (f32) : i32 {
// CHECK-NEXT:      %y = "test.op"(%i, %x) : (i32, f32) -> f32
// CHECK-NEXT:      scf.yield %y : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %count, %sum : i32, f32
// CHECK-NEXT:  }

// -----

// Steps of any length, of which a flag says that they do not wrap around.

func.func @flags(%n: i32, %s0: i32) {
  %c0 = arith.constant 0 : i32
  %s = nv_tileaa.assume %s0 {predicate = #nv_tileaa.bounded<1, ?>} : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi slt, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) : (i32) -> ()
    %next = nv_tileaa.addi %j, %s {overflow = "no_signed_wrap"} : i32
    scf.yield %next : i32
  }
  %q = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi slt, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) : (i32) -> ()
    %next = arith.addi %j, %s overflow<nsw> : i32
    scf.yield %next : i32
  }
  func.return
}

// CHECK:       func.func @flags(%n: i32, %s0: i32) {
// CHECK:         %{{.*}} = scf.for %i = %c0 to %n step %s
// CHECK:         %{{.*}} = scf.for %i_1 = %c0 to %n step %s
// CHECK-NOT:     scf.while

// -----

// Not counted: steps that may wrap around, a bound that changes, a counter with two steps, another
// way out, work before a test that comes first. What does not change moves out all the same.

func.func @others(%n: i32, %s0: i32, %init: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %s = nv_tileaa.assume %s0 {predicate = #nv_tileaa.bounded<1, ?>} : i32
  %r0 = scf.while (%i = %c0) : (i32) -> i32 {
    %bound = nv_tileaa.muli %n, %n : i32
    %test = arith.cmpi slt, %i, %bound : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    "test.op"(%j) {wraps} : (i32) -> ()
    %next = nv_tileaa.addi %j, %s : i32
    scf.yield %next : i32
  }
  %r1, %q1 = scf.while (%i = %c0, %m = %n) : (i32, i32) -> (i32, i32) {
    %test = arith.cmpi slt, %i, %m : i32
    scf.condition(%test) %i, %m : i32, i32
  } do {
  ^bb0(%j: i32, %k: i32):
    %l = "test.op"(%k) {changes} : (i32) -> i32
    %next = nv_tileaa.addi %j, %c1 : i32
    scf.yield %next, %l : i32, i32
  }
  %r2 = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi slt, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    %c = "test.op"(%j) {two_steps} : (i32) -> i1
    %next = scf.if %c -> (i32) {
      %one = nv_tileaa.addi %j, %c1 : i32
      scf.yield %one : i32
    } else {
      %two = nv_tileaa.addi %j, %c2 : i32
      scf.yield %two : i32
    }
    scf.yield %next : i32
  }
  %r3 = scf.while (%i = %c0) : (i32) -> i32 {
    %test = arith.cmpi slt, %i, %n : i32
    %flag, %next = scf.if %test -> (i1, i32) {
      %c = "test.op"(%i) {other_way} : (i32) -> i1
      %following = nv_tileaa.addi %i, %c1 : i32
      scf.yield %c, %following : i1, i32
    } else {
      scf.yield %test, %i : i1, i32
    }
    scf.condition(%flag) %next : i32
  } do {
  ^bb0(%j: i32):
    scf.yield %j : i32
  }
  %r4 = scf.while (%i = %c0) : (i32) -> i32 {
    "test.op"(%i) {before} : (i32) -> ()
    %test = arith.cmpi slt, %i, %n : i32
    scf.condition(%test) %i : i32
  } do {
  ^bb0(%j: i32):
    %next = nv_tileaa.addi %j, %c1 : i32
    scf.yield %next : i32
  }
  func.return
}

// CHECK:       func.func @others
// CHECK-NOT:     scf.for
// CHECK:         %bound = nv_tileaa.muli %n, %n : i32
// CHECK-NEXT:    %r0 = scf.while
// CHECK:         {wraps}
// CHECK:         %r1, %q1 = scf.while
// CHECK:         {changes}
// CHECK:         %r2 = scf.while
// CHECK:         {two_steps}
// CHECK:         %r3 = scf.while
// CHECK:         {other_way}
// CHECK:         %r4 = scf.while
// CHECK:         {before}
// CHECK-NOT:     scf.for
// CHECK:         func.return

// -----

// A loop that ends after its first header is that header, also inside of another one.

func.func @once(%x: i32) -> i32 {
  %false = arith.constant false
  %r = scf.while (%i = %x) : (i32) -> i32 {
    %y = "test.op"(%i) {outer} : (i32) -> i32
    %s = scf.while (%j = %y) : (i32) -> i32 {
      %z = "test.op"(%j) {inner} : (i32) -> i32
      scf.condition(%false) %z : i32
    } do {
    ^bb0(%k: i32):
      "test.op"() {never} : () -> ()
      scf.yield %k : i32
    }
    scf.condition(%false) %s : i32
  } do {
  ^bb0(%k: i32):
    scf.yield %k : i32
  }
  func.return %r : i32
}

// CHECK:       func.func @once
// CHECK-NEXT:    arith.constant false
// CHECK-NEXT:    %y = "test.op"(%x) {outer} : (i32) -> i32
// CHECK-NEXT:    %z = "test.op"(%y) {inner} : (i32) -> i32
// CHECK-NEXT:    func.return %z : i32
