// RUN: tileiras-opt %s -p canonicalize-tileaa --print-local-scope | filecheck %s
// RUN: tileiras-opt %s -p canonicalize --print-local-scope | filecheck %s

!two = tensor<2xi32>
!rows = tensor<2x2xi32>
!flags = tensor<2x2xi1>

// What sorting networks compare: whether two elements are in order, and in which they should be.
func.func @direction(%p: !flags) -> !flags {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %range = nv_tileaa.make_range %c0, %c2 : i32 to !two
  %row = nv_tileaa.view %range : !two -> tensor<1x2xi32>
  %column = nv_tileaa.view %range : !two -> tensor<2x1xi32>
  %rows = nv_tileaa.broadcast %row : tensor<1x2xi32> -> !rows
  %columns = nv_tileaa.broadcast %column : tensor<2x1xi32> -> !rows
  %flip = nv_tileaa.xori %rows, %columns : !rows
  %number = arith.extui %p : !flags to !rows
  %r = nv_tileaa.cmpi %number, %flip {comparison_predicate = "not_equal"} : !rows -> !flags
  func.return %r : !flags
}
// CHECK-LABEL: func.func @direction(
// CHECK-NOT: extui
// CHECK: %[[A:.*]] = nv_tileaa.cmpi %range, %{{.*}} {comparison_predicate = "not_equal"} : [[two:tensor<2xi32>]] -> [[bits:tensor<2xi1>]]
// CHECK-NEXT: %[[B:.*]] = nv_tileaa.view %[[A]] : [[bits]] -> [[row:tensor<1x2xi1>]]
// CHECK-NEXT: %[[C:.*]] = nv_tileaa.broadcast %[[B]] : [[row]] -> [[flags:tensor<2x2xi1>]]
// CHECK: %[[D:.*]] = nv_tileaa.xori %[[C]], %{{.*}} : [[flags]]
// CHECK-NEXT: %r = nv_tileaa.xori %p, %[[D]] : [[flags]]
// CHECK-NEXT: func.return %r : [[flags]]

func.func @both(%p: !flags, %q: !flags) -> !flags {
  %a = arith.extui %p : !flags to !rows
  %b = arith.extui %q : !flags to !rows
  %r = nv_tileaa.cmpi %a, %b {comparison_predicate = "not_equal"} : !rows -> !flags
  func.return %r : !flags
}
// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %r = nv_tileaa.xori %p, %q : [[flags:tensor<2x2xi1>]]
// CHECK-NEXT: func.return %r : [[flags]]

// Numbers that may be others than 0 and 1 stay numbers.
func.func @numbers(%p: tensor<4xi1>, %x: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %range = nv_tileaa.make_range %c0, %c4 : i32 to tensor<4xi32>
  %a = arith.extui %p : tensor<4xi1> to tensor<4xi32>
  %r = nv_tileaa.cmpi %a, %range {comparison_predicate = "not_equal"} : tensor<4xi32> -> tensor<4xi1>
  %s = nv_tileaa.cmpi %a, %x {comparison_predicate = "not_equal"} : tensor<4xi32> -> tensor<4xi1>
  %t = nv_tileaa.cmpi %a, %a {comparison_predicate = "less_than"} : tensor<4xi32> -> tensor<4xi1>
  func.return %r, %s, %t : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// CHECK-LABEL: func.func @numbers(
// CHECK: %r = nv_tileaa.cmpi %a, %range
// CHECK-NEXT: %s = nv_tileaa.cmpi %a, %x
// CHECK-NEXT: %t = nv_tileaa.cmpi %a, %a
// CHECK-NEXT: func.return %r, %s, %t
