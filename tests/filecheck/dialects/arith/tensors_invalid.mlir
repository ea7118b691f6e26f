// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// CHECK: expects an i1 or a tensor of i1, but got 'i32'
%c, %x = "test.op"() : () -> (i32, f32)
%0 = "arith.select"(%c, %x, %x) : (i32, f32, f32) -> f32

// -----

// CHECK: expects an i1 or a tensor of i1, but got 'tensor<8xi32>'
%c, %x = "test.op"() : () -> (tensor<8xi32>, tensor<8xf32>)
%0 = arith.select %c, %x, %x : tensor<8xi32>, tensor<8xf32>

// -----

// CHECK: 'tensor<4xi1>' has not the shape of 'tensor<8xf32>'
%c, %x = "test.op"() : () -> (tensor<4xi1>, tensor<8xf32>)
%0 = arith.select %c, %x, %x : tensor<4xi1>, tensor<8xf32>

// -----

// CHECK: 'tensor<8xi1>' has not the shape of 'f32'
%c, %x = "test.op"() : () -> (tensor<8xi1>, f32)
%0 = arith.select %c, %x, %x : tensor<8xi1>, f32

// -----

// CHECK: 'vector<8xi1>' has not the shape of 'tensor<8xf32>'
%c, %x = "test.op"() : () -> (vector<8xi1>, tensor<8xf32>)
%0 = arith.select %c, %x, %x : vector<8xi1>, tensor<8xf32>

// -----

// CHECK:      operand 'rhs' at position 2 does not verify:
// CHECK-NEXT: attribute f32 expected from variable 'T', but got f16
%c, %x, %y = "test.op"() : () -> (i1, f32, f16)
%0 = "arith.select"(%c, %x, %y) : (i1, f32, f16) -> f32

// -----

// CHECK: Destination bit-width must be larger than the input bit-width
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.extsi %x : tensor<8xi32> to tensor<8xi32>

// -----

// CHECK: Destination bit-width must be larger than the input bit-width
%x = "test.op"() : () -> i32
%0 = arith.extui %x : i32 to i16

// -----

// CHECK: 'tensor<8xi32>' and 'tensor<4xi64>' have different shapes
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.extsi %x : tensor<8xi32> to tensor<4xi64>

// -----

// CHECK: 'tensor<8xi32>' and 'vector<8xi64>' have different shapes
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.extsi %x : tensor<8xi32> to vector<8xi64>

// -----

// CHECK: 'tensor<8xi32>' and 'i64' have different shapes
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.extui %x : tensor<8xi32> to i64

// -----

// CHECK: expects integers, but got 'f32'
%x = "test.op"() : () -> f32
%0 = arith.extsi %x : f32 to i64

// -----

// CHECK: expects integers, but got 'f32'
%x = "test.op"() : () -> f32
%0 = arith.sitofp %x : f32 to f64

// -----

// CHECK: expects floats, but got 'tensor<8xi64>'
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.uitofp %x : tensor<8xi32> to tensor<8xi64>

// -----

// CHECK: expects integers, but got 'index'
%x = "test.op"() : () -> index
%0 = arith.sitofp %x : index to f64

// -----

// CHECK: expects floats, but got 'tensor<8xi32>'
%x = "test.op"() : () -> tensor<8xi32>
%0 = arith.fptosi %x : tensor<8xi32> to tensor<8xi64>

// -----

// CHECK: expects integers, but got 'f16'
%x = "test.op"() : () -> f32
%0 = arith.fptoui %x : f32 to f16
