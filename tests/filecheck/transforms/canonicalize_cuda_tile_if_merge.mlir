// RUN: tileiras-opt %s -p canonicalize --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p canonicalize --split-input-file | filecheck %s

// Adjacent `if`s of one condition

!i1 = !cuda_tile.tile<i1>
!i32 = !cuda_tile.tile<i32>

cuda_tile.module @merged {

  testing$func @results(%c: !i1, %t: token) -> (token, token, token) {
    %r, %s = if %c -> (token, token) {
      %0 = print_tko "A" -> token
      yield %0, %t : token, token
    } else {
      %0 = print_tko "B" -> token
      yield %t, %0 : token, token
    } {first}
    %u = if %c -> (token) {
      %0 = print_tko "C" token=%r -> token
      yield %0 : token
    } else {
      %0 = print_tko "D" token=%s -> token
      yield %r : token
    } {second}
    return %r, %s, %u : token, token, token
  }
  // CHECK-LABEL: @results(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r, %s, %u = cuda_tile.if %c -> ([[token:!cuda_tile.token]], [[token]], [[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %r_1 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "C" token=%r_1 -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %r_1, %t, %0 : [[token]], [[token]], [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %s_1 = cuda_tile.print_tko "B" -> [[token]]
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "D" token=%s_1 -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %t, %s_1, %t : [[token]], [[token]], [[token]]
  // CHECK-NEXT: } {first}
  // CHECK-NEXT: cuda_tile.return %r, %s, %u : [[token]], [[token]], [[token]]

  testing$func @first_negated(%p: !i1, %t: token) -> token {
    %true = constant <i1: true> : !i1
    %n = xori %p, %true : !i1
    if %n {
      %0 = print_tko "A" -> token
    }
    %u = if %p -> (token) {
      %0 = print_tko "C" -> token
      yield %0 : token
    } else {
      %0 = print_tko "D" -> token
      yield %0 : token
    }
    return %u : token
  }
  // CHECK-LABEL: @first_negated(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %u = cuda_tile.if %p -> ([[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %0 : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   %2 = cuda_tile.print_tko "D" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %2 : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %u : [[token]]

  testing$func @second_negated(%p: !i1) {
    %true = constant <i1: true> : !i1
    %n = xori %p, %true : !i1
    if %p {
      %0 = print_tko "A" -> token
    }
    if %n {
      %0 = print_tko "C" -> token
    }
    return
  }
  // CHECK-LABEL: @second_negated(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @first_leaves(%c: !i1, %t: token) -> token {
    if %c {
      %0 = print_tko "A" -> token
      return %0 : token
    } else {
      %0 = print_tko "B" -> token
    }
    %r = if %c -> (token) {
      %0 = print_tko "never" -> token
      yield %0 : token
    } else {
      %0 = print_tko "D" -> token
      yield %0 : token
    }
    return %r : token
  }
  // CHECK-LABEL: @first_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   cuda_tile.return %0 : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "B" -> [[token]]
  // CHECK-NEXT:   %2 = cuda_tile.print_tko "D" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %2 : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[token]]

  testing$func @second_leaves(%c: !i1, %t: token) -> token {
    %r = if %c -> (token) {
      %0 = print_tko "A" -> token
      yield %0 : token
    } else {
      %0 = print_tko "B" -> token
      yield %0 : token
    }
    if %c {
      %0 = print_tko "C" token=%r -> token
      return %0 : token
    }
    return %r : token
  }
  // CHECK-LABEL: @second_leaves(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[token]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %r_1 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "C" token=%r_1 -> [[token]]
  // CHECK-NEXT:   cuda_tile.return %0 : [[token]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "B" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield %1 : [[token]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[token]]

  testing$func @constants_between(%c: !i1) {
    if %c {
      %0 = print_tko "A" -> token
    }
    %five = constant <i32: 5> : !i32
    %six = constant <i32: 6> : !i32
    if %c {
      %0 = print_tko "%i %i", %five, %six : !i32, !i32 -> token
    }
    return
  }
  // CHECK-LABEL: @constants_between(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: 5> : [[i32:!cuda_tile.tile<i32>]]
  // CHECK-NEXT: %cst_6 = cuda_tile.constant <i32: 6> : [[i32]]
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "%i %i", %cst_5, %cst_6 : [[i32]], [[i32]] -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @constants_inside(%c: !i1) {
    if %c {
      %0 = print_tko "A" -> token
    }
    if %c {
      %five = constant <i32: 5> : !i32
      %six = constant <i32: 6> : !i32
      %0 = print_tko "%i %i", %five, %six : !i32, !i32 -> token
    }
    return
  }
  // CHECK-LABEL: @constants_inside(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: 5> : [[i32]]
  // CHECK-NEXT: %cst_6 = cuda_tile.constant <i32: 6> : [[i32]]
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "%i %i", %cst_5, %cst_6 : [[i32]], [[i32]] -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return
}

// -----

!i1 = !cuda_tile.tile<i1>

cuda_tile.module @not_merged {
  testing$func @other_condition(%c: !i1, %d: !i1) {
    if %c {
      %0 = print_tko "A" -> token
    }
    if %d {
      %0 = print_tko "C" -> token
    }
    return
  }
  // CHECK-LABEL: @other_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.if %d {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @op_between(%c: !i1) {
    if %c {
      %0 = print_tko "A" -> token
    }
    %t = print_tko "between" -> token
    if %c {
      %0 = print_tko "C" -> token
    }
    return
  }
  // CHECK-LABEL: @op_between(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %t = cuda_tile.print_tko "between" -> [[token]]
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @poison_behind_a_check(%p: !i1, %x: !cuda_tile.tile<i32>, %y: !cuda_tile.tile<i32>) {
    %s = addi %x, %y overflow<no_signed_wrap> : tile<i32>
    %q = cmpi less_than %s, %y, signed : tile<i32> -> tile<i1>
    if %p {
      if %q {
        %0 = print_tko "m" -> token
      }
    }
    return
  }
  // `andi` would be poison if the sum overflows, even if %p does not hold.
  // CHECK-LABEL: @poison_behind_a_check(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %s = cuda_tile.addi %x, %y overflow<no_signed_wrap> : !cuda_tile.tile<i32>
  // CHECK-NEXT: %q = cuda_tile.cmpi less_than %s, %y, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
  // CHECK-NEXT: %false = cuda_tile.constant <i1: false> : [[i1:!cuda_tile.tile<i1>]]
  // CHECK-NEXT: %0 = cuda_tile.select %p, %q, %false : [[i1]], [[i1]]
  // CHECK-NEXT: cuda_tile.if %0 {

  testing$func @condition_from_first(%c: !i1, %d: !i1) {
    %r = if %c -> (!i1) {
      %0 = andi %c, %d : !i1
      yield %0 : !i1
    } else {
      yield %d : !i1
    }
    if %r {
      %0 = print_tko "C" -> token
    }
    return
  }
  // CHECK-LABEL: @condition_from_first(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.if %c -> ([[i1:!cuda_tile.tile<i1>]]) {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.andi %c, %d : [[i1]]
  // CHECK-NEXT:   cuda_tile.yield %0 : [[i1]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^else:
  // CHECK-NEXT:   cuda_tile.yield %d : [[i1]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.if %r {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @nothing_to_take(%c: !i1) {
    if %c {
      return
    }
    if %c {
      %0 = print_tko "C" -> token
    }
    return
  }
  // CHECK-LABEL: @nothing_to_take(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.return
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "C" -> [[token]]
  // CHECK-NEXT:   cuda_tile.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return
}
