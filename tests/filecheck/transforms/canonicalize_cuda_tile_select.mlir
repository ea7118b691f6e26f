// RUN: tileiras-opt %s -p canonicalize --split-input-file --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p canonicalize --split-input-file | filecheck %s

// Folds

cuda_tile.module @equal_values {
  testing$func @same_value(%c: tile<2xi1>, %x: tile<2xf32>) -> tile<2xf32> {
    %r = select %c, %x, %x : tile<2xi1>, tile<2xf32>
    return %r : tile<2xf32>
  }
  // CHECK-LABEL: @same_value(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %x : [[t2xf32:!cuda_tile.tile<2xf32>]]
}

// -----

cuda_tile.module @constant_condition {
  testing$func @true_condition(%x: tile<i32>, %y: tile<i32>) -> tile<i32> {
    %c = constant <i1: true> : tile<i1>
    %r = select %c, %x, %y : tile<i1>, tile<i32>
    return %r : tile<i32>
  }
  // CHECK-LABEL: @true_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %x : [[i32:!cuda_tile.tile<i32>]]

  testing$func @false_condition(%x: tile<2x2xptr<f32>>, %y: tile<2x2xptr<f32>>) -> tile<2x2xptr<f32>> {
    %c = constant <i1: false> : tile<2x2xi1>
    %r = select %c, %x, %y : tile<2x2xi1>, tile<2x2xptr<f32>>
    return %r : tile<2x2xptr<f32>>
  }
  // CHECK-LABEL: @false_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %y : !cuda_tile.tile<2x2xptr<f32>>

  testing$func @not_a_splat(%x: tile<2xi32>, %y: tile<2xi32>) -> tile<2xi32> {
    %c = constant <i1: [true, false]> : tile<2xi1>
    %r = select %c, %x, %y : tile<2xi1>, tile<2xi32>
    return %r : tile<2xi32>
  }
  // CHECK-LABEL: @not_a_splat(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : [[t2xi1:!cuda_tile.tile<2xi1>]]
  // CHECK-NEXT: %r = cuda_tile.select %cst_i1, %x, %y : [[t2xi1]], [[t2xi32:!cuda_tile.tile<2xi32>]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi32]]
}

// -----

!i1 = !cuda_tile.tile<2xi1>

cuda_tile.module @condition_itself {
  testing$func @true_false(%c: !i1) -> !i1 {
    %t = constant <i1: true> : !i1
    %f = constant <i1: false> : !i1
    %r = select %c, %t, %f : !i1, !i1
    return %r : !i1
  }
  // CHECK-LABEL: @true_false(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %c : [[t2xi1]]

  testing$func @not_a_splat(%c: !i1) -> !i1 {
    %t = constant <i1: true> : !i1
    %f = constant <i1: [true, false]> : !i1
    %r = select %c, %t, %f : !i1, !i1
    return %r : !i1
  }
  // CHECK-LABEL: @not_a_splat(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[t2xi1]]
  // CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : [[t2xi1]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %true, %cst_i1 : [[t2xi1]], [[t2xi1]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi1]]
}

// -----

!i32 = !cuda_tile.tile<i32>
!i1 = !cuda_tile.tile<i1>
!i8 = !cuda_tile.tile<2xi8>

