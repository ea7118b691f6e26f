// RUN: tileiras-opt %s --split-input-file --print-local-scope | %verbatim %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --split-input-file | %verbatim %s | filecheck %s --match-full-lines

// Every element type, one value for all elements.

// REQ: B-55

// CHECK:      %true = cuda_tile.constant <i1: true> : !cuda_tile.tile<4xi1>
%0 = cuda_tile.constant <i1: 1> : !cuda_tile.tile<4xi1>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <i8: 1> : !cuda_tile.tile<4xi8>
%1 = cuda_tile.constant <i8: 1> : tile<4xi8>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <i16: 2> : !cuda_tile.tile<4xi16>
%2 = cuda_tile.constant <i16: 2> : tile<4xi16>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <i32: 3> : [[t4xi32:!cuda_tile.tile<4xi32>]]
%3 = cuda_tile.constant <i32: 3> : tile<4xi32>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <i64: 4> : !cuda_tile.tile<4xi64>
%4 = cuda_tile.constant <i64: 4> : tile<4xi64>
// CHECK-NEXT: %cst = cuda_tile.constant <f16: 1.000000e+00> : !cuda_tile.tile<4xf16>
%5 = cuda_tile.constant <f16: 1.0> : tile<4xf16>
// CHECK-NEXT: %cst_5 = cuda_tile.constant <bf16: 1.000000e+00> : !cuda_tile.tile<4xbf16>
%6 = cuda_tile.constant <bf16: 1.0> : tile<4xbf16>
// CHECK-NEXT: %cst_6 = cuda_tile.constant <f32: 1.000000e+00> : [[t4xf32:!cuda_tile.tile<4xf32>]]
%7 = cuda_tile.constant <f32: 1.0> : tile<4xf32>
// CHECK-NEXT: %cst_7 = cuda_tile.constant <tf32: 1.000000e+00> : !cuda_tile.tile<4xtf32>
%8 = cuda_tile.constant <tf32: 1.0> : tile<4xtf32>
// CHECK-NEXT: %cst_8 = cuda_tile.constant <f64: 1.000000e+00> : !cuda_tile.tile<4xf64>
%9 = cuda_tile.constant <f64: 1.0> : tile<4xf64>
// CHECK-NEXT: %cst_9 = cuda_tile.constant <f8E4M3FN: 1.000000e+00> : !cuda_tile.tile<4xf8E4M3FN>
%10 = cuda_tile.constant <f8E4M3FN: 1.0> : tile<4xf8E4M3FN>
// CHECK-NEXT: %cst_10 = cuda_tile.constant <f8E5M2: 1.000000e+00> : !cuda_tile.tile<4xf8E5M2>
%11 = cuda_tile.constant <f8E5M2: 1.0> : tile<4xf8E5M2>
// CHECK-NEXT: %cst_11 = cuda_tile.constant <f8E8M0FNU: 1.000000e+00> : !cuda_tile.tile<4xf8E8M0FNU>
%12 = cuda_tile.constant <f8E8M0FNU: 1.0> : tile<4xf8E8M0FNU>
// CHECK-NEXT: %cst_12 = cuda_tile.constant <f4E2M1FN: 1.000000e+00> : !cuda_tile.tile<4xf4E2M1FN>
%13 = cuda_tile.constant <f4E2M1FN: 1.0> : tile<4xf4E2M1FN>
// CHECK-NEXT: %cst_13 = cuda_tile.constant <fnv8E5M3FNU: 1.000000e+00> : [[tile:!cuda_tile.tile<4xfnv8E5M3FNU>]]
%14 = cuda_tile.constant <fnv8E5M3FNU: 1.0> : tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %cst_14 = cuda_tile.constant <fnv8E5M3FNU: 1.500000e+00> : [[tile]]
%15 = cuda_tile.constant <!cuda_tile.fnv8E5M3FNU: 1.5> : tile<4x!cuda_tile.fnv8E5M3FNU>
// CHECK-NEXT: }

// -----

// Integers: signed decimals, whatever was written; i1 has words of its own.

