// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes. `pow` and its later name `fpowf` are one op.

// REQ: A-09, A-10, B-02, B-03

cuda_tile.module @m {
  testing$func @public(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<i32>) {
    // PRINTS: ^body:
    // PRINTS: %0 = absf %arg0 : tile<f32>
    %0 = absf %arg0 : tile<f32>
    %1 = negf %arg0 : tile<f32>
    %2 = ceil %arg0 : tile<f32>
    %3 = floor %arg0 : tile<f32>
    %4 = sin %arg0 : tile<f32>
    %5 = cos %arg0 : tile<f32>
    %6 = tan %arg0 : tile<f32>
    %7 = sinh %arg0 : tile<f32>
    %8 = cosh %arg0 : tile<f32>
    %9 = log %arg0 : tile<f32>
    %10 = log2 %arg0 : tile<f32>
    %11 = exp %arg0 rounding<approx> : tile<f32>
    %12 = tanh %arg0 rounding<approx> : tile<f32>
    %13 = exp2 %arg0 flush_to_zero : tile<f32>
    %14 = rsqrt %arg0 flush_to_zero : tile<f32>
    %15 = sqrt %arg0 rounding<approx> flush_to_zero : tile<f32>
    %16 = addf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>
    %17 = subf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>
    %18 = mulf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>
    %19 = divf %arg0, %arg1 rounding<approx> flush_to_zero : tile<f32>
    %20 = fma %arg0, %arg1, %arg0 rounding<negative_inf> : tile<f32>
    %21 = remf %arg0, %arg1 : tile<f32>
    %22 = atan2 %arg0, %arg1 : tile<f32>
    // PRINTS: %23 = pow %arg0, %arg1 : tile<f32>
    %23 = fpowf %arg0, %arg1 : tile<f32>
    %24 = fpowi %arg0, %arg2 : tile<f32>, tile<i32>
    %25 = maxf %arg0, %arg1 flush_to_zero propagate_nan : tile<f32>
    %26 = minf %arg0, %arg1 propagate_nan : tile<f32>
    %27 = cmpf less_than ordered %arg0, %arg1 : tile<f32> -> tile<i1>
    %28 = addf %arg0, %arg1  : tile<f32>
    %29 = pow %arg0, %arg1 : tile<f32>
    return
  }
}

// -----

// Rounding modes; the default of the op is not printed.

// REQ: A-64, B-33

