// RUN: tileiras-opt %s -p canonicalize --print-debuginfo --print-local-scope | filecheck %s

// What replaces an op is where the op was; what moves keeps its place.

!i1 = !cuda_tile.tile<i1>

cuda_tile.module @locations {
  testing$func @negated_extension(%c: !i1) -> tile<i32> {
    %one = constant <i32: 1> : tile<i32> loc("a.py":1:1)
    %zero = constant <i32: 0> : tile<i32> loc("a.py":2:1)
    %r = select %c, %zero, %one : !i1, tile<i32> loc("a.py":3:1)
    return %r : tile<i32> loc("a.py":4:1)
  }
  // CHECK-LABEL: @negated_extension(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1:!cuda_tile.tile<i1>]] loc("a.py":3:1)
  // CHECK-NEXT: %0 = cuda_tile.xori %c, %true : [[i1]] loc("a.py":3:1)
  // CHECK-NEXT: %r = cuda_tile.exti %0 unsigned : [[i1]] -> !cuda_tile.tile<i32> loc("a.py":3:1)
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<i32> loc("a.py":4:1)

  testing$func @to_select(%c: !i1, %a: tile<2xi32>) -> (tile<2xi32>, token) {
    %r = if %c -> (tile<2xi32>) {
      %0 = print_tko "A" -> token loc("a.py":10:1)
      yield %a : tile<2xi32> loc("a.py":11:1)
    } else {
      %five = constant <i32: 5> : tile<2xi32> loc("a.py":12:1)
      yield %five : tile<2xi32> loc("a.py":13:1)
    } loc("a.py":14:1)
    %t = make_token : token loc("a.py":15:1)
    return %r, %t : tile<2xi32>, token loc("a.py":16:1)
  }
  // CHECK-LABEL: @to_select(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: 5> : !cuda_tile.tile<2xi32> loc("a.py":12:1)
  // CHECK-NEXT: %0 = cuda_tile.reshape %c : [[i1]] -> !cuda_tile.tile<1xi1> loc("a.py":14:1)
  // CHECK-NEXT: %bcast = cuda_tile.broadcast %0 : !cuda_tile.tile<1xi1> -> !cuda_tile.tile<2xi1> loc("a.py":14:1)
  // CHECK-NEXT: %r = cuda_tile.select %bcast, %a, %cst_5 : !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi32> loc("a.py":14:1)
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "A" -> [[token:!cuda_tile.token]] loc("a.py":10:1)
  // CHECK-NEXT:   cuda_tile.yield loc("a.py":11:1)
  // CHECK-NEXT: } loc("a.py":14:1)
  // CHECK-NEXT: %t = cuda_tile.make_token : [[token]] loc("a.py":15:1)
  // CHECK-NEXT: cuda_tile.return %r, %t : !cuda_tile.tile<2xi32>, [[token]] loc("a.py":16:1)

  testing$func @negated_condition(%c: !i1) -> !i1 {
    %true = constant <i1: true> : !i1 loc("a.py":20:1)
    %false = constant <i1: false> : !i1 loc("a.py":21:1)
    %r = if %c -> (!i1) {
      %0 = print_tko "A" -> token loc("a.py":22:1)
      yield %false : !i1 loc("a.py":23:1)
    } else {
      yield %true : !i1 loc("a.py":24:1)
    } loc("a.py":25:1)
    return %r : !i1 loc("a.py":26:1)
  }
  // CHECK-LABEL: @negated_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1]] loc("a.py":25:1)
  // CHECK-NEXT: %r = cuda_tile.xori %c, %true : [[i1]] loc("a.py":25:1)
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %0 = cuda_tile.print_tko "A" -> [[token]] loc("a.py":22:1)
  // CHECK-NEXT:   cuda_tile.yield loc("a.py":23:1)
  // CHECK-NEXT: } loc("a.py":25:1)
  // CHECK-NEXT: cuda_tile.return %r : [[i1]] loc("a.py":26:1)

  testing$func @merged_and_nested(%p: !i1, %q: !i1) {
    if %p {
      if %q {
        %0 = print_tko "A" -> token loc("a.py":30:1)
        yield loc("a.py":31:1)
      } loc("a.py":32:1)
      if %q {
        %0 = print_tko "B" -> token loc("a.py":33:1)
        yield loc("a.py":34:1)
      } loc("a.py":35:1)
      yield loc("a.py":36:1)
    } loc("a.py":37:1)
    return loc("a.py":38:1)
  }
  // CHECK-LABEL: @merged_and_nested(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.andi %p, %q : [[i1]] loc("a.py":37:1)
  // CHECK-NEXT: cuda_tile.if %0 {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   %1 = cuda_tile.print_tko "A" -> [[token]] loc("a.py":30:1)
  // CHECK-NEXT:   %2 = cuda_tile.print_tko "B" -> [[token]] loc("a.py":33:1)
  // CHECK-NEXT:   cuda_tile.yield loc("a.py":34:1)
  // CHECK-NEXT: } loc("a.py":37:1)
  // CHECK-NEXT: cuda_tile.return loc("a.py":38:1)

  testing$func @both_leave(%p: !i1) {
    if %p {
      return loc("a.py":40:1)
    } else {
      %0 = print_tko "B" -> token loc("a.py":41:1)
      return loc("a.py":42:1)
    } loc("a.py":43:1)
    return loc("a.py":44:1)
  }
  // CHECK-LABEL: @both_leave(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.if %p {
  // CHECK-NEXT: ^then:
  // CHECK-NEXT:   cuda_tile.return loc("a.py":40:1)
  // CHECK-NEXT: } loc("a.py":43:1)
  // CHECK-NEXT: %0 = cuda_tile.print_tko "B" -> [[token]] loc("a.py":41:1)
  // CHECK-NEXT: cuda_tile.return loc("a.py":42:1)
}
