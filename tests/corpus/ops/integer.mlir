// Integer and bitwise arithmetic: every op, every attribute value, every integer type.

entry @overflow(%a: tile<i32>, %b: tile<i32>) {
  %add = addi %a, %b : tile<i32>
  %add_s = addi %a, %b overflow<no_signed_wrap> : tile<i32>
  %add_u = addi %a, %b overflow<no_unsigned_wrap> : tile<i32>
  %add_w = addi %a, %b overflow<no_wrap> : tile<i32>
  %sub = subi %a, %b : tile<i32>
  %sub_s = subi %a, %b overflow<no_signed_wrap> : tile<i32>
  %sub_u = subi %a, %b overflow<no_unsigned_wrap> : tile<i32>
  %sub_w = subi %a, %b overflow<no_wrap> : tile<i32>
  %mul = muli %a, %b : tile<i32>
  %mul_s = muli %a, %b overflow<no_signed_wrap> : tile<i32>
  %mul_u = muli %a, %b overflow<no_unsigned_wrap> : tile<i32>
  %mul_w = muli %a, %b overflow<no_wrap> : tile<i32>
  %shl = shli %a, %b : tile<i32>
  %shl_s = shli %a, %b overflow<no_signed_wrap> : tile<i32>
  %shl_u = shli %a, %b overflow<no_unsigned_wrap> : tile<i32>
  %shl_w = shli %a, %b overflow<no_wrap> : tile<i32>
  %neg = negi %a : tile<i32>
  return
}

entry @division(%a: tile<i64>, %b: tile<i64>) {
  %div_s = divi %a, %b signed : tile<i64>
  %div_s_down = divi %a, %b signed rounding<negative_inf> : tile<i64>
  %div_s_up = divi %a, %b signed rounding<positive_inf> : tile<i64>
  %div_u = divi %a, %b unsigned : tile<i64>
  %div_u_up = divi %a, %b unsigned rounding<positive_inf> : tile<i64>
  %rem_s = remi %a, %b signed : tile<i64>
  %rem_u = remi %a, %b unsigned : tile<i64>
  %high = mulhii %a, %b : tile<i64>
  return
}

entry @signedness(%a: tile<i16>, %b: tile<i16>) {
  %max_s = maxi %a, %b signed : tile<i16>
  %max_u = maxi %a, %b unsigned : tile<i16>
  %min_s = mini %a, %b signed : tile<i16>
  %min_u = mini %a, %b unsigned : tile<i16>
  %shr_s = shri %a, %b signed : tile<i16>
  %shr_u = shri %a, %b unsigned : tile<i16>
  %abs = absi %a : tile<i16>
  return
}

entry @bitwise(%a: tile<i8>, %b: tile<i8>, %p: tile<i1>, %q: tile<i1>) {
  %and = andi %a, %b : tile<i8>
  %or = ori %a, %b : tile<i8>
  %xor = xori %a, %b : tile<i8>
  %and_bool = andi %p, %q : tile<i1>
  %or_bool = ori %p, %q : tile<i1>
  %xor_bool = xori %p, %q : tile<i1>
  return
}

entry @comparison(%a: tile<i32>, %b: tile<i32>) {
  %eq_s = cmpi equal %a, %b, signed : tile<i32> -> tile<i1>
  %ne_s = cmpi not_equal %a, %b, signed : tile<i32> -> tile<i1>
  %lt_s = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
  %le_s = cmpi less_than_or_equal %a, %b, signed : tile<i32> -> tile<i1>
  %gt_s = cmpi greater_than %a, %b, signed : tile<i32> -> tile<i1>
  %ge_s = cmpi greater_than_or_equal %a, %b, signed : tile<i32> -> tile<i1>
  %eq_u = cmpi equal %a, %b, unsigned : tile<i32> -> tile<i1>
  %ne_u = cmpi not_equal %a, %b, unsigned : tile<i32> -> tile<i1>
  %lt_u = cmpi less_than %a, %b, unsigned : tile<i32> -> tile<i1>
  %le_u = cmpi less_than_or_equal %a, %b, unsigned : tile<i32> -> tile<i1>
  %gt_u = cmpi greater_than %a, %b, unsigned : tile<i32> -> tile<i1>
  %ge_u = cmpi greater_than_or_equal %a, %b, unsigned : tile<i32> -> tile<i1>
  return
}

// -----
// before 13.2: 'cuda_tile.negi' op attribute 'overflow' requires bytecode version 13.2+, but targeting {version}

entry @negation(%a: tile<i32>) {
  %signed = negi %a overflow<no_signed_wrap> : tile<i32>
  %both = negi %a overflow<no_wrap> : tile<i32>
  return
}
