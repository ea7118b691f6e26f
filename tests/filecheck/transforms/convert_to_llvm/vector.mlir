// RUN: tileiras-opt %s -p convert-to-llvm | filecheck %s

!v4xf32 = vector<4xf32>

func.func @elements(%v: !v4xf32, %m: vector<4x2xf16>, %x: f32, %h: f16, %p: vector<2xf16>, %i: index) {
  %0 = vector.extract %v[2] : f32 from !v4xf32
  %1 = vector.extract %v[%i] : f32 from !v4xf32
  %2 = vector.extract %m[1] : vector<2xf16> from vector<4x2xf16>
  %3 = vector.extract %m[%i, 1] : f16 from vector<4x2xf16>
  %4 = vector.insert %x, %v[3] : f32 into !v4xf32
  %5 = vector.insert %h, %m[2, %i] : f16 into vector<4x2xf16>
  %6 = vector.insert %p, %m[1] : vector<2xf16> into vector<4x2xf16>
  %7 = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : !v4xf32 to vector<2xf32>
  %8 = vector.extract_strided_slice %m {offsets = [1, 1], sizes = [2, 1], strides = [1, 1]} : vector<4x2xf16> to vector<2x1xf16>
  %9 = vector.insert_strided_slice %7, %v {offsets = [2], strides = [1]} : vector<2xf32> into !v4xf32
  func.return
}
// CHECK: llvm.func @elements(%v: vector<4xf32>, %m: vector<8xf16>, %x: f32, %h: f16, %p: vector<2xf16>, %i: i64) {
// CHECK-NEXT: %0 = llvm.mlir.constant(2) : i64
// CHECK-NEXT: %1 = llvm.extractelement %v[%0 : i64] : vector<4xf32>
// CHECK-NEXT: %2 = llvm.extractelement %v[%i : i64] : vector<4xf32>
// CHECK-NEXT: %3 = llvm.shufflevector %m, %m [2, 3] : vector<8xf16>
// CHECK-NEXT: %4 = llvm.mul %i, %0 : i64
// CHECK-NEXT: %5 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %6 = llvm.add %4, %5 : i64
// CHECK-NEXT: %7 = llvm.extractelement %m[%6 : i64] : vector<8xf16>
// CHECK-NEXT: %8 = llvm.mlir.constant(3) : i64
// CHECK-NEXT: %9 = llvm.insertelement %x, %v[%8 : i64] : vector<4xf32>
// CHECK-NEXT: %10 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %11 = llvm.add %i, %10 : i64
// CHECK-NEXT: %12 = llvm.insertelement %h, %m[%11 : i64] : vector<8xf16>
// CHECK-NEXT: %13 = llvm.shufflevector %p, %p [0, 1, -1, -1, -1, -1, -1, -1] : vector<2xf16>
// CHECK-NEXT: %14 = llvm.shufflevector %m, %13 [0, 1, 8, 9, 4, 5, 6, 7] : vector<8xf16>
// CHECK-NEXT: %15 = llvm.shufflevector %v, %v [1, 2] : vector<4xf32>
// CHECK-NEXT: %16 = llvm.shufflevector %m, %m [3, 5] : vector<8xf16>
// CHECK-NEXT: %17 = llvm.shufflevector %15, %15 [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT: %18 = llvm.shufflevector %v, %17 [0, 1, 4, 5] : vector<4xf32>
// CHECK-NEXT: llvm.return

func.func @whole(%v: !v4xf32, %w: vector<2xf32>, %x: f32, %y: f32, %n: index) {
  %0 = vector.from_elements %x, %y, %x : vector<3xf32>
  %1 = vector.from_elements %x, %x : vector<2xf32>
  %2, %3, %4, %5 = vector.to_elements %v : !v4xf32
  %6 = vector.from_elements %3, %5 : vector<2xf32>
  %7 = vector.splat %x : !v4xf32
  %8 = vector.broadcast %y : f32 to vector<1xf32>
  %9 = vector.broadcast %w : vector<2xf32> to vector<2x2xf32>
  %10 = vector.shape_cast %9 : vector<2x2xf32> to !v4xf32
  %11 = vector.shuffle %w, %10[0, 5, 2, -1] : vector<2xf32>, !v4xf32
  %12 = vector.bitcast %v : !v4xf32 to vector<8xf16>
  %13 = vector.fma %v, %10, %v : !v4xf32
  %14 = vector.create_mask %n : vector<4xi1>
  func.return
}
// CHECK: llvm.func @whole(%v_1: vector<4xf32>, %w: vector<2xf32>, %x_1: f32, %y: f32, %n: i64) {
// CHECK-NEXT: %19 = llvm.mlir.poison : vector<3xf32>
// CHECK-NEXT: %20 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %21 = llvm.insertelement %x_1, %19[%20 : i64] : vector<3xf32>
// CHECK-NEXT: %22 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %23 = llvm.insertelement %y, %21[%22 : i64] : vector<3xf32>
// CHECK-NEXT: %24 = llvm.mlir.constant(2) : i64
// CHECK-NEXT: %25 = llvm.insertelement %x_1, %23[%24 : i64] : vector<3xf32>
// CHECK-NEXT: %26 = llvm.mlir.poison : vector<2xf32>
// CHECK-NEXT: %27 = llvm.insertelement %x_1, %26[%20 : i64] : vector<2xf32>
// CHECK-NEXT: %28 = llvm.shufflevector %27, %27 [0, 0] : vector<2xf32>
// CHECK-NEXT: %29 = llvm.extractelement %v_1[%22 : i64] : vector<4xf32>
// CHECK-NEXT: %30 = llvm.mlir.constant(3) : i64
// CHECK-NEXT: %31 = llvm.extractelement %v_1[%30 : i64] : vector<4xf32>
// CHECK-NEXT: %32 = llvm.mlir.poison : vector<2xf32>
// CHECK-NEXT: %33 = llvm.insertelement %29, %32[%20 : i64] : vector<2xf32>
// CHECK-NEXT: %34 = llvm.insertelement %31, %33[%22 : i64] : vector<2xf32>
// CHECK-NEXT: %35 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT: %36 = llvm.insertelement %x_1, %35[%20 : i64] : vector<4xf32>
// CHECK-NEXT: %37 = llvm.shufflevector %36, %36 [0, 0, 0, 0] : vector<4xf32>
// CHECK-NEXT: %38 = llvm.mlir.poison : vector<1xf32>
// CHECK-NEXT: %39 = llvm.insertelement %y, %38[%20 : i64] : vector<1xf32>
// CHECK-NEXT: %40 = llvm.shufflevector %w, %w [0, 1, 0, 1] : vector<2xf32>
// CHECK-NEXT: %41 = llvm.shufflevector %w, %w [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT: %42 = llvm.shufflevector %41, %40 [0, 7, 4, -1] : vector<4xf32>
// CHECK-NEXT: %43 = llvm.bitcast %v_1 : vector<4xf32> to vector<8xf16>
// CHECK-NEXT: %44 = llvm.intr.fma(%v_1, %40, %v_1) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %45 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
// CHECK-NEXT: %46 = llvm.mlir.poison : vector<4xi64>
// CHECK-NEXT: %47 = llvm.insertelement %n, %46[%20 : i64] : vector<4xi64>
// CHECK-NEXT: %48 = llvm.shufflevector %47, %47 [0, 0, 0, 0] : vector<4xi64>
// CHECK-NEXT: %49 = llvm.icmp "slt" %45, %48 : vector<4xi64>
// CHECK-NEXT: llvm.return

