// RUN: tileiras-opt %s --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --split-input-file | filecheck %s --match-full-lines

// Public text, without prefixes.

// REQ: A-16, B-02, B-03

// CHECK:      cuda_tile.module @m {
cuda_tile.module @m {
// CHECK-NEXT:   cuda_tile.testing$func @public(%arg0: !cuda_tile.tile<f32>, %arg2: !cuda_tile.tile<i32>, %arg5: !cuda_tile.tile<ptr<f32>>, %i64: !cuda_tile.tile<i64>, %bcast: !cuda_tile.tile<4xf32>, %bytes: !cuda_tile.tile<16xi8>) {
// CHECK-NEXT:   ^body:
  testing$func @public(%arg0: tile<f32>, %arg2: tile<i32>, %arg5: tile<ptr<f32>>, %i64: tile<i64>, %bcast: tile<4xf32>, %bytes: tile<16xi8>) {
// CHECK-NEXT:     %0 = cuda_tile.bitcast %arg0 : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
    %0 = bitcast %arg0 : tile<f32> -> tile<i32>
// CHECK-NEXT:     %1 = cuda_tile.exti %arg2 signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i64>
    %1 = exti %arg2 signed : tile<i32> -> tile<i64>
// CHECK-NEXT:     %2 = cuda_tile.trunci %arg2 overflow<no_signed_wrap> : !cuda_tile.tile<i32> -> !cuda_tile.tile<i8>
    %2 = trunci %arg2 overflow<no_signed_wrap> : tile<i32> -> tile<i8>
// CHECK-NEXT:     %3 = cuda_tile.ftof %arg0 rounding<zero> : !cuda_tile.tile<f32> -> !cuda_tile.tile<f8E8M0FNU>
    %3 = ftof %arg0 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
// CHECK-NEXT:     %4 = cuda_tile.ftoi %arg0 signed saturating : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
    %4 = ftoi %arg0 signed  saturating : tile<f32> -> tile<i32>
// CHECK-NEXT:     %5 = cuda_tile.itof %arg2 unsigned : !cuda_tile.tile<i32> -> !cuda_tile.tile<f32>
    %5 = itof %arg2 unsigned  : tile<i32> -> tile<f32>
// CHECK-NEXT:     %6 = cuda_tile.int_to_ptr %i64 : !cuda_tile.tile<i64> -> !cuda_tile.tile<ptr<f32>>
    %6 = int_to_ptr %i64 : tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT:     %7 = cuda_tile.ptr_to_int %arg5 : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<i64>
    %7 = ptr_to_int %arg5 : tile<ptr<f32>> -> tile<i64>
// CHECK-NEXT:     %8 = cuda_tile.ptr_to_ptr %arg5 : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<ptr<i32>>
    %8 = ptr_to_ptr %arg5 : tile<ptr<f32>> -> tile<ptr<i32>>
// CHECK-NEXT:     %9 = cuda_tile.pack %bcast : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<16xi8>
    %9 = pack %bcast : tile<4xf32> -> tile<16xi8>
// CHECK-NEXT:     %10 = cuda_tile.unpack %bytes : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<4xf32>
    %10 = unpack %bytes : tile<16xi8> -> tile<4xf32>
// CHECK-NEXT:     cuda_tile.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
    return
  }
}
// CHECK-NEXT: }

// -----

// Integers: every pair of widths, every flag.

// REQ: A-16, A-63, B-32

// CHECK:      %v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi4>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi4>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
// CHECK-NEXT: %0 = cuda_tile.exti %v_i1 signed : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi4>
%0 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi4>
// CHECK-NEXT: %1 = cuda_tile.exti %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi4>
%1 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi4>
// CHECK-NEXT: %2 = cuda_tile.exti %v_i1 signed : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi8>
%2 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi8>
// CHECK-NEXT: %3 = cuda_tile.exti %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi8>
%3 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi8>
// CHECK-NEXT: %4 = cuda_tile.exti %v_i1 signed : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi16>
%4 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi16>
// CHECK-NEXT: %5 = cuda_tile.exti %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi16>
%5 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi16>
// CHECK-NEXT: %6 = cuda_tile.exti %v_i1 signed : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi32>
%6 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi32>
// CHECK-NEXT: %7 = cuda_tile.exti %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi32>
%7 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi32>
// CHECK-NEXT: %8 = cuda_tile.exti %v_i1 signed : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi64>
%8 = cuda_tile.exti %v_i1 signed : tile<4xi1> -> tile<4xi64>
// CHECK-NEXT: %9 = cuda_tile.exti %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi64>
%9 = cuda_tile.exti %v_i1 unsigned : tile<4xi1> -> tile<4xi64>
// CHECK-NEXT: %10 = cuda_tile.trunci %v_i4 : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi1>
%10 = cuda_tile.trunci %v_i4 : tile<4xi4> -> tile<4xi1>
// CHECK-NEXT: %11 = cuda_tile.exti %v_i4 signed : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi8>
%11 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi8>
// CHECK-NEXT: %12 = cuda_tile.exti %v_i4 unsigned : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi8>
%12 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi8>
// CHECK-NEXT: %13 = cuda_tile.exti %v_i4 signed : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi16>
%13 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi16>
// CHECK-NEXT: %14 = cuda_tile.exti %v_i4 unsigned : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi16>
%14 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi16>
// CHECK-NEXT: %15 = cuda_tile.exti %v_i4 signed : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi32>
%15 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi32>
// CHECK-NEXT: %16 = cuda_tile.exti %v_i4 unsigned : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi32>
%16 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi32>
// CHECK-NEXT: %17 = cuda_tile.exti %v_i4 signed : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi64>
%17 = cuda_tile.exti %v_i4 signed : tile<4xi4> -> tile<4xi64>
// CHECK-NEXT: %18 = cuda_tile.exti %v_i4 unsigned : !cuda_tile.tile<4xi4> -> !cuda_tile.tile<4xi64>
%18 = cuda_tile.exti %v_i4 unsigned : tile<4xi4> -> tile<4xi64>
// CHECK-NEXT: %19 = cuda_tile.trunci %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi1>
%19 = cuda_tile.trunci %v_i8 : tile<4xi8> -> tile<4xi1>
// CHECK-NEXT: %20 = cuda_tile.trunci %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi4>
%20 = cuda_tile.trunci %v_i8 : tile<4xi8> -> tile<4xi4>
// CHECK-NEXT: %21 = cuda_tile.exti %v_i8 signed : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi16>
%21 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi16>
// CHECK-NEXT: %22 = cuda_tile.exti %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi16>
%22 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi16>
// CHECK-NEXT: %23 = cuda_tile.exti %v_i8 signed : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi32>
%23 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi32>
// CHECK-NEXT: %24 = cuda_tile.exti %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi32>
%24 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi32>
// CHECK-NEXT: %25 = cuda_tile.exti %v_i8 signed : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi64>
%25 = cuda_tile.exti %v_i8 signed : tile<4xi8> -> tile<4xi64>
// CHECK-NEXT: %26 = cuda_tile.exti %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi64>
%26 = cuda_tile.exti %v_i8 unsigned : tile<4xi8> -> tile<4xi64>
// CHECK-NEXT: %27 = cuda_tile.trunci %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi1>
%27 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi1>
// CHECK-NEXT: %28 = cuda_tile.trunci %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi4>
%28 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi4>
// CHECK-NEXT: %29 = cuda_tile.trunci %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi8>
%29 = cuda_tile.trunci %v_i16 : tile<4xi16> -> tile<4xi8>
// CHECK-NEXT: %30 = cuda_tile.exti %v_i16 signed : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi32>
%30 = cuda_tile.exti %v_i16 signed : tile<4xi16> -> tile<4xi32>
// CHECK-NEXT: %31 = cuda_tile.exti %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi32>
%31 = cuda_tile.exti %v_i16 unsigned : tile<4xi16> -> tile<4xi32>
// CHECK-NEXT: %32 = cuda_tile.exti %v_i16 signed : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi64>
%32 = cuda_tile.exti %v_i16 signed : tile<4xi16> -> tile<4xi64>
// CHECK-NEXT: %33 = cuda_tile.exti %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi64>
%33 = cuda_tile.exti %v_i16 unsigned : tile<4xi16> -> tile<4xi64>
// CHECK-NEXT: %34 = cuda_tile.trunci %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi1>
%34 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi1>
// CHECK-NEXT: %35 = cuda_tile.trunci %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi4>
%35 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi4>
// CHECK-NEXT: %36 = cuda_tile.trunci %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi8>
%36 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi8>
// CHECK-NEXT: %37 = cuda_tile.trunci %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi16>
%37 = cuda_tile.trunci %v_i32 : tile<4xi32> -> tile<4xi16>
// CHECK-NEXT: %38 = cuda_tile.exti %v_i32 signed : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi64>
%38 = cuda_tile.exti %v_i32 signed : tile<4xi32> -> tile<4xi64>
// CHECK-NEXT: %39 = cuda_tile.exti %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi64>
%39 = cuda_tile.exti %v_i32 unsigned : tile<4xi32> -> tile<4xi64>
// CHECK-NEXT: %40 = cuda_tile.trunci %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi1>
%40 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi1>
// CHECK-NEXT: %41 = cuda_tile.trunci %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi4>
%41 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi4>
// CHECK-NEXT: %42 = cuda_tile.trunci %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi8>
%42 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi8>
// CHECK-NEXT: %43 = cuda_tile.trunci %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi16>
%43 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi16>
// CHECK-NEXT: %44 = cuda_tile.trunci %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi32>
%44 = cuda_tile.trunci %v_i64 : tile<4xi64> -> tile<4xi32>
// CHECK-NEXT: %45 = cuda_tile.trunci %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi16>
%45 = cuda_tile.trunci %v_i32 overflow<none> : tile<4xi32> -> tile<4xi16>
// CHECK-NEXT: %46 = cuda_tile.trunci %v_i32 overflow<no_signed_wrap> : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi16>
%46 = cuda_tile.trunci %v_i32 overflow<no_signed_wrap> : tile<4xi32> -> tile<4xi16>
// CHECK-NEXT: %47 = cuda_tile.trunci %v_i32 overflow<no_unsigned_wrap> : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi16>
%47 = cuda_tile.trunci %v_i32 overflow<no_unsigned_wrap> : tile<4xi32> -> tile<4xi16>
// CHECK-NEXT: %48 = cuda_tile.trunci %v_i32 overflow<no_wrap> : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi16>
%48 = cuda_tile.trunci %v_i32 overflow<no_wrap> : tile<4xi32> -> tile<4xi16>
// CHECK-NEXT: }

