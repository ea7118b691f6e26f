// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes.

// REQ: A-03, A-12, B-02, B-03, B-52, B-53

cuda_tile.module @m {
  testing$func @public(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i1>) {
    // PRINTS: ^body:
    // PRINTS: %0 = if %arg4 -> (tile<f32>) {
    %0 = if %arg4 -> (tile<f32>) {
      // PRINTS: ^then:
      // PRINTS: yield %arg0 : tile<f32>
      yield %arg0 : tile<f32>
    } else {
      // PRINTS: ^else:
      // PRINTS: yield %arg1 : tile<f32>
      yield %arg1 : tile<f32>
    }
    %for = for %loopIdx in (%arg2 to %arg3, step %arg2) : tile<i32> iter_values(%iterArg0 = %arg0) -> (tile<f32>) {
      // PRINTS: ^body:
      // PRINTS: %1 = addf %iterArg0, %arg1 : tile<f32>
      %1 = addf %iterArg0, %arg1  : tile<f32>
      continue %1 : tile<f32>
    }
    %2 = loop iter_values(%arg6 = %arg2) : tile<i32> -> tile<f32> {
      // PRINTS: ^body:
      // PRINTS: if %arg4 {
      if %arg4 {
        // PRINTS: ^then:
        // PRINTS: break %arg0 : tile<f32>
        break %arg0 : tile<f32>
      }
      continue %arg6 : tile<i32>
    }
    assert %arg4, "bad index" : tile<i1>
    return
  }
}

// -----

// `if`: labels and a `yield` without values may be left out, and are printed.

// REQ: A-12, B-52

!f32 = !cuda_tile.tile<f32>
!ptr_f32 = !cuda_tile.tile<4xptr<f32>>
%c, %f, %i, %t, %p = "test.op"() : () -> (!cuda_tile.tile<i1>, !f32, !cuda_tile.tile<i32>, !cuda_tile.token, !ptr_f32)
cuda_tile.if %c {
// PRINTS: ^then:
// PRINTS: cuda_tile.yield
// PRINTS: }
}
cuda_tile.if %c {
// PRINTS: ^then:
// PRINTS: cuda_tile.yield
// PRINTS: } else {
} else {
// PRINTS: ^else:
// PRINTS: cuda_tile.yield
// PRINTS: }
}
cuda_tile.if %c {
^then:
// PRINTS: cuda_tile.yield
// PRINTS: } else {
} else {
^else:
// PRINTS: cuda_tile.yield
// PRINTS: }
}
cuda_tile.if %c {
// PRINTS: ^then:
^any:
  cuda_tile.yield
} else {
  // PRINTS: ^else:
  // PRINTS: cuda_tile.yield
  yield
}
cuda_tile.if %c {
  // PRINTS: ^then:
  // PRINTS: "test.op"() : () -> ()
  "test.op"() : () -> ()
// PRINTS: cuda_tile.yield
// PRINTS: } else {
} else {
  // PRINTS: ^else:
  // PRINTS: %0 = cuda_tile.negf %f : !f32
  // PRINTS: cuda_tile.yield
  %0 = negf %f : tile<f32>
}
%a = cuda_tile.if %c -> (!cuda_tile.tile<f32>) {
^then:
  cuda_tile.yield %f : !cuda_tile.tile<f32>
} else {
^else:
  cuda_tile.yield %f : !f32
}
// PRINTS: %b, %b_1, %b_2 = cuda_tile.if %c -> (!f32, token, !ptr_f32) {
%b:3 = cuda_tile.if %c -> (!f32, token, !ptr_f32) {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield %f, %t, %p : !f32, token, !ptr_f32
  yield %f, %t, %p : !f32, token, !ptr_f32
} else {
  // PRINTS: ^else:
  // PRINTS: %d, %d_1, %d_2 = cuda_tile.if %c -> (!f32, token, !ptr_f32) {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield %f, %t, %p : !f32, token, !ptr_f32
  %d:3 = if %c ->(!f32,token,!ptr_f32) {
    // PRINTS:
    yield %f, %t, %p : !f32, token, !ptr_f32
  } else {
    // PRINTS: ^else:
    // PRINTS: cuda_tile.yield %f, %t, %p : !f32, token, !ptr_f32
    yield %f, %t, %p : !f32, token, !ptr_f32
  }
  // PRINTS: cuda_tile.yield %d, %d_1, %d_2 : !f32, token, !ptr_f32
  yield %d#0, %d#1, %d#2 : !f32, token, !ptr_f32
}

// -----

// `if`: a branch may end in any of four ways; one that leaves owes no results.

