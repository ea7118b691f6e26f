// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes.

// REQ: A-16, B-02, B-03

cuda_tile.module @m {
  testing$func @public(%arg0: tile<f32>, %arg2: tile<i32>, %arg5: tile<ptr<f32>>, %i64: tile<i64>, %bcast: tile<4xf32>, %bytes: tile<16xi8>) {
    // PRINTS: ^body:
    // PRINTS: %0 = bitcast %arg0 : tile<f32> -> tile<i32>
    %0 = bitcast %arg0 : tile<f32> -> tile<i32>
    %1 = exti %arg2 signed : tile<i32> -> tile<i64>
    %2 = trunci %arg2 overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    %3 = ftof %arg0 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    %4 = ftoi %arg0 signed  saturating : tile<f32> -> tile<i32>
    %5 = itof %arg2 unsigned  : tile<i32> -> tile<f32>
    %6 = int_to_ptr %i64 : tile<i64> -> tile<ptr<f32>>
    %7 = ptr_to_int %arg5 : tile<ptr<f32>> -> tile<i64>
    %8 = ptr_to_ptr %arg5 : tile<ptr<f32>> -> tile<ptr<i32>>
    %9 = pack %bcast : tile<4xf32> -> tile<16xi8>
    %10 = unpack %bytes : tile<16xi8> -> tile<4xf32>
    return
  }
}

// -----

// Integers: every pair of widths, every flag.

// REQ: A-16, A-63, B-32

!i1 = !cuda_tile.tile<4xi1>
!i4 = !cuda_tile.tile<4xi4>
!i8 = !cuda_tile.tile<4xi8>
!i16 = !cuda_tile.tile<4xi16>
!i32 = !cuda_tile.tile<4xi32>
!i64 = !cuda_tile.tile<4xi64>
%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!i1, !i4, !i8, !i16, !i32, !i64)
%0 = cuda_tile.exti %v_i1 signed : !i1 -> !i4
%1 = cuda_tile.exti %v_i1 unsigned : !i1 -> !i4
%2 = cuda_tile.exti %v_i1 signed : !i1 -> !i8
%3 = cuda_tile.exti %v_i1 unsigned : !i1 -> !i8
%4 = cuda_tile.exti %v_i1 signed : !i1 -> !i16
%5 = cuda_tile.exti %v_i1 unsigned : !i1 -> !i16
%6 = cuda_tile.exti %v_i1 signed : !i1 -> !i32
%7 = cuda_tile.exti %v_i1 unsigned : !i1 -> !i32
%8 = cuda_tile.exti %v_i1 signed : !i1 -> !i64
%9 = cuda_tile.exti %v_i1 unsigned : !i1 -> !i64
%10 = cuda_tile.trunci %v_i4 : !i4 -> !i1
%11 = cuda_tile.exti %v_i4 signed : !i4 -> !i8
%12 = cuda_tile.exti %v_i4 unsigned : !i4 -> !i8
%13 = cuda_tile.exti %v_i4 signed : !i4 -> !i16
%14 = cuda_tile.exti %v_i4 unsigned : !i4 -> !i16
%15 = cuda_tile.exti %v_i4 signed : !i4 -> !i32
%16 = cuda_tile.exti %v_i4 unsigned : !i4 -> !i32
%17 = cuda_tile.exti %v_i4 signed : !i4 -> !i64
%18 = cuda_tile.exti %v_i4 unsigned : !i4 -> !i64
%19 = cuda_tile.trunci %v_i8 : !i8 -> !i1
%20 = cuda_tile.trunci %v_i8 : !i8 -> !i4
%21 = cuda_tile.exti %v_i8 signed : !i8 -> !i16
%22 = cuda_tile.exti %v_i8 unsigned : !i8 -> !i16
%23 = cuda_tile.exti %v_i8 signed : !i8 -> !i32
%24 = cuda_tile.exti %v_i8 unsigned : !i8 -> !i32
%25 = cuda_tile.exti %v_i8 signed : !i8 -> !i64
%26 = cuda_tile.exti %v_i8 unsigned : !i8 -> !i64
%27 = cuda_tile.trunci %v_i16 : !i16 -> !i1
%28 = cuda_tile.trunci %v_i16 : !i16 -> !i4
%29 = cuda_tile.trunci %v_i16 : !i16 -> !i8
%30 = cuda_tile.exti %v_i16 signed : !i16 -> !i32
%31 = cuda_tile.exti %v_i16 unsigned : !i16 -> !i32
%32 = cuda_tile.exti %v_i16 signed : !i16 -> !i64
%33 = cuda_tile.exti %v_i16 unsigned : !i16 -> !i64
%34 = cuda_tile.trunci %v_i32 : !i32 -> !i1
%35 = cuda_tile.trunci %v_i32 : !i32 -> !i4
%36 = cuda_tile.trunci %v_i32 : !i32 -> !i8
%37 = cuda_tile.trunci %v_i32 : !i32 -> !i16
%38 = cuda_tile.exti %v_i32 signed : !i32 -> !i64
%39 = cuda_tile.exti %v_i32 unsigned : !i32 -> !i64
%40 = cuda_tile.trunci %v_i64 : !i64 -> !i1
%41 = cuda_tile.trunci %v_i64 : !i64 -> !i4
%42 = cuda_tile.trunci %v_i64 : !i64 -> !i8
%43 = cuda_tile.trunci %v_i64 : !i64 -> !i16
%44 = cuda_tile.trunci %v_i64 : !i64 -> !i32
// PRINTS: %45 = cuda_tile.trunci %v_i32 : !i32 -> !i16
%45 = cuda_tile.trunci %v_i32 overflow<none> : !i32 -> !i16
%46 = cuda_tile.trunci %v_i32 overflow<no_signed_wrap> : !i32 -> !i16
%47 = cuda_tile.trunci %v_i32 overflow<no_unsigned_wrap> : !i32 -> !i16
%48 = cuda_tile.trunci %v_i32 overflow<no_wrap> : !i32 -> !i16

