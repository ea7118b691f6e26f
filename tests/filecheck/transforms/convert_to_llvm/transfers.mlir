// RUN: tileiras-opt %s -p convert-to-llvm | filecheck %s
// RUN: tileiras-opt %s -p convert-to-llvm -t ptx | filecheck %s --check-prefix=PTX

// Accesses under a mask, of several rows, in another order, over bounds.
// PTX: masked(
// PTX: @%p{{.}} ld.global.b32
// PTX: @%p{{.}} st.global.b32
// PTX: rows(
// PTX: ld.shared.b32
// PTX: st.shared.b32
// PTX: bounds(
// PTX: setp.gt.s64
// PTX: @%p{{.}} ld.global.b16
// PTX: copied(
// PTX: ld.global.b32
// PTX: st.shared.b32
// PTX: small(
// PTX: cvt.rn.satfinite.e4m3x2.f32

!m8x4xf32 = memref<8x4xf32, 3>

func.func @masked(%m: memref<8x64xf32, 1>, %i: index, %mask: vector<2xi1>, %v: vector<2xf32>) {
  %0 = vector.maskedload %m[%i, %i], %mask, %v : memref<8x64xf32, 1>, vector<2xi1>, vector<2xf32> into vector<2xf32>
  vector.maskedstore %m[%i, %i], %mask, %0 : memref<8x64xf32, 1>, vector<2xi1>, vector<2xf32>
  func.return
}
// CHECK: llvm.func @masked(%m: [[gptr:!llvm.ptr<1>]], %i: i64, %mask: vector<2xi1>, %v: vector<2xf32>) {
// CHECK-NEXT: %0 = llvm.mlir.constant(64) : i64
// CHECK-NEXT: %1 = llvm.mul %i, %0 : i64
// CHECK-NEXT: %2 = llvm.add %1, %i : i64
// CHECK-NEXT: %3 = llvm.getelementptr inbounds %m[%2] : ([[gptr]], i64) -> [[gptr]], f32
// CHECK-NEXT: %4 = llvm.mlir.constant(dense<[0, 1]> : vector<2xi64>) : vector<2xi64>
// CHECK-NEXT: %5 = llvm.getelementptr %3[%4] : ([[gptr]], vector<2xi64>) -> [[v2xptr:vector<2x!llvm.ptr<1>>]], f32
// CHECK-NEXT: %6 = nvvm.fragment.load %5 mask(%mask : vector<2xi1>) other(%v : vector<2xf32>) {alignment = 4 : i64} : [[v2xptr]] -> vector<2xf32>
// CHECK-NEXT: %7 = llvm.mul %i, %0 : i64
// CHECK-NEXT: %8 = llvm.add %7, %i : i64
// CHECK-NEXT: %9 = llvm.getelementptr inbounds %m[%8] : ([[gptr]], i64) -> [[gptr]], f32
// CHECK-NEXT: %10 = llvm.getelementptr %9[%4] : ([[gptr]], vector<2xi64>) -> [[v2xptr]], f32
// CHECK-NEXT: nvvm.fragment.store %6, %10 mask(%mask : vector<2xi1>) {alignment = 4 : i64} : vector<2xf32>, [[v2xptr]]
// CHECK-NEXT: llvm.return

func.func @row(%m: !m8x4xf32, %i: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%i, %c0], %x {in_bounds = [true]} : !m8x4xf32, vector<4xf32>
  vector.transfer_write %0, %m[%i, %c0] {in_bounds = [true]} : vector<4xf32>, !m8x4xf32
  func.return
}
// CHECK: llvm.func @row(%m_1: [[sptr:!llvm.ptr<3>]], %i_1: i64, %x: f32) {
// CHECK-NEXT: %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %11 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %12 = llvm.mul %i_1, %11 : i64
// CHECK-NEXT: %13 = llvm.getelementptr inbounds %m_1[%12] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %14 = llvm.load %13 {alignment = 4 : i64} : [[sptr]] -> vector<4xf32>
// CHECK-NEXT: %15 = llvm.mul %i_1, %11 : i64
// CHECK-NEXT: %16 = llvm.getelementptr inbounds %m_1[%15] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %14, %16 {alignment = 4 : i64} : vector<4xf32>, [[sptr]]
// CHECK-NEXT: llvm.return

