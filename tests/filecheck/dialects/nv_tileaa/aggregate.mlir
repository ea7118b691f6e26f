// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t8x64xf32 = tensor<8x64xf32>
%x, %y, %v = "test.op"() : () -> (!t8x64xf32, tensor<8x64xi32>, tensor<8xf32>)

// PRINTS: %sum = nv_tileaa.reduce %x {axis = 1 : i32, identities = [0.000000e+00 : f32]} : !t8x64xf32 -> tensor<8xf32> {
%sum = nv_tileaa.reduce %x {axis = 1 : i32, identities = [0.0 : f32]} : !t8x64xf32 -> tensor<8xf32> {
^bb0(%acc: f32, %val: f32):
  %s = nv_tileaa.addf %acc, %val : f32
  nv_tileaa.yield %s : f32
}

// PRINTS: %prefix = nv_tileaa.scan %x {axis = 1 : i32, inclusive = true, reverse = false, identities = [0.000000e+00 : f32]} : !t8x64xf32 -> !t8x64xf32 {
%prefix = nv_tileaa.scan %x {axis = 1 : i32, inclusive = true, reverse = false, identities = [0.0 : f32]} : !t8x64xf32 -> !t8x64xf32 {
// PRINTS: ^bb0(%acc_1: f32, %elem: f32):
^bb0(%acc: f32, %elem: f32):
  // PRINTS: %s_1 = nv_tileaa.addf %acc_1, %elem : f32
  %s = nv_tileaa.addf %acc, %elem : f32
  // PRINTS: nv_tileaa.yield %s_1 : f32
  nv_tileaa.yield %s : f32
}

// The last dimension of all leaves a scalar.

// PRINTS: %total = nv_tileaa.reduce %v {axis = 0 : i32} : tensor<8xf32> -> f32 {
%total = "nv_tileaa.reduce"(%v) ({
^bb0(%a: f32, %b: f32):
  // PRINTS: %s_2 = nv_tileaa.maxf %a, %b : f32
  %s = nv_tileaa.maxf %a, %b : f32
  // PRINTS: nv_tileaa.yield %s_2 : f32
  "nv_tileaa.yield"(%s) : (f32) -> ()
// PRINTS: }
}) {axis = 0 : i32} : (tensor<8xf32>) -> f32

// Several operands: two arguments for each, in turn.

// PRINTS: %best, %where = nv_tileaa.reduce %x, %y {my.tag, axis = 0 : i32, identities = [0xff800000 : f32, 0 : i32]} : !t8x64xf32, tensor<8x64xi32> -> tensor<64xf32>, tensor<64xi32> {
%best, %where = nv_tileaa.reduce %x, %y {axis = 0 : i32, identities = [0xFF800000 : f32, 0 : i32], my.tag} : !t8x64xf32, tensor<8x64xi32> -> tensor<64xf32>, tensor<64xi32> {
// PRINTS: ^bb0(%a_1: f32, %b_1: f32, %i: i32, %j: i32):
^bb0(%a: f32, %b: f32, %i: i32, %j: i32):
  // PRINTS: %c = nv_tileaa.cmpf %a_1, %b_1 {comparison_predicate = "greater_than"} : f32 -> i1
  %c = nv_tileaa.cmpf %a, %b {comparison_predicate = "greater_than"} : f32 -> i1
  // PRINTS: %f = arith.select %c, %a_1, %b_1 : f32
  %f = arith.select %c, %a, %b : f32
  %k = arith.select %c, %i, %j : i32
  nv_tileaa.yield %f, %k : f32, i32
}
// PRINTS: %backwards, %backwards_1 = nv_tileaa.scan %x, %y {axis = 0 : i32, inclusive = false, reverse = true} : !t8x64xf32, tensor<8x64xi32> -> !t8x64xf32, tensor<8x64xi32> {
%backwards:2 = nv_tileaa.scan %x, %y {axis = 0 : i32, inclusive = false, reverse = true} : !t8x64xf32, tensor<8x64xi32> -> !t8x64xf32, tensor<8x64xi32> {
// PRINTS: ^bb0(%a_2: f32, %b_2: f32, %i_1: i32, %j_1: i32):
^bb0(%a: f32, %b: f32, %i: i32, %j: i32):
  // PRINTS: nv_tileaa.yield %b_2, %j_1 : f32, i32
  nv_tileaa.yield %b, %j : f32, i32
}
