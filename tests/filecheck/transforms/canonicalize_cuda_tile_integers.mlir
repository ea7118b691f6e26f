// RUN: tileiras-opt %s -p canonicalize --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p canonicalize | filecheck %s

!i1 = !cuda_tile.tile<i1>
!i8 = !cuda_tile.tile<i8>
!i32 = !cuda_tile.tile<i32>
!i64 = !cuda_tile.tile<i64>

cuda_tile.module @integers {
  // Extent 1 of a tensor of %m times %k, and its stride 0, as nvcc computes them.
  testing$func @extent_and_stride(%m: !i32, %k: !i32) -> (!i32, !i32) {
    %zero = constant <i64: 0> : !i64
    %one = constant <i64: 1> : !i64
    %none = constant <i32: 0> : !i32
    %unit = constant <i32: 1> : !i32
    %all = constant <i32: -1> : !i32
    %byte = constant <i8: 0> : !i8
    %0 = cmpi equal %one, %one, unsigned : !i64 -> !i1
    %1 = exti %0 unsigned : !i1 -> !i32
    %2 = muli %1, %k : !i32
    %3 = addi %none, %2 : !i32
    %4 = cmpi equal %zero, %one, unsigned : !i64 -> !i1
    %5 = exti %4 unsigned : !i1 -> !i32
    %6 = muli %5, %m : !i32
    %7 = addi %3, %6 : !i32
    %8 = cmpi less_than_or_equal %zero, %zero, unsigned : !i64 -> !i1
    %9 = exti %8 unsigned : !i1 -> !i32
    %10 = trunci %9 : !i32 -> !i8
    %11 = exti %10 unsigned : !i8 -> !i32
    %12 = muli %11, %7 : !i32
    %13 = cmpi not_equal %10, %byte, signed : !i8 -> !i1
    %14 = exti %13 unsigned : !i1 -> !i32
    %15 = xori %14, %all : !i32
    %16 = andi %15, %unit : !i32
    %17 = addi %12, %16 : !i32
    return %7, %17 : !i32, !i32
  }
  // CHECK-LABEL: @extent_and_stride(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: cuda_tile.return %k, %k : [[i32:!cuda_tile.tile<i32>]], [[i32]]

  // Sums wrap around; a sum that may not is poison, and may be anything.
  testing$func @wrapped() -> (!i8, !i8, !i32) {
    %a = constant <i8: 127> : !i8
    %b = constant <i8: 1> : !i8
    %0 = addi %a, %b : !i8
    %1 = muli %a, %a overflow<no_signed_wrap> : !i8
    %2 = subi %b, %a : !i8
    %3 = exti %2 signed : !i8 -> !i32
    return %0, %1, %3 : !i8, !i8, !i32
  }
  // CHECK-LABEL: @wrapped(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_-128 = cuda_tile.constant <i8: -128> : [[i8:!cuda_tile.tile<i8>]]
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i8: 1> : [[i8]]
  // CHECK-NEXT: %cst_-126 = cuda_tile.constant <i32: -126> : [[i32]]
  // CHECK-NEXT: cuda_tile.return %cst_-128, %cst_1, %cst_-126 : [[i8]], [[i8]], [[i32]]

  // Tiles with equal elements are folded, others are left alone; so is 0 - x, and what has 4 bits.
  testing$func @left_alone(%x: tile<2xi32>) -> (tile<2xi32>, tile<2xi32>, tile<2xi32>, tile<i4>) {
    %zero = constant <i32: 0> : tile<2xi32>
    %some = constant <i32: [1, 0]> : tile<2xi32>
    %one = constant <i32: 1> : !i32
    %0 = muli %x, %zero : tile<2xi32>
    %1 = muli %x, %some : tile<2xi32>
    %2 = subi %0, %x : tile<2xi32>
    %3 = trunci %one : !i32 -> tile<i4>
    return %0, %1, %2, %3 : tile<2xi32>, tile<2xi32>, tile<2xi32>, tile<i4>
  }
  // CHECK-LABEL: @left_alone(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_0 = cuda_tile.constant <i32: 0> : [[i32x2:!cuda_tile.tile<2xi32>]]
  // CHECK-NEXT: %cst = cuda_tile.constant <i32: [1, 0]> : [[i32x2]]
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %0 = cuda_tile.muli %x, %cst : [[i32x2]]
  // CHECK-NEXT: %1 = cuda_tile.subi %cst_0, %x : [[i32x2]]
  // CHECK-NEXT: %2 = cuda_tile.trunci %cst_1 : [[i32]] -> [[i4:!cuda_tile.tile<i4>]]
  // CHECK-NEXT: cuda_tile.return %cst_0, %0, %1, %2 : [[i32x2]], [[i32x2]], [[i32x2]], [[i4]]
}
