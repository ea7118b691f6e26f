// RUN: %shared %s | tileiras-opt --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: %shared %s | xdsl-opt --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

!ptr_f32 = !cuda_tile.tile<ptr<f32>>
%ptr_f32 = "test.op"() : () -> !ptr_f32
!i64 = !cuda_tile.tile<i64>
%i64 = "test.op"() : () -> !i64
!f16 = !cuda_tile.tile<f16>
%f16 = "test.op"() : () -> !f16
!i8 = !cuda_tile.tile<i8>
%i8 = "test.op"() : () -> !i8
!f32 = !cuda_tile.tile<f32>
%f32 = "test.op"() : () -> !f32
!i32 = !cuda_tile.tile<i32>
%i32 = "test.op"() : () -> !i32
!i4 = !cuda_tile.tile<i4>
%i4 = "test.op"() : () -> !i4
!t4xptr_f32 = !cuda_tile.tile<4xptr<f32>>
%t4xptr_f32 = "test.op"() : () -> !t4xptr_f32
!t4xf32 = !cuda_tile.tile<4xf32>
%t4xf32 = "test.op"() : () -> !t4xf32
!t4xi8 = !cuda_tile.tile<4xi8>
%t4xi8 = "test.op"() : () -> !t4xi8
!t4xi32 = !cuda_tile.tile<4xi32>
%t4xi32 = "test.op"() : () -> !t4xi32
!t2x2xf32 = !cuda_tile.tile<2x2xf32>
%t2x2xf32 = "test.op"() : () -> !t2x2xf32
!i1 = !cuda_tile.tile<i1>
%i1 = "test.op"() : () -> !i1
!t2xf32 = !cuda_tile.tile<2xf32>
%t2xf32 = "test.op"() : () -> !t2xf32
!t2xf64 = !cuda_tile.tile<2xf64>
%t2xf64 = "test.op"() : () -> !t2xf64
!t2xf16 = !cuda_tile.tile<2xf16>
%t2xf16 = "test.op"() : () -> !t2xf16
!t2xf8E8M0FNU = !cuda_tile.tile<2xf8E8M0FNU>
%t2xf8E8M0FNU = "test.op"() : () -> !t2xf8E8M0FNU
!t2xfnv8E5M3FNU = !cuda_tile.tile<2xfnv8E5M3FNU>
%t2xfnv8E5M3FNU = "test.op"() : () -> !t2xfnv8E5M3FNU
!t2xtf32 = !cuda_tile.tile<2xtf32>
%t2xtf32 = "test.op"() : () -> !t2xtf32

// -----

// Operand and result types.

// CHECK: 'cuda_tile.bitcast' op operand #0 must be [[int:tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values]], but got '!cuda_tile.tile<ptr<f32>>'
%0 = cuda_tile.bitcast %ptr_f32 : tile<ptr<f32>> -> tile<i64>

// -----

// CHECK: 'cuda_tile.bitcast' op operand #0 must be [[int]], but got '!cuda_tile.tile<2xi4>'
%a = "test.op"() : () -> !cuda_tile.tile<2xi4>
%0 = cuda_tile.bitcast %a : tile<2xi4> -> tile<2xf4E2M1FN>

// -----

// CHECK: 'cuda_tile.bitcast' op result #0 must be [[int]], but got '!cuda_tile.tile<ptr<f32>>'
%0 = cuda_tile.bitcast %i64 : tile<i64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.bitcast' op result #0 must be [[int]], but got '!cuda_tile.token'
%0 = cuda_tile.bitcast %i64 : tile<i64> -> token

// -----

// CHECK: 'cuda_tile.exti' op operand #0 must be [[int_1:tile of i1 or i8 or i16 or i32 or i64 or i4 values]], but got '!cuda_tile.tile<f16>'
%0 = cuda_tile.exti %f16 signed : tile<f16> -> tile<i32>

// -----

// CHECK: 'cuda_tile.exti' op result #0 must be [[int_1]], but got '!cuda_tile.tile<f32>'
%0 = cuda_tile.exti %i8 signed : tile<i8> -> tile<f32>

