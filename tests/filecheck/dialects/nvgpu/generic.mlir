// RUN: xdsl-opt %s | filecheck %s

// The forms of the requirements, with properties among the attributes.

%bar, %group, %count, %phase, %tok = "test.op"() : () -> (!nvgpu.mbarrier, !nvgpu.mbarrier.group, i32, i1, !nvgpu.token)
%smem, %map, %c, %mask, %hint = "test.op"() : () -> (memref<128x128xf16, 3>, !nvgpu.tensormap.descriptor, i32, i16, i64)
%desc, %acc, %base = "test.op"() : () -> (i64, !llvm.struct<(f32, f32)>, !llvm.ptr<3>)
%g, %s, %words = "test.op"() : () -> (memref<1024xf32, 1>, memref<1024xf32, 3>, memref<256xi32, 3>)

// CHECK: nvgpu.mbarrier.create : !nvgpu.mbarrier
%0 = "nvgpu.mbarrier.create"() : () -> !nvgpu.mbarrier
// CHECK-NEXT: nvgpu.mbarrier.init %bar, %count : !nvgpu.mbarrier, i32
"nvgpu.mbarrier.init"(%bar, %count) : (!nvgpu.mbarrier, i32) -> ()
// CHECK-NEXT: nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
%1 = "nvgpu.mbarrier.arrive"(%bar) : (!nvgpu.mbarrier) -> !nvgpu.token
// CHECK-NEXT: nvgpu.mbarrier.arrive.expect_tx %bar, %count : !nvgpu.mbarrier, i32
"nvgpu.mbarrier.arrive.expect_tx"(%bar, %count) : (!nvgpu.mbarrier, i32) -> ()
// CHECK-NEXT: nvgpu.mbarrier.try_wait.parity %bar, %phase, %count : !nvgpu.mbarrier, i1, i32 -> i1
%2 = "nvgpu.mbarrier.try_wait.parity"(%bar, %phase, %count) : (!nvgpu.mbarrier, i1, i32) -> i1
// CHECK-NEXT: nvgpu.tma.async.load %smem[%c, %c, %c], %group, %map multicastMask = %mask l2CacheHint = %hint : memref<128x128xf16, 3 : i64>, !nvgpu.mbarrier.group, !nvgpu.tensormap.descriptor
"nvgpu.tma.async.load"(%smem, %group, %map, %c, %c, %c, %mask, %hint) {operandSegmentSizes = array<i32: 1, 1, 1, 3, 1, 1>} : (memref<128x128xf16, 3>, !nvgpu.mbarrier.group, !nvgpu.tensormap.descriptor, i32, i32, i32, i16, i64) -> ()
// CHECK-NEXT: nvgpu.tma.async.store %smem, %map[%c, %c] : memref<128x128xf16, 3 : i64>, !nvgpu.tensormap.descriptor
"nvgpu.tma.async.store"(%smem, %map, %c, %c) {operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<128x128xf16, 3>, !nvgpu.tensormap.descriptor, i32, i32) -> ()
// CHECK-NEXT: nvgpu.warpgroup.mma %desc, %desc, %acc : i64, i64, !llvm.struct<(f32, f32)>
%3 = "nvgpu.warpgroup.mma"(%desc, %desc, %acc) : (i64, i64, !llvm.struct<(f32, f32)>) -> !llvm.struct<(f32, f32)>
// CHECK-NEXT: nvgpu.warpgroup.generate.descriptor %base {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : !llvm.ptr<3> -> i64
%4 = "nvgpu.warpgroup.generate.descriptor"(%base) {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : (!llvm.ptr<3>) -> i64
// CHECK-NEXT: nvgpu.ldmatrix %words {num = 4 : i32, transpose = false} : memref<256xi32, 3 : i64> -> vector<4xi32>
%5 = "nvgpu.ldmatrix"(%words) {num = 4 : i32, transpose = false} : (memref<256xi32, 3>) -> vector<4xi32>
// CHECK-NEXT: nvgpu.device_async_copy %g, %s, %count : memref<1024xf32, 1 : i64>, memref<1024xf32, 3 : i64>, i32 -> !nvgpu.token
%6 = "nvgpu.device_async_copy"(%g, %s, %count) : (memref<1024xf32, 1>, memref<1024xf32, 3>, i32) -> !nvgpu.token
// CHECK-NEXT: nvgpu.device_async_wait %tok {numGroups = 0 : i32} : !nvgpu.token
"nvgpu.device_async_wait"(%tok) {numGroups = 0 : i32} : (!nvgpu.token) -> ()
