// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' | filecheck %s

// REQ: C-17, C-18, C-19, C-20, C-21, C-22, C-23, C-24, C-25, C-26, C-28, C-29

!t8x64xf32 = !cuda_tile.tile<8x64xf32>
!i32 = !cuda_tile.tile<i32>

cuda_tile.module @m {
  // CHECK:      nv_tileaa.global @g {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, alignment = 128 : i64}
  cuda_tile.global @g alignment = 128 <f32: [1.0, 2.0]> : !cuda_tile.tile<2xf32>
  // CHECK-NEXT: nv_tileaa.global @splat {value = dense<7> : tensor<16xi8>}
  global @splat <i8: 7> : tile<16xi8>
  // CHECK-NEXT: nv_tileaa.global @hidden {value = dense<[true, false]> : tensor<2xi1>, constant, sym_visibility = "private"}
  global private constant @hidden <i1: [true, false]> : tile<2xi1>
  // CHECK-NEXT: nv_tileaa.global @bits {value = dense<[56, 64]> : tensor<2xi8>, elem_type = !cuda_tile.fnv8E5M3FNU}
  global @bits <fnv8E5M3FNU: [0x38, 0x40]> : tile<2xfnv8E5M3FNU>

  testing$func @trunci(%wide: tile<128xi32>, %scalar: tile<i64>) {
    %narrow = cuda_tile.trunci %wide : !cuda_tile.tile<128xi32> -> !cuda_tile.tile<128xi8>
    %to = cuda_tile.trunci %wide : !cuda_tile.tile<128xi32> to !cuda_tile.tile<128xi8>
    %flag = trunci %scalar overflow<no_wrap> : tile<i64> -> tile<i1>
    return
  }
  // CHECK-LABEL: func.func @trunci(%wide: tensor<128xi32>, %scalar: i64) {
  // CHECK-NEXT: %narrow = nv_tileaa.trunci %wide : tensor<128xi32> to tensor<128xi8>
  // CHECK-NEXT: %to = nv_tileaa.trunci %wide : tensor<128xi32> to tensor<128xi8>
  // CHECK-NEXT: %flag = nv_tileaa.trunci %scalar {overflow = "no_wrap"} : i64 to i1
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @rsqrt(%x: !t8x64xf32) -> !t8x64xf32 {
    %r = cuda_tile.rsqrt %x : !t8x64xf32
    %f = rsqrt %r flush_to_zero : !t8x64xf32
    return %f : !t8x64xf32
  }
  // CHECK-LABEL: func.func @rsqrt(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK-NEXT: %r = nv_tileaa.rsqrt %x : tensor<8x64xf32>
  // CHECK-NEXT: %f = nv_tileaa.rsqrt %r {flush_to_zero} : tensor<8x64xf32>
  // CHECK-NEXT: func.return %f : tensor<8x64xf32>
  // CHECK-NEXT: }

  testing$func @maxi(%a: !i32, %b: !i32, %c: tile<8xi16>) {
    %r = cuda_tile.maxi %a, %b unsigned : !i32
    %s = maxi %a, %b signed : !i32
    %t = maxi %c, %c signed : tile<8xi16>
    return
  }
  // CHECK-LABEL: func.func @maxi(%a: i32, %b: i32, %c: tensor<8xi16>) {
  // CHECK-NEXT: %r = arith.maxui %a, %b : i32
  // CHECK-NEXT: %s = arith.maxsi %a, %b : i32
  // CHECK-NEXT: %t = arith.maxsi %c, %c : tensor<8xi16>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @itof(%a: tile<8xi32>, %b: tile<i64>) {
    %r = cuda_tile.itof %a unsigned : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xf32>
    %s = itof %a signed : tile<8xi32> -> tile<8xf32>
    %t = itof %b signed rounding<nearest_even> : tile<i64> -> tile<f16>
    return
  }
  // CHECK-LABEL: func.func @itof(%a: tensor<8xi32>, %b: i64) {
  // CHECK-NEXT: %r = arith.uitofp %a : tensor<8xi32> to tensor<8xf32>
  // CHECK-NEXT: %s = arith.sitofp %a : tensor<8xi32> to tensor<8xf32>
  // CHECK-NEXT: %t = arith.sitofp %b : i64 to f16
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @fma(%a: !t8x64xf32, %b: !t8x64xf32, %c: !t8x64xf32) -> !t8x64xf32 {
    %r = cuda_tile.fma %a, %b, %c {fastmath = #arith.fastmath<contract>} : !t8x64xf32
    %z = fma %r, %b, %c rounding<zero> flush_to_zero : !t8x64xf32
    return %z : !t8x64xf32
  }
  // CHECK-LABEL: func.func @fma(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %c: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK-NEXT: %r = nv_tileaa.fma %a, %b, %c {fastmath = #arith.fastmath<contract>} : tensor<8x64xf32>
  // CHECK-NEXT: %z = nv_tileaa.fma %r, %b, %c {rounding_mode = "zero", flush_to_zero} : tensor<8x64xf32>
  // CHECK-NEXT: func.return %z : tensor<8x64xf32>
  // CHECK-NEXT: }

  testing$func @splat_constants() {
    %float = cuda_tile.constant <f32: 1.0> : !t8x64xf32
    %scalar = constant <f32: 1.0> : tile<f32>
    %flag = constant <i1: true> : tile<i1>
    %flags = constant <i1: false> : tile<4xi1>
    %low = constant <i8: -128> : tile<2xi8>
    %equal = constant <i32: [7, 7, 7, 7]> : tile<4xi32>
    %one = constant <i64: [5]> : tile<1xi64>
    %infinity = constant <f32: 0xFF800000> : tile<4xf32>
    %half = constant <bf16: 0.5> : tile<2xbf16>
    %fp8 = constant <f8E4M3FN: 1.5> : tile<2xf8E4M3FN>
    return
  }
  // CHECK-LABEL: func.func @splat_constants() {
  // CHECK-NEXT: %0 = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: %cst = nv_tileaa.splat %0 : f32 to tensor<8x64xf32>
  // CHECK-NEXT: %cst_1 = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: %true = arith.constant true
  // CHECK-NEXT: %1 = arith.constant false
  // CHECK-NEXT: %false = nv_tileaa.splat %1 : i1 to tensor<4xi1>
  // CHECK-NEXT: %2 = arith.constant -128 : i8
  // CHECK-NEXT: %cst_-128 = nv_tileaa.splat %2 : i8 to tensor<2xi8>
  // CHECK-NEXT: %3 = arith.constant 7 : i32
  // CHECK-NEXT: %cst_2 = nv_tileaa.splat %3 : i32 to tensor<4xi32>
  // CHECK-NEXT: %4 = arith.constant 5 : i64
  // CHECK-NEXT: %cst_3 = nv_tileaa.splat %4 : i64 to tensor<1xi64>
  // CHECK-NEXT: %5 = arith.constant 0xff800000 : f32
  // CHECK-NEXT: %cst_4 = nv_tileaa.splat %5 : f32 to tensor<4xf32>
  // CHECK-NEXT: %6 = arith.constant 5.000000e-01 : bf16
  // CHECK-NEXT: %cst_5 = nv_tileaa.splat %6 : bf16 to tensor<2xbf16>
  // CHECK-NEXT: %7 = arith.constant 1.500000e+00 : f8E4M3FN
  // CHECK-NEXT: %cst_6 = nv_tileaa.splat %7 : f8E4M3FN to tensor<2xf8E4M3FN>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @dense_constants() {
    %c = cuda_tile.constant <i32: [0, 1, 2, 3]> : !cuda_tile.tile<4xi32>
    %square = constant <f16: [[1.0, 2.0], [3.0, 4.0]]> : tile<2x2xf16>
    %flags = constant <i1: [true, false]> : tile<2xi1>
    %infinities = constant <f32: [0x7F800000, 0xFF800000]> : tile<2xf32>
    return
  }
  // CHECK-LABEL: func.func @dense_constants() {
  // CHECK-NEXT: %cst = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  // CHECK-NEXT: %cst_1 = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf16>
  // CHECK-NEXT: %cst_i1 = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: %cst_2 = arith.constant dense<[0x7f800000, 0xff800000]> : tensor<2xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // Elements that xDSL has no exact literals of come from their bits.
  testing$func @no_literals() {
    %scale = constant <fnv8E5M3FNU: 0x38> : tile<2xfnv8E5M3FNU>
    %scales = constant <fnv8E5M3FNU: [0x38, 0x40]> : tile<2xfnv8E5M3FNU>
    %signalling = constant <f32: 0x7F800001> : tile<f32>
    %signalling_tile = constant <f32: 0xFF800001> : tile<2xf32>
    %negative = constant <f8E4M3FN: [0xFF, 0x00]> : tile<2xf8E4M3FN>
    return
  }
  // CHECK-LABEL: func.func @no_literals() {
  // CHECK-NEXT: %0 = arith.constant 56 : i8
  // CHECK-NEXT: %1 = nv_tileaa.bitcast %0 : i8 to !cuda_tile.fnv8E5M3FNU
  // CHECK-NEXT: %cst = nv_tileaa.splat %1 : !cuda_tile.fnv8E5M3FNU to tensor<2x!cuda_tile.fnv8E5M3FNU>
  // CHECK-NEXT: %2 = arith.constant dense<[56, 64]> : tensor<2xi8>
  // CHECK-NEXT: %cst_1 = nv_tileaa.bitcast %2 : tensor<2xi8> to tensor<2x!cuda_tile.fnv8E5M3FNU>
  // CHECK-NEXT: %3 = arith.constant 2139095041 : i32
  // CHECK-NEXT: %cst_NaN = nv_tileaa.bitcast %3 : i32 to f32
  // CHECK-NEXT: %4 = arith.constant -8388607 : i32
  // CHECK-NEXT: %5 = nv_tileaa.bitcast %4 : i32 to f32
  // CHECK-NEXT: %cst_NaN_1 = nv_tileaa.splat %5 : f32 to tensor<2xf32>
  // CHECK-NEXT: %6 = arith.constant dense<[-1, 0]> : tensor<2xi8>
  // CHECK-NEXT: %cst_2 = nv_tileaa.bitcast %6 : tensor<2xi8> to tensor<2xf8E4M3FN>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @assume(%x: !i32, %y: tile<16xi32>, %p: tile<ptr<f32>>) {
    %a = cuda_tile.assume div_by<16>, %x : !i32
    %b = assume div_by<8, every 4 along 0>, %y : tile<16xi32>
    %c = assume same_elements<[4]>, %y : tile<16xi32>
    %d = assume bounded<0, ?>, %x : !i32
    %e = assume bounded<-5, 7>, %x : !i32
    %f = assume div_by<16>, %p : tile<ptr<f32>>
    return
  }
  // CHECK-LABEL: func.func @assume(%x: i32, %y: tensor<16xi32>, %p: !llvm.ptr<1>) {
  // CHECK-NEXT: %a = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32
  // CHECK-NEXT: %b = nv_tileaa.assume %y {predicate = #nv_tileaa.div_by<8, every 4 along 0>} : tensor<16xi32>
  // CHECK-NEXT: %c = nv_tileaa.assume %y {predicate = #nv_tileaa.same_elements<[4]>} : tensor<16xi32>
  // CHECK-NEXT: %d = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<0, ?>} : i32
  // CHECK-NEXT: %e = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<-5, 7>} : i32
  // CHECK-NEXT: %f = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }
}
