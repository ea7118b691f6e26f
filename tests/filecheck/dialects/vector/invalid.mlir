// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!v4xf32 = vector<4xf32>
%f32 = "test.op"() : () -> f32
%v4xf32 = "test.op"() : () -> !v4xf32

// -----

// CHECK: expects 4 elements for 'vector<4xf32>', but got 1
%0 = vector.from_elements %f32 : !v4xf32

// CHECK: expects elements of type 'f32', but got 'i32'
%x = "test.op"() : () -> i32
%0 = "vector.from_elements"(%x) : (i32) -> vector<1xf32>

// CHECK: expected a vector type, but got 'f32'
%0 = vector.from_elements %f32 : f32

// CHECK: elements 3 to 5 of dimension 0 are not all in 'vector<4xf32>'
%0 = vector.extract_strided_slice %v4xf32 {offsets = [3], sizes = [2], strides = [1]} : !v4xf32 to vector<2xf32>

// CHECK: strides must be 1, but got [2]
%0 = vector.extract_strided_slice %v4xf32 {offsets = [0], sizes = [2], strides = [2]} : !v4xf32 to vector<2xf32>

// CHECK: 'vector<2xf32>' and 'vector<4xf16>' have different elements
%x, %y = "test.op"() : () -> (vector<2xf32>, vector<4xf16>)
%0 = vector.insert_strided_slice %x, %y {offsets = [0], strides = [1]} : vector<2xf32> into vector<4xf16>

// CHECK: position 4 is not in 'vector<4xf32>'
%0 = vector.extract %v4xf32[4] : f32 from !v4xf32

// CHECK: 'f32' is at this position, not 'f16'
%0 = vector.extract %v4xf32[1] : f16 from !v4xf32

// CHECK: 'f32' is at this position, not 'f16'
%x = "test.op"() : () -> f16
%0 = vector.insert %x, %v4xf32[1] : f16 into !v4xf32

// CHECK: have different numbers of elements
%0 = vector.shape_cast %v4xf32 : !v4xf32 to vector<2xf32>

// CHECK: expects a vector of rank 0 or 1, but got 'vector<2x2xf32>'
%x = "test.op"() : () -> vector<2x2xf32>
%0 = vector.reduction <add>, %x : vector<2x2xf32> into f32