!f32 = !cuda_tile.tile<4x8xf32>
%a, %b = "test.op"() : () -> (!f32, !f32)
%0 = cuda_tile.addf %a, %b : !f32
// PRINTS: %1 = cuda_tile.addf %a, %b : !f32
%1 = cuda_tile.addf %a, %b rounding<nearest_even> : !f32
%2 = cuda_tile.addf %a, %b rounding<zero> : !f32
%3 = cuda_tile.addf %a, %b rounding<negative_inf> : !f32
%4 = cuda_tile.addf %a, %b rounding<positive_inf> : !f32
%5 = cuda_tile.subf %a, %b : !f32
// PRINTS: %6 = cuda_tile.subf %a, %b : !f32
%6 = cuda_tile.subf %a, %b rounding<nearest_even> : !f32
%7 = cuda_tile.subf %a, %b rounding<zero> : !f32
%8 = cuda_tile.subf %a, %b rounding<negative_inf> : !f32
%9 = cuda_tile.subf %a, %b rounding<positive_inf> : !f32
%10 = cuda_tile.mulf %a, %b : !f32
// PRINTS: %11 = cuda_tile.mulf %a, %b : !f32
%11 = cuda_tile.mulf %a, %b rounding<nearest_even> : !f32
%12 = cuda_tile.mulf %a, %b rounding<zero> : !f32
%13 = cuda_tile.mulf %a, %b rounding<negative_inf> : !f32
%14 = cuda_tile.mulf %a, %b rounding<positive_inf> : !f32
%15 = cuda_tile.divf %a, %b : !f32
// PRINTS: %16 = cuda_tile.divf %a, %b : !f32
%16 = cuda_tile.divf %a, %b rounding<nearest_even> : !f32
%17 = cuda_tile.divf %a, %b rounding<zero> : !f32
%18 = cuda_tile.divf %a, %b rounding<negative_inf> : !f32
%19 = cuda_tile.divf %a, %b rounding<positive_inf> : !f32
%20 = cuda_tile.divf %a, %b rounding<approx> : !f32
%21 = cuda_tile.divf %a, %b rounding<full> : !f32
%22 = cuda_tile.fma %a, %b, %a : !f32
// PRINTS: %23 = cuda_tile.fma %a, %b, %a : !f32
%23 = cuda_tile.fma %a, %b, %a rounding<nearest_even> : !f32
%24 = cuda_tile.fma %a, %b, %a rounding<zero> : !f32
%25 = cuda_tile.fma %a, %b, %a rounding<negative_inf> : !f32
%26 = cuda_tile.fma %a, %b, %a rounding<positive_inf> : !f32
%27 = cuda_tile.sqrt %a : !f32
// PRINTS: %28 = cuda_tile.sqrt %a : !f32
%28 = cuda_tile.sqrt %a rounding<nearest_even> : !f32
%29 = cuda_tile.sqrt %a rounding<zero> : !f32
%30 = cuda_tile.sqrt %a rounding<negative_inf> : !f32
%31 = cuda_tile.sqrt %a rounding<positive_inf> : !f32
%32 = cuda_tile.sqrt %a rounding<approx> : !f32
%33 = cuda_tile.exp %a : !f32
// PRINTS: %34 = cuda_tile.exp %a : !f32
%34 = cuda_tile.exp %a rounding<full> : !f32
%35 = cuda_tile.exp %a rounding<approx> : !f32
%36 = cuda_tile.tanh %a : !f32
// PRINTS: %37 = cuda_tile.tanh %a : !f32
%37 = cuda_tile.tanh %a rounding<full> : !f32
%38 = cuda_tile.tanh %a rounding<approx> : !f32
// PRINTS: %39 = cuda_tile.addf %a, %b rounding<zero> flush_to_zero : !f32
%39 = cuda_tile.addf %a,%b rounding < zero > flush_to_zero:!f32

// -----

// Flags: `flush_to_zero` after the rounding mode, `propagate_nan` in any order.

// REQ: B-08

!f32 = !cuda_tile.tile<f32>
%a, %b = "test.op"() : () -> (!f32, !f32)
%0 = cuda_tile.addf %a, %b flush_to_zero : !f32
%1 = cuda_tile.addf %a, %b rounding<positive_inf> flush_to_zero : !f32
%2 = cuda_tile.subf %a, %b flush_to_zero : !f32
%3 = cuda_tile.subf %a, %b rounding<positive_inf> flush_to_zero : !f32
%4 = cuda_tile.mulf %a, %b flush_to_zero : !f32
%5 = cuda_tile.mulf %a, %b rounding<positive_inf> flush_to_zero : !f32
%6 = cuda_tile.divf %a, %b flush_to_zero : !f32
%7 = cuda_tile.divf %a, %b rounding<positive_inf> flush_to_zero : !f32
%8 = cuda_tile.divf %a, %b rounding<full> flush_to_zero : !f32
%9 = cuda_tile.fma %a, %b, %a flush_to_zero : !f32
%10 = cuda_tile.fma %a, %b, %a rounding<zero> flush_to_zero : !f32
%11 = cuda_tile.sqrt %a flush_to_zero : !f32
%12 = cuda_tile.exp2 %a : !f32
%13 = cuda_tile.exp2 %a flush_to_zero : !f32
%14 = cuda_tile.rsqrt %a : !f32
%15 = cuda_tile.rsqrt %a flush_to_zero : !f32
%16 = cuda_tile.maxf %a, %b : !f32
%17 = cuda_tile.maxf %a, %b flush_to_zero : !f32
%18 = cuda_tile.maxf %a, %b propagate_nan : !f32
%19 = cuda_tile.maxf %a, %b flush_to_zero propagate_nan : !f32
// PRINTS: %20 = cuda_tile.maxf %a, %b flush_to_zero propagate_nan : !f32
%20 = cuda_tile.maxf %a, %b propagate_nan flush_to_zero : !f32
%21 = cuda_tile.minf %a, %b : !f32
%22 = cuda_tile.minf %a, %b flush_to_zero : !f32
%23 = cuda_tile.minf %a, %b propagate_nan : !f32
%24 = cuda_tile.minf %a, %b flush_to_zero propagate_nan : !f32
// PRINTS: %25 = cuda_tile.minf %a, %b flush_to_zero propagate_nan : !f32
%25 = cuda_tile.minf %a, %b propagate_nan flush_to_zero : !f32

