// RUN: TILEIRAS_VERIFY_INVALID

!tview = !cuda_tile.tensor_view<?xf32, strides=[1]>
%tview = "test.op"() : () -> !tview
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
%view = "test.op"() : () -> !view
!strided = !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
%strided = "test.op"() : () -> !strided
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
%gather = "test.op"() : () -> !gather

// -----

// Operand types and attributes.

// CHECK: 'cuda_tile.if' op operand #0 must be 0D tile of i1 values, but got '!t4xi1'
"cuda_tile.if"(%t4xi1) ({
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!t4xi1) -> ()

// CHECK: 'cuda_tile.for' op operand #0 must be [[scalar_int:0D tile of i1 or i8 or i16 or i32 or i64 values]], but got '!f32'
cuda_tile.for %iv in (%f32 to %f32, step %f32) : !f32 {
}

// CHECK: 'cuda_tile.for' op operand #0 must be [[scalar_int]], but got '!t4xi32'
cuda_tile.for %iv in (%t4xi32 to %t4xi32, step %t4xi32) : !t4xi32 {
}

// CHECK: 'cuda_tile.for' op operand #0 must be [[scalar_int]], but got '!i4'
cuda_tile.for %iv in (%i4 to %i4, step %i4) : !i4 {
}

// CHECK: 'cuda_tile.for' op operand #0 must be [[scalar_int]], but got '!token'
cuda_tile.for %iv in (%token to %token, step %token) : token {
}

// CHECK: 'cuda_tile.for' op operand #1 must be [[scalar_int]], but got '!f32'
"cuda_tile.for"(%i32, %f32, %i32) ({
^bb0(%iv: !i32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !f32, !i32) -> ()

// CHECK: 'cuda_tile.for' op operand #2 must be [[scalar_int]], but got '!f32'
"cuda_tile.for"(%i32, %i32, %f32) ({
^bb0(%iv: !i32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !f32) -> ()

// CHECK: 'cuda_tile.for' op attribute 'unsignedCmp' failed to satisfy constraint: true should be of base attribute unit
"cuda_tile.for"(%i32, %i32, %i32) <{unsignedCmp = true}> ({
^bb0(%iv: !i32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> ()

// CHECK: 'cuda_tile.assert' op requires attribute 'message'
"cuda_tile.assert"(%i1) : (!i1) -> ()

// CHECK: 'cuda_tile.assert' op attribute 'message' failed to satisfy constraint: string attribute
"cuda_tile.assert"(%i1) <{message = 5 : i32}> : (!i1) -> ()

// Numbers of operands, results and regions.

// CHECK: 'cuda_tile.assert' op requires a single operand
"cuda_tile.assert"(%i1, %i32) : (!i1, !i32) -> ()

// CHECK: 'cuda_tile.assert' op requires zero results
%r = "cuda_tile.assert"(%i1) <{message = "message"}> : (!i1) -> !i1

// CHECK: 'cuda_tile.if' op expected 2 regions
"cuda_tile.if"(%i1) ({
  "cuda_tile.yield"() : () -> ()
}) : (!i1) -> ()

// CHECK: 'cuda_tile.loop' op requires one region
"cuda_tile.loop"() : () -> ()

// CHECK: 'cuda_tile.if' op expects region #1 to have 0 or 1 blocks
"cuda_tile.if"(%i1) ({
  "cuda_tile.yield"() : () -> ()
}, {
^bb0:
  "cuda_tile.yield"() : () -> ()
^bb1:
  "cuda_tile.yield"() : () -> ()
}) : (!i1) -> ()

// CHECK: 'cuda_tile.if' op region #1 should have no arguments
"cuda_tile.if"(%i1) ({
  "cuda_tile.yield"() : () -> ()
}, {
^bb0(%x: !f32):
  "cuda_tile.yield"() : () -> ()
}) : (!i1) -> ()

// Empty blocks, and blocks that end in something else.

// CHECK: 'cuda_tile.if' op expects a non-empty block
"cuda_tile.if"(%i1) ({
^bb0:
}, {
}) : (!i1) -> ()

// CHECK: 'cuda_tile.if' op else branch must end in one of yield, break, continue, return
cuda_tile.if %i1 {
} else {
  "test.termop"() : () -> ()
}

// CHECK: 'cuda_tile.for' op body must end in continue
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 {
  "test.termop"() : () -> ()
}

// CHECK: 'cuda_tile.loop' op body must end in continue, break or return
cuda_tile.loop {
  "test.termop"() : () -> ()
}

// CHECK: Operation test.op terminates block in single-block region but is not a terminator
"cuda_tile.loop"() ({
  "test.op"() : () -> ()
}) : () -> ()

// Parents of terminators.

// CHECK: 'cuda_tile.yield' op [[expects:expects parent op to be one of 'cuda_tile\.if, cuda_tile\.reduce, cuda_tile\.scan']]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    yield
  }
}

// CHECK: 'cuda_tile.yield' op [[expects]]
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 {
  yield
}

// CHECK: 'cuda_tile.yield' op [[expects]]
"test.op"() ({
  cuda_tile.yield
}) : () -> ()

// CHECK: 'cuda_tile.yield' op [[expects]]
cuda_tile.testing$func @f() {
  yield
}

// CHECK: 'cuda_tile.break' op [[expects_1:expects parent op to be one of 'cuda_tile\.if, cuda_tile\.loop']]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    break
  }
}

// CHECK: 'cuda_tile.break' op [[expects_1]]
"test.op"() ({
  cuda_tile.break
}) : () -> ()

// CHECK: 'cuda_tile.continue' op [[expects_2:expects parent op to be one of 'cuda_tile\.for, cuda_tile\.if, cuda_tile\.loop']]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    continue
  }
}

// CHECK: 'cuda_tile.continue' op [[expects_2]]
"test.op"() ({
  cuda_tile.continue
}) : () -> ()

// CHECK: 'cuda_tile.return' op [[expects_3:expects parent op to be one of 'cuda_tile\.entry, cuda_tile\.if, cuda_tile\.loop']]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    for %iv in (%i to %i, step %i) : !i32 {
      return
    }
  }
}

