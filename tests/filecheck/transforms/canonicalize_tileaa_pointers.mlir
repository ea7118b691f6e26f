// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s

// REQ: D-15, D-18
!t8xptr = tensor<8x!llvm.ptr<1>>
!ptr = !llvm.ptr<1>
!ptr3 = !llvm.ptr<3>

func.func @chain(%p: !ptr, %a: i64, %b: i64) -> !ptr {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f32} : (!ptr, i64) -> !ptr
  func.return %p2 : !ptr
}
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %0 = arith.addi %a, %b : i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %0 {elem_type = f32} : [[gptr:!llvm.ptr<1>]], i64
// CHECK-NEXT: func.return %p2 : [[gptr]]

// REQ: D-16, D-63
func.func @different_units(%p: !ptr) -> !ptr {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %p1 = "nv_tileaa.addptr"(%p, %c1) {elem_type = f32} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %c4) {elem_type = i8} : (!ptr, i64) -> !ptr
  func.return %p2 : !ptr
}
// CHECK-LABEL: func.func @different_units(
// CHECK-NEXT: %c1 = arith.constant 1 : i64
// CHECK-NEXT: %c4 = arith.constant 4 : i64
// CHECK-NEXT: %0 = arith.constant 4 : i64
// CHECK-NEXT: %1 = arith.muli %c1, %0 : i64
// CHECK-NEXT: %2 = arith.addi %1, %c4 : i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %2 {elem_type = i8} : [[gptr]], i64
// CHECK-NEXT: func.return %p2 : [[gptr]]

func.func @bytes_then_elements(%p: !t8xptr, %a: tensor<8xi64>, %b: tensor<8xi32>) -> !t8xptr {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = i16} : (!t8xptr, tensor<8xi64>) -> !t8xptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = !ptr} : (!t8xptr, tensor<8xi32>) -> !t8xptr
  func.return %p2 : !t8xptr
}
// CHECK-LABEL: func.func @bytes_then_elements(
// CHECK-NEXT: %0 = arith.extsi %b : tensor<8xi32> to tensor<8xi64>
// CHECK-NEXT: %1 = arith.constant dense<2> : tensor<8xi64>
// CHECK-NEXT: %2 = arith.muli %a, %1 : tensor<8xi64>
// CHECK-NEXT: %3 = arith.constant dense<8> : tensor<8xi64>
// CHECK-NEXT: %4 = arith.muli %0, %3 : tensor<8xi64>
// CHECK-NEXT: %5 = arith.addi %2, %4 : tensor<8xi64>
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %5 {elem_type = i8} : [[t8xptr:tensor<8x!llvm.ptr<1>>]], tensor<8xi64>
// CHECK-NEXT: func.return %p2 : [[t8xptr]]

// The sum of two i32 may need 33 bits.
func.func @narrow_offsets(%p: !ptr, %a: i32, %b: i32) -> !ptr {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i32) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f32} : (!ptr, i32) -> !ptr
  func.return %p2 : !ptr
}
// CHECK-LABEL: func.func @narrow_offsets(
// CHECK-NEXT: %0 = arith.extsi %a : i32 to i64
// CHECK-NEXT: %1 = arith.extsi %b : i32 to i64
// CHECK-NEXT: %2 = arith.addi %0, %1 : i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %2 {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: func.return %p2 : [[gptr]]

func.func @not_whole_bytes(%p: !ptr, %a: i64, %b: i64) {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f4E2M1FN} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f4E2M1FN} : (!ptr, i64) -> !ptr
  %q1 = "nv_tileaa.addptr"(%p, %a) {elem_type = i1} : (!ptr, i64) -> !ptr
  %q2 = "nv_tileaa.addptr"(%q1, %b) {elem_type = i8} : (!ptr, i64) -> !ptr
  "test.op"(%p2, %q2) : (!ptr, !ptr) -> ()
  func.return
}
// CHECK-LABEL: func.func @not_whole_bytes(
// CHECK-NEXT: %p1 = nv_tileaa.addptr %p, %a {elem_type = f4E2M1FN} : [[gptr]], i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p1, %b {elem_type = f4E2M1FN} : [[gptr]], i64
// CHECK-NEXT: %q1 = nv_tileaa.addptr %p, %a {elem_type = i1} : [[gptr]], i64
// CHECK-NEXT: %q2 = nv_tileaa.addptr %q1, %b {elem_type = i8} : [[gptr]], i64
// CHECK-NEXT: "test.op"(%p2, %q2) : ([[gptr]], [[gptr]]) -> ()
// CHECK-NEXT: func.return

