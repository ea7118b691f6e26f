// RUN: TILEIRAS_VERBATIM

// `mmaf`: every pair of types, with and without a batch.

// REQ: A-15

!t16x8xf16 = !cuda_tile.tile<16x8xf16>
!t16x8xf32 = !cuda_tile.tile<16x8xf32>
%l0, %r0, %a0 = "test.op"() : () -> (!cuda_tile.tile<16x32xf8E4M3FN>, !cuda_tile.tile<32x8xf8E4M3FN>, !t16x8xf16)
%m0 = cuda_tile.mmaf %l0, %r0, %a0 : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf16>
%l1, %r1, %a1 = "test.op"() : () -> (!cuda_tile.tile<16x32xf8E4M3FN>, !cuda_tile.tile<32x8xf8E4M3FN>, !t16x8xf32)
%m1 = cuda_tile.mmaf %l1, %r1, %a1 : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, !t16x8xf32
%l2, %r2, %a2 = "test.op"() : () -> (!cuda_tile.tile<16x32xf8E5M2>, !cuda_tile.tile<32x8xf8E5M2>, !t16x8xf16)
%m2 = cuda_tile.mmaf %l2, %r2, %a2 : tile<16x32xf8E5M2>, tile<32x8xf8E5M2>, !t16x8xf16
%l3, %r3, %a3 = "test.op"() : () -> (!cuda_tile.tile<16x32xf8E5M2>, !cuda_tile.tile<32x8xf8E5M2>, !t16x8xf32)
%m3 = cuda_tile.mmaf %l3, %r3, %a3 : tile<16x32xf8E5M2>, tile<32x8xf8E5M2>, !t16x8xf32
%l4, %r4, %a4 = "test.op"() : () -> (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !t16x8xf16)
%m4 = cuda_tile.mmaf %l4, %r4, %a4 : tile<16x32xf16>, tile<32x8xf16>, !t16x8xf16
%l5, %r5, %a5 = "test.op"() : () -> (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !t16x8xf32)
%m5 = cuda_tile.mmaf %l5, %r5, %a5 : tile<16x32xf16>, tile<32x8xf16>, !t16x8xf32
%l6, %r6, %a6 = "test.op"() : () -> (!cuda_tile.tile<16x32xbf16>, !cuda_tile.tile<32x8xbf16>, !t16x8xf32)
%m6 = cuda_tile.mmaf %l6, %r6, %a6 : tile<16x32xbf16>, tile<32x8xbf16>, !t16x8xf32
%l7, %r7, %a7 = "test.op"() : () -> (!cuda_tile.tile<16x32xtf32>, !cuda_tile.tile<32x8xtf32>, !t16x8xf32)
%m7 = cuda_tile.mmaf %l7, %r7, %a7 : tile<16x32xtf32>, tile<32x8xtf32>, !t16x8xf32
%l8, %r8, %a8 = "test.op"() : () -> (!cuda_tile.tile<16x32xf32>, !cuda_tile.tile<32x8xf32>, !t16x8xf32)
%m8 = cuda_tile.mmaf %l8, %r8, %a8 : tile<16x32xf32>, tile<32x8xf32>, !t16x8xf32
%l9, %r9, %a9 = "test.op"() : () -> (!cuda_tile.tile<16x32xf64>, !cuda_tile.tile<32x8xf64>, !cuda_tile.tile<16x8xf64>)
%m9 = cuda_tile.mmaf %l9, %r9, %a9 : tile<16x32xf64>, tile<32x8xf64>, tile<16x8xf64>

// -----

// REQ: A-15

