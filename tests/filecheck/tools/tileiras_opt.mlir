// RUN: TILEIRAS_ROUNDTRIP
// RUN: TILEIRAS_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s --split-input-file | filecheck %s
// RUN: cat %s | tileiras-opt - --split-input-file -o %t && filecheck %s < %t

// CHECK:      func.func @first(%a: i32) -> i32 {
// CHECK-NEXT:   %b = arith.addi %a, %a : i32
// CHECK-NEXT:   func.return %b : i32
// CHECK-NEXT: }
// CHECK-GENERIC: "func.func"() <{sym_name = "first"
// CHECK-GENERIC: "arith.addi"(%a, %a)
func.func @first(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  func.return %b : i32
}

// -----

// CHECK: func.func @second()
// CHECK-GENERIC: "func.func"() <{sym_name = "second"
func.func @second() {
  func.return
}
