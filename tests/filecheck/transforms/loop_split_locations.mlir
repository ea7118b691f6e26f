// RUN: tileiras-opt %s -p loop-split --print-debuginfo --print-local-scope | filecheck %s

// Copies keep their places, the arithmetic is where the loop was.

cuda_tile.module @locations {
  testing$func @loop(%lb: tile<i32>, %ub: tile<i32>, %step: tile<i32>, %v: tile<i32>, %z: tile<i1>) -> tile<i1> {
    %r = for %i in (%lb to %ub, step %step) : tile<i32> iter_values(%s = %z) -> (tile<i1>) {
      %c = cmpi less_than_or_equal %i, %v, signed : tile<i32> -> tile<i1> loc("a.py":1:1)
      if %c {
        %t = print_tko "then" -> token loc("a.py":2:1)
        yield loc("a.py":3:1)
      } loc("a.py":4:1)
      continue %c : tile<i1> loc("a.py":5:1)
    } loc("a.py":6:1)
    return %r : tile<i1> loc("a.py":7:1)
  }
  // CHECK-LABEL: @loop(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32:!cuda_tile.tile<i32>]] loc("a.py":6:1)
  // CHECK-NEXT: %0 = cuda_tile.addi %v, %cst_1 : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %1 = cuda_tile.maxi %0, %v signed : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %2 = cuda_tile.mini %1, %ub signed : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %3 = cuda_tile.maxi %2, %lb signed : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %4 = cuda_tile.subi %3, %lb : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %5 = cuda_tile.divi %4, %step unsigned rounding<positive_inf> : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %6 = cuda_tile.muli %5, %step : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %7 = cuda_tile.addi %lb, %6 : [[i32]] loc("a.py":6:1)
  // CHECK-NEXT: %r = cuda_tile.for %i in (%lb to %2, step %step) : [[i32]] iter_values(%s = %z) -> ([[i1:!cuda_tile.tile<i1>]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %true = cuda_tile.constant <i1: true> : [[i1]] loc("a.py":1:1)
  // CHECK-NEXT:   %t = cuda_tile.print_tko "then" -> !cuda_tile.token loc("a.py":2:1)
  // CHECK-NEXT:   cuda_tile.continue %true : [[i1]] loc("a.py":5:1)
  // CHECK-NEXT: } loc("a.py":6:1)
  // CHECK-NEXT: %r_1 = cuda_tile.for %i_1 in (%7 to %ub, step %step) : [[i32]] iter_values(%s_1 = %r) -> ([[i1]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %false = cuda_tile.constant <i1: false> : [[i1]] loc("a.py":1:1)
  // CHECK-NEXT:   cuda_tile.continue %false : [[i1]] loc("a.py":5:1)
  // CHECK-NEXT: } loc("a.py":6:1)
  // CHECK-NEXT: cuda_tile.return %r_1 : [[i1]] loc("a.py":7:1)
}
