// Modules that are wrong, and what NVIDIA's disassembler says. Where there is no function, it is
// the body of one with the arguments %c: tile<i1>, %i: tile<i32>, %j: tile<i64>, %f: tile<f32>,
// %t: tensor_view<?x64xf32, strides=[64,1]>.

// -----

// error: expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
"cuda_tile.loop"() ({
  "cuda_tile.yield"() : () -> ()
}) : () -> ()

// -----

// error: expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: expects parent op to be one of 'cuda_tile.entry, cuda_tile.if, cuda_tile.loop'
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.return"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations
"cuda_tile.if"(%c) ({
  "cuda_tile.break"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations
"cuda_tile.if"(%c) ({
  "cuda_tile.continue"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.if"(%c) ({
    "cuda_tile.return"() : () -> ()
  }, {
  }) : (!cuda_tile.tile<i1>) -> () "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: operand types must correspond to the parent loop result types: () vs ('!cuda_tile.tile<f32>')
"cuda_tile.loop"() ({
  "cuda_tile.break"() : () -> ()
}) : () -> !cuda_tile.tile<f32>

// -----

// error: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: (), but found: ('!cuda_tile.tile<f32>')
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: (), but found: ('!cuda_tile.tile<f32>')
"cuda_tile.loop"() ({
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : () -> ()

// -----

// error: has 1 operands, but enclosing function (@k) returns 0
"cuda_tile.if"(%c) ({
  "cuda_tile.return"(%f) : (!cuda_tile.tile<f32>) -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: must be the last operation in the parent block
"cuda_tile.return"() : () -> ()

// -----

// error: operand #0 must be 0D tile of i1 values
"cuda_tile.if"(%i) ({
  "cuda_tile.yield"() : () -> ()
}, {
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i32>) -> ()

// -----

// error: region #0 ('thenRegion') failed to verify constraint: region with 1 blocks
"cuda_tile.if"(%c) ({
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: expects region #0 to have 0 or 1 blocks
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
  ^b:
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: region #0 should have no arguments
"cuda_tile.if"(%c) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: has non-empty return type, must define else branch
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>

// -----

// error: has return type of '!cuda_tile.tile<f32>' but then branch does not yield anything
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
}, {
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>

// -----

// error: has return type of '!cuda_tile.tile<f32>' but else branch does not yield anything
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}, {
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>

// -----

// error: does not return a value, but then branch yields '!cuda_tile.tile<f32>'
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// error: type does not match yield type, then branch yields '!cuda_tile.tile<f32>' but op result type is '!cuda_tile.tile<i32>'
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}, {
  "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<i32>

// -----

// error: result type 0 is a tensor_view, which is not supported
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
}, {
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>

// -----

// error: expected 3 or more operands, but found 2
"cuda_tile.for"(%i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: failed to verify that all of {lowerBound, upperBound, step} have same type
"cuda_tile.for"(%i, %i, %j) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()

// -----

// error: failed to verify that all of {initValues, resultValues} have same type
"cuda_tile.for"(%i, %i, %i, %f) ({
  ^b(%x: !cuda_tile.tile<i32>, %y: !cuda_tile.tile<f32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// error: expected at least one block argument for induction variable
"cuda_tile.for"(%i, %i, %i) ({
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: expected induction variable to be same type as bounds and step: '!cuda_tile.tile<f32>' vs '!cuda_tile.tile<i32>'
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<f32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: mismatch in number of region iterator values and loop iterator inits: 1 vs 0
"cuda_tile.for"(%i, %i, %i) ({
  ^b(%x: !cuda_tile.tile<i32>, %y: !cuda_tile.tile<f32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: region #0 ('region') failed to verify constraint: region with 1 blocks
"cuda_tile.for"(%i, %i, %i) ({
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// error: mismatch in number of region iterator values and loop iterator inits: 0 vs 1
"cuda_tile.loop"(%f) ({
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<f32>) -> ()

// -----

// error: init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<f32>' != '!cuda_tile.tile<i32>'
"cuda_tile.loop"(%f) ({
  ^b(%x: !cuda_tile.tile<i32>):
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<f32>) -> ()

// -----

// error: loop-carried value 0 is a tensor_view, which is not supported
"cuda_tile.loop"(%t) ({
  ^b(%x: !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>):
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tensor_view<?x64xf32, strides=[64,1]>) -> ()

// -----

// error: result type 0 is a tensor_view, which is not supported
"cuda_tile.loop"() ({
  "cuda_tile.break"(%t) : (!cuda_tile.tensor_view<?x64xf32, strides=[64,1]>) -> ()
}) : () -> !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>

// -----

// error: region #0 ('region') failed to verify constraint: region with 1 blocks
"cuda_tile.loop"() ({
}) : () -> ()

// -----

// error: expects region #0 to have 0 or 1 blocks
"cuda_tile.loop"() ({
  "cuda_tile.break"() : () -> ()
  ^b:
  "cuda_tile.break"() : () -> ()
}) : () -> ()

// -----

// error: requires zero results
%z = "cuda_tile.break"() : () -> !cuda_tile.tile<i32>

// -----

// error: expected 1 or more operands, but found 0
%r0 = "cuda_tile.reduce"()
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : () -> (!cuda_tile.tile<f32>)

// -----

// error: requires the same shape for all operands
%x0 = constant <f32: 0.0> : tile<8xf32>
%x1 = constant <f32: 0.0> : tile<4xf32>
%r0, %r1 = "cuda_tile.reduce"(%x0, %x1)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<4xf32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>)

// -----

// error: attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = -1 : i32, identities = []}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: dimension (3) is out of bound [0, 1)
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same number of operands and results
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0, %r1 = "cuda_tile.reduce"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>)

// -----

// error: expect identities to match the number of operands but got: 1 operands and 2 identities
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32, 0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 3 : i32, identities = [0 : i32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'none'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = ["text"]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect 2 block arguments but got: 1
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<1xf32>'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<1xf32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<i32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<i32>, %a1: !cuda_tile.tile<i32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect number of terminators operands (0) to match number of operands (1)
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  %z = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  "cuda_tile.yield"(%z) : (!cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: only memory-effect-free operations are allowed inside 'cuda_tile.reduce'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  %z = "cuda_tile.print_tko"() <{str = "x", operandSegmentSizes = array<i32: 0, 0>}> : () -> !cuda_tile.token
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>)

// -----

// error: expected 1 or more operands, but found 0
%r0 = "cuda_tile.scan"()
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : () -> (!cuda_tile.tile<8xf32>)

// -----

// error: requires the same shape for all operands
%x0 = constant <f32: 0.0> : tile<8xf32>
%x1 = constant <f32: 0.0> : tile<4xf32>
%r0, %r1 = "cuda_tile.scan"(%x0, %x1)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<4xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)

// -----

// error: attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = -1 : i32, identities = [], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: dimension (3) is out of bound [0, 1)
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same number of operands and results
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0, %r1 = "cuda_tile.scan"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)

// -----

// error: expect identities to match the number of operands but got: 1 operands and 2 identities
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 3 : i32, identities = [0.0 : f32, 0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 3 : i32, identities = [0 : i32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'none'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = ["text"], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect 2 block arguments but got: 1
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<1xf32>'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<1xf32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<i32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<i32>, %a1: !cuda_tile.tile<i32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect number of terminators operands (0) to match number of operands (1)
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'i32'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  %z = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  "cuda_tile.yield"(%z) : (!cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: only memory-effect-free operations are allowed inside 'cuda_tile.scan'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  %z = "cuda_tile.print_tko"() <{str = "x", operandSegmentSizes = array<i32: 0, 0>}> : () -> !cuda_tile.token
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>)

// -----

// error: inferred type(s) '!cuda_tile.tile<f32>' are incompatible with return type(s) of operation '!cuda_tile.tile<1xf32>'
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.reduce"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32]}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<1xf32>)

// -----

// error: expect same type for operand at index: 0 and result at index: 0
%x0 = constant <f32: 0.0> : tile<8xf32>
%r0 = "cuda_tile.scan"(%x0)
<{dim = 0 : i32, identities = [0.0 : f32], reverse = false}> ({
  ^b(%a0: !cuda_tile.tile<f32>, %a1: !cuda_tile.tile<f32>):
  "cuda_tile.yield"(%a0) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<4xf32>)

// -----

// error: region #0 ('body') failed to verify constraint: region with 1 blocks
%x = constant <f32: 0.0> : tile<8xf32>
%r = "cuda_tile.reduce"(%x) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
}) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>

// -----

// error: redefinition of symbol named 'k'
entry @k() { return } entry @k() { return }

// -----

// error: entry op must have scalar types (rank 0 !cuda_tile.tile)
entry @k(%a: tile<4xi32>) { return }

// -----

// error: type must have rank 1
global @g <f32: 0.0> : tile<2x2xf32> entry @k() { return }

// -----

// error: type must have rank 1
global @g <f32: 0.0> : tile<f32> entry @k() { return }

// -----

// error: 'zz' does not reference a valid global
%0 = get_global @zz : tile<ptr<f32>>

// -----

// error: pointee type of result type '!cuda_tile.ptr<i32>' does not match type 'f32' of the global @g
global @g <f32: 0.0> : tile<2xf32>
entry @k() {
%0 = get_global @g : tile<ptr<i32>>
return
}

// -----

// error: result type 0 is a tile view, which is not supported
%v = make_partition_view %t : !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
%r = "cuda_tile.if"(%c) ({
  "cuda_tile.yield"(%v) : (!cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>) -> ()
}, {
  "cuda_tile.yield"(%v) : (!cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>) -> ()
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>

// -----

// error: loop-carried value 0 is a tile view, which is not supported
%v = make_partition_view %t : !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
"cuda_tile.loop"(%v) ({
  ^b(%x: !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>):
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>) -> ()

// -----

// error: invalid function debug info location: loc(callsite(
entry @k() { return } loc(callsite(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>> at #cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>))

// -----

// error: Function location must have cuda_tile.di_subprogram debug info scope.
entry @k() { return } loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_lexical_block<scope = #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>, file = <"a.py" in "/t">, line = 4, column = 2>>)

// -----

// error: Function name "k" does not match subprogram scope linkage name "zz".
entry @k() { return } loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "zz", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>)

// -----

// error: Operation has debug info scope, but function debug info scope is undefined.
entry @k() { return loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>) }

// -----

// error: Operation debug info scope does not match function debug info scope: 
entry @k() { return loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "zz", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>) } loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>)

// -----

// error: Operation has debug info scope, but function debug info scope is undefined.
entry @k(%c: tile<i1>) {
  "cuda_tile.if"(%c) ({
    %t = "cuda_tile.make_token"() : () -> !cuda_tile.token loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_lexical_block<scope = #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>, file = <"a.py" in "/t">, line = 4, column = 2>>)
    "cuda_tile.yield"() : () -> ()
  }, {
  }) : (!cuda_tile.tile<i1>) -> () loc(#cuda_tile.di_loc<loc("a.py":3:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 3, name = "k", linkageName = "k", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 3>>)
  return
}
