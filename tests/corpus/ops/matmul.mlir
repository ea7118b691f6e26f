// Matrix multiplication: every combination of types and signs.

entry @floats() {
  %e4m3_l = constant <f8E4M3FN: 1.0> : tile<16x32xf8E4M3FN>
  %e4m3_r = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
  %e5m2_l = constant <f8E5M2: 1.0> : tile<16x32xf8E5M2>
  %e5m2_r = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
  %f16_l = constant <f16: 1.0> : tile<16x32xf16>
  %f16_r = constant <f16: 1.0> : tile<32x8xf16>
  %bf16_l = constant <bf16: 1.0> : tile<16x32xbf16>
  %bf16_r = constant <bf16: 1.0> : tile<32x8xbf16>
  %tf32_l = constant <tf32: 1.0> : tile<16x32xtf32>
  %tf32_r = constant <tf32: 1.0> : tile<32x8xtf32>
  %f32_l = constant <f32: 1.0> : tile<16x32xf32>
  %f32_r = constant <f32: 1.0> : tile<32x8xf32>
  %f64_l = constant <f64: 1.0> : tile<2x16x32xf64>
  %f64_r = constant <f64: 1.0> : tile<2x32x8xf64>
  %f16_a = constant <f16: 0.0> : tile<16x8xf16>
  %f32_a = constant <f32: 0.0> : tile<16x8xf32>
  %f64_a = constant <f64: 0.0> : tile<2x16x8xf64>
  %0 = mmaf %e4m3_l, %e4m3_r, %f16_a : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf16>
  %1 = mmaf %e4m3_l, %e4m3_r, %f32_a : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf32>
  %2 = mmaf %e5m2_l, %e5m2_r, %f32_a : tile<16x32xf8E5M2>, tile<32x8xf8E5M2>, tile<16x8xf32>
  %3 = mmaf %f16_l, %f16_r, %f16_a : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf16>
  %4 = mmaf %f16_l, %f16_r, %f32_a : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>
  %5 = mmaf %bf16_l, %bf16_r, %f32_a : tile<16x32xbf16>, tile<32x8xbf16>, tile<16x8xf32>
  %6 = mmaf %tf32_l, %tf32_r, %f32_a : tile<16x32xtf32>, tile<32x8xtf32>, tile<16x8xf32>
  %7 = mmaf %f32_l, %f32_r, %f32_a : tile<16x32xf32>, tile<32x8xf32>, tile<16x8xf32>
  %8 = mmaf %f64_l, %f64_r, %f64_a : tile<2x16x32xf64>, tile<2x32x8xf64>, tile<2x16x8xf64>
  return
}

entry @integers() {
  %l = constant <i8: 1> : tile<16x32xi8>
  %r = constant <i8: 1> : tile<32x8xi8>
  %a = constant <i32: 0> : tile<16x8xi32>
  %ss = mmai %l, %r, %a signed signed : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  %su = mmai %l, %r, %a signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  %us = mmai %l, %r, %a unsigned signed : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  %uu = mmai %l, %r, %a unsigned unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  return
}

// -----
// before 13.3: 'cuda_tile.mmaf' op optional attribute 'fast_acc' is provided but requires bytecode version 13.3, targeting {version}

entry @fast_accumulation() {
  %l = constant <f8E4M3FN: 1.0> : tile<16x32xf8E4M3FN>
  %r = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
  %a = constant <f32: 0.0> : tile<16x8xf32>
  %0 = mmaf %l, %r, %a fast_acc : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf32>
  return
}

// -----
// before 13.2: 'cuda_tile.constant' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}
// before 13.3: 'cuda_tile.mmaf_scaled' op requires bytecode version 13.3+, targeting {version}

entry @scaled() {
  %l = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
  %r = constant <f8E4M3FN: 1.0> : tile<64x8xf8E4M3FN>
  %a = constant <f32: 0.0> : tile<16x8xf32>
  %ls = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
  %rs = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
  %0 = mmaf_scaled %l, %r, %a, %ls, %rs : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
  return
}

// -----
// before 13.3: 'cuda_tile.constant' op type 'Float4E2M1FN' requires bytecode version 13.3+, targeting {version}
// before 13.4: 'cuda_tile.constant' op type 'FloatNV8E5M3FNU' requires bytecode version 13.4+, targeting {version}

entry @scaled_fp4() {
  %l = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
  %r = constant <f4E2M1FN: 1.0> : tile<64x8xf4E2M1FN>
  %a = constant <f32: 0.0> : tile<16x8xf32>
  %ls = constant <fnv8E5M3FNU: 1.0> : tile<16x4xfnv8E5M3FNU>
  %rs = constant <fnv8E5M3FNU: 1.0> : tile<4x8xfnv8E5M3FNU>
  %0 = mmaf_scaled %l, %r, %a, %ls, %rs : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>, tile<16x8xf32>, tile<16x4xfnv8E5M3FNU>, tile<4x8xfnv8E5M3FNU>
  return
}