// -----

// Bit patterns of equal width; tf32 has 19 bits.

// REQ: A-16

!i8 = !cuda_tile.tile<4xi8>
!i16 = !cuda_tile.tile<4xi16>
!i32 = !cuda_tile.tile<4xi32>
!i64 = !cuda_tile.tile<4xi64>
!f16 = !cuda_tile.tile<4xf16>
!bf16 = !cuda_tile.tile<4xbf16>
!f32 = !cuda_tile.tile<4xf32>
!f64 = !cuda_tile.tile<4xf64>
!f8E4M3FN = !cuda_tile.tile<4xf8E4M3FN>
!f8E5M2 = !cuda_tile.tile<4xf8E5M2>
!f8E8M0FNU = !cuda_tile.tile<4xf8E8M0FNU>
!fnv8E5M3FNU = !cuda_tile.tile<4xfnv8E5M3FNU>
%v_i1, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !i8, !i16, !i32, !i64, !f16, !bf16, !f32, !f64, !cuda_tile.tile<4xtf32>, !f8E4M3FN, !f8E5M2, !f8E8M0FNU, !cuda_tile.tile<4xf4E2M1FN>, !fnv8E5M3FNU)
%0 = cuda_tile.bitcast %v_i1 : tile<4xi1> -> tile<4xi1>
%1 = cuda_tile.bitcast %v_i8 : !i8 -> !i8
%2 = cuda_tile.bitcast %v_i8 : !i8 -> !f8E4M3FN
%3 = cuda_tile.bitcast %v_i8 : !i8 -> !f8E5M2
%4 = cuda_tile.bitcast %v_i8 : !i8 -> !f8E8M0FNU
%5 = cuda_tile.bitcast %v_i8 : !i8 -> !fnv8E5M3FNU
%6 = cuda_tile.bitcast %v_i16 : !i16 -> !i16
%7 = cuda_tile.bitcast %v_i16 : !i16 -> !f16
%8 = cuda_tile.bitcast %v_i16 : !i16 -> !bf16
%9 = cuda_tile.bitcast %v_i32 : !i32 -> !i32
%10 = cuda_tile.bitcast %v_i32 : !i32 -> !f32
%11 = cuda_tile.bitcast %v_i64 : !i64 -> !i64
%12 = cuda_tile.bitcast %v_i64 : !i64 -> !f64
%13 = cuda_tile.bitcast %v_f16 : !f16 -> !i16
%14 = cuda_tile.bitcast %v_f16 : !f16 -> !f16
%15 = cuda_tile.bitcast %v_f16 : !f16 -> !bf16
%16 = cuda_tile.bitcast %v_bf16 : !bf16 -> !i16
%17 = cuda_tile.bitcast %v_bf16 : !bf16 -> !f16
%18 = cuda_tile.bitcast %v_bf16 : !bf16 -> !bf16
%19 = cuda_tile.bitcast %v_f32 : !f32 -> !i32
%20 = cuda_tile.bitcast %v_f32 : !f32 -> !f32
%21 = cuda_tile.bitcast %v_f64 : !f64 -> !i64
%22 = cuda_tile.bitcast %v_f64 : !f64 -> !f64
%23 = cuda_tile.bitcast %v_tf32 : tile<4xtf32> -> tile<4xtf32>
%24 = cuda_tile.bitcast %v_f8E4M3FN : !f8E4M3FN -> !i8
%25 = cuda_tile.bitcast %v_f8E4M3FN : !f8E4M3FN -> !f8E4M3FN
%26 = cuda_tile.bitcast %v_f8E4M3FN : !f8E4M3FN -> !f8E5M2
%27 = cuda_tile.bitcast %v_f8E4M3FN : !f8E4M3FN -> !f8E8M0FNU
%28 = cuda_tile.bitcast %v_f8E4M3FN : !f8E4M3FN -> !fnv8E5M3FNU
%29 = cuda_tile.bitcast %v_f8E5M2 : !f8E5M2 -> !i8
%30 = cuda_tile.bitcast %v_f8E5M2 : !f8E5M2 -> !f8E4M3FN
%31 = cuda_tile.bitcast %v_f8E5M2 : !f8E5M2 -> !f8E5M2
%32 = cuda_tile.bitcast %v_f8E5M2 : !f8E5M2 -> !f8E8M0FNU
%33 = cuda_tile.bitcast %v_f8E5M2 : !f8E5M2 -> !fnv8E5M3FNU
%34 = cuda_tile.bitcast %v_f8E8M0FNU : !f8E8M0FNU -> !i8
%35 = cuda_tile.bitcast %v_f8E8M0FNU : !f8E8M0FNU -> !f8E4M3FN
%36 = cuda_tile.bitcast %v_f8E8M0FNU : !f8E8M0FNU -> !f8E5M2
%37 = cuda_tile.bitcast %v_f8E8M0FNU : !f8E8M0FNU -> !f8E8M0FNU
%38 = cuda_tile.bitcast %v_f8E8M0FNU : !f8E8M0FNU -> !fnv8E5M3FNU
%39 = cuda_tile.bitcast %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf4E2M1FN>
%40 = cuda_tile.bitcast %v_fnv8E5M3FNU : !fnv8E5M3FNU -> !i8
%41 = cuda_tile.bitcast %v_fnv8E5M3FNU : !fnv8E5M3FNU -> !f8E4M3FN
%42 = cuda_tile.bitcast %v_fnv8E5M3FNU : !fnv8E5M3FNU -> !f8E5M2
%43 = cuda_tile.bitcast %v_fnv8E5M3FNU : !fnv8E5M3FNU -> !f8E8M0FNU
%44 = cuda_tile.bitcast %v_fnv8E5M3FNU : !fnv8E5M3FNU -> !fnv8E5M3FNU

