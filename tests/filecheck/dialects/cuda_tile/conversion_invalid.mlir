// RUN: TILEIRAS_VERIFY_INVALID

#nearest_int_to_zero = #cuda_tile.rounding<nearest_int_to_zero>
#signed = #cuda_tile.signedness<signed>
#approx = #cuda_tile.rounding<approx>
#full = #cuda_tile.rounding<full>

// -----

// Operand and result types.

// CHECK: 'cuda_tile.bitcast' op operand #0 must be [[int:tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values]], but got '!ptr_f32'
%0 = cuda_tile.bitcast %ptr_f32 : !ptr_f32 -> !i64

// CHECK: 'cuda_tile.bitcast' op operand #0 must be [[int]], but got '!t2xi4'
%0 = cuda_tile.bitcast %t2xi4 : !t2xi4 -> !t2xf4E2M1FN

// CHECK: 'cuda_tile.bitcast' op result #0 must be [[int]], but got '!ptr_f32'
%0 = cuda_tile.bitcast %i64 : !i64 -> !ptr_f32

// CHECK: 'cuda_tile.bitcast' op result #0 must be [[int]], but got '!token'
%0 = cuda_tile.bitcast %i64 : !i64 -> token

// CHECK: 'cuda_tile.exti' op operand #0 must be [[int_1:tile of i1 or i8 or i16 or i32 or i64 or i4 values]], but got '!f16'
%0 = cuda_tile.exti %f16 signed : !f16 -> !i32

// CHECK: 'cuda_tile.exti' op result #0 must be [[int_1]], but got '!f32'
%0 = cuda_tile.exti %i8 signed : !i8 -> !f32

// CHECK: 'cuda_tile.trunci' op operand #0 must be [[int_1]], but got '!f32'
%0 = cuda_tile.trunci %f32 : !f32 -> !i8

// CHECK: 'cuda_tile.ftof' op result #0 must be [[float:tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values]], but got '!i32'
%0 = cuda_tile.ftof %f32 : !f32 -> !i32

// CHECK: 'cuda_tile.ftoi' op operand #0 must be [[float]], but got '!i32'
%0 = cuda_tile.ftoi %i32 signed : !i32 -> !i32

// CHECK: 'cuda_tile.ftoi' op result #0 must be [[int_2:tile of i1 or i8 or i16 or i32 or i64 values]], but got '!i4'
%0 = cuda_tile.ftoi %f32 signed : !f32 -> !i4

// CHECK: 'cuda_tile.ftoi' op result #0 must be [[int_2]], but got '!f32'
%0 = cuda_tile.ftoi %f32 signed : !f32 -> !f32

// CHECK: 'cuda_tile.itof' op operand #0 must be [[int_2]], but got '!i4'
%0 = cuda_tile.itof %i4 signed : !i4 -> !f32

// CHECK: 'cuda_tile.itof' op operand #0 must be [[int_2]], but got '!f32'
%0 = cuda_tile.itof %f32 signed : !f32 -> !f32

// CHECK: 'cuda_tile.itof' op result #0 must be [[float]], but got '!i32'
%0 = cuda_tile.itof %i32 signed : !i32 -> !i32

// CHECK: 'cuda_tile.int_to_ptr' op result #0 must be [[tile:tile of Pointer type values]], but got '!i64'
%0 = cuda_tile.int_to_ptr %i64 : !i64 -> !i64

// CHECK: 'cuda_tile.ptr_to_int' op operand #0 must be [[tile]], but got '!i64'
%0 = cuda_tile.ptr_to_int %i64 : !i64 -> !i64

// CHECK: 'cuda_tile.ptr_to_ptr' op result #0 must be [[tile]], but got '!i64'
%0 = cuda_tile.ptr_to_ptr %ptr_f32 : !ptr_f32 -> !i64

// CHECK: 'cuda_tile.pack' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i4 values, but got '!t4xptr_f32'
%0 = cuda_tile.pack %t4xptr_f32 : !t4xptr_f32 -> !t32xi8

// One shape, or one rank.

