// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm --print-local-scope | filecheck %s

// Products of matrices, and packed arithmetic.

// All but the address is a constant: offset 16, stride 64, 128-byte swizzle.
// REQ: H-16, H-63, H-64
!struct = !llvm.struct<(f32, f32)>
!descriptor = !nvgpu.warpgroup.descriptor<tensor = memref<128x64xf16, 3>>
!accumulator = !nvgpu.warpgroup.accumulator<fragmented = vector<128x8xf32>>
!v4xi32 = vector<4xi32>
!v2x2xf16 = vector<2x2xf16>
!v2x2xf32 = vector<2x2xf32>

func.func @descriptor(%base: !llvm.ptr<3>) -> (i64, i64) {
  %desc = "nvgpu.warpgroup.generate.descriptor"(%base) {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : (!llvm.ptr<3>) -> i64
  %same = "nvgpu.warpgroup.generate.descriptor"(%base) {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : (!llvm.ptr<3>) -> i64
  func.return %desc, %same : i64, i64
}
// CHECK-LABEL: func.func @descriptor(%base: !llvm.ptr<3>) -> (i64, i64) {
// CHECK-NEXT: %0 = arith.constant 4611686035607322624 : i64
// CHECK-NEXT: %1 = arith.constant 262143 : i64
// CHECK-NEXT: %2 = arith.constant 4 : i64
// CHECK-NEXT: %3 = llvm.ptrtoint %base : [[sptr:!llvm.ptr<3>]] to i64
// CHECK-NEXT: %4 = llvm.and %3, %1 : i64
// CHECK-NEXT: %5 = llvm.lshr %4, %2 : i64
// CHECK-NEXT: %desc = llvm.or %0, %5 : i64
// CHECK-NEXT: %6 = arith.constant 4611686035607322624 : i64
// CHECK-NEXT: %7 = arith.constant 262143 : i64
// CHECK-NEXT: %8 = arith.constant 4 : i64
// CHECK-NEXT: %9 = llvm.ptrtoint %base : [[sptr]] to i64
// CHECK-NEXT: %10 = llvm.and %9, %7 : i64
// CHECK-NEXT: %11 = llvm.lshr %10, %8 : i64
// CHECK-NEXT: %same = llvm.or %6, %11 : i64
// CHECK-NEXT: func.return %desc, %same : i64, i64
// CHECK-NEXT: }

// Fence, product, commit, wait.
// REQ: H-17, H-61, H-62, I-13
func.func @mma(%da: i64, %db: i64, %acc: !struct) -> !struct {
  %acc2 = "nvgpu.warpgroup.mma"(%da, %db, %acc) : (i64, i64, !struct) -> !struct
  func.return %acc2 : !struct
}
// CHECK-LABEL: func.func @mma(%da: i64, %db: i64, %acc: !llvm.struct<(f32, f32)>) -> !llvm.struct<(f32, f32)> {
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %acc2 = nvvm.wgmma.mma_async %da, %db, %acc : i64, i64, [[struct:!llvm.struct<.f32, f32.>]]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: func.return %acc2 : [[struct]]
// CHECK-NEXT: }

// The products of a whole tile have one fence and one commit; the wait may come later.
func.func @async(%da: i64, %db: i64, %acc: vector<64xf32>) -> vector<64xf32> {
  %0 = nvgpu.warpgroup.mma %da, %db, %acc {shape = [64, 128, 16], types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64, async} : i64, i64, vector<64xf32>
  %1 = nvgpu.warpgroup.wait %0 {groups = 0 : i32} : vector<64xf32>
  nvgpu.warpgroup.wait {groups = 1 : i32}
  func.return %1 : vector<64xf32>
}
// CHECK-LABEL: func.func @async(%da: i64, %db: i64, %acc: vector<64xf32>) -> vector<64xf32> {
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %0 = nvvm.wgmma.mma_async %da, %db, %acc {shape = #nvvm.shape<m = 64, n = 128, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<64xf32>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %1 = nvvm.wgmma.wait.group.sync.aligned 0, %0 : vector<64xf32>
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NEXT: func.return %1 : vector<64xf32>
// CHECK-NEXT: }

func.func @tiles(%da: i64, %db: i64, %acc: vector<8xf32>) -> vector<8xf32> {
  %0 = nvgpu.warpgroup.mma %da, %db, %acc {shape = [64, 8, 16], types = ["f32", "bf16", "bf16"], k_steps = 2 : i32, a_step = 2 : i64, b_step = 2 : i64, m_tiles = 2 : i32, a_tile_step = 512 : i64} : i64, i64, vector<8xf32>
  func.return %0 : vector<8xf32>
}
// CHECK-LABEL: func.func @tiles(%da: i64, %db: i64, %acc: vector<8xf32>) -> vector<8xf32> {
// CHECK-NEXT: %0 = vector.extract_strided_slice %acc {offsets = [0 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xf32> to vector<4xf32>
// CHECK-NEXT: %1 = vector.extract_strided_slice %acc {offsets = [4 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xf32> to vector<4xf32>
// CHECK-NEXT: %2 = arith.constant 512 : i64
// CHECK-NEXT: %3 = llvm.add %da, %2 : i64
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %4 = nvvm.wgmma.mma_async %da, %db, %0 {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "bf16", "bf16"], k_steps = 2 : i32, a_step = 2 : i64, b_step = 2 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT: %5 = nvvm.wgmma.mma_async %3, %db, %1 {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "bf16", "bf16"], k_steps = 2 : i32, a_step = 2 : i64, b_step = 2 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: %6 = vector.insert_strided_slice %4, %acc {offsets = [0 : i64], strides = [1 : i64]} : vector<4xf32> into vector<8xf32>
// CHECK-NEXT: %7 = vector.insert_strided_slice %5, %6 {offsets = [4 : i64], strides = [1 : i64]} : vector<4xf32> into vector<8xf32>
// CHECK-NEXT: func.return %7 : vector<8xf32>
// CHECK-NEXT: }

// Types of upstream tell the shapes of tiles.
func.func @upstream(%a: !descriptor, %b: !nvgpu.warpgroup.descriptor<tensor = memref<64x8xf16, 3>>) {
  %c = nvgpu.warpgroup.mma.init.accumulator -> !accumulator
  %d = nvgpu.warpgroup.mma %a, %b, %c {trans_b} : !descriptor, !nvgpu.warpgroup.descriptor<tensor = memref<64x8xf16, 3>>, !accumulator
  func.return
}
// CHECK-LABEL: func.func @upstream(%a: i64, %b: i64) {
// CHECK-NEXT: %c = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %0 = vector.extract_strided_slice %c {offsets = [0 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xf32> to vector<4xf32>
// CHECK-NEXT: %1 = vector.extract_strided_slice %c {offsets = [4 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xf32> to vector<4xf32>
// CHECK-NEXT: %2 = arith.constant 512 : i64
// CHECK-NEXT: %3 = llvm.add %a, %2 : i64
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: %4 = nvvm.wgmma.mma_async %a, %b, %0 {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT: %5 = nvvm.wgmma.mma_async %3, %b, %1 {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<4xf32>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: %6 = vector.insert_strided_slice %4, %c {offsets = [0 : i64], strides = [1 : i64]} : vector<4xf32> into vector<8xf32>
// CHECK-NEXT: %d = vector.insert_strided_slice %5, %6 {offsets = [4 : i64], strides = [1 : i64]} : vector<4xf32> into vector<8xf32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-19
func.func @accumulators() -> (!struct, vector<4xf32>, !v4xi32, !llvm.struct<(f16)>) {
  %0 = nvgpu.warpgroup.mma.init.accumulator -> !struct
  %1 = nvgpu.warpgroup.mma.init.accumulator -> vector<4xf32>
  %2 = nvgpu.warpgroup.mma.init.accumulator -> !v4xi32
  %3 = nvgpu.warpgroup.mma.init.accumulator {poison} -> !llvm.struct<(f16)>
  func.return %0, %1, %2, %3 : !struct, vector<4xf32>, !v4xi32, !llvm.struct<(f16)>
}
// CHECK-LABEL: func.func @accumulators() -> (!llvm.struct<(f32, f32)>, vector<4xf32>, vector<4xi32>, !llvm.struct<(f16)>) {
// CHECK-NEXT: %0 = llvm.mlir.zero : [[struct]]
// CHECK-NEXT: %1 = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT: %2 = arith.constant dense<0> : vector<4xi32>
// CHECK-NEXT: %3 = llvm.mlir.poison : !llvm.struct<(f16)>
// CHECK-NEXT: func.return %0, %1, %2, %3 : [[struct]], vector<4xf32>, vector<4xi32>, !llvm.struct<(f16)>
// CHECK-NEXT: }

// REQ: H-18
func.func @store(%d: vector<4xf32>, %dst: memref<64x8xf32, strided<[12, 1]>, 3>) {
  nvgpu.warpgroup.mma.store %d, %dst : vector<4xf32> to memref<64x8xf32, strided<[12, 1]>, 3>
  func.return
}
// CHECK-LABEL: func.func @store(%d: vector<4xf32>, %dst: memref<64x8xf32, strided<[12, 1]>, 3 : i64>) {
// CHECK-NEXT: %dst_1 = builtin.unrealized_conversion_cast %dst : memref<64x8xf32, strided<[12, 1]>, 3 : i64> to [[sptr]]
// CHECK-NEXT: %0 = vector.extract %d[0] : f32 from vector<4xf32>
// CHECK-NEXT: %1 = vector.extract %d[1] : f32 from vector<4xf32>
// CHECK-NEXT: %2 = vector.extract %d[2] : f32 from vector<4xf32>
// CHECK-NEXT: %3 = vector.extract %d[3] : f32 from vector<4xf32>
// CHECK-NEXT: %4 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %5 = arith.constant 127 : i32
// CHECK-NEXT: %6 = llvm.and %4, %5 : i32
// CHECK-NEXT: %7 = arith.constant 5 : i32
// CHECK-NEXT: %8 = llvm.lshr %6, %7 : i32
// CHECK-NEXT: %9 = arith.constant 4 : i32
// CHECK-NEXT: %10 = llvm.shl %8, %9 : i32
// CHECK-NEXT: %11 = arith.constant 31 : i32
// CHECK-NEXT: %12 = llvm.and %6, %11 : i32
// CHECK-NEXT: %13 = arith.constant 2 : i32
// CHECK-NEXT: %14 = llvm.lshr %12, %13 : i32
// CHECK-NEXT: %15 = llvm.add %10, %14 : i32
// CHECK-NEXT: %16 = arith.constant 3 : i32
// CHECK-NEXT: %17 = llvm.and %12, %16 : i32
// CHECK-NEXT: %18 = arith.constant 1 : i32
// CHECK-NEXT: %19 = llvm.shl %17, %18 : i32
// CHECK-NEXT: %20 = arith.constant 12 : i32
// CHECK-NEXT: %21 = llvm.mul %15, %20 : i32
// CHECK-NEXT: %22 = arith.constant 1 : i32
// CHECK-NEXT: %23 = llvm.mul %19, %22 : i32
// CHECK-NEXT: %24 = llvm.add %21, %23 : i32
// CHECK-NEXT: %25 = llvm.getelementptr %dst_1[%24] : ([[sptr]], i32) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %0, %25 : f32, [[sptr]]
// CHECK-NEXT: %26 = llvm.getelementptr %25[1] : ([[sptr]]) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %1, %26 : f32, [[sptr]]
// CHECK-NEXT: %27 = llvm.getelementptr %25[96] : ([[sptr]]) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %2, %27 : f32, [[sptr]]
// CHECK-NEXT: %28 = llvm.getelementptr %25[97] : ([[sptr]]) -> [[sptr]], f32
// CHECK-NEXT: llvm.store %3, %28 : f32, [[sptr]]
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-20
func.func @mma_sync(%a: vector<4x2xf16>, %b: !v2x2xf16, %c: !v2x2xf32, %ta: vector<4x1xf32>, %tb: vector<2x1xf32>, %ia: vector<16xi8>, %ib: vector<8xi8>, %ic: !v4xi32) {
  %0 = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, !v2x2xf16, !v2x2xf32) -> !v2x2xf32
  %1 = nvgpu.mma.sync(%ta, %tb, %c) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, !v2x2xf32) -> !v2x2xf32
  %2 = nvgpu.mma.sync(%ia, %ib, %ic) {mmaShape = [16, 8, 32], types = ["s32", "u8", "s8"]} : (vector<16xi8>, vector<8xi8>, !v4xi32) -> !v4xi32
  func.return
}
// CHECK-LABEL: func.func @mma_sync(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>, %ta: vector<4x1xf32>, %tb: vector<2x1xf32>, %ia: vector<16xi8>, %ib: vector<8xi8>, %ic: vector<4xi32>) {
// CHECK-NEXT: %0 = vector.shape_cast %a : vector<4x2xf16> to vector<8xf16>
// CHECK-NEXT: %1 = vector.shape_cast %b : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %2 = vector.shape_cast %c : vector<2x2xf32> to vector<4xf32>
// CHECK-NEXT: %3 = nvvm.mma.sync A[%0] B[%1] C[%2] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %4 = vector.shape_cast %3 : vector<4xf32> to vector<2x2xf32>
// CHECK-NEXT: %5 = vector.shape_cast %ta : vector<4x1xf32> to vector<4xf32>
// CHECK-NEXT: %6 = vector.shape_cast %tb : vector<2x1xf32> to vector<2xf32>
// CHECK-NEXT: %7 = vector.shape_cast %c : vector<2x2xf32> to vector<4xf32>
// CHECK-NEXT: %8 = nvvm.mma.sync A[%5] B[%6] C[%7] {shape = #nvvm.shape<m = 16, n = 8, k = 8>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>} : (vector<4xf32>, vector<2xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %9 = vector.shape_cast %8 : vector<4xf32> to vector<2x2xf32>
// CHECK-NEXT: %10 = nvvm.mma.sync A[%ia] B[%ib] C[%ic] {shape = #nvvm.shape<m = 16, n = 8, k = 32>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>} : (vector<16xi8>, vector<8xi8>, vector<4xi32>) -> vector<4xi32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// The only product that is inline assembly.
// REQ: H-25, H-73, I-12
func.func @sparse(%a: !v2x2xf16, %b: !v2x2xf16, %c: !v2x2xf16, %f: !v2x2xf32, %meta: vector<2xi16>) {
  %0 = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%meta) {mmaShape = [16, 8, 16]} : (!v2x2xf16, !v2x2xf16, !v2x2xf16) -> !v2x2xf16
  %1 = nvgpu.mma.sp.sync(%a, %b, %f) metadata(%meta) {mmaShape = [16, 8, 16], sparsitySelector = 1 : i32} : (!v2x2xf16, !v2x2xf16, !v2x2xf32) -> !v2x2xf32
  func.return
}
// CHECK-LABEL: func.func @sparse(%a: vector<2x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>, %f: vector<2x2xf32>, %meta: vector<2xi16>) {
// CHECK-NEXT: %0 = vector.shape_cast %a : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %1 = llvm.bitcast %0 : vector<4xf16> to vector<2xi32>
// CHECK-NEXT: %2 = vector.extract %1[0] : i32 from vector<2xi32>
// CHECK-NEXT: %3 = vector.extract %1[1] : i32 from vector<2xi32>
// CHECK-NEXT: %4 = vector.shape_cast %b : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %5 = llvm.bitcast %4 : vector<4xf16> to vector<2xi32>
// CHECK-NEXT: %6 = vector.extract %5[0] : i32 from vector<2xi32>
// CHECK-NEXT: %7 = vector.extract %5[1] : i32 from vector<2xi32>
// CHECK-NEXT: %8 = vector.shape_cast %c : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %9 = llvm.bitcast %8 : vector<4xf16> to vector<2xi32>
// CHECK-NEXT: %10 = vector.extract %9[0] : i32 from vector<2xi32>
// CHECK-NEXT: %11 = vector.extract %9[1] : i32 from vector<2xi32>
// CHECK-NEXT: %12 = llvm.bitcast %meta : vector<2xi16> to i32
// CHECK-NEXT: %13 = llvm.inline_asm has_side_effects "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0, $1}, {$2, $3}, {$4, $5}, {$6, $7}, $8, 0x0;", "=r,=r,r,r,r,r,r,r,r" %2, %3, %6, %7, %10, %11, %12 : (i32, i32, i32, i32, i32, i32, i32) -> [[struct_1:!llvm.struct<.i32, i32.>]]
// CHECK-NEXT: %14 = llvm.extractvalue %13[0] : [[struct_1]]
// CHECK-NEXT: %15 = llvm.extractvalue %13[1] : [[struct_1]]
// CHECK-NEXT: %16 = vector.from_elements %14, %15 : vector<2xi32>
// CHECK-NEXT: %17 = llvm.bitcast %16 : vector<2xi32> to vector<4xf16>
// CHECK-NEXT: %18 = vector.shape_cast %17 : vector<4xf16> to vector<2x2xf16>
// CHECK-NEXT: %19 = vector.shape_cast %a : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %20 = llvm.bitcast %19 : vector<4xf16> to vector<2xi32>
// CHECK-NEXT: %21 = vector.extract %20[0] : i32 from vector<2xi32>
// CHECK-NEXT: %22 = vector.extract %20[1] : i32 from vector<2xi32>
// CHECK-NEXT: %23 = vector.shape_cast %b : vector<2x2xf16> to vector<4xf16>
// CHECK-NEXT: %24 = llvm.bitcast %23 : vector<4xf16> to vector<2xi32>
// CHECK-NEXT: %25 = vector.extract %24[0] : i32 from vector<2xi32>
// CHECK-NEXT: %26 = vector.extract %24[1] : i32 from vector<2xi32>
// CHECK-NEXT: %27 = vector.shape_cast %f : vector<2x2xf32> to vector<4xf32>
// CHECK-NEXT: %28 = vector.extract %27[0] : f32 from vector<4xf32>
// CHECK-NEXT: %29 = vector.extract %27[1] : f32 from vector<4xf32>
// CHECK-NEXT: %30 = vector.extract %27[2] : f32 from vector<4xf32>
// CHECK-NEXT: %31 = vector.extract %27[3] : f32 from vector<4xf32>
// CHECK-NEXT: %32 = llvm.bitcast %meta : vector<2xi16> to i32
// CHECK-NEXT: %33 = llvm.inline_asm has_side_effects "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5}, {$6, $7}, {$8, $9, $10, $11}, $12, 0x1;", "=f,=f,=f,=f,r,r,r,r,f,f,f,f,r" %21, %22, %25, %26, %28, %29, %30, %31, %32 : (i32, i32, i32, i32, f32, f32, f32, f32, i32) -> [[struct_2:!llvm.struct<.f32, f32, f32, f32.>]]
// CHECK-NEXT: %34 = llvm.extractvalue %33[0] : [[struct_2]]
// CHECK-NEXT: %35 = llvm.extractvalue %33[1] : [[struct_2]]
// CHECK-NEXT: %36 = llvm.extractvalue %33[2] : [[struct_2]]
// CHECK-NEXT: %37 = llvm.extractvalue %33[3] : [[struct_2]]
// CHECK-NEXT: %38 = vector.from_elements %34, %35, %36, %37 : vector<4xf32>
// CHECK-NEXT: %39 = vector.shape_cast %38 : vector<4xf32> to vector<2x2xf32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-21, H-65, H-66, H-67, H-68
func.func @ldmatrix(%smem: memref<256xi32, 3>) -> (!v4xi32, vector<2xi32>, vector<1xi32>) {
  %v = "nvgpu.ldmatrix"(%smem) {num = 4 : i32, transpose = false} : (memref<256xi32, 3>) -> !v4xi32
  %w = "nvgpu.ldmatrix"(%smem) {num = 2 : i32, transpose = true} : (memref<256xi32, 3>) -> vector<2xi32>
  %x = "nvgpu.ldmatrix"(%smem) {num = 1 : i32, transpose = false} : (memref<256xi32, 3>) -> vector<1xi32>
  func.return %v, %w, %x : !v4xi32, vector<2xi32>, vector<1xi32>
}
// CHECK-LABEL: func.func @ldmatrix(%smem: memref<256xi32, 3 : i64>) -> (vector<4xi32>, vector<2xi32>, vector<1xi32>) {
// CHECK-NEXT: %smem_1 = builtin.unrealized_conversion_cast %smem : memref<256xi32, 3 : i64> to [[sptr]]
// CHECK-NEXT: %0 = nvvm.ldmatrix.sync %smem_1 {num = 4 : i32, trans = false} : [[sptr]] -> [[struct_3:!llvm.struct<.i32, i32, i32, i32.>]]
// CHECK-NEXT: %1 = llvm.extractvalue %0[0] : [[struct_3]]
// CHECK-NEXT: %2 = llvm.extractvalue %0[1] : [[struct_3]]
// CHECK-NEXT: %3 = llvm.extractvalue %0[2] : [[struct_3]]
// CHECK-NEXT: %4 = llvm.extractvalue %0[3] : [[struct_3]]
// CHECK-NEXT: %v = vector.from_elements %1, %2, %3, %4 : vector<4xi32>
// CHECK-NEXT: %5 = nvvm.ldmatrix.sync %smem_1 {num = 2 : i32, trans = true} : [[sptr]] -> [[struct_1]]
// CHECK-NEXT: %6 = llvm.extractvalue %5[0] : [[struct_1]]
// CHECK-NEXT: %7 = llvm.extractvalue %5[1] : [[struct_1]]
// CHECK-NEXT: %w = vector.from_elements %6, %7 : vector<2xi32>
// CHECK-NEXT: %8 = nvvm.ldmatrix.sync %smem_1 {num = 1 : i32, trans = false} : [[sptr]] -> i32
// CHECK-NEXT: %x = vector.from_elements %8 : vector<1xi32>
// CHECK-NEXT: func.return %v, %w, %x : vector<4xi32>, vector<2xi32>, vector<1xi32>
// CHECK-NEXT: }

// One instruction each.
// REQ: H-26, H-27, H-28, H-29, H-30, H-31
func.func @packed(%x: f32, %v: vector<4xf32>, %a: vector<2xf32>, %h: vector<2xf16>) {
  %0 = nvgpu.rcp %x : f32
  %1 = nvgpu.rcp %v {rounding = #nvgpu<rcp_rounding_mode approx>, ftz} : vector<4xf32>
  %2 = nvgpu.cvt_fptrunc %a : vector<2xf32> to vector<2xbf16>
  %3 = nvgpu.cvt_fpext %h : vector<2xf16> to vector<2xf32>
  %4 = nvgpu.fma.packed.f32x2 %a, %a, %a : vector<2xf32>
  %5 = nvgpu.mul.packed.f32x2 %a, %a : vector<2xf32>
  func.return
}
// CHECK-LABEL: func.func @packed(%x: f32, %v: vector<4xf32>, %a: vector<2xf32>, %h: vector<2xf16>) {
// CHECK-NEXT: %0 = nvvm.rcp.approx.ftz.f %x : f32
// CHECK-NEXT: %1 = nvvm.rcp.approx.ftz.f %v : vector<4xf32>
// CHECK-NEXT: %2 = nvvm.cvt.fptrunc.x2 %a : vector<2xf32> to vector<2xbf16>
// CHECK-NEXT: %3 = nvvm.cvt.fpext.x2 %h : vector<2xf16> to vector<2xf32>
// CHECK-NEXT: %4 = nvvm.fma.packed.f32x2 %a, %a, %a : vector<2xf32>
// CHECK-NEXT: %5 = nvvm.mul.packed.f32x2 %a, %a : vector<2xf32>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
