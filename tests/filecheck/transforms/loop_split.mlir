// RUN: tileiras-opt %s -p loop-split --split-input-file --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p loop-split --split-input-file | filecheck %s

// Which half runs which branch

!i32 = !cuda_tile.tile<i32>
!i1 = !cuda_tile.tile<i1>

cuda_tile.module @predicates {
  testing$func @greater_than(%lb: !i32, %ub: !i32, %v: !i32, %z: !i32) -> !i32 {
    %one = constant <i32: 1> : !i32
    %r = for %i in (%lb to %ub, step %one) : !i32 iter_values(%s = %z) -> (!i32) {
      %c = cmpi greater_than %i, %v, signed : !i32 -> !i1
      %x = if %c -> (!i32) {
        %d = muli %i, %i : !i32
        yield %d : !i32
      } else {
        yield %i : !i32
      }
      %n = addi %s, %x : !i32
      continue %n : !i32
    } {dropped}
    return %r : !i32
  }
  // CHECK-LABEL: @greater_than(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32:!cuda_tile.tile<i32>]]
  // CHECK-NEXT: %cst_1_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.addi %v, %cst_1_1 : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %0, %v signed : [[i32]]
  // CHECK-NEXT: %2 = cuda_tile.mini %1, %ub signed : [[i32]]
  // CHECK-NEXT: %3 = cuda_tile.maxi %1, %lb signed : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%lb to %2, step %cst_1) : [[i32]] iter_values(%s = %z) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %n = cuda_tile.addi %s, %i : [[i32]]
  // CHECK-NEXT:   cuda_tile.continue %n : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %r_1 = cuda_tile.for %i_1 in (%3 to %ub, step %cst_1) : [[i32]] iter_values(%s_1 = %r) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %d = cuda_tile.muli %i_1, %i_1 : [[i32]]
  // CHECK-NEXT:   %n_1 = cuda_tile.addi %s_1, %d : [[i32]]
  // CHECK-NEXT:   cuda_tile.continue %n_1 : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r_1 : [[i32]]

  testing$func @greater_than_or_equal(%lb: !i32, %ub: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%lb to %ub, step %one) : !i32 {
      %c = cmpi greater_than_or_equal %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      } else {
        %t = print_tko "else" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @greater_than_or_equal(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %v, %lb signed : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %0, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "else" -> [[token:!cuda_tile.token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%1 to %ub, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t_1 = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  // `v < i` is `i > v`. The successor of a constant cannot overflow.
  testing$func @mirrored(%lb: !i32, %ub: !i32) {
    %v = constant <i32: 7> : !i32
    %one = constant <i32: 1> : !i32
    for %i in (%lb to %ub, step %one) : !i32 {
      %c = cmpi less_than %v, %i, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      } else {
        %t = print_tko "else" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @mirrored(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_7 = cuda_tile.constant <i32: 7> : [[i32]]
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %cst_1_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.addi %cst_7, %cst_1_1 : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.mini %0, %ub signed : [[i32]]
  // CHECK-NEXT: %2 = cuda_tile.maxi %0, %lb signed : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %1, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "else" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%2 to %ub, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t_1 = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  // The largest number has no successor.
  testing$func @largest(%lb: tile<i8>, %ub: tile<i8>) {
    %v = constant <i8: 127> : tile<i8>
    %one = constant <i8: 1> : tile<i8>
    for %i in (%lb to %ub, step %one) : tile<i8> {
      %c = cmpi less_than_or_equal %i, %v, signed : tile<i8> -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @largest(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_127 = cuda_tile.constant <i8: 127> : [[i8:!cuda_tile.tile<i8>]]
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i8: 1> : [[i8]]
  // CHECK-NEXT: %cst_1_1 = cuda_tile.constant <i8: 1> : [[i8]]
  // CHECK-NEXT: %0 = cuda_tile.addi %cst_127, %cst_1_1 : [[i8]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %0, %cst_127 signed : [[i8]]
  // CHECK-NEXT: %2 = cuda_tile.mini %1, %ub signed : [[i8]]
  // CHECK-NEXT: %3 = cuda_tile.maxi %1, %lb signed : [[i8]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %2, step %cst_1) : [[i8]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%3 to %ub, step %cst_1) : [[i8]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  // The step is an argument.
  testing$func @unknown_step(%lb: !i32, %ub: !i32, %step: !i32, %v: !i32) {
    for %i in (%lb to %ub, step %step) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @unknown_step(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %0, %lb signed : [[i32]]
  // CHECK-NEXT: %2 = cuda_tile.subi %1, %lb : [[i32]]
  // CHECK-NEXT: %3 = cuda_tile.divi %2, %step unsigned rounding<positive_inf> : [[i32]]
  // CHECK-NEXT: %4 = cuda_tile.muli %3, %step : [[i32]]
  // CHECK-NEXT: %5 = cuda_tile.addi %lb, %4 : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %0, step %step) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%5 to %ub, step %step) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return
}

// -----

// What becomes of the body

!i32 = !cuda_tile.tile<i32>
!i1 = !cuda_tile.tile<i1>

cuda_tile.module @bodies {
  testing$func @no_else(%lb: !i32, %ub: !i32, %v: !i32, %x: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%lb to %ub, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
      assert %x, "after" : !i1
    }
    return
  }
  // CHECK-LABEL: @no_else(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %v, %lb signed : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %0, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.assert %x, "after" : [[i1:!cuda_tile.tile<i1>]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%1 to %ub, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.assert %x, "after" : [[i1]]
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @continue(%lb: !i32, %ub: !i32, %v: !i32, %z: !i32) -> !i32 {
    %one = constant <i32: 1> : !i32
    %r = for %i in (%lb to %ub, step %one) : !i32 iter_values(%s = %z) -> (!i32) {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
        continue %s : !i32
      }
      if %c {
        %t = print_tko "never" -> token
      } else {
        %t = print_tko "else" -> token
      }
      continue %i : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @continue(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %v, %lb signed : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%lb to %0, step %cst_1) : [[i32]] iter_values(%s = %z) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue %s : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %r_1 = cuda_tile.for %i_1 in (%1 to %ub, step %cst_1) : [[i32]] iter_values(%s_1 = %r) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t_1 = cuda_tile.print_tko "else" -> [[token]]
  // CHECK-NEXT:   cuda_tile.continue %i_1 : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r_1 : [[i32]]

  testing$func @several_ifs(%lb: !i32, %ub: !i32, %v: !i32, %z: !i32) -> !i32 {
    %one = constant <i32: 1> : !i32
    %r = for %i in (%lb to %ub, step %one) : !i32 iter_values(%s = %z) -> (!i32) {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      %a = if %c -> (!i32) {
        yield %i : !i32
      } else {
        yield %s : !i32
      }
      %b = if %c -> (!i32) {
        %0 = absi %a : !i32
        yield %0 : !i32
      } else {
        %0 = negi %a : !i32
        yield %0 : !i32
      }
      continue %b : !i32
    }
    return %r : !i32
  }
  // CHECK-LABEL: @several_ifs(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %v, %lb signed : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%lb to %0, step %cst_1) : [[i32]] iter_values(%s = %z) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %b = cuda_tile.absi %i : [[i32]]
  // CHECK-NEXT:   cuda_tile.continue %b : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %r_1 = cuda_tile.for %i_1 in (%1 to %ub, step %cst_1) : [[i32]] iter_values(%s_1 = %r) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %b_1 = cuda_tile.negi %s_1 : [[i32]]
  // CHECK-NEXT:   cuda_tile.continue %b_1 : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r_1 : [[i32]]

  // Only inside of something else, and so is the comparison.
  testing$func @nested(%lb: !i32, %ub: !i32, %v: !i32, %p: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%lb to %ub, step %one) : !i32 {
      if %p {
        %c = cmpi less_than %i, %v, signed : !i32 -> !i1
        if %c {
          %t = print_tko "nested" -> token
        }
      }
    }
    return
  }
  // CHECK-LABEL: @nested(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.mini %v, %ub signed : [[i32]]
  // CHECK-NEXT: %1 = cuda_tile.maxi %v, %lb signed : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%lb to %0, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.if %p {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %true = cuda_tile.constant <i1: true> : [[i1]]
  // CHECK-NEXT:     cuda_tile.if %true {
  // CHECK-NEXT:     ^then:
  // CHECK-NEXT:       %t = cuda_tile.print_tko "nested" -> [[token]]
  // CHECK-NEXT:       cuda_tile.yield
  // CHECK-NEXT:     }
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.for %i_1 in (%1 to %ub, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.if %p {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %false = cuda_tile.constant <i1: false> : [[i1]]
  // CHECK-NEXT:     cuda_tile.if %false {
  // CHECK-NEXT:     ^then:
  // CHECK-NEXT:       %t_1 = cuda_tile.print_tko "nested" -> [[token]]
  // CHECK-NEXT:       cuda_tile.yield
  // CHECK-NEXT:     }
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return
}

// -----

// What is not split

!i32 = !cuda_tile.tile<i32>
!i1 = !cuda_tile.tile<i1>

cuda_tile.module @not_split {
  testing$func @equality(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi equal %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
      %d = cmpi not_equal %i, %v, signed : !i32 -> !i1
      if %d {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @equality(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi equal %i, %v, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   %d = cuda_tile.cmpi not_equal %i, %v, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %d {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t_1 = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @signedness(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for unsigned %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @signedness(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for unsigned %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %i, %v, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @computed_in_loop(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %w = addi %v, %i : !i32
      %c = cmpi less_than %i, %w, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @computed_in_loop(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %w = cuda_tile.addi %v, %i : [[i32]]
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %i, %w, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @carried(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    %r = for %i in (%one to %n, step %one) : !i32 iter_values(%w = %v) -> (!i32) {
      %c = cmpi less_than %i, %w, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
      continue %i : !i32
    }
    return
  }
  // CHECK-LABEL: @carried(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] iter_values(%w = %v) -> ([[i32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %i, %w, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue %i : [[i32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @itself(%n: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %c = cmpi less_than %i, %i, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @itself(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %i, %i, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @other_variable(%n: !i32, %v: !i32) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      %j = addi %i, %one : !i32
      %c = cmpi less_than %j, %v, signed : !i32 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @other_variable(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %j = cuda_tile.addi %i, %cst_1 : [[i32]]
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %j, %v, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @no_comparison(%n: !i32, %c: !i1) {
    %one = constant <i32: 1> : !i32
    for %i in (%one to %n, step %one) : !i32 {
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @no_comparison(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return

  testing$func @no_if(%n: !i32, %v: !i32, %z: !i1) -> !i1 {
    %one = constant <i32: 1> : !i32
    %r = for %i in (%one to %n, step %one) : !i32 iter_values(%s = %z) -> (!i1) {
      %c = cmpi less_than %i, %v, signed : !i32 -> !i1
      continue %c : !i1
    }
    return %r : !i1
  }
  // CHECK-LABEL: @no_if(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%cst_1 to %n, step %cst_1) : [[i32]] iter_values(%s = %z) -> ([[i1]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than %i, %v, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.continue %c : [[i1]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[i1]]

  testing$func @one_bit(%lb: !i1, %ub: !i1, %v: !i1) {
    for unsigned %i in (%lb to %ub, step %ub) : !i1 {
      %c = cmpi less_than_or_equal %i, %v, unsigned : !i1 -> !i1
      if %c {
        %t = print_tko "then" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @one_bit(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.for unsigned %i in (%lb to %ub, step %ub) : [[i1]] {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %c = cuda_tile.cmpi less_than_or_equal %i, %v, unsigned : [[i1]] -> [[i1]]
  // CHECK-NEXT:   cuda_tile.if %c {
  // CHECK-NEXT:   ^then:
  // CHECK-NEXT:     %t = cuda_tile.print_tko "then" -> [[token]]
  // CHECK-NEXT:     cuda_tile.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cuda_tile.continue
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return
}
