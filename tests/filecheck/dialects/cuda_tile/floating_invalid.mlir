// RUN: TILEIRAS_VERIFY_INVALID

#nearest_even = #cuda_tile.rounding<nearest_even>
#ordered = #cuda_tile.comparison_ordering<ordered>
#equal = #cuda_tile.comparison_predicate<equal>
#full = #cuda_tile.rounding<full>
#nearest_away = #cuda_tile.rounding<nearest_away>

// -----

// Operand and result types.

// CHECK: 'cuda_tile.atan2' op operand #1 must be [[float:tile of f16 or bf16 or f32 or f64 values]], but got '!token'
%0 = "cuda_tile.atan2"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.pow' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.pow"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.fma' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.fma"(%i32, %f32, %f32) <{rounding_mode = #nearest_even}> : (!i32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op operand #1 must be [[float]], but got '!i32'
%0 = "cuda_tile.fma"(%f32, %i32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !i32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op operand #2 must be [[float]], but got '!i32'
%0 = "cuda_tile.fma"(%f32, %f32, %i32) <{rounding_mode = #nearest_even}> : (!f32, !f32, !i32) -> !f32

// CHECK: 'cuda_tile.fma' op result #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32, !f32) -> !i32

// CHECK: 'cuda_tile.fpowi' op operand #0 must be [[float]], but got '!i32'
%0 = cuda_tile.fpowi %i32, %i32 : !i32, !i32

// CHECK: 'cuda_tile.fpowi' op operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!f32'
%0 = cuda_tile.fpowi %f32, %f32 : !f32, !f32

// CHECK: 'cuda_tile.fpowi' op result #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.fpowi"(%f32, %i32) : (!f32, !i32) -> !i32

// CHECK: 'cuda_tile.cmpf' op operand #0 must be [[float]], but got '!i32'
%0 = cuda_tile.cmpf equal ordered %i32, %i32 : !i32 -> !i1

// CHECK: 'cuda_tile.cmpf' op operand #1 must be [[float]], but got '!i32'
%0 = "cuda_tile.cmpf"(%f32, %i32) <{comparison_ordering = #ordered, comparison_predicate = #equal}> : (!f32, !i32) -> !i1

// CHECK: 'cuda_tile.cmpf' op result #0 must be tile of i1 values, but got '!f32'
%0 = cuda_tile.cmpf equal ordered %f32, %f32 : !f32 -> !f32

// One type for all.

// CHECK: 'cuda_tile.atan2' op [[verify_2:failed to verify that all of \{x, y, result\} have same type]]
%0 = "cuda_tile.atan2"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.pow' op [[exponent:failed to verify that all of \{result, source, exponent\} have same type]]
%0 = "cuda_tile.pow"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.fma' op [[verify_3:failed to verify that all of \{lhs, rhs, acc, result\} have same type]]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32, !f32) -> !f16

// CHECK: 'cuda_tile.cmpf' op [[operands:failed to verify that Result type has i1 element type and same shape as operands]]
%0 = cuda_tile.cmpf equal ordered %t4xf32, %t4xf32 : !t4xf32 -> !i1

// Attributes. Only the text has a default of these rounding modes.

// CHECK: 'cuda_tile.sqrt' op [[rounding:requires attribute 'rounding_mode']]
%0 = "cuda_tile.sqrt"(%f32) : (!f32) -> !f32

// CHECK: 'cuda_tile.sqrt' op [[constraint:attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute]]
%0 = "cuda_tile.sqrt"(%f32) <{rounding_mode = 0 : i32}> : (!f32) -> !f32

// CHECK: 'cuda_tile.sqrt' op [[constraint_1:attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit]]
%0 = "cuda_tile.sqrt"(%f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[rounding]]
%0 = "cuda_tile.addf"(%f32, %f32) : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[constraint]]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = 0 : i32}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[constraint_1]]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[rounding]]
%0 = "cuda_tile.subf"(%f32, %f32) : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[constraint]]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = 0 : i32}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[constraint_1]]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[rounding]]
%0 = "cuda_tile.mulf"(%f32, %f32) : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[constraint]]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = 0 : i32}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[constraint_1]]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op [[rounding]]
%0 = "cuda_tile.divf"(%f32, %f32) : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op [[constraint]]
%0 = "cuda_tile.divf"(%f32, %f32) <{rounding_mode = 0 : i32}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op [[constraint_1]]
%0 = "cuda_tile.divf"(%f32, %f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[rounding]]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[constraint]]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = 0 : i32}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[constraint_1]]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_even, flush_to_zero = true}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.exp' op [[constraint]]
%0 = "cuda_tile.exp"(%f32) <{rounding_mode = "full"}> : (!f32) -> !f32

// CHECK: 'cuda_tile.tanh' op [[constraint]]
%0 = "cuda_tile.tanh"(%f32) <{rounding_mode = "full"}> : (!f32) -> !f32

