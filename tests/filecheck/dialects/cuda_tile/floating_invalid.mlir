// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Operand and result types.

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.absf"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.absf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.absf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.negf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.negf"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.negf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.negf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.ceil' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.ceil"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.ceil' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ceil"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.floor' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.floor"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.floor' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.floor"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.sin' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.sin"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.sin' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sin"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.cos' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.cos"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.cos' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cos"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.tan' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.tan"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.tan' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.tan"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.sinh' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.sinh"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.sinh' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sinh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.cosh' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.cosh"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.cosh' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cosh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.log' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.log"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.log' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.log"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.log2' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.log2"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.log2' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.log2"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.exp' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.exp"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.tanh' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.tanh"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.tanh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.exp2' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.exp2"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.exp2' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp2"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.rsqrt' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.rsqrt"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.rsqrt' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.rsqrt"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.sqrt' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E5M2>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E5M2>

// -----

// CHECK: 'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.subf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.mulf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.divf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.divf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.remf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.remf"(%a, %b) : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.remf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.remf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.remf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.remf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.atan2' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.atan2"(%a, %b) : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.atan2' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.atan2"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.atan2' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.atan2"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.pow' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.pow"(%a, %b) : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.pow' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.pow"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.pow' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.pow"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.maxf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.maxf"(%a, %b) : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.maxf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.maxf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.maxf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.maxf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.minf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<tf32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.minf"(%a, %b) : (!cuda_tile.tile<tf32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.minf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.token)
%0 = "cuda_tile.minf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.token) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.minf' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<f8E4M3FN>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.minf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f8E4M3FN>

// -----

// CHECK: 'cuda_tile.fma' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fma"(%b, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fma"(%a, %b, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op operand #2 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fma"(%a, %a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.fpowi' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.fpowi %a, %a : tile<i32>, tile<i32>

// -----

// CHECK: 'cuda_tile.fpowi' op operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!cuda_tile.tile<i64>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i64>)
%0 = cuda_tile.fpowi %a, %b : tile<f32>, tile<i64>

// -----

// CHECK: 'cuda_tile.fpowi' op operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.fpowi %a, %a : tile<f32>, tile<f32>

// -----

// CHECK: 'cuda_tile.fpowi' op result #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fpowi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.cmpf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpf equal ordered %a, %a : tile<i32> -> tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op operand #1 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.cmpf"(%a, %b) <{comparison_ordering = #cuda_tile.comparison_ordering<ordered>, comparison_predicate = #cuda_tile.comparison_predicate<equal>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op result #0 must be tile of i1 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf equal ordered %a, %a : tile<f32> -> tile<f32>

// -----

// One type for all.

// CHECK: 'cuda_tile.absf' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.absf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.negf' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.negf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.ceil' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ceil"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.floor' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.floor"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.sin' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sin"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.cos' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cos"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.tan' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.tan"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.sinh' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sinh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.cosh' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cosh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.log' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.log"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.log2' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.log2"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.exp' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.tanh' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.tanh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.exp2' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp2"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.rsqrt' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.rsqrt"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.sqrt' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<4xf32>

// -----

// CHECK: 'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.subf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.mulf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.divf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.divf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.remf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.remf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.remf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.remf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.atan2' op failed to verify that all of {x, y, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.atan2"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.atan2' op failed to verify that all of {x, y, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.atan2"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.pow' op failed to verify that all of {result, source, exponent} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.pow"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.pow' op failed to verify that all of {result, source, exponent} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.pow"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.maxf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.maxf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.maxf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.maxf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.minf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.minf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.minf' op failed to verify that all of {lhs, rhs, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.minf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<1xf32>

// -----

// CHECK: 'cuda_tile.fma' op failed to verify that all of {lhs, rhs, acc, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.fma"(%a, %a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op failed to verify that all of {lhs, rhs, acc, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>

// -----

// CHECK: 'cuda_tile.fpowi' op failed to verify that all of {result, source} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fpowi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f16>

// -----

// CHECK: 'cuda_tile.fpowi' op failed to verify that all of {source, exponent} have same shape
%a, %b = "test.op"() : () -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>)
%0 = cuda_tile.fpowi %a, %b : tile<4xf32>, tile<i32>

// -----

// CHECK: 'cuda_tile.cmpf' op failed to verify that all of {lhs, rhs} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.cmpf"(%a, %b) <{comparison_ordering = #cuda_tile.comparison_ordering<ordered>, comparison_predicate = #cuda_tile.comparison_predicate<equal>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op failed to verify that Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.cmpf equal ordered %a, %a : tile<4xf32> -> tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op failed to verify that Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpf equal ordered %a, %a : tile<f32> -> tile<2xi1>

// -----

// Attributes. Only the text has a default of these rounding modes.