!t4x16x32xf16 = !cuda_tile.tile<4x16x32xf16>
!t4x32x8xf16 = !cuda_tile.tile<4x32x8xf16>
!t4x16x8xf32 = !cuda_tile.tile<4x16x8xf32>
%l, %r, %a = "test.op"() : () -> (!t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32)
// PRINTS: %mm = cuda_tile.mmaf %l, %r, %a : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%0 = cuda_tile.mmaf %l, %r, %a : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
// PRINTS: %mm_1 = cuda_tile.mmaf %l, %r, %a fast_acc : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%1 = cuda_tile.mmaf %l, %r, %a fast_acc : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
// PRINTS: %mm_2 = cuda_tile.mmaf %l, %r, %a {my.tag = 7 : i32} : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%2 = cuda_tile.mmaf %l, %r, %a {my.tag = 7 : i32} : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%named = cuda_tile.mmaf %l, %r, %a fast_acc {my.tag} : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
// PRINTS: %mm_3 = cuda_tile.mmaf %l, %r, %a : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%4 = "cuda_tile.mmaf"(%l, %r, %a) : (!t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32) -> !t4x16x8xf32
// PRINTS: %mm_4 = cuda_tile.mmaf %l, %r, %a fast_acc : !t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32
%5 = "cuda_tile.mmaf"(%l, %r, %a) <{fast_acc}> : (!t4x16x32xf16, !t4x32x8xf16, !t4x16x8xf32) -> !t4x16x8xf32

// -----

// `mmai`: every pair of signs.

// REQ: A-15, B-32

!i32 = !cuda_tile.tile<1x16x8xi32>
!t16x32xi8 = !cuda_tile.tile<16x32xi8>
!t32x8xi8 = !cuda_tile.tile<32x8xi8>
!t16x8xi32 = !cuda_tile.tile<16x8xi32>
%l, %r, %a = "test.op"() : () -> (!t16x32xi8, !t32x8xi8, !t16x8xi32)
// PRINTS: %mm = cuda_tile.mmai %l, %r, %a signed signed : !t16x32xi8, !t32x8xi8, !t16x8xi32
%0 = cuda_tile.mmai %l, %r, %a signed signed : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
// PRINTS: %mm_1 = cuda_tile.mmai %l, %r, %a signed unsigned : !t16x32xi8, !t32x8xi8, !t16x8xi32
%1 = cuda_tile.mmai %l, %r, %a signed unsigned : !t16x32xi8, !t32x8xi8, !t16x8xi32
// PRINTS: %mm_2 = cuda_tile.mmai %l, %r, %a unsigned signed : !t16x32xi8, !t32x8xi8, !t16x8xi32
%2 = cuda_tile.mmai %l, %r, %a unsigned signed : !t16x32xi8, !t32x8xi8, !t16x8xi32
// PRINTS: %mm_3 = cuda_tile.mmai %l, %r, %a unsigned unsigned {my.tag} : !t16x32xi8, !t32x8xi8, !t16x8xi32
%3 = cuda_tile.mmai %l, %r, %a unsigned unsigned {my.tag} : !t16x32xi8, !t32x8xi8, !t16x8xi32
// PRINTS: %mm_4 = cuda_tile.mmai %l, %r, %a signed unsigned : !t16x32xi8, !t32x8xi8, !t16x8xi32
%4 = "cuda_tile.mmai"(%l, %r, %a) <{signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>}> : (!t16x32xi8, !t32x8xi8, !t16x8xi32) -> !t16x8xi32
%l3, %r3, %a3 = "test.op"() : () -> (!cuda_tile.tile<1x16x32xi8>, !cuda_tile.tile<1x32x8xi8>, !i32)
// PRINTS: %mm_5 = cuda_tile.mmai %l3, %r3, %a3 signed signed : tile<1x16x32xi8>, tile<1x32x8xi8>, !i32
%5 = cuda_tile.mmai %l3, %r3, %a3 signed signed : tile<1x16x32xi8>, tile<1x32x8xi8>, !i32

// -----

// `mmaf_scaled`: every pair of types and every size of a block.