// -----

// Floats: every pair of types in every mode it has; `nearest_even` is not printed.

// REQ: A-16, A-64, B-33

!f16 = !cuda_tile.tile<4xf16>
!bf16 = !cuda_tile.tile<4xbf16>
!f32 = !cuda_tile.tile<4xf32>
!f64 = !cuda_tile.tile<4xf64>
!tf32 = !cuda_tile.tile<4xtf32>
!f8E5M2 = !cuda_tile.tile<4xf8E5M2>
!t4xf8E4M3FN = !cuda_tile.tile<4xf8E4M3FN>
!t4xf8E8M0FNU = !cuda_tile.tile<4xf8E8M0FNU>
!t4xf4E2M1FN = !cuda_tile.tile<4xf4E2M1FN>
!t4xfnv8E5M3FNU = !cuda_tile.tile<4xfnv8E5M3FNU>
%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!f16, !bf16, !f32, !f64, !tf32, !t4xf8E4M3FN, !f8E5M2, !t4xf8E8M0FNU, !t4xf4E2M1FN, !t4xfnv8E5M3FNU)
%0 = cuda_tile.ftof %v_f16 : !f16 -> !bf16
%1 = cuda_tile.ftof %v_f16 rounding<zero> : !f16 -> !bf16
%2 = cuda_tile.ftof %v_f16 : !f16 -> !f32
%3 = cuda_tile.ftof %v_f16 rounding<zero> : !f16 -> !f32
%4 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !f16 -> !f32
%5 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !f16 -> !f32
%6 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !f16 -> !f32
%7 = cuda_tile.ftof %v_f16 : !f16 -> !f64
%8 = cuda_tile.ftof %v_f16 rounding<zero> : !f16 -> !f64
%9 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !f16 -> !f64
%10 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !f16 -> !f64
%11 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !f16 -> !f64
%12 = cuda_tile.ftof %v_f16 : !f16 -> !tf32
%13 = cuda_tile.ftof %v_f16 rounding<zero> : !f16 -> !tf32
%14 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !f16 -> !tf32
%15 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !f16 -> !tf32
%16 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !f16 -> !tf32
%17 = cuda_tile.ftof %v_f16 : !f16 -> !t4xf8E4M3FN
%18 = cuda_tile.ftof %v_f16 : !f16 -> !f8E5M2
%19 = cuda_tile.ftof %v_f16 rounding<zero> : !f16 -> !t4xf8E8M0FNU
%20 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !f16 -> !t4xf8E8M0FNU
%21 = cuda_tile.ftof %v_f16 : !f16 -> !t4xf4E2M1FN
%22 = cuda_tile.ftof %v_f16 : !f16 -> !t4xfnv8E5M3FNU
%23 = cuda_tile.ftof %v_bf16 : !bf16 -> !f16
%24 = cuda_tile.ftof %v_bf16 rounding<zero> : !bf16 -> !f16
%25 = cuda_tile.ftof %v_bf16 : !bf16 -> !f32
%26 = cuda_tile.ftof %v_bf16 rounding<zero> : !bf16 -> !f32
%27 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !bf16 -> !f32
%28 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !bf16 -> !f32
%29 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !bf16 -> !f32
%30 = cuda_tile.ftof %v_bf16 : !bf16 -> !f64
%31 = cuda_tile.ftof %v_bf16 rounding<zero> : !bf16 -> !f64
%32 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !bf16 -> !f64
%33 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !bf16 -> !f64
%34 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !bf16 -> !f64
%35 = cuda_tile.ftof %v_bf16 : !bf16 -> !tf32
%36 = cuda_tile.ftof %v_bf16 rounding<zero> : !bf16 -> !tf32
%37 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !bf16 -> !tf32
%38 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !bf16 -> !tf32
%39 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !bf16 -> !tf32
%40 = cuda_tile.ftof %v_bf16 : !bf16 -> !t4xf8E4M3FN
%41 = cuda_tile.ftof %v_bf16 : !bf16 -> !f8E5M2
%42 = cuda_tile.ftof %v_bf16 rounding<zero> : !bf16 -> !t4xf8E8M0FNU
%43 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !bf16 -> !t4xf8E8M0FNU
%44 = cuda_tile.ftof %v_bf16 : !bf16 -> !t4xf4E2M1FN
%45 = cuda_tile.ftof %v_bf16 : !bf16 -> !t4xfnv8E5M3FNU
%46 = cuda_tile.ftof %v_f32 : !f32 -> !f16
%47 = cuda_tile.ftof %v_f32 rounding<zero> : !f32 -> !f16
%48 = cuda_tile.ftof %v_f32 : !f32 -> !bf16
%49 = cuda_tile.ftof %v_f32 rounding<zero> : !f32 -> !bf16
%50 = cuda_tile.ftof %v_f32 : !f32 -> !f64
%51 = cuda_tile.ftof %v_f32 rounding<zero> : !f32 -> !f64
%52 = cuda_tile.ftof %v_f32 rounding<negative_inf> : !f32 -> !f64
%53 = cuda_tile.ftof %v_f32 rounding<positive_inf> : !f32 -> !f64
%54 = cuda_tile.ftof %v_f32 rounding<nearest_away> : !f32 -> !f64
%55 = cuda_tile.ftof %v_f32 : !f32 -> !tf32
%56 = cuda_tile.ftof %v_f32 rounding<zero> : !f32 -> !tf32
%57 = cuda_tile.ftof %v_f32 rounding<nearest_away> : !f32 -> !tf32
%58 = cuda_tile.ftof %v_f32 : !f32 -> !t4xf8E4M3FN
%59 = cuda_tile.ftof %v_f32 : !f32 -> !f8E5M2
%60 = cuda_tile.ftof %v_f32 rounding<zero> : !f32 -> !t4xf8E8M0FNU
%61 = cuda_tile.ftof %v_f32 rounding<positive_inf> : !f32 -> !t4xf8E8M0FNU
%62 = cuda_tile.ftof %v_f32 : !f32 -> !t4xf4E2M1FN
%63 = cuda_tile.ftof %v_f32 : !f32 -> !t4xfnv8E5M3FNU
%64 = cuda_tile.ftof %v_f64 : !f64 -> !f16
%65 = cuda_tile.ftof %v_f64 rounding<zero> : !f64 -> !f16
%66 = cuda_tile.ftof %v_f64 : !f64 -> !bf16
%67 = cuda_tile.ftof %v_f64 rounding<zero> : !f64 -> !bf16
%68 = cuda_tile.ftof %v_f64 : !f64 -> !f32
%69 = cuda_tile.ftof %v_f64 rounding<zero> : !f64 -> !f32
%70 = cuda_tile.ftof %v_f64 rounding<negative_inf> : !f64 -> !f32
%71 = cuda_tile.ftof %v_f64 rounding<positive_inf> : !f64 -> !f32
%72 = cuda_tile.ftof %v_f64 : !f64 -> !tf32
%73 = cuda_tile.ftof %v_f64 rounding<zero> : !f64 -> !tf32
%74 = cuda_tile.ftof %v_f64 : !f64 -> !t4xf8E4M3FN
%75 = cuda_tile.ftof %v_f64 : !f64 -> !f8E5M2
%76 = cuda_tile.ftof %v_f64 rounding<zero> : !f64 -> !t4xf8E8M0FNU
%77 = cuda_tile.ftof %v_f64 rounding<positive_inf> : !f64 -> !t4xf8E8M0FNU
%78 = cuda_tile.ftof %v_f64 : !f64 -> !t4xf4E2M1FN
%79 = cuda_tile.ftof %v_f64 : !f64 -> !t4xfnv8E5M3FNU
%80 = cuda_tile.ftof %v_tf32 : !tf32 -> !f16
%81 = cuda_tile.ftof %v_tf32 rounding<zero> : !tf32 -> !f16
%82 = cuda_tile.ftof %v_tf32 : !tf32 -> !bf16
%83 = cuda_tile.ftof %v_tf32 rounding<zero> : !tf32 -> !bf16
%84 = cuda_tile.ftof %v_tf32 : !tf32 -> !f32
%85 = cuda_tile.ftof %v_tf32 rounding<zero> : !tf32 -> !f32
%86 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : !tf32 -> !f32
%87 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !tf32 -> !f32
%88 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : !tf32 -> !f32
%89 = cuda_tile.ftof %v_tf32 : !tf32 -> !f64
%90 = cuda_tile.ftof %v_tf32 rounding<zero> : !tf32 -> !f64
%91 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : !tf32 -> !f64
%92 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !tf32 -> !f64
%93 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : !tf32 -> !f64
%94 = cuda_tile.ftof %v_tf32 : !tf32 -> !t4xf8E4M3FN
%95 = cuda_tile.ftof %v_tf32 : !tf32 -> !f8E5M2
%96 = cuda_tile.ftof %v_tf32 rounding<zero> : !tf32 -> !t4xf8E8M0FNU
%97 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !tf32 -> !t4xf8E8M0FNU
%98 = cuda_tile.ftof %v_tf32 : !tf32 -> !t4xf4E2M1FN
%99 = cuda_tile.ftof %v_tf32 : !tf32 -> !t4xfnv8E5M3FNU
%100 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !f16
%101 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !f16
%102 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> !f16
%103 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !f16
%104 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> !f16
%105 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !bf16
%106 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !bf16
%107 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> !bf16
%108 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !bf16
%109 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> !bf16
%110 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !f32
%111 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !f32
%112 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> !f32
%113 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !f32
%114 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> !f32
%115 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !f64
%116 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !f64
%117 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> !f64
%118 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !f64
%119 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> !f64
%120 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !tf32
%121 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !tf32
%122 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> !tf32
%123 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !tf32
%124 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> !tf32
%125 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !f8E5M2
%126 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !t4xf8E8M0FNU
%127 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !t4xf8E8M0FNU
%128 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !t4xf4E2M1FN
%129 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !t4xfnv8E5M3FNU
%130 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !f16
%131 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !f16
%132 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !f8E5M2 -> !f16
%133 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !f16
%134 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !f8E5M2 -> !f16
%135 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !bf16
%136 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !bf16
%137 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !f8E5M2 -> !bf16
%138 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !bf16
%139 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !f8E5M2 -> !bf16
%140 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !f32
%141 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !f32
%142 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !f8E5M2 -> !f32
%143 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !f32
%144 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !f8E5M2 -> !f32
%145 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !f64
%146 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !f64
%147 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !f8E5M2 -> !f64
%148 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !f64
%149 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !f8E5M2 -> !f64
%150 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !tf32
%151 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !tf32
%152 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !f8E5M2 -> !tf32
%153 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !tf32
%154 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !f8E5M2 -> !tf32
%155 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !t4xf8E4M3FN
%156 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !f8E5M2 -> !t4xf8E8M0FNU
%157 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !f8E5M2 -> !t4xf8E8M0FNU
%158 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !t4xf4E2M1FN
%159 = cuda_tile.ftof %v_f8E5M2 : !f8E5M2 -> !t4xfnv8E5M3FNU
%160 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !f16
%161 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> !f16
%162 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !bf16
%163 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> !bf16
%164 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !f32
%165 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> !f32
%166 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !f64
%167 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> !f64
%168 = cuda_tile.ftof %v_f8E8M0FNU rounding<negative_inf> : !t4xf8E8M0FNU -> !f64
%169 = cuda_tile.ftof %v_f8E8M0FNU rounding<positive_inf> : !t4xf8E8M0FNU -> !f64
%170 = cuda_tile.ftof %v_f8E8M0FNU rounding<nearest_away> : !t4xf8E8M0FNU -> !f64
%171 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !tf32
%172 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> !tf32
%173 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xf8E4M3FN
%174 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !f8E5M2
%175 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xf4E2M1FN
%176 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xfnv8E5M3FNU
%177 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !f16
%178 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !f16
%179 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> !f16
%180 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !f16
%181 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> !f16
%182 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !bf16
%183 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !bf16
%184 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> !bf16
%185 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !bf16
%186 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> !bf16
%187 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !f32
%188 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !f32
%189 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> !f32
%190 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !f32
%191 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> !f32
%192 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !f64
%193 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !f64
%194 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> !f64
%195 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !f64
%196 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> !f64
%197 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !tf32
%198 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !tf32
%199 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> !tf32
%200 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !tf32
%201 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> !tf32
%202 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !t4xf8E4M3FN
%203 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !f8E5M2
%204 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !t4xf8E8M0FNU
%205 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !t4xf8E8M0FNU
%206 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !t4xfnv8E5M3FNU
%207 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !f16
%208 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !f16
%209 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !bf16
%210 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !bf16
%211 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> !bf16
%212 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !bf16
%213 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> !bf16
%214 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !f32
%215 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !f32
%216 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> !f32
%217 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !f32
%218 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> !f32
%219 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !f64
%220 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !f64
%221 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> !f64
%222 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !f64
%223 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> !f64
%224 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !tf32
%225 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !tf32
%226 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> !tf32
%227 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !tf32
%228 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> !tf32
%229 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !t4xf8E4M3FN
%230 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !f8E5M2
%231 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !t4xf8E8M0FNU
%232 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !t4xf8E8M0FNU
%233 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !t4xf4E2M1FN
// PRINTS: %234 = cuda_tile.ftof %v_f32 : !f32 -> !f16
%234 = cuda_tile.ftof %v_f32 rounding<nearest_even> : !f32 -> !f16