// -----

// Bit patterns of equal width; tf32 has 19 bits.

// REQ: A-16

// CHECK:      %v_i1, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>, !cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>)
%v_i1, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>, !cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>)
// CHECK-NEXT: %0 = cuda_tile.bitcast %v_i1 : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xi1>
%0 = cuda_tile.bitcast %v_i1 : tile<4xi1> -> tile<4xi1>
// CHECK-NEXT: %1 = cuda_tile.bitcast %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xi8>
%1 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xi8>
// CHECK-NEXT: %2 = cuda_tile.bitcast %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf8E4M3FN>
%2 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %3 = cuda_tile.bitcast %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf8E5M2>
%3 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E5M2>
// CHECK-NEXT: %4 = cuda_tile.bitcast %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf8E8M0FNU>
%4 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %5 = cuda_tile.bitcast %v_i8 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%5 = cuda_tile.bitcast %v_i8 : tile<4xi8> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %6 = cuda_tile.bitcast %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xi16>
%6 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xi16>
// CHECK-NEXT: %7 = cuda_tile.bitcast %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf16>
%7 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xf16>
// CHECK-NEXT: %8 = cuda_tile.bitcast %v_i16 : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xbf16>
%8 = cuda_tile.bitcast %v_i16 : tile<4xi16> -> tile<4xbf16>
// CHECK-NEXT: %9 = cuda_tile.bitcast %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi32>
%9 = cuda_tile.bitcast %v_i32 : tile<4xi32> -> tile<4xi32>
// CHECK-NEXT: %10 = cuda_tile.bitcast %v_i32 : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
%10 = cuda_tile.bitcast %v_i32 : tile<4xi32> -> tile<4xf32>
// CHECK-NEXT: %11 = cuda_tile.bitcast %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xi64>
%11 = cuda_tile.bitcast %v_i64 : tile<4xi64> -> tile<4xi64>
// CHECK-NEXT: %12 = cuda_tile.bitcast %v_i64 : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf64>
%12 = cuda_tile.bitcast %v_i64 : tile<4xi64> -> tile<4xf64>
// CHECK-NEXT: %13 = cuda_tile.bitcast %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi16>
%13 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xi16>
// CHECK-NEXT: %14 = cuda_tile.bitcast %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf16>
%14 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xf16>
// CHECK-NEXT: %15 = cuda_tile.bitcast %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xbf16>
%15 = cuda_tile.bitcast %v_f16 : tile<4xf16> -> tile<4xbf16>
// CHECK-NEXT: %16 = cuda_tile.bitcast %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi16>
%16 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xi16>
// CHECK-NEXT: %17 = cuda_tile.bitcast %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf16>
%17 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xf16>
// CHECK-NEXT: %18 = cuda_tile.bitcast %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xbf16>
%18 = cuda_tile.bitcast %v_bf16 : tile<4xbf16> -> tile<4xbf16>
// CHECK-NEXT: %19 = cuda_tile.bitcast %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%19 = cuda_tile.bitcast %v_f32 : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %20 = cuda_tile.bitcast %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf32>
%20 = cuda_tile.bitcast %v_f32 : tile<4xf32> -> tile<4xf32>
// CHECK-NEXT: %21 = cuda_tile.bitcast %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi64>
%21 = cuda_tile.bitcast %v_f64 : tile<4xf64> -> tile<4xi64>
// CHECK-NEXT: %22 = cuda_tile.bitcast %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf64>
%22 = cuda_tile.bitcast %v_f64 : tile<4xf64> -> tile<4xf64>
// CHECK-NEXT: %23 = cuda_tile.bitcast %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xtf32>
%23 = cuda_tile.bitcast %v_tf32 : tile<4xtf32> -> tile<4xtf32>
// CHECK-NEXT: %24 = cuda_tile.bitcast %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi8>
%24 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xi8>
// CHECK-NEXT: %25 = cuda_tile.bitcast %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E4M3FN>
%25 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %26 = cuda_tile.bitcast %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E5M2>
%26 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E5M2>
// CHECK-NEXT: %27 = cuda_tile.bitcast %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E8M0FNU>
%27 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %28 = cuda_tile.bitcast %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%28 = cuda_tile.bitcast %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %29 = cuda_tile.bitcast %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi8>
%29 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xi8>
// CHECK-NEXT: %30 = cuda_tile.bitcast %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E4M3FN>
%30 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %31 = cuda_tile.bitcast %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E5M2>
%31 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E5M2>
// CHECK-NEXT: %32 = cuda_tile.bitcast %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E8M0FNU>
%32 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %33 = cuda_tile.bitcast %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%33 = cuda_tile.bitcast %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %34 = cuda_tile.bitcast %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi8>
%34 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xi8>
// CHECK-NEXT: %35 = cuda_tile.bitcast %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf8E4M3FN>
%35 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %36 = cuda_tile.bitcast %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf8E5M2>
%36 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E5M2>
// CHECK-NEXT: %37 = cuda_tile.bitcast %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf8E8M0FNU>
%37 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %38 = cuda_tile.bitcast %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%38 = cuda_tile.bitcast %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %39 = cuda_tile.bitcast %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf4E2M1FN>
%39 = cuda_tile.bitcast %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %40 = cuda_tile.bitcast %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi8>
%40 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xi8>
// CHECK-NEXT: %41 = cuda_tile.bitcast %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E4M3FN>
%41 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %42 = cuda_tile.bitcast %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E5M2>
%42 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E5M2>
// CHECK-NEXT: %43 = cuda_tile.bitcast %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E8M0FNU>
%43 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %44 = cuda_tile.bitcast %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%44 = cuda_tile.bitcast %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: }

// -----

// Floats: every pair of types in every mode it has; `nearest_even` is not printed.

// REQ: A-16, A-64, B-33