func.func @wide_offsets(%p: !ptr, %a: i128, %b: i64) -> !ptr {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i128) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f32} : (!ptr, i64) -> !ptr
  func.return %p2 : !ptr
}
// CHECK-LABEL: func.func @wide_offsets(
// CHECK-NEXT: %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : [[gptr]], i128
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p1, %b {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: func.return %p2 : [[gptr]]

// REQ: D-17
func.func @address_spaces(%p: !ptr, %a: i64) {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i64) -> !ptr
  %q = "test.op"(%p1) : (!ptr) -> !ptr3
  %q1 = "nv_tileaa.addptr"(%q, %a) {elem_type = f32} : (!ptr3, i64) -> !ptr3
  %q2 = "nv_tileaa.addptr"(%q1, %a) {elem_type = f32} : (!ptr3, i64) -> !ptr3
  "test.op"(%q2) : (!ptr3) -> ()
  func.return
}
// CHECK-LABEL: func.func @address_spaces(
// CHECK-NEXT: %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: %q = "test.op"(%p1) : ([[gptr]]) -> !llvm.ptr<3>
// CHECK-NEXT: %0 = arith.addi %a, %a : i64
// CHECK-NEXT: %q2 = nv_tileaa.addptr %q, %0 {elem_type = f32} : !llvm.ptr<3>, i64
// CHECK-NEXT: "test.op"(%q2) : (!llvm.ptr<3>) -> ()
// CHECK-NEXT: func.return

// REQ: D-19
func.func @long_chain(%p: !ptr, %a: i64, %b: i32, %c: i64, %d: i64) -> !ptr {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f32} : (!ptr, i32) -> !ptr
  %p3 = "nv_tileaa.addptr"(%p2, %c) {elem_type = f64} : (!ptr, i64) -> !ptr
  %p4 = "nv_tileaa.addptr"(%p3, %d) {elem_type = i8} : (!ptr, i64) -> !ptr
  func.return %p4 : !ptr
}
// CHECK-LABEL: func.func @long_chain(
// CHECK-NEXT: %0 = arith.extsi %b : i32 to i64
// CHECK-NEXT: %1 = arith.addi %a, %0 : i64
// CHECK-NEXT: %2 = arith.constant 4 : i64
// CHECK-NEXT: %3 = arith.muli %1, %2 : i64
// CHECK-NEXT: %4 = arith.constant 8 : i64
// CHECK-NEXT: %5 = arith.muli %c, %4 : i64
// CHECK-NEXT: %6 = arith.addi %3, %5 : i64
// CHECK-NEXT: %7 = arith.addi %6, %d : i64
// CHECK-NEXT: %p4 = nv_tileaa.addptr %p, %7 {elem_type = i8} : [[gptr]], i64
// CHECK-NEXT: func.return %p4 : [[gptr]]

// REQ: D-20
func.func @no_chain(%p: !ptr, %a: i64, %b: tensor<8xi64>) {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.splat"(%p1) : (!ptr) -> !t8xptr
  %p3 = "nv_tileaa.addptr"(%p2, %b) {elem_type = f32} : (!t8xptr, tensor<8xi64>) -> !t8xptr
  "test.op"(%p3) : (!t8xptr) -> ()
  func.return
}
// CHECK-LABEL: func.func @no_chain(
// CHECK-NEXT: %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: %p2 = nv_tileaa.splat %p1 : [[gptr]] to [[t8xptr]]
// CHECK-NEXT: %p3 = nv_tileaa.addptr %p2, %b {elem_type = f32} : [[t8xptr]], tensor<8xi64>
// CHECK-NEXT: "test.op"(%p3) : ([[t8xptr]]) -> ()
// CHECK-NEXT: func.return

func.func @other_users(%p: !ptr, %a: i64, %b: i64) {
  %p1 = "nv_tileaa.addptr"(%p, %a) {elem_type = f32} : (!ptr, i64) -> !ptr
  %p2 = "nv_tileaa.addptr"(%p1, %b) {elem_type = f32} : (!ptr, i64) -> !ptr
  "test.op"(%p1, %p2) : (!ptr, !ptr) -> ()
  func.return
}
// CHECK-LABEL: func.func @other_users(
// CHECK-NEXT: %p1 = nv_tileaa.addptr %p, %a {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: %0 = arith.addi %a, %b : i64
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %0 {elem_type = f32} : [[gptr]], i64
// CHECK-NEXT: "test.op"(%p1, %p2) : ([[gptr]], [[gptr]]) -> ()
// CHECK-NEXT: func.return