// CHECK: 'cuda_tile.exti' op [[verify_1:failed to verify that all of \{from, to\} have same shape]]
%0 = cuda_tile.exti %t4xi8 signed : !t4xi8 -> !t8xi32

// CHECK: 'cuda_tile.unpack' op [[verify_2:failed to verify that all of \{source, result\} have same rank]]
%0 = cuda_tile.unpack %t16xi8 : !t16xi8 -> !t2x2xf32

// Attributes.

// CHECK: 'cuda_tile.exti' op [[signedness:requires attribute 'signedness']]
%0 = "cuda_tile.exti"(%i32) : (!i32) -> !i64

// CHECK: 'cuda_tile.exti' op [[constraint:attribute 'signedness' failed to satisfy constraint: Signedness attribute]]
%0 = "cuda_tile.exti"(%i32) <{signedness = "signed"}> : (!i32) -> !i64

// CHECK: 'cuda_tile.ftoi' op [[signedness]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #nearest_int_to_zero}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[constraint]]
%0 = "cuda_tile.ftoi"(%f32) <{signedness = "signed", rounding_mode = #nearest_int_to_zero}> : (!f32) -> !i32

// CHECK: 'cuda_tile.itof' op [[signedness]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[constraint]]
%0 = "cuda_tile.itof"(%i32) <{signedness = "signed", rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!i32) -> !f32

// CHECK: 'cuda_tile.ftoi' op requires attribute 'rounding_mode'
%0 = "cuda_tile.ftoi"(%f32) <{signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[constraint_1:attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = 0 : i32, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.itof' op requires attribute 'rounding_mode'
%0 = "cuda_tile.itof"(%i32) <{signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[constraint_1]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = 0 : i32, signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.ftoi' op attribute 'saturating' failed to satisfy constraint: true should be of base attribute unit
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #nearest_int_to_zero, saturating = true, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftof' op [[constraint_1]]
%0 = "cuda_tile.ftof"(%f32) <{rounding_mode = "zero"}> : (!f32) -> !f16

// CHECK: 'cuda_tile.trunci' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%0 = "cuda_tile.trunci"(%i32) <{overflow = 0 : i32}> : (!i32) -> !i8

// `bitcast`.

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!t4xf32' of width 32 to type '!t4xi64' of width 64
%0 = cuda_tile.bitcast %t4xf32 : !t4xf32 -> !t4xi64

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!f32' of width 32 to type '!tf32' of width 19
%0 = cuda_tile.bitcast %f32 : !f32 -> !tf32

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!tf32' of width 19 to type '!f32' of width 32
%0 = cuda_tile.bitcast %tf32 : !tf32 -> !f32

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!i1' of width 1 to type '!i8' of width 8
%0 = cuda_tile.bitcast %i1 : !i1 -> !i8

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!t4xf4E2M1FN' of width 4 to type '!t4xi8' of width 8
%0 = cuda_tile.bitcast %t4xf4E2M1FN : !t4xf4E2M1FN -> !t4xi8

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!f16' of width 16 to type '!f8E5M2' of width 8
%0 = cuda_tile.bitcast %f16 : !f16 -> !f8E5M2

// `exti` and `trunci`.

// CHECK: 'cuda_tile.exti' op [[identical:extending to smaller or identical integer]]
%0 = cuda_tile.exti %i32 unsigned : !i32 -> !i8

// CHECK: 'cuda_tile.exti' op [[identical]]
%0 = cuda_tile.exti %i8 unsigned : !i8 -> !i4

// CHECK: 'cuda_tile.exti' op [[identical]]
%0 = cuda_tile.exti %i1 unsigned : !i1 -> !i1

// CHECK: 'cuda_tile.trunci' op [[truncating:truncating to larger or identical integer]]
%0 = cuda_tile.trunci %i8 : !i8 -> !i32

// CHECK: 'cuda_tile.trunci' op [[truncating]]
%0 = cuda_tile.trunci %i4 : !i4 -> !i8

// CHECK: 'cuda_tile.trunci' op [[truncating]]
%0 = cuda_tile.trunci %i1 : !i1 -> !i1

// `itof` and `ftoi`.

// CHECK: 'cuda_tile.itof' op [[supported:invalid rounding mode specified\. Only 'nearest_even' is supported]]
%0 = cuda_tile.itof %i32 signed rounding<negative_inf> : !i32 -> !f32

// CHECK: 'cuda_tile.itof' op [[supported]]
%0 = cuda_tile.itof %i32 signed rounding<positive_inf> : !i32 -> !f32

// CHECK: 'cuda_tile.itof' op [[supported]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #approx, signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[supported]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #full, signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[supported]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #nearest_int_to_zero, signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[supported]]
%0 = "cuda_tile.itof"(%i32) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #signed}> : (!i32) -> !f32

// CHECK: 'cuda_tile.itof' op [[conversion:integer to f8E8M0FNU conversion is not supported, please first convert to another float type]]
%0 = cuda_tile.itof %i32 unsigned : !i32 -> !f8E8M0FNU

// CHECK: 'cuda_tile.ftoi' op [[supported_1:invalid rounding mode specified\. Only 'nearest_int_to_zero' is supported]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[supported_1]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<negative_inf>, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[supported_1]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<positive_inf>, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[supported_1]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #approx, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[supported_1]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #full, signedness = #signed}> : (!f32) -> !i32

// CHECK: 'cuda_tile.ftoi' op [[supported_1]]
%0 = "cuda_tile.ftoi"(%f32) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #signed}> : (!f32) -> !i32

// `ftof`: the modes of every pair of types.

// CHECK: 'cuda_tile.ftof' op [[conversion_1:invalid rounding mode specified for conversion to f8E8M0FNU\. Only 'zero' and 'positive_inf' are supported]]
%0 = cuda_tile.ftof %t2xf32 : !t2xf32 -> !t2xf8E8M0FNU

// CHECK: 'cuda_tile.ftof' op [[conversion_1]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #approx}> : (!t2xf32) -> !t2xf8E8M0FNU

// CHECK: 'cuda_tile.ftof' op [[conversion_2:invalid rounding mode specified for conversion to low-precision type\. Only 'nearest_even' is supported]]
%0 = cuda_tile.ftof %t2xf32 rounding<zero> : !t2xf32 -> !t2xf8E4M3FN

// CHECK: 'cuda_tile.ftof' op [[conversion_2]]
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #full}> : (!t2xf16) -> !t2xf8E5M2

// CHECK: 'cuda_tile.ftof' op [[conversion_3:invalid rounding mode specified for widening conversion\. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away']]
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #approx}> : (!t2xf16) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_3]]
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #full}> : (!t2xf16) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_3]]
%0 = "cuda_tile.ftof"(%t2xf16) <{rounding_mode = #nearest_int_to_zero}> : (!t2xf16) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_3]]
%0 = "cuda_tile.ftof"(%t2xf8E8M0FNU) <{rounding_mode = #approx}> : (!t2xf8E8M0FNU) -> !t2xf64

// CHECK: 'cuda_tile.ftof' op [[conversion_3]]
%0 = "cuda_tile.ftof"(%t2xfnv8E5M3FNU) <{rounding_mode = #full}> : (!t2xfnv8E5M3FNU) -> !t2xbf16

// CHECK: 'cuda_tile.ftof' op [[conversion_4:invalid rounding mode specified for conversion from f64 to f32\. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported]]
%0 = cuda_tile.ftof %t2xf64 rounding<nearest_away> : !t2xf64 -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_4]]
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #approx}> : (!t2xf64) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_4]]
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #full}> : (!t2xf64) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_4]]
%0 = "cuda_tile.ftof"(%t2xf64) <{rounding_mode = #nearest_int_to_zero}> : (!t2xf64) -> !t2xf32

// CHECK: 'cuda_tile.ftof' op [[conversion_5:invalid rounding mode specified for conversion from f32 to tf32\. Only 'nearest_even', 'zero', and 'nearest_away' are supported]]
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : !t2xf32 -> !t2xtf32

// CHECK: 'cuda_tile.ftof' op [[conversion_5]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #approx}> : (!t2xf32) -> !t2xtf32

// CHECK: 'cuda_tile.ftof' op [[conversion_5]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #full}> : (!t2xf32) -> !t2xtf32

// CHECK: 'cuda_tile.ftof' op [[conversion_5]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #nearest_int_to_zero}> : (!t2xf32) -> !t2xtf32

// CHECK: 'cuda_tile.ftof' op [[conversions:invalid rounding mode specified\. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types]]
%0 = cuda_tile.ftof %t2xf32 rounding<negative_inf> : !t2xf32 -> !t2xf16

// CHECK: 'cuda_tile.ftof' op [[conversions]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #approx}> : (!t2xf32) -> !t2xf16

// CHECK: 'cuda_tile.ftof' op [[conversions]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #full}> : (!t2xf32) -> !t2xf16

// CHECK: 'cuda_tile.ftof' op [[conversions]]
%0 = "cuda_tile.ftof"(%t2xf32) <{rounding_mode = #nearest_int_to_zero}> : (!t2xf32) -> !t2xf16

// `pack` and `unpack`.

// CHECK: 'cuda_tile.pack' op [[expects:expects source and result to be rank-1 tiles]]
%0 = cuda_tile.pack %t2x2xf32 : !t2x2xf32 -> !t4x4xi8

// CHECK: 'cuda_tile.unpack' op [[expects]]
%0 = cuda_tile.unpack %t4x4xi8 : !t4x4xi8 -> !t2x2xf32

// CHECK: 'cuda_tile.unpack' op [[different:expects source and result to have different element type widths]]
%0 = cuda_tile.unpack %t4xi8 : !t4xi8 -> !t4xi8

// CHECK: 'cuda_tile.pack' op [[different]]
%0 = cuda_tile.pack %t4xf8E4M3FN : !t4xf8E4M3FN -> !t4xi8

// CHECK: 'cuda_tile.unpack' op [[different]]
%0 = cuda_tile.unpack %t4xi8 : !t4xi8 -> !t4xf8E4M3FN

// CHECK: 'cuda_tile.pack' op [[different]]
%0 = cuda_tile.pack %t4xf8E8M0FNU : !t4xf8E8M0FNU -> !t4xi8

// CHECK: 'cuda_tile.unpack' op [[different]]
%0 = cuda_tile.unpack %t4xi8 : !t4xi8 -> !t4xf8E8M0FNU

// CHECK: 'cuda_tile.pack' op expects source tile to be byte-aligned
%0 = cuda_tile.pack %t1xi4 : !t1xi4 -> !t1xi8

// CHECK: 'cuda_tile.pack' op expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 8 bytes
%0 = cuda_tile.pack %t4xtf32 : !t4xtf32 -> !t8xi8

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 16 bytes
%0 = cuda_tile.unpack %t4xi8 : !t4xi8 -> !t4xf32

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 2 bytes
%0 = cuda_tile.unpack %t4xi8 : !t4xi8 -> !t4xf4E2M1FN

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.exti' op requires a single operand
%0 = "cuda_tile.exti"() : () -> !f32

// CHECK: 'cuda_tile.bitcast' op requires one result
"cuda_tile.bitcast"(%token) : (!token) -> ()

// CHECK: 'cuda_tile.exti' op [[signedness]]
%0 = "cuda_tile.exti"(%f32) : (!f32) -> !f32

// CHECK: 'cuda_tile.exti' op [[signedness]]
%0 = "cuda_tile.exti"(%i32) : (!i32) -> !t4xi8

// CHECK: 'cuda_tile.bitcast' op [[verify:failed to verify that all of \{source, result\} have same shape]]
%0 = cuda_tile.bitcast %t4xi32 : !t4xi32 -> !t8xi16

// CHECK: 'cuda_tile.itof' op [[conversion]]
%0 = cuda_tile.itof %i32 unsigned rounding<zero> : !i32 -> !f8E8M0FNU

// CHECK: 'cuda_tile.pack' op [[different]]
%0 = cuda_tile.pack %t4xi8 : !t4xi8 -> !t8xi8