// A terminator is the last op of its block.

// CHECK: 'cuda_tile.yield' op [[operation:must be the last operation in the parent block]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    if %c {
      yield
      yield
    }
    return
  }
}

// CHECK: 'cuda_tile.break' op [[operation]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    loop {
      break
      continue
    }
    return
  }
}

// CHECK: 'cuda_tile.continue' op [[operation]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    loop {
      continue
      break
    }
    return
  }
}

// `break` reaches a `loop` through nothing but `if`s.

// CHECK: 'cuda_tile.break' op [[operations:can only be nested within a ancestor chain of 'cuda_tile\.loop', 'cuda_tile\.if' operations]]
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.entry'
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    if %c {
      break
    }
    return
  }
}

// CHECK: 'cuda_tile.break' op [[operations]]
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.for'
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    loop {
      for %iv in (%i to %i, step %i) : !i32 {
        if %c {
          break
        }
      }
    }
    return
  }
}

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: () vs ('!f32')
%r = cuda_tile.loop : !f32 {
  break
}

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: ('!f32', '!i32') vs ()
cuda_tile.loop {
  break %f32, %i32 : !f32, !i32
}

// CHECK: 'cuda_tile.break' op operand types must correspond to the parent loop result types: ('!i32') vs ('!f32')
%r = cuda_tile.loop iter_values(%x = %i32) : !i32 -> !f32 {
  if %i1 {
    if %i1 {
      break %x : !i32
    }
  }
  continue %x : !i32
}

// `continue` reaches a `for` or a `loop` through nothing but `if`s.

// CHECK: 'cuda_tile.continue' op [[operations_1:can only be nested within a ancestor chain of 'cuda_tile\.for', 'cuda_tile\.loop', 'cuda_tile\.if' operations]]
// CHECK-NEXT: see unexpected ancestor operation 'cuda_tile.entry'
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    if %c {
      continue
    }
    return
  }
}

// CHECK: 'cuda_tile.continue' op [[operations_1]]
// CHECK-NEXT: see unexpected ancestor operation 'builtin.module'
cuda_tile.if %i1 {
} else {
  continue
}

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!f32'), but found: ()
%r = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %f32) -> (!f32) {
}

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: (), but found: ('!i32')
cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 {
  continue %iv : !i32
}

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!f32', '!i32'), but found: ('!i32', '!f32')
%r:2 = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %f32, %y = %i32) -> (!f32, !i32) {
  if %i1 {
    continue %y, %x : !i32, !f32
  }
  continue %x, %y : !f32, !i32
}

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!i32'), but found: ()
cuda_tile.loop iter_values(%x = %i32) : !i32 {
}

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!i32'), but found: ('!f32')
%r = cuda_tile.loop iter_values(%x = %i32) : !i32 -> !f32 {
  if %i1 {
    continue %f32 : !f32
  }
  break %f32 : !f32
}

