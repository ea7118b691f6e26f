// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Operand and result types.

// CHECK: 'cuda_tile.bitcast' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<ptr<f32>>'
%a = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = cuda_tile.bitcast %a : tile<ptr<f32>> -> tile<i64>

// -----

// CHECK: 'cuda_tile.bitcast' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<2xi4>'
%a = "test.op"() : () -> !cuda_tile.tile<2xi4>
%0 = cuda_tile.bitcast %a : tile<2xi4> -> tile<2xf4E2M1FN>

// -----

// CHECK: 'cuda_tile.bitcast' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<ptr<f32>>'
%a = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.bitcast %a : tile<i64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.bitcast' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.token'
%a = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.bitcast %a : tile<i64> -> token

// -----

// CHECK: 'cuda_tile.exti' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f16>'
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.exti %a signed : tile<f16> -> tile<i32>

// -----

// CHECK: 'cuda_tile.exti' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<i8>
%0 = cuda_tile.exti %a signed : tile<i8> -> tile<f32>

// -----

// CHECK: 'cuda_tile.trunci' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.trunci %a : tile<f32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.trunci' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<ptr<i8>>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.trunci %a : tile<i32> -> tile<ptr<i8>>

// -----

// CHECK: 'cuda_tile.ftof' op operand #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.ftof %a : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.ftof' op result #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a : tile<f32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op operand #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.ftoi %a signed : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<i4>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed : tile<f32> -> tile<i4>

// -----

// CHECK: 'cuda_tile.ftoi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftoi %a signed : tile<f32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<i4>'
%a = "test.op"() : () -> !cuda_tile.tile<i4>
%0 = cuda_tile.itof %a signed : tile<i4> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.itof %a signed : tile<f32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op result #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op operand #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.int_to_ptr %a : tile<i32> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op result #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i64>'
%a = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.int_to_ptr %a : tile<i64> -> tile<i64>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i64>'
%a = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.ptr_to_int %a : tile<i64> -> tile<i64>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op result #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = cuda_tile.ptr_to_int %a : tile<ptr<f32>> -> tile<i32>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i64>'
%a = "test.op"() : () -> !cuda_tile.tile<i64>
%0 = cuda_tile.ptr_to_ptr %a : tile<i64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op result #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i64>'
%a = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%0 = cuda_tile.ptr_to_ptr %a : tile<ptr<f32>> -> tile<i64>

// -----

// CHECK: 'cuda_tile.pack' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or i4 values, but got '!cuda_tile.tile<4xptr<f32>>'
%a = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0 = cuda_tile.pack %a : tile<4xptr<f32>> -> tile<32xi8>

// -----

// CHECK: 'cuda_tile.pack' op result #0 must be tile of i8 values, but got '!cuda_tile.tile<8xi16>'
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.pack %a : tile<4xf32> -> tile<8xi16>

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
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.bitcast %a : tile<f32> -> tile<1xi32>

// -----

// CHECK: 'cuda_tile.exti' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.exti %a signed : tile<4xi8> -> tile<8xi32>

// -----

// CHECK: 'cuda_tile.trunci' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.trunci %a : tile<4xi32> -> tile<2x2xi8>

// -----

// CHECK: 'cuda_tile.ftof' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.ftof %a : tile<4xf32> -> tile<f16>

// -----

// CHECK: 'cuda_tile.ftoi' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.ftoi %a signed : tile<4xf32> -> tile<8xi32>

// -----

// CHECK: 'cuda_tile.itof' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.itof %a signed : tile<4xi32> -> tile<8xf32>

// -----

// CHECK: 'cuda_tile.int_to_ptr' op failed to verify that all of {source, result} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi64>
%0 = cuda_tile.int_to_ptr %a : tile<4xi64> -> tile<ptr<f32>>

// -----

// CHECK: 'cuda_tile.ptr_to_int' op failed to verify that all of {source, result} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0 = cuda_tile.ptr_to_int %a : tile<4xptr<f32>> -> tile<8xi64>

// -----

// CHECK: 'cuda_tile.ptr_to_ptr' op failed to verify that all of {source, result} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%0 = cuda_tile.ptr_to_ptr %a : tile<4xptr<f32>> -> tile<8xptr<f32>>

// -----

// CHECK: 'cuda_tile.pack' op failed to verify that all of {source, result} have same rank
%a = "test.op"() : () -> !cuda_tile.tile<2x2xf32>
%0 = cuda_tile.pack %a : tile<2x2xf32> -> tile<16xi8>