cuda_tile.module @equality {
  testing$func @equal(%a: !i32, %b: !i32) -> (!i32, !i32) {
    %c = cmpi equal %a, %b, signed : !i32 -> !i1
    %r = select %c, %a, %b : !i1, !i32
    %s = select %c, %b, %a : !i1, !i32
    return %r, %s : !i32, !i32
  }
  // CHECK-LABEL: @equal(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %b, %a : [[i32]], [[i32]]

  testing$func @not_equal(%a: !i8, %b: !i8) -> (!i8, !i8) {
    %c = cmpi not_equal %a, %b, unsigned : !i8 -> tile<2xi1>
    %r = select %c, %a, %b : tile<2xi1>, !i8
    %s = select %c, %b, %a : tile<2xi1>, !i8
    return %r, %s : !i8, !i8
  }
  // CHECK-LABEL: @not_equal(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %a, %b : !cuda_tile.tile<2xi8>, !cuda_tile.tile<2xi8>

  testing$func @order(%a: !i32, %b: !i32) -> !i32 {
    %c = cmpi less_than %a, %b, signed : !i32 -> !i1
    %r = select %c, %a, %b : !i1, !i32
    return %r : !i32
  }
  // CHECK-LABEL: @order(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %c = cuda_tile.cmpi less_than %a, %b, signed : [[i32]] -> [[i1:!cuda_tile.tile<i1>]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %b : [[i1]], [[i32]]
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]

  testing$func @other_values(%a: !i32, %b: !i32, %x: !i32) -> (!i32, !i32) {
    %c = cmpi equal %a, %b, signed : !i32 -> !i1
    %r = select %c, %a, %x : !i1, !i32
    %s = select %c, %x, %b : !i1, !i32
    return %r, %s : !i32, !i32
  }
  // CHECK-LABEL: @other_values(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %c = cuda_tile.cmpi equal %a, %b, signed : [[i32]] -> [[i1]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %x : [[i1]], [[i32]]
  // CHECK-NEXT: %s = cuda_tile.select %c, %x, %b : [[i1]], [[i32]]
  // CHECK-NEXT: cuda_tile.return %r, %s : [[i32]], [[i32]]

  // Numbers that compare equal may differ: -0.0 and 0.0.
  testing$func @floats(%a: tile<f32>, %b: tile<f32>) -> tile<f32> {
    %c = cmpf equal ordered %a, %b : tile<f32> -> !i1
    %r = select %c, %a, %b : !i1, tile<f32>
    return %r : tile<f32>
  }
  // CHECK-LABEL: @floats(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %c = cuda_tile.cmpf equal ordered %a, %b : [[f32:!cuda_tile.tile<f32>]] -> [[i1]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %b : [[i1]], [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]
}

// -----

// Changes in place

!i1 = !cuda_tile.tile<i1>
!f32 = !cuda_tile.tile<f32>

cuda_tile.module @negated_condition {
  testing$func @negated(%p: tile<2xi1>, %a: tile<2xf32>, %b: tile<2xf32>) -> tile<2xf32> {
    %true = constant <i1: true> : tile<2xi1>
    %c = xori %p, %true : tile<2xi1>
    %r = select %c, %a, %b : tile<2xi1>, tile<2xf32>
    return %r : tile<2xf32>
  }
  // CHECK-LABEL: @negated(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.select %p, %b, %a : [[t2xi1]], [[t2xf32]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xf32]]

  testing$func @negated_twice(%p: !i1, %a: !f32, %b: !f32) -> !f32 {
    %true = constant <i1: true> : !i1
    %n = xori %p, %true : !i1
    %c = xori %n, %true : !i1
    %r = select %c, %a, %b : !i1, !f32
    return %r : !f32
  }
  // CHECK-LABEL: @negated_twice(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.select %p, %a, %b : [[i1]], [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @constant_on_the_left(%p: !i1, %a: !f32, %b: !f32) -> !f32 {
    %true = constant <i1: true> : !i1
    %c = xori %true, %p : !i1
    %r = select %c, %a, %b : !i1, !f32
    return %r : !f32
  }
  // CHECK-LABEL: @constant_on_the_left(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1]]
  // CHECK-NEXT: %c = cuda_tile.xori %true, %p : [[i1]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %b : [[i1]], [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @not_all_negated(%p: tile<2xi1>, %a: tile<2xf32>, %b: tile<2xf32>) -> tile<2xf32> {
    %mask = constant <i1: [true, false]> : tile<2xi1>
    %c = xori %p, %mask : tile<2xi1>
    %r = select %c, %a, %b : tile<2xi1>, tile<2xf32>
    return %r : tile<2xf32>
  }
  // CHECK-LABEL: @not_all_negated(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : [[t2xi1]]
  // CHECK-NEXT: %c = cuda_tile.xori %p, %cst_i1 : [[t2xi1]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %a, %b : [[t2xi1]], [[t2xf32]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xf32]]
}

// -----

!i1 = !cuda_tile.tile<i1>
!f32 = !cuda_tile.tile<f32>

cuda_tile.module @select_of_select {

  testing$func @in_both(%c: !i1, %x: !f32, %y: !f32) -> !f32 {
    %s = select %c, %x, %y : !i1, !f32
    %t = select %c, %y, %x : !i1, !f32
    %r = select %c, %s, %t : !i1, !f32
    return %r : !f32
  }
  // CHECK-LABEL: @in_both(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %x : [[f32]]

  testing$func @other_condition(%c: !i1, %d: !i1, %x: !f32, %y: !f32) -> !f32 {
    %s = select %d, %x, %y : !i1, !f32
    %r = select %c, %s, %x : !i1, !f32
    return %r : !f32
  }
  // CHECK-LABEL: @other_condition(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %s = cuda_tile.select %d, %x, %y : [[i1]], [[f32]]
  // CHECK-NEXT: %r = cuda_tile.select %c, %s, %x : [[i1]], [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]
}