// -----

// CHECK: 'cuda_tile.trunci' op operand #0 must be [[int_1]], but got '!cuda_tile.tile<f32>'
%0 = cuda_tile.trunci %f32 : tile<f32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.trunci' op result #0 must be [[int_1]], but got '!cuda_tile.tile<ptr<i8>>'
%0 = cuda_tile.trunci %i32 : tile<i32> -> tile<ptr<i8>>

// -----

// CHECK: 'cuda_tile.ftof' op operand #0 must be [[float:tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values]], but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.ftof %i32 : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.ftof' op result #0 must be [[float]], but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.ftof %f32 : tile<f32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op operand #0 must be [[float]], but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.ftoi %i32 signed : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op result #0 must be [[int_2:tile of i1 or i8 or i16 or i32 or i64 values]], but got '!cuda_tile.tile<i4>'
%0 = cuda_tile.ftoi %f32 signed : tile<f32> -> tile<i4>

// -----

// CHECK: 'cuda_tile.ftoi' op result #0 must be [[int_2]], but got '!cuda_tile.tile<f32>'
%0 = cuda_tile.ftoi %f32 signed : tile<f32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op operand #0 must be [[int_2]], but got '!cuda_tile.tile<i4>'
%0 = cuda_tile.itof %i4 signed : tile<i4> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op operand #0 must be [[int_2]], but got '!cuda_tile.tile<f32>'
%0 = cuda_tile.itof %f32 signed : tile<f32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op result #0 must be [[float]], but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.itof %i32 signed : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op operand #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.int_to_ptr %i32 : tile<i32> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op result #0 must be [[tile:tile of Pointer type values]], but got '!cuda_tile.tile<i64>'
%0 = cuda_tile.int_to_ptr %i64 : tile<i64> -> tile<i64>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op operand #0 must be [[tile]], but got '!cuda_tile.tile<i64>'
%0 = cuda_tile.ptr_to_int %i64 : tile<i64> -> tile<i64>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op result #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'
%0 = cuda_tile.ptr_to_int %ptr_f32 : tile<ptr<f32>> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op operand #0 must be [[tile]], but got '!cuda_tile.tile<i64>'
%0 = cuda_tile.ptr_to_ptr %i64 : tile<i64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op result #0 must be [[tile]], but got '!cuda_tile.tile<i64>'
%0 = cuda_tile.ptr_to_ptr %ptr_f32 : tile<ptr<f32>> -> tile<i64>

// -----

// CHECK: 'cuda_tile.pack' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i4 values, but got '!cuda_tile.tile<4xptr<f32>>'
%0 = cuda_tile.pack %t4xptr_f32 : tile<4xptr<f32>> -> tile<32xi8>

// -----

// CHECK: 'cuda_tile.pack' op result #0 must be tile of i8 values, but got '!cuda_tile.tile<8xi16>'
%0 = cuda_tile.pack %t4xf32 : tile<4xf32> -> tile<8xi16>

// -----

// CHECK: 'cuda_tile.unpack' op operand #0 must be tile of i8 values, but got '!cuda_tile.tile<8xi16>'
%a = "test.op"() : () -> !cuda_tile.tile<8xi16>
%0 = cuda_tile.unpack %a : tile<8xi16> -> tile<4xf32>

// -----

// CHECK: 'cuda_tile.unpack' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i4 values, but got '!cuda_tile.tile<4xptr<f32>>'
%a = "test.op"() : () -> !cuda_tile.tile<32xi8>
%0 = cuda_tile.unpack %a : tile<32xi8> -> tile<4xptr<f32>>

// -----

// One shape, or one rank.

// CHECK: 'cuda_tile.bitcast' op failed to verify that all of {source, result} have same shape
%0 = cuda_tile.bitcast %f32 : tile<f32> -> tile<1xi32>

// -----

// CHECK: 'cuda_tile.exti' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.exti %t4xi8 signed : tile<4xi8> -> tile<8xi32>

// -----