// -----

// Between integers and floats; the only modes there are go without saying.

// REQ: A-16, A-63, A-64

!f16 = !cuda_tile.tile<4xf16>
!bf16 = !cuda_tile.tile<4xbf16>
!f32 = !cuda_tile.tile<4xf32>
!f64 = !cuda_tile.tile<4xf64>
!tf32 = !cuda_tile.tile<4xtf32>
!f8E4M3FN = !cuda_tile.tile<4xf8E4M3FN>
!f8E5M2 = !cuda_tile.tile<4xf8E5M2>
!f4E2M1FN = !cuda_tile.tile<4xf4E2M1FN>
!fnv8E5M3FNU = !cuda_tile.tile<4xfnv8E5M3FNU>
!i1 = !cuda_tile.tile<4xi1>
!i8 = !cuda_tile.tile<4xi8>
!i16 = !cuda_tile.tile<4xi16>
!i32 = !cuda_tile.tile<4xi32>
!i64 = !cuda_tile.tile<4xi64>
%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_i1, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!f16, !bf16, !f32, !f64, !tf32, !f8E4M3FN, !f8E5M2, !cuda_tile.tile<4xf8E8M0FNU>, !f4E2M1FN, !fnv8E5M3FNU, !i1, !i8, !i16, !i32, !i64)
%0 = cuda_tile.ftoi %v_f16 signed : !f16 -> !i1
%1 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f16
%2 = cuda_tile.ftoi %v_f16 signed : !f16 -> !i8
%3 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f16
%4 = cuda_tile.ftoi %v_f16 signed : !f16 -> !i16
%5 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f16
%6 = cuda_tile.ftoi %v_f16 signed : !f16 -> !i32
%7 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f16
%8 = cuda_tile.ftoi %v_f16 signed : !f16 -> !i64
%9 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f16
%10 = cuda_tile.ftoi %v_bf16 signed : !bf16 -> !i1
%11 = cuda_tile.itof %v_i1 unsigned : !i1 -> !bf16
%12 = cuda_tile.ftoi %v_bf16 signed : !bf16 -> !i8
%13 = cuda_tile.itof %v_i8 unsigned : !i8 -> !bf16
%14 = cuda_tile.ftoi %v_bf16 signed : !bf16 -> !i16
%15 = cuda_tile.itof %v_i16 unsigned : !i16 -> !bf16
%16 = cuda_tile.ftoi %v_bf16 signed : !bf16 -> !i32
%17 = cuda_tile.itof %v_i32 unsigned : !i32 -> !bf16
%18 = cuda_tile.ftoi %v_bf16 signed : !bf16 -> !i64
%19 = cuda_tile.itof %v_i64 unsigned : !i64 -> !bf16
%20 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i1
%21 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f32
%22 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i8
%23 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f32
%24 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i16
%25 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f32
%26 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i32
%27 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f32
%28 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i64
%29 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f32
%30 = cuda_tile.ftoi %v_f64 signed : !f64 -> !i1
%31 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f64
%32 = cuda_tile.ftoi %v_f64 signed : !f64 -> !i8
%33 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f64
%34 = cuda_tile.ftoi %v_f64 signed : !f64 -> !i16
%35 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f64
%36 = cuda_tile.ftoi %v_f64 signed : !f64 -> !i32
%37 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f64
%38 = cuda_tile.ftoi %v_f64 signed : !f64 -> !i64
%39 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f64
%40 = cuda_tile.ftoi %v_tf32 signed : !tf32 -> !i1
%41 = cuda_tile.itof %v_i1 unsigned : !i1 -> !tf32
%42 = cuda_tile.ftoi %v_tf32 signed : !tf32 -> !i8
%43 = cuda_tile.itof %v_i8 unsigned : !i8 -> !tf32
%44 = cuda_tile.ftoi %v_tf32 signed : !tf32 -> !i16
%45 = cuda_tile.itof %v_i16 unsigned : !i16 -> !tf32
%46 = cuda_tile.ftoi %v_tf32 signed : !tf32 -> !i32
%47 = cuda_tile.itof %v_i32 unsigned : !i32 -> !tf32
%48 = cuda_tile.ftoi %v_tf32 signed : !tf32 -> !i64
%49 = cuda_tile.itof %v_i64 unsigned : !i64 -> !tf32
%50 = cuda_tile.ftoi %v_f8E4M3FN signed : !f8E4M3FN -> !i1
%51 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f8E4M3FN
%52 = cuda_tile.ftoi %v_f8E4M3FN signed : !f8E4M3FN -> !i8
%53 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f8E4M3FN
%54 = cuda_tile.ftoi %v_f8E4M3FN signed : !f8E4M3FN -> !i16
%55 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f8E4M3FN
%56 = cuda_tile.ftoi %v_f8E4M3FN signed : !f8E4M3FN -> !i32
%57 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f8E4M3FN
%58 = cuda_tile.ftoi %v_f8E4M3FN signed : !f8E4M3FN -> !i64
%59 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f8E4M3FN
%60 = cuda_tile.ftoi %v_f8E5M2 signed : !f8E5M2 -> !i1
%61 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f8E5M2
%62 = cuda_tile.ftoi %v_f8E5M2 signed : !f8E5M2 -> !i8
%63 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f8E5M2
%64 = cuda_tile.ftoi %v_f8E5M2 signed : !f8E5M2 -> !i16
%65 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f8E5M2
%66 = cuda_tile.ftoi %v_f8E5M2 signed : !f8E5M2 -> !i32
%67 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f8E5M2
%68 = cuda_tile.ftoi %v_f8E5M2 signed : !f8E5M2 -> !i64
%69 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f8E5M2
%70 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> !i1
%71 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> !i8
%72 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> !i16
%73 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> !i32
%74 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> !i64
%75 = cuda_tile.ftoi %v_f4E2M1FN signed : !f4E2M1FN -> !i1
%76 = cuda_tile.itof %v_i1 unsigned : !i1 -> !f4E2M1FN
%77 = cuda_tile.ftoi %v_f4E2M1FN signed : !f4E2M1FN -> !i8
%78 = cuda_tile.itof %v_i8 unsigned : !i8 -> !f4E2M1FN
%79 = cuda_tile.ftoi %v_f4E2M1FN signed : !f4E2M1FN -> !i16
%80 = cuda_tile.itof %v_i16 unsigned : !i16 -> !f4E2M1FN
%81 = cuda_tile.ftoi %v_f4E2M1FN signed : !f4E2M1FN -> !i32
%82 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f4E2M1FN
%83 = cuda_tile.ftoi %v_f4E2M1FN signed : !f4E2M1FN -> !i64
%84 = cuda_tile.itof %v_i64 unsigned : !i64 -> !f4E2M1FN
%85 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !fnv8E5M3FNU -> !i1
%86 = cuda_tile.itof %v_i1 unsigned : !i1 -> !fnv8E5M3FNU
%87 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !fnv8E5M3FNU -> !i8
%88 = cuda_tile.itof %v_i8 unsigned : !i8 -> !fnv8E5M3FNU
%89 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !fnv8E5M3FNU -> !i16
%90 = cuda_tile.itof %v_i16 unsigned : !i16 -> !fnv8E5M3FNU
%91 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !fnv8E5M3FNU -> !i32
%92 = cuda_tile.itof %v_i32 unsigned : !i32 -> !fnv8E5M3FNU
%93 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !fnv8E5M3FNU -> !i64
%94 = cuda_tile.itof %v_i64 unsigned : !i64 -> !fnv8E5M3FNU
%95 = cuda_tile.ftoi %v_f32 signed saturating : !f32 -> !i32
// PRINTS: %96 = cuda_tile.ftoi %v_f32 signed saturating : !f32 -> !i32
%96 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> saturating : !f32 -> !i32
// PRINTS: %97 = cuda_tile.ftoi %v_f32 signed : !f32 -> !i32
%97 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> : !f32 -> !i32
// PRINTS: %98 = cuda_tile.itof %v_i32 signed : !i32 -> !f32
%98 = cuda_tile.itof %v_i32 signed rounding<nearest_even> : !i32 -> !f32
%99 = cuda_tile.ftoi %v_f32 unsigned saturating : !f32 -> !i32
// PRINTS: %100 = cuda_tile.ftoi %v_f32 unsigned saturating : !f32 -> !i32
%100 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> saturating : !f32 -> !i32
// PRINTS: %101 = cuda_tile.ftoi %v_f32 unsigned : !f32 -> !i32
%101 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> : !f32 -> !i32
// PRINTS: %102 = cuda_tile.itof %v_i32 unsigned : !i32 -> !f32
%102 = cuda_tile.itof %v_i32 unsigned rounding<nearest_even> : !i32 -> !f32