// -----

// CHECK: 'cuda_tile.unpack' op failed to verify that all of {source, result} have same rank
%a = "test.op"() : () -> !cuda_tile.tile<16xi8>
%0 = cuda_tile.unpack %a : tile<16xi8> -> tile<2x2xf32>

// -----

// Attributes.

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.exti"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.exti' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.exti"(%a) <{signedness = "signed"}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.ftoi' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{signedness = "signed", rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.itof' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{signedness = "signed", rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.ftoi' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = 0 : i32, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.itof' op requires attribute 'rounding_mode'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = 0 : i32, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.ftoi' op attribute 'saturating' failed to satisfy constraint: true should be of base attribute unit
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, saturating = true, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftof' op attribute 'rounding_mode' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = "zero"}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>

// -----

// CHECK: 'cuda_tile.trunci' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.trunci"(%a) <{overflow = 0 : i32}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i8>

// -----

// `bitcast`.

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<4xf32>' of width 32 to type '!cuda_tile.tile<4xi64>' of width 64
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.bitcast %a : tile<4xf32> -> tile<4xi64>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<f32>' of width 32 to type '!cuda_tile.tile<tf32>' of width 19
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.bitcast %a : tile<f32> -> tile<tf32>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<tf32>' of width 19 to type '!cuda_tile.tile<f32>' of width 32
%a = "test.op"() : () -> !cuda_tile.tile<tf32>
%0 = cuda_tile.bitcast %a : tile<tf32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<i1>' of width 1 to type '!cuda_tile.tile<i8>' of width 8
%a = "test.op"() : () -> !cuda_tile.tile<i1>
%0 = cuda_tile.bitcast %a : tile<i1> -> tile<i8>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<4xf4E2M1FN>' of width 4 to type '!cuda_tile.tile<4xi8>' of width 8
%a = "test.op"() : () -> !cuda_tile.tile<4xf4E2M1FN>
%0 = cuda_tile.bitcast %a : tile<4xf4E2M1FN> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.bitcast' op types must be equal width, cannot convert '!cuda_tile.tile<f16>' of width 16 to type '!cuda_tile.tile<f8E5M2>' of width 8
%a = "test.op"() : () -> !cuda_tile.tile<f16>
%0 = cuda_tile.bitcast %a : tile<f16> -> tile<f8E5M2>

// -----

// `exti` and `trunci`.

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.exti %a unsigned : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.exti %a unsigned : tile<i32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i8>
%0 = cuda_tile.exti %a unsigned : tile<i8> -> tile<i4>

// -----

// CHECK: 'cuda_tile.exti' op extending to smaller or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i1>
%0 = cuda_tile.exti %a unsigned : tile<i1> -> tile<i1>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.trunci %a : tile<i32> -> tile<i32>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i8>
%0 = cuda_tile.trunci %a : tile<i8> -> tile<i32>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i4>
%0 = cuda_tile.trunci %a : tile<i4> -> tile<i8>

// -----

// CHECK: 'cuda_tile.trunci' op truncating to larger or identical integer
%a = "test.op"() : () -> !cuda_tile.tile<i1>
%0 = cuda_tile.trunci %a : tile<i1> -> tile<i1>

// -----

// `itof` and `ftoi`.

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<zero> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<negative_inf> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a signed rounding<positive_inf> : tile<i32> -> tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = #cuda_tile.rounding<full>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op invalid rounding mode specified. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.itof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.itof' op integer to f8E8M0FNU conversion is not supported, please first convert to another float type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a unsigned : tile<i32> -> tile<f8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<zero>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<negative_inf>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<positive_inf>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<approx>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<full>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ftoi' op invalid rounding mode specified. Only 'nearest_int_to_zero' is supported
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.ftoi"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_away>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// `ftof`: the modes of every pair of types.

// CHECK: 'cuda_tile.ftof' op converting tiles must not be a no-op
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.ftof %a : tile<f32> -> tile<f32>

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
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<nearest_away> : tile<2xf32> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = cuda_tile.ftof %a : tile<2xf64> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E4M3FN>
%0 = cuda_tile.ftof %a : tile<2xf8E4M3FN> -> tile<2xf8E8M0FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf32> -> tile<2xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf32> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf32> -> tile<2xf4E2M1FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf32> -> tile<2xfnv8E5M3FNU>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = cuda_tile.ftof %a rounding<positive_inf> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = cuda_tile.ftof %a rounding<nearest_away> : tile<2xf16> -> tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf8E5M2>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion to low-precision type. Only 'nearest_even' is supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf4E2M1FN>
%0 = cuda_tile.ftof %a rounding<zero> : tile<2xf4E2M1FN> -> tile<2xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E8M0FNU>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf8E8M0FNU>) -> !cuda_tile.tile<2xf64>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for widening conversion. Only IEEE float rounding modes are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'
%a = "test.op"() : () -> !cuda_tile.tile<2xfnv8E5M3FNU>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xfnv8E5M3FNU>) -> !cuda_tile.tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = cuda_tile.ftof %a rounding<nearest_away> : tile<2xf64> -> tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf64>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xf64>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', 'zero', 'negative_inf', and 'positive_inf' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<2xf64>) -> !cuda_tile.tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf32> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<positive_inf> : tile<2xf32> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', 'zero', and 'nearest_away' are supported
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf32> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf64> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf64>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf64> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf16>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf16> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xbf16>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xbf16> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xtf32>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xtf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E8M0FNU>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E8M0FNU>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xtf32>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E8M0FNU>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf8E8M0FNU>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xf8E8M0FNU> -> tile<2xbf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xfnv8E5M3FNU>
%0 = cuda_tile.ftof %a rounding<negative_inf> : tile<2xfnv8E5M3FNU> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<positive_inf> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.ftof %a rounding<nearest_away> : tile<2xf32> -> tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xf16>