// -----

// Every predicate, ordered and unordered.

// REQ: A-62

!f64 = !cuda_tile.tile<2x4xf64>
!i1 = !cuda_tile.tile<2x4xi1>
%a, %b = "test.op"() : () -> (!f64, !f64)
%0 = cuda_tile.cmpf equal ordered %a, %b : !f64 -> !i1
%1 = cuda_tile.cmpf equal unordered %a, %b : !f64 -> !i1
%2 = cuda_tile.cmpf not_equal ordered %a, %b : !f64 -> !i1
%3 = cuda_tile.cmpf not_equal unordered %a, %b : !f64 -> !i1
%4 = cuda_tile.cmpf less_than ordered %a, %b : !f64 -> !i1
%5 = cuda_tile.cmpf less_than unordered %a, %b : !f64 -> !i1
%6 = cuda_tile.cmpf less_than_or_equal ordered %a, %b : !f64 -> !i1
%7 = cuda_tile.cmpf less_than_or_equal unordered %a, %b : !f64 -> !i1
%8 = cuda_tile.cmpf greater_than ordered %a, %b : !f64 -> !i1
%9 = cuda_tile.cmpf greater_than unordered %a, %b : !f64 -> !i1
%10 = cuda_tile.cmpf greater_than_or_equal ordered %a, %b : !f64 -> !i1
%11 = cuda_tile.cmpf greater_than_or_equal unordered %a, %b : !f64 -> !i1

// -----

// Every element type.

// REQ: A-06, A-10

