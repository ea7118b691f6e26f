// Constants of every element type: splats, lists, the limits, and more than 100 elements.

entry @booleans() {
  %true = constant <i1: true> : tile<i1>
  %false = constant <i1: false> : tile<i1>
  %all = constant <i1: true> : tile<16xi1>
  %none = constant <i1: false> : tile<1024xi1>
  %two = constant <i1: [true, false]> : tile<2xi1>
  %eight = constant <i1: [true, false, false, true, true, false, false, true]> : tile<8xi1>
  %square = constant <i1: [[true, false, true, true], [false, false, false, true], [true, false, true, true], [false, false, false, true]]> : tile<4x4xi1>
  return
}

entry @integers() {
  %i8 = constant <i8: [-128, 127, -1, 0]> : tile<4xi8>
  %i16 = constant <i16: [-32768, 32767, -1, 0]> : tile<4xi16>
  %i32 = constant <i32: [[-2147483648, 2147483647], [-1, 0]]> : tile<2x2xi32>
  %i64 = constant <i64: [-9223372036854775808, 9223372036854775807, -1, 0]> : tile<4xi64>
  %five = constant <i8: 5> : tile<i8>
  %six = constant <i16: 6> : tile<1xi16>
  %seven = constant <i32: 7> : tile<2x2x2xi32>
  %eight = constant <i64: -8> : tile<16777216xi64>
  %list = constant <i32: [-64, -63, -60, -55, -48, -39, -28, -15, 0, 17, 36, 57, 80, 105, 132, 161, 192, 225, 260, 297, 336, 377, 420, 465, 512, 561, 612, 665, 720, 777, 836, 897, 960, 1025, 1092, 1161, 1232, 1305, 1380, 1457, 1536, 1617, 1700, 1785, 1872, 1961, 2052, 2145, 2240, 2337, 2436, 2537, 2640, 2745, 2852, 2961, 3072, 3185, 3300, 3417, 3536, 3657, 3780, 3905, 4032, 4161, 4292, 4425, 4560, 4697, 4836, 4977, 5120, 5265, 5412, 5561, 5712, 5865, 6020, 6177, 6336, 6497, 6660, 6825, 6992, 7161, 7332, 7505, 7680, 7857, 8036, 8217, 8400, 8585, 8772, 8961, 9152, 9345, 9540, 9737, 9936, 10137, 10340, 10545, 10752, 10961, 11172, 11385, 11600, 11817, 12036, 12257, 12480, 12705, 12932, 13161, 13392, 13625, 13860, 14097, 14336, 14577, 14820, 15065, 15312, 15561, 15812, 16065]> : tile<128xi32>
  return
}