// CHECK:      %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>)
%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>)
// CHECK-NEXT: %0 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xbf16>
// CHECK-NEXT: %1 = cuda_tile.ftof %v_f16 rounding<zero> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xbf16>
%1 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xbf16>
// CHECK-NEXT: %2 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf32>
%2 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf32>
// CHECK-NEXT: %3 = cuda_tile.ftof %v_f16 rounding<zero> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf32>
%3 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xf32>
// CHECK-NEXT: %4 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf32>
%4 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xf32>
// CHECK-NEXT: %5 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf32>
%5 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xf32>
// CHECK-NEXT: %6 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf32>
%6 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xf32>
// CHECK-NEXT: %7 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf64>
%7 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf64>
// CHECK-NEXT: %8 = cuda_tile.ftof %v_f16 rounding<zero> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf64>
%8 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xf64>
// CHECK-NEXT: %9 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf64>
%9 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xf64>
// CHECK-NEXT: %10 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf64>
%10 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xf64>
// CHECK-NEXT: %11 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf64>
%11 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xf64>
// CHECK-NEXT: %12 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xtf32>
%12 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xtf32>
// CHECK-NEXT: %13 = cuda_tile.ftof %v_f16 rounding<zero> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xtf32>
%13 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xtf32>
// CHECK-NEXT: %14 = cuda_tile.ftof %v_f16 rounding<negative_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xtf32>
%14 = cuda_tile.ftof %v_f16 rounding<negative_inf> : tile<4xf16> -> tile<4xtf32>
// CHECK-NEXT: %15 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xtf32>
%15 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xtf32>
// CHECK-NEXT: %16 = cuda_tile.ftof %v_f16 rounding<nearest_away> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xtf32>
%16 = cuda_tile.ftof %v_f16 rounding<nearest_away> : tile<4xf16> -> tile<4xtf32>
// CHECK-NEXT: %17 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf8E4M3FN>
%17 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %18 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf8E5M2>
%18 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf8E5M2>
// CHECK-NEXT: %19 = cuda_tile.ftof %v_f16 rounding<zero> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf8E8M0FNU>
%19 = cuda_tile.ftof %v_f16 rounding<zero> : tile<4xf16> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %20 = cuda_tile.ftof %v_f16 rounding<positive_inf> : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf8E8M0FNU>
%20 = cuda_tile.ftof %v_f16 rounding<positive_inf> : tile<4xf16> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %21 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xf4E2M1FN>
%21 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %22 = cuda_tile.ftof %v_f16 : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%22 = cuda_tile.ftof %v_f16 : tile<4xf16> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %23 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf16>
%23 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf16>
// CHECK-NEXT: %24 = cuda_tile.ftof %v_bf16 rounding<zero> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf16>
%24 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf16>
// CHECK-NEXT: %25 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf32>
%25 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf32>
// CHECK-NEXT: %26 = cuda_tile.ftof %v_bf16 rounding<zero> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf32>
%26 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf32>
// CHECK-NEXT: %27 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf32>
%27 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xf32>
// CHECK-NEXT: %28 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf32>
%28 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xf32>
// CHECK-NEXT: %29 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf32>
%29 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xf32>
// CHECK-NEXT: %30 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf64>
%30 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf64>
// CHECK-NEXT: %31 = cuda_tile.ftof %v_bf16 rounding<zero> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf64>
%31 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf64>
// CHECK-NEXT: %32 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf64>
%32 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xf64>
// CHECK-NEXT: %33 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf64>
%33 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xf64>
// CHECK-NEXT: %34 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf64>
%34 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xf64>
// CHECK-NEXT: %35 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xtf32>
%35 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xtf32>
// CHECK-NEXT: %36 = cuda_tile.ftof %v_bf16 rounding<zero> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xtf32>
%36 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xtf32>
// CHECK-NEXT: %37 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xtf32>
%37 = cuda_tile.ftof %v_bf16 rounding<negative_inf> : tile<4xbf16> -> tile<4xtf32>
// CHECK-NEXT: %38 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xtf32>
%38 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xtf32>
// CHECK-NEXT: %39 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xtf32>
%39 = cuda_tile.ftof %v_bf16 rounding<nearest_away> : tile<4xbf16> -> tile<4xtf32>
// CHECK-NEXT: %40 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf8E4M3FN>
%40 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %41 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf8E5M2>
%41 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf8E5M2>
// CHECK-NEXT: %42 = cuda_tile.ftof %v_bf16 rounding<zero> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf8E8M0FNU>
%42 = cuda_tile.ftof %v_bf16 rounding<zero> : tile<4xbf16> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %43 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf8E8M0FNU>
%43 = cuda_tile.ftof %v_bf16 rounding<positive_inf> : tile<4xbf16> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %44 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xf4E2M1FN>
%44 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %45 = cuda_tile.ftof %v_bf16 : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%45 = cuda_tile.ftof %v_bf16 : tile<4xbf16> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %46 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf16>
%46 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf16>
// CHECK-NEXT: %47 = cuda_tile.ftof %v_f32 rounding<zero> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf16>
%47 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xf16>
// CHECK-NEXT: %48 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xbf16>
%48 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xbf16>
// CHECK-NEXT: %49 = cuda_tile.ftof %v_f32 rounding<zero> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xbf16>
%49 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xbf16>
// CHECK-NEXT: %50 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf64>
%50 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf64>
// CHECK-NEXT: %51 = cuda_tile.ftof %v_f32 rounding<zero> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf64>
%51 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xf64>
// CHECK-NEXT: %52 = cuda_tile.ftof %v_f32 rounding<negative_inf> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf64>
%52 = cuda_tile.ftof %v_f32 rounding<negative_inf> : tile<4xf32> -> tile<4xf64>
// CHECK-NEXT: %53 = cuda_tile.ftof %v_f32 rounding<positive_inf> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf64>
%53 = cuda_tile.ftof %v_f32 rounding<positive_inf> : tile<4xf32> -> tile<4xf64>
// CHECK-NEXT: %54 = cuda_tile.ftof %v_f32 rounding<nearest_away> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf64>
%54 = cuda_tile.ftof %v_f32 rounding<nearest_away> : tile<4xf32> -> tile<4xf64>
// CHECK-NEXT: %55 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xtf32>
%55 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xtf32>
// CHECK-NEXT: %56 = cuda_tile.ftof %v_f32 rounding<zero> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xtf32>
%56 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xtf32>
// CHECK-NEXT: %57 = cuda_tile.ftof %v_f32 rounding<nearest_away> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xtf32>
%57 = cuda_tile.ftof %v_f32 rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>
// CHECK-NEXT: %58 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf8E4M3FN>
%58 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %59 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf8E5M2>
%59 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf8E5M2>
// CHECK-NEXT: %60 = cuda_tile.ftof %v_f32 rounding<zero> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf8E8M0FNU>
%60 = cuda_tile.ftof %v_f32 rounding<zero> : tile<4xf32> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %61 = cuda_tile.ftof %v_f32 rounding<positive_inf> : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf8E8M0FNU>
%61 = cuda_tile.ftof %v_f32 rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %62 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf4E2M1FN>
%62 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %63 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%63 = cuda_tile.ftof %v_f32 : tile<4xf32> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %64 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf16>
%64 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf16>
// CHECK-NEXT: %65 = cuda_tile.ftof %v_f64 rounding<zero> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf16>
%65 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xf16>
// CHECK-NEXT: %66 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xbf16>
%66 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xbf16>
// CHECK-NEXT: %67 = cuda_tile.ftof %v_f64 rounding<zero> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xbf16>
%67 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xbf16>
// CHECK-NEXT: %68 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf32>
%68 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf32>
// CHECK-NEXT: %69 = cuda_tile.ftof %v_f64 rounding<zero> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf32>
%69 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xf32>
// CHECK-NEXT: %70 = cuda_tile.ftof %v_f64 rounding<negative_inf> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf32>
%70 = cuda_tile.ftof %v_f64 rounding<negative_inf> : tile<4xf64> -> tile<4xf32>
// CHECK-NEXT: %71 = cuda_tile.ftof %v_f64 rounding<positive_inf> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf32>
%71 = cuda_tile.ftof %v_f64 rounding<positive_inf> : tile<4xf64> -> tile<4xf32>
// CHECK-NEXT: %72 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xtf32>
%72 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xtf32>
// CHECK-NEXT: %73 = cuda_tile.ftof %v_f64 rounding<zero> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xtf32>
%73 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xtf32>
// CHECK-NEXT: %74 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf8E4M3FN>
%74 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %75 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf8E5M2>
%75 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf8E5M2>
// CHECK-NEXT: %76 = cuda_tile.ftof %v_f64 rounding<zero> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf8E8M0FNU>
%76 = cuda_tile.ftof %v_f64 rounding<zero> : tile<4xf64> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %77 = cuda_tile.ftof %v_f64 rounding<positive_inf> : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf8E8M0FNU>
%77 = cuda_tile.ftof %v_f64 rounding<positive_inf> : tile<4xf64> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %78 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xf4E2M1FN>
%78 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %79 = cuda_tile.ftof %v_f64 : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%79 = cuda_tile.ftof %v_f64 : tile<4xf64> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %80 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf16>
%80 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf16>
// CHECK-NEXT: %81 = cuda_tile.ftof %v_tf32 rounding<zero> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf16>
%81 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf16>
// CHECK-NEXT: %82 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xbf16>
%82 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xbf16>
// CHECK-NEXT: %83 = cuda_tile.ftof %v_tf32 rounding<zero> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xbf16>
%83 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xbf16>
// CHECK-NEXT: %84 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf32>
%84 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf32>
// CHECK-NEXT: %85 = cuda_tile.ftof %v_tf32 rounding<zero> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf32>
%85 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf32>
// CHECK-NEXT: %86 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf32>
%86 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : tile<4xtf32> -> tile<4xf32>
// CHECK-NEXT: %87 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf32>
%87 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> tile<4xf32>
// CHECK-NEXT: %88 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf32>
%88 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : tile<4xtf32> -> tile<4xf32>
// CHECK-NEXT: %89 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf64>
%89 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf64>
// CHECK-NEXT: %90 = cuda_tile.ftof %v_tf32 rounding<zero> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf64>
%90 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf64>
// CHECK-NEXT: %91 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf64>
%91 = cuda_tile.ftof %v_tf32 rounding<negative_inf> : tile<4xtf32> -> tile<4xf64>
// CHECK-NEXT: %92 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf64>
%92 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> tile<4xf64>
// CHECK-NEXT: %93 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf64>
%93 = cuda_tile.ftof %v_tf32 rounding<nearest_away> : tile<4xtf32> -> tile<4xf64>
// CHECK-NEXT: %94 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf8E4M3FN>
%94 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %95 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf8E5M2>
%95 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf8E5M2>
// CHECK-NEXT: %96 = cuda_tile.ftof %v_tf32 rounding<zero> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf8E8M0FNU>
%96 = cuda_tile.ftof %v_tf32 rounding<zero> : tile<4xtf32> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %97 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf8E8M0FNU>
%97 = cuda_tile.ftof %v_tf32 rounding<positive_inf> : tile<4xtf32> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %98 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xf4E2M1FN>
%98 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %99 = cuda_tile.ftof %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%99 = cuda_tile.ftof %v_tf32 : tile<4xtf32> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %100 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf16>
%100 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf16>
// CHECK-NEXT: %101 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf16>
%101 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xf16>
// CHECK-NEXT: %102 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf16>
%102 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : tile<4xf8E4M3FN> -> tile<4xf16>
// CHECK-NEXT: %103 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf16>
%103 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xf16>
// CHECK-NEXT: %104 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf16>
%104 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : tile<4xf8E4M3FN> -> tile<4xf16>
// CHECK-NEXT: %105 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xbf16>
%105 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xbf16>
// CHECK-NEXT: %106 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xbf16>
%106 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xbf16>
// CHECK-NEXT: %107 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xbf16>
%107 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : tile<4xf8E4M3FN> -> tile<4xbf16>
// CHECK-NEXT: %108 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xbf16>
%108 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xbf16>
// CHECK-NEXT: %109 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xbf16>
%109 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : tile<4xf8E4M3FN> -> tile<4xbf16>
// CHECK-NEXT: %110 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf32>
%110 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf32>
// CHECK-NEXT: %111 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf32>
%111 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xf32>
// CHECK-NEXT: %112 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf32>
%112 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : tile<4xf8E4M3FN> -> tile<4xf32>
// CHECK-NEXT: %113 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf32>
%113 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xf32>
// CHECK-NEXT: %114 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf32>
%114 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : tile<4xf8E4M3FN> -> tile<4xf32>
// CHECK-NEXT: %115 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf64>
%115 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf64>
// CHECK-NEXT: %116 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf64>
%116 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xf64>
// CHECK-NEXT: %117 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf64>
%117 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : tile<4xf8E4M3FN> -> tile<4xf64>
// CHECK-NEXT: %118 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf64>
%118 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xf64>
// CHECK-NEXT: %119 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf64>
%119 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : tile<4xf8E4M3FN> -> tile<4xf64>
// CHECK-NEXT: %120 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xtf32>
%120 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xtf32>
// CHECK-NEXT: %121 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xtf32>
%121 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xtf32>
// CHECK-NEXT: %122 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xtf32>
%122 = cuda_tile.ftof %v_f8E4M3FN rounding<negative_inf> : tile<4xf8E4M3FN> -> tile<4xtf32>
// CHECK-NEXT: %123 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xtf32>
%123 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xtf32>
// CHECK-NEXT: %124 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xtf32>
%124 = cuda_tile.ftof %v_f8E4M3FN rounding<nearest_away> : tile<4xf8E4M3FN> -> tile<4xtf32>
// CHECK-NEXT: %125 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E5M2>
%125 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf8E5M2>
// CHECK-NEXT: %126 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E8M0FNU>
%126 = cuda_tile.ftof %v_f8E4M3FN rounding<zero> : tile<4xf8E4M3FN> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %127 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf8E8M0FNU>
%127 = cuda_tile.ftof %v_f8E4M3FN rounding<positive_inf> : tile<4xf8E4M3FN> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %128 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xf4E2M1FN>
%128 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %129 = cuda_tile.ftof %v_f8E4M3FN : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%129 = cuda_tile.ftof %v_f8E4M3FN : tile<4xf8E4M3FN> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %130 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf16>
%130 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf16>
// CHECK-NEXT: %131 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf16>
%131 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf16>
// CHECK-NEXT: %132 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf16>
%132 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf16>
// CHECK-NEXT: %133 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf16>
%133 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf16>
// CHECK-NEXT: %134 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf16>
%134 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf16>
// CHECK-NEXT: %135 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xbf16>
%135 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xbf16>
// CHECK-NEXT: %136 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xbf16>
%136 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xbf16>
// CHECK-NEXT: %137 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xbf16>
%137 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xbf16>
// CHECK-NEXT: %138 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xbf16>
%138 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xbf16>
// CHECK-NEXT: %139 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xbf16>
%139 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xbf16>
// CHECK-NEXT: %140 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf32>
%140 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf32>
// CHECK-NEXT: %141 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf32>
%141 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf32>
// CHECK-NEXT: %142 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf32>
%142 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf32>
// CHECK-NEXT: %143 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf32>
%143 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf32>
// CHECK-NEXT: %144 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf32>
%144 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf32>
// CHECK-NEXT: %145 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf64>
%145 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf64>
// CHECK-NEXT: %146 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf64>
%146 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf64>
// CHECK-NEXT: %147 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf64>
%147 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xf64>
// CHECK-NEXT: %148 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf64>
%148 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf64>
// CHECK-NEXT: %149 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf64>
%149 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xf64>
// CHECK-NEXT: %150 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xtf32>
%150 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xtf32>
// CHECK-NEXT: %151 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xtf32>
%151 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xtf32>
// CHECK-NEXT: %152 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xtf32>
%152 = cuda_tile.ftof %v_f8E5M2 rounding<negative_inf> : tile<4xf8E5M2> -> tile<4xtf32>
// CHECK-NEXT: %153 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xtf32>
%153 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xtf32>
// CHECK-NEXT: %154 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xtf32>
%154 = cuda_tile.ftof %v_f8E5M2 rounding<nearest_away> : tile<4xf8E5M2> -> tile<4xtf32>
// CHECK-NEXT: %155 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E4M3FN>
%155 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %156 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E8M0FNU>
%156 = cuda_tile.ftof %v_f8E5M2 rounding<zero> : tile<4xf8E5M2> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %157 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf8E8M0FNU>
%157 = cuda_tile.ftof %v_f8E5M2 rounding<positive_inf> : tile<4xf8E5M2> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %158 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xf4E2M1FN>
%158 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %159 = cuda_tile.ftof %v_f8E5M2 : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%159 = cuda_tile.ftof %v_f8E5M2 : tile<4xf8E5M2> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %160 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf16>
%160 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf16>
// CHECK-NEXT: %161 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf16>
%161 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : tile<4xf8E8M0FNU> -> tile<4xf16>
// CHECK-NEXT: %162 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xbf16>
%162 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xbf16>
// CHECK-NEXT: %163 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xbf16>
%163 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : tile<4xf8E8M0FNU> -> tile<4xbf16>
// CHECK-NEXT: %164 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf32>
%164 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf32>
// CHECK-NEXT: %165 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf32>
%165 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : tile<4xf8E8M0FNU> -> tile<4xf32>
// CHECK-NEXT: %166 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf64>
%166 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf64>
// CHECK-NEXT: %167 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf64>
%167 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : tile<4xf8E8M0FNU> -> tile<4xf64>
// CHECK-NEXT: %168 = cuda_tile.ftof %v_f8E8M0FNU rounding<negative_inf> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf64>
%168 = cuda_tile.ftof %v_f8E8M0FNU rounding<negative_inf> : tile<4xf8E8M0FNU> -> tile<4xf64>
// CHECK-NEXT: %169 = cuda_tile.ftof %v_f8E8M0FNU rounding<positive_inf> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf64>
%169 = cuda_tile.ftof %v_f8E8M0FNU rounding<positive_inf> : tile<4xf8E8M0FNU> -> tile<4xf64>
// CHECK-NEXT: %170 = cuda_tile.ftof %v_f8E8M0FNU rounding<nearest_away> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf64>
%170 = cuda_tile.ftof %v_f8E8M0FNU rounding<nearest_away> : tile<4xf8E8M0FNU> -> tile<4xf64>
// CHECK-NEXT: %171 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xtf32>
%171 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xtf32>
// CHECK-NEXT: %172 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xtf32>
%172 = cuda_tile.ftof %v_f8E8M0FNU rounding<zero> : tile<4xf8E8M0FNU> -> tile<4xtf32>
// CHECK-NEXT: %173 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf8E4M3FN>
%173 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %174 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf8E5M2>
%174 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf8E5M2>
// CHECK-NEXT: %175 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xf4E2M1FN>
%175 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %176 = cuda_tile.ftof %v_f8E8M0FNU : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%176 = cuda_tile.ftof %v_f8E8M0FNU : tile<4xf8E8M0FNU> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %177 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf16>
%177 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf16>
// CHECK-NEXT: %178 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf16>
%178 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xf16>
// CHECK-NEXT: %179 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf16>
%179 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : tile<4xf4E2M1FN> -> tile<4xf16>
// CHECK-NEXT: %180 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf16>
%180 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xf16>
// CHECK-NEXT: %181 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf16>
%181 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : tile<4xf4E2M1FN> -> tile<4xf16>
// CHECK-NEXT: %182 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xbf16>
%182 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xbf16>
// CHECK-NEXT: %183 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xbf16>
%183 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xbf16>
// CHECK-NEXT: %184 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xbf16>
%184 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : tile<4xf4E2M1FN> -> tile<4xbf16>
// CHECK-NEXT: %185 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xbf16>
%185 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xbf16>
// CHECK-NEXT: %186 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xbf16>
%186 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : tile<4xf4E2M1FN> -> tile<4xbf16>
// CHECK-NEXT: %187 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf32>
%187 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf32>
// CHECK-NEXT: %188 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf32>
%188 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xf32>
// CHECK-NEXT: %189 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf32>
%189 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : tile<4xf4E2M1FN> -> tile<4xf32>
// CHECK-NEXT: %190 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf32>
%190 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xf32>
// CHECK-NEXT: %191 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf32>
%191 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : tile<4xf4E2M1FN> -> tile<4xf32>
// CHECK-NEXT: %192 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf64>
%192 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf64>
// CHECK-NEXT: %193 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf64>
%193 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xf64>
// CHECK-NEXT: %194 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf64>
%194 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : tile<4xf4E2M1FN> -> tile<4xf64>
// CHECK-NEXT: %195 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf64>
%195 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xf64>
// CHECK-NEXT: %196 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf64>
%196 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : tile<4xf4E2M1FN> -> tile<4xf64>
// CHECK-NEXT: %197 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xtf32>
%197 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xtf32>
// CHECK-NEXT: %198 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xtf32>
%198 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xtf32>
// CHECK-NEXT: %199 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xtf32>
%199 = cuda_tile.ftof %v_f4E2M1FN rounding<negative_inf> : tile<4xf4E2M1FN> -> tile<4xtf32>
// CHECK-NEXT: %200 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xtf32>
%200 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xtf32>
// CHECK-NEXT: %201 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xtf32>
%201 = cuda_tile.ftof %v_f4E2M1FN rounding<nearest_away> : tile<4xf4E2M1FN> -> tile<4xtf32>
// CHECK-NEXT: %202 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf8E4M3FN>
%202 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %203 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf8E5M2>
%203 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xf8E5M2>
// CHECK-NEXT: %204 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf8E8M0FNU>
%204 = cuda_tile.ftof %v_f4E2M1FN rounding<zero> : tile<4xf4E2M1FN> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %205 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xf8E8M0FNU>
%205 = cuda_tile.ftof %v_f4E2M1FN rounding<positive_inf> : tile<4xf4E2M1FN> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %206 = cuda_tile.ftof %v_f4E2M1FN : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%206 = cuda_tile.ftof %v_f4E2M1FN : tile<4xf4E2M1FN> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %207 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf16>
%207 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf16>
// CHECK-NEXT: %208 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf16>
%208 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xf16>
// CHECK-NEXT: %209 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xbf16>
%209 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xbf16>
// CHECK-NEXT: %210 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xbf16>
%210 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xbf16>
// CHECK-NEXT: %211 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xbf16>
%211 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : tile<4xfnv8E5M3FNU> -> tile<4xbf16>
// CHECK-NEXT: %212 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xbf16>
%212 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : tile<4xfnv8E5M3FNU> -> tile<4xbf16>
// CHECK-NEXT: %213 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xbf16>
%213 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : tile<4xfnv8E5M3FNU> -> tile<4xbf16>
// CHECK-NEXT: %214 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf32>
%214 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf32>
// CHECK-NEXT: %215 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf32>
%215 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xf32>
// CHECK-NEXT: %216 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf32>
%216 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : tile<4xfnv8E5M3FNU> -> tile<4xf32>
// CHECK-NEXT: %217 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf32>
%217 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : tile<4xfnv8E5M3FNU> -> tile<4xf32>
// CHECK-NEXT: %218 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf32>
%218 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : tile<4xfnv8E5M3FNU> -> tile<4xf32>
// CHECK-NEXT: %219 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf64>
%219 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf64>
// CHECK-NEXT: %220 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf64>
%220 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xf64>
// CHECK-NEXT: %221 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf64>
%221 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : tile<4xfnv8E5M3FNU> -> tile<4xf64>
// CHECK-NEXT: %222 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf64>
%222 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : tile<4xfnv8E5M3FNU> -> tile<4xf64>
// CHECK-NEXT: %223 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf64>
%223 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : tile<4xfnv8E5M3FNU> -> tile<4xf64>
// CHECK-NEXT: %224 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xtf32>
%224 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xtf32>
// CHECK-NEXT: %225 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xtf32>
%225 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xtf32>
// CHECK-NEXT: %226 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xtf32>
%226 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<negative_inf> : tile<4xfnv8E5M3FNU> -> tile<4xtf32>
// CHECK-NEXT: %227 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xtf32>
%227 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : tile<4xfnv8E5M3FNU> -> tile<4xtf32>
// CHECK-NEXT: %228 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xtf32>
%228 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<nearest_away> : tile<4xfnv8E5M3FNU> -> tile<4xtf32>
// CHECK-NEXT: %229 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E4M3FN>
%229 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %230 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E5M2>
%230 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf8E5M2>
// CHECK-NEXT: %231 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E8M0FNU>
%231 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<zero> : tile<4xfnv8E5M3FNU> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %232 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf8E8M0FNU>
%232 = cuda_tile.ftof %v_fnv8E5M3FNU rounding<positive_inf> : tile<4xfnv8E5M3FNU> -> tile<4xf8E8M0FNU>
// CHECK-NEXT: %233 = cuda_tile.ftof %v_fnv8E5M3FNU : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xf4E2M1FN>
%233 = cuda_tile.ftof %v_fnv8E5M3FNU : tile<4xfnv8E5M3FNU> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %234 = cuda_tile.ftof %v_f32 : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xf16>
%234 = cuda_tile.ftof %v_f32 rounding<nearest_even> : tile<4xf32> -> tile<4xf16>
// CHECK-NEXT: }

