// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!t8xi32 = tensor<8xi32>
%i32 = "test.op"() : () -> i32
%f32 = "test.op"() : () -> f32
%t8xi32 = "test.op"() : () -> !t8xi32
%t8xf32 = "test.op"() : () -> tensor<8xf32>

// -----

// CHECK: expects an i1 or a tensor of i1, but got 'i32'
%0 = "arith.select"(%i32, %f32, %f32) : (i32, f32, f32) -> f32

// CHECK: expects an i1 or a tensor of i1, but got 'tensor<8xi32>'
%0 = arith.select %t8xi32, %t8xf32, %t8xf32 : !t8xi32, tensor<8xf32>

// CHECK: 'tensor<4xi1>' has not the shape of 'tensor<8xf32>'
%c = "test.op"() : () -> tensor<4xi1>
%0 = arith.select %c, %t8xf32, %t8xf32 : tensor<4xi1>, tensor<8xf32>

// CHECK: 'tensor<8xi1>' has not the shape of 'f32'
%c = "test.op"() : () -> tensor<8xi1>
%0 = arith.select %c, %f32, %f32 : tensor<8xi1>, f32

// CHECK: 'vector<8xi1>' has not the shape of 'tensor<8xf32>'
%c = "test.op"() : () -> vector<8xi1>
%0 = arith.select %c, %t8xf32, %t8xf32 : vector<8xi1>, tensor<8xf32>

// CHECK:      operand 'rhs' at position 2 does not verify:
// CHECK-NEXT: attribute f32 expected from variable 'T', but got f16
%c, %y = "test.op"() : () -> (i1, f16)
%0 = "arith.select"(%c, %f32, %y) : (i1, f32, f16) -> f32

// CHECK: [[estination:Destination bit-width must be larger than the input bit-width]]
%0 = arith.extsi %t8xi32 : !t8xi32 to !t8xi32

// CHECK: [[estination]]
%0 = arith.extui %i32 : i32 to i16

// CHECK: 'tensor<8xi32>' and 'tensor<4xi64>' have different shapes
%0 = arith.extsi %t8xi32 : !t8xi32 to tensor<4xi64>

// CHECK: 'tensor<8xi32>' and 'vector<8xi64>' have different shapes
%0 = arith.extsi %t8xi32 : !t8xi32 to vector<8xi64>

// CHECK: 'tensor<8xi32>' and 'i64' have different shapes
%0 = arith.extui %t8xi32 : !t8xi32 to i64

// CHECK: expects integers, but got 'f32'
%0 = arith.extsi %f32 : f32 to i64

// CHECK: expects integers, but got 'f32'
%0 = arith.sitofp %f32 : f32 to f64

// CHECK: expects floats, but got 'tensor<8xi64>'
%0 = arith.uitofp %t8xi32 : !t8xi32 to tensor<8xi64>

// CHECK: expects integers, but got 'index'
%x = "test.op"() : () -> index
%0 = arith.sitofp %x : index to f64

// CHECK: expects floats, but got 'tensor<8xi32>'
%0 = arith.fptosi %t8xi32 : !t8xi32 to tensor<8xi64>

// CHECK: expects integers, but got 'f16'
%0 = arith.fptoui %f32 : f32 to f16