// REQ: A-12

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  entry @k(%c: tile<i1>, %f: tile<f32>, %i: tile<i32>) {
    // PRINTS: ^body:
    // PRINTS: %a = if %c -> (!f32) {
    %a = if %c -> (!f32) {
      // PRINTS: ^then:
      // PRINTS: return
      return
    } else {
      // PRINTS: ^else:
      // PRINTS: yield %f : !f32
      yield %f : !f32
    }
    if %c {
      // PRINTS: ^then:
      // PRINTS: return
      return
    } else {
      // PRINTS: ^else:
      // PRINTS: return
      return
    }
    %b = loop : !f32 {
      // PRINTS: ^body:
      // PRINTS: %d = if %c -> (tile<i32>) {
      %d = if %c -> (tile<i32>) {
        // PRINTS: ^then:
        // PRINTS: break %f : !f32
        break %f : !f32
      } else {
        // PRINTS: ^else:
        // PRINTS: continue
        continue
      }
      %e = if %c -> (tile<i32>) {
        // PRINTS: ^then:
        // PRINTS: if %c {
        if %c {
          // PRINTS: ^then:
          // PRINTS: return
          return
        }
        yield %i : tile<i32>
      } else {
        // PRINTS: ^else:
        // PRINTS: if %c {
        if %c {
          // PRINTS: ^then:
          // PRINTS: break %f : !f32
          break %f : !f32
        }
        continue
      }
      continue
    }
    for %iv in (%i to %i, step %i) : tile<i32> {
      // PRINTS: ^body:
      // PRINTS: if %c {
      if %c {
        // PRINTS: ^then:
        // PRINTS: continue
        continue
      } else {
        // PRINTS: ^else:
        // PRINTS: if %c {
        if %c {
          // PRINTS: ^then:
          // PRINTS: continue
          continue
        }
      // PRINTS: yield
      // PRINTS: }
      }
    // PRINTS: continue
    // PRINTS: }
    }
    return
  }
}

// -----

// `for`: every type of bounds, signed and unsigned, with and without carried values.

// REQ: A-12, B-53

