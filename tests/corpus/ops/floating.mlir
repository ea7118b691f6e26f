// Floating-point arithmetic: every op, every rounding mode and modifier that verifies.

entry @unary(%a: tile<f32>, %b: tile<f16>, %c: tile<bf16>, %d: tile<f64>) {
  %abs = absf %a : tile<f32>
  %neg = negf %b : tile<f16>
  %ceil = ceil %c : tile<bf16>
  %floor = floor %d : tile<f64>
  %sin = sin %a : tile<f32>
  %cos = cos %a : tile<f32>
  %tan = tan %a : tile<f32>
  %sinh = sinh %a : tile<f32>
  %cosh = cosh %a : tile<f32>
  %tanh = tanh %a : tile<f32>
  %exp = exp %a : tile<f32>
  %log = log %a : tile<f32>
  %log2 = log2 %a : tile<f32>
  %exp2 = exp2 %a : tile<f32>
  %exp2_z = exp2 %a flush_to_zero : tile<f32>
  %rsqrt = rsqrt %a : tile<f32>
  %rsqrt_z = rsqrt %a flush_to_zero : tile<f32>
  %rem = remf %a, %a : tile<f32>
  %pow = fpowf %a, %a : tile<f32>
  return
}

entry @rounding(%a: tile<f32>, %b: tile<f32>) {
  %add = addf %a, %b : tile<f32>
  %add_rz = addf %a, %b rounding<zero> : tile<f32>
  %add_rm = addf %a, %b rounding<negative_inf> : tile<f32>
  %add_rp = addf %a, %b rounding<positive_inf> : tile<f32>
  %add_z = addf %a, %b flush_to_zero : tile<f32>
  %add_rz_z = addf %a, %b rounding<zero> flush_to_zero : tile<f32>
  %sub = subf %a, %b : tile<f32>
  %sub_rz = subf %a, %b rounding<zero> : tile<f32>
  %sub_rm = subf %a, %b rounding<negative_inf> : tile<f32>
  %sub_rp = subf %a, %b rounding<positive_inf> : tile<f32>
  %sub_z = subf %a, %b flush_to_zero : tile<f32>
  %mul = mulf %a, %b : tile<f32>
  %mul_rz = mulf %a, %b rounding<zero> : tile<f32>
  %mul_rm = mulf %a, %b rounding<negative_inf> : tile<f32>
  %mul_rp = mulf %a, %b rounding<positive_inf> : tile<f32>
  %mul_z = mulf %a, %b flush_to_zero : tile<f32>
  %fma = fma %a, %b, %a : tile<f32>
  %fma_rz = fma %a, %b, %a rounding<zero> : tile<f32>
  %fma_rm = fma %a, %b, %a rounding<negative_inf> : tile<f32>
  %fma_rp = fma %a, %b, %a rounding<positive_inf> : tile<f32>
  %fma_z = fma %a, %b, %a flush_to_zero : tile<f32>
  %div = divf %a, %b : tile<f32>
  %div_rz = divf %a, %b rounding<zero> : tile<f32>
  %div_rm = divf %a, %b rounding<negative_inf> : tile<f32>
  %div_rp = divf %a, %b rounding<positive_inf> : tile<f32>
  %div_approx = divf %a, %b rounding<approx> : tile<f32>
  %div_full = divf %a, %b rounding<full> : tile<f32>
  %div_full_z = divf %a, %b rounding<full> flush_to_zero : tile<f32>
  %sqrt = sqrt %a : tile<f32>
  %sqrt_rz = sqrt %a rounding<zero> : tile<f32>
  %sqrt_rm = sqrt %a rounding<negative_inf> : tile<f32>
  %sqrt_rp = sqrt %a rounding<positive_inf> : tile<f32>
  %sqrt_approx = sqrt %a rounding<approx> : tile<f32>
  %sqrt_approx_z = sqrt %a rounding<approx> flush_to_zero : tile<f32>
  return
}

entry @extrema(%a: tile<f32>, %b: tile<f32>) {
  %max = maxf %a, %b : tile<f32>
  %max_z = maxf %a, %b flush_to_zero : tile<f32>
  %max_n = maxf %a, %b propagate_nan : tile<f32>
  %max_zn = maxf %a, %b flush_to_zero propagate_nan : tile<f32>
  %min = minf %a, %b : tile<f32>
  %min_z = minf %a, %b flush_to_zero : tile<f32>
  %min_n = minf %a, %b propagate_nan : tile<f32>
  %min_zn = minf %a, %b flush_to_zero propagate_nan : tile<f32>
  return
}

entry @comparison(%a: tile<f64>, %b: tile<f64>) {
  %eq_o = cmpf equal ordered %a, %b : tile<f64> -> tile<i1>
  %ne_o = cmpf not_equal ordered %a, %b : tile<f64> -> tile<i1>
  %lt_o = cmpf less_than ordered %a, %b : tile<f64> -> tile<i1>
  %le_o = cmpf less_than_or_equal ordered %a, %b : tile<f64> -> tile<i1>
  %gt_o = cmpf greater_than ordered %a, %b : tile<f64> -> tile<i1>
  %ge_o = cmpf greater_than_or_equal ordered %a, %b : tile<f64> -> tile<i1>
  %eq_u = cmpf equal unordered %a, %b : tile<f64> -> tile<i1>
  %ne_u = cmpf not_equal unordered %a, %b : tile<f64> -> tile<i1>
  %lt_u = cmpf less_than unordered %a, %b : tile<f64> -> tile<i1>
  %le_u = cmpf less_than_or_equal unordered %a, %b : tile<f64> -> tile<i1>
  %gt_u = cmpf greater_than unordered %a, %b : tile<f64> -> tile<i1>
  %ge_u = cmpf greater_than_or_equal unordered %a, %b : tile<f64> -> tile<i1>
  return
}

// -----
// before 13.2: 'cuda_tile.tanh' op attribute 'rounding_mode' requires bytecode version 13.2+, but targeting {version}

entry @approximate_tanh(%a: tile<f32>) {
  %0 = tanh %a rounding<approx> : tile<f32>
  %1 = tanh %a rounding<full> : tile<f32>
  return
}

// -----
// before 13.2: 'cuda_tile.atan2' op requires bytecode version 13.2+, targeting {version}

entry @angle(%x: tile<f32>, %y: tile<f32>) {
  %0 = atan2 %x, %y : tile<f32>
  return
}

// -----
// before 13.3: 'cuda_tile.exp' op attribute 'rounding_mode' requires bytecode version 13.3+, but targeting {version}

entry @approximate_exp(%a: tile<f32>) {
  %0 = exp %a rounding<approx> : tile<f32>
  return
}

// -----
// before 13.4: 'cuda_tile.fpowi' op requires bytecode version 13.4+, targeting {version}

entry @integer_power(%a: tile<f32>, %b: tile<f64>, %i: tile<i32>, %j: tile<i16>, %k: tile<i8>, %l: tile<i1>) {
  %0 = fpowi %a, %i : tile<f32>, tile<i32>
  %1 = fpowi %b, %j : tile<f64>, tile<i16>
  %2 = fpowi %a, %k : tile<f32>, tile<i8>
  %3 = fpowi %a, %l : tile<f32>, tile<i1>
  return
}
