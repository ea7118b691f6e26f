// RUN: tileiras-opt %s -p simplify-loops --split-input-file --print-local-scope | filecheck %s

// %a does not change, %d is needed for itself only, and %j moves with the counter.

func.func @all(%n: i32, %x: f32, %y: f32, %z: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r0, %r1, %r2, %r3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %j = %c3, %d = %z) -> (f32, f32, i32, f32) : i32 {
    %next_b = "test.op"(%a, %b, %j) : (f32, f32, i32) -> f32
    %next_j = nv_tileaa.addi %j, %c2 : i32
    %next_d = nv_tileaa.addf %d, %a : f32
    scf.yield %a, %next_b, %next_j, %next_d : f32, f32, i32, f32
  } {kept}
  func.return %r0, %r1 : f32, f32
}

// CHECK:       func.func @all(%n: i32, %x: f32, %y: f32, %z: f32) -> (f32, f32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %c2 = arith.constant 2 : i32
// CHECK-NEXT:    %c3 = arith.constant 3 : i32
// CHECK-NEXT:    %r1 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %y) -> (f32) : i32 {
// CHECK-NEXT:      %0 = arith.constant 2 : i32
// CHECK-NEXT:      %1 = nv_tileaa.muli %i, %0 : i32
// CHECK-NEXT:      %j = nv_tileaa.addi %c3, %1 : i32
// CHECK-NEXT:      %next_b = "test.op"(%x, %b, %j) : (f32, f32, i32) -> f32
// CHECK-NEXT:      scf.yield %next_b : f32
// CHECK-NEXT:    } {kept}
// CHECK-NEXT:    func.return %x, %r1 : f32, f32
// CHECK-NEXT:  }

// -----

// Behind a loop by one, a value that moves with the counter is told from the last counter.

func.func @behind(%m: i32, %n: i32, %k: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %r0, %r1 = scf.for %i = %m to %n step %c1 iter_args(%j = %k, %l = %m) -> (i32, i32) : i32 {
    %next_j = arith.subi %j, %c1 : i32
    %next_l = arith.addi %c1, %l : i32
    "test.op"(%j, %l) : (i32, i32) -> ()
    scf.yield %next_j, %next_l : i32, i32
  }
  func.return %r0, %r1 : i32, i32
}

// CHECK:       func.func @behind(%m: i32, %n: i32, %k: i32) -> (i32, i32) {
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %0 = arith.constant -1 : i32
// CHECK-NEXT:    %1 = nv_tileaa.muli %m, %0 : i32
// CHECK-NEXT:    %2 = nv_tileaa.subi %k, %1 : i32
// CHECK-NEXT:    %3 = arith.constant 0 : i32
// CHECK-NEXT:    scf.for %i = %m to %n step %c1 : i32 {
// CHECK-NEXT:      %4 = arith.constant -1 : i32
// CHECK-NEXT:      %5 = nv_tileaa.muli %i, %4 : i32
// CHECK-NEXT:      %j = nv_tileaa.addi %2, %5 : i32
// CHECK-NEXT:      "test.op"(%j, %i) : (i32, i32) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    %r1 = arith.maxsi %m, %n : i32
// CHECK-NEXT:    %6 = arith.maxsi %m, %n : i32
// CHECK-NEXT:    %7 = arith.constant -1 : i32
// CHECK-NEXT:    %8 = nv_tileaa.muli %6, %7 : i32
// CHECK-NEXT:    %r0 = nv_tileaa.addi %2, %8 : i32
// CHECK-NEXT:    func.return %r0, %r1 : i32, i32
// CHECK-NEXT:  }

// -----

// Carried as before: what is used behind a loop by two, steps that are no multiple of the
// counter's, other types, values that feed each other and something else.

!token = !nv_tileaa.mem_token

func.func @kept(%n: i32, %x: i32, %y: i64, %t0: !token, %p: !llvm.ptr<1>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %one = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %x, %b = %x, %c = %y, %d = %x, %e = %x, %t = %t0) -> (i32, i32, i64, i32, i32, !token) : i32 {
    %next_a = nv_tileaa.addi %a, %c2 : i32
    %next_b = nv_tileaa.addi %b, %c3 : i32
    %next_c = nv_tileaa.addi %c, %one : i64
    "test.op"(%b, %c) : (i32, i64) -> ()
    %next_d = nv_tileaa.muli %e, %c3 : i32
    %next_e = nv_tileaa.muli %d, %c2 : i32
    %next_t = nv_tileaa.store %p, %d token(%t) : !llvm.ptr<1>, i32 -> !token
    scf.yield %next_a, %next_b, %next_c, %next_d, %next_e, %next_t : i32, i32, i64, i32, i32, !token
  }
  func.return %r0 : i32
}

