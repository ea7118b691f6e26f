// RUN: TILEIRAS_PARSE_INVALID

// -----

// CHECK: expected 1 operand types but had 0
%0 = cuda_tile.reduce dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32) {
  yield
}

// CHECK: integer constant out of range for attribute
%0 = cuda_tile.reduce %t8xf32 dim=2147483648 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: Expected boolean literal
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=maybe identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// What the syntax shows cannot stand in the dictionary, and nothing is said twice.

// REQ: B-04
// CHECK: attribute 'dim' is already given by the structured syntax
%0 = cuda_tile.reduce %t8xf32 {dim = 0 : i32} dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: attribute 'identities' is already given by the structured syntax
%0 = cuda_tile.reduce %t8xf32 {identities = [0.0 : f32]} dim=0 : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: Expected ':'
%0 = cuda_tile.reduce %t8xf32 {axis = 0 : i32} dim=0 : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: Expected ':'
%0 = cuda_tile.scan %t8xf32 {reverse = true} dim=0 reverse=true : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// Tensors are the documents' shorthand, not a type of these ops.

// CHECK: operand is used with type tensor<8x64xf32>, but has been previously used or defined with type !t8x64xf32
%sum = cuda_tile.reduce %t8x64xf32 { axis = 1 : i32 } : tensor<8x64xf32> -> tensor<8xf32> {
^bb0(%acc: !f32, %val: !f32):
  cuda_tile.yield %acc : !f32
}