// CHECK: 'cuda_tile.trunci' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.trunci %t4xi32 : tile<4xi32> -> tile<2x2xi8>

// -----

// CHECK: 'cuda_tile.ftof' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.ftof %t4xf32 : tile<4xf32> -> tile<f16>

// -----

// CHECK: 'cuda_tile.ftoi' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.ftoi %t4xf32 signed : tile<4xf32> -> tile<8xi32>

// -----

// CHECK: 'cuda_tile.itof' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.itof %t4xi32 signed : tile<4xi32> -> tile<8xf32>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op failed to verify that all of {source, result} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi64>
%0 = cuda_tile.int_to_ptr %a : tile<4xi64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op failed to verify that all of {source, result} have same shape
%0 = cuda_tile.ptr_to_int %t4xptr_f32 : tile<4xptr<f32>> -> tile<8xi64>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op failed to verify that all of {source, result} have same shape
%0 = cuda_tile.ptr_to_ptr %t4xptr_f32 : tile<4xptr<f32>> -> tile<8xptr<f32>>

// -----

// CHECK: 'cuda_tile.pack' op failed to verify that all of {source, result} have same rank
%0 = cuda_tile.pack %t2x2xf32 : tile<2x2xf32> -> tile<16xi8>

// -----

// CHECK: 'cuda_tile.unpack' op failed to verify that all of {source, result} have same rank
%a = "test.op"() : () -> !cuda_tile.tile<16xi8>
%0 = cuda_tile.unpack %a : tile<16xi8> -> tile<2x2xf32>

// -----

// Attributes.

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%0 = "cuda_tile.exti"(%i32) : (!i32) -> !i64

// -----

// CHECK: 'cuda_tile.exti' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%0 = "cuda_tile.exti"(%i32) <{signedness = "signed"}> : (!i32) -> !i64

// -----

