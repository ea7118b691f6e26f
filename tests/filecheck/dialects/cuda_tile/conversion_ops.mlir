// RUN: tileiras-opt %s --split-input-file --print-local-scope | %verbatim %s
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s
// RUN: xdsl-opt %s --split-input-file | %verbatim %s

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

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi4>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
%0 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi4>
%1 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi4>
%2 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi8>
%3 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi8>
%4 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi16>
%5 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi16>
%6 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi32>
%7 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi32>
%8 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi64>
%9 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi64>
%10 = cuda_tile.trunci %v_i4 : tile<4xi4> -> tile<4xi1>
%11 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi8>
%12 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi8>
%13 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi16>
%14 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi16>
%15 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi32>
%16 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi32>
%17 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi64>
%18 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi64>
%19 = cuda_tile.trunci %v_i8 : tile<4xi8> -> tile<4xi1>
%20 = cuda_tile.trunci %v_i8 : tile<4xi8> -> tile<4xi4>
%21 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi16>
%22 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi16>
%23 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi32>
%24 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi32>
%25 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi64>
%26 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi64>
%27 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi1>
%28 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi4>
%29 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi8>
%30 = cuda_tile.exti %v_i16 signed : tile<4xi16> -> tile<4xi32>
%31 = cuda_tile.exti %v_i16 unsigned : tile<4xi16> -> tile<4xi32>
%32 = cuda_tile.exti %v_i16 signed : tile<4xi16> -> tile<4xi64>
%33 = cuda_tile.exti %v_i16 unsigned : tile<4xi16> -> tile<4xi64>
%34 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi1>
%35 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi4>
%36 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi8>
%37 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi16>
%38 = cuda_tile.exti %v_i32 signed : tile<4xi32> -> tile<4xi64>
%39 = cuda_tile.exti %v_i32 unsigned : tile<4xi32> -> tile<4xi64>
%40 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi1>
%41 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi4>
%42 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi8>
%43 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi16>
%44 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi32>
// PRINTS: %45 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi16>
%45 = cuda_tile.trunci %v_i32 overflow<none> : tile<4xi32> -> tile<4xi16>
%46 = cuda_tile.trunci %v_i32 overflow<no_signed_wrap> : tile<4xi32> -> tile<4xi16>
%47 = cuda_tile.trunci %v_i32 overflow<no_unsigned_wrap> : tile<4xi32> -> tile<4xi16>
%48 = cuda_tile.trunci %v_i32 overflow<no_wrap> : tile<4xi32> -> tile<4xi16>

// -----

// Bit patterns of equal width; tf32 has 19 bits.

// REQ: A-16

%v_i1, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>, !cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>)
%0 = cuda_tile.bitcast %v_i1 : tile<4xi1> -> tile<4xi1>
%1 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xi8>
%2 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E4M3FN>
%3 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E5M2>
%4 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E8M0FNU>
%5 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xfnv8E5M3FNU>
%6 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xi16>
%7 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xf16>
%8 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xbf16>
%9 = cuda_tile.bitcast %v_i32 : tile<4xi32> -> tile<4xi32>
%10 = cuda_tile.bitcast %v_i32 : tile<4xi32> -> tile<4xf32>
%11 = cuda_tile.bitcast %v_i64 : tile<4xi64> -> tile<4xi64>
%12 = cuda_tile.bitcast %v_i64 : tile<4xi64> -> tile<4xf64>
%13 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xi16>
%14 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xf16>
%15 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xbf16>
%16 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xi16>
%17 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xf16>
%18 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xbf16>
%19 = cuda_tile.bitcast %v_f32 : tile<4xf32> -> tile<4xi32>
%20 = cuda_tile.bitcast %v_f32 : tile<4xf32> -> tile<4xf32>
%21 = cuda_tile.bitcast %v_f64 : tile<4xf64> -> tile<4xi64>
%22 = cuda_tile.bitcast %v_f64 : tile<4xf64> -> tile<4xf64>
%23 = cuda_tile.bitcast %v_tf32 : tile<4xtf32> -> tile<4xtf32>
%24 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xi8>
%25 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E4M3FN>
%26 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E5M2>
%27 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E8M0FNU>
%28 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xfnv8E5M3FNU>
%29 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xi8>
%30 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E4M3FN>
%31 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E5M2>
%32 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E8M0FNU>
%33 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xfnv8E5M3FNU>
%34 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xi8>
%35 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E4M3FN>
%36 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E5M2>
%37 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E8M0FNU>
%38 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xfnv8E5M3FNU>
%39 = cuda_tile.bitcast %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf4E2M1FN>
%40 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xi8>
%41 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E4M3FN>
%42 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E5M2>
%43 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E8M0FNU>
%44 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xfnv8E5M3FNU>