entry @floats() {
  %f16 = constant <f16: [1.0, -0.0, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001, 0x7BFF]> : tile<8xf16>
  %bf16 = constant <bf16: [1.0, -0.0, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x0001, 0x7F7F]> : tile<8xbf16>
  %f32 = constant <f32: [1.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x00000001, 3.1415926535]> : tile<8xf32>
  %tf32 = constant <tf32: [1.0, -0.0, 0x3FC00, 0x7FC00, 0x3FE00, 0x7FE01, 0x00001, 0x3FBFF]> : tile<8xtf32>
  %f64 = constant <f64: [1.0, -0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001, 0x0000000000000001, 2.718281828459045]> : tile<8xf64>
  %e4m3 = constant <f8E4M3FN: [1.0, -0.0, 0x7F, 0xFF, 0x01, 0x7E, 0x80, 448.0]> : tile<8xf8E4M3FN>
  %e5m2 = constant <f8E5M2: [1.0, -0.0, 0x7C, 0xFC, 0x7F, 0xFE, 0x01, 0x7B]> : tile<8xf8E5M2>
  %splat_f16 = constant <f16: 0xFC00> : tile<4x4xf16>
  %splat_bf16 = constant <bf16: 1.5> : tile<bf16>
  %splat_f32 = constant <f32: 0x7FC00000> : tile<1xf32>
  %splat_tf32 = constant <tf32: -1.5> : tile<2x4xtf32>
  %splat_f64 = constant <f64: 0.1> : tile<2xf64>
  %splat_e4m3 = constant <f8E4M3FN: 0x7F> : tile<2xf8E4M3FN>
  %splat_e5m2 = constant <f8E5M2: -0.0> : tile<f8E5M2>
  %list = constant <f32: [0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75, 6.0, 6.25, 6.5, 6.75, 7.0, 7.25, 7.5, 7.75, 8.0, 8.25, 8.5, 8.75, 9.0, 9.25, 9.5, 9.75, 10.0, 10.25, 10.5, 10.75, 11.0, 11.25, 11.5, 11.75, 12.0, 12.25, 12.5, 12.75, 13.0, 13.25, 13.5, 13.75, 14.0, 14.25, 14.5, 14.75, 15.0, 15.25, 15.5, 15.75, 16.0, 16.25, 16.5, 16.75, 17.0, 17.25, 17.5, 17.75, 18.0, 18.25, 18.5, 18.75, 19.0, 19.25, 19.5, 19.75, 20.0, 20.25, 20.5, 20.75, 21.0, 21.25, 21.5, 21.75, 22.0, 22.25, 22.5, 22.75, 23.0, 23.25, 23.5, 23.75, 24.0, 24.25, 24.5, 24.75, 25.0, 25.25, 25.5, 25.75, 26.0, 26.25, 26.5, 26.75, 27.0, 27.25, 27.5, 27.75, 28.0, 28.25, 28.5, 28.75, 29.0, 29.25, 29.5, 29.75, 30.0, 30.25, 30.5, 30.75, 31.0, 31.25, 31.5, 31.75, 32.0, 32.25]> : tile<128xf32>
  %tf32_list = constant <tf32: [0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75, 6.0, 6.25, 6.5, 6.75, 7.0, 7.25, 7.5, 7.75, 8.0, 8.25, 8.5, 8.75, 9.0, 9.25, 9.5, 9.75, 10.0, 10.25, 10.5, 10.75, 11.0, 11.25, 11.5, 11.75, 12.0, 12.25, 12.5, 12.75, 13.0, 13.25, 13.5, 13.75, 14.0, 14.25, 14.5, 14.75, 15.0, 15.25, 15.5, 15.75, 16.0, 16.25, 16.5, 16.75, 17.0, 17.25, 17.5, 17.75, 18.0, 18.25, 18.5, 18.75, 19.0, 19.25, 19.5, 19.75, 20.0, 20.25, 20.5, 20.75, 21.0, 21.25, 21.5, 21.75, 22.0, 22.25, 22.5, 22.75, 23.0, 23.25, 23.5, 23.75, 24.0, 24.25, 24.5, 24.75, 25.0, 25.25, 25.5, 25.75, 26.0, 26.25, 26.5, 26.75, 27.0, 27.25, 27.5, 27.75, 28.0, 28.25, 28.5, 28.75, 29.0, 29.25, 29.5, 29.75, 30.0, 30.25, 30.5, 30.75, 31.0, 31.25, 31.5, 31.75, 32.0, 32.25]> : tile<128xtf32>
  %i1_list = constant <i1: [true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true, false, true, true, false, true, true, true]> : tile<128xi1>
  return
}

// -----
// before 13.2: 'cuda_tile.constant' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}

entry @exponents() {
  %splat = constant <f8E8M0FNU: 4.0> : tile<f8E8M0FNU>
  %list = constant <f8E8M0FNU: [1.0, 0.5, 0x00, 0xFF, 0xFE, 2.0, 0x01, 1024.0]> : tile<8xf8E8M0FNU>
  return
}

// -----
// before 13.3: 'cuda_tile.constant' op type 'Float4E2M1FN' requires bytecode version 13.3+, targeting {version}

entry @fp4() {
  %splat = constant <f4E2M1FN: 6.0> : tile<2xf4E2M1FN>
  %list = constant <f4E2M1FN: [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]> : tile<16xf4E2M1FN>
  return
}

// -----
// before 13.4: 'cuda_tile.constant' op type 'FloatNV8E5M3FNU' requires bytecode version 13.4+, targeting {version}
// NVIDIA's 13.4 disassembler crashes on lists of this type and on numbers from 2 on.

entry @e5m3() {
  %one = constant <fnv8E5M3FNU: 1.0> : tile<fnv8E5M3FNU>
  %many = constant <fnv8E5M3FNU: 1.5> : tile<8x8xfnv8E5M3FNU>
  %nan = constant <fnv8E5M3FNU: 0xFF> : tile<2xfnv8E5M3FNU>
  %smallest = constant <fnv8E5M3FNU: 0x01> : tile<2xfnv8E5M3FNU>
  return
}