// CHECK: 'cuda_tile.sqrt' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sqrt"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sqrt"(%a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.divf"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.divf"(%a, %a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.divf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = 0 : i32}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op attribute 'flush_to_zero' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, flush_to_zero = true}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp"(%a) <{rounding_mode = "full"}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.tanh"(%a) <{rounding_mode = "full"}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.exp2' op attribute 'flush_to_zero' failed to satisfy constraint: 1 : i32 should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exp2"(%a) <{flush_to_zero = 1 : i32}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.rsqrt' op attribute 'flush_to_zero' failed to satisfy constraint: 1 : i32 should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.rsqrt"(%a) <{flush_to_zero = 1 : i32}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.maxf' op attribute 'flush_to_zero' failed to satisfy constraint: "yes" should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.maxf"(%a, %a) <{flush_to_zero = "yes"}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.maxf' op attribute 'propagate_nan' failed to satisfy constraint: "yes" should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.maxf"(%a, %a) <{propagate_nan = "yes"}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.minf' op attribute 'flush_to_zero' failed to satisfy constraint: "yes" should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.minf"(%a, %a) <{flush_to_zero = "yes"}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.minf' op attribute 'propagate_nan' failed to satisfy constraint: "yes" should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.minf"(%a, %a) <{propagate_nan = "yes"}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.cmpf' op requires attribute 'comparison_predicate'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cmpf"(%a, %a) <{comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op requires attribute 'comparison_ordering'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cmpf"(%a, %a) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpf' op attribute 'comparison_ordering' failed to satisfy constraint: Comparison ordering attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.cmpf"(%a, %a) <{comparison_ordering = 1 : i32, comparison_predicate = #cuda_tile.comparison_predicate<equal>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>

// -----

// Rounding modes, as far as the text can say them.

// CHECK: 'cuda_tile.addf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.subf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.mulf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.fma"(%a, %a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.divf %a, %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.divf %a, %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.sqrt %a rounding<full> : tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.sqrt %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.sqrt' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.sqrt %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<nearest_even> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<negative_inf> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<positive_inf> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.exp' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.exp %a rounding<nearest_away> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<nearest_even> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<negative_inf> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<positive_inf> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<nearest_int_to_zero> : tile<f32>

// -----

// CHECK: 'cuda_tile.tanh' op invalid rounding mode specified, expect one of [approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.tanh %a rounding<nearest_away> : tile<f32>

// -----

// Modifiers that need f32.

// CHECK: 'cuda_tile.exp2' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.exp2 %a flush_to_zero : tile<f16>

// -----

// CHECK: 'cuda_tile.rsqrt' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.rsqrt %a flush_to_zero : tile<f16>

// -----

// CHECK: 'cuda_tile.sqrt' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.sqrt %a flush_to_zero : tile<f16>

// -----

// CHECK: 'cuda_tile.addf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.addf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.subf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.subf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.mulf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.mulf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.divf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.divf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.maxf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.maxf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.minf' op flush_to_zero modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<4xbf16>
%0 = cuda_tile.minf %a, %a flush_to_zero : tile<4xbf16>

// -----

// CHECK: 'cuda_tile.fma' op flush_to_zero modifier only supported for f32 data type, but got: 'f64'
%a = "test.op"() : () -> !cuda_tile.tile<f64>
%0 = cuda_tile.fma %a, %a, %a flush_to_zero : tile<f64>

// -----

// CHECK: 'cuda_tile.exp' op approx modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.exp %a rounding<approx> : tile<f16>

// -----

// CHECK: 'cuda_tile.tanh' op approx modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.tanh %a rounding<approx> : tile<f16>

// -----

// CHECK: 'cuda_tile.sqrt' op approx modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.sqrt %a rounding<approx> : tile<f16>

// -----

// CHECK: 'cuda_tile.divf' op approx modifier only supported for f32 data type, but got: 'bf16'
%a = "test.op"() : () -> !cuda_tile.tile<bf16>
%0 = cuda_tile.divf %a, %a rounding<approx> : tile<bf16>

// -----

// CHECK: 'cuda_tile.divf' op full modifier only supported for f32 data type, but got: 'f64'
%a = "test.op"() : () -> !cuda_tile.tile<f64>
%0 = cuda_tile.divf %a, %a rounding<full> : tile<f64>

// -----

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.addf' op expected 2 operands, but found 1
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.addf"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.absf' op requires a single operand
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.absf"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.fma' op requires one result
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0, %1 = "cuda_tile.fma"(%a, %a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)

// -----

// CHECK: 'cuda_tile.addf' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.addf"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op requires attribute 'rounding_mode'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.addf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>)
%0 = "cuda_tile.addf"(%a, %b) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f16>

// -----

// CHECK: 'cuda_tile.fpowi' op failed to verify that all of {result, source} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.fpowi"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divf' op invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.divf %a, %a rounding<nearest_away> flush_to_zero : tile<f16>

// -----

// CHECK: 'cuda_tile.divf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.divf %a, %a rounding<full> flush_to_zero : tile<f16>

// -----

// CHECK: 'cuda_tile.sqrt' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.sqrt %a rounding<approx> flush_to_zero : tile<f16>