!i32 = !cuda_tile.tile<i32>
%i1, %i8, %i16, %i32, %i64, %f, %t = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<i8>, !cuda_tile.tile<i16>, !i32, !cuda_tile.tile<i64>, !cuda_tile.tile<f32>, !cuda_tile.token)
cuda_tile.for %n0 in (%i1 to %i1, step %i1) : tile<i1> {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
cuda_tile.for unsigned %n1 in (%i8 to %i8, step %i8) : tile<i8> {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
cuda_tile.for %n2 in (%i16 to %i16, step %i16) : tile<i16> {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
cuda_tile.for unsigned %n3 in (%i32 to %i32, step %i32) : !i32 {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
cuda_tile.for %n4 in (%i64 to %i64, step %i64) : tile<i64> {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
%a = cuda_tile.for %ia in (%i32 to %i32, step %i32) : !cuda_tile.tile<i32> iter_values(%xa = %f) -> (!cuda_tile.tile<f32>) {
^body:
  cuda_tile.continue %xa : !cuda_tile.tile<f32>
}
// PRINTS: %b, %b_1 = cuda_tile.for unsigned %ib in (%i32 to %i32, step %i32) : !i32 iter_values(%xb = %f, %yb = %t) -> (tile<f32>, token) {
%b:2 = cuda_tile.for unsigned %ib in (%i32 to %i32, step %i32):!i32 iter_values(%xb = %f,%yb=%t)->(tile<f32>,token) {
  // PRINTS: ^body:
  // PRINTS: "test.op"(%ib) : (!i32) -> ()
  "test.op"(%ib) : (!i32) -> ()
  // PRINTS: cuda_tile.continue %xb, %yb : tile<f32>, token
  continue %xb, %yb : tile<f32>, token
}
cuda_tile.for %ic in (%i32 to %i32, step %i32) : !i32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.for %id in (%ic to %i32, step %i32) : !i32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.for %ie in (%id to %ic, step %i32) : !i32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.continue
  for %id in (%ic to %i32, step %i32) : !i32 {
    // PRINTS:
    for %ie in (%id to %ic, step %i32) : !i32 {
      // PRINTS:
      continue
    }
  // PRINTS: cuda_tile.continue
  // PRINTS: }
  }
// PRINTS: cuda_tile.continue
// PRINTS: }
}

// -----

// `loop`: carried values and results are independent.

// REQ: A-12, B-53

!ptr_f32 = !cuda_tile.tile<4xptr<f32>>
!f32 = !cuda_tile.tile<f32>
!i32 = !cuda_tile.tile<i32>
%c, %f, %i, %t, %p = "test.op"() : () -> (!cuda_tile.tile<i1>, !f32, !i32, !cuda_tile.token, !ptr_f32)
cuda_tile.loop {
// PRINTS: ^body:
// PRINTS: cuda_tile.continue
// PRINTS: }
}
cuda_tile.loop {
^body:
  cuda_tile.break
}
%a = cuda_tile.loop : !f32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.break %f : !f32
  break %f : !f32
}
%b, %d = cuda_tile.loop : !f32, token {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.break %f, %t : !f32, token
  break %f, %t : !f32, token
}
cuda_tile.loop iter_values(%x0 = %i) : !i32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.continue %x0 : !i32
  continue %x0 : !i32
}
cuda_tile.loop iter_values(%x1 = %i, %y1 = %t) : !cuda_tile.tile<i32>, !cuda_tile.token {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.if %c {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.break
  if %c {
    // PRINTS:
    break
  }
  // PRINTS: cuda_tile.continue %x1, %y1 : !i32, token
  continue %x1, %y1 : !i32, token
}
%e = cuda_tile.loop iter_values(%x2 = %i) : !i32 -> !f32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.break %f : !f32
  break %f : !f32
}
// PRINTS: %g, %h = cuda_tile.loop iter_values(%x3 = %i, %y3 = %t) : !i32, token -> !f32, !ptr_f32 {
// PRINTS: ^body:
// PRINTS: %n = cuda_tile.loop iter_values(%z3 = %y3) : token -> token {
%g, %h = cuda_tile.loop iter_values(%x3=%i,%y3=%t):!i32,token->!f32,!ptr_f32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.break %z3 : token
  %n = loop iter_values(%z3 = %y3) : token -> token {
    // PRINTS:
    break %z3 : token
  }
  // PRINTS: cuda_tile.if %c {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.break %f, %p : !f32, !ptr_f32
  if %c {
    // PRINTS:
    break %f, %p : !f32, !ptr_f32
  }
  // PRINTS: cuda_tile.continue %x3, %n : !i32, token
  continue %x3, %n : !i32, token
}

// -----

// `return` ends an entry, also from inside an `if` or a `loop`; a function of the tests returns values.

// REQ: A-12

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  entry @kernel(%c: tile<i1>) {
    // PRINTS: ^body:
    // PRINTS: loop {
    loop {
      // PRINTS: ^body:
      // PRINTS: loop {
      loop {
        // PRINTS: ^body:
        // PRINTS: if %c {
        if %c {
          // PRINTS: ^then:
          // PRINTS: return
          return
        }
        return
      }
      return
    }
    return
  }
  entry @implicit() {
  // PRINTS: ^body:
  // PRINTS: return
  // PRINTS: }
  }
  // PRINTS: testing$func @one(%f: !f32) -> (!f32) {
  // PRINTS: ^body:
  testing$func @one(%f: !f32) -> !f32 {
    return %f : tile<f32>
  }
  testing$func @several(%f: !f32, %t: token, %c: tile<i1>) -> (!f32, token) {
    // PRINTS: ^body:
    // PRINTS: if %c {
    if %c {
      // PRINTS: ^then:
      // PRINTS: return %f, %t : !f32, token
      return %f, %t : !f32, token
    }
    return %f, %t : !f32, token
  }
  testing$func @implicit_too() {
  // PRINTS: ^body:
  // PRINTS: return
  // PRINTS: }
  }
}

// -----

// `assert`: the message is escaped.

// REQ: A-17

%c, %v = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<2x4xi1>)
cuda_tile.assert %c, "" : tile<i1>
cuda_tile.assert %v, "all of them" : !cuda_tile.tile<2x4xi1>
cuda_tile.assert %c, "\22quoted\22, a \\ and\0Aa \09tab" : tile<i1>
// PRINTS: cuda_tile.assert %c, "a\09b\0A\22c\22" : tile<i1>
cuda_tile.assert %c, "a\tb\n\"c\"" : tile<i1>

// -----

// Discardable attributes: after the regions, and before the operands of a terminator.

// REQ: B-04, B-28

