cuda_tile.module @m {
testing$func @extended() -> (!cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>) {
  %c0 = constant <i1: 1> : tile<i1>
  %0 = exti %c0 signed : tile<i1> -> tile<i64>
  %1 = exti %c0 unsigned : tile<i1> -> tile<i64>
  %c2 = constant <i1: -1> : tile<i1>
  %2 = exti %c2 signed : tile<i1> -> tile<i64>
  %3 = exti %c2 unsigned : tile<i1> -> tile<i64>
  %c4 = constant <i8: 1> : tile<i8>
  %4 = exti %c4 signed : tile<i8> -> tile<i64>
  %5 = exti %c4 unsigned : tile<i8> -> tile<i64>
  %c6 = constant <i8: -1> : tile<i8>
  %6 = exti %c6 signed : tile<i8> -> tile<i64>
  %7 = exti %c6 unsigned : tile<i8> -> tile<i64>
  %c8 = constant <i32: 1> : tile<i32>
  %8 = exti %c8 signed : tile<i32> -> tile<i64>
  %9 = exti %c8 unsigned : tile<i32> -> tile<i64>
  %c10 = constant <i32: -1> : tile<i32>
  %10 = exti %c10 signed : tile<i32> -> tile<i64>
  %11 = exti %c10 unsigned : tile<i32> -> tile<i64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>, tile<i64>
}
testing$func @truncated() -> (!cuda_tile.tile<i8>, !cuda_tile.tile<i32>, !cuda_tile.tile<i1>, !cuda_tile.tile<i4>) {
  %a = constant <i32: 511> : tile<i32>
  %b = constant <i64: -2> : tile<i64>
  %0 = trunci %a : tile<i32> -> tile<i8>
  %1 = trunci %b overflow<no_signed_wrap> : tile<i64> -> tile<i32>
  %2 = trunci %a : tile<i32> -> tile<i1>
  %3 = trunci %a : tile<i32> -> tile<i4>
  return %0, %1, %2, %3 : tile<i8>, tile<i32>, tile<i1>, tile<i4>
}
}
