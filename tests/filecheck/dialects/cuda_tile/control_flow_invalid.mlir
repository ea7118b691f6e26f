// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Operand types and attributes.

// CHECK: 'cuda_tile.if' op operand #0 must be 0D tile of i1 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.if"(%a) ({
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.if' op operand #0 must be 0D tile of i1 values, but got '!cuda_tile.tile<4xi1>'
%a = "test.op"() : () -> !cuda_tile.tile<4xi1>
"cuda_tile.if"(%a) ({
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<4xi1>) -> ()

// -----

// CHECK: 'cuda_tile.for' op operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
cuda_tile.for %iv in (%a to %a, step %a) : tile<f32> {
}

// -----

// CHECK: 'cuda_tile.for' op operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi32>'
%a = "test.op"() : () -> !cuda_tile.tile<4xi32>
cuda_tile.for %iv in (%a to %a, step %a) : tile<4xi32> {
}

// -----

// CHECK: 'cuda_tile.for' op operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<i4>'
%a = "test.op"() : () -> !cuda_tile.tile<i4>
cuda_tile.for %iv in (%a to %a, step %a) : tile<i4> {
}

// -----

// CHECK: 'cuda_tile.for' op operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a = "test.op"() : () -> !cuda_tile.token
cuda_tile.for %iv in (%a to %a, step %a) : token {
}

// -----

// CHECK: 'cuda_tile.for' op operand #1 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %f, %i) ({
^bb0(%iv: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op operand #2 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %f) ({
^bb0(%iv: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op attribute 'unsignedCmp' failed to satisfy constraint: true should be of base attribute unit
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) <{unsignedCmp = true}> ({
^bb0(%iv: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.assert' op operand #0 must be tile of i1 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
cuda_tile.assert %a, "message" : tile<i32>

// -----

// CHECK: 'cuda_tile.assert' op requires attribute 'message'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.assert"(%c) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.assert' op attribute 'message' failed to satisfy constraint: string attribute
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.assert"(%c) <{message = 5 : i32}> : (!cuda_tile.tile<i1>) -> ()

// -----

// Numbers of operands, results and regions.

// CHECK: 'cuda_tile.assert' op requires a single operand
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.assert"(%c, %i) : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.assert' op requires zero results
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = "cuda_tile.assert"(%c) <{message = "message"}> : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.if' op expected 2 regions
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.loop' op requires one region
"cuda_tile.loop"() : () -> ()

// -----

// CHECK: 'cuda_tile.if' op region #0 ('thenRegion') failed to verify constraint: region with 1 blocks
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.if' op expects region #1 to have 0 or 1 blocks
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
}, {
^bb0:
  "cuda_tile.yield"() : () -> ()
^bb1:
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.for' op region #0 ('region') failed to verify constraint: region with 1 blocks
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.loop' op expects region #0 to have 0 or 1 blocks
"cuda_tile.loop"() ({
^bb0:
  "cuda_tile.continue"() : () -> ()
^bb1:
  "cuda_tile.continue"() : () -> ()
}) : () -> ()

// -----

// CHECK: 'cuda_tile.if' op region #0 should have no arguments
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
^bb0(%x: !cuda_tile.tile<f32>):
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.if' op region #1 should have no arguments
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
  "cuda_tile.yield"() : () -> ()
}, {
^bb0(%x: !cuda_tile.tile<f32>):
  "cuda_tile.yield"() : () -> ()
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// Empty blocks, and blocks that end in something else.

// CHECK: 'cuda_tile.if' op expects a non-empty block
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.if"(%c) ({
^bb0:
}, {
}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: 'cuda_tile.if' op else branch must end in one of yield, break, continue, return
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %c {
} else {
  "test.termop"() : () -> ()
}

// -----

// CHECK: 'cuda_tile.for' op body must end in continue
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> {
  "test.termop"() : () -> ()
}

// -----

// CHECK: 'cuda_tile.loop' op body must end in continue, break or return
cuda_tile.loop {
  "test.termop"() : () -> ()
}

// -----

// CHECK: Operation test.op terminates block in single-block region but is not a terminator
"cuda_tile.loop"() ({
  "test.op"() : () -> ()
}) : () -> ()

// -----

// Parents of terminators.

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    yield
  }
}

// -----

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> {
  yield
}

// -----

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
cuda_tile.loop {
  yield
}

// -----

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
"test.op"() ({
  cuda_tile.yield
}) : () -> ()

// -----

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
cuda_tile.testing$func @f() {
  yield
}

// -----

// CHECK: 'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    break
  }
}

