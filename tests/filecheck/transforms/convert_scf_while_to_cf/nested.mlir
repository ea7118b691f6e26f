// Interplay: upstream's convert-scf-to-cf finishes what the pass leaves, with the result of `all`.
// RUN: tileiras-opt %s -p convert-scf-while-to-cf,convert-scf-to-cf | filecheck %s
// RUN: tileiras-opt %s -p "convert-scf-while-to-cf{all=true}" | filecheck %s

gpu.module @m {
  gpu.func @k(%n: i32, %c: i1) kernel {
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %one) -> (i32, i32) : i32 {
      %w = scf.while (%x = %a) : (i32) -> i32 {
        %k = arith.cmpi slt, %x, %n : i32
        scf.condition(%k) %x : i32
      } do {
      ^bb0(%y: i32):
        %q = scf.if %c -> (i32) {
          %v = scf.while (%s = %y) : (i32) -> i32 {
            %t = arith.addi %s, %one : i32
            %u = arith.cmpi ult, %t, %n : i32
            scf.condition(%u) %t : i32
          } do {
          ^bb1(%y2: i32):
            scf.yield %y2 : i32
          }
          scf.yield %v : i32
        } else {
          scf.yield %one : i32
        }
        %y3 = arith.addi %y, %q : i32
        scf.yield %y3 : i32
      }
      scf.yield %w, %b : i32, i32
    }
    scf.if %c {
      "test.op"(%r#0) : (i32) -> ()
      scf.yield
    }
    gpu.return
  }
}
// CHECK: gpu.module @m {
// CHECK-NEXT: gpu.func @k(%n: i32, %c: i1) kernel {
// CHECK-NEXT: %z = arith.constant 0 : i32
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: cf.br ^bb1(%z, %z, %one : i32, i32, i32)
// CHECK-NEXT: ^bb1(%i: i32, %a: i32, %b: i32):
// CHECK-NEXT: %0 = arith.cmpi slt, %i, %n : i32
// CHECK-NEXT: cf.cond_br %0, ^bb2, ^bb13
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: cf.br ^bb3(%a : i32)
// CHECK-NEXT: ^bb3(%x: i32):
// CHECK-NEXT: %k = arith.cmpi slt, %x, %n : i32
// CHECK-NEXT: cf.cond_br %k, ^bb4(%x : i32), ^bb12(%x : i32)
// CHECK-NEXT: ^bb4(%y: i32):
// CHECK-NEXT: cf.cond_br %c, ^bb5, ^bb9
// CHECK-NEXT: ^bb5:
// CHECK-NEXT: cf.br ^bb6(%y : i32)
// CHECK-NEXT: ^bb6(%s: i32):
// CHECK-NEXT: %t = arith.addi %s, %one : i32
// CHECK-NEXT: %u = arith.cmpi ult, %t, %n : i32
// CHECK-NEXT: cf.cond_br %u, ^bb7(%t : i32), ^bb8(%t : i32)
// CHECK-NEXT: ^bb7(%y2: i32):
// CHECK-NEXT: cf.br ^bb6(%y2 : i32)
// CHECK-NEXT: ^bb8(%v: i32):
// CHECK-NEXT: cf.br ^bb10(%v : i32)
// CHECK-NEXT: ^bb9:
// CHECK-NEXT: cf.br ^bb10(%one : i32)
// CHECK-NEXT: ^bb10(%q: i32):
// CHECK-NEXT: cf.br ^bb11
// CHECK-NEXT: ^bb11:
// CHECK-NEXT: %y3 = arith.addi %y, %q : i32
// CHECK-NEXT: cf.br ^bb3(%y3 : i32)
// CHECK-NEXT: ^bb12(%w: i32):
// CHECK-NEXT: %1 = arith.addi %i, %one : i32
// CHECK-NEXT: cf.br ^bb1(%1, %w, %b : i32, i32, i32)
// CHECK-NEXT: ^bb13:
// CHECK-NEXT: cf.cond_br %c, ^bb14, ^bb15
// CHECK-NEXT: ^bb14:
// CHECK-NEXT: "test.op"(%a) : (i32) -> ()
// CHECK-NEXT: cf.br ^bb15
// CHECK-NEXT: ^bb15:
// CHECK-NEXT: gpu.return
// CHECK-NEXT: }
// CHECK-NEXT: }
