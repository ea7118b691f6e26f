// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// What xDSL's own verifier raises as no diagnostic is one at the op.

// CHECK: Operation does not verify: Block arguments with wrong type, expected i32, got i64
%i, %c = "test.op"() : () -> (i32, i1)
%0 = "scf.while"(%i) ({
^bb0(%a: i64):
  scf.condition(%c) %i : i32
}, {
^bb0(%b: i32):
  scf.yield %b : i32
}) : (i32) -> i32
