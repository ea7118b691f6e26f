cuda_tile.module @m {
testing$func @one_constant(%a: !cuda_tile.tile<2x{T}>) -> (!cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>) {
  %z = constant <{T}: 0> : tile<2x{T}>
  %o = constant <{T}: 1> : tile<2x{T}>
  %m = constant <{T}: -1> : tile<2x{T}>
  %0 = addi %a, %z : tile<2x{T}>
  %1 = addi %z, %a : tile<2x{T}>
  %2 = subi %a, %z : tile<2x{T}>
  %3 = subi %z, %a : tile<2x{T}>
  %4 = muli %a, %o : tile<2x{T}>
  %5 = muli %o, %a : tile<2x{T}>
  %6 = muli %a, %z : tile<2x{T}>
  %7 = muli %z, %a : tile<2x{T}>
  %8 = andi %a, %m : tile<2x{T}>
  %9 = andi %z, %a : tile<2x{T}>
  %10 = andi %a, %o : tile<2x{T}>
  %11 = ori %a, %z : tile<2x{T}>
  %12 = ori %m, %a : tile<2x{T}>
  %13 = ori %o, %a : tile<2x{T}>
  %14 = xori %z, %a : tile<2x{T}>
  %15 = xori %a, %m : tile<2x{T}>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>
}
testing$func @two_constants() -> (!cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>) {
  %z = constant <{T}: 0> : tile<2x{T}>
  %o = constant <{T}: 1> : tile<2x{T}>
  %m = constant <{T}: -1> : tile<2x{T}>
  %0 = addi %o, %m : tile<2x{T}>
  %1 = addi %z, %o : tile<2x{T}>
  %2 = subi %o, %m : tile<2x{T}>
  %3 = subi %z, %o : tile<2x{T}>
  %4 = muli %o, %m : tile<2x{T}>
  %5 = muli %z, %o : tile<2x{T}>
  %6 = andi %o, %m : tile<2x{T}>
  %7 = andi %z, %o : tile<2x{T}>
  %8 = ori %o, %m : tile<2x{T}>
  %9 = ori %z, %o : tile<2x{T}>
  %10 = xori %o, %m : tile<2x{T}>
  %11 = xori %z, %o : tile<2x{T}>
  %12 = addi %m, %o overflow<no_wrap> : tile<2x{T}>
  %13 = subi %m, %o overflow<no_wrap> : tile<2x{T}>
  %14 = muli %m, %o overflow<no_wrap> : tile<2x{T}>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>, tile<2x{T}>
}
testing$func @comparisons() -> (!cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>) {
  %z = constant <{T}: 0> : tile<2x{T}>
  %o = constant <{T}: 1> : tile<2x{T}>
  %m = constant <{T}: -1> : tile<2x{T}>
  %0 = cmpi equal %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %1 = cmpi equal %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %2 = cmpi equal %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %3 = cmpi equal %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %4 = cmpi not_equal %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %5 = cmpi not_equal %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %6 = cmpi not_equal %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %7 = cmpi not_equal %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %8 = cmpi less_than %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %9 = cmpi less_than %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %10 = cmpi less_than %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %11 = cmpi less_than %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %12 = cmpi less_than_or_equal %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %13 = cmpi less_than_or_equal %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %14 = cmpi less_than_or_equal %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %15 = cmpi less_than_or_equal %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %16 = cmpi greater_than %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %17 = cmpi greater_than %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %18 = cmpi greater_than %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %19 = cmpi greater_than %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %20 = cmpi greater_than_or_equal %m, %o, signed : tile<2x{T}> -> tile<2xi1>
  %21 = cmpi greater_than_or_equal %o, %o, signed : tile<2x{T}> -> tile<2xi1>
  %22 = cmpi greater_than_or_equal %m, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  %23 = cmpi greater_than_or_equal %o, %o, unsigned : tile<2x{T}> -> tile<2xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23 : tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>, tile<2xi1>
}
}