// -----

// CHECK: 'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> {
  break
}

// -----

// CHECK: 'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
"test.op"() ({
  cuda_tile.break
}) : () -> ()

// -----

// CHECK: 'cuda_tile.continue' op expects parent op to be one of 'cuda_tile.for, cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    continue
  }
}

// -----

// CHECK: 'cuda_tile.continue' op expects parent op to be one of 'cuda_tile.for, cuda_tile.if, cuda_tile.loop'
"test.op"() ({
  cuda_tile.continue
}) : () -> ()

// -----

// CHECK: 'cuda_tile.return' op expects parent op to be one of 'cuda_tile.entry, cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    for %iv in (%i to %i, step %i) : tile<i32> {
      return
    }
  }
}

// -----

// CHECK: 'cuda_tile.return' op expects parent op to be one of 'cuda_tile.entry, cuda_tile.if, cuda_tile.loop'
"test.op"() ({
  cuda_tile.return
}) : () -> ()

// -----

// A terminator is the last op of its block.

// CHECK: 'cuda_tile.yield' op must be the last operation in the parent block
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    if %c {
      yield
      yield
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.break' op must be the last operation in the parent block
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    loop {
      break
      continue
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.continue' op must be the last operation in the parent block
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    loop {
      continue
      break
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.return' op must be the last operation in the parent block
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    return
    return
  }
}

// -----

// `break` reaches a `loop` through nothing but `if`s.

// CHECK: 'cuda_tile.break' op can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.entry'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    if %c {
      break
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.break' op can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.for'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    loop {
      for %iv in (%i to %i, step %i) : tile<i32> {
        if %c {
          break
        }
      }
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: () vs ('!cuda_tile.tile<f32>')
%r = cuda_tile.loop : tile<f32> {
  break
}

// -----

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: ('!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>') vs ()
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop {
  break %f, %i : tile<f32>, tile<i32>
}

// -----

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: ('!cuda_tile.tile<i32>') vs ('!cuda_tile.tile<f32>')
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
  if %c {
    if %c {
      break %x : tile<i32>
    }
  }
  continue %x : tile<i32>
}

// -----

// `continue` reaches a `for` or a `loop` through nothing but `if`s.

// CHECK: 'cuda_tile.continue' op can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.entry'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    if %c {
      continue
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.continue' op can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations
// CHECK-NEXT: see unexpected ancestor operation 'builtin.module'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %c {
} else {
  continue
}

// -----

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<f32>'), but found: ()
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>) {
}

// -----

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: (), but found: ('!cuda_tile.tile<i32>')
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> {
  continue %iv : tile<i32>
}

// -----

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>'), but found: ('!cuda_tile.tile<i32>', '!cuda_tile.tile<f32>')
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r:2 = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f, %y = %i) -> (tile<f32>, tile<i32>) {
  if %c {
    continue %y, %x : tile<i32>, tile<f32>
  }
  continue %x, %y : tile<f32>, tile<i32>
}

// -----

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!cuda_tile.tile<i32>'), but found: ()
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop iter_values(%x = %i) : tile<i32> {
}

// -----

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!cuda_tile.tile<i32>'), but found: ('!cuda_tile.tile<f32>')
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
  if %c {
    continue %f : tile<f32>
  }
  break %f : tile<f32>
}

// -----

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: (), but found: ('!cuda_tile.tile<f32>')
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.loop {
  continue %f : tile<f32>
}

// -----

// `return` reaches a function through `if`s and `loop`s, with the values it returns.

// CHECK: 'cuda_tile.return' op must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    for %iv in (%i to %i, step %i) : tile<i32> {
      if %c {
        return
      }
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.return' op must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    for %iv in (%i to %i, step %i) : tile<i32> {
      loop {
        return
      }
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.return' op must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %c {
  return
}