// -----

// CHECK: 'cuda_tile.ftof' op invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for narrowing conversions to standard types
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = "cuda_tile.ftof"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2xf16>

// -----

// `pack` and `unpack`.

// CHECK: 'cuda_tile.pack' op expects source and result to be rank-1 tiles
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.pack %a : tile<f32> -> tile<i8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to be rank-1 tiles
%a = "test.op"() : () -> !cuda_tile.tile<2x2xf32>
%0 = cuda_tile.pack %a : tile<2x2xf32> -> tile<4x4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to be rank-1 tiles
%a = "test.op"() : () -> !cuda_tile.tile<4x4xi8>
%0 = cuda_tile.unpack %a : tile<4x4xi8> -> tile<2x2xf32>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.pack %a : tile<4xi8> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.unpack %a : tile<4xi8> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xf8E4M3FN>
%0 = cuda_tile.pack %a : tile<4xf8E4M3FN> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.unpack %a : tile<4xi8> -> tile<4xf8E4M3FN>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xf8E8M0FNU>
%0 = cuda_tile.pack %a : tile<4xf8E8M0FNU> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.unpack %a : tile<4xi8> -> tile<4xf8E8M0FNU>

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
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = cuda_tile.pack %a : tile<4xf32> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 8 bytes
%a = "test.op"() : () -> !cuda_tile.tile<4xtf32>
%0 = cuda_tile.pack %a : tile<4xtf32> -> tile<8xi8>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 16 bytes
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.unpack %a : tile<4xi8> -> tile<4xf32>

// -----

// CHECK: 'cuda_tile.unpack' op expects source and result to have the same size in bytes, but got source tile size 4 bytes and result tile size 2 bytes
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.unpack %a : tile<4xi8> -> tile<4xf4E2M1FN>

// -----

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.exti' op requires a single operand
%0 = "cuda_tile.exti"() : () -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.bitcast' op requires one result
%a = "test.op"() : () -> !cuda_tile.token
"cuda_tile.bitcast"(%a) : (!cuda_tile.token) -> ()

// -----

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.exti"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.exti' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.exti"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi8>

// -----

// CHECK: 'cuda_tile.exti' op failed to verify that all of {from, to} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.exti %a signed : tile<i32> -> tile<4xi8>

// -----

// CHECK: 'cuda_tile.bitcast' op failed to verify that all of {source, result} have same shape
%a = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.bitcast %a : tile<4xi32> -> tile<8xi16>

// -----

// CHECK: 'cuda_tile.itof' op integer to f8E8M0FNU conversion is not supported, please first convert to another float type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.itof %a unsigned rounding<zero> : tile<i32> -> tile<f8E8M0FNU>

// -----

// CHECK: 'cuda_tile.pack' op expects source and result to have different element type widths
%a = "test.op"() : () -> !cuda_tile.tile<4xi8>
%0 = cuda_tile.pack %a : tile<4xi8> -> tile<8xi8>