// CHECK: 'cuda_tile.ftoi' op requires attribute 'signedness'
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%0 = "cuda_tile.ftoi"(%f32) <{signedness = "signed", rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.itof' op requires attribute 'signedness'
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%0 = "cuda_tile.itof"(%i32) <{signedness = "signed", rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.ftoi' op requires attribute 'rounding_mode'
%0 = "cuda_tile.ftoi"(%f32) <{signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = 0 : i32, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.itof' op requires attribute 'rounding_mode'
%0 = "cuda_tile.itof"(%i32) <{signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = 0 : i32, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'saturating' failed to satisfy constraint: true should be of base attribute unit
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, saturating = true, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftof' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%0 = "cuda_tile.ftof"(%f32) <{rounding_mode = "zero"}> : (!f32) -> !f16

// -----

// CHECK: 'cuda_tile.trunci' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%0 = "cuda_tile.trunci"(%i32) <{overflow = 0 : i32}> : (!i32) -> !i8

// -----

// `bitcast`.

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<4xf32>' of width 32 to type '!cuda_tile.tile<4xi64>' of width 64
%0 = cuda_tile.bitcast %t4xf32 : tile<4xf32> -> tile<4xi64>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<f32>' of width 32 to type '!cuda_tile.tile<tf32>' of width 19
%0 = cuda_tile.bitcast %f32 : tile<f32> -> tile<tf32>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<tf32>' of width 19 to type '!cuda_tile.tile<f32>' of width 32
%a = "test.op"() : () -> !cuda_tile.tile<tf32>
%0 = cuda_tile.bitcast %a : tile<tf32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<i1>' of width 1 to type '!cuda_tile.tile<i8>' of width 8
%0 = cuda_tile.bitcast %i1 : tile<i1> -> tile<i8>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<4xf4E2M1FN>' of width 4 to type '!cuda_tile.tile<4xi8>' of width 8
%a = "test.op"() : () -> !cuda_tile.tile<4xf4E2M1FN>
%0 = cuda_tile.bitcast %a : tile<4xf4E2M1FN> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<f16>' of width 16 to type '!cuda_tile.tile<f8E5M2>' of width 8
%0 = cuda_tile.bitcast %f16 : tile<f16> -> tile<f8E5M2>

// -----

// `exti` and `trunci`.

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%0 = cuda_tile.exti %i32 unsigned : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%0 = cuda_tile.exti %i32 unsigned : tile<i32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%0 = cuda_tile.exti %i8 unsigned : tile<i8> -> tile<i4>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%0 = cuda_tile.exti %i1 unsigned : tile<i1> -> tile<i1>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%0 = cuda_tile.trunci %i32 : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%0 = cuda_tile.trunci %i8 : tile<i8> -> tile<i32>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%0 = cuda_tile.trunci %i4 : tile<i4> -> tile<i8>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%0 = cuda_tile.trunci %i1 : tile<i1> -> tile<i1>

// -----

// `itof` and `ftoi`.

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = cuda_tile.itof %i32 signed rounding<zero> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = cuda_tile.itof %i32 signed rounding<negative_inf> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = cuda_tile.itof %i32 signed rounding<positive_inf> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<approx>, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<full>, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #cuda_tile.signedness<signed>}> : (!i32) -> !f32

// -----

// CHECK: 'cuda_tile.itof' op integer to f8E8M0FNU conversion is not supported, please first convert to another float type
%0 = cuda_tile.itof %i32 unsigned : tile<i32> -> tile<f8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<zero>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<negative_inf>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<positive_inf>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<approx>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<full>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #cuda_tile.signedness<signed>}> : (!f32) -> !i32

// -----

// `ftof`: the modes of every pair of types.

// CHECK: 'cuda_tile.ftof' op converting tiles must not be a no-op
%0 = cuda_tile.ftof %f32 : tile<f32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.ftof' op converting tiles must not be a no-op
%a = "test.op"() : () -> !cuda_tile.tile<f8E8M0FNU>
%0 = cuda_tile.ftof %a : tile<f8E8M0FNU> -> tile<f8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op converting tiles must not be a no-op
%a = "test.op"() : () -> !cuda_tile.tile<fnv8E5M3FNU>
%0 = cuda_tile.ftof %a : tile<fnv8E5M3FNU> -> tile<fnv8E5M3FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%0 = cuda_tile.ftof %t2xf32 : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%0 = cuda_tile.ftof %t2xf32 rounding<nearest_away> : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf32) -> !t2xf8E8M0FNU

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%0 = cuda_tile.ftof %t2xf64 : tile<2xf64> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E4M3FN>
%0 = cuda_tile.ftof %a : tile<2xf8E4M3FN> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf32 rounding<zero> : tile<2xf32> -> tile<2xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf32 rounding<zero> : tile<2xf32> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf32 rounding<zero> : tile<2xf32> -> tile<2xf4E2M1FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf32 rounding<zero> : tile<2xf32> -> tile<2xfnv8E5M3FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf16 rounding<negative_inf> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf16 rounding<positive_inf> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = cuda_tile.ftof %t2xf16 rounding<nearest_away> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xf16) -> !cuda_tile.tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf4E2M1FN>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf4E2M1FN> -> tile<2xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf16) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xf16) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!t2xf16) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%0 = "cuda_tile.ftof"(%t2xf8E8M0FNU) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf8E8M0FNU) -> !t2xf64

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%0 = "cuda_tile.ftof"(%t2xfnv8E5M3FNU) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xfnv8E5M3FNU) -> !cuda_tile.tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%0 = cuda_tile.ftof %t2xf64 rounding<nearest_away> : tile<2xf64> -> tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf64) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xf64) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!t2xf64) -> !t2xf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : tile<2xf32> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%0 = cuda_tile.ftof %t2xf32 rounding<positive_inf> : tile<2xf32> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf32) -> !t2xtf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xf32) -> !t2xtf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!t2xf32) -> !t2xtf32

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : tile<2xf32> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf64 rounding<negative_inf> : tile<2xf64> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf64 rounding<negative_inf> : tile<2xf64> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf16 rounding<negative_inf> : tile<2xf16> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xbf16>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xbf16> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xtf32 rounding<negative_inf> : tile<2xtf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf8E8M0FNU rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf8E8M0FNU rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf8E8M0FNU rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf8E8M0FNU rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xfnv8E5M3FNU rounding<negative_inf> : tile<2xfnv8E5M3FNU> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf32 rounding<positive_inf> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = cuda_tile.ftof %t2xf32 rounding<nearest_away> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!t2xf32) -> !t2xf16

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<full>}> : (!t2xf32) -> !t2xf16

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!t2xf32) -> !t2xf16