// -----

// CHECK: 'cuda_tile.return' op must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation
cuda_tile.loop {
  return
}

// -----

// CHECK: 'cuda_tile.return' op has 1 operands, but enclosing function (@k) returns 0 (has 1 operands, but entry function must return 0 operands)
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    return %f : tile<f32>
  }
}

// -----

// CHECK: 'cuda_tile.return' op has 1 operands, but enclosing function (@k) returns 0 (has 1 operands, but entry function must return 0 operands)
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    if %c {
      return %f : tile<f32>
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.return' op has 1 operands, but enclosing function (@k) returns 0 (has 1 operands, but entry function must return 0 operands)
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    loop {
      return %f : tile<f32>
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.return' op has 0 operands, but enclosing function (@f) returns 1
cuda_tile.testing$func @f() -> tile<f32> {
  return
}

// -----

// CHECK: 'cuda_tile.return' op has 2 operands, but enclosing function (@f) returns 1
cuda_tile.testing$func @f(%x: tile<f32>) -> tile<f32> {
  loop {
    return %x, %x : tile<f32>, tile<f32>
  }
  return %x : tile<f32>
}

// -----

// CHECK: 'cuda_tile.return' op type of return operand 1 ('!cuda_tile.tile<f32>') doesn't match function result type ('!cuda_tile.tile<i32>')
cuda_tile.testing$func @f(%x: tile<f32>) -> (tile<f32>, tile<i32>) {
  return %x, %x : tile<f32>, tile<f32>
}

// -----

// `if`: what the branches yield.

// CHECK: 'cuda_tile.if' op has non-empty return type, must define else branch
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
  yield %f : tile<f32>
}

// -----

// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<f32>' but then branch does not yield anything
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
} else {
  yield %f : tile<f32>
}

// -----

// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>' but else branch does not yield anything
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r:2 = cuda_tile.if %c -> (tile<f32>, tile<i32>) {
  yield %f, %i : tile<f32>, tile<i32>
} else {
}

// -----

// CHECK: 'cuda_tile.if' op does not return a value, but then branch yields '!cuda_tile.tile<f32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %c {
  yield %f : tile<f32>
}

// -----

// CHECK: 'cuda_tile.if' op does not return a value, but else branch yields '!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
cuda_tile.if %c {
} else {
  yield %f, %i : tile<f32>, tile<i32>
}

// -----

// CHECK: 'cuda_tile.if' op type does not match yield type, then branch yields '!cuda_tile.tile<i32>' but op result type is '!cuda_tile.tile<f32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
  yield %i : tile<i32>
} else {
  yield %f : tile<f32>
}

// -----

// CHECK: 'cuda_tile.if' op type does not match yield type, else branch yields '!cuda_tile.tile<f32>' but op result type is '!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r:2 = cuda_tile.if %c -> (tile<f32>, tile<i32>) {
  yield %f, %i : tile<f32>, tile<i32>
} else {
  yield %f : tile<f32>
}

// -----

// No views through `if`.

// CHECK: 'cuda_tile.if' op result type 0 is a tensor_view, which is not supported
%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tensor_view<?xf32, strides=[1]>)
%r = cuda_tile.if %c -> (!cuda_tile.tensor_view<?xf32, strides=[1]>) {
  yield %v : !cuda_tile.tensor_view<?xf32, strides=[1]>
} else {
  yield %v : !cuda_tile.tensor_view<?xf32, strides=[1]>
}

// -----

// CHECK: 'cuda_tile.if' op result type 0 is a tile view, which is not supported
%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>)
%r = cuda_tile.if %c -> (!cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>) {
  yield %v : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
} else {
  yield %v : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// CHECK: 'cuda_tile.if' op result type 0 is a tile view, which is not supported
%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>)
%r = cuda_tile.if %c -> (!cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>) {
  yield %v : !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
} else {
  yield %v : !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// CHECK: 'cuda_tile.if' op result type 0 is a tile view, which is not supported
%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>)
%r = cuda_tile.if %c -> (!cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>) {
  yield %v : !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
} else {
  yield %v : !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
}

// -----