// -----

// Floats: every pair of types in every mode it has; `nearest_even` is not printed.

// REQ: A-16, A-64, B-33

!t4xf8E4M3FN = !cuda_tile.tile<4xf8E4M3FN>
!t4xf8E8M0FNU = !cuda_tile.tile<4xf8E8M0FNU>
!t4xf4E2M1FN = !cuda_tile.tile<4xf4E2M1FN>
!t4xfnv8E5M3FNU = !cuda_tile.tile<4xfnv8E5M3FNU>
%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !t4xf8E4M3FN, !cuda_tile.tile<4xf8E5M2>, !t4xf8E8M0FNU, !t4xf4E2M1FN, !t4xfnv8E5M3FNU)
%0 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xbf16>
%1 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xbf16>
%2 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf32>
%3 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xf32>
%4 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xf32>
%5 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xf32>
%6 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xf32>
%7 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf64>
%8 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xf64>
%9 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xf64>
%10 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xf64>
%11 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xf64>
%12 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xtf32>
%13 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xtf32>
%14 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xtf32>
%15 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xtf32>
%16 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xtf32>
%17 = cuda_tile.ftof %v_f16 : tile<4xf16> -> !t4xf8E4M3FN
%18 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf8E5M2>
%19 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> !t4xf8E8M0FNU
%20 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> !t4xf8E8M0FNU
%21 = cuda_tile.ftof %v_f16 : tile<4xf16> -> !t4xf4E2M1FN
%22 = cuda_tile.ftof %v_f16 : tile<4xf16> -> !t4xfnv8E5M3FNU
%23 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf16>
%24 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf16>
%25 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf32>
%26 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf32>
%27 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xf32>
%28 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xf32>
%29 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xf32>
%30 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf64>
%31 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf64>
%32 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xf64>
%33 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xf64>
%34 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xf64>
%35 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xtf32>
%36 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xtf32>
%37 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xtf32>
%38 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xtf32>
%39 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xtf32>
%40 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> !t4xf8E4M3FN
%41 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf8E5M2>
%42 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> !t4xf8E8M0FNU
%43 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> !t4xf8E8M0FNU
%44 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> !t4xf4E2M1FN
%45 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> !t4xfnv8E5M3FNU
%46 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf16>
%47 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xf16>
%48 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xbf16>
%49 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xbf16>
%50 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf64>
%51 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xf64>
%52 = cuda_tile.ftof %v_f32 rounding<negative_inf> : tile<4xf32> -> tile<4xf64>
%53 = cuda_tile.ftof %v_f32 rounding<positive_inf> : tile<4xf32> -> tile<4xf64>
%54 = cuda_tile.ftof %v_f32 rounding<nearest_away> : tile<4xf32> -> tile<4xf64>
%55 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xtf32>
%56 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xtf32>
%57 = cuda_tile.ftof %v_f32 rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>
%58 = cuda_tile.ftof %v_f32 : tile<4xf32> -> !t4xf8E4M3FN
%59 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf8E5M2>
%60 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> !t4xf8E8M0FNU
%61 = cuda_tile.ftof %v_f32 rounding<positive_inf> : tile<4xf32> -> !t4xf8E8M0FNU
%62 = cuda_tile.ftof %v_f32 : tile<4xf32> -> !t4xf4E2M1FN
%63 = cuda_tile.ftof %v_f32 : tile<4xf32> -> !t4xfnv8E5M3FNU
%64 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf16>
%65 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xf16>
%66 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xbf16>
%67 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xbf16>
%68 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf32>
%69 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xf32>
%70 = cuda_tile.ftof %v_f64 rounding<negative_inf> : tile<4xf64> -> tile<4xf32>
%71 = cuda_tile.ftof %v_f64 rounding<positive_inf> : tile<4xf64> -> tile<4xf32>
%72 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xtf32>
%73 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xtf32>
%74 = cuda_tile.ftof %v_f64 : tile<4xf64> -> !t4xf8E4M3FN
%75 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf8E5M2>
%76 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> !t4xf8E8M0FNU
%77 = cuda_tile.ftof %v_f64 rounding<positive_inf> : tile<4xf64> -> !t4xf8E8M0FNU
%78 = cuda_tile.ftof %v_f64 : tile<4xf64> -> !t4xf4E2M1FN
%79 = cuda_tile.ftof %v_f64 : tile<4xf64> -> !t4xfnv8E5M3FNU
%80 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf16>
%81 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf16>
%82 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xbf16>
%83 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xbf16>
%84 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf32>
%85 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf32>
%86 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : tile<4xtf32> -> tile<4xf32>
%87 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> tile<4xf32>
%88 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : tile<4xtf32> -> tile<4xf32>
%89 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf64>
%90 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf64>
%91 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : tile<4xtf32> -> tile<4xf64>
%92 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> tile<4xf64>
%93 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : tile<4xtf32> -> tile<4xf64>
%94 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> !t4xf8E4M3FN
%95 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf8E5M2>
%96 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> !t4xf8E8M0FNU
%97 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> !t4xf8E8M0FNU
%98 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> !t4xf4E2M1FN
%99 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> !t4xfnv8E5M3FNU
%100 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xf16>
%101 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> tile<4xf16>
%102 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> tile<4xf16>
%103 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> tile<4xf16>
%104 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> tile<4xf16>
%105 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xbf16>
%106 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> tile<4xbf16>
%107 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> tile<4xbf16>
%108 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> tile<4xbf16>
%109 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> tile<4xbf16>
%110 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xf32>
%111 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> tile<4xf32>
%112 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> tile<4xf32>
%113 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> tile<4xf32>
%114 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> tile<4xf32>
%115 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xf64>
%116 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> tile<4xf64>
%117 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> tile<4xf64>
%118 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> tile<4xf64>
%119 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> tile<4xf64>
%120 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xtf32>
%121 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> tile<4xtf32>
%122 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !t4xf8E4M3FN -> tile<4xtf32>
%123 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> tile<4xtf32>
%124 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !t4xf8E4M3FN -> tile<4xtf32>
%125 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> tile<4xf8E5M2>
%126 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !t4xf8E4M3FN -> !t4xf8E8M0FNU
%127 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !t4xf8E4M3FN -> !t4xf8E8M0FNU
%128 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !t4xf4E2M1FN
%129 = cuda_tile.ftof %v_f8E4M3FN : !t4xf8E4M3FN -> !t4xfnv8E5M3FNU
%130 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf16>
%131 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf16>
%132 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf16>
%133 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf16>
%134 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf16>
%135 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xbf16>
%136 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xbf16>
%137 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xbf16>
%138 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xbf16>
%139 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xbf16>
%140 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf32>
%141 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf32>
%142 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf32>
%143 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf32>
%144 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf32>
%145 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf64>
%146 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf64>
%147 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf64>
%148 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf64>
%149 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf64>
%150 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xtf32>
%151 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xtf32>
%152 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xtf32>
%153 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xtf32>
%154 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xtf32>
%155 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> !t4xf8E4M3FN
%156 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> !t4xf8E8M0FNU
%157 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> !t4xf8E8M0FNU
%158 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> !t4xf4E2M1FN
%159 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> !t4xfnv8E5M3FNU
%160 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xf16>
%161 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> tile<4xf16>
%162 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xbf16>
%163 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> tile<4xbf16>
%164 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xf32>
%165 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> tile<4xf32>
%166 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xf64>
%167 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> tile<4xf64>
%168 = cuda_tile.ftof %v_f8E8M0FNU rounding<negative_inf> : !t4xf8E8M0FNU -> tile<4xf64>
%169 = cuda_tile.ftof %v_f8E8M0FNU rounding<positive_inf> : !t4xf8E8M0FNU -> tile<4xf64>
%170 = cuda_tile.ftof %v_f8E8M0FNU rounding<nearest_away> : !t4xf8E8M0FNU -> tile<4xf64>
%171 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xtf32>
%172 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !t4xf8E8M0FNU -> tile<4xtf32>
%173 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xf8E4M3FN
%174 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> tile<4xf8E5M2>
%175 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xf4E2M1FN
%176 = cuda_tile.ftof %v_f8E8M0FNU : !t4xf8E8M0FNU -> !t4xfnv8E5M3FNU
%177 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xf16>
%178 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> tile<4xf16>
%179 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> tile<4xf16>
%180 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> tile<4xf16>
%181 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> tile<4xf16>
%182 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xbf16>
%183 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> tile<4xbf16>
%184 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> tile<4xbf16>
%185 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> tile<4xbf16>
%186 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> tile<4xbf16>
%187 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xf32>
%188 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> tile<4xf32>
%189 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> tile<4xf32>
%190 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> tile<4xf32>
%191 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> tile<4xf32>
%192 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xf64>
%193 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> tile<4xf64>
%194 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> tile<4xf64>
%195 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> tile<4xf64>
%196 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> tile<4xf64>
%197 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xtf32>
%198 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> tile<4xtf32>
%199 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !t4xf4E2M1FN -> tile<4xtf32>
%200 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> tile<4xtf32>
%201 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !t4xf4E2M1FN -> tile<4xtf32>
%202 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !t4xf8E4M3FN
%203 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> tile<4xf8E5M2>
%204 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !t4xf4E2M1FN -> !t4xf8E8M0FNU
%205 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !t4xf4E2M1FN -> !t4xf8E8M0FNU
%206 = cuda_tile.ftof %v_f4E2M1FN : !t4xf4E2M1FN -> !t4xfnv8E5M3FNU
%207 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xf16>
%208 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> tile<4xf16>
%209 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xbf16>
%210 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> tile<4xbf16>
%211 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> tile<4xbf16>
%212 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> tile<4xbf16>
%213 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> tile<4xbf16>
%214 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xf32>
%215 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> tile<4xf32>
%216 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> tile<4xf32>
%217 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> tile<4xf32>
%218 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> tile<4xf32>
%219 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xf64>
%220 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> tile<4xf64>
%221 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> tile<4xf64>
%222 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> tile<4xf64>
%223 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> tile<4xf64>
%224 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xtf32>
%225 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> tile<4xtf32>
%226 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !t4xfnv8E5M3FNU -> tile<4xtf32>
%227 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> tile<4xtf32>
%228 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !t4xfnv8E5M3FNU -> tile<4xtf32>
%229 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !t4xf8E4M3FN
%230 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> tile<4xf8E5M2>
%231 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !t4xfnv8E5M3FNU -> !t4xf8E8M0FNU
%232 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !t4xfnv8E5M3FNU -> !t4xf8E8M0FNU
%233 = cuda_tile.ftof %v_fnv8E5M3FNU : !t4xfnv8E5M3FNU -> !t4xf4E2M1FN
// PRINTS: %234 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf16>
%234 = cuda_tile.ftof %v_f32 rounding<nearest_even> : tile<4xf32> -> tile<4xf16>