// CHECK: `loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: (), but found: ('!f32')
cuda_tile.loop {
  continue %f32 : !f32
}

// `return` reaches a function through `if`s and `loop`s, with the values it returns.

// CHECK: 'cuda_tile.return' op [[operation_1:must be used within a cuda_tile\.entry, cuda_tile\.if, or cuda_tile\.loop operation]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    for %iv in (%i to %i, step %i) : !i32 {
      loop {
        return
      }
    }
    return
  }
}

// CHECK: 'cuda_tile.return' op [[operation_1]]
cuda_tile.if %i1 {
  return
}

// CHECK: 'cuda_tile.return' op [[operation_1]]
cuda_tile.loop {
  return
}

// CHECK: 'cuda_tile.return' op [[enclosing:has 1 operands, but enclosing function \(@k\) returns 0 \(has 1 operands, but entry function must return 0 operands\)]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    return %f : !f32
  }
}

// CHECK: 'cuda_tile.return' op [[enclosing]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    if %c {
      return %f : !f32
    }
    return
  }
}

// CHECK: 'cuda_tile.return' op [[enclosing]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    loop {
      return %f : !f32
    }
    return
  }
}

// CHECK: 'cuda_tile.return' op has 0 operands, but enclosing function (@f) returns 1
cuda_tile.testing$func @f() -> !f32 {
  return
}

// CHECK: 'cuda_tile.return' op has 2 operands, but enclosing function (@f) returns 1
cuda_tile.testing$func @f(%x: !f32) -> !f32 {
  loop {
    return %x, %x : !f32, !f32
  }
  return %x : !f32
}

// CHECK: 'cuda_tile.return' op type of return operand 1 ('!f32') doesn't match function result type ('!i32')
cuda_tile.testing$func @f(%x: !f32) -> (!f32, !i32) {
  return %x, %x : !f32, !f32
}

// `if`: what the branches yield.

// CHECK: 'cuda_tile.if' op has return type of '!f32' but then branch does not yield anything
%r = cuda_tile.if %i1 -> (!f32) {
} else {
  yield %f32 : !f32
}

// CHECK: 'cuda_tile.if' op has return type of '!f32', '!i32' but else branch does not yield anything
%r:2 = cuda_tile.if %i1 -> (!f32, !i32) {
  yield %f32, %i32 : !f32, !i32
} else {
}

// CHECK: 'cuda_tile.if' op does not return a value, but then branch yields '!f32'
cuda_tile.if %i1 {
  yield %f32 : !f32
}

// CHECK: 'cuda_tile.if' op does not return a value, but else branch yields '!f32', '!i32'
cuda_tile.if %i1 {
} else {
  yield %f32, %i32 : !f32, !i32
}

// CHECK: 'cuda_tile.if' op type does not match yield type, then branch yields '!i32' but op result type is '!f32'
%r = cuda_tile.if %i1 -> (!f32) {
  yield %i32 : !i32
} else {
  yield %f32 : !f32
}

// CHECK: 'cuda_tile.if' op type does not match yield type, else branch yields '!f32' but op result type is '!f32', '!i32'
%r:2 = cuda_tile.if %i1 -> (!f32, !i32) {
  yield %f32, %i32 : !f32, !i32
} else {
  yield %f32 : !f32
}

// No views through `if`.

// CHECK: 'cuda_tile.if' op [[supported_1:result type 0 is a tile view, which is not supported]]
%r = cuda_tile.if %i1 -> (!strided) {
  yield %strided : !strided
} else {
  yield %strided : !strided
}

// CHECK: 'cuda_tile.if' op [[supported_1]]
%r = cuda_tile.if %i1 -> (!gather) {
  yield %gather : !gather
} else {
  yield %gather : !gather
}

// CHECK: 'cuda_tile.if' op result type 1 is a tensor_view, which is not supported
%r:2 = cuda_tile.if %i1 -> (!i1, !tview) {
  yield %i1, %tview : !i1, !tview
} else {
  yield %i1, %tview : !i1, !tview
}

// `for`: bounds, induction variable, carried values.

// CHECK: 'cuda_tile.for' op [[verify:failed to verify that all of \{lowerBound, upperBound, step\} have same type]]
"cuda_tile.for"(%i32, %i32, %i64) ({
^bb0(%x0: !i32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i64) -> ()

// CHECK: 'cuda_tile.for' op [[verify_1:failed to verify that all of \{initValues, resultValues\} have same type]]
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0(%x0: !i32, %x1: !f32):
  "cuda_tile.continue"(%x1) : (!f32) -> ()
}) : (!i32, !i32, !i32, !f32) -> !i32

