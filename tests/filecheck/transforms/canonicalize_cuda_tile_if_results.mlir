// RUN: tileiras-opt %s -p canonicalize --split-input-file --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p canonicalize --split-input-file | filecheck %s

// Negated conditions

!i1 = !cuda_tile.tile<i1>

cuda_tile.module @negated {

  testing$func @with_results(%p: !i1, %t: token, %u: token) -> token {
    %true = constant <i1: true> : !i1
    %n = xori %p, %true : !i1
    %r = if %n -> (token) {
      yield %t : token
    } else {
      yield %u : token
    }
    return %r : token
  }
  // CHECK-LABEL: @with_results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %p -> ([[token:!cuda_tile.token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield %u : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %t : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[token]]
}

// -----

// Unused results

!i32 = !cuda_tile.tile<i32>

cuda_tile.module @unused_results {
  testing$func @some_used(%c: tile<i1>, %x: !i32) -> !i32 {
    %a, %b, %d = if %c -> (!i32, !i32, !i32) {
      %0 = absi %x : !i32
      %1 = negi %x : !i32
      yield %0, %1, %0 : !i32, !i32, !i32
    } else {
      %0 = muli %x, %x : !i32
      %1 = addi %x, %x : !i32
      yield %0, %1, %x : !i32, !i32, !i32
    } {keep}
    return %b : !i32
  }
  // CHECK-LABEL: @some_used(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %b = cuda_tile.if %c -> ([[i32:!cuda_tile.tile<i32>]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.negi %x : [[i32]]
  // CHECK-NEXT:   cuda_tile.yield %0 : [[i32]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %1 = cuda_tile.addi %x, %x : [[i32]]
  // CHECK-NEXT:   cuda_tile.yield %1 : [[i32]]
  // CHECK-NEXT: } {keep}
  // CHECK-NEXT: cuda_tile.return %b : [[i32]]

  testing$func @no_else_value(%c: tile<i1>, %x: !i32) {
    %a = if %c -> (!i32) {
      %t = print_tko "%i", %x : !i32 -> token
      yield %x : !i32
    } else {
      return
    }
    %u = print_tko "after" -> token
    return
  }
  // CHECK-LABEL: @no_else_value(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "%i", %x : [[i32]] -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.return
  // CHECK-NEXT: }
  // CHECK-NEXT: %u = cuda_tile.print_tko "after" -> [[token]]
  // CHECK-NEXT: cuda_tile.return
}

// -----

// Results found outside of the branches

!i1 = !cuda_tile.tile<i1>
!t4xi1 = !cuda_tile.tile<4xi1>

cuda_tile.module @yield_to_value {
  testing$func @same_value(%c: !i1, %x: !i1, %t: token) -> token {
    %r = if %c -> (token) {
      assert %x, "then" : !i1
      yield %t : token
    } else {
      yield %t : token
    }
    return %r : token
  }
  // CHECK-LABEL: @same_value(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "then" : [[i1:!cuda_tile.tile<i1>]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %t : [[token]]

  testing$func @condition(%c: !i1, %x: !i1) -> !i1 {
    %true = constant <i1: true> : !i1
    %r = if %c -> (!i1) {
      assert %x, "then" : !i1
      yield %true : !i1
    } else {
      %false = constant <i1: false> : !i1
      yield %false : !i1
    }
    return %r : !i1
  }
  // CHECK-LABEL: @condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "then" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %c : [[i1]]

  testing$func @negated_condition(%c: !i1, %x: !i1) -> !i1 {
    %r = if %c -> (!i1) {
      assert %x, "then" : !i1
      %false = constant <i1: false> : !i1
      yield %false : !i1
    } else {
      %true = constant <i1: true> : !i1
      yield %true : !i1
    }
    return %r : !i1
  }
  // CHECK-LABEL: @negated_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1]]
  // CHECK-NEXT: %r = cuda_tile.xori %c, %true : [[i1]]
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "then" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[i1]]

  // The condition is a scalar, the result is not.
  testing$func @not_scalar(%c: !i1, %t: token, %u: token) -> (!t4xi1, token) {
    %true = constant <i1: true> : !t4xi1
    %false = constant <i1: false> : !t4xi1
    %r, %s = if %c -> (!t4xi1, token) {
      yield %true, %t : !t4xi1, token
    } else {
      yield %false, %u : !t4xi1, token
    }
    return %r, %s : !t4xi1, token
  }
  // CHECK-LABEL: @not_scalar(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[t4xi1:!cuda_tile.tile<4xi1>]]
  // CHECK-NEXT: %false = cuda_tile.constant <i1: false> : [[t4xi1]]
  // CHECK-NEXT: %r, %s = cuda_tile.if %c -> ([[t4xi1]], [[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield %true, %t : [[t4xi1]], [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %false, %u : [[t4xi1]], [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[t4xi1]], [[token]]

  testing$func @not_scalar_alone(%c: !i1) -> !t4xi1 {
    %true = constant <i1: true> : !t4xi1
    %false = constant <i1: false> : !t4xi1
    %r = if %c -> (!t4xi1) {
      yield %true : !t4xi1
    } else {
      yield %false : !t4xi1
    }
    return %r : !t4xi1
  }
  // CHECK-LABEL: @not_scalar_alone(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.reshape %c : [[i1]] -> !cuda_tile.tile<1xi1>
  // CHECK-NEXT: %bcast = cuda_tile.broadcast %0 : !cuda_tile.tile<1xi1> -> [[t4xi1]]
  // CHECK-NEXT: cuda_tile.return %bcast : [[t4xi1]]
}