// -----

// Between integers and floats; the only modes there are go without saying.

// REQ: A-16, A-63, A-64

%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_i1, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
%0 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi1>
%1 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf16>
%2 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi8>
%3 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf16>
%4 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi16>
%5 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf16>
%6 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi32>
%7 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf16>
%8 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi64>
%9 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf16>
%10 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi1>
%11 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xbf16>
%12 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi8>
%13 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xbf16>
%14 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi16>
%15 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xbf16>
%16 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi32>
%17 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xbf16>
%18 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi64>
%19 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xbf16>
%20 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi1>
%21 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf32>
%22 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi8>
%23 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf32>
%24 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi16>
%25 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf32>
%26 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi32>
%27 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf32>
%28 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi64>
%29 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf32>
%30 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi1>
%31 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf64>
%32 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi8>
%33 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf64>
%34 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi16>
%35 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf64>
%36 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi32>
%37 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf64>
%38 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi64>
%39 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf64>
%40 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi1>
%41 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xtf32>
%42 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi8>
%43 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xtf32>
%44 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi16>
%45 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xtf32>
%46 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi32>
%47 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xtf32>
%48 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi64>
%49 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xtf32>
%50 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi1>
%51 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf8E4M3FN>
%52 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi8>
%53 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf8E4M3FN>
%54 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi16>
%55 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf8E4M3FN>
%56 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi32>
%57 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf8E4M3FN>
%58 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi64>
%59 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf8E4M3FN>
%60 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi1>
%61 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf8E5M2>
%62 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi8>
%63 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf8E5M2>
%64 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi16>
%65 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf8E5M2>
%66 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi32>
%67 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf8E5M2>
%68 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi64>
%69 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf8E5M2>
%70 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi1>
%71 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi8>
%72 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi16>
%73 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi32>
%74 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi64>
%75 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi1>
%76 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf4E2M1FN>
%77 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi8>
%78 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf4E2M1FN>
%79 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi16>
%80 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf4E2M1FN>
%81 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi32>
%82 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf4E2M1FN>
%83 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi64>
%84 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf4E2M1FN>
%85 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi1>
%86 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xfnv8E5M3FNU>
%87 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi8>
%88 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xfnv8E5M3FNU>
%89 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi16>
%90 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xfnv8E5M3FNU>
%91 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi32>
%92 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xfnv8E5M3FNU>
%93 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi64>
%94 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xfnv8E5M3FNU>
%95 = cuda_tile.ftoi %v_f32 signed saturating : tile<4xf32> -> tile<4xi32>
// PRINTS: %96 = cuda_tile.ftoi %v_f32 signed saturating : tile<4xf32> -> tile<4xi32>
%96 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> saturating : tile<4xf32> -> tile<4xi32>
// PRINTS: %97 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi32>
%97 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi32>
// PRINTS: %98 = cuda_tile.itof %v_i32 signed : tile<4xi32> -> tile<4xf32>
%98 = cuda_tile.itof %v_i32 signed rounding<nearest_even> : tile<4xi32> -> tile<4xf32>
%99 = cuda_tile.ftoi %v_f32 unsigned saturating : tile<4xf32> -> tile<4xi32>
// PRINTS: %100 = cuda_tile.ftoi %v_f32 unsigned saturating : tile<4xf32> -> tile<4xi32>
%100 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> saturating : tile<4xf32> -> tile<4xi32>
// PRINTS: %101 = cuda_tile.ftoi %v_f32 unsigned : tile<4xf32> -> tile<4xi32>
%101 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi32>
// PRINTS: %102 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf32>
%102 = cuda_tile.itof %v_i32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf32>