func.func @rows(%m: !m8x4xf32, %i: index, %x: f32) -> vector<2x2xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%i, %c0], %x {in_bounds = [true, true]} : !m8x4xf32, vector<2x2xf32>
  vector.transfer_write %0, %m[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xf32>, !m8x4xf32
  func.return %0 : vector<2x2xf32>
}
// CHECK: llvm.func @rows(%m_2: [[sptr]], %i_2: i64, %x_1: f32) -> vector<4xf32> {
// CHECK-NEXT: %c0_1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %17 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %18 = llvm.mul %i_2, %17 : i64
// CHECK-NEXT: %19 = llvm.getelementptr inbounds %m_2[%18] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %20 = llvm.load %19 {alignment = 4 : i64} : [[sptr]] -> vector<2xf32>
// CHECK-NEXT: %21 = llvm.getelementptr inbounds %19[%17] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %22 = llvm.load %21 {alignment = 4 : i64} : [[sptr]] -> vector<2xf32>
// CHECK-NEXT: %23 = llvm.shufflevector %20, %20 [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT: %24 = llvm.shufflevector %22, %22 [0, 1, -1, -1] : vector<2xf32>
// CHECK-NEXT: %25 = llvm.shufflevector %23, %24 [0, 1, 4, 5] : vector<4xf32>
// CHECK-NEXT: %26 = llvm.shufflevector %25, %25 [0, 1] : vector<4xf32>
// CHECK-NEXT: llvm.store %26, %m_2 {alignment = 4 : i64} : vector<2xf32>, [[sptr]]
// CHECK-NEXT: %27 = llvm.shufflevector %25, %25 [2, 3] : vector<4xf32>
// CHECK-NEXT: %28 = llvm.getelementptr inbounds %m_2[%17] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %27, %28 {alignment = 4 : i64} : vector<2xf32>, [[sptr]]
// CHECK-NEXT: llvm.return %25 : vector<4xf32>

func.func @transposed(%m: memref<8x2xf32, 3>, %x: f32) -> vector<2x2xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0, %c0], %x {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x2xf32, 3>, vector<2x2xf32>
  func.return %0 : vector<2x2xf32>
}
// CHECK: llvm.func @transposed(%m_3: [[sptr]], %x_2: f32) -> vector<4xf32> {
// CHECK-NEXT: %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %29 = llvm.load %m_3 {alignment = 4 : i64} : [[sptr]] -> vector<4xf32>
// CHECK-NEXT: %30 = llvm.shufflevector %29, %29 [0, 2, 1, 3] : vector<4xf32>
// CHECK-NEXT: llvm.return %30 : vector<4xf32>

func.func @repeated(%m: memref<8x2xf32, 3>, %x: f32) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0, %c0], %x {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<8x2xf32, 3>, vector<4xf32>
  func.return %0 : vector<4xf32>
}
// CHECK: llvm.func @repeated(%m_4: [[sptr]], %x_3: f32) -> vector<4xf32> {
// CHECK-NEXT: %c0_3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %31 = llvm.load %m_4 {alignment = 4 : i64} : [[sptr]] -> vector<1xf32>
// CHECK-NEXT: %32 = llvm.shufflevector %31, %31 [0, 0, 0, 0] : vector<1xf32>
// CHECK-NEXT: llvm.return %32 : vector<4xf32>

func.func @bounds(%m: memref<6xf16, 1>, %i: index, %x: f16) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = vector.transfer_read %m[%i], %x : memref<6xf16, 1>, vector<4xf16>
  vector.transfer_write %0, %m[%c0] : vector<4xf16>, memref<6xf16, 1>
  vector.transfer_write %0, %m[%c4] : vector<4xf16>, memref<6xf16, 1>
  func.return
}
// CHECK: llvm.func @bounds(%m_5: [[gptr]], %i_3: i64, %x_4: f16) {
// CHECK-NEXT: %c0_4 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %c4 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %33 = llvm.mlir.constant(6) : i64
// CHECK-NEXT: %34 = llvm.sub %33, %i_3 : i64
// CHECK-NEXT: %35 = llvm.mlir.poison : vector<4xi64>
// CHECK-NEXT: %36 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %37 = llvm.insertelement %34, %35[%36 : i64] : vector<4xi64>
// CHECK-NEXT: %38 = llvm.shufflevector %37, %37 [0, 0, 0, 0] : vector<4xi64>
// CHECK-NEXT: %39 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
// CHECK-NEXT: %40 = llvm.icmp "slt" %39, %38 : vector<4xi64>
// CHECK-NEXT: %41 = llvm.getelementptr inbounds %m_5[%i_3] : ([[gptr]], i64) -> [[gptr]], f16
// CHECK-NEXT: %42 = llvm.mlir.poison : vector<4xf16>
// CHECK-NEXT: %43 = llvm.insertelement %x_4, %42[%36 : i64] : vector<4xf16>
// CHECK-NEXT: %44 = llvm.shufflevector %43, %43 [0, 0, 0, 0] : vector<4xf16>
// CHECK-NEXT: %45 = llvm.getelementptr %41[%39] : ([[gptr]], vector<4xi64>) -> [[v4xptr:vector<4x!llvm.ptr<1>>]], f16
// CHECK-NEXT: %46 = nvvm.fragment.load %45 mask(%40 : vector<4xi1>) other(%44 : vector<4xf16>) {alignment = 2 : i64} : [[v4xptr]] -> vector<4xf16>
// CHECK-NEXT: llvm.store %46, %m_5 {alignment = 2 : i64} : vector<4xf16>, [[gptr]]
// CHECK-NEXT: %47 = llvm.mlir.constant(dense<[true, true, false, false]> : vector<4xi1>) : vector<4xi1>
// CHECK-NEXT: %48 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %49 = llvm.getelementptr inbounds %m_5[%48] : ([[gptr]], i64) -> [[gptr]], f16
// CHECK-NEXT: %50 = llvm.getelementptr %49[%39] : ([[gptr]], vector<4xi64>) -> [[v4xptr]], f16
// CHECK-NEXT: nvvm.fragment.store %46, %50 mask(%47 : vector<4xi1>) {alignment = 2 : i64} : vector<4xf16>, [[v4xptr]]
// CHECK-NEXT: llvm.return

