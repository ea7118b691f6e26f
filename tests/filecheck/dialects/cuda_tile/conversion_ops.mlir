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

// Integers: every flag. `dialects/test_conversions.py` has all pairs of types, also of those below.

// REQ: A-16, A-63, B-32

!i16 = !cuda_tile.tile<4xi16>
!i32 = !cuda_tile.tile<4xi32>
!i64 = !cuda_tile.tile<4xi64>
%x = "test.op"() : () -> !i32
%0 = cuda_tile.exti %x signed : !i32 -> !i64
%1 = cuda_tile.exti %x unsigned : !i32 -> !i64
%2 = cuda_tile.trunci %x : !i32 -> !i16
// PRINTS: %3 = cuda_tile.trunci %x : !i32 -> !i16
%3 = cuda_tile.trunci %x overflow<none> : !i32 -> !i16
%4 = cuda_tile.trunci %x overflow<no_signed_wrap> : !i32 -> !i16
%5 = cuda_tile.trunci %x overflow<no_unsigned_wrap> : !i32 -> !i16
%6 = cuda_tile.trunci %x overflow<no_wrap> : !i32 -> !i16

// -----

// Bit patterns of equal width.

// REQ: A-16

!i8 = !cuda_tile.tile<4xi8>
!i64 = !cuda_tile.tile<4xi64>
!f64 = !cuda_tile.tile<4xf64>
!f8E4M3FN = !cuda_tile.tile<4xf8E4M3FN>
%x, %y = "test.op"() : () -> (!i8, !f64)
%0 = cuda_tile.bitcast %x : !i8 -> !f8E4M3FN
%1 = cuda_tile.bitcast %y : !f64 -> !i64

// -----

// Floats: every mode; `nearest_even` is not printed.

// REQ: A-16, A-64, B-33

!f16 = !cuda_tile.tile<4xf16>
!f32 = !cuda_tile.tile<4xf32>
!f8E8M0FNU = !cuda_tile.tile<4xf8E8M0FNU>
%x, %y = "test.op"() : () -> (!f16, !f32)
%0 = cuda_tile.ftof %x : !f16 -> !f32
// PRINTS: %1 = cuda_tile.ftof %y : !f32 -> !f16
%1 = cuda_tile.ftof %y rounding<nearest_even> : !f32 -> !f16
%2 = cuda_tile.ftof %x rounding<zero> : !f16 -> !f32
%3 = cuda_tile.ftof %x rounding<negative_inf> : !f16 -> !f32
%4 = cuda_tile.ftof %x rounding<positive_inf> : !f16 -> !f8E8M0FNU
%5 = cuda_tile.ftof %x rounding<nearest_away> : !f16 -> !f32

// -----

// Between integers and floats; the only modes there are go without saying.

// REQ: A-16, A-63, A-64

!f32 = !cuda_tile.tile<4xf32>
!i32 = !cuda_tile.tile<4xi32>
%x, %y = "test.op"() : () -> (!f32, !i32)
%0 = cuda_tile.ftoi %x signed : !f32 -> !i32
%1 = cuda_tile.itof %y signed : !i32 -> !f32
%2 = cuda_tile.ftoi %x signed saturating : !f32 -> !i32
// PRINTS: %3 = cuda_tile.ftoi %x signed saturating : !f32 -> !i32
%3 = cuda_tile.ftoi %x signed rounding<nearest_int_to_zero> saturating : !f32 -> !i32
// PRINTS: %4 = cuda_tile.ftoi %x signed : !f32 -> !i32
%4 = cuda_tile.ftoi %x signed rounding<nearest_int_to_zero> : !f32 -> !i32
// PRINTS: %5 = cuda_tile.itof %y signed : !i32 -> !f32
%5 = cuda_tile.itof %y signed rounding<nearest_even> : !i32 -> !f32
%6 = cuda_tile.ftoi %x unsigned : !f32 -> !i32
%7 = cuda_tile.itof %y unsigned : !i32 -> !f32
%8 = cuda_tile.ftoi %x unsigned saturating : !f32 -> !i32
// PRINTS: %9 = cuda_tile.ftoi %x unsigned saturating : !f32 -> !i32
%9 = cuda_tile.ftoi %x unsigned rounding<nearest_int_to_zero> saturating : !f32 -> !i32
// PRINTS: %10 = cuda_tile.ftoi %x unsigned : !f32 -> !i32
%10 = cuda_tile.ftoi %x unsigned rounding<nearest_int_to_zero> : !f32 -> !i32
// PRINTS: %11 = cuda_tile.itof %y unsigned : !i32 -> !f32
%11 = cuda_tile.itof %y unsigned rounding<nearest_even> : !i32 -> !f32

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
