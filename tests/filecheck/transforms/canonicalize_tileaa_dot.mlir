// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s

// REQ: D-06
!t2x2xi32 = tensor<2x2xi32>
!t2x2xi8 = tensor<2x2xi8>
!t1x1xi8 = tensor<1x1xi8>
!t1x1xi32 = tensor<1x1xi32>
!t1x1xf32 = tensor<1x1xf32>

func.func @zero_a(%b: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %z = arith.constant dense<0> : tensor<16x16xi8>
  %d = "nv_tileaa.dot"(%z, %b, %c) : (tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>) -> tensor<16x16xi32>
  func.return %d : tensor<16x16xi32>
}
// CHECK-LABEL: func.func @zero_a(
// CHECK-NEXT: func.return %c : tensor<16x16xi32>

// REQ: D-13
func.func @zero_b(%a: tensor<2x4xf16>, %c: tensor<2x4xf32>) {
  %z = arith.constant 0.0 : f16
  %b = nv_tileaa.splat %z : f16 to tensor<4x4xf16>
  %d = nv_tileaa.dot %a, %b, %c : tensor<2x4xf16>, tensor<4x4xf16>, tensor<2x4xf32>
  %n = arith.constant dense<[[0.0, -0.0], [-0.0, 0.0]]> : tensor<2x2xf16>
  %r = "test.op"() : () -> tensor<2x4xf16>
  %e = nv_tileaa.dot %n, %r, %d : tensor<2x2xf16>, tensor<2x4xf16>, tensor<2x4xf32>
  "test.op"(%e) : (tensor<2x4xf32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @zero_b(
// CHECK-NEXT: %r = "test.op"() : () -> tensor<2x4xf16>
// CHECK-NEXT: "test.op"(%c) : (tensor<2x4xf32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-07, D-12
func.func @all_constant() -> !t2x2xi32 {
  %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %b = arith.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi8>
  %c = arith.constant dense<1> : tensor<2x2xi32>
  %d = "nv_tileaa.dot"(%a, %b, %c) : (!t2x2xi8, !t2x2xi8, !t2x2xi32) -> !t2x2xi32
  func.return %d : !t2x2xi32
}
// CHECK-LABEL: func.func @all_constant(
// CHECK-NEXT: %d = arith.constant dense<{{\[\[}}20, 23], [44, 51]]> : tensor<2x2xi32>
// CHECK-NEXT: func.return %d : tensor<2x2xi32>

func.func @splats_and_batches() -> tensor<2x1x2xf32> {
  %one = arith.constant 1.0 : f16
  %a = nv_tileaa.splat %one : f16 to tensor<2x1x4xf16>
  %b = arith.constant dense<[[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], [[3.0, 4.0], [3.0, 4.0], [3.0, 4.0], [3.0, 4.0]]]> : tensor<2x4x2xf16>
  %c = arith.constant dense<0.5> : tensor<2x1x2xf32>
  %d = nv_tileaa.dot %a, %b, %c : tensor<2x1x4xf16>, tensor<2x4x2xf16>, tensor<2x1x2xf32>
  func.return %d : tensor<2x1x2xf32>
}
// CHECK-LABEL: func.func @splats_and_batches(
// CHECK-NEXT: %d = arith.constant dense<{{\[\[\[}}4.500000e+00, 8.500000e+00]], {{\[\[}}1.250000e+01, 1.650000e+01]]]> : tensor<2x1x2xf32>
// CHECK-NEXT: func.return %d : tensor<2x1x2xf32>

// REQ: D-08
func.func @accumulator_not_constant(%c: !t2x2xi32) -> !t2x2xi32 {
  %a = arith.constant dense<1> : tensor<2x2xi8>
  %b = arith.constant dense<2> : tensor<2x2xi8>
  %d = nv_tileaa.dot %a, %b, %c : !t2x2xi8, !t2x2xi8, !t2x2xi32
  func.return %d : !t2x2xi32
}
// CHECK-LABEL: func.func @accumulator_not_constant(
// CHECK-NEXT: %a = arith.constant dense<1> : tensor<2x2xi8>
// CHECK-NEXT: %b = arith.constant dense<2> : tensor<2x2xi8>
// CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
// CHECK-NEXT: func.return %d : tensor<2x2xi32>

// REQ: D-09
func.func @multiplicand_not_constant(%x: !t2x2xi8) {
  %one = arith.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi8>
  %c = arith.constant dense<0> : tensor<2x2xi32>
  %d = nv_tileaa.dot %x, %one, %c : !t2x2xi8, !t2x2xi8, !t2x2xi32
  %e = nv_tileaa.dot %one, %x, %c : !t2x2xi8, !t2x2xi8, !t2x2xi32
  "test.op"(%d, %e) : (!t2x2xi32, !t2x2xi32) -> ()
  func.return
}
// CHECK-LABEL: func.func @multiplicand_not_constant(
// CHECK-NEXT: %one = arith.constant dense<{{\[\[}}1, 0], [0, 0]]> : tensor<2x2xi8>
// CHECK-NEXT: %c = arith.constant dense<0> : tensor<2x2xi32>
// CHECK-NEXT: %d = nv_tileaa.dot %x, %one, %c : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
// CHECK-NEXT: %e = nv_tileaa.dot %one, %x, %c : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
// CHECK-NEXT: "test.op"(%d, %e) : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-10
func.func @signedness() {
  %a = arith.constant dense<255> : tensor<1x1xi8>
  %b = arith.constant dense<2> : tensor<1x1xi8>
  %c = arith.constant dense<0> : tensor<1x1xi32>
  %ss = nv_tileaa.dot %a, %a, %c {signedness_lhs = "signed", signedness_rhs = "signed"} : !t1x1xi8, !t1x1xi8, !t1x1xi32
  %su = nv_tileaa.dot %a, %a, %c {signedness_lhs = "signed", signedness_rhs = "unsigned"} : !t1x1xi8, !t1x1xi8, !t1x1xi32
  %us = nv_tileaa.dot %a, %b, %c {signedness_lhs = "unsigned", signedness_rhs = "signed"} : !t1x1xi8, !t1x1xi8, !t1x1xi32
  %uu = nv_tileaa.dot %a, %a, %c {signedness_lhs = "unsigned", signedness_rhs = "unsigned"} : !t1x1xi8, !t1x1xi8, !t1x1xi32
  "test.op"(%ss, %su, %us, %uu) : (!t1x1xi32, !t1x1xi32, !t1x1xi32, !t1x1xi32) -> ()
  func.return
}
// CHECK-LABEL: func.func @signedness(
// CHECK-NEXT: %ss = arith.constant dense<1> : tensor<1x1xi32>
// CHECK-NEXT: %su = arith.constant dense<-255> : tensor<1x1xi32>
// CHECK-NEXT: %us = arith.constant dense<510> : tensor<1x1xi32>
// CHECK-NEXT: %uu = arith.constant dense<65025> : tensor<1x1xi32>
// CHECK-NEXT: "test.op"(%ss, %su, %us, %uu) : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xi32>) -> ()
// CHECK-NEXT: func.return

// 2048 + 1 and 300 * 300 are no f16.
// REQ: D-11
func.func @wide_sums() {
  %a = arith.constant dense<[[2048.0, 300.0]]> : tensor<1x2xf16>
  %b = arith.constant dense<[[1.0, 2048.0], [0.00333404541, 300.0]]> : tensor<2x2xf16>
  %c = arith.constant dense<1.0> : tensor<1x2xf32>
  %d = nv_tileaa.dot %a, %b, %c : tensor<1x2xf16>, tensor<2x2xf16>, tensor<1x2xf32>
  %e = arith.constant dense<1.0> : tensor<1x2xf16>
  %f = nv_tileaa.dot %a, %b, %e : tensor<1x2xf16>, tensor<2x2xf16>, tensor<1x2xf16>
  "test.op"(%d, %f) : (tensor<1x2xf32>, tensor<1x2xf16>) -> ()
  func.return
}
// CHECK-LABEL: func.func @wide_sums(
// CHECK-NEXT: %d = arith.constant dense<{{\[\[}}2050.00024, 0x4A82BF22]]> : tensor<1x2xf32>
// CHECK-NEXT: %f = arith.constant dense<{{\[\[}}2.048000e+03, 0x7c00]]> : tensor<1x2xf16>
// CHECK-NEXT: "test.op"(%d, %f) : (tensor<1x2xf32>, tensor<1x2xf16>) -> ()
// CHECK-NEXT: func.return

// An f32 that is no tf32 stays, for the operands are to be rounded.
func.func @rounded_to_tf32() {
  %a = arith.constant dense<0.1> : tensor<1x1xf32>
  %b = arith.constant dense<0.5> : tensor<1x1xf32>
  %c = arith.constant dense<0.0> : tensor<1x1xf32>
  %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"} : !t1x1xf32, !t1x1xf32, !t1x1xf32
  %e = nv_tileaa.dot %b, %b, %c {input_precision = "tf32"} : !t1x1xf32, !t1x1xf32, !t1x1xf32
  %f = nv_tileaa.dot %a, %b, %c {input_precision = "ieee"} : !t1x1xf32, !t1x1xf32, !t1x1xf32
  "test.op"(%d, %e, %f) : (!t1x1xf32, !t1x1xf32, !t1x1xf32) -> ()
  func.return
}
// CHECK-LABEL: func.func @rounded_to_tf32(
// CHECK-NEXT: %a = arith.constant dense<1.000000e-01> : tensor<1x1xf32>
// CHECK-NEXT: %b = arith.constant dense<5.000000e-01> : tensor<1x1xf32>
// CHECK-NEXT: %c = arith.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"} : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
// CHECK-NEXT: %e = arith.constant dense<2.500000e-01> : tensor<1x1xf32>
// CHECK-NEXT: %f = arith.constant dense<5.000000e-02> : tensor<1x1xf32>
// CHECK-NEXT: "test.op"(%d, %e, %f) : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) -> ()
// CHECK-NEXT: func.return

func.func @too_large() -> tensor<256x256xi32> {
  %a = arith.constant dense<1> : tensor<256x256xi8>
  %c = arith.constant dense<0> : tensor<256x256xi32>
  %d = nv_tileaa.dot %a, %a, %c : tensor<256x256xi8>, tensor<256x256xi8>, tensor<256x256xi32>
  func.return %d : tensor<256x256xi32>
}
// CHECK-LABEL: func.func @too_large(
// CHECK-NEXT: %a = arith.constant dense<1> : tensor<256x256xi8>
// CHECK-NEXT: %c = arith.constant dense<0> : tensor<256x256xi32>
// CHECK-NEXT: %d = nv_tileaa.dot %a, %a, %c : tensor<256x256xi8>, tensor<256x256xi8>, tensor<256x256xi32>
// CHECK-NEXT: func.return %d : tensor<256x256xi32>

// REQ: D-14
func.func @other_arithmetic() {
  %a = arith.constant dense<1> : tensor<4xi32>
  %b = arith.constant dense<0> : tensor<4xi32>
  %c = arith.constant 3 : i32
  %0 = nv_tileaa.addi %a, %b : tensor<4xi32>
  %1 = arith.addi %a, %b : tensor<4xi32>
  %2 = arith.muli %c, %c : i32
  %3 = nv_tileaa.muli %0, %b : tensor<4xi32>
  "test.op"(%0, %1, %2, %3) : (tensor<4xi32>, tensor<4xi32>, i32, tensor<4xi32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @other_arithmetic(
// CHECK-NEXT: %a = arith.constant dense<1> : tensor<4xi32>
// CHECK-NEXT: %b = arith.constant dense<0> : tensor<4xi32>
// CHECK-NEXT: %c = arith.constant 3 : i32
// CHECK-NEXT: %0 = nv_tileaa.addi %a, %b : tensor<4xi32>
// CHECK-NEXT: %1 = arith.addi %a, %b : tensor<4xi32>
// CHECK-NEXT: %2 = arith.muli %c, %c : i32
// CHECK-NEXT: %3 = nv_tileaa.muli %0, %b : tensor<4xi32>
// CHECK-NEXT: "test.op"(%0, %1, %2, %3) : (tensor<4xi32>, tensor<4xi32>, i32, tensor<4xi32>) -> ()
// CHECK-NEXT: func.return
