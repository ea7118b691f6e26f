// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!ptr3 = !llvm.ptr<3>
!token = !nvgpu.token
!descriptor = !nvgpu.tensormap.descriptor
!mbarrier = !nvgpu.mbarrier
!v4xf32 = vector<4xf32>

// -----

// REQ: H-40, I-06

// CHECK: [[mbarrier:operand #0 must be mbarrier barrier type, but got 'i32']]
%x = "test.op"() : () -> i32
"nvgpu.mbarrier.init"(%x, %x) : (i32, i32) -> ()

// CHECK: [[mbarrier]]
%x = "test.op"() : () -> i32
nvgpu.mbarrier.init %x, %x : i32, i32

// CHECK: operand #0 must be mbarrier barrier type, but got '!llvm.ptr<3>'
%x = "test.op"() : () -> !ptr3
%0 = "nvgpu.mbarrier.arrive"(%x) : (!ptr3) -> !token

// CHECK: operand #0 must be mbarrier barrier type, but got '!nvgpu.mbarrier.group<memorySpace = 1>'
%x, %n = "test.op"() : () -> (!nvgpu.mbarrier.group<memorySpace = 1>, i32)
"nvgpu.mbarrier.arrive.expect_tx"(%x, %n) : (!nvgpu.mbarrier.group<memorySpace = 1>, i32) -> ()

// CHECK: operand #1 must be mbarrier barrier type, but got 'i64'
%s, %x, %m, %c = "test.op"() : () -> (memref<8xf16, 3>, i64, !descriptor, i32)
nvgpu.tma.async.load %s[%c], %x, %m : memref<8xf16, 3>, i64, !descriptor

// CHECK: operand #1 must be a token, but got 'i64'
%b, %x = "test.op"() : () -> (!mbarrier, i64)
%0 = "nvgpu.mbarrier.test.wait"(%b, %x) : (!mbarrier, i64) -> i1

// CHECK: result #0 must be a token, but got 'i64'
%b = "test.op"() : () -> !mbarrier
%0 = "nvgpu.mbarrier.arrive"(%b) : (!mbarrier) -> i64

// CHECK: operand #0 must be a memref or pointer to shared memory, but got 'memref<8xf16>'
%s, %b, %m, %c = "test.op"() : () -> (memref<8xf16>, !mbarrier, !descriptor, i32)
nvgpu.tma.async.load %s[%c], %b, %m : memref<8xf16>, !mbarrier, !descriptor

// CHECK: operand #2 must be a tensor map descriptor, but got 'i64'
%s, %b, %m, %c = "test.op"() : () -> (!ptr3, !mbarrier, i64, i32)
nvgpu.tma.async.load %s[%c], %b, %m : !ptr3, !mbarrier, i64

// CHECK: expects 1 to 5 coordinates, but got 6
%s, %m, %c = "test.op"() : () -> (!ptr3, !descriptor, i32)
nvgpu.tma.async.store %s, %m[%c, %c, %c, %c, %c, %c] : !ptr3, !descriptor

// CHECK: expects 1 to 5 coordinates, but got 0
%s, %m = "test.op"() : () -> (!ptr3, !descriptor)
"nvgpu.tma.async.store"(%s, %m) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!ptr3, !descriptor) -> ()

// CHECK: operand #0 must be a memref or pointer to global memory, but got 'memref<8xf32, 3 : i64>'
%s, %n = "test.op"() : () -> (memref<8xf32, 3>, i32)
%0 = nvgpu.device_async_copy %s, %s, %n : memref<8xf32, 3>, memref<8xf32, 3>, i32 -> !token

// CHECK: numGroups must not be negative, but got -1
%g = "test.op"() : () -> !token
nvgpu.device_async_wait %g {numGroups = -1 : i32} : !token

// CHECK: num must be 1, 2 or 4, but got 3
%s = "test.op"() : () -> !ptr3
%0 = nvgpu.ldmatrix %s {num = 3 : i32, transpose = false} : !ptr3 -> vector<3xi32>

// CHECK: num = 2 yields 'vector<2xi32>', but the result is 'vector<4xi32>'
%s = "test.op"() : () -> !ptr3
%0 = nvgpu.ldmatrix %s {num = 2 : i32, transpose = false} : !ptr3 -> vector<4xi32>