// CHECK:      %cst_i1 = cuda_tile.constant <i1: [false, true, true, true]> : !cuda_tile.tile<4xi1>
%0 = cuda_tile.constant <i1: [0, 1, -1, true]> : tile<4xi1>
// CHECK-NEXT: %false = cuda_tile.constant <i1: false> : !cuda_tile.tile<i1>
%1 = cuda_tile.constant <i1: false> : tile<i1>
// CHECK-NEXT: %cst = cuda_tile.constant <i8: [-128, 127, -128, -1]> : !cuda_tile.tile<4xi8>
%2 = cuda_tile.constant <i8: [-128, 127, 128, 255]> : tile<4xi8>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <i8: [0, 127, -128, -1]> : !cuda_tile.tile<4xi8>
%3 = cuda_tile.constant <i8: [0x00, 0x7F, 0x80, 0xff]> : tile<4xi8>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <i16: [-32768, 32767, -1, -1]> : !cuda_tile.tile<4xi16>
%4 = cuda_tile.constant <i16: [-32768, 32767, 65535, -1]> : tile<4xi16>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <i32: [-2147483648, 2147483647, -1, 0]> : [[t4xi32]]
%5 = cuda_tile.constant <i32: [-2147483648, 2147483647, 4294967295, 0]> : tile<4xi32>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <i64: [-9223372036854775808, 9223372036854775807, -1, -1]> : !cuda_tile.tile<4xi64>
%6 = cuda_tile.constant <i64: [-9223372036854775808, 9223372036854775807, 18446744073709551615, 0xFFFFFFFFFFFFFFFF]> : tile<4xi64>
// CHECK-NEXT: %cst_5 = cuda_tile.constant <i32: [1, -2, 3, 4]> : [[t4xi32]]
%7 = cuda_tile.constant <i32: [1, -2, 3, 4]> : tile<4xi32>
// CHECK-NEXT: }

// -----

// Shapes: a tile of one element and equal elements print as a scalar, others nest.