!f16 = !cuda_tile.tile<f16>
!bf16 = !cuda_tile.tile<2xbf16>
!f32 = !cuda_tile.tile<2x2xf32>
!t1x1x4xf64 = !cuda_tile.tile<1x1x4xf64>
%f16, %bf16, %f32, %f64 = "test.op"() : () -> (!f16, !bf16, !f32, !t1x1x4xf64)
%0 = cuda_tile.absf %f16 : !f16
%1 = cuda_tile.negf %f16 : !f16
%2 = cuda_tile.ceil %f16 : !f16
%3 = cuda_tile.floor %f16 : !f16
%4 = cuda_tile.sin %f16 : !f16
%5 = cuda_tile.cos %f16 : !f16
%6 = cuda_tile.tan %f16 : !f16
%7 = cuda_tile.sinh %f16 : !f16
%8 = cuda_tile.cosh %f16 : !f16
%9 = cuda_tile.log %f16 : !f16
%10 = cuda_tile.log2 %f16 : !f16
%11 = cuda_tile.exp %f16 : !f16
%12 = cuda_tile.tanh %f16 : !f16
%13 = cuda_tile.exp2 %f16 : !f16
%14 = cuda_tile.rsqrt %f16 : !f16
%15 = cuda_tile.sqrt %f16 : !f16
%16 = cuda_tile.addf %f16, %f16 : !f16
%17 = cuda_tile.subf %f16, %f16 : !f16
%18 = cuda_tile.mulf %f16, %f16 : !f16
%19 = cuda_tile.divf %f16, %f16 : !f16
%20 = cuda_tile.remf %f16, %f16 : !f16
%21 = cuda_tile.atan2 %f16, %f16 : !f16
%22 = cuda_tile.pow %f16, %f16 : !f16
%23 = cuda_tile.maxf %f16, %f16 : !f16
%24 = cuda_tile.minf %f16, %f16 : !f16
%25 = cuda_tile.fma %f16, %f16, %f16 : !f16
%26 = cuda_tile.cmpf equal ordered %f16, %f16 : !f16 -> tile<i1>
%27 = cuda_tile.absf %bf16 : !bf16
%28 = cuda_tile.negf %bf16 : !bf16
%29 = cuda_tile.ceil %bf16 : !bf16
%30 = cuda_tile.floor %bf16 : !bf16
%31 = cuda_tile.sin %bf16 : !bf16
%32 = cuda_tile.cos %bf16 : !bf16
%33 = cuda_tile.tan %bf16 : !bf16
%34 = cuda_tile.sinh %bf16 : !bf16
%35 = cuda_tile.cosh %bf16 : !bf16
%36 = cuda_tile.log %bf16 : !bf16
%37 = cuda_tile.log2 %bf16 : !bf16
%38 = cuda_tile.exp %bf16 : !bf16
%39 = cuda_tile.tanh %bf16 : !bf16
%40 = cuda_tile.exp2 %bf16 : !bf16
%41 = cuda_tile.rsqrt %bf16 : !bf16
%42 = cuda_tile.sqrt %bf16 : !bf16
%43 = cuda_tile.addf %bf16, %bf16 : !bf16
%44 = cuda_tile.subf %bf16, %bf16 : !bf16
%45 = cuda_tile.mulf %bf16, %bf16 : !bf16
%46 = cuda_tile.divf %bf16, %bf16 : !bf16
%47 = cuda_tile.remf %bf16, %bf16 : !bf16
%48 = cuda_tile.atan2 %bf16, %bf16 : !bf16
%49 = cuda_tile.pow %bf16, %bf16 : !bf16
%50 = cuda_tile.maxf %bf16, %bf16 : !bf16
%51 = cuda_tile.minf %bf16, %bf16 : !bf16
%52 = cuda_tile.fma %bf16, %bf16, %bf16 : !bf16
%53 = cuda_tile.cmpf equal ordered %bf16, %bf16 : !bf16 -> tile<2xi1>
%54 = cuda_tile.absf %f32 : !f32
%55 = cuda_tile.negf %f32 : !f32
%56 = cuda_tile.ceil %f32 : !f32
%57 = cuda_tile.floor %f32 : !f32
%58 = cuda_tile.sin %f32 : !f32
%59 = cuda_tile.cos %f32 : !f32
%60 = cuda_tile.tan %f32 : !f32
%61 = cuda_tile.sinh %f32 : !f32
%62 = cuda_tile.cosh %f32 : !f32
%63 = cuda_tile.log %f32 : !f32
%64 = cuda_tile.log2 %f32 : !f32
%65 = cuda_tile.exp %f32 : !f32
%66 = cuda_tile.tanh %f32 : !f32
%67 = cuda_tile.exp2 %f32 : !f32
%68 = cuda_tile.rsqrt %f32 : !f32
%69 = cuda_tile.sqrt %f32 : !f32
%70 = cuda_tile.addf %f32, %f32 : !f32
%71 = cuda_tile.subf %f32, %f32 : !f32
%72 = cuda_tile.mulf %f32, %f32 : !f32
%73 = cuda_tile.divf %f32, %f32 : !f32
%74 = cuda_tile.remf %f32, %f32 : !f32
%75 = cuda_tile.atan2 %f32, %f32 : !f32
%76 = cuda_tile.pow %f32, %f32 : !f32
%77 = cuda_tile.maxf %f32, %f32 : !f32
%78 = cuda_tile.minf %f32, %f32 : !f32
%79 = cuda_tile.fma %f32, %f32, %f32 : !f32
%80 = cuda_tile.cmpf equal ordered %f32, %f32 : !f32 -> tile<2x2xi1>
%81 = cuda_tile.absf %f64 : !t1x1x4xf64
%82 = cuda_tile.negf %f64 : !t1x1x4xf64
%83 = cuda_tile.ceil %f64 : !t1x1x4xf64
%84 = cuda_tile.floor %f64 : !t1x1x4xf64
%85 = cuda_tile.sin %f64 : !t1x1x4xf64
%86 = cuda_tile.cos %f64 : !t1x1x4xf64
%87 = cuda_tile.tan %f64 : !t1x1x4xf64
%88 = cuda_tile.sinh %f64 : !t1x1x4xf64
%89 = cuda_tile.cosh %f64 : !t1x1x4xf64
%90 = cuda_tile.log %f64 : !t1x1x4xf64
%91 = cuda_tile.log2 %f64 : !t1x1x4xf64
%92 = cuda_tile.exp %f64 : !t1x1x4xf64
%93 = cuda_tile.tanh %f64 : !t1x1x4xf64
%94 = cuda_tile.exp2 %f64 : !t1x1x4xf64
%95 = cuda_tile.rsqrt %f64 : !t1x1x4xf64
%96 = cuda_tile.sqrt %f64 : !t1x1x4xf64
%97 = cuda_tile.addf %f64, %f64 : !t1x1x4xf64
%98 = cuda_tile.subf %f64, %f64 : !t1x1x4xf64
%99 = cuda_tile.mulf %f64, %f64 : !t1x1x4xf64
%100 = cuda_tile.divf %f64, %f64 : !t1x1x4xf64
%101 = cuda_tile.remf %f64, %f64 : !t1x1x4xf64
%102 = cuda_tile.atan2 %f64, %f64 : !t1x1x4xf64
%103 = cuda_tile.pow %f64, %f64 : !t1x1x4xf64
%104 = cuda_tile.maxf %f64, %f64 : !t1x1x4xf64
%105 = cuda_tile.minf %f64, %f64 : !t1x1x4xf64
%106 = cuda_tile.fma %f64, %f64, %f64 : !t1x1x4xf64
%107 = cuda_tile.cmpf equal ordered %f64, %f64 : !t1x1x4xf64 -> tile<1x1x4xi1>