!f32 = !cuda_tile.tile<16x8xf32>
!t16x64xf4E2M1FN = !cuda_tile.tile<16x64xf4E2M1FN>
!t64x8xf4E2M1FN = !cuda_tile.tile<64x8xf4E2M1FN>
%l0, %r0, %a0, %s0, %t0 = "test.op"() : () -> (!cuda_tile.tile<16x64xf8E4M3FN>, !cuda_tile.tile<64x8xf8E4M3FN>, !f32, !cuda_tile.tile<16x2xf8E8M0FNU>, !cuda_tile.tile<2x8xf8E8M0FNU>)
%m0 = cuda_tile.mmaf_scaled %l0, %r0, %a0, %s0, %t0 : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
%l1, %r1, %a1, %s1, %t1 = "test.op"() : () -> (!cuda_tile.tile<16x64xf8E5M2>, !cuda_tile.tile<64x8xf8E5M2>, !f32, !cuda_tile.tile<16x2xf8E8M0FNU>, !cuda_tile.tile<2x8xf8E8M0FNU>)
%m1 = cuda_tile.mmaf_scaled %l1, %r1, %a1, %s1, %t1 : tile<16x64xf8E5M2>, tile<64x8xf8E5M2>, !f32, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
%l2, %r2, %a2, %s2, %t2 = "test.op"() : () -> (!t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, !cuda_tile.tile<16x4xf8E8M0FNU>, !cuda_tile.tile<4x8xf8E8M0FNU>)
%m2 = cuda_tile.mmaf_scaled %l2, %r2, %a2, %s2, %t2 : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, tile<16x4xf8E8M0FNU>, tile<4x8xf8E8M0FNU>
%l3, %r3, %a3, %s3, %t3 = "test.op"() : () -> (!t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, !cuda_tile.tile<16x2xf8E8M0FNU>, !cuda_tile.tile<2x8xf8E8M0FNU>)
%m3 = cuda_tile.mmaf_scaled %l3, %r3, %a3, %s3, %t3 : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
%l4, %r4, %a4, %s4, %t4 = "test.op"() : () -> (!t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, !cuda_tile.tile<16x4xf8E4M3FN>, !cuda_tile.tile<4x8xf8E4M3FN>)
%m4 = cuda_tile.mmaf_scaled %l4, %r4, %a4, %s4, %t4 : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, tile<16x4xf8E4M3FN>, tile<4x8xf8E4M3FN>
%l5, %r5, %a5, %s5, %t5 = "test.op"() : () -> (!t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, !cuda_tile.tile<16x4xfnv8E5M3FNU>, !cuda_tile.tile<4x8xfnv8E5M3FNU>)
%m5 = cuda_tile.mmaf_scaled %l5, %r5, %a5, %s5, %t5 : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, tile<16x4xfnv8E5M3FNU>, tile<4x8xfnv8E5M3FNU>
%l6, %r6, %a6, %s6, %t6 = "test.op"() : () -> (!t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, !cuda_tile.tile<16x2xfnv8E5M3FNU>, !cuda_tile.tile<2x8xfnv8E5M3FNU>)
%m6 = cuda_tile.mmaf_scaled %l6, %r6, %a6, %s6, %t6 : !t16x64xf4E2M1FN, !t64x8xf4E2M1FN, !f32, tile<16x2xfnv8E5M3FNU>, tile<2x8xfnv8E5M3FNU>

// -----