// -----

// Pointers.

// REQ: A-16

%i, %p = "test.op"() : () -> (!cuda_tile.tile<2x4xi64>, !cuda_tile.tile<2x4xptr<f32>>)
%0 = cuda_tile.int_to_ptr %i : tile<2x4xi64> -> tile<2x4xptr<f8E5M2>>
%1 = cuda_tile.ptr_to_int %p : tile<2x4xptr<f32>> -> tile<2x4xi64>
%2 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<i1>>
%3 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<f16>>
%4 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<f32>>
%5 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<tf32>>

// -----

// Bytes: i1 counts as one bit, tf32 as 32, 4-bit types as 4.

%v_i1, %v_i4, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f4E2M1FN, %b_i1, %b_i4, %b_i16, %b_i32, %b_i64, %b_f16, %b_bf16, %b_f32, %b_f64, %b_tf32, %b_f4E2M1FN = "test.op"() : () -> (!cuda_tile.tile<8xi1>, !cuda_tile.tile<2xi4>, !cuda_tile.tile<1xi16>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<1xf16>, !cuda_tile.tile<8xbf16>, !cuda_tile.tile<1xf32>, !cuda_tile.tile<1xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<16xf4E2M1FN>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<8xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<8xi8>)
%0 = cuda_tile.pack %v_i1 : tile<8xi1> -> tile<1xi8>
%1 = cuda_tile.unpack %b_i1 : tile<1xi8> -> tile<8xi1>
%2 = cuda_tile.pack %v_i4 : tile<2xi4> -> tile<1xi8>
%3 = cuda_tile.unpack %b_i4 : tile<1xi8> -> tile<2xi4>
%4 = cuda_tile.pack %v_i16 : tile<1xi16> -> tile<2xi8>
%5 = cuda_tile.unpack %b_i16 : tile<2xi8> -> tile<1xi16>
%6 = cuda_tile.pack %v_i32 : tile<1xi32> -> tile<4xi8>
%7 = cuda_tile.unpack %b_i32 : tile<4xi8> -> tile<1xi32>
%8 = cuda_tile.pack %v_i64 : tile<2xi64> -> tile<16xi8>
%9 = cuda_tile.unpack %b_i64 : tile<16xi8> -> tile<2xi64>
%10 = cuda_tile.pack %v_f16 : tile<1xf16> -> tile<2xi8>
%11 = cuda_tile.unpack %b_f16 : tile<2xi8> -> tile<1xf16>
%12 = cuda_tile.pack %v_bf16 : tile<8xbf16> -> tile<16xi8>
%13 = cuda_tile.unpack %b_bf16 : tile<16xi8> -> tile<8xbf16>
%14 = cuda_tile.pack %v_f32 : tile<1xf32> -> tile<4xi8>
%15 = cuda_tile.unpack %b_f32 : tile<4xi8> -> tile<1xf32>
%16 = cuda_tile.pack %v_f64 : tile<1xf64> -> tile<8xi8>
%17 = cuda_tile.unpack %b_f64 : tile<8xi8> -> tile<1xf64>
%18 = cuda_tile.pack %v_tf32 : tile<4xtf32> -> tile<16xi8>
%19 = cuda_tile.unpack %b_tf32 : tile<16xi8> -> tile<4xtf32>
%20 = cuda_tile.pack %v_f4E2M1FN : tile<16xf4E2M1FN> -> tile<8xi8>
%21 = cuda_tile.unpack %b_f4E2M1FN : tile<8xi8> -> tile<16xf4E2M1FN>

