// RUN: TILEIRAS_VERIFY_INVALID

#nearest_even = #cuda_tile.rounding<nearest_even>
#ordered = #cuda_tile.comparison_ordering<ordered>
#equal = #cuda_tile.comparison_predicate<equal>
#approx = #cuda_tile.rounding<approx>
#full = #cuda_tile.rounding<full>
#nearest_away = #cuda_tile.rounding<nearest_away>

// -----

// Operand and result types.

// CHECK: 'cuda_tile.absf' op operand #0 must be [[float:tile of f16 or bf16 or f32 or f64 values]], but got '!i32'
%0 = "cuda_tile.absf"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.absf' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.absf"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.negf' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.negf"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.negf' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.negf"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.ceil' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.ceil"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.ceil' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.ceil"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.floor' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.floor"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.floor' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.floor"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.sin' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.sin"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.sin' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.sin"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.cos' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.cos"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.cos' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.cos"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.tan' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.tan"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.tan' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.tan"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.sinh' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.sinh"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.sinh' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.sinh"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.cosh' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.cosh"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.cosh' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.cosh"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.log' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.log"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.log' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.log"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.log2' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.log2"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.log2' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.log2"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.exp' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.exp"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.exp' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.exp"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.tanh' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.tanh"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.tanh' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.tanh"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.exp2' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.exp2"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.exp2' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.exp2"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.rsqrt' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.rsqrt"(%i32) : (!i32) -> !f32