func.func @reductions(%v: !v4xf32, %w: vector<4xi32>, %x: f32, %n: i32) {
  %0 = vector.reduction <add>, %v : !v4xf32 into f32
  %1 = vector.reduction <add>, %v, %x fastmath<reassoc> : !v4xf32 into f32
  %2 = vector.reduction <mul>, %v : !v4xf32 into f32
  %3 = vector.reduction <maximumf>, %v, %x fastmath<nnan> : !v4xf32 into f32
  %4 = vector.reduction <minnumf>, %v : !v4xf32 into f32
  %5 = vector.reduction <add>, %w, %n : vector<4xi32> into i32
  %6 = vector.reduction <maxui>, %w : vector<4xi32> into i32
  %7 = vector.reduction <xor>, %w, %n : vector<4xi32> into i32
  func.return
}
// CHECK: llvm.func @reductions(%v_2: vector<4xf32>, %w_1: vector<4xi32>, %x_2: f32, %n_1: i32) {
// CHECK-NEXT: %50 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT: %51 = "llvm.intr.vector.reduce.fadd"(%50, %v_2) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT: %52 = "llvm.intr.vector.reduce.fadd"(%x_2, %v_2) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT: %53 = llvm.mlir.constant(1.000000e+00 : f32) : f32
// CHECK-NEXT: %54 = "llvm.intr.vector.reduce.fmul"(%53, %v_2) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT: %55 = llvm.intr.vector.reduce.fmaximum(%v_2) : (vector<4xf32>) -> f32
// CHECK-NEXT: %56 = llvm.intr.maximum(%55, %x_2) {fastmathFlags = #llvm.fastmath<nnan>} : (f32, f32) -> f32
// CHECK-NEXT: %57 = llvm.intr.vector.reduce.fmin(%v_2) : (vector<4xf32>) -> f32
// CHECK-NEXT: %58 = llvm.intr.vector.reduce.add(%w_1) : (vector<4xi32>) -> i32
// CHECK-NEXT: %59 = llvm.add %58, %n_1 : i32
// CHECK-NEXT: %60 = llvm.intr.vector.reduce.umax(%w_1) : (vector<4xi32>) -> i32
// CHECK-NEXT: %61 = llvm.intr.vector.reduce.xor(%w_1) : (vector<4xi32>) -> i32
// CHECK-NEXT: %62 = llvm.xor %61, %n_1 : i32
// CHECK-NEXT: llvm.return

func.func @accesses(%m: memref<8x64xf16, 3>, %i: index, %j: index, %v: vector<8xf16>) {
  %0 = vector.load %m[%i, %j] {alignment = 16 : i64} : memref<8x64xf16, 3>, vector<8xf16>
  vector.store %v, %m[%i, %j] : memref<8x64xf16, 3>, vector<8xf16>
  func.return
}
// CHECK: llvm.func @accesses(%m_1: !llvm.ptr<3>, %i_1: i64, %j: i64, %v_3: vector<8xf16>) {
// CHECK-NEXT: %63 = llvm.mlir.constant(64) : i64
// CHECK-NEXT: %64 = llvm.mul %i_1, %63 : i64
// CHECK-NEXT: %65 = llvm.add %64, %j : i64
// CHECK-NEXT: %66 = llvm.getelementptr inbounds %m_1[%65] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
// CHECK-NEXT: %67 = llvm.load %66 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NEXT: %68 = llvm.mul %i_1, %63 : i64
// CHECK-NEXT: %69 = llvm.add %68, %j : i64
// CHECK-NEXT: %70 = llvm.getelementptr inbounds %m_1[%69] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
// CHECK-NEXT: llvm.store %v_3, %70 {alignment = 2 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK-NEXT: llvm.return
