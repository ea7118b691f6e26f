// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes.

// REQ: A-14, B-02, B-03, B-53

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @public(%x: tile<4x8xf32>, %i: tile<4x8xi32>) {
    // PRINTS: ^body:
    // PRINTS: %r = reduce %x dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32> (%a: !f32, %b: !f32) {
    %r = reduce %x dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
    // PRINTS: ^body:
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b  : tile<f32>
      yield %s : tile<f32>
    }
    // PRINTS: %c = scan %x dim=1 reverse=false identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32> (%d: !f32, %e: !f32) {
    %c = scan %x dim=1 reverse=false identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    // PRINTS: ^body:
    (%d: !f32, %e: !f32) {
      %f = mulf %d, %e  : tile<f32>
      yield %f : !f32
    }
    // PRINTS: %g, %g_1 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32> (%h: !f32, %j: !f32, %k: tile<i32>, %l: tile<i32>) {
    %g:2 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32>
    // PRINTS: ^body:
    (%h: !f32, %j: !f32, %k: tile<i32>, %l: tile<i32>) {
      %n = cmpf greater_than ordered %h, %j : tile<f32> -> tile<i1>
      %o = select %n, %h, %j : tile<i1>, tile<f32>
      %p = select %n, %k, %l : tile<i1>, tile<i32>
      yield %o, %p : !f32, tile<i32>
    }
    return
  }
}

// -----

// Prefixed text, labelled blocks, attributes.

// REQ: B-53

%x, %y = "test.op"() : () -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xi1>)
// PRINTS: %red = cuda_tile.reduce %x {my.tag = 7 : i32} dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
%0 = cuda_tile.reduce %x {my.tag = 7 : i32} dim=0 identities=[0.0 : f32] : !cuda_tile.tile<8xf32> -> !cuda_tile.tile<f32> (%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>) {
^body:
  %s = cuda_tile.addf %a, %b : !cuda_tile.tile<f32>
  cuda_tile.yield %s : !cuda_tile.tile<f32>
}
// PRINTS: %0 = cuda_tile.scan %y {my.tag} dim=0 reverse=true identities=[true] : tile<8xi1> -> tile<8xi1> (%a_1: tile<i1>, %b_1: tile<i1>) {
%1 = cuda_tile.scan %y {my.tag} dim=0 reverse=true identities=[true] : !cuda_tile.tile<8xi1> -> !cuda_tile.tile<8xi1> (%a: !cuda_tile.tile<i1>, %b: !cuda_tile.tile<i1>) {
// PRINTS: ^body:
^anything:
  // PRINTS: cuda_tile.yield %a_1 : tile<i1>
  cuda_tile.yield %a : !cuda_tile.tile<i1>
}

// -----

// The identities of every element type. f16 and bf16 may stand for each other.

