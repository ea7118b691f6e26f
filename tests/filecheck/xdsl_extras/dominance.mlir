// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s

// Uses in nested regions and in dominated blocks are fine, the order in a module is free.

// CHECK-LABEL: func.func @valid
"test.op"(%late) : (i32) -> ()
%late = "test.op"() : () -> i32
func.func @valid(%arg: i32) {
  %x = arith.addi %arg, %arg : i32
  "test.op"() ({
    "test.termop"(%x) : (i32) -> ()
  }) : () -> ()
  cf.br ^next
^next:
  %y = arith.addi %x, %arg : i32
  func.return
}

// -----

// CHECK: operand #1 does not dominate this use
// CHECK: %x = "arith.addi"(%arg, %y)
func.func @order(%arg: i32) {
  %x = arith.addi %arg, %y : i32
  %y = arith.addi %arg, %arg : i32
  func.return
}

// -----

// CHECK: operand #0 does not dominate this use
// CHECK: "test.op"(%x) : (i32) -> ()
func.func @escape() {
  "test.op"(%x) : (i32) -> ()
  "test.op"() ({
    %x = "test.op"() : () -> i32
    "test.termop"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

// CHECK: operand #0 does not dominate this use
// CHECK: "test.termop"(%x) : (i32) -> ()
func.func @blocks(%cond: i1) {
  cf.cond_br %cond, ^left, ^right
^left:
  %x = "test.op"() : () -> i32
  cf.br ^right
^right:
  "test.termop"(%x) : (i32) -> ()
}
