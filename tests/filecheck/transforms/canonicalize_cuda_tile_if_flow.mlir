// RUN: tileiras-opt %s -p canonicalize --split-input-file --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p canonicalize --split-input-file | filecheck %s

// Static conditions

!i1 = !cuda_tile.tile<i1>
!i32 = !cuda_tile.tile<i32>

cuda_tile.module @static {
  testing$func @true(%x: !i1, %y: !i1, %a: !i32) -> !i32 {
    %c = constant <i1: true> : !i1
    %r = if %c -> (!i32) {
      assert %x, "then" : !i1
      %0 = absi %a : !i32
      yield %0 : !i32
    } else {
      assert %y, "else" : !i1
      yield %a : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @true(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.assert %x, "then" : [[i1:!cuda_tile.tile<i1>]]
  // CHECK-NEXT: %r = cuda_tile.absi %a : [[i32:!cuda_tile.tile<i32>]]
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @false(%x: !i1, %y: !i1) {
    %c = constant <i1: false> : !i1
    if %c {
      assert %x, "then" : !i1
    } else {
      assert %y, "else" : !i1
    }
    return
  }
  // CHECK-LABEL: @false(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.assert %y, "else" : [[i1]]
  // CHECK-NEXT: cuda_tile.return

  testing$func @false_without_else(%x: !i1) {
    %c = constant <i1: false> : !i1
    if %c {
      assert %x, "then" : !i1
    }
    return
  }
  // CHECK-LABEL: @false_without_else(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return

  testing$func @return(%x: !i1, %a: !i32) -> !i32 {
    %c = constant <i1: true> : !i1
    %r = if %c -> (!i32) {
      assert %x, "then" : !i1
      return %a : !i32
    } else {
      yield %a : !i32
    }
    %s = muli %r, %r : !i32
    if %x {
      %0 = print_tko "%i", %s : !i32 -> token
    }
    return %s : !i32
  }
  // CHECK-LABEL: @return(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.assert %x, "then" : [[i1]]
  // CHECK-NEXT: cuda_tile.return %a : [[i32]]

  testing$func @continue(%lb: !i32, %ub: !i32, %step: !i32, %a: !i32) -> !i32 {
    %c = constant <i1: true> : !i1
    %r = for %i in (%lb to %ub, step %step) : !i32 iter_values(%s = %a) -> (!i32) {
      if %c {
        continue %i : !i32
      }
      continue %s : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @continue(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.for %i in (%lb to %ub, step %step) : [[i32]] iter_values(%s = %a) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.continue %i : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]
}

// -----

// Empty else branches

!i1 = !cuda_tile.tile<i1>

cuda_tile.module @empty_else {
  testing$func @empty(%c: !i1, %x: !i1) {
    if %c {
      assert %x, "then" : !i1
    } else {
    }
    return
  }
  // CHECK-LABEL: @empty(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "then" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @results(%c: !i1, %t: token, %u: token) -> token {
    %r = if %c -> (token) {
      yield %t : token
    } else {
      yield %u : token
    }
    return %r : token
  }
  // CHECK-LABEL: @results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[token:!cuda_tile.token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.yield %t : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %u : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[token]]
}

// -----

// Nested ones

!i1 = !cuda_tile.tile<i1>
!i32 = !cuda_tile.tile<i32>

cuda_tile.module @nested {
  testing$func @no_results(%p: !i1, %q: !i1, %x: !i1) {
    if %p {
      if %q {
        assert %x, "m" : !i1
      }
    } {keep}
    return
  }
  // CHECK-LABEL: @no_results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]]
  // CHECK-NEXT: cuda_tile.if %0 {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "m" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: } {keep}
  // CHECK-NEXT: cuda_tile.return

  testing$func @deep(%p: !i1, %q: !i1, %r: !i1, %a: !i32) {
    if %p {
      if %q {
        if %r {
          %five = constant <i32: 5> : !i32
          %0 = print_tko "%i", %five : !i32 -> token
        }
      } else {
      }
    } else {
    }
    return
  }
  // CHECK-LABEL: @deep(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: 5> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]]
  // CHECK-NEXT: %1 = cuda_tile.andi %0, %r : [[i1]]
  // CHECK-NEXT: cuda_tile.if %1 {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %2 = cuda_tile.print_tko "%i", %cst_5 : [[i32]] -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @inner_leaves(%p: !i1, %q: !i1, %x: !i1) {
    if %p {
      if %q {
        assert %x, "m" : !i1
        return
      }
    }
    assert %x, "after" : !i1
    return
  }
  // CHECK-LABEL: @inner_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]]
  // CHECK-NEXT: cuda_tile.if %0 {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %x, "m" : [[i1]]
  // CHECK-NEXT:   cuda_tile.return
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.assert %x, "after" : [[i1]]
  // CHECK-NEXT: cuda_tile.return

  testing$func @results(%p: !i1, %q: !i1, %a: !i32, %b: !i32) -> (!i32, !i32) {
    %r, %s = if %p -> (!i32, !i32) {
      %0, %1 = if %q -> (!i32, !i32) {
        %2 = absi %a : !i32
        %3 = negi %a : !i32
        yield %2, %3 : !i32, !i32
      } else {
        yield %a, %b : !i32, !i32
      }
      yield %1, %0 : !i32, !i32
    } else {
      yield %b, %a : !i32, !i32
    }
    return %r, %s : !i32, !i32
  }
  // CHECK-LABEL: @results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]]
  // CHECK-NEXT: %r, %s = cuda_tile.if %0 -> ([[i32]], [[i32]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.absi %a : [[i32]]
  // CHECK-NEXT:   %2 = cuda_tile.negi %a : [[i32]]
  // CHECK-NEXT:   cuda_tile.yield %2, %1 : [[i32]], [[i32]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %b, %a : [[i32]], [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[i32]], [[i32]]

  // A token keeps the tile from becoming a select before.
  testing$func @selected(%p: !i1, %q: !i1, %t: token, %a: tile<2xi32>, %b: tile<2xi32>) -> (token, tile<2xi32>) {
    %r, %s = if %p -> (token, tile<2xi32>) {
      %0 = if %q -> (token) {
        %1 = print_tko "m" token=%t -> token
        yield %1 : token
      } else {
        yield %t : token
      }
      yield %0, %a : token, tile<2xi32>
    } else {
      yield %t, %b : token, tile<2xi32>
    }
    return %r, %s : token, tile<2xi32>
  }
  // CHECK-LABEL: @selected(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]]
  // CHECK-NEXT: %1 = cuda_tile.reshape %p : [[i1]] -> !cuda_tile.tile<1xi1>
  // CHECK-NEXT: %bcast = cuda_tile.broadcast %1 : !cuda_tile.tile<1xi1> -> !cuda_tile.tile<2xi1>
  // CHECK-NEXT: %s = cuda_tile.select %bcast, %a, %b : !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi32>
  // CHECK-NEXT: %r = cuda_tile.if %0 -> ([[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %2 = cuda_tile.print_tko "m" token=%t -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %2 : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %t : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[token]], !cuda_tile.tile<2xi32>

  testing$func @token_from_outside(%p: !i1, %q: !i1, %t: token, %u: token) -> (token, token) {
    %r, %s = if %p -> (token, token) {
      %0 = if %q -> (token) {
        %1 = print_tko "m" token=%t -> token
        yield %1 : token
      } else {
        yield %t : token
      }
      yield %0, %t : token, token
    } else {
      yield %t, %u : token, token
    }
    return %r, %s : token, token
  }
  // CHECK-LABEL: @token_from_outside(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r, %s = cuda_tile.if %p -> ([[token]], [[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.if %q -> ([[token]]) {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %1 = cuda_tile.print_tko "m" token=%t -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield %1 : [[token]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^else:
  // CHECK-NEXT:     cuda_tile.yield %t : [[token]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.yield %0, %t : [[token]], [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %t, %u : [[token]], [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r, %s : [[token]], [[token]]

  testing$func @else_values_differ(%p: !i1, %q: !i1, %a: !i32, %b: !i32) -> !i32 {
    %r = if %p -> (!i32) {
      %0 = if %q -> (!i32) {
        %1 = absi %a : !i32
        yield %1 : !i32
      } else {
        yield %a : !i32
      }
      yield %0 : !i32
    } else {
      yield %b : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @else_values_differ(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %p -> ([[i32]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.if %q -> ([[i32]]) {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %1 = cuda_tile.absi %a : [[i32]]
  // CHECK-NEXT:     cuda_tile.yield %1 : [[i32]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^else:
  // CHECK-NEXT:     cuda_tile.yield %a : [[i32]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.yield %0 : [[i32]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %b : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @other_op(%p: !i1, %q: !i1, %x: !i1) {
    if %p {
      assert %q, "p" : !i1
      if %q {
        assert %x, "m" : !i1
      }
    }
    return
  }
  // CHECK-LABEL: @other_op(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.assert %q, "p" : [[i1]]
  // CHECK-NEXT:   cuda_tile.if %q {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     cuda_tile.assert %x, "m" : [[i1]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @op_after(%p: !i1, %q: !i1, %x: !i1) {
    if %p {
      if %q {
        assert %x, "m" : !i1
      }
      assert %q, "p" : !i1
    }
    return
  }
  // CHECK-LABEL: @op_after(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.if %q {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     cuda_tile.assert %x, "m" : [[i1]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.assert %q, "p" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @outer_else(%p: !i1, %q: !i1, %x: !i1) {
    if %p {
      if %q {
        assert %x, "m" : !i1
      }
    } else {
      assert %x, "else" : !i1
    }
    return
  }
  // CHECK-LABEL: @outer_else(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.if %q {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     cuda_tile.assert %x, "m" : [[i1]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.assert %x, "else" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @inner_leaves_with_values(%p: !i1, %q: !i1, %t: token) -> token {
    %r = if %p -> (token) {
      %0 = if %q -> (token) {
        return %t : token
      } else {
        yield %t : token
      }
      yield %0 : token
    } else {
      yield %t : token
    }
    return %r : token
  }
  // CHECK-LABEL: @inner_leaves_with_values(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %p -> ([[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.if %q -> ([[token]]) {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     cuda_tile.return %t : [[token]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^else:
  // CHECK-NEXT:     cuda_tile.yield %t : [[token]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.yield %0 : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %t : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[token]]
}

// -----

// Both branches leave

!i32 = !cuda_tile.tile<i32>

cuda_tile.module @both_leave {
  testing$func @continue(%p: tile<i1>, %y: !i32) -> !i32 {
    %r = loop iter_values(%a = %y) : !i32 -> !i32 {
      if %p {
        continue %y : !i32
      } else {
        %0 = absi %a : !i32
        break %0 : !i32
      } {keep}
      %t = print_tko "after" -> token
      continue %a : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @continue(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.loop iter_values(%a = %y) : [[i32]] -> [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.if %p {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     cuda_tile.continue %y : [[i32]]
  // CHECK-NEXT:   } {keep}
  // CHECK-NEXT:   %0 = cuda_tile.absi %a : [[i32]]
  // CHECK-NEXT:   cuda_tile.break %0 : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @results(%p: tile<i1>, %a: !i32, %b: !i32) -> !i32 {
    %r = if %p -> (!i32) {
      return %a : !i32
    } else {
      return %b : !i32
    }
    %s = muli %r, %r : !i32
    if %p {
      %0 = print_tko "%i", %s : !i32 -> token
    }
    return %s : !i32
  }
  // CHECK-LABEL: @results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.return %a : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %b : [[i32]]

  testing$func @one_leaves(%p: tile<i1>, %x: tile<i1>) {
    if %p {
      return
    } else {
      assert %x, "else" : tile<i1>
    }
    assert %x, "after" : tile<i1>
    return
  }
  // CHECK-LABEL: @one_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.return
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.assert %x, "else" : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.assert %x, "after" : [[i1]]
  // CHECK-NEXT: cuda_tile.return
}