// CHECK: 'cuda_tile.if' op result type 1 is a tensor_view, which is not supported
%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tensor_view<?xf32, strides=[1]>)
%r:2 = cuda_tile.if %c -> (tile<i1>, !cuda_tile.tensor_view<?xf32, strides=[1]>) {
  yield %c, %v : tile<i1>, !cuda_tile.tensor_view<?xf32, strides=[1]>
} else {
  yield %c, %v : tile<i1>, !cuda_tile.tensor_view<?xf32, strides=[1]>
}

// -----

// `for`: bounds, induction variable, carried values.

// CHECK: 'cuda_tile.for' op failed to verify that all of {lowerBound, upperBound, step} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %j, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {lowerBound, upperBound, step} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %j) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {initValues, resultValues} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<f32>):
  "cuda_tile.continue"(%x1) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {initValues, resultValues} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<f32>):
  "cuda_tile.continue"(%x1) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {initValues, resultValues} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {initValues, resultValues} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0, %r1 = "cuda_tile.for"(%i, %i, %i, %f, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<f32>, %x2: !cuda_tile.tile<i32>):
  "cuda_tile.continue"(%x1, %x2) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>)

// -----

// CHECK: 'cuda_tile.for' op expected at least one block argument for induction variable
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
^bb0:
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op expected induction variable to be same type as bounds and step: '!cuda_tile.tile<f32>' vs '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
^bb0(%x0: !cuda_tile.tile<f32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op mismatch in number of region iterator values and loop iterator inits: 0 vs 1
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.for' op mismatch in number of region iterator values and loop iterator inits: 2 vs 0
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<f32>, %x2: !cuda_tile.tile<f32>):
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<f32>' != '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<i32>):
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.for' op init value 1 and region iter_value 1 have different type: '!cuda_tile.tile<i32>' != '!cuda_tile.tile<f32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0, %r1 = "cuda_tile.for"(%i, %i, %i, %f, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<f32>, %x2: !cuda_tile.tile<f32>):
  "cuda_tile.continue"(%f, %i) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)

// -----

// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tensor_view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]>)
%r = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %v) -> (!cuda_tile.tensor_view<?xf32, strides=[1]>) {
  continue %x : !cuda_tile.tensor_view<?xf32, strides=[1]>
}

// -----

// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tile view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>)
%r = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %v) -> (!cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>) {
  continue %x : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tile view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>)
%r = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %v) -> (!cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>) {
  continue %x : !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tile view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>)
%r = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %v) -> (!cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>) {
  continue %x : !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
}

// -----

// `loop`: carried values and results.

// CHECK: 'cuda_tile.loop' op mismatch in number of region iterator values and loop iterator inits: 0 vs 1
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.loop"(%f) ({
^bb0:
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.loop' op mismatch in number of region iterator values and loop iterator inits: 1 vs 0
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.loop"() ({
^bb0(%x0: !cuda_tile.tile<f32>):
  "cuda_tile.break"() : () -> ()
}) : () -> ()

// -----

// CHECK: 'cuda_tile.loop' op init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<f32>' != '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.loop"(%f) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.loop' op loop-carried value 1 is a tensor_view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]>)
cuda_tile.loop iter_values(%x = %i, %y = %v) : tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]> {
  continue %x, %y : tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]>
}

// -----

// CHECK: 'cuda_tile.loop' op result type 0 is a tensor_view, which is not supported
%v = "test.op"() : () -> !cuda_tile.tensor_view<?xf32, strides=[1]>
%r = cuda_tile.loop : !cuda_tile.tensor_view<?xf32, strides=[1]> {
  break %v : !cuda_tile.tensor_view<?xf32, strides=[1]>
}

// -----