// -----

// `to` between the types is read, and printed as an arrow.

// REQ: A-16, B-34

%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// PRINTS: %0 = cuda_tile.bitcast %f : tile<f32> -> tile<i32>
%0 = cuda_tile.bitcast %f : tile<f32> to tile<i32>
// PRINTS: %1 = cuda_tile.exti %i unsigned : tile<i32> -> tile<i64>
%1 = cuda_tile.exti %i unsigned : tile<i32> to tile<i64>
// PRINTS: %2 = cuda_tile.trunci %j overflow<no_wrap> : tile<i64> -> tile<i8>
%2 = cuda_tile.trunci %j overflow<no_wrap> : tile<i64> to tile<i8>
// PRINTS: %3 = cuda_tile.ftof %f rounding<zero> : tile<f32> -> tile<f16>
%3 = cuda_tile.ftof %f rounding<zero> : tile<f32> to tile<f16>
// PRINTS: %4 = cuda_tile.ftoi %f unsigned saturating : tile<f32> -> tile<i8>
%4 = cuda_tile.ftoi %f unsigned saturating : tile<f32> to tile<i8>
// PRINTS: %5 = cuda_tile.itof %i signed : tile<i32> -> tile<f64>
%5 = cuda_tile.itof %i signed : tile<i32> to tile<f64>
// PRINTS: %6 = cuda_tile.int_to_ptr %j : tile<i64> -> tile<ptr<f32>>
%6 = cuda_tile.int_to_ptr %j : tile<i64> to tile<ptr<f32>>
// PRINTS: %7 = cuda_tile.ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
%7 = cuda_tile.ptr_to_int %p : tile<ptr<f32>> to tile<i64>
// PRINTS: %8 = cuda_tile.ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
%8 = cuda_tile.ptr_to_ptr %p : tile<ptr<f32>> to tile<ptr<i8>>
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