!f32 = !cuda_tile.tile<f32>
%c, %f, %i, %t, %p = "test.op"() : () -> (!cuda_tile.tile<i1>, !f32, !cuda_tile.tile<i32>, !cuda_tile.token, !cuda_tile.tile<4xptr<f32>>)
%a = cuda_tile.if %c -> (!f32) {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield {my.tag = 7 : i32} %f : !f32
  yield {my.tag = 7 : i32} %f : !f32
} else {
  // PRINTS: ^else:
  // PRINTS: cuda_tile.yield {unit} %f : !f32
  yield {unit} %f : !f32
} {cuda_tile.loop_split = 2 : i64, unit}
cuda_tile.if %c {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield {unit}
  yield {unit}
} {my.tag = 7 : i32}
%b = cuda_tile.for %iv in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (!f32) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.continue {my.tag = 7 : i32, unit} %x : !f32
  continue {my.tag = 7 : i32, unit} %x : !f32
} {cuda_tile.loop_split = 2 : i64, unit}
%d = cuda_tile.loop iter_values(%y = %i) : tile<i32> -> !f32 {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.if %c {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.continue {unit} %y : tile<i32>
  if %c {
    // PRINTS:
    continue {unit} %y : tile<i32>
  }
  // PRINTS: cuda_tile.break {my.tag = 7 : i32, unit} %f : !f32
  break {my.tag = 7 : i32, unit} %f : !f32
} {my.tag = 7 : i32, unit}
cuda_tile.testing$func @f() {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.return {my.tag = 7 : i32, unit}
  return {my.tag = 7 : i32, unit}
} {my.tag = 7 : i32, unit}
cuda_tile.assert %c, "message" {my.tag = 7 : i32, unit} : tile<i1>

// -----

// Generic form; an absent `else` is an empty region.

// REQ: B-08, B-22

!i1 = !cuda_tile.tile<i1>
!f32 = !cuda_tile.tile<f32>
!i32 = !cuda_tile.tile<i32>
!token = !cuda_tile.token
%c, %f, %i, %t, %p = "test.op"() : () -> (!i1, !f32, !i32, !token, !cuda_tile.tile<4xptr<f32>>)
// PRINTS: cuda_tile.if %c {
"cuda_tile.if"(%c) ({
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield
  "cuda_tile.yield"() : () -> ()
// PRINTS:
}, {
// PRINTS: }
}) : (!cuda_tile.tile<i1>) -> ()
// PRINTS: %a, %b = cuda_tile.if %c -> (!f32, !token) {
%a, %b = "cuda_tile.if"(%c) ({
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield {my.tag} %f, %t : !f32, !token
  "cuda_tile.yield"(%f, %t) {my.tag} : (!f32, !token) -> ()
// PRINTS: } else {
}, {
// PRINTS: ^else:
^bb0:
  // PRINTS: cuda_tile.yield %f, %t : !f32, !token
  "cuda_tile.yield"(%f, %t) : (!f32, !token) -> ()
// PRINTS: } {my.tag}
}) {my.tag} : (!i1) -> (!f32, !token)
// PRINTS: cuda_tile.for %i0 in (%i to %i, step %i) : !i32 {
"cuda_tile.for"(%i, %i, %i) ({
// PRINTS: ^body:
^bb0(%i0: !i32):
  // PRINTS: cuda_tile.continue
  "cuda_tile.continue"() : () -> ()
// PRINTS: }
}) : (!i32, !i32, !i32) -> ()
// PRINTS: %d = cuda_tile.for unsigned %i1 in (%i to %i, step %i) : !i32 iter_values(%x1 = %f) -> (!f32) {
%d = "cuda_tile.for"(%i, %i, %i, %f) <{unsignedCmp}> ({
// PRINTS: ^body:
^bb0(%i1: !i32, %x1: !f32):
  // PRINTS: cuda_tile.continue %x1 : !f32
  "cuda_tile.continue"(%x1) : (!f32) -> ()
// PRINTS: } {my.tag}
}) {my.tag} : (!i32, !i32, !i32, !f32) -> !f32
// PRINTS: %e = cuda_tile.loop iter_values(%x2 = %i, %y2 = %t) : !i32, !token -> !f32 {
%e = "cuda_tile.loop"(%i, %t) ({
// PRINTS: ^body:
^bb0(%x2: !i32, %y2: !token):
  // PRINTS: cuda_tile.if %c {
  "cuda_tile.if"(%c) ({
    // PRINTS: ^then:
    // PRINTS: cuda_tile.break %f : !f32
    "cuda_tile.break"(%f) : (!f32) -> ()
  // PRINTS:
  }, {
  // PRINTS: }
  }) : (!i1) -> ()
  // PRINTS: cuda_tile.continue %x2, %y2 : !i32, !token
  "cuda_tile.continue"(%x2, %y2) : (!i32, !token) -> ()
// PRINTS: } {my.tag}
}) {my.tag} : (!i32, !token) -> !f32
// PRINTS: cuda_tile.testing$func @f(%x3: !f32) -> (!f32) {
"cuda_tile.testing$func"() <{sym_name = "f", function_type = (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>}> ({
// PRINTS: ^body:
^bb0(%x3: !f32):
  // PRINTS: cuda_tile.return %x3 : !f32
  "cuda_tile.return"(%x3) : (!f32) -> ()
// PRINTS: }
}) : () -> ()
// PRINTS: cuda_tile.assert %c, "message" {my.tag} : !i1
"cuda_tile.assert"(%c) <{message = "message"}> {my.tag} : (!i1) -> ()
