cuda_tile.module @m {
testing$func @same(%c: !cuda_tile.tile<2xi1>, %a: !cuda_tile.tile<2x{T}>) -> !cuda_tile.tile<2x{T}> {
  %r = select %c, %a, %a : tile<2xi1>, tile<2x{T}>
  return %r : tile<2x{T}>
}
testing$func @known(%a: !cuda_tile.tile<{T}>, %b: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>) {
  %t = constant <i1: true> : tile<i1>
  %f = constant <i1: false> : tile<i1>
  %r = select %t, %a, %b : tile<i1>, tile<{T}>
  %s = select %f, %a, %b : tile<i1>, tile<{T}>
  return %r, %s : tile<{T}>, tile<{T}>
}
testing$func @identity(%c: !cuda_tile.tile<2xi1>) -> (!cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi1>) {
  %t = constant <i1: true> : tile<2xi1>
  %f = constant <i1: false> : tile<2xi1>
  %r = select %c, %t, %f : tile<2xi1>, tile<2xi1>
  %s = select %c, %f, %t : tile<2xi1>, tile<2xi1>
  return %r, %s : tile<2xi1>, tile<2xi1>
}
testing$func @equality(%a: !cuda_tile.tile<{T}>, %b: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>) {
  %e = cmpi equal %a, %b, signed : tile<{T}> -> tile<i1>
  %n = cmpi not_equal %a, %b, unsigned : tile<{T}> -> tile<i1>
  %r = select %e, %a, %b : tile<i1>, tile<{T}>
  %s = select %n, %a, %b : tile<i1>, tile<{T}>
  %t = select %e, %b, %a : tile<i1>, tile<{T}>
  %u = select %n, %b, %a : tile<i1>, tile<{T}>
  return %r, %s, %t, %u : tile<{T}>, tile<{T}>, tile<{T}>, tile<{T}>
}
testing$func @negated(%c: !cuda_tile.tile<i1>, %a: !cuda_tile.tile<{T}>, %b: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %t = constant <i1: true> : tile<i1>
  %n = xori %c, %t : tile<i1>
  %r = select %n, %a, %b : tile<i1>, tile<{T}>
  return %r : tile<{T}>
}
testing$func @nested(%c: !cuda_tile.tile<i1>, %a: !cuda_tile.tile<{T}>, %b: !cuda_tile.tile<{T}>, %z: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>) {
  %i = select %c, %a, %b : tile<i1>, tile<{T}>
  %r = select %c, %i, %z : tile<i1>, tile<{T}>
  %s = select %c, %z, %i : tile<i1>, tile<{T}>
  return %r, %s : tile<{T}>, tile<{T}>
}
testing$func @constants() -> !cuda_tile.tile<2x{T}> {
  %c = constant <i1: [true, false]> : tile<2xi1>
  %a = constant <{T}: [1, 0]> : tile<2x{T}>
  %b = constant <{T}: [0, 1]> : tile<2x{T}>
  %r = select %c, %a, %b : tile<2xi1>, tile<2x{T}>
  return %r : tile<2x{T}>
}
testing$func @extension(%c: !cuda_tile.tile<2xi1>) -> (!cuda_tile.tile<2x{T}>, !cuda_tile.tile<2x{T}>) {
  %a = constant <{T}: 1> : tile<2x{T}>
  %b = constant <{T}: 0> : tile<2x{T}>
  %r = select %c, %a, %b : tile<2xi1>, tile<2x{T}>
  %s = select %c, %b, %a : tile<2xi1>, tile<2x{T}>
  return %r, %s : tile<2x{T}>, tile<2x{T}>
}
testing$func @assumed(%x: !cuda_tile.tile<2x{T}>) -> !cuda_tile.tile<2x{T}> {
  %a = assume same_elements<[2]>, %x : tile<2x{T}>
  %b = assume same_elements<[2]>, %a : tile<2x{T}>
  %c = assume bounded<0, ?>, %b : tile<2x{T}>
  %d = assume bounded<0, ?>, %c : tile<2x{T}>
  return %d : tile<2x{T}>
}
}