// -----

// Every type of an integer exponent.

%f, %g, %a, %b, %c, %d = "test.op"() : () -> (!cuda_tile.tile<f16>, !cuda_tile.tile<4xf64>, !cuda_tile.tile<i1>, !cuda_tile.tile<i8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>)
%0 = cuda_tile.fpowi %f, %a : tile<f16>, tile<i1>
%1 = cuda_tile.fpowi %f, %b : tile<f16>, tile<i8>
%2 = cuda_tile.fpowi %g, %c : tile<4xf64>, tile<4xi16>
%3 = cuda_tile.fpowi %g, %d : tile<4xf64>, tile<4xi32>

// -----

// Discardable attributes stand before the colon, `fastmath` among them.

// REQ: A-09, B-04, B-28

!f32 = !cuda_tile.tile<f32>
%a, %b, %i = "test.op"() : () -> (!f32, !f32, !cuda_tile.tile<i32>)
%0 = cuda_tile.absf %a {my.tag = 7 : i32, unit} : !f32
%1 = cuda_tile.negf %a {my.tag = 7 : i32, unit} : !f32
%2 = cuda_tile.ceil %a {my.tag = 7 : i32, unit} : !f32
%3 = cuda_tile.floor %a {my.tag = 7 : i32, unit} : !f32
%4 = cuda_tile.sin %a {my.tag = 7 : i32, unit} : !f32
%5 = cuda_tile.cos %a {my.tag = 7 : i32, unit} : !f32
%6 = cuda_tile.tan %a {my.tag = 7 : i32, unit} : !f32
%7 = cuda_tile.sinh %a {my.tag = 7 : i32, unit} : !f32
%8 = cuda_tile.cosh %a {my.tag = 7 : i32, unit} : !f32
%9 = cuda_tile.log %a {my.tag = 7 : i32, unit} : !f32
%10 = cuda_tile.log2 %a {my.tag = 7 : i32, unit} : !f32
%11 = cuda_tile.exp %a rounding<approx> {my.tag = 7 : i32, unit} : !f32
%12 = cuda_tile.tanh %a rounding<approx> {my.tag = 7 : i32, unit} : !f32
%13 = cuda_tile.exp2 %a flush_to_zero {my.tag = 7 : i32, unit} : !f32
%14 = cuda_tile.rsqrt %a flush_to_zero {my.tag = 7 : i32, unit} : !f32
%15 = cuda_tile.sqrt %a rounding<approx> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%16 = cuda_tile.addf %a, %b rounding<zero> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%17 = cuda_tile.subf %a, %b rounding<zero> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%18 = cuda_tile.mulf %a, %b rounding<zero> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%19 = cuda_tile.divf %a, %b rounding<zero> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%20 = cuda_tile.fma %a, %b, %a rounding<zero> flush_to_zero {my.tag = 7 : i32, unit} : !f32
%21 = cuda_tile.remf %a, %b {my.tag = 7 : i32, unit} : !f32
%22 = cuda_tile.atan2 %a, %b {my.tag = 7 : i32, unit} : !f32
%23 = cuda_tile.pow %a, %b {my.tag = 7 : i32, unit} : !f32
%24 = cuda_tile.fpowi %a, %i {my.tag = 7 : i32, unit} : !f32, tile<i32>
%25 = cuda_tile.maxf %a, %b flush_to_zero propagate_nan {my.tag = 7 : i32, unit} : !f32
%26 = cuda_tile.minf %a, %b flush_to_zero propagate_nan {my.tag = 7 : i32, unit} : !f32
%27 = cuda_tile.cmpf equal unordered %a, %b {my.tag = 7 : i32, unit} : !f32 -> tile<i1>
%28 = cuda_tile.addf %a, %b {fastmath = #arith.fastmath<contract>} : !f32
%29 = cuda_tile.mulf %a, %b {fastmath = "contract"} : !f32

// -----

// Generic form; what has a default may be left out.

// REQ: B-08, B-22

!f32 = !cuda_tile.tile<f32>
%a, %b, %i = "test.op"() : () -> (!f32, !f32, !cuda_tile.tile<i32>)
// PRINTS: %0 = cuda_tile.absf %a {my.tag} : !f32
%0 = "cuda_tile.absf"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %1 = cuda_tile.negf %a {my.tag} : !f32
%1 = "cuda_tile.negf"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %2 = cuda_tile.ceil %a {my.tag} : !f32
%2 = "cuda_tile.ceil"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %3 = cuda_tile.floor %a {my.tag} : !f32
%3 = "cuda_tile.floor"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %4 = cuda_tile.sin %a {my.tag} : !f32
%4 = "cuda_tile.sin"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %5 = cuda_tile.cos %a {my.tag} : !f32
%5 = "cuda_tile.cos"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %6 = cuda_tile.tan %a {my.tag} : !f32
%6 = "cuda_tile.tan"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %7 = cuda_tile.sinh %a {my.tag} : !f32
%7 = "cuda_tile.sinh"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %8 = cuda_tile.cosh %a {my.tag} : !f32
%8 = "cuda_tile.cosh"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %9 = cuda_tile.log %a {my.tag} : !f32
%9 = "cuda_tile.log"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %10 = cuda_tile.log2 %a {my.tag} : !f32
%10 = "cuda_tile.log2"(%a) {my.tag} : (!f32) -> !f32
// PRINTS: %11 = cuda_tile.exp %a rounding<approx> : !f32
%11 = "cuda_tile.exp"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!f32) -> !f32
// PRINTS: %12 = cuda_tile.exp %a : !f32
%12 = "cuda_tile.exp"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!f32) -> !f32
// PRINTS: %13 = cuda_tile.exp %a : !f32
%13 = "cuda_tile.exp"(%a) : (!f32) -> !f32
// PRINTS: %14 = cuda_tile.tanh %a rounding<approx> : !f32
%14 = "cuda_tile.tanh"(%a) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!f32) -> !f32
// PRINTS: %15 = cuda_tile.tanh %a : !f32
%15 = "cuda_tile.tanh"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!f32) -> !f32
// PRINTS: %16 = cuda_tile.tanh %a : !f32
%16 = "cuda_tile.tanh"(%a) : (!f32) -> !f32
// PRINTS: %17 = cuda_tile.exp2 %a flush_to_zero : !f32
%17 = "cuda_tile.exp2"(%a) <{flush_to_zero}> : (!f32) -> !f32
// PRINTS: %18 = cuda_tile.exp2 %a : !f32
%18 = "cuda_tile.exp2"(%a) : (!f32) -> !f32
// PRINTS: %19 = cuda_tile.rsqrt %a flush_to_zero : !f32
%19 = "cuda_tile.rsqrt"(%a) <{flush_to_zero}> : (!f32) -> !f32
// PRINTS: %20 = cuda_tile.rsqrt %a : !f32
%20 = "cuda_tile.rsqrt"(%a) : (!f32) -> !f32
// PRINTS: %21 = cuda_tile.sqrt %a rounding<zero> flush_to_zero : !f32
%21 = "cuda_tile.sqrt"(%a) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32) -> !f32
// PRINTS: %22 = cuda_tile.sqrt %a : !f32
%22 = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32) -> !f32
// PRINTS: %23 = cuda_tile.addf %a, %b rounding<zero> flush_to_zero : !f32
%23 = "cuda_tile.addf"(%a, %b) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32, !f32) -> !f32
// PRINTS: %24 = cuda_tile.addf %a, %b : !f32
%24 = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32, !f32) -> !f32
// PRINTS: %25 = cuda_tile.subf %a, %b rounding<zero> flush_to_zero : !f32
%25 = "cuda_tile.subf"(%a, %b) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32, !f32) -> !f32
// PRINTS: %26 = cuda_tile.subf %a, %b : !f32
%26 = "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32, !f32) -> !f32
// PRINTS: %27 = cuda_tile.mulf %a, %b rounding<zero> flush_to_zero : !f32
%27 = "cuda_tile.mulf"(%a, %b) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32, !f32) -> !f32
// PRINTS: %28 = cuda_tile.mulf %a, %b : !f32
%28 = "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32, !f32) -> !f32
// PRINTS: %29 = cuda_tile.divf %a, %b rounding<zero> flush_to_zero : !f32
%29 = "cuda_tile.divf"(%a, %b) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32, !f32) -> !f32
// PRINTS: %30 = cuda_tile.divf %a, %b : !f32
%30 = "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32, !f32) -> !f32
// PRINTS: %31 = cuda_tile.fma %a, %b, %a rounding<zero> flush_to_zero : !f32
%31 = "cuda_tile.fma"(%a, %b, %a) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> : (!f32, !f32, !f32) -> !f32
// PRINTS: %32 = cuda_tile.fma %a, %b, %a : !f32
%32 = "cuda_tile.fma"(%a, %b, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!f32, !f32, !f32) -> !f32
// PRINTS: %33 = cuda_tile.remf %a, %b : !f32
%33 = "cuda_tile.remf"(%a, %b) : (!f32, !f32) -> !f32
// PRINTS: %34 = cuda_tile.atan2 %a, %b : !f32
%34 = "cuda_tile.atan2"(%a, %b) : (!f32, !f32) -> !f32
// PRINTS: %35 = cuda_tile.pow %a, %b : !f32
// PRINTS: %36 = cuda_tile.pow %a, %b {my.tag} : !f32
%35 = "cuda_tile.pow"(%a, %b) : (!f32, !f32) -> !f32
// PRINTS:
%36 = "cuda_tile.fpowf"(%a, %b) {my.tag} : (!f32, !f32) -> !f32
// PRINTS: %37 = cuda_tile.fpowi %a, %i : !f32, tile<i32>
%37 = "cuda_tile.fpowi"(%a, %i) : (!f32, !cuda_tile.tile<i32>) -> !f32
// PRINTS: %38 = cuda_tile.maxf %a, %b flush_to_zero propagate_nan : !f32
%38 = "cuda_tile.maxf"(%a, %b) <{propagate_nan, flush_to_zero}> : (!f32, !f32) -> !f32
// PRINTS: %39 = cuda_tile.maxf %a, %b propagate_nan : !f32
%39 = "cuda_tile.maxf"(%a, %b) <{propagate_nan}> : (!f32, !f32) -> !f32
// PRINTS: %40 = cuda_tile.maxf %a, %b : !f32
%40 = "cuda_tile.maxf"(%a, %b) : (!f32, !f32) -> !f32
// PRINTS: %41 = cuda_tile.minf %a, %b flush_to_zero propagate_nan : !f32
%41 = "cuda_tile.minf"(%a, %b) <{propagate_nan, flush_to_zero}> : (!f32, !f32) -> !f32
// PRINTS: %42 = cuda_tile.minf %a, %b propagate_nan : !f32
%42 = "cuda_tile.minf"(%a, %b) <{propagate_nan}> : (!f32, !f32) -> !f32
// PRINTS: %43 = cuda_tile.minf %a, %b : !f32
%43 = "cuda_tile.minf"(%a, %b) : (!f32, !f32) -> !f32
// PRINTS: %44 = cuda_tile.cmpf not_equal unordered %a, %b : !f32 -> tile<i1>
%44 = "cuda_tile.cmpf"(%a, %b) <{comparison_ordering = #cuda_tile.comparison_ordering<unordered>, comparison_predicate = #cuda_tile.comparison_predicate<not_equal>}> : (!f32, !f32) -> !cuda_tile.tile<i1>
