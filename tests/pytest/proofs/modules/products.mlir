cuda_tile.module @m {
testing$func @product(%a: !cuda_tile.tile<f16>, %b: !cuda_tile.tile<f16>, %c: !cuda_tile.tile<f16>) -> !cuda_tile.tile<f16> {
  %m = mulf %a, %b : tile<f16>
  %r = addf %c, %m rounding<zero> : tile<f16>
  return %r : tile<f16>
}
testing$func @flushed(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>, %c: !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32> {
  %m = mulf %a, %b : tile<f32>
  %r = addf %c, %m flush_to_zero : tile<f32>
  return %r : tile<f32>
}
}