// CHECK: 'cuda_tile.rsqrt' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.rsqrt"(%f32) : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.sqrt' op operand #0 must be [[float]], but got '!i32'
%0 = "cuda_tile.sqrt"(%i32) <{rounding_mode = #nearest_even}> : (!i32) -> !f32

// CHECK: 'cuda_tile.sqrt' op result #0 must be [[float]], but got '!f8E5M2'
%0 = "cuda_tile.sqrt"(%f32) <{rounding_mode = #nearest_even}> : (!f32) -> !f8E5M2

// CHECK: 'cuda_tile.addf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.addf"(%tf32, %f32) <{rounding_mode = #nearest_even}> : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.addf"(%f32, %token) <{rounding_mode = #nearest_even}> : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.addf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.subf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.subf"(%tf32, %f32) <{rounding_mode = #nearest_even}> : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.subf"(%f32, %token) <{rounding_mode = #nearest_even}> : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.subf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.mulf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.mulf"(%tf32, %f32) <{rounding_mode = #nearest_even}> : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.mulf"(%f32, %token) <{rounding_mode = #nearest_even}> : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.mulf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.divf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.divf"(%tf32, %f32) <{rounding_mode = #nearest_even}> : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.divf"(%f32, %token) <{rounding_mode = #nearest_even}> : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.divf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.divf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.remf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.remf"(%tf32, %f32) : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.remf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.remf"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.remf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.remf"(%f32, %f32) : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.atan2' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.atan2"(%tf32, %f32) : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.atan2' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.atan2"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.atan2' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.atan2"(%f32, %f32) : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.pow' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.pow"(%tf32, %f32) : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.pow' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.pow"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.pow' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.pow"(%f32, %f32) : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.maxf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.maxf"(%tf32, %f32) : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.maxf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.maxf"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.maxf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.maxf"(%f32, %f32) : (!f32, !f32) -> !f8E4M3FN

// CHECK: 'cuda_tile.minf' op operand #0 must be [[float]], but got '!tf32'
%0 = "cuda_tile.minf"(%tf32, %f32) : (!tf32, !f32) -> !f32

// CHECK: 'cuda_tile.minf' op operand #1 must be [[float]], but got '!token'
%0 = "cuda_tile.minf"(%f32, %token) : (!f32, !token) -> !f32

// CHECK: 'cuda_tile.minf' op result #0 must be [[float]], but got '!f8E4M3FN'
%0 = "cuda_tile.minf"(%f32, %f32) : (!f32, !f32) -> !f8E4M3FN

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

// CHECK: 'cuda_tile.fpowi' op operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!i64'
%0 = cuda_tile.fpowi %f32, %i64 : !f32, !i64

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

// CHECK: 'cuda_tile.absf' op [[verify:failed to verify that all of \{source, result\} have same type]]
%0 = "cuda_tile.absf"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.negf' op [[verify]]
%0 = "cuda_tile.negf"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.ceil' op [[verify]]
%0 = "cuda_tile.ceil"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.floor' op [[verify]]
%0 = "cuda_tile.floor"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.sin' op [[verify]]
%0 = "cuda_tile.sin"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.cos' op [[verify]]
%0 = "cuda_tile.cos"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.tan' op [[verify]]
%0 = "cuda_tile.tan"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.sinh' op [[verify]]
%0 = "cuda_tile.sinh"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.cosh' op [[verify]]
%0 = "cuda_tile.cosh"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.log' op [[verify]]
%0 = "cuda_tile.log"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.log2' op [[verify]]
%0 = "cuda_tile.log2"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.exp' op [[verify]]
%0 = "cuda_tile.exp"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.tanh' op [[verify]]
%0 = "cuda_tile.tanh"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.exp2' op [[verify]]
%0 = "cuda_tile.exp2"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.rsqrt' op [[verify]]
%0 = "cuda_tile.rsqrt"(%f32) : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.sqrt' op [[verify]]
%0 = "cuda_tile.sqrt"(%f32) <{rounding_mode = #nearest_even}> : (!f32) -> !t4xf32

// CHECK: 'cuda_tile.addf' op [[verify_1:failed to verify that all of \{lhs, rhs, result\} have same type]]
%0 = "cuda_tile.addf"(%f32, %f16) <{rounding_mode = #nearest_even}> : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.addf' op [[verify_1]]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.subf' op [[verify_1]]
%0 = "cuda_tile.subf"(%f32, %f16) <{rounding_mode = #nearest_even}> : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.subf' op [[verify_1]]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.mulf' op [[verify_1]]
%0 = "cuda_tile.mulf"(%f32, %f16) <{rounding_mode = #nearest_even}> : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.mulf' op [[verify_1]]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.divf' op [[verify_1]]
%0 = "cuda_tile.divf"(%f32, %f16) <{rounding_mode = #nearest_even}> : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.divf' op [[verify_1]]
%0 = "cuda_tile.divf"(%f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.remf' op [[verify_1]]
%0 = "cuda_tile.remf"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.remf' op [[verify_1]]
%0 = "cuda_tile.remf"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.atan2' op [[verify_2:failed to verify that all of \{x, y, result\} have same type]]
%0 = "cuda_tile.atan2"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.atan2' op [[verify_2]]
%0 = "cuda_tile.atan2"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.pow' op [[exponent:failed to verify that all of \{result, source, exponent\} have same type]]
%0 = "cuda_tile.pow"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.pow' op [[exponent]]
%0 = "cuda_tile.pow"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.maxf' op [[verify_1]]
%0 = "cuda_tile.maxf"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.maxf' op [[verify_1]]
%0 = "cuda_tile.maxf"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.minf' op [[verify_1]]
%0 = "cuda_tile.minf"(%f32, %f16) : (!f32, !f16) -> !f32

// CHECK: 'cuda_tile.minf' op [[verify_1]]
%0 = "cuda_tile.minf"(%f32, %f32) : (!f32, !f32) -> !t1xf32

// CHECK: 'cuda_tile.fma' op [[verify_3:failed to verify that all of \{lhs, rhs, acc, result\} have same type]]
%0 = "cuda_tile.fma"(%f32, %f32, %f16) <{rounding_mode = #nearest_even}> : (!f32, !f32, !f16) -> !f32

// CHECK: 'cuda_tile.fma' op [[verify_3]]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_even}> : (!f32, !f32, !f32) -> !f16

// CHECK: 'cuda_tile.fpowi' op [[verify_4:failed to verify that all of \{result, source\} have same type]]
%0 = "cuda_tile.fpowi"(%f32, %i32) : (!f32, !i32) -> !f16

// CHECK: 'cuda_tile.fpowi' op failed to verify that all of {source, exponent} have same shape
%0 = cuda_tile.fpowi %t4xf32, %i32 : !t4xf32, !i32

// CHECK: 'cuda_tile.cmpf' op failed to verify that all of {lhs, rhs} have same type
%0 = "cuda_tile.cmpf"(%f32, %f16) <{comparison_ordering = #ordered, comparison_predicate = #equal}> : (!f32, !f16) -> !i1

// CHECK: 'cuda_tile.cmpf' op [[operands:failed to verify that Result type has i1 element type and same shape as operands]]
%0 = cuda_tile.cmpf equal ordered %t4xf32, %t4xf32 : !t4xf32 -> !i1

// CHECK: 'cuda_tile.cmpf' op [[operands]]
%0 = cuda_tile.cmpf equal ordered %f32, %f32 : !f32 -> !t2xi1

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

// CHECK: 'cuda_tile.addf' op [[specified:invalid rounding mode specified, expect one of]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #approx}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #full}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.addf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.addf"(%f32, %f32) <{rounding_mode = #nearest_away}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #approx}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #full}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.subf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.subf"(%f32, %f32) <{rounding_mode = #nearest_away}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #approx}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #full}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.mulf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.mulf"(%f32, %f32) <{rounding_mode = #nearest_away}> : (!f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #approx}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #full}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.fma' op [[specified]] [nearest_even, zero, negative_inf, positive_inf]
%0 = "cuda_tile.fma"(%f32, %f32, %f32) <{rounding_mode = #nearest_away}> : (!f32, !f32, !f32) -> !f32

// CHECK: 'cuda_tile.divf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx, full]
%0 = cuda_tile.divf %f32, %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: 'cuda_tile.divf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx, full]
%0 = cuda_tile.divf %f32, %f32 rounding<nearest_away> : !f32

// CHECK: 'cuda_tile.sqrt' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx]
%0 = cuda_tile.sqrt %f32 rounding<full> : !f32

// CHECK: 'cuda_tile.sqrt' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx]
%0 = cuda_tile.sqrt %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: 'cuda_tile.sqrt' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx]
%0 = cuda_tile.sqrt %f32 rounding<nearest_away> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<nearest_even> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<zero> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<negative_inf> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<positive_inf> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: 'cuda_tile.exp' op [[specified]] [approx, full]
%0 = cuda_tile.exp %f32 rounding<nearest_away> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<nearest_even> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<zero> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<negative_inf> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<positive_inf> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<nearest_int_to_zero> : !f32

// CHECK: 'cuda_tile.tanh' op [[specified]] [approx, full]
%0 = cuda_tile.tanh %f32 rounding<nearest_away> : !f32

// Modifiers that need f32.

// CHECK: 'cuda_tile.exp2' op [[supported:flush_to_zero modifier only supported for f32 data type, but got: 'f16']]
%0 = cuda_tile.exp2 %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.rsqrt' op [[supported]]
%0 = cuda_tile.rsqrt %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.sqrt' op [[supported]]
%0 = cuda_tile.sqrt %f16 flush_to_zero : !f16

// CHECK: 'cuda_tile.addf' op [[supported_1:flush_to_zero modifier only supported for f32 data type, but got: 'bf16']]
%0 = cuda_tile.addf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.subf' op [[supported_1]]
%0 = cuda_tile.subf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.mulf' op [[supported_1]]
%0 = cuda_tile.mulf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.divf' op [[supported_1]]
%0 = cuda_tile.divf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.maxf' op [[supported_1]]
%0 = cuda_tile.maxf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.minf' op [[supported_1]]
%0 = cuda_tile.minf %t4xbf16, %t4xbf16 flush_to_zero : !t4xbf16

// CHECK: 'cuda_tile.fma' op flush_to_zero modifier only supported for f32 data type, but got: 'f64'
%0 = cuda_tile.fma %f64, %f64, %f64 flush_to_zero : !f64

// CHECK: 'cuda_tile.exp' op [[supported_2:approx modifier only supported for f32 data type, but got: 'f16']]
%0 = cuda_tile.exp %f16 rounding<approx> : !f16

// CHECK: 'cuda_tile.tanh' op [[supported_2]]
%0 = cuda_tile.tanh %f16 rounding<approx> : !f16

// CHECK: 'cuda_tile.sqrt' op [[supported_2]]
%0 = cuda_tile.sqrt %f16 rounding<approx> : !f16

// CHECK: 'cuda_tile.divf' op approx modifier only supported for f32 data type, but got: 'bf16'
%0 = cuda_tile.divf %bf16, %bf16 rounding<approx> : !bf16

// CHECK: 'cuda_tile.divf' op full modifier only supported for f32 data type, but got: 'f64'
%0 = cuda_tile.divf %f64, %f64 rounding<full> : !f64

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

// CHECK: 'cuda_tile.addf' op [[verify_1]]
%0 = "cuda_tile.addf"(%f32, %f16) <{flush_to_zero, rounding_mode = #full}> : (!f32, !f16) -> !f16

// CHECK: 'cuda_tile.fpowi' op [[verify_4]]
%0 = "cuda_tile.fpowi"(%t4xf32, %i32) : (!t4xf32, !i32) -> !f32

// CHECK: 'cuda_tile.divf' op [[specified]] [nearest_even, zero, negative_inf, positive_inf, approx, full]
%0 = cuda_tile.divf %f16, %f16 rounding<nearest_away> flush_to_zero : !f16

// CHECK: 'cuda_tile.divf' op [[supported]]
%0 = cuda_tile.divf %f16, %f16 rounding<full> flush_to_zero : !f16

// CHECK: 'cuda_tile.sqrt' op [[supported]]
%0 = cuda_tile.sqrt %f16 rounding<approx> flush_to_zero : !f16