func.func @permuted_mask(%m: memref<8x2xi32, 1>, %x: i32, %mask: vector<3x2xi1>) -> vector<2x3xi32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0, %c0], %x, %mask {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x2xi32, 1>, vector<2x3xi32>
  func.return %0 : vector<2x3xi32>
}
// CHECK: llvm.func @permuted_mask(%m_6: [[gptr]], %x_5: i32, %mask_1: vector<6xi1>) -> vector<6xi32> {
// CHECK-NEXT: %c0_5 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %51 = llvm.shufflevector %mask_1, %mask_1 [0, 2, 4, 1, 3, 5] : vector<6xi1>
// CHECK-NEXT: %52 = llvm.mlir.poison : vector<6xi32>
// CHECK-NEXT: %53 = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %54 = llvm.insertelement %x_5, %52[%53 : i64] : vector<6xi32>
// CHECK-NEXT: %55 = llvm.shufflevector %54, %54 [0, 0, 0, 0, 0, 0] : vector<6xi32>
// CHECK-NEXT: %56 = llvm.mlir.constant(dense<[0, 2, 4, 1, 3, 5]> : vector<6xi64>) : vector<6xi64>
// CHECK-NEXT: %57 = llvm.getelementptr %m_6[%56] : ([[gptr]], vector<6xi64>) -> vector<6x!llvm.ptr<1>>, i32
// CHECK-NEXT: %58 = nvvm.fragment.load %57 mask(%51 : vector<6xi1>) other(%55 : vector<6xi32>) {alignment = 4 : i64} : vector<6x!llvm.ptr<1>> -> vector<6xi32>
// CHECK-NEXT: llvm.return %58 : vector<6xi32>

func.func @copied(%m: memref<2x4xf32, 1>, %n: memref<2x4xf32, strided<[8, 1]>, 3>) {
  "memref.copy"(%m, %n) : (memref<2x4xf32, 1>, memref<2x4xf32, strided<[8, 1]>, 3>) -> ()
  func.return
}
// CHECK: llvm.func @copied(%m_7: [[gptr]], %n: [[sptr]]) {
// CHECK-NEXT: %59 = llvm.load %m_7 {alignment = 4 : i64} : [[gptr]] -> vector<8xf32>
// CHECK-NEXT: %60 = llvm.shufflevector %59, %59 [0, 1, 2, 3] : vector<8xf32>
// CHECK-NEXT: llvm.store %60, %n {alignment = 4 : i64} : vector<4xf32>, [[sptr]]
// CHECK-NEXT: %61 = llvm.shufflevector %59, %59 [4, 5, 6, 7] : vector<8xf32>
// CHECK-NEXT: %62 = llvm.mlir.constant(8) : i64
// CHECK-NEXT: %63 = llvm.getelementptr inbounds %n[%62] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %61, %63 {alignment = 4 : i64} : vector<4xf32>, [[sptr]]
// CHECK-NEXT: llvm.return

func.func @small(%x: vector<2xf32>) -> vector<2xi8> {
  %0 = nvvm.cvt.fptrunc.x2 %x : vector<2xf32> to vector<2xf8E4M3FN>
  %1 = vector.bitcast %0 : vector<2xf8E4M3FN> to vector<2xi8>
  func.return %1 : vector<2xi8>
}
// CHECK: llvm.func @small(%x_6: vector<2xf32>) -> vector<2xi8> {
// CHECK-NEXT: %64 = nvvm.cvt.fptrunc.x2 %x_6 : vector<2xf32> to vector<2xf8E4M3FN>
// CHECK-NEXT: %65 = llvm.bitcast %64 : vector<2xf8E4M3FN> to vector<2xi8>
// CHECK-NEXT: llvm.return %65 : vector<2xi8>