!t2xf16 = !cuda_tile.tile<2xf16>
!t2xbf16 = !cuda_tile.tile<2xbf16>
!t2xf64 = !cuda_tile.tile<2xf64>
!f16 = !cuda_tile.tile<f16>
!bf16 = !cuda_tile.tile<bf16>
!f64 = !cuda_tile.tile<f64>
%i8, %i16, %i64, %f16, %bf16, %f64 = "test.op"() : () -> (!cuda_tile.tile<2xi8>, !cuda_tile.tile<2xi16>, !cuda_tile.tile<2xi64>, !t2xf16, !t2xbf16, !t2xf64)
%tf32, %e4m3, %e5m2, %e8m0 = "test.op"() : () -> (!cuda_tile.tile<2xtf32>, !cuda_tile.tile<2xf8E4M3FN>, !cuda_tile.tile<2xf8E5M2>, !cuda_tile.tile<2xf8E8M0FNU>)
%0 = cuda_tile.scan %i8 dim=0 reverse=false identities=[-128 : i8] : tile<2xi8> -> tile<2xi8> (%a: tile<i8>, %b: tile<i8>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a : tile<i8>
  yield %a : tile<i8>
}
// PRINTS: %1 = cuda_tile.scan %i16 dim=0 reverse=false identities=[1 : i16] : tile<2xi16> -> tile<2xi16> (%a_1: tile<i16>, %b_1: tile<i16>) {
%1 = cuda_tile.scan %i16 dim=0 reverse=false identities=[1 : i16] : tile<2xi16> -> tile<2xi16> (%a: tile<i16>, %b: tile<i16>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_1 : tile<i16>
  yield %a : tile<i16>
}
// PRINTS: %2 = cuda_tile.scan %i64 dim=0 reverse=false identities=[-1 : i64] : tile<2xi64> -> tile<2xi64> (%a_2: tile<i64>, %b_2: tile<i64>) {
%2 = cuda_tile.scan %i64 dim=0 reverse=false identities=[-1] : tile<2xi64> -> tile<2xi64> (%a: tile<i64>, %b: tile<i64>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_2 : tile<i64>
  yield %a : tile<i64>
}
// PRINTS: %3 = cuda_tile.scan %f16 dim=0 reverse=false identities=[0xFC00 : f16] : !t2xf16 -> !t2xf16 (%a_3: !f16, %b_3: !f16) {
%3 = cuda_tile.scan %f16 dim=0 reverse=false identities=[0xFC00 : f16] : !t2xf16 -> !t2xf16 (%a: !f16, %b: !f16) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_3 : !f16
  yield %a : !f16
}
// PRINTS: %4 = cuda_tile.scan %f16 dim=0 reverse=false identities=[1.000000e+00 : bf16] : !t2xf16 -> !t2xf16 (%a_4: !f16, %b_4: !f16) {
%4 = cuda_tile.scan %f16 dim=0 reverse=false identities=[1.0 : bf16] : !t2xf16 -> !t2xf16 (%a: !f16, %b: !f16) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_4 : !f16
  yield %a : !f16
}
// PRINTS: %5 = cuda_tile.scan %bf16 dim=0 reverse=false identities=[0x7F80 : bf16] : !t2xbf16 -> !t2xbf16 (%a_5: !bf16, %b_5: !bf16) {
%5 = cuda_tile.scan %bf16 dim=0 reverse=false identities=[0x7F80 : bf16] : !t2xbf16 -> !t2xbf16 (%a: !bf16, %b: !bf16) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_5 : !bf16
  yield %a : !bf16
}
// PRINTS: %6 = cuda_tile.scan %bf16 dim=0 reverse=false identities=[-1.500000e+00 : f16] : !t2xbf16 -> !t2xbf16 (%a_6: !bf16, %b_6: !bf16) {
%6 = cuda_tile.scan %bf16 dim=0 reverse=false identities=[-1.5 : f16] : !t2xbf16 -> !t2xbf16 (%a: !bf16, %b: !bf16) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_6 : !bf16
  yield %a : !bf16
}
// PRINTS: %7 = cuda_tile.scan %f64 dim=0 reverse=false identities=[2.7182818284590451 : f64] : !t2xf64 -> !t2xf64 (%a_7: !f64, %b_7: !f64) {
%7 = cuda_tile.scan %f64 dim=0 reverse=false identities=[2.7182818284590451 : f64] : !t2xf64 -> !t2xf64 (%a: !f64, %b: !f64) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_7 : !f64
  yield %a : !f64
}
// PRINTS: %8 = cuda_tile.scan %f64 dim=0 reverse=false identities=[1.000000e-01 : f64] : !t2xf64 -> !t2xf64 (%a_8: !f64, %b_8: !f64) {
%8 = cuda_tile.scan %f64 dim=0 reverse=false identities=[0.1] : !t2xf64 -> !t2xf64 (%a: !f64, %b: !f64) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_8 : !f64
  yield %a : !f64
}
// PRINTS: %9 = cuda_tile.scan %tf32 dim=0 reverse=false identities=[1.000000e+00 : tf32] : tile<2xtf32> -> tile<2xtf32> (%a_9: tile<tf32>, %b_9: tile<tf32>) {
%9 = cuda_tile.scan %tf32 dim=0 reverse=false identities=[1.0 : tf32] : tile<2xtf32> -> tile<2xtf32> (%a: tile<tf32>, %b: tile<tf32>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_9 : tile<tf32>
  yield %a : tile<tf32>
}
// PRINTS: %10 = cuda_tile.scan %e4m3 dim=0 reverse=false identities=[-4.480000e+02 : f8E4M3FN] : tile<2xf8E4M3FN> -> tile<2xf8E4M3FN> (%a_10: tile<f8E4M3FN>, %b_10: tile<f8E4M3FN>) {
%10 = cuda_tile.scan %e4m3 dim=0 reverse=false identities=[-4.48e+2 : f8E4M3FN] : tile<2xf8E4M3FN> -> tile<2xf8E4M3FN> (%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_10 : tile<f8E4M3FN>
  yield %a : tile<f8E4M3FN>
}
// PRINTS: %11 = cuda_tile.scan %e5m2 dim=0 reverse=false identities=[0xFC : f8E5M2] : tile<2xf8E5M2> -> tile<2xf8E5M2> (%a_11: tile<f8E5M2>, %b_11: tile<f8E5M2>) {
%11 = cuda_tile.scan %e5m2 dim=0 reverse=false identities=[0xFC : f8E5M2] : tile<2xf8E5M2> -> tile<2xf8E5M2> (%a: tile<f8E5M2>, %b: tile<f8E5M2>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_11 : tile<f8E5M2>
  yield %a : tile<f8E5M2>
}
// PRINTS: %12 = cuda_tile.scan %e8m0 dim=0 reverse=false identities=[1.000000e+00 : f8E8M0FNU] : tile<2xf8E8M0FNU> -> tile<2xf8E8M0FNU> (%a_12: tile<f8E8M0FNU>, %b_12: tile<f8E8M0FNU>) {
%12 = cuda_tile.scan %e8m0 dim=0 reverse=false identities=[1.0 : f8E8M0FNU] : tile<2xf8E8M0FNU> -> tile<2xf8E8M0FNU> (%a: tile<f8E8M0FNU>, %b: tile<f8E8M0FNU>) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %a_12 : tile<f8E8M0FNU>
  yield %a : tile<f8E8M0FNU>
}

