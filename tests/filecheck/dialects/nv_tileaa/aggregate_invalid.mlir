// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!t8x4xf32 = tensor<8x4xf32>
!t8xf32 = tensor<8xf32>
%t8x4xf32 = "test.op"() : () -> !t8x4xf32
%t8xf32 = "test.op"() : () -> !t8xf32

// -----

// Operands and results.

// CHECK: [[operands:expects operands of one shape, at least one of them]]
%0 = "nv_tileaa.reduce"(%t8x4xf32, %t8xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 0 : i32} : (!t8x4xf32, !t8xf32) -> tensor<4xf32>

// CHECK: [[operands]]
"nv_tileaa.reduce"() ({
  nv_tileaa.yield
}) {axis = 0 : i32} : () -> ()

// CHECK: axis 2 is not a dimension of rank 2
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 2 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: axis -1 is not a dimension of rank 2
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = -1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: requires attribute 'axis'
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) : (!t8x4xf32) -> !t8xf32

// CHECK: wrong attribute 'axis': Expected attribute i32 but got i64
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i64} : (!t8x4xf32) -> !t8xf32

// CHECK: expects results of shape [8] with the elements of the operands
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> tensor<4xf32>

// CHECK: expects results of shape [8] with the elements of the operands
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> tensor<8xf16>

// CHECK: expects results of shape [8, 4] with the elements of the operands
%0 = "nv_tileaa.scan"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: wrong attribute 'inclusive': Expected attribute i1 but got i32
%0 = "nv_tileaa.scan"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32, inclusive = 1 : i32} : (!t8x4xf32) -> !t8x4xf32

// CHECK: expects an identity for each of 1 operands, but got 0
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32, identities = []} : (!t8x4xf32) -> !t8xf32

// Bodies.

// CHECK: expects body arguments (f32, f32), but got (f32)
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: expects body arguments (f32, f32), but got (f32, f64)
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f64):
  nv_tileaa.yield %a : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: expects regions to end with 'nv_tileaa.yield'
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  "test.termop"() : () -> ()
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: Operation nv_tileaa.addf terminates block in single-block region but is not a terminator
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  %c = nv_tileaa.addf %a, %b : f32
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: expects the body to yield (f32), but got (f32, f32)
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield %a, %b : f32, f32
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: expects the body to yield (f32), but got ()
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
^bb0(%a: f32, %b: f32):
  nv_tileaa.yield
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: Region 'body' at position 0 expected a single block, but got 0 blocks
%0 = "nv_tileaa.reduce"(%t8x4xf32) ({
}) {axis = 1 : i32} : (!t8x4xf32) -> !t8xf32

// CHECK: 'nv_tileaa.yield' expects parent op to be one of 'nv_tileaa.reduce', 'nv_tileaa.scan', 'nv_tileaa.pragma', 'nv_tileaa.execute', 'nv_tileaa.plugin'
%c, %x = "test.op"() : () -> (i1, f32)
%0 = scf.if %c -> (f32) {
  nv_tileaa.yield %x : f32
} else {
  scf.yield %x : f32
}