// -----

// `pack` and `unpack`.

// CHECK: 'cuda_tile.pack' op expects source and result to be rank-1 tiles
%0 = cuda_tile.pack %f32 : tile<f32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to be rank-1 tiles
%0 = cuda_tile.pack %t2x2xf32 : tile<2x2xf32> -> tile<4x4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to be rank-1 tiles
%a = "test.op"() : () -> !cuda_tile.tile<4x4xi8>
%0 = cuda_tile.unpack %a : tile<4x4xi8> -> tile<2x2xf32>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%0 = cuda_tile.pack %t4xi8 : tile<4xi8> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%0 = cuda_tile.unpack %t4xi8 : tile<4xi8> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xf8E4M3FN>
%0 = cuda_tile.pack %a : tile<4xf8E4M3FN> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%0 = cuda_tile.unpack %t4xi8 : tile<4xi8> -> tile<4xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xf8E8M0FNU>
%0 = cuda_tile.pack %a : tile<4xf8E8M0FNU> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%0 = cuda_tile.unpack %t4xi8 : tile<4xi8> -> tile<4xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.pack' op expects source tile to be byte-aligned
%a = "test.op"() : () -> !cuda_tile.tile<4xi1>
%0 = cuda_tile.pack %a : tile<4xi1> -> tile<1xi8>

// -----

// CHECK: 'cuda_tile.pack' op expects source tile to be byte-aligned
%a = "test.op"() : () -> !cuda_tile.tile<1xi4>
%0 = cuda_tile.pack %a : tile<1xi4> -> tile<1xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects result tile to be byte-aligned
%a = "test.op"() : () -> !cuda_tile.tile<1xi8>
%0 = cuda_tile.unpack %a : tile<1xi8> -> tile<1xi4>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 4 bytes
%0 = cuda_tile.pack %t4xf32 : tile<4xf32> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 8 bytes
%a = "test.op"() : () -> !cuda_tile.tile<4xtf32>
%0 = cuda_tile.pack %a : tile<4xtf32> -> tile<8xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 16 bytes
%0 = cuda_tile.unpack %t4xi8 : tile<4xi8> -> tile<4xf32>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 2 bytes
%0 = cuda_tile.unpack %t4xi8 : tile<4xi8> -> tile<4xf4E2M1FN>

// -----

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.exti' op requires a single operand
%0 = "cuda_tile.exti"() : () -> !f32

// -----

// CHECK: 'cuda_tile.bitcast' op requires one result
%a = "test.op"() : () -> !cuda_tile.token
"cuda_tile.bitcast"(%a) : (!cuda_tile.token) -> ()

// -----

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%0 = "cuda_tile.exti"(%f32) : (!f32) -> !f32

// -----

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%0 = "cuda_tile.exti"(%i32) : (!i32) -> !t4xi8

// -----

// CHECK: 'cuda_tile.exti' op failed to verify that all of {from, to} have same shape
%0 = cuda_tile.exti %i32 signed : tile<i32> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.bitcast' op failed to verify that all of {source, result} have same shape
%0 = cuda_tile.bitcast %t4xi32 : tile<4xi32> -> tile<8xi16>

// -----

// CHECK: 'cuda_tile.itof' op integer to f8E8M0FNU conversion is not supported, please first convert to another float type
%0 = cuda_tile.itof %i32 unsigned rounding<zero> : tile<i32> -> tile<f8E8M0FNU>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%0 = cuda_tile.pack %t4xi8 : tile<4xi8> -> tile<8xi8>