// CHECK: matrix_stride must be a multiple of 16 bytes below 262144, but got 24
%s = "test.op"() : () -> !ptr3
%0 = nvgpu.warpgroup.generate.descriptor %s {leading_byte_offset = 16 : i64, matrix_stride = 24 : i64, swizzle_base = 0 : i64, swizzle_mode = #nvgpu<swizzle 64B>} : !ptr3 -> i64

// CHECK: unknown swizzle '256B' (expected one of none, 32B, 64B, 128B)
"test.op"() {s = #nvgpu<swizzle 256B>} : () -> ()

// CHECK: operand #1 must be a descriptor, but got 'i32'
%a, %b, %c = "test.op"() : () -> (i64, i32, !v4xf32)
%0 = nvgpu.warpgroup.mma %a, %b, %c : i64, i32, !v4xf32

// CHECK: operand #2 must be an accumulator, a struct or a vector of rank 1, but got 'f32'
%a, %c = "test.op"() : () -> (i64, f32)
%0 = nvgpu.warpgroup.mma %a, %a, %c : i64, i64, f32

// CHECK: shape must have m = 64 and n a multiple of 8 up to 256, but got m = 64, n = 12
%a, %c = "test.op"() : () -> (i64, !v4xf32)
%0 = nvgpu.warpgroup.mma %a, %a, %c {shape = [64, 12, 16]} : i64, i64, !v4xf32

// CHECK: k must be 8 for 'tf32', but got k = 16
%a, %c = "test.op"() : () -> (i64, !v4xf32)
%0 = nvgpu.warpgroup.mma %a, %a, %c {shape = [64, 8, 16], types = ["f32", "tf32", "tf32"]} : i64, i64, !v4xf32

// CHECK: WGMMA with m = 64, n = 16 has 8 accumulators for each thread, but the accumulator is 'vector<4xf32>'
%a, %c = "test.op"() : () -> (i64, !v4xf32)
%0 = nvgpu.warpgroup.mma %a, %a, %c {shape = [64, 16, 16]} : i64, i64, !v4xf32

// CHECK: types must be those of d, a and b
%a, %c = "test.op"() : () -> (i64, !v4xf32)
%0 = nvgpu.warpgroup.mma %a, %a, %c {types = ["f32", "f17", "f16"]} : i64, i64, !v4xf32

// CHECK: operand #0 must be an accumulator, a struct or a vector of rank 1, but got 'i64'
%wait_for = "test.op"() : () -> i64
%waited = nvgpu.warpgroup.wait %wait_for {groups = 0 : i32} : i64

// CHECK: number of groups must not be negative, but got -2
nvgpu.warpgroup.wait {groups = -2 : i32}

// CHECK: operand #1 must have 4 elements of B for each lane, but got 'vector<2xf16>'
%a, %b, %c = "test.op"() : () -> (vector<8xf16>, vector<2xf16>, !v4xf32)
%0 = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<2xf16>, !v4xf32) -> !v4xf32

// CHECK: operand #0 must have 4 elements of A for each lane, but got 'vector<8xf16>'
%a, %b, %c, %m = "test.op"() : () -> (vector<8xf16>, vector<4xf16>, !v4xf32, vector<2xi16>)
%0 = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%m) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, !v4xf32) -> !v4xf32

// CHECK: expects a vector of 2 floats, but got 'vector<4xf32>'
%x = "test.op"() : () -> !v4xf32
%0 = nvgpu.cvt_fptrunc %x : !v4xf32 to vector<4xf16>

// CHECK: 'vector<2xf16>' must be wider than 'vector<2xf32>'
%x = "test.op"() : () -> vector<2xf32>
%0 = nvgpu.cvt_fpext %x : vector<2xf32> to vector<2xf16>

// CHECK: only the approximation that flushes denormals is supported
%x = "test.op"() : () -> f32
%0 = nvgpu.rcp %x {rounding = #nvgpu<rcp_rounding_mode rn>, ftz} : f32

// CHECK: expects 1 strides for 2 dimensions, but got 0
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d, %d] strides[] {box = array<i32: 64, 64>, element = "f16"} : !ptr3

// CHECK: box must have 1 extents from 1 to 256, but got array<i32: 257>
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: 257>, element = "f16"} : !ptr3

// CHECK: box has 1 dynamic extents, but got 0
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: -2147483648>, element = "f16"} : !ptr3

// CHECK: swizzle must be one of 0, 32, 64, 128, but got 16
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: 64>, element = "f16", swizzle = 16 : i32} : !ptr3

// CHECK: element_strides must be 2 numbers from 1 to 8, the first one 1, but got array<i32: 2, 1>
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d, %d] strides[%a] {box = array<i32: 64, 64>, element = "u8", element_strides = array<i32: 2, 1>} : !ptr3

// CHECK: element_strides must be 2 numbers from 1 to 8, the first one 1, but got array<i32: 1, 9>
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d, %d] strides[%a] {box = array<i32: 64, 64>, element = "u8", element_strides = array<i32: 1, 9>} : !ptr3

// CHECK: element_strides must be 1 numbers from 1 to 8, the first one 1, but got array<i32: 1, 2>
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: 64>, element = "u8", element_strides = array<i32: 1, 2>} : !ptr3

// CHECK: no tensor map has elements of 'f8'
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: 64>, element = "f8"} : !ptr3

// CHECK: only floats can be filled with NaN, but elements are 'u8'
%m, %a, %d = "test.op"() : () -> (!ptr3, i64, i32)
nvgpu.tma.encode.descriptor %m, %a dims[%d] strides[] {box = array<i32: 64>, element = "u8", fill_nan} : !ptr3

// CHECK: without a token, needs numGroups
"nvgpu.device_async_wait"() : () -> ()