// CHECK: 'cuda_tile.loop' op loop-carried value 1 is a tile view, which is not supported
%i, %v = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>)
cuda_tile.loop iter_values(%x = %i, %y = %v) : tile<i32>, !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>> {
  continue %x, %y : tile<i32>, !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// CHECK: 'cuda_tile.loop' op result type 0 is a tile view, which is not supported
%v = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
%r = cuda_tile.loop : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>> {
  break %v : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
}

// -----

// Of two faults the first counts: `if` is checked before what it contains, loops after it.

// CHECK: 'cuda_tile.if' op expected 2 regions
%a = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.if"(%a) ({
}) : (!cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.if' op region #0 should have no arguments
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = "cuda_tile.if"(%c) ({
^bb0(%x: !cuda_tile.tile<f32>):
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.if' op result type 0 is a tensor_view, which is not supported
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (!cuda_tile.tensor_view<?xf32, strides=[1]>) {
  absf %i : tile<i32>
}

// -----

// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<f32>' but then branch does not yield anything
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
  absf %i : tile<i32>
}

// -----

// CHECK: 'cuda_tile.if' op has non-empty return type, must define else branch
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
  absf %i : tile<i32>
  yield %f : tile<f32>
}

// -----

// CHECK: 'cuda_tile.if' op has return type of '!cuda_tile.tile<f32>' but else branch does not yield anything
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r = cuda_tile.if %c -> (tile<f32>) {
  break %i : tile<i32>
} else {
}

// -----

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
^bb0:
  %z = "cuda_tile.absf"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %i, %i) ({
^bb0(%x0: !cuda_tile.tile<f32>):
  %z = "cuda_tile.absf"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  %z = "cuda_tile.absf"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.loop"(%f) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  %z = "cuda_tile.absf"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
  "cuda_tile.break"() : () -> ()
}) : (!cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.for' op failed to verify that all of {lowerBound, upperBound, step} have same type
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
"cuda_tile.for"(%i, %j, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<i32>):
  %z = "cuda_tile.absf"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> ()

// -----

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<f32>'), but found: ()
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0:
  "cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.for' op expected induction variable to be same type as bounds and step: '!cuda_tile.tile<f32>' vs '!cuda_tile.tile<i32>'
%c, %f, %i, %j = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%r0 = "cuda_tile.for"(%i, %i, %i, %f) ({
^bb0(%x0: !cuda_tile.tile<f32>):
  "cuda_tile.continue"(%f) : (!cuda_tile.tile<f32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.for' op init value 0 and region iter_value 0 have different type: '!cuda_tile.tensor_view<?xf32, strides=[1]>' != '!cuda_tile.tile<i32>'
%v, %i = "test.op"() : () -> (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>)
%r0 = "cuda_tile.for"(%i, %i, %i, %v) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tile<i32>):
  "cuda_tile.continue"(%v) : (!cuda_tile.tensor_view<?xf32, strides=[1]>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.for' op loop-carried value 0 is a tensor_view, which is not supported
%v, %i = "test.op"() : () -> (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>)
%r0, %r1 = "cuda_tile.for"(%i, %i, %i, %v, %i) ({
^bb0(%x0: !cuda_tile.tile<i32>, %x1: !cuda_tile.tensor_view<?xf32, strides=[1]>, %x2: !cuda_tile.tile<f32>):
  "cuda_tile.continue"(%v, %i) : (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>) -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>) -> (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>)

// -----

// CHECK: 'cuda_tile.loop' op loop-carried value 0 is a tensor_view, which is not supported
%v, %i = "test.op"() : () -> (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>)
%r0 = "cuda_tile.loop"(%v) ({
^bb0(%x0: !cuda_tile.tensor_view<?xf32, strides=[1]>):
  "cuda_tile.break"(%v) : (!cuda_tile.tensor_view<?xf32, strides=[1]>) -> ()
}) : (!cuda_tile.tensor_view<?xf32, strides=[1]>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.loop' op mismatch in number of region iterator values and loop iterator inits: 0 vs 1
%v, %i = "test.op"() : () -> (!cuda_tile.tensor_view<?xf32, strides=[1]>, !cuda_tile.tile<i32>)
%r0 = "cuda_tile.loop"(%i) ({
^bb0:
  "cuda_tile.break"(%v) : (!cuda_tile.tensor_view<?xf32, strides=[1]>) -> ()
}) : (!cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>

// -----

// CHECK: 'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    break %f : tile<f32>
    return
  }
}

// -----

// CHECK: 'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    loop {
      yield
      break %f : tile<f32>
    }
    return
  }
}

// -----

// CHECK: 'cuda_tile.break' op must be the last operation in the parent block
%r = cuda_tile.loop : tile<f32> {
  break
  continue
}