// CHECK: 'cuda_tile.exp2' op [[constraint_2:attribute 'flush_to_zero' failed to satisfy constraint: 1 : i32 should be of base attribute unit]]
%0 = "cuda_tile.exp2"(%f32) <{flush_to_zero = 1 : i32}> : (!f32) -> !f32

// CHECK: 'cuda_tile.rsqrt' op [[constraint_2]]
%0 = "cuda_tile.rsqrt"(%f32) <{flush_to_zero = 1 : i32}> : (!f32) -> !f32

// CHECK: 'cuda_tile.maxf' op [[constraint_3:attribute 'flush_to_zero' failed to satisfy constraint: "yes" should be of base attribute unit]]
%0 = "cuda_tile.maxf"(%f32, %f32) <{flush_to_zero = "yes"}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.maxf' op [[constraint_4:attribute 'propagate_nan' failed to satisfy constraint: "yes" should be of base attribute unit]]
%0 = "cuda_tile.maxf"(%f32, %f32) <{propagate_nan = "yes"}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.minf' op [[constraint_3]]
%0 = "cuda_tile.minf"(%f32, %f32) <{flush_to_zero = "yes"}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.minf' op [[constraint_4]]
%0 = "cuda_tile.minf"(%f32, %f32) <{propagate_nan = "yes"}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.cmpf' op requires attribute 'comparison_predicate'
%0 = "cuda_tile.cmpf"(%f32, %f32) <{comparison_ordering = #ordered}> : (!f32, !f32) -> !i1

// CHECK: 'cuda_tile.cmpf' op requires attribute 'comparison_ordering'
%0 = "cuda_tile.cmpf"(%f32, %f32) <{comparison_predicate = #equal}> : (!f32, !f32) -> !i1

// CHECK: 'cuda_tile.cmpf' op attribute 'comparison_ordering' failed to satisfy constraint: Comparison ordering attribute
%0 = "cuda_tile.cmpf"(%f32, %f32) <{comparison_ordering = 1 : i32, comparison_predicate = #equal}> : (!f32, !f32) -> !i1

// Rounding modes, as far as the text can say them.

// CHECK: 'cuda_tile.fma' op [[specified:invalid rounding mode specified, expect one of]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #full}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_away}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx, full]
%0 = cuda_tile.divf %f32, %f32 rounding<nearest_away> : !f32

// CHECK: 'cuda_tile.sqrt' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx]
%0 = cuda_tile.sqrt %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: 'cuda_tile.sqrt' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx]
%0 = cuda_tile.sqrt %f32 rounding<nearest_away> : !f32

// Modifiers that need f32.

// CHECK: 'cuda_tile.exp2' op [[supported:flush_to_zero modifier only supported for f32 data type, but got: 'f16']]
%0 = cuda_tile.exp2 %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.rsqrt' op [[supported]]
%0 = cuda_tile.rsqrt %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.sqrt' op [[supported]]
%0 = cuda_tile.sqrt %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.divf' op approx modifier only supported for f32 data type, but got: 'bf16'
%0 = cuda_tile.divf %bf16, %bf16 rounding<approx> : !bf16

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.addf' op expected 2 operands, but found 1
%0 = "cuda_tile.addf"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.absf' op requires a single operand
%0 = "cuda_tile.absf"(%i32, %i32) : (!i32, !i32) -> !f32

// CHECK: 'cuda_tile.fma' op requires one result
%0, %1 = "cuda_tile.fma"(%f32, %f32, %f32) : (!f32, !f32, !f32) -> (!f32, !i32)

// CHECK: 'cuda_tile.addf' op [[rounding]]
%0 = "cuda_tile.addf"(%i32, %i32) : (!i32, !i32) -> !f32

// CHECK: 'cuda_tile.addf' op [[rounding]]
%0 = "cuda_tile.addf"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.addf' op [[verify_1:failed to verify that all of \{lhs, rhs, result\} have same type]]
%0 = "cuda_tile.addf"(%f32, %f16) <{flush_to_zero, rounding_mode = #full}> : (!f32, !f16) -> !f16

// CHECK: 'cuda_tile.fpowi' op [[verify_4:failed to verify that all of \{result, source\} have same type]]
%0 = "cuda_tile.fpowi"(%t4xf32, %i32) : (!t4xf32, !i32) -> !f32

// CHECK: 'cuda_tile.divf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx, full]
%0 = cuda_tile.divf %f16, %f16 rounding<nearest_away> flush_to_zero : !f16

// CHECK: 'cuda_tile.divf' op [[supported]]
%0 = cuda_tile.divf %f16, %f16 rounding<full> flush_to_zero : !f16

// CHECK: 'cuda_tile.sqrt' op [[supported]]
%0 = cuda_tile.sqrt %f16 rounding<approx> flush_to_zero : !f16