// -----

// Results to selects

!i1 = !cuda_tile.tile<i1>
!i32 = !cuda_tile.tile<i32>
!ptr_f32 = !cuda_tile.tile<2x4xptr<f32>>

cuda_tile.module @to_select {
  testing$func @scalar(%c: !i1, %a: !i32, %b: !i32) -> !i32 {
    %r = if %c -> (!i32) {
      yield %a : !i32
    } else {
      yield %b : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @scalar(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %b : [[i1]], [[i32]]
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @tile(%c: !i1, %a: !ptr_f32, %b: !ptr_f32) -> !ptr_f32 {
    %r = if %c -> (!ptr_f32) {
      yield %a : !ptr_f32
    } else {
      yield %b : !ptr_f32
    }
    return %r : !ptr_f32
  }
  // CHECK-LABEL: @tile(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.reshape %c : [[i1]] -> !cuda_tile.tile<1x1xi1>
  // CHECK-NEXT: %bcast = cuda_tile.broadcast %0 : !cuda_tile.tile<1x1xi1> -> !cuda_tile.tile<2x4xi1>
  // CHECK-NEXT: %r = cuda_tile.select %bcast, %a, %b : !cuda_tile.tile<2x4xi1>, !cuda_tile.tile<2x4xptr<f32>>
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<2x4xptr<f32>>

  testing$func @constants(%c: !i1) -> !i32 {
    %r = if %c -> (!i32) {
      %0 = constant <i32: 5> : !i32
      yield %0 : !i32
    } else {
      %0 = constant <i32: 6> : !i32
      yield %0 : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @constants(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: 5> : [[i32]]
  // CHECK-NEXT: %cst_6 = cuda_tile.constant <i32: 6> : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %cst_5, %cst_6 : [[i1]], [[i32]]
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @else_leaves(%c: !i1, %a: !i32) -> !i32 {
    %r = if %c -> (!i32) {
      yield %a : !i32
    } else {
      return %a : !i32
    }
    %s = negi %r : !i32
    return %s : !i32
  }
  // CHECK-LABEL: @else_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.return %a : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %s = cuda_tile.negi %a : [[i32]]
  // CHECK-NEXT: cuda_tile.return %s : [[i32]]

  testing$func @then_leaves(%c: !i1, %a: !i32) -> !i32 {
    %r, %s = if %c -> (!i32, !i32) {
      return %a : !i32
    } else {
      %0 = absi %a : !i32
      yield %0, %a : !i32, !i32
    }
    %t = muli %r, %s : !i32
    return %t : !i32
  }
  // CHECK-LABEL: @then_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[i32]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.return %a : [[i32]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %0 = cuda_tile.absi %a : [[i32]]
  // CHECK-NEXT:   cuda_tile.yield %0 : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %t = cuda_tile.muli %r, %a : [[i32]]
  // CHECK-NEXT: cuda_tile.return %t : [[i32]]

  testing$func @tokens(%c: !i1, %t: token, %u: token, %a: !i32, %b: !i32) -> (token, !i32) {
    %r, %s = if %c -> (token, !i32) {
      yield %t, %a : token, !i32
    } else {
      yield %u, %b : token, !i32
    }
    return %r, %s : token, !i32
  }
  // CHECK-LABEL: @tokens(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r, %s = cuda_tile.if %c -> ([[token]], [[i32]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield %t, %a : [[token]], [[i32]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %u, %b : [[token]], [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[token]], [[i32]]

  // There is no select of them.
  testing$func @four_bit_floats(%c: !i1, %a: tile<2xf4E2M1FN>, %b: tile<2xf4E2M1FN>, %x: !i32, %y: !i32) -> (tile<2xf4E2M1FN>, !i32) {
    %r, %s = if %c -> (tile<2xf4E2M1FN>, !i32) {
      yield %a, %x : tile<2xf4E2M1FN>, !i32
    } else {
      yield %b, %y : tile<2xf4E2M1FN>, !i32
    }
    return %r, %s : tile<2xf4E2M1FN>, !i32
  }
  // CHECK-LABEL: @four_bit_floats(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %s = cuda_tile.select %c, %x, %y : [[i1]], [[i32]]
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[t2xf4E2M1FN:!cuda_tile.tile<2xf4E2M1FN>]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield %a : [[t2xf4E2M1FN]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %b : [[t2xf4E2M1FN]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[t2xf4E2M1FN]], [[i32]]
}
