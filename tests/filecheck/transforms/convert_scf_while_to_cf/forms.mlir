// Interplay: upstream's convert-scf-to-cf finishes what the pass leaves, with the result of `all`.
// RUN: tileiras-opt %s -p convert-scf-while-to-cf,convert-scf-to-cf | filecheck %s
// RUN: tileiras-opt %s -p "convert-scf-while-to-cf{all=true}" | filecheck %s

func.func @block_arguments(%n: index, %c: i1) -> (index, f32) {
  %0 = arith.constant 0 : index
  %x = arith.constant 0.000000e+00 : f32
  cf.br ^bb1(%0, %x : index, f32)
^bb1(%a: index, %b: f32):
  %1, %2 = scf.while (%i = %a, %s = %b) : (index, f32) -> (index, f32) {
    %3 = arith.cmpi ult, %i, %n : index
    %4 = scf.if %c -> (f32) {
      scf.yield %s : f32
    } else {
      scf.yield %b : f32
    }
    scf.condition(%3) %i, %4 : index, f32
  } do {
  ^bb0(%j: index, %t: f32):
    %5 = arith.addi %j, %n : index
    scf.yield %5, %t : index, f32
  }
  cf.cond_br %c, ^bb1(%1, %2 : index, f32), ^bb2
^bb2:
  func.return %1, %2 : index, f32
}
// CHECK: func.func @block_arguments(%n: index, %c: i1) -> (index, f32) {
// CHECK-NEXT: %0 = arith.constant 0 : index
// CHECK-NEXT: %x = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: cf.br ^bb1(%0, %x : index, f32)
// CHECK-NEXT: ^bb1(%a: index, %b: f32):
// CHECK-NEXT: cf.br ^bb2(%a, %b : index, f32)
// CHECK-NEXT: ^bb2(%i: index, %s: f32):
// CHECK-NEXT: %1 = arith.cmpi ult, %i, %n : index
// CHECK-NEXT: cf.cond_br %c, ^bb3, ^bb4
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: cf.br ^bb5(%s : f32)
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: cf.br ^bb5(%b : f32)
// CHECK-NEXT: ^bb5(%2: f32):
// CHECK-NEXT: cf.br ^bb6
// CHECK-NEXT: ^bb6:
// CHECK-NEXT: cf.cond_br %1, ^bb7(%i, %2 : index, f32), ^bb8(%i, %2 : index, f32)
// CHECK-NEXT: ^bb7(%j: index, %t: f32):
// CHECK-NEXT: %3 = arith.addi %j, %n : index
// CHECK-NEXT: cf.br ^bb2(%3, %t : index, f32)
// CHECK-NEXT: ^bb8(%4: index, %5: f32):
// CHECK-NEXT: cf.cond_br %c, ^bb1(%4, %5 : index, f32), ^bb9
// CHECK-NEXT: ^bb9:
// CHECK-NEXT: func.return %4, %5 : index, f32

func.func @changed_types(%p: i64) {
  %0 = scf.while (%x = %p) : (i64) -> i1 {
    %1 = "test.op"(%x) : (i64) -> i1
    scf.condition(%1) %1 : i1
  } do {
  ^bb0(%y: i1):
    %2 = "test.op"(%y) : (i1) -> i64
    scf.yield %2 : i64
  }
  scf.while : () -> () {
    %3 = "test.op"() : () -> i1
    scf.condition(%3)
  } do {
    scf.yield
  }
  func.return
}
// CHECK: func.func @changed_types(%p: i64) {
// CHECK-NEXT: cf.br ^bb1(%p : i64)
// CHECK-NEXT: ^bb1(%x: i64):
// CHECK-NEXT: %0 = "test.op"(%x) : (i64) -> i1
// CHECK-NEXT: cf.cond_br %0, ^bb2(%0 : i1), ^bb3(%0 : i1)
// CHECK-NEXT: ^bb2(%y: i1):
// CHECK-NEXT: %1 = "test.op"(%y) : (i1) -> i64
// CHECK-NEXT: cf.br ^bb1(%1 : i64)
// CHECK-NEXT: ^bb3(%2: i1):
// CHECK-NEXT: cf.br ^bb4
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: %3 = "test.op"() : () -> i1
// CHECK-NEXT: cf.cond_br %3, ^bb5, ^bb6
// CHECK-NEXT: ^bb5:
// CHECK-NEXT: cf.br ^bb4
// CHECK-NEXT: ^bb6:
// CHECK-NEXT: func.return

func.func @switch(%i: index, %n: i32) -> i32 {
  %0 = scf.index_switch %i -> i32
  case 2 {
    %1 = scf.while (%x = %n) : (i32) -> i32 {
      %2 = "test.op"(%x) : (i32) -> i1
      scf.condition(%2) %x : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
    scf.yield %1 : i32
  }
  default {
    scf.yield %n : i32
  }
  func.return %0 : i32
}
// CHECK: func.func @switch(%i: index, %n: i32) -> i32 {
// CHECK-NEXT: %0 = arith.index_cast %i : index to i32
// CHECK-NEXT: cf.switch %0 : i32, [
// CHECK-NEXT: default: ^bb5,
// CHECK-NEXT: 2: ^bb1
// CHECK-NEXT: ]
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb2(%n : i32)
// CHECK-NEXT: ^bb2(%x: i32):
// CHECK-NEXT: %1 = "test.op"(%x) : (i32) -> i1
// CHECK-NEXT: cf.cond_br %1, ^bb3(%x : i32), ^bb4(%x : i32)
// CHECK-NEXT: ^bb3(%y: i32):
// CHECK-NEXT: cf.br ^bb2(%y : i32)
// CHECK-NEXT: ^bb4(%2: i32):
// CHECK-NEXT: cf.br ^bb6(%2 : i32)
// CHECK-NEXT: ^bb5:
// CHECK-NEXT: cf.br ^bb6(%n : i32)
// CHECK-NEXT: ^bb6(%3: i32):
// CHECK-NEXT: func.return %3 : i32