!f32 = !cuda_tile.tile<2x16x8xf32>
%l, %r, %a, %s, %t = "test.op"() : () -> (!cuda_tile.tile<2x16x64xf8E4M3FN>, !cuda_tile.tile<2x64x8xf8E4M3FN>, !f32, !cuda_tile.tile<2x16x2xf8E8M0FNU>, !cuda_tile.tile<2x2x8xf8E8M0FNU>)
// PRINTS: %mm = cuda_tile.mmaf_scaled %l, %r, %a, %s, %t : tile<2x16x64xf8E4M3FN>, tile<2x64x8xf8E4M3FN>, !f32, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
%0 = cuda_tile.mmaf_scaled %l, %r, %a, %s, %t : !cuda_tile.tile<2x16x64xf8E4M3FN>, !cuda_tile.tile<2x64x8xf8E4M3FN>, !cuda_tile.tile<2x16x8xf32>, !cuda_tile.tile<2x16x2xf8E8M0FNU>, !cuda_tile.tile<2x2x8xf8E8M0FNU>
// PRINTS: %mm_1 = cuda_tile.mmaf_scaled %l, %r, %a, %s, %t {my.tag} : tile<2x16x64xf8E4M3FN>, tile<2x64x8xf8E4M3FN>, !f32, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
%1 = cuda_tile.mmaf_scaled %l, %r, %a, %s, %t {my.tag} : tile<2x16x64xf8E4M3FN>, tile<2x64x8xf8E4M3FN>, !f32, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
// PRINTS: %mm_2 = cuda_tile.mmaf_scaled %l, %r, %a, %s, %t : tile<2x16x64xf8E4M3FN>, tile<2x64x8xf8E4M3FN>, !f32, tile<2x16x2xf8E8M0FNU>, tile<2x2x8xf8E8M0FNU>
%2 = "cuda_tile.mmaf_scaled"(%l, %r, %a, %s, %t) : (!cuda_tile.tile<2x16x64xf8E4M3FN>, !cuda_tile.tile<2x64x8xf8E4M3FN>, !f32, !cuda_tile.tile<2x16x2xf8E8M0FNU>, !cuda_tile.tile<2x2x8xf8E8M0FNU>) -> !f32

// -----

// The lines of the public disassembler.

// REQ: A-15, B-02, B-03

cuda_tile.module @m {
  testing$func @f(%bcast: tile<16x8xf32>, %acc: tile<16x8xi32>, %s: tile<16x2xf8E8M0FNU>, %t: tile<2x8xf8E8M0FNU>) {
    // PRINTS: ^body:
    // PRINTS: %cst = constant <f16: 0.000000e+00> : tile<16x32xf16>
    %cst_0_f16 = constant <f16: 0.000000e+00> : tile<16x32xf16>
    // PRINTS: %cst_1 = constant <f16: 0.000000e+00> : tile<32x8xf16>
    %cst_0_f16_0 = constant <f16: 0.000000e+00> : tile<32x8xf16>
    // PRINTS: %cst_2 = constant <f8E4M3FN: 0.000000e+00> : tile<16x64xf8E4M3FN>
    %cst_0_f8E4M3FN = constant <f8E4M3FN: 0.000000e+00> : tile<16x64xf8E4M3FN>
    // PRINTS: %cst_3 = constant <f8E4M3FN: 0.000000e+00> : tile<64x8xf8E4M3FN>
    %cst_0_f8E4M3FN_0 = constant <f8E4M3FN: 0.000000e+00> : tile<64x8xf8E4M3FN>
    // PRINTS: %cst_0 = constant <i8: 0> : tile<16x32xi8>
    %cst_0_i8 = constant <i8: 0> : tile<16x32xi8>
    // PRINTS: %cst_0_1 = constant <i8: 0> : tile<32x8xi8>
    %cst_0_i8_0 = constant <i8: 0> : tile<32x8xi8>
    // PRINTS: %mm = mmaf %cst, %cst_1, %bcast : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>
    %0 = mmaf %cst_0_f16, %cst_0_f16_0, %bcast : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>
    // PRINTS: %mm_1 = mmaf_scaled %cst_2, %cst_3, %bcast, %s, %t : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    %1 = mmaf_scaled %cst_0_f8E4M3FN, %cst_0_f8E4M3FN_0, %bcast, %s, %t : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    // PRINTS: %mm_2 = mmai %cst_0, %cst_0_1, %acc signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    %2 = mmai %cst_0_i8, %cst_0_i8_0, %acc signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
    return
  }
}