// -----

// Between integers and floats; the only modes there are go without saying.

// REQ: A-16, A-63, A-64

// CHECK:      %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_i1, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
%v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_i1, %v_i8, %v_i16, %v_i32, %v_i64 = "test.op"() : () -> (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xbf16>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<4xf8E4M3FN>, !cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E8M0FNU>, !cuda_tile.tile<4xf4E2M1FN>, !cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>)
// CHECK-NEXT: %0 = cuda_tile.ftoi %v_f16 signed : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi1>
%0 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi1>
// CHECK-NEXT: %1 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf16>
%1 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf16>
// CHECK-NEXT: %2 = cuda_tile.ftoi %v_f16 signed : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi8>
%2 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi8>
// CHECK-NEXT: %3 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf16>
%3 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf16>
// CHECK-NEXT: %4 = cuda_tile.ftoi %v_f16 signed : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi16>
%4 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi16>
// CHECK-NEXT: %5 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf16>
%5 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf16>
// CHECK-NEXT: %6 = cuda_tile.ftoi %v_f16 signed : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi32>
%6 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi32>
// CHECK-NEXT: %7 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf16>
%7 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf16>
// CHECK-NEXT: %8 = cuda_tile.ftoi %v_f16 signed : !cuda_tile.tile<4xf16> -> !cuda_tile.tile<4xi64>
%8 = cuda_tile.ftoi %v_f16 signed : tile<4xf16> -> tile<4xi64>
// CHECK-NEXT: %9 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf16>
%9 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf16>
// CHECK-NEXT: %10 = cuda_tile.ftoi %v_bf16 signed : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi1>
%10 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi1>
// CHECK-NEXT: %11 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xbf16>
%11 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xbf16>
// CHECK-NEXT: %12 = cuda_tile.ftoi %v_bf16 signed : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi8>
%12 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi8>
// CHECK-NEXT: %13 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xbf16>
%13 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xbf16>
// CHECK-NEXT: %14 = cuda_tile.ftoi %v_bf16 signed : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi16>
%14 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi16>
// CHECK-NEXT: %15 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xbf16>
%15 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xbf16>
// CHECK-NEXT: %16 = cuda_tile.ftoi %v_bf16 signed : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi32>
%16 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi32>
// CHECK-NEXT: %17 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xbf16>
%17 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xbf16>
// CHECK-NEXT: %18 = cuda_tile.ftoi %v_bf16 signed : !cuda_tile.tile<4xbf16> -> !cuda_tile.tile<4xi64>
%18 = cuda_tile.ftoi %v_bf16 signed : tile<4xbf16> -> tile<4xi64>
// CHECK-NEXT: %19 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xbf16>
%19 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xbf16>
// CHECK-NEXT: %20 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi1>
%20 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi1>
// CHECK-NEXT: %21 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf32>
%21 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf32>
// CHECK-NEXT: %22 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi8>
%22 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi8>
// CHECK-NEXT: %23 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf32>
%23 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf32>
// CHECK-NEXT: %24 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi16>
%24 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi16>
// CHECK-NEXT: %25 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf32>
%25 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf32>
// CHECK-NEXT: %26 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%26 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %27 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
%27 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf32>
// CHECK-NEXT: %28 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi64>
%28 = cuda_tile.ftoi %v_f32 signed : tile<4xf32> -> tile<4xi64>
// CHECK-NEXT: %29 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf32>
%29 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf32>
// CHECK-NEXT: %30 = cuda_tile.ftoi %v_f64 signed : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi1>
%30 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi1>
// CHECK-NEXT: %31 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf64>
%31 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf64>
// CHECK-NEXT: %32 = cuda_tile.ftoi %v_f64 signed : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi8>
%32 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi8>
// CHECK-NEXT: %33 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf64>
%33 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf64>
// CHECK-NEXT: %34 = cuda_tile.ftoi %v_f64 signed : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi16>
%34 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi16>
// CHECK-NEXT: %35 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf64>
%35 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf64>
// CHECK-NEXT: %36 = cuda_tile.ftoi %v_f64 signed : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi32>
%36 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi32>
// CHECK-NEXT: %37 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf64>
%37 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf64>
// CHECK-NEXT: %38 = cuda_tile.ftoi %v_f64 signed : !cuda_tile.tile<4xf64> -> !cuda_tile.tile<4xi64>
%38 = cuda_tile.ftoi %v_f64 signed : tile<4xf64> -> tile<4xi64>
// CHECK-NEXT: %39 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf64>
%39 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf64>
// CHECK-NEXT: %40 = cuda_tile.ftoi %v_tf32 signed : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xi1>
%40 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi1>
// CHECK-NEXT: %41 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xtf32>
%41 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xtf32>
// CHECK-NEXT: %42 = cuda_tile.ftoi %v_tf32 signed : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xi8>
%42 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi8>
// CHECK-NEXT: %43 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xtf32>
%43 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xtf32>
// CHECK-NEXT: %44 = cuda_tile.ftoi %v_tf32 signed : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xi16>
%44 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi16>
// CHECK-NEXT: %45 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xtf32>
%45 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xtf32>
// CHECK-NEXT: %46 = cuda_tile.ftoi %v_tf32 signed : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xi32>
%46 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi32>
// CHECK-NEXT: %47 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xtf32>
%47 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xtf32>
// CHECK-NEXT: %48 = cuda_tile.ftoi %v_tf32 signed : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<4xi64>
%48 = cuda_tile.ftoi %v_tf32 signed : tile<4xtf32> -> tile<4xi64>
// CHECK-NEXT: %49 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xtf32>
%49 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xtf32>
// CHECK-NEXT: %50 = cuda_tile.ftoi %v_f8E4M3FN signed : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi1>
%50 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi1>
// CHECK-NEXT: %51 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf8E4M3FN>
%51 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %52 = cuda_tile.ftoi %v_f8E4M3FN signed : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi8>
%52 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi8>
// CHECK-NEXT: %53 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf8E4M3FN>
%53 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %54 = cuda_tile.ftoi %v_f8E4M3FN signed : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi16>
%54 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi16>
// CHECK-NEXT: %55 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf8E4M3FN>
%55 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %56 = cuda_tile.ftoi %v_f8E4M3FN signed : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi32>
%56 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi32>
// CHECK-NEXT: %57 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf8E4M3FN>
%57 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %58 = cuda_tile.ftoi %v_f8E4M3FN signed : !cuda_tile.tile<4xf8E4M3FN> -> !cuda_tile.tile<4xi64>
%58 = cuda_tile.ftoi %v_f8E4M3FN signed : tile<4xf8E4M3FN> -> tile<4xi64>
// CHECK-NEXT: %59 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf8E4M3FN>
%59 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf8E4M3FN>
// CHECK-NEXT: %60 = cuda_tile.ftoi %v_f8E5M2 signed : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi1>
%60 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi1>
// CHECK-NEXT: %61 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf8E5M2>
%61 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf8E5M2>
// CHECK-NEXT: %62 = cuda_tile.ftoi %v_f8E5M2 signed : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi8>
%62 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi8>
// CHECK-NEXT: %63 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf8E5M2>
%63 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf8E5M2>
// CHECK-NEXT: %64 = cuda_tile.ftoi %v_f8E5M2 signed : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi16>
%64 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi16>
// CHECK-NEXT: %65 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf8E5M2>
%65 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf8E5M2>
// CHECK-NEXT: %66 = cuda_tile.ftoi %v_f8E5M2 signed : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi32>
%66 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi32>
// CHECK-NEXT: %67 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf8E5M2>
%67 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf8E5M2>
// CHECK-NEXT: %68 = cuda_tile.ftoi %v_f8E5M2 signed : !cuda_tile.tile<4xf8E5M2> -> !cuda_tile.tile<4xi64>
%68 = cuda_tile.ftoi %v_f8E5M2 signed : tile<4xf8E5M2> -> tile<4xi64>
// CHECK-NEXT: %69 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf8E5M2>
%69 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf8E5M2>
// CHECK-NEXT: %70 = cuda_tile.ftoi %v_f8E8M0FNU signed : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi1>
%70 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi1>
// CHECK-NEXT: %71 = cuda_tile.ftoi %v_f8E8M0FNU signed : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi8>
%71 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi8>
// CHECK-NEXT: %72 = cuda_tile.ftoi %v_f8E8M0FNU signed : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi16>
%72 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi16>
// CHECK-NEXT: %73 = cuda_tile.ftoi %v_f8E8M0FNU signed : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi32>
%73 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi32>
// CHECK-NEXT: %74 = cuda_tile.ftoi %v_f8E8M0FNU signed : !cuda_tile.tile<4xf8E8M0FNU> -> !cuda_tile.tile<4xi64>
%74 = cuda_tile.ftoi %v_f8E8M0FNU signed : tile<4xf8E8M0FNU> -> tile<4xi64>
// CHECK-NEXT: %75 = cuda_tile.ftoi %v_f4E2M1FN signed : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xi1>
%75 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi1>
// CHECK-NEXT: %76 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xf4E2M1FN>
%76 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %77 = cuda_tile.ftoi %v_f4E2M1FN signed : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xi8>
%77 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi8>
// CHECK-NEXT: %78 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xf4E2M1FN>
%78 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %79 = cuda_tile.ftoi %v_f4E2M1FN signed : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xi16>
%79 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi16>
// CHECK-NEXT: %80 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xf4E2M1FN>
%80 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %81 = cuda_tile.ftoi %v_f4E2M1FN signed : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xi32>
%81 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi32>
// CHECK-NEXT: %82 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf4E2M1FN>
%82 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %83 = cuda_tile.ftoi %v_f4E2M1FN signed : !cuda_tile.tile<4xf4E2M1FN> -> !cuda_tile.tile<4xi64>
%83 = cuda_tile.ftoi %v_f4E2M1FN signed : tile<4xf4E2M1FN> -> tile<4xi64>
// CHECK-NEXT: %84 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xf4E2M1FN>
%84 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xf4E2M1FN>
// CHECK-NEXT: %85 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi1>
%85 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi1>
// CHECK-NEXT: %86 = cuda_tile.itof %v_i1 unsigned : !cuda_tile.tile<4xi1> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%86 = cuda_tile.itof %v_i1 unsigned : tile<4xi1> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %87 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi8>
%87 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi8>
// CHECK-NEXT: %88 = cuda_tile.itof %v_i8 unsigned : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%88 = cuda_tile.itof %v_i8 unsigned : tile<4xi8> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %89 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi16>
%89 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi16>
// CHECK-NEXT: %90 = cuda_tile.itof %v_i16 unsigned : !cuda_tile.tile<4xi16> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%90 = cuda_tile.itof %v_i16 unsigned : tile<4xi16> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %91 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi32>
%91 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi32>
// CHECK-NEXT: %92 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%92 = cuda_tile.itof %v_i32 unsigned : tile<4xi32> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %93 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : !cuda_tile.tile<4xfnv8E5M3FNU> -> !cuda_tile.tile<4xi64>
%93 = cuda_tile.ftoi %v_fnv8E5M3FNU signed : tile<4xfnv8E5M3FNU> -> tile<4xi64>
// CHECK-NEXT: %94 = cuda_tile.itof %v_i64 unsigned : !cuda_tile.tile<4xi64> -> !cuda_tile.tile<4xfnv8E5M3FNU>
%94 = cuda_tile.itof %v_i64 unsigned : tile<4xi64> -> tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %95 = cuda_tile.ftoi %v_f32 signed saturating : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%95 = cuda_tile.ftoi %v_f32 signed saturating : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %96 = cuda_tile.ftoi %v_f32 signed saturating : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%96 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> saturating : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %97 = cuda_tile.ftoi %v_f32 signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%97 = cuda_tile.ftoi %v_f32 signed rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %98 = cuda_tile.itof %v_i32 signed : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
%98 = cuda_tile.itof %v_i32 signed rounding<nearest_even> : tile<4xi32> -> tile<4xf32>
// CHECK-NEXT: %99 = cuda_tile.ftoi %v_f32 unsigned saturating : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%99 = cuda_tile.ftoi %v_f32 unsigned saturating : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %100 = cuda_tile.ftoi %v_f32 unsigned saturating : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%100 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> saturating : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %101 = cuda_tile.ftoi %v_f32 unsigned : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
%101 = cuda_tile.ftoi %v_f32 unsigned rounding<nearest_int_to_zero> : tile<4xf32> -> tile<4xi32>
// CHECK-NEXT: %102 = cuda_tile.itof %v_i32 unsigned : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
%102 = cuda_tile.itof %v_i32 unsigned rounding<nearest_even> : tile<4xi32> -> tile<4xf32>
// CHECK-NEXT: }