// -----

// Pointers.

// REQ: A-16

!ptr_f32 = !cuda_tile.tile<2x4xptr<f32>>
%i, %p = "test.op"() : () -> (!cuda_tile.tile<2x4xi64>, !ptr_f32)
%0 = cuda_tile.int_to_ptr %i : tile<2x4xi64> -> tile<2x4xptr<f8E5M2>>
%1 = cuda_tile.ptr_to_int %p : !ptr_f32 -> tile<2x4xi64>
%2 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> tile<2x4xptr<i1>>
%3 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> tile<2x4xptr<f16>>
%4 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> !ptr_f32
%5 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> tile<2x4xptr<tf32>>

// -----

// Bytes: i1 counts as one bit, tf32 as 32, 4-bit types as 4.

!t1xi8 = !cuda_tile.tile<1xi8>
!t2xi8 = !cuda_tile.tile<2xi8>
!t4xi8 = !cuda_tile.tile<4xi8>
!t16xi8 = !cuda_tile.tile<16xi8>
!t8xi8 = !cuda_tile.tile<8xi8>
%v_i1, %v_i4, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f4E2M1FN, %b_i1, %b_i4, %b_i16, %b_i32, %b_i64, %b_f16, %b_bf16, %b_f32, %b_f64, %b_tf32, %b_f4E2M1FN = "test.op"() : () -> (!cuda_tile.tile<8xi1>, !cuda_tile.tile<2xi4>, !cuda_tile.tile<1xi16>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<1xf16>, !cuda_tile.tile<8xbf16>, !cuda_tile.tile<1xf32>, !cuda_tile.tile<1xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<16xf4E2M1FN>, !t1xi8, !t1xi8, !t2xi8, !t4xi8, !t16xi8, !t2xi8, !t16xi8, !t4xi8, !t8xi8, !t16xi8, !t8xi8)
%0 = cuda_tile.pack %v_i1 : tile<8xi1> -> !t1xi8
%1 = cuda_tile.unpack %b_i1 : !t1xi8 -> tile<8xi1>
%2 = cuda_tile.pack %v_i4 : tile<2xi4> -> !t1xi8
%3 = cuda_tile.unpack %b_i4 : !t1xi8 -> tile<2xi4>
%4 = cuda_tile.pack %v_i16 : tile<1xi16> -> !t2xi8
%5 = cuda_tile.unpack %b_i16 : !t2xi8 -> tile<1xi16>
%6 = cuda_tile.pack %v_i32 : tile<1xi32> -> !t4xi8
%7 = cuda_tile.unpack %b_i32 : !t4xi8 -> tile<1xi32>
%8 = cuda_tile.pack %v_i64 : tile<2xi64> -> !t16xi8
%9 = cuda_tile.unpack %b_i64 : !t16xi8 -> tile<2xi64>
%10 = cuda_tile.pack %v_f16 : tile<1xf16> -> !t2xi8
%11 = cuda_tile.unpack %b_f16 : !t2xi8 -> tile<1xf16>
%12 = cuda_tile.pack %v_bf16 : tile<8xbf16> -> !t16xi8
%13 = cuda_tile.unpack %b_bf16 : !t16xi8 -> tile<8xbf16>
%14 = cuda_tile.pack %v_f32 : tile<1xf32> -> !t4xi8
%15 = cuda_tile.unpack %b_f32 : !t4xi8 -> tile<1xf32>
%16 = cuda_tile.pack %v_f64 : tile<1xf64> -> !t8xi8
%17 = cuda_tile.unpack %b_f64 : !t8xi8 -> tile<1xf64>
%18 = cuda_tile.pack %v_tf32 : tile<4xtf32> -> !t16xi8
%19 = cuda_tile.unpack %b_tf32 : !t16xi8 -> tile<4xtf32>
%20 = cuda_tile.pack %v_f4E2M1FN : tile<16xf4E2M1FN> -> !t8xi8
%21 = cuda_tile.unpack %b_f4E2M1FN : !t8xi8 -> tile<16xf4E2M1FN>