// CHECK:       func.func @kept
// CHECK:         iter_args(%a = %x, %b = %x, %c = %y, %d = %x, %e = %x, %t = %t0) -> (i32, i32, i64, i32, i32, !nv_tileaa.mem_token)
// CHECK:         func.return %r0 : i32

// -----

// Values that feed each other and nothing else.

func.func @cycle(%n: i32, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r0, %r1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) : i32 {
    "test.op"(%i) : (i32) -> ()
    %next = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> (f32) : i32 {
      %sum = nv_tileaa.addf %s, %b : f32
      scf.yield %sum : f32
    }
    scf.yield %b, %next : f32, f32
  }
  func.return
}

// CHECK:       func.func @cycle
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      "test.op"(%i) : (i32) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Results of branches: unused, the same in both arms, poison in one of them.

func.func @branches(%c: i1, %x: f32, %y: f32) -> (f32, f32, f32) {
  %r0, %r1, %r2, %r3 = scf.if %c -> (f32, f32, f32, f32) {
    %a = nv_tileaa.addf %x, %y : f32
    %b = nv_tileaa.mulf %x, %y : f32
    scf.yield %x, %y, %a, %b : f32, f32, f32, f32
  } else {
    %p = ub.poison : f32
    scf.yield %x, %p, %y, %p : f32, f32, f32, f32
  } {kept}
  func.return %r0, %r1, %r2 : f32, f32, f32
}

// CHECK:       func.func @branches(%c: i1, %x: f32, %y: f32) -> (f32, f32, f32) {
// CHECK-NEXT:    %r2 = scf.if %c -> (f32) {
// CHECK-NEXT:      %a = nv_tileaa.addf %x, %y : f32
// CHECK-NEXT:      scf.yield %a : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %y : f32
// CHECK-NEXT:    }{kept}
// CHECK-NEXT:    func.return %x, %y, %r2 : f32, f32, f32
// CHECK-NEXT:  }

// -----

// The trip count is a constant: blocks of keys on the diagonal of causal attention.

func.func @bounds() {
  %x = gpu.block_id x
  %block = arith.index_cast %x : index to i32
  %one = arith.constant 1 : i32
  %size = arith.constant 128 : i32
  %half = arith.constant 64 : i32
  %rows = nv_tileaa.muli %block, %size : i32
  %first = nv_tileaa.divi %rows, %half {signedness = "signed", rounding = "negative_inf"} : i32
  %next = nv_tileaa.addi %block, %one : i32
  %more = nv_tileaa.muli %next, %size : i32
  %end = nv_tileaa.divi %more, %half {signedness = "signed", rounding = "positive_inf"} : i32
  scf.for %i = %first to %end step %one : i32 {
    "test.op"(%i) : (i32) -> ()
  }
  func.return
}

// CHECK:       func.func @bounds() {
// CHECK:         %first = nv_tileaa.divi
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:    %end = nv_tileaa.addi %first, %[[TWO]] : i32
// CHECK-NEXT:    scf.for %i = %first to %end step %one : i32 {

// -----

// With more rows than 128 in a tile block, a product might overflow.

func.func @overflow() {
  %x = gpu.block_id x
  %block = arith.index_cast %x : index to i32
  %one = arith.constant 1 : i32
  %size = arith.constant 256 : i32
  %rows = nv_tileaa.muli %block, %size : i32
  %first = nv_tileaa.divi %rows, %size {signedness = "signed", rounding = "negative_inf"} : i32
  %next = nv_tileaa.addi %block, %one : i32
  %more = nv_tileaa.muli %next, %size : i32
  %end = nv_tileaa.divi %more, %size {signedness = "signed", rounding = "positive_inf"} : i32
  scf.for %i = %first to %end step %one : i32 {
    "test.op"(%i) : (i32) -> ()
  }
  func.return
}

// CHECK:       func.func @overflow() {
// CHECK:         %end = nv_tileaa.divi
// CHECK-NEXT:    scf.for %i = %first to %end step %one : i32 {