// -----

// Pointers.

// REQ: A-16

// CHECK:      %i, %p = "test.op"() : () -> (!cuda_tile.tile<2x4xi64>, !cuda_tile.tile<2x4xptr<f32>>)
%i, %p = "test.op"() : () -> (!cuda_tile.tile<2x4xi64>, !cuda_tile.tile<2x4xptr<f32>>)
// CHECK-NEXT: %0 = cuda_tile.int_to_ptr %i : !cuda_tile.tile<2x4xi64> -> !cuda_tile.tile<2x4xptr<f8E5M2>>
%0 = cuda_tile.int_to_ptr %i : tile<2x4xi64> -> tile<2x4xptr<f8E5M2>>
// CHECK-NEXT: %1 = cuda_tile.ptr_to_int %p : !cuda_tile.tile<2x4xptr<f32>> -> !cuda_tile.tile<2x4xi64>
%1 = cuda_tile.ptr_to_int %p : tile<2x4xptr<f32>> -> tile<2x4xi64>
// CHECK-NEXT: %2 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<2x4xptr<f32>> -> !cuda_tile.tile<2x4xptr<i1>>
%2 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<i1>>
// CHECK-NEXT: %3 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<2x4xptr<f32>> -> !cuda_tile.tile<2x4xptr<f16>>
%3 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<f16>>
// CHECK-NEXT: %4 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<2x4xptr<f32>> -> !cuda_tile.tile<2x4xptr<f32>>
%4 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<f32>>
// CHECK-NEXT: %5 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<2x4xptr<f32>> -> !cuda_tile.tile<2x4xptr<tf32>>
%5 = cuda_tile.ptr_to_ptr %p : tile<2x4xptr<f32>> -> tile<2x4xptr<tf32>>
// CHECK-NEXT: }