// -----

// `to` between the types is read, and printed as an arrow.

// REQ: A-16, B-34

!f32 = !cuda_tile.tile<f32>
!i32 = !cuda_tile.tile<i32>
!i64 = !cuda_tile.tile<i64>
!ptr_f32 = !cuda_tile.tile<ptr<f32>>
%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!f32, !i32, !i64, !ptr_f32, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// PRINTS: %0 = cuda_tile.bitcast %f : !f32 -> !i32
%0 = cuda_tile.bitcast %f : !f32 to !i32
// PRINTS: %1 = cuda_tile.exti %i unsigned : !i32 -> !i64
%1 = cuda_tile.exti %i unsigned : !i32 to !i64
// PRINTS: %2 = cuda_tile.trunci %j overflow<no_wrap> : !i64 -> tile<i8>
%2 = cuda_tile.trunci %j overflow<no_wrap> : !i64 to tile<i8>
// PRINTS: %3 = cuda_tile.ftof %f rounding<zero> : !f32 -> tile<f16>
%3 = cuda_tile.ftof %f rounding<zero> : !f32 to tile<f16>
// PRINTS: %4 = cuda_tile.ftoi %f unsigned saturating : !f32 -> tile<i8>
%4 = cuda_tile.ftoi %f unsigned saturating : !f32 to tile<i8>
// PRINTS: %5 = cuda_tile.itof %i signed : !i32 -> tile<f64>
%5 = cuda_tile.itof %i signed : !i32 to tile<f64>
// PRINTS: %6 = cuda_tile.int_to_ptr %j : !i64 -> !ptr_f32
%6 = cuda_tile.int_to_ptr %j : !i64 to !ptr_f32
// PRINTS: %7 = cuda_tile.ptr_to_int %p : !ptr_f32 -> !i64
%7 = cuda_tile.ptr_to_int %p : !ptr_f32 to !i64
// PRINTS: %8 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> tile<ptr<i8>>
%8 = cuda_tile.ptr_to_ptr %p : !ptr_f32 to tile<ptr<i8>>
// PRINTS: %9 = cuda_tile.pack %x : tile<4xf32> -> tile<16xi8>
%9 = cuda_tile.pack %x : tile<4xf32> to tile<16xi8>
// PRINTS: %10 = cuda_tile.unpack %b : tile<16xi8> -> tile<4xf32>
%10 = cuda_tile.unpack %b : tile<16xi8> to tile<4xf32>