// -----

// Patterns

!t2xi1 = !cuda_tile.tile<2xi1>
!t2xi32 = !cuda_tile.tile<2xi32>

cuda_tile.module @patterns {
  testing$func @false_true(%c: !t2xi1) -> !t2xi1 {
    %t = constant <i1: false> : !t2xi1
    %f = constant <i1: true> : !t2xi1
    %r = select %c, %t, %f : !t2xi1, !t2xi1
    return %r : !t2xi1
  }
  // CHECK-LABEL: @false_true(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[t2xi1]]
  // CHECK-NEXT: %r = cuda_tile.xori %c, %true : [[t2xi1]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi1]]

  testing$func @constants() -> (tile<2x2xi32>, tile<2x2xf32>) {
    %c = constant <i1: [[true, false], [false, true]]> : tile<2x2xi1>
    %x = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>
    %y = constant <i32: -5> : tile<2x2xi32>
    %r = select %c, %x, %y : tile<2x2xi1>, tile<2x2xi32>
    %u = constant <f32: -0.0> : tile<2x2xf32>
    %v = constant <f32: [[1.0, 2.0], [0x7FC00001, 4.0]]> : tile<2x2xf32>
    %s = select %c, %u, %v : tile<2x2xi1>, tile<2x2xf32>
    return %r, %s : tile<2x2xi32>, tile<2x2xf32>
  }
  // CHECK-LABEL: @constants(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst = cuda_tile.constant <i32: [[1, -5], [-5, 4]]> : !cuda_tile.tile<2x2xi32>
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <f32: [[-0.000000e+00, 2.000000e+00], [0x7FC00001, -0.000000e+00]]> : !cuda_tile.tile<2x2xf32>
  // CHECK-NEXT: cuda_tile.return %cst, %cst_1 : !cuda_tile.tile<2x2xi32>, !cuda_tile.tile<2x2xf32>

  testing$func @not_all_constant(%x: !t2xi32) -> !t2xi32 {
    %c = constant <i1: [true, false]> : !t2xi1
    %y = constant <i32: -5> : !t2xi32
    %r = select %c, %x, %y : !t2xi1, !t2xi32
    return %r : !t2xi32
  }
  // CHECK-LABEL: @not_all_constant(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : [[t2xi1]]
  // CHECK-NEXT: %cst_-5 = cuda_tile.constant <i32: -5> : [[t2xi32]]
  // CHECK-NEXT: %r = cuda_tile.select %cst_i1, %x, %cst_-5 : [[t2xi1]], [[t2xi32]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi32]]

  testing$func @one_zero(%c: !t2xi1) -> !t2xi32 {
    %one = constant <i32: 1> : !t2xi32
    %zero = constant <i32: 0> : !t2xi32
    %r = select %c, %one, %zero : !t2xi1, !t2xi32
    return %r : !t2xi32
  }
  // CHECK-LABEL: @one_zero(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.exti %c unsigned : [[t2xi1]] -> [[t2xi32]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi32]]

  testing$func @zero_one(%c: !t2xi1) -> !t2xi32 {
    %one = constant <i32: 1> : !t2xi32
    %zero = constant <i32: 0> : !t2xi32
    %r = select %c, %zero, %one : !t2xi1, !t2xi32
    return %r : !t2xi32
  }
  // CHECK-LABEL: @zero_one(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[t2xi1]]
  // CHECK-NEXT: %0 = cuda_tile.xori %c, %true : [[t2xi1]]
  // CHECK-NEXT: %r = cuda_tile.exti %0 unsigned : [[t2xi1]] -> [[t2xi32]]
  // CHECK-NEXT: cuda_tile.return %r : [[t2xi32]]
}

// -----

// What replaces an op is where the op was.

cuda_tile.module @locations {
  testing$func @zero_one(%c: tile<i1>) -> tile<i32> {
    %one = constant <i32: 1> : tile<i32> loc("a.py":1:1)
    %zero = constant <i32: 0> : tile<i32> loc("a.py":2:1)
    %r = select %c, %zero, %one : tile<i1>, tile<i32> loc("a.py":3:1)
    return %r : tile<i32> loc("a.py":4:1)
  }
  // CHECK-LABEL: @zero_one(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1]]
  // CHECK-NEXT: %0 = cuda_tile.xori %c, %true : [[i1]]
  // CHECK-NEXT: %r = cuda_tile.exti %0 unsigned : [[i1]] -> [[i32]]
  // CHECK-NEXT: cuda_tile.return %r : [[i32]]
}