// -----

// Bytes: i1 counts as one bit, tf32 as 32, 4-bit types as 4.

// CHECK:      %v_i1, %v_i4, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f4E2M1FN, %b_i1, %b_i4, %b_i16, %b_i32, %b_i64, %b_f16, %b_bf16, %b_f32, %b_f64, %b_tf32, %b_f4E2M1FN = "test.op"() : () -> (!cuda_tile.tile<8xi1>, !cuda_tile.tile<2xi4>, !cuda_tile.tile<1xi16>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<1xf16>, !cuda_tile.tile<8xbf16>, !cuda_tile.tile<1xf32>, !cuda_tile.tile<1xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<16xf4E2M1FN>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<8xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<8xi8>)
%v_i1, %v_i4, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f4E2M1FN, %b_i1, %b_i4, %b_i16, %b_i32, %b_i64, %b_f16, %b_bf16, %b_f32, %b_f64, %b_tf32, %b_f4E2M1FN = "test.op"() : () -> (!cuda_tile.tile<8xi1>, !cuda_tile.tile<2xi4>, !cuda_tile.tile<1xi16>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<1xf16>, !cuda_tile.tile<8xbf16>, !cuda_tile.tile<1xf32>, !cuda_tile.tile<1xf64>, !cuda_tile.tile<4xtf32>, !cuda_tile.tile<16xf4E2M1FN>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<1xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<8xi8>, !cuda_tile.tile<16xi8>, !cuda_tile.tile<8xi8>)
// CHECK-NEXT: %0 = cuda_tile.pack %v_i1 : !cuda_tile.tile<8xi1> -> !cuda_tile.tile<1xi8>
%0 = cuda_tile.pack %v_i1 : tile<8xi1> -> tile<1xi8>
// CHECK-NEXT: %1 = cuda_tile.unpack %b_i1 : !cuda_tile.tile<1xi8> -> !cuda_tile.tile<8xi1>
%1 = cuda_tile.unpack %b_i1 : tile<1xi8> -> tile<8xi1>
// CHECK-NEXT: %2 = cuda_tile.pack %v_i4 : !cuda_tile.tile<2xi4> -> !cuda_tile.tile<1xi8>
%2 = cuda_tile.pack %v_i4 : tile<2xi4> -> tile<1xi8>
// CHECK-NEXT: %3 = cuda_tile.unpack %b_i4 : !cuda_tile.tile<1xi8> -> !cuda_tile.tile<2xi4>
%3 = cuda_tile.unpack %b_i4 : tile<1xi8> -> tile<2xi4>
// CHECK-NEXT: %4 = cuda_tile.pack %v_i16 : !cuda_tile.tile<1xi16> -> !cuda_tile.tile<2xi8>
%4 = cuda_tile.pack %v_i16 : tile<1xi16> -> tile<2xi8>
// CHECK-NEXT: %5 = cuda_tile.unpack %b_i16 : !cuda_tile.tile<2xi8> -> !cuda_tile.tile<1xi16>
%5 = cuda_tile.unpack %b_i16 : tile<2xi8> -> tile<1xi16>
// CHECK-NEXT: %6 = cuda_tile.pack %v_i32 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi8>
%6 = cuda_tile.pack %v_i32 : tile<1xi32> -> tile<4xi8>
// CHECK-NEXT: %7 = cuda_tile.unpack %b_i32 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<1xi32>
%7 = cuda_tile.unpack %b_i32 : tile<4xi8> -> tile<1xi32>
// CHECK-NEXT: %8 = cuda_tile.pack %v_i64 : !cuda_tile.tile<2xi64> -> !cuda_tile.tile<16xi8>
%8 = cuda_tile.pack %v_i64 : tile<2xi64> -> tile<16xi8>
// CHECK-NEXT: %9 = cuda_tile.unpack %b_i64 : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<2xi64>
%9 = cuda_tile.unpack %b_i64 : tile<16xi8> -> tile<2xi64>
// CHECK-NEXT: %10 = cuda_tile.pack %v_f16 : !cuda_tile.tile<1xf16> -> !cuda_tile.tile<2xi8>
%10 = cuda_tile.pack %v_f16 : tile<1xf16> -> tile<2xi8>
// CHECK-NEXT: %11 = cuda_tile.unpack %b_f16 : !cuda_tile.tile<2xi8> -> !cuda_tile.tile<1xf16>
%11 = cuda_tile.unpack %b_f16 : tile<2xi8> -> tile<1xf16>
// CHECK-NEXT: %12 = cuda_tile.pack %v_bf16 : !cuda_tile.tile<8xbf16> -> !cuda_tile.tile<16xi8>
%12 = cuda_tile.pack %v_bf16 : tile<8xbf16> -> tile<16xi8>
// CHECK-NEXT: %13 = cuda_tile.unpack %b_bf16 : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<8xbf16>
%13 = cuda_tile.unpack %b_bf16 : tile<16xi8> -> tile<8xbf16>
// CHECK-NEXT: %14 = cuda_tile.pack %v_f32 : !cuda_tile.tile<1xf32> -> !cuda_tile.tile<4xi8>
%14 = cuda_tile.pack %v_f32 : tile<1xf32> -> tile<4xi8>
// CHECK-NEXT: %15 = cuda_tile.unpack %b_f32 : !cuda_tile.tile<4xi8> -> !cuda_tile.tile<1xf32>
%15 = cuda_tile.unpack %b_f32 : tile<4xi8> -> tile<1xf32>
// CHECK-NEXT: %16 = cuda_tile.pack %v_f64 : !cuda_tile.tile<1xf64> -> !cuda_tile.tile<8xi8>
%16 = cuda_tile.pack %v_f64 : tile<1xf64> -> tile<8xi8>
// CHECK-NEXT: %17 = cuda_tile.unpack %b_f64 : !cuda_tile.tile<8xi8> -> !cuda_tile.tile<1xf64>
%17 = cuda_tile.unpack %b_f64 : tile<8xi8> -> tile<1xf64>
// CHECK-NEXT: %18 = cuda_tile.pack %v_tf32 : !cuda_tile.tile<4xtf32> -> !cuda_tile.tile<16xi8>
%18 = cuda_tile.pack %v_tf32 : tile<4xtf32> -> tile<16xi8>
// CHECK-NEXT: %19 = cuda_tile.unpack %b_tf32 : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<4xtf32>
%19 = cuda_tile.unpack %b_tf32 : tile<16xi8> -> tile<4xtf32>
// CHECK-NEXT: %20 = cuda_tile.pack %v_f4E2M1FN : !cuda_tile.tile<16xf4E2M1FN> -> !cuda_tile.tile<8xi8>
%20 = cuda_tile.pack %v_f4E2M1FN : tile<16xf4E2M1FN> -> tile<8xi8>
// CHECK-NEXT: %21 = cuda_tile.unpack %b_f4E2M1FN : !cuda_tile.tile<8xi8> -> !cuda_tile.tile<16xf4E2M1FN>
%21 = cuda_tile.unpack %b_f4E2M1FN : tile<8xi8> -> tile<16xf4E2M1FN>
// CHECK-NEXT: }