// -----

// Discardable attributes stand before the colon.

// REQ: B-04, B-28

%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
%0 = cuda_tile.bitcast %f {my.tag = 7 : i32, unit} : tile<f32> -> tile<i32>
%1 = cuda_tile.exti %i unsigned {my.tag = 7 : i32, unit} : tile<i32> -> tile<i64>
%2 = cuda_tile.trunci %j overflow<no_wrap> {my.tag = 7 : i32, unit} : tile<i64> -> tile<i8>
%3 = cuda_tile.ftof %f rounding<zero> {my.tag = 7 : i32, unit} : tile<f32> -> tile<f16>
%4 = cuda_tile.ftoi %f unsigned saturating {my.tag = 7 : i32, unit} : tile<f32> -> tile<i8>
%5 = cuda_tile.itof %i signed {my.tag = 7 : i32, unit} : tile<i32> -> tile<f64>
%6 = cuda_tile.int_to_ptr %j {my.tag = 7 : i32, unit} : tile<i64> -> tile<ptr<f32>>
%7 = cuda_tile.ptr_to_int %p {my.tag = 7 : i32, unit} : tile<ptr<f32>> -> tile<i64>
%8 = cuda_tile.ptr_to_ptr %p {my.tag = 7 : i32, unit} : tile<ptr<f32>> -> tile<ptr<i8>>
%9 = cuda_tile.pack %x {my.tag = 7 : i32, unit} : tile<4xf32> -> tile<16xi8>
%10 = cuda_tile.unpack %b {my.tag = 7 : i32, unit} : tile<16xi8> -> tile<4xf32>