// CHECK:      %cst_42 = cuda_tile.constant <i32: 42> : !cuda_tile.tile<1xi32>
%0 = cuda_tile.constant <i32: 42> : tile<1xi32>
// CHECK-NEXT: %cst_42_1 = cuda_tile.constant <i32: 42> : !cuda_tile.tile<1xi32>
%1 = cuda_tile.constant <i32: [42]> : tile<1xi32>
// CHECK-NEXT: %cst_42_2 = cuda_tile.constant <i32: 42> : !cuda_tile.tile<1x1x1xi32>
%2 = cuda_tile.constant <i32: [[[42]]]> : tile<1x1x1xi32>
// CHECK-NEXT: %cst_42_3 = cuda_tile.constant <i32: 42> : !cuda_tile.tile<i32>
%3 = cuda_tile.constant <i32: 42> : tile<i32>
// CHECK-NEXT: %cst_7 = cuda_tile.constant <i32: 7> : [[t4xi32]]
%4 = cuda_tile.constant <i32: [7, 7, 7, 7]> : tile<4xi32>
// CHECK-NEXT: %cst = cuda_tile.constant <i32: {{\[}}[1, 2], [3, 4]]> : !cuda_tile.tile<2x2xi32>
%5 = cuda_tile.constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: {{\[}}{{\[}}[1, 2], [3, 4]], {{\[}}[5, 6], [7, 8]]]> : !cuda_tile.tile<2x2x2xi32>
%6 = cuda_tile.constant <i32: [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tile<2x2x2xi32>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <i32: {{\[}}[1], [2]]> : !cuda_tile.tile<2x1xi32>
%7 = cuda_tile.constant <i32: [[1], [2]]> : tile<2x1xi32>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <i32: {{\[}}[1, 2]]> : !cuda_tile.tile<1x2xi32>
%8 = cuda_tile.constant <i32: [[1, 2]]> : tile<1x2xi32>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <i32: [1, 2]> : !cuda_tile.tile<2xi32>
%9 = cuda_tile.constant < i32 : [ 1 ,
  2 ] > : tile<2xi32>
// CHECK-NEXT: %cst_5 = cuda_tile.constant <f32: 1.500000e+00> : !cuda_tile.tile<2x2xf32>
%10 = cuda_tile.constant <f32: 1.5> : tile<2x2xf32>
// CHECK-NEXT: }

// -----

// Floats: six digits if they are exact, all digits if they have a dot, else the bits.

// CHECK:      %cst = cuda_tile.constant <f32: [0.000000e+00, -0.000000e+00, 1.000000e+00, -1.500000e+00]> : [[t4xf32]]
%0 = cuda_tile.constant <f32: [0.0, -0.0, 1.0, -1.5]> : tile<4xf32>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <f32: [123456.789, 1.000000e-01, 3.14159274, 1.000000e+10]> : [[t4xf32]]
%1 = cuda_tile.constant <f32: [123456.789, 0.1, 3.14159274, 1.0e10]> : tile<4xf32>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <f32: [0x4B800000, 0x4B800000, 1.18059162E+21, 1.17549435E-38]> : [[t4xf32]]
%2 = cuda_tile.constant <f32: [16777216.0, 16777217.0, 1.18059162E+21, 1.17549435E-38]> : tile<4xf32>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <f32: [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001]> : [[t4xf32]]
%3 = cuda_tile.constant <f32: [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001]> : tile<4xf32>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <f32: [1.401300e-45, -0.000000e+00, 1.000000e+00, 0x4B800000]> : [[t4xf32]]
%4 = cuda_tile.constant <f32: [0x00000001, 0x80000000, 0x3F800000, 0x4B800000]> : tile<4xf32>
// CHECK-NEXT: %cst_5 = cuda_tile.constant <f32: [0x7F800000, 0xFF800000, 3.40282347E+38, 0.000000e+00]> : [[t4xf32]]
%5 = cuda_tile.constant <f32: [1.0e39, -1.0e39, 3.40282347E+38, 1.0e-46]> : tile<4xf32>
// CHECK-NEXT: %cst_6 = cuda_tile.constant <f64: [2.7182818284590451, 1.000000e-01, 1.000000e+300, 4.940660e-324]> : !cuda_tile.tile<4xf64>
%6 = cuda_tile.constant <f64: [2.7182818284590451, 0.1, 1.0e300, 5.0e-324]> : tile<4xf64>
// CHECK-NEXT: %cst_7 = cuda_tile.constant <f64: [0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001, 0x4340000000000000]> : !cuda_tile.tile<4xf64>
%7 = cuda_tile.constant <f64: [1.0e400, -1.0e400, 0x7FF8000000000001, 9007199254740992.0]> : tile<4xf64>
// CHECK-NEXT: %cst_8 = cuda_tile.constant <f16: [9.997550e-02, 6.550400e+04, 0x7C00, 5.960460e-08]> : !cuda_tile.tile<4xf16>
%8 = cuda_tile.constant <f16: [0.1, 65504.0, 1.0e6, 0x0001]> : tile<4xf16>
// CHECK-NEXT: %cst_9 = cuda_tile.constant <bf16: [1.000980e-01, 3.389530e+38, 0x7F80, 0xFFC1]> : !cuda_tile.tile<4xbf16>
%9 = cuda_tile.constant <bf16: [0.1, 3.38953139E+38, 1.0e39, 0xFFC1]> : tile<4xbf16>
// CHECK-NEXT: %cst_10 = cuda_tile.constant <tf32: [9.997550e-02, 0x3FC00, 0x3FC01, -0.000000e+00]> : !cuda_tile.tile<4xtf32>
%10 = cuda_tile.constant <tf32: [0.1, 1.0e39, 0x3FC01, -0.0]> : tile<4xtf32>
// CHECK-NEXT: %cst_11 = cuda_tile.constant <f8E4M3FN: [4.480000e+02, -4.480000e+02, 0x7F, 1.015630e-01]> : !cuda_tile.tile<4xf8E4M3FN>
%11 = cuda_tile.constant <f8E4M3FN: [448.0, -448.0, 0x7F, 0.1]> : tile<4xf8E4M3FN>
// CHECK-NEXT: %cst_12 = cuda_tile.constant <f8E5M2: [5.734400e+04, 0x7C, 0x7D, -0.000000e+00]> : !cuda_tile.tile<4xf8E5M2>
%12 = cuda_tile.constant <f8E5M2: [57344.0, 1.0e6, 0x7D, -0.0]> : tile<4xf8E5M2>
// CHECK-NEXT: %cst_13 = cuda_tile.constant <f8E8M0FNU: [1.000000e+00, 5.000000e-01, 0xFF, 5.877470e-39]> : !cuda_tile.tile<4xf8E8M0FNU>
%13 = cuda_tile.constant <f8E8M0FNU: [1.0, 0.5, 0xFF, 0x00]> : tile<4xf8E8M0FNU>
// CHECK-NEXT: %cst_14 = cuda_tile.constant <f4E2M1FN: [5.000000e-01, -6.000000e+00, -6.000000e+00, 1.500000e+00]> : !cuda_tile.tile<4xf4E2M1FN>
%14 = cuda_tile.constant <f4E2M1FN: [0.5, -6.0, 0xF, 1.6]> : tile<4xf4E2M1FN>
// CHECK-NEXT: %cst_15 = cuda_tile.constant <fnv8E5M3FNU: [1.000000e+00, 1.146880e+05, 0xFF, 0.000000e+00]> : [[tile]]
%15 = cuda_tile.constant <fnv8E5M3FNU: [1.0, 0xFE, 0xFF, 0.0]> : tile<4xfnv8E5M3FNU>
// CHECK-NEXT: %cst_16 = cuda_tile.constant <f32: 0xFF800000> : !cuda_tile.tile<f32>
%16 = cuda_tile.constant <f32: 0xff800000> : tile<f32>
// CHECK-NEXT: %cst_17 = cuda_tile.constant <f32: 2.000000e+00> : !cuda_tile.tile<f32>
%17 = cuda_tile.constant <f32: 2.> : tile<f32>
// CHECK-NEXT: }

// -----

// More than 100 elements that differ print as bytes, little endian; 100 are listed.

// CHECK:      %cst = cuda_tile.constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"> : !cuda_tile.tile<128xi8>
%0 = cuda_tile.constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"> : tile<128xi8>
// CHECK-NEXT: %cst_1 = cuda_tile.constant <i8: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]> : !cuda_tile.tile<64xi8>
%1 = cuda_tile.constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F"> : tile<64xi8>
// CHECK-NEXT: %cst_2 = cuda_tile.constant <i32: [1, 2]> : !cuda_tile.tile<2xi32>
%2 = cuda_tile.constant <i32: "0x0100000002000000"> : tile<2xi32>
// CHECK-NEXT: %cst_67305985 = cuda_tile.constant <i32: 67305985> : !cuda_tile.tile<1xi32>
%3 = cuda_tile.constant <i32: "0x01020304"> : tile<1xi32>
// CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false]> : !cuda_tile.tile<2xi1>
%4 = cuda_tile.constant <i1: "0x0100"> : tile<2xi1>
// CHECK-NEXT: %cst_3 = cuda_tile.constant <f32: {{\[}}[1.000000e+00], [-2.000000e+00]]> : !cuda_tile.tile<2x1xf32>
%5 = cuda_tile.constant <f32: "0x0000803F000000C0"> : tile<2x1xf32>
// CHECK-NEXT: %cst_7 = cuda_tile.constant <i16: 7> : !cuda_tile.tile<2xi16>
%6 = cuda_tile.constant <i16: "0x07000700"> : tile<2xi16>
// CHECK-NEXT: %cst_4 = cuda_tile.constant <tf32: [1.000000e+00, 0.000000e+00]> : !cuda_tile.tile<2xtf32>
%7 = cuda_tile.constant <tf32: "0x00FC01000000"> : tile<2xtf32>
// CHECK-NEXT: %cst_i1_1 = cuda_tile.constant <i1: "0x0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : !cuda_tile.tile<8x16xi1>
%8 = cuda_tile.constant <i1: "0x0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tile<8x16xi1>
// CHECK-NEXT: }

// -----

// The value of a global is such a literal, too.

cuda_tile.module @m {
  // PRINTS: global @a <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  global @a <f32: [1.0, 2.0]> : tile<2xf32>
  global @b <i8: 5> : tile<1024xi8>
  global @c <i1: [true, false]> : tile<2xi1>
  // PRINTS: global @d <f32: [1.000000e+00, -2.000000e+00]> : tile<2xf32>
  global @d <f32: "0x0000803F000000C0"> : tile<2xf32>
}