// -----

// `to` between the types is read, and printed as an arrow.

// REQ: A-16, B-34

// CHECK:      %f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// CHECK-NEXT: %0 = cuda_tile.bitcast %f : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
%0 = cuda_tile.bitcast %f : tile<f32> to tile<i32>
// CHECK-NEXT: %1 = cuda_tile.exti %i unsigned : !cuda_tile.tile<i32> -> !cuda_tile.tile<i64>
%1 = cuda_tile.exti %i unsigned : tile<i32> to tile<i64>
// CHECK-NEXT: %2 = cuda_tile.trunci %j overflow<no_wrap> : !cuda_tile.tile<i64> -> !cuda_tile.tile<i8>
%2 = cuda_tile.trunci %j overflow<no_wrap> : tile<i64> to tile<i8>
// CHECK-NEXT: %3 = cuda_tile.ftof %f rounding<zero> : !cuda_tile.tile<f32> -> !cuda_tile.tile<f16>
%3 = cuda_tile.ftof %f rounding<zero> : tile<f32> to tile<f16>
// CHECK-NEXT: %4 = cuda_tile.ftoi %f unsigned saturating : !cuda_tile.tile<f32> -> !cuda_tile.tile<i8>
%4 = cuda_tile.ftoi %f unsigned saturating : tile<f32> to tile<i8>
// CHECK-NEXT: %5 = cuda_tile.itof %i signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<f64>
%5 = cuda_tile.itof %i signed : tile<i32> to tile<f64>
// CHECK-NEXT: %6 = cuda_tile.int_to_ptr %j : !cuda_tile.tile<i64> -> !cuda_tile.tile<ptr<f32>>
%6 = cuda_tile.int_to_ptr %j : tile<i64> to tile<ptr<f32>>
// CHECK-NEXT: %7 = cuda_tile.ptr_to_int %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<i64>
%7 = cuda_tile.ptr_to_int %p : tile<ptr<f32>> to tile<i64>
// CHECK-NEXT: %8 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<ptr<i8>>
%8 = cuda_tile.ptr_to_ptr %p : tile<ptr<f32>> to tile<ptr<i8>>
// CHECK-NEXT: %9 = cuda_tile.pack %x : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<16xi8>
%9 = cuda_tile.pack %x : tile<4xf32> to tile<16xi8>
// CHECK-NEXT: %10 = cuda_tile.unpack %b : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<4xf32>
%10 = cuda_tile.unpack %b : tile<16xi8> to tile<4xf32>
// CHECK-NEXT: }

