// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t16x16xf32 = tensor<16x16xf32>
%a16, %b16, %c32, %c16, %a8, %b8, %ci = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>, tensor<128x32xf16>, tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xi32>)
%f8, %g8, %tf, %f32, %f64, %bf, %d64, %f4 = "test.op"() : () -> (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2>, tensor<16x16xtf32>, !t16x16xf32, tensor<16x16xf64>, tensor<16x16xbf16>, tensor<16x16xf64>, tensor<16x16xf4E2M1FN>)

// Floats: sums are as wide as the hardware has them.

%0 = nv_tileaa.dot %a16, %b16, %c32 {input_precision = "tf32"} : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
// PRINTS: %1 = nv_tileaa.dot %a16, %b16, %c16 {fastmath = #arith.fastmath<fast>, input_precision = "tf32"} : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf16>
%1 = "nv_tileaa.dot"(%a16, %b16, %c16) {input_precision = "tf32", fastmath = #arith.fastmath<fast>} : (tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<128x32xf16>
%2 = nv_tileaa.dot %f8, %g8, %f32 {fast_acc} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2>, !t16x16xf32
%3 = nv_tileaa.dot %tf, %tf, %f32 {input_precision = "tf32"} : tensor<16x16xtf32>, tensor<16x16xtf32>, !t16x16xf32
%4 = nv_tileaa.dot %f32, %f32, %f32 {input_precision = "ieee"} : !t16x16xf32, !t16x16xf32, !t16x16xf32
%5 = nv_tileaa.dot %bf, %bf, %f32 : tensor<16x16xbf16>, tensor<16x16xbf16>, !t16x16xf32
%6 = nv_tileaa.dot %d64, %d64, %f64 : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
%7 = nv_tileaa.dot %f4, %f4, %f32 : tensor<16x16xf4E2M1FN>, tensor<16x16xf4E2M1FN>, !t16x16xf32

// Integers, with a batch dimension; signed if it is not said.

%8 = nv_tileaa.dot %a8, %b8, %ci {signedness_lhs = "signed", signedness_rhs = "unsigned"} : tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xi32>
// PRINTS: %9 = nv_tileaa.dot %a8, %b8, %ci : tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xi32>
%9 = "nv_tileaa.dot"(%a8, %b8, %ci) : (tensor<2x16x32xi8>, tensor<2x32x8xi8>, tensor<2x16x8xi32>) -> tensor<2x16x8xi32>

// Scales for groups of 32 and 16 elements; packed elements.

%l, %r, %ls, %rs, %bytes, %nibbles = "test.op"() : () -> (tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>, tensor<64xi8>, tensor<128xf4E2M1FN>)
%10 = nv_tileaa.mmaf_scaled %l, %r, %f32, %ls, %rs : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, !t16x16xf32, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>
%bl, %br, %bc, %bls, %brs = "test.op"() : () -> (tensor<2x8x32xf4E2M1FN>, tensor<2x32x8xf4E2M1FN>, tensor<2x8x8xf32>, tensor<2x8x2x!cuda_tile.fnv8E5M3FNU>, tensor<2x2x8x!cuda_tile.fnv8E5M3FNU>)
// PRINTS: %11 = nv_tileaa.mmaf_scaled %bl, %br, %bc, %bls, %brs : tensor<2x8x32xf4E2M1FN>, tensor<2x32x8xf4E2M1FN>, tensor<2x8x8xf32>, tensor<2x8x2x!cuda_tile.fnv8E5M3FNU>, tensor<2x2x8x!cuda_tile.fnv8E5M3FNU>
%11 = "nv_tileaa.mmaf_scaled"(%bl, %br, %bc, %bls, %brs) : (tensor<2x8x32xf4E2M1FN>, tensor<2x32x8xf4E2M1FN>, tensor<2x8x8xf32>, tensor<2x8x2x!cuda_tile.fnv8E5M3FNU>, tensor<2x2x8x!cuda_tile.fnv8E5M3FNU>) -> tensor<2x8x8xf32>
%12 = nv_tileaa.pack %nibbles : tensor<128xf4E2M1FN> -> tensor<64xi8>
%13 = nv_tileaa.unpack %bytes : tensor<64xi8> -> tensor<16xtf32>