// CHECK: 'cuda_tile.for' op [[verify_1]]
%r0 = "cuda_tile.for"(%i32, %i32, %i32) ({
^bb0(%x0: !i32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> !f32

// CHECK: 'cuda_tile.for' op [[verify_1]]
%r0, %r1 = "cuda_tile.for"(%i32, %i32, %i32, %f32, %i32) ({
^bb0(%x0: !i32, %x1: !f32, %x2: !i32):
  "cuda_tile.continue"(%x1, %x2) : (!f32, !i32) -> ()
}) : (!i32, !i32, !i32, !f32, !i32) -> (!i32, !f32)

// CHECK: 'cuda_tile.for' op expected induction variable to be same type as bounds and step: '!f32' vs '!i32'
"cuda_tile.for"(%i32, %i32, %i32) ({
^bb0(%x0: !f32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> ()

// CHECK: 'cuda_tile.for' op [[iterator:mismatch in number of region iterator values and loop iterator inits: 0 vs 1]]
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0(%x0: !i32):
  "cuda_tile.continue"(%f32) : (!f32) -> ()
}) : (!i32, !i32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.for' op mismatch in number of region iterator values and loop iterator inits: 2 vs 0
"cuda_tile.for"(%i32, %i32, %i32) ({
^bb0(%x0: !i32, %x1: !f32, %x2: !f32):
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> ()

// CHECK: 'cuda_tile.for' op init value 0 and region iter_value 0 have different type: '!f32' != '!i32'
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0(%x0: !i32, %x1: !i32):
  "cuda_tile.continue"(%f32) : (!f32) -> ()
}) : (!i32, !i32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.for' op init value 1 and region iter_value 1 have different type: '!i32' != '!f32'
%r0, %r1 = "cuda_tile.for"(%i32, %i32, %i32, %f32, %i32) ({
^bb0(%x0: !i32, %x1: !f32, %x2: !f32):
  "cuda_tile.continue"(%f32, %i32) : (!f32, !i32) -> ()
}) : (!i32, !i32, !i32, !f32, !i32) -> (!f32, !i32)

// CHECK: 'cuda_tile.for' op [[supported_2:loop-carried value 0 is a tensor_view, which is not supported]]
%r = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %tview) -> (!tview) {
  continue %x : !tview
}

// CHECK: 'cuda_tile.for' op [[supported_3:loop-carried value 0 is a tile view, which is not supported]]
%r = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %view) -> (!view) {
  continue %x : !view
}

// CHECK: 'cuda_tile.for' op [[supported_3]]
%r = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %strided) -> (!strided) {
  continue %x : !strided
}

// CHECK: 'cuda_tile.for' op [[supported_3]]
%r = cuda_tile.for %iv in (%i32 to %i32, step %i32) : !i32 iter_values(%x = %gather) -> (!gather) {
  continue %x : !gather
}

// `loop`: carried values and results.

// CHECK: 'cuda_tile.loop' op mismatch in number of region iterator values and loop iterator inits: 1 vs 0
"cuda_tile.loop"() ({
^bb0(%x0: !f32):
  "cuda_tile.break"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.loop' op init value 0 and region iter_value 0 have different type: '!f32' != '!i32'
"cuda_tile.loop"(%f32) ({
^bb0(%x0: !i32):
  "cuda_tile.break"() : () -> ()
}) : (!f32) -> ()

// CHECK: 'cuda_tile.loop' op loop-carried value 1 is a tensor_view, which is not supported
cuda_tile.loop iter_values(%x = %i32, %y = %tview) : !i32, !tview {
  continue %x, %y : !i32, !tview
}

// CHECK: 'cuda_tile.loop' op loop-carried value 1 is a tile view, which is not supported
cuda_tile.loop iter_values(%x = %i32, %y = %view) : !i32, !view {
  continue %x, %y : !i32, !view
}

// CHECK: 'cuda_tile.loop' op [[supported_1]]
%r = cuda_tile.loop : !view {
  break %view : !view
}

// Of two faults the first counts: `if` is checked before what it contains, loops after it.

// CHECK: 'cuda_tile.if' op expected 2 regions
"cuda_tile.if"(%i32) ({
}) : (!i32) -> ()

// CHECK: 'cuda_tile.if' op region #0 should have no arguments
%r = "cuda_tile.if"(%i1) ({
^bb0(%x: !f32):
  "cuda_tile.yield"() : () -> ()
}, {
}) : (!i1) -> !f32

// CHECK: 'cuda_tile.if' op [[supported:result type 0 is a tensor_view, which is not supported]]
%r = cuda_tile.if %i1 -> (!tview) {
  absf %i32 : !i32
}

// CHECK: 'cuda_tile.if' op has return type of '!f32' but then branch does not yield anything
%r = cuda_tile.if %i1 -> (!f32) {
  absf %i32 : !i32
}

// CHECK: 'cuda_tile.if' op [[branch:has non-empty return type, must define else branch]]
%r = cuda_tile.if %i1 -> (!f32) {
  absf %i32 : !i32
  yield %f32 : !f32
}

// CHECK: 'cuda_tile.if' op has return type of '!f32' but else branch does not yield anything
%r = cuda_tile.if %i1 -> (!f32) {
  break %i32 : !i32
} else {
}

// CHECK: 'cuda_tile.absf' op operand #0 must be [[float:tile of f16 or bf16 or f32 or f64 values]], but got '!i32'
"cuda_tile.for"(%i32, %i32, %i32) ({
^bb0:
  %z = "cuda_tile.absf"(%i32) : (!i32) -> !f32
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> ()

// CHECK: 'cuda_tile.absf' op operand #0 must be [[float]], but got '!i32'
"cuda_tile.for"(%i32, %i32, %i32) ({
^bb0(%x0: !f32):
  %z = "cuda_tile.absf"(%i32) : (!i32) -> !f32
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32) -> ()

// CHECK: 'cuda_tile.absf' op operand #0 must be [[float]], but got '!i32'
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0(%x0: !i32):
  %z = "cuda_tile.absf"(%i32) : (!i32) -> !f32
  "cuda_tile.continue"(%f32) : (!f32) -> ()
}) : (!i32, !i32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.absf' op operand #0 must be [[float]], but got '!i32'
"cuda_tile.loop"(%f32) ({
^bb0(%x0: !i32):
  %z = "cuda_tile.absf"(%i32) : (!i32) -> !f32
  "cuda_tile.break"() : () -> ()
}) : (!f32) -> ()

// CHECK: 'cuda_tile.for' op [[verify]]
"cuda_tile.for"(%i32, %i64, %i32, %f32) ({
^bb0(%x0: !i32):
  %z = "cuda_tile.absf"(%i32) : (!i32) -> !f32
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i64, !i32, !f32) -> ()

// CHECK: `for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!f32'), but found: ()
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0:
  "cuda_tile.continue"() : () -> ()
}) : (!i32, !i32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.for' op expected induction variable to be same type as bounds and step: '!f32' vs '!i32'
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %f32) ({
^bb0(%x0: !f32):
  "cuda_tile.continue"(%f32) : (!f32) -> ()
}) : (!i32, !i32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.for' op init value 0 and region iter_value 0 have different type: '!tview' != '!i32'
%r0 = "cuda_tile.for"(%i32, %i32, %i32, %tview) ({
^bb0(%x0: !i32, %x1: !i32):
  "cuda_tile.continue"(%tview) : (!tview) -> ()
}) : (!i32, !i32, !i32, !tview) -> !tview

// CHECK: 'cuda_tile.for' op [[supported_2]]
%r0, %r1 = "cuda_tile.for"(%i32, %i32, %i32, %tview, %i32) ({
^bb0(%x0: !i32, %x1: !tview, %x2: !f32):
  "cuda_tile.continue"(%tview, %i32) : (!tview, !i32) -> ()
}) : (!i32, !i32, !i32, !tview, !i32) -> (!tview, !i32)

// CHECK: 'cuda_tile.loop' op [[iterator]]
%r0 = "cuda_tile.loop"(%i32) ({
^bb0:
  "cuda_tile.break"(%tview) : (!tview) -> ()
}) : (!i32) -> !tview

// CHECK: 'cuda_tile.break' op [[expects_1]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    break %f : !f32
    return
  }
}

// CHECK: 'cuda_tile.yield' op [[expects]]
cuda_tile.module @m {
  entry @k(%c: !i1, %f: !f32, %i: !i32) {
    loop {
      yield
      break %f : !f32
    }
    return
  }
}

// CHECK: 'cuda_tile.break' op [[operation]]
%r = cuda_tile.loop : !f32 {
  break
  continue
}