// -----

// Generic form; what has a default may be left out.

// REQ: B-08, B-22

!f32 = !cuda_tile.tile<f32>
!i32 = !cuda_tile.tile<i32>
!i64 = !cuda_tile.tile<i64>
!ptr_f32 = !cuda_tile.tile<ptr<f32>>
!t4xf32 = !cuda_tile.tile<4xf32>
!t16xi8 = !cuda_tile.tile<16xi8>
!i8 = !cuda_tile.tile<i8>
!f16 = !cuda_tile.tile<f16>
%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!f32, !i32, !i64, !ptr_f32, !t4xf32, !t16xi8)
// PRINTS: %0 = cuda_tile.bitcast %f {my.tag} : !f32 -> !i32
%0 = "cuda_tile.bitcast"(%f) {my.tag} : (!f32) -> !i32
// PRINTS: %1 = cuda_tile.exti %i signed : !i32 -> !i64
%1 = "cuda_tile.exti"(%i) <{signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !i64
// PRINTS: %2 = cuda_tile.trunci %j overflow<no_wrap> : !i64 -> !i8
%2 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!i64) -> !i8
// PRINTS: %3 = cuda_tile.trunci %j : !i64 -> !i8
%3 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<none>}> : (!i64) -> !i8
// PRINTS: %4 = cuda_tile.trunci %j : !i64 -> !i8
%4 = "cuda_tile.trunci"(%j) : (!i64) -> !i8
// PRINTS: %5 = cuda_tile.ftof %f rounding<zero> : !f32 -> !f16
%5 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!f32) -> !f16
// PRINTS: %6 = cuda_tile.ftof %f : !f32 -> !f16
%6 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32) -> !f16
// PRINTS: %7 = cuda_tile.ftof %f : !f32 -> !f16
%7 = "cuda_tile.ftof"(%f) : (!f32) -> !f16
// PRINTS: %8 = cuda_tile.ftoi %f signed : !f32 -> !i8
%8 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i8
// PRINTS: %9 = cuda_tile.ftoi %f signed saturating : !f32 -> !i8
%9 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, saturating, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i8
// PRINTS: %10 = cuda_tile.itof %i signed : !i32 -> tile<f64>
%10 = "cuda_tile.itof"(%i) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !cuda_tile.tile<f64>
// PRINTS: %11 = cuda_tile.int_to_ptr %j : !i64 -> !ptr_f32
%11 = "cuda_tile.int_to_ptr"(%j) : (!i64) -> !ptr_f32
// PRINTS: %12 = cuda_tile.ptr_to_int %p : !ptr_f32 -> !i64
%12 = "cuda_tile.ptr_to_int"(%p) : (!ptr_f32) -> !i64
// PRINTS: %13 = cuda_tile.ptr_to_ptr %p : !ptr_f32 -> tile<ptr<i8>>
%13 = "cuda_tile.ptr_to_ptr"(%p) : (!ptr_f32) -> !cuda_tile.tile<ptr<i8>>
// PRINTS: %14 = cuda_tile.pack %x : !t4xf32 -> !t16xi8
%14 = "cuda_tile.pack"(%x) : (!t4xf32) -> !t16xi8
// PRINTS: %15 = cuda_tile.unpack %b : !t16xi8 -> !t4xf32
%15 = "cuda_tile.unpack"(%b) : (!t16xi8) -> !t4xf32