// -----

// The form of the documents: `axis` in the dictionary, arguments at the block, no identities.

// REQ: A-14

!t8x64xf32 = !cuda_tile.tile<8x64xf32>
!f32 = !cuda_tile.tile<f32>
%x = "test.op"() : () -> !t8x64xf32
// PRINTS: %sum = cuda_tile.reduce %x dim=1 : !t8x64xf32 -> tile<8xf32> (%acc: !f32, %val: !f32) {
%sum = cuda_tile.reduce %x { axis = 1 : i32 } : !t8x64xf32 -> !cuda_tile.tile<8xf32> {
// PRINTS: ^body:
^bb0(%acc: !cuda_tile.tile<f32>, %val: !cuda_tile.tile<f32>):
  %s = cuda_tile.addf %acc, %val : !f32
  cuda_tile.yield %s : !f32
}
// PRINTS: %prefix = cuda_tile.scan %x {inclusive = true} dim=1 reverse=false : !t8x64xf32 -> !t8x64xf32 (%acc_1: !f32, %elem: !f32) {
%prefix = cuda_tile.scan %x { axis = 1 : i32, inclusive = true } : !t8x64xf32 -> !t8x64xf32 {
// PRINTS: ^body:
^bb0(%acc: !f32, %elem: !f32):
  // PRINTS: %s_1 = cuda_tile.addf %acc_1, %elem : !f32
  %s = cuda_tile.addf %acc, %elem : !f32
  // PRINTS: cuda_tile.yield %s_1 : !f32
  cuda_tile.yield %s : !f32
}
// PRINTS: %exclusive = cuda_tile.scan %x {inclusive = false, my.tag} dim=0 reverse=true : !t8x64xf32 -> !t8x64xf32 (%acc_2: !f32, %elem_1: !f32) {
%exclusive = cuda_tile.scan %x {axis = 0 : i32, inclusive = false, reverse = true, my.tag} : !t8x64xf32 -> !t8x64xf32 {
// PRINTS: ^body:
^bb0(%acc: !f32, %elem: !f32):
  // PRINTS: cuda_tile.yield %acc_2 : !f32
  yield %acc : !f32
}

