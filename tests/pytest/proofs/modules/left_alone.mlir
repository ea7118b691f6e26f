cuda_tile.module @m {
testing$func @apart(%c: !cuda_tile.tile<i1>, %d: !cuda_tile.tile<i1>) {
  if %c {
    %0 = print_tko "A" -> token
  }
  if %d {
    %0 = print_tko "B" -> token
  }
  return
}
}
