// RUN: tileiras-opt %s -p convert-scf-while-to-cf --print-debuginfo | filecheck %s

func.func @locations(%n: i32, %c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %w = scf.while (%x = %n) : (i32) -> i32 {
      scf.condition(%c) %x : i32 loc("a.py":3:1)
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32 loc("a.py":4:1)
    } loc("a.py":2:1)
    scf.yield %w : i32 loc("a.py":5:1)
  } else {
    scf.yield %n : i32 loc("a.py":6:1)
  } loc("a.py":1:1)
  func.return %r : i32 loc("a.py":7:1)
}

// CHECK: func.func @locations(
// CHECK-NEXT: cf.cond_br %c, ^bb1, ^bb5 loc("a.py":1:1)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb2(%n : i32) loc("a.py":2:1)
// CHECK-NEXT: ^bb2(%x: i32 loc(unknown)):
// CHECK-NEXT: cf.cond_br %c, ^bb3(%x : i32), ^bb4(%x : i32) loc("a.py":3:1)
// CHECK-NEXT: ^bb3(%y: i32 loc(unknown)):
// CHECK-NEXT: cf.br ^bb2(%y : i32) loc("a.py":4:1)
// CHECK-NEXT: ^bb4(%w: i32 loc(unknown)):
// CHECK-NEXT: cf.br ^bb6(%w : i32) loc("a.py":1:1)
// CHECK-NEXT: ^bb5:
// CHECK-NEXT: cf.br ^bb6(%n : i32) loc("a.py":1:1)