%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// PRINTS: %0 = cuda_tile.bitcast %f {my.tag} : tile<f32> -> tile<i32>
%0 = "cuda_tile.bitcast"(%f) {my.tag} : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>
// PRINTS: %1 = cuda_tile.exti %i signed : tile<i32> -> tile<i64>
%1 = "cuda_tile.exti"(%i) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>
// PRINTS: %2 = cuda_tile.trunci %j overflow<no_wrap> : tile<i64> -> tile<i8>
%2 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// PRINTS: %3 = cuda_tile.trunci %j : tile<i64> -> tile<i8>
%3 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// PRINTS: %4 = cuda_tile.trunci %j : tile<i64> -> tile<i8>
%4 = "cuda_tile.trunci"(%j) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// PRINTS: %5 = cuda_tile.ftof %f rounding<zero> : tile<f32> -> tile<f16>
%5 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// PRINTS: %6 = cuda_tile.ftof %f : tile<f32> -> tile<f16>
%6 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// PRINTS: %7 = cuda_tile.ftof %f : tile<f32> -> tile<f16>
%7 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// PRINTS: %8 = cuda_tile.ftoi %f signed : tile<f32> -> tile<i8>
%8 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i8>
// PRINTS: %9 = cuda_tile.ftoi %f signed saturating : tile<f32> -> tile<i8>
%9 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, saturating, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i8>
// PRINTS: %10 = cuda_tile.itof %i signed : tile<i32> -> tile<f64>
%10 = "cuda_tile.itof"(%i) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f64>
// PRINTS: %11 = cuda_tile.int_to_ptr %j : tile<i64> -> tile<ptr<f32>>
%11 = "cuda_tile.int_to_ptr"(%j) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<ptr<f32>>
// PRINTS: %12 = cuda_tile.ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
%12 = "cuda_tile.ptr_to_int"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<i64>
// PRINTS: %13 = cuda_tile.ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
%13 = "cuda_tile.ptr_to_ptr"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<ptr<i8>>
// PRINTS: %14 = cuda_tile.pack %x : tile<4xf32> -> tile<16xi8>
%14 = "cuda_tile.pack"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<16xi8>
// PRINTS: %15 = cuda_tile.unpack %b : tile<16xi8> -> tile<4xf32>
%15 = "cuda_tile.unpack"(%b) : (!cuda_tile.tile<16xi8>) -> !cuda_tile.tile<4xf32>