// -----

// Generic form.

!t4x8xf32 = !cuda_tile.tile<4x8xf32>
!f32 = !cuda_tile.tile<f32>
%x = "test.op"() : () -> !t4x8xf32
// PRINTS: %red = cuda_tile.reduce %x dim=1 identities=[0.000000e+00 : f32] : !t4x8xf32 -> tile<4xf32> (%a: !f32, %b: !f32) {
%0 = "cuda_tile.reduce"(%x) <{dim = 1 : i32, identities = [0.000000e+00 : f32]}> ({
// PRINTS: ^body:
^bb0(%a: !f32, %b: !f32):
  // PRINTS: cuda_tile.yield %a : !f32
  "cuda_tile.yield"(%a) : (!f32) -> ()
// PRINTS: }
}) : (!t4x8xf32) -> !cuda_tile.tile<4xf32>
// PRINTS: %0 = cuda_tile.scan %x dim=0 reverse=true identities=[0.000000e+00 : f32] : !t4x8xf32 -> !t4x8xf32 (%a_1: !f32, %b_1: !f32) {
%1 = "cuda_tile.scan"(%x) <{dim = 0 : i32, identities = [0.000000e+00 : f32], reverse = true}> ({
// PRINTS: ^body:
^bb0(%a: !f32, %b: !f32):
  // PRINTS: cuda_tile.yield %a_1 : !f32
  "cuda_tile.yield"(%a) : (!f32) -> ()
// PRINTS: }
}) : (!t4x8xf32) -> !t4x8xf32

// -----

// Whatever has no memory effect may stand in a body: constants, divisions, nested aggregates.

!i32 = !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<8xi32>
// PRINTS: %red = cuda_tile.reduce %x dim=0 identities=[0 : i32] : tile<8xi32> -> !i32 (%a: !i32, %b: !i32) {
// PRINTS: ^body:
// PRINTS: %cst_2 = cuda_tile.constant <i32: 2> : !i32
// PRINTS: %d = cuda_tile.divi %a, %cst_2 signed : !i32
// PRINTS: %e = cuda_tile.reshape %d : !i32 -> tile<1xi32>
// PRINTS: %f = cuda_tile.reduce %e dim=0 identities=[0 : i32] : tile<1xi32> -> !i32 (%g: !i32, %h: !i32) {
%0 = cuda_tile.reduce %x dim=0 identities=[0 : i32] : tile<8xi32> -> !i32 (%a: !i32, %b: !i32) {
  // PRINTS: ^body:
  // PRINTS: cuda_tile.yield %g : !i32
  %c = constant <i32: 2> : tile<i32>
  // PRINTS:
  %d = divi %a, %c signed : tile<i32>
  // PRINTS:
  %e = reshape %d : tile<i32> -> tile<1xi32>
  // PRINTS:
  %f = reduce %e dim=0 identities=[0 : i32] : tile<1xi32> -> !i32 (%g: !i32, %h: !i32) {
    // PRINTS:
    yield %g : !i32
  }
  // PRINTS: %i = cuda_tile.cmpi equal %f, %b, signed : !i32 -> tile<i1>
  // PRINTS: %j = cuda_tile.if %i -> (!i32) {
  // PRINTS: ^then:
  // PRINTS: cuda_tile.yield %a : !i32
  %i = cmpi equal %f, %b, signed : tile<i32> -> tile<i1>
  // PRINTS:
  %j = if %i -> (tile<i32>) {
    // PRINTS:
    yield %a : !i32
  } else {
    // PRINTS: ^else:
    // PRINTS: cuda_tile.yield %b : !i32
    yield %b : !i32
  }
  // PRINTS: cuda_tile.yield %j : !i32
  yield %j : !i32
}
