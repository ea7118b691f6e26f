// Conversions: every op, every signedness, overflow and rounding, every element type.

entry @integers(%a: tile<i8>, %b: tile<i64>, %p: tile<i1>) {
  %ext_s = exti %a signed : tile<i8> -> tile<i64>
  %ext_u = exti %p unsigned : tile<i1> -> tile<i16>
  %trunc = trunci %b : tile<i64> -> tile<i8>
  %trunc_s = trunci %b overflow<no_signed_wrap> : tile<i64> -> tile<i32>
  %trunc_u = trunci %b overflow<no_unsigned_wrap> : tile<i64> -> tile<i16>
  %trunc_w = trunci %b overflow<no_wrap> : tile<i64> -> tile<i1>
  return
}

entry @floats(%a: tile<f32>, %b: tile<f64>, %c: tile<f16>) {
  %half = ftof %a : tile<f32> -> tile<f16>
  %brain = ftof %a rounding<zero> : tile<f32> -> tile<bf16>
  %tf = ftof %a : tile<f32> -> tile<tf32>
  %tf_rz = ftof %a rounding<zero> : tile<f32> -> tile<tf32>
  %e4m3 = ftof %a : tile<f32> -> tile<f8E4M3FN>
  %e5m2 = ftof %a : tile<f32> -> tile<f8E5M2>
  %single = ftof %b : tile<f64> -> tile<f32>
  %single_rz = ftof %b rounding<zero> : tile<f64> -> tile<f32>
  %single_rm = ftof %b rounding<negative_inf> : tile<f64> -> tile<f32>
  %single_rp = ftof %b rounding<positive_inf> : tile<f64> -> tile<f32>
  %wide = ftof %c rounding<negative_inf> : tile<f16> -> tile<f64>
  return
}

entry @mixed(%a: tile<f32>, %i: tile<i32>) {
  %int_s = ftoi %a signed : tile<f32> -> tile<i32>
  %int_u = ftoi %a unsigned : tile<f32> -> tile<i64>
  %float_s = itof %i signed : tile<i32> -> tile<f16>
  %float_u = itof %i unsigned : tile<i32> -> tile<f8E4M3FN>
  %bits = bitcast %a : tile<f32> -> tile<i32>
  %halves = bitcast %float_s : tile<f16> -> tile<bf16>
  return
}

entry @pointers(%i: tile<i64>, %p: tile<ptr<f32>>) {
  %ptr = int_to_ptr %i : tile<i64> -> tile<ptr<f32>>
  %int = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  %other = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
  return
}

// -----
// before 13.2: 'cuda_tile.ftof' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}

entry @exponents(%a: tile<f32>) {
  %down = ftof %a rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
  %up = ftof %a rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>
  %back = ftof %down : tile<f8E8M0FNU> -> tile<f32>
  return
}

// -----
// before 13.3: 'cuda_tile.trunci' op type 'Int4' requires bytecode version 13.3+, targeting {version}

entry @nibbles(%a: tile<i8>) {
  %nibble = trunci %a overflow<no_signed_wrap> : tile<i8> -> tile<i4>
  %signed = exti %nibble signed : tile<i4> -> tile<i8>
  %unsigned = exti %nibble unsigned : tile<i4> -> tile<i32>
  return
}

// -----
// before 13.3: 'cuda_tile.pack' op requires bytecode version 13.3+, targeting {version}

entry @packing() {
  %wide = iota : tile<4xi32>
  %bytes = pack %wide : tile<4xi32> -> tile<16xi8>
  return
}

// -----
// before 13.3: 'cuda_tile.unpack' op requires bytecode version 13.3+, targeting {version}

entry @unpacking() {
  %bytes = iota : tile<16xi8>
  %floats = unpack %bytes : tile<16xi8> -> tile<4xf32>
  %nibbles = unpack %bytes : tile<16xi8> -> tile<32xi4>
  %fp4 = unpack %bytes : tile<16xi8> -> tile<32xf4E2M1FN>
  %bits = unpack %bytes : tile<16xi8> -> tile<128xi1>
  %tf = unpack %bytes : tile<16xi8> -> tile<4xtf32>
  return
}

// -----
// before 13.3: 'cuda_tile.ftof' op type 'Float4E2M1FN' requires bytecode version 13.3+, targeting {version}

entry @fp4() {
  %a = constant <f32: 1.5> : tile<2xf32>
  %0 = ftof %a : tile<2xf32> -> tile<2xf4E2M1FN>
  return
}

// -----
// before 13.4: 'cuda_tile.ftoi' op optional attribute 'saturating' is provided but requires bytecode version 13.4, targeting {version}

entry @saturating(%a: tile<f32>) {
  %signed = ftoi %a signed saturating : tile<f32> -> tile<i8>
  %unsigned = ftoi %a unsigned saturating : tile<f32> -> tile<i32>
  return
}

// -----
// before 13.4: 'cuda_tile.ftof' op rounding_mode 'nearest_away' requires bytecode version 13.4+, targeting {version}

entry @nearest_away(%a: tile<f32>, %b: tile<f16>) {
  %tf = ftof %a rounding<nearest_away> : tile<f32> -> tile<tf32>
  %wide = ftof %b rounding<nearest_away> : tile<f16> -> tile<f32>
  return
}

// -----
// before 13.4: 'cuda_tile.ftof' op type 'FloatNV8E5M3FNU' requires bytecode version 13.4+, targeting {version}

entry @e5m3(%a: tile<f32>) {
  %0 = ftof %a : tile<f32> -> tile<fnv8E5M3FNU>
  %1 = ftof %0 : tile<fnv8E5M3FNU> -> tile<f32>
  return
}
