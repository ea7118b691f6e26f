// Reductions and scans, with identities of every element type.

entry @reductions() {
  %f32 = constant <f32: 1.0> : tile<4x8xf32>
  %sum = reduce %f32 dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
  (%x: tile<f32>, %acc: tile<f32>) {
    %0 = addf %x, %acc : tile<f32>
    yield %0 : tile<f32>
  }
  %maximum = reduce %f32 dim=0 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %acc: tile<f32>) {
    %0 = maxf %x, %acc : tile<f32>
    yield %0 : tile<f32>
  }
  %i32 = constant <i32: 1> : tile<4x8xi32>
  %best:2 = reduce %f32, %i32 dim=1 identities=[0xFF800000 : f32, -1 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
  (%x: tile<f32>, %best: tile<f32>, %i: tile<i32>, %at: tile<i32>) {
    %better = cmpf greater_than ordered %x, %best : tile<f32> -> tile<i1>
    %value = select %better, %x, %best : tile<i1>, tile<f32>
    %index = select %better, %i, %at : tile<i1>, tile<i32>
    yield %value, %index : tile<f32>, tile<i32>
  }
  return
}

entry @scans() {
  %i64 = constant <i64: 2> : tile<16xi64>
  %products = scan %i64 dim=0 reverse=false identities=[1 : i64] : tile<16xi64> -> tile<16xi64>
  (%acc: tile<i64>, %x: tile<i64>) {
    %0 = muli %acc, %x : tile<i64>
    yield %0 : tile<i64>
  }
  %backwards = scan %i64 dim=0 reverse=true identities=[0 : i64] : tile<16xi64> -> tile<16xi64>
  (%acc: tile<i64>, %x: tile<i64>) {
    %0 = addi %acc, %x : tile<i64>
    yield %0 : tile<i64>
  }
  return
}

entry @integer_identities() {
  %i1 = constant <i1: true> : tile<2xi1>
  %i8 = constant <i8: 1> : tile<2xi8>
  %i16 = constant <i16: 1> : tile<2xi16>
  %i32 = constant <i32: 1> : tile<2xi32>
  %i64 = constant <i64: 1> : tile<2xi64>
  %low:5 = reduce %i1, %i8, %i16, %i32, %i64 dim=0 identities=[true, -128 : i8, -32768 : i16, -2147483648 : i32, -9223372036854775808 : i64] : tile<2xi1>, tile<2xi8>, tile<2xi16>, tile<2xi32>, tile<2xi64> -> tile<i1>, tile<i8>, tile<i16>, tile<i32>, tile<i64>
  (%a0: tile<i1>, %a1: tile<i1>, %b0: tile<i8>, %b1: tile<i8>, %c0: tile<i16>, %c1: tile<i16>, %d0: tile<i32>, %d1: tile<i32>, %e0: tile<i64>, %e1: tile<i64>) {
    yield %a0, %b0, %c0, %d0, %e0 : tile<i1>, tile<i8>, tile<i16>, tile<i32>, tile<i64>
  }
  %high:5 = reduce %i1, %i8, %i16, %i32, %i64 dim=0 identities=[false, 127 : i8, 32767 : i16, 2147483647 : i32, 9223372036854775807 : i64] : tile<2xi1>, tile<2xi8>, tile<2xi16>, tile<2xi32>, tile<2xi64> -> tile<i1>, tile<i8>, tile<i16>, tile<i32>, tile<i64>
  (%a0: tile<i1>, %a1: tile<i1>, %b0: tile<i8>, %b1: tile<i8>, %c0: tile<i16>, %c1: tile<i16>, %d0: tile<i32>, %d1: tile<i32>, %e0: tile<i64>, %e1: tile<i64>) {
    yield %a1, %b1, %c1, %d1, %e1 : tile<i1>, tile<i8>, tile<i16>, tile<i32>, tile<i64>
  }
  return
}

entry @float_identities() {
  %f16 = constant <f16: 1.0> : tile<2xf16>
  %bf16 = constant <bf16: 1.0> : tile<2xbf16>
  %tf32 = constant <tf32: 1.0> : tile<2xtf32>
  %f64 = constant <f64: 1.0> : tile<2xf64>
  %e4m3 = constant <f8E4M3FN: 1.0> : tile<2xf8E4M3FN>
  %e5m2 = constant <f8E5M2: 1.0> : tile<2xf8E5M2>
  %infinite:6 = reduce %f16, %bf16, %tf32, %f64, %e4m3, %e5m2 dim=0 identities=[0xFC00 : f16, 0x7F80 : bf16, -1.500000e+00 : tf32, 0xFFF0000000000000 : f64, 4.480000e+02 : f8E4M3FN, -5.734400e+04 : f8E5M2] : tile<2xf16>, tile<2xbf16>, tile<2xtf32>, tile<2xf64>, tile<2xf8E4M3FN>, tile<2xf8E5M2> -> tile<f16>, tile<bf16>, tile<tf32>, tile<f64>, tile<f8E4M3FN>, tile<f8E5M2>
  (%a0: tile<f16>, %a1: tile<f16>, %b0: tile<bf16>, %b1: tile<bf16>, %c0: tile<tf32>, %c1: tile<tf32>, %d0: tile<f64>, %d1: tile<f64>, %e0: tile<f8E4M3FN>, %e1: tile<f8E4M3FN>, %f0: tile<f8E5M2>, %f1: tile<f8E5M2>) {
    yield %a0, %b0, %c0, %d0, %e0, %f0 : tile<f16>, tile<bf16>, tile<tf32>, tile<f64>, tile<f8E4M3FN>, tile<f8E5M2>
  }
  %nan:3 = reduce %f16, %bf16, %f64 dim=0 identities=[0x7E00 : f16, 0x7FC0 : bf16, 0x7FF8000000000000 : f64] : tile<2xf16>, tile<2xbf16>, tile<2xf64> -> tile<f16>, tile<bf16>, tile<f64>
  (%a0: tile<f16>, %a1: tile<f16>, %b0: tile<bf16>, %b1: tile<bf16>, %d0: tile<f64>, %d1: tile<f64>) {
    yield %a0, %b0, %d0 : tile<f16>, tile<bf16>, tile<f64>
  }
  return
}

// -----
// before 13.2: 'cuda_tile.constant' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}

entry @exponent_identities() {
  %e8m0 = constant <f8E8M0FNU: 2.0> : tile<4xf8E8M0FNU>
  %0:2 = reduce %e8m0, %e8m0 dim=0 identities=[1.000000e+00 : f8E8M0FNU, 0xFF : f8E8M0FNU] : tile<4xf8E8M0FNU>, tile<4xf8E8M0FNU> -> tile<f8E8M0FNU>, tile<f8E8M0FNU>
  (%a0: tile<f8E8M0FNU>, %a1: tile<f8E8M0FNU>, %b0: tile<f8E8M0FNU>, %b1: tile<f8E8M0FNU>) {
    yield %a0, %b0 : tile<f8E8M0FNU>, tile<f8E8M0FNU>
  }
  return
}