// -----

// Discardable attributes stand before the colon.

// REQ: B-04, B-28

// CHECK:      %f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// CHECK-NEXT: %0 = cuda_tile.bitcast %f {my.tag = 7 : i32, unit} : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
%0 = cuda_tile.bitcast %f {my.tag = 7 : i32, unit} : tile<f32> -> tile<i32>
// CHECK-NEXT: %1 = cuda_tile.exti %i unsigned {my.tag = 7 : i32, unit} : !cuda_tile.tile<i32> -> !cuda_tile.tile<i64>
%1 = cuda_tile.exti %i unsigned {my.tag = 7 : i32, unit} : tile<i32> -> tile<i64>
// CHECK-NEXT: %2 = cuda_tile.trunci %j overflow<no_wrap> {my.tag = 7 : i32, unit} : !cuda_tile.tile<i64> -> !cuda_tile.tile<i8>
%2 = cuda_tile.trunci %j overflow<no_wrap> {my.tag = 7 : i32, unit} : tile<i64> -> tile<i8>
// CHECK-NEXT: %3 = cuda_tile.ftof %f rounding<zero> {my.tag = 7 : i32, unit} : !cuda_tile.tile<f32> -> !cuda_tile.tile<f16>
%3 = cuda_tile.ftof %f rounding<zero> {my.tag = 7 : i32, unit} : tile<f32> -> tile<f16>
// CHECK-NEXT: %4 = cuda_tile.ftoi %f unsigned saturating {my.tag = 7 : i32, unit} : !cuda_tile.tile<f32> -> !cuda_tile.tile<i8>
%4 = cuda_tile.ftoi %f unsigned saturating {my.tag = 7 : i32, unit} : tile<f32> -> tile<i8>
// CHECK-NEXT: %5 = cuda_tile.itof %i signed {my.tag = 7 : i32, unit} : !cuda_tile.tile<i32> -> !cuda_tile.tile<f64>
%5 = cuda_tile.itof %i signed {my.tag = 7 : i32, unit} : tile<i32> -> tile<f64>
// CHECK-NEXT: %6 = cuda_tile.int_to_ptr %j {my.tag = 7 : i32, unit} : !cuda_tile.tile<i64> -> !cuda_tile.tile<ptr<f32>>
%6 = cuda_tile.int_to_ptr %j {my.tag = 7 : i32, unit} : tile<i64> -> tile<ptr<f32>>
// CHECK-NEXT: %7 = cuda_tile.ptr_to_int %p {my.tag = 7 : i32, unit} : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<i64>
%7 = cuda_tile.ptr_to_int %p {my.tag = 7 : i32, unit} : tile<ptr<f32>> -> tile<i64>
// CHECK-NEXT: %8 = cuda_tile.ptr_to_ptr %p {my.tag = 7 : i32, unit} : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<ptr<i8>>
%8 = cuda_tile.ptr_to_ptr %p {my.tag = 7 : i32, unit} : tile<ptr<f32>> -> tile<ptr<i8>>
// CHECK-NEXT: %9 = cuda_tile.pack %x {my.tag = 7 : i32, unit} : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<16xi8>
%9 = cuda_tile.pack %x {my.tag = 7 : i32, unit} : tile<4xf32> -> tile<16xi8>
// CHECK-NEXT: %10 = cuda_tile.unpack %b {my.tag = 7 : i32, unit} : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<4xf32>
%10 = cuda_tile.unpack %b {my.tag = 7 : i32, unit} : tile<16xi8> -> tile<4xf32>
// CHECK-NEXT: }

// -----

// Generic form; what has a default may be left out.

// REQ: B-08, B-22

// CHECK:      %f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
%f, %i, %j, %p, %x, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<16xi8>)
// CHECK-NEXT: %0 = cuda_tile.bitcast %f {my.tag} : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
%0 = "cuda_tile.bitcast"(%f) {my.tag} : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>
// CHECK-NEXT: %1 = cuda_tile.exti %i signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i64>
%1 = "cuda_tile.exti"(%i) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>
// CHECK-NEXT: %2 = cuda_tile.trunci %j overflow<no_wrap> : !cuda_tile.tile<i64> -> !cuda_tile.tile<i8>
%2 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// CHECK-NEXT: %3 = cuda_tile.trunci %j : !cuda_tile.tile<i64> -> !cuda_tile.tile<i8>
%3 = "cuda_tile.trunci"(%j) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// CHECK-NEXT: %4 = cuda_tile.trunci %j : !cuda_tile.tile<i64> -> !cuda_tile.tile<i8>
%4 = "cuda_tile.trunci"(%j) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<i8>
// CHECK-NEXT: %5 = cuda_tile.ftof %f rounding<zero> : !cuda_tile.tile<f32> -> !cuda_tile.tile<f16>
%5 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// CHECK-NEXT: %6 = cuda_tile.ftof %f : !cuda_tile.tile<f32> -> !cuda_tile.tile<f16>
%6 = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// CHECK-NEXT: %7 = cuda_tile.ftof %f : !cuda_tile.tile<f32> -> !cuda_tile.tile<f16>
%7 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
// CHECK-NEXT: %8 = cuda_tile.ftoi %f signed : !cuda_tile.tile<f32> -> !cuda_tile.tile<i8>
%8 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i8>
// CHECK-NEXT: %9 = cuda_tile.ftoi %f signed saturating : !cuda_tile.tile<f32> -> !cuda_tile.tile<i8>
%9 = "cuda_tile.ftoi"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, saturating, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i8>
// CHECK-NEXT: %10 = cuda_tile.itof %i signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<f64>
%10 = "cuda_tile.itof"(%i) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f64>
// CHECK-NEXT: %11 = cuda_tile.int_to_ptr %j : !cuda_tile.tile<i64> -> !cuda_tile.tile<ptr<f32>>
%11 = "cuda_tile.int_to_ptr"(%j) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<ptr<f32>>
// CHECK-NEXT: %12 = cuda_tile.ptr_to_int %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<i64>
%12 = "cuda_tile.ptr_to_int"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<i64>
// CHECK-NEXT: %13 = cuda_tile.ptr_to_ptr %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<ptr<i8>>
%13 = "cuda_tile.ptr_to_ptr"(%p) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<ptr<i8>>
// CHECK-NEXT: %14 = cuda_tile.pack %x : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<16xi8>
%14 = "cuda_tile.pack"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<16xi8>
// CHECK-NEXT: %15 = cuda_tile.unpack %b : !cuda_tile.tile<16xi8> -> !cuda_tile.tile<4xf32>
%15 = "cuda_tile.unpack"(%b) : (!cuda_tile.tile<16xi8>) -> !cuda_tile.tile<4xf32>
// CHECK-NEXT: }
