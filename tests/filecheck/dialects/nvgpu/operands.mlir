// RUN: xdsl-opt %s --print-op-generic | xdsl-opt --print-op-generic | filecheck %s

// Operands, in their order, and results of every op whose order only examples tell.
// REQ: P-08

!mbarrier = !nvgpu.mbarrier
!group = !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>
!descriptor = !nvgpu.tensormap.descriptor
!descriptor_1 = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b>
!token = !nvgpu.token
// CHECK:      "builtin.module"() ({
%bar, %group = "test.op"() : () -> (!mbarrier, !nvgpu.mbarrier.group)
%bar3, %group3 = "test.op"() : () -> (!nvgpu.mbarrier<memorySpace = 3>, !group)
%map, %map2 = "test.op"() : () -> (!descriptor, !descriptor_1)
%count, %ticks, %phase, %tok = "test.op"() : () -> (i32, i32, i1, !token)
%smem, %x, %y, %z, %mask, %hint = "test.op"() : () -> (memref<64x64xf16, 3>, i32, i32, i32, i16, i64)
%da, %db, %acc = "test.op"() : () -> (i64, i64, vector<4xf32>)
%src, %dst, %size = "test.op"() : () -> (memref<1024xf32, 1>, memref<1024xf32, 3>, i32)
// CHECK-COUNT-7: "test.op"

// CHECK-NEXT: %b0 = "nvgpu.mbarrier.create"() : () -> !nvgpu.mbarrier
%b0 = "nvgpu.mbarrier.create"() : () -> !mbarrier
// CHECK-NEXT: "nvgpu.mbarrier.init"(%bar, %count) : (!nvgpu.mbarrier, i32) -> ()
"nvgpu.mbarrier.init"(%bar, %count) : (!mbarrier, i32) -> ()
// CHECK-NEXT: %t0 = "nvgpu.mbarrier.arrive"(%bar) : (!nvgpu.mbarrier) -> !nvgpu.token
%t0 = "nvgpu.mbarrier.arrive"(%bar) : (!mbarrier) -> !token
// CHECK-NEXT: %t1 = "nvgpu.mbarrier.arrive.nocomplete"(%bar, %count) : (!nvgpu.mbarrier, i32) -> !nvgpu.token
%t1 = "nvgpu.mbarrier.arrive.nocomplete"(%bar, %count) : (!mbarrier, i32) -> !token
// CHECK-NEXT: "nvgpu.mbarrier.arrive.expect_tx"(%bar, %count) : (!nvgpu.mbarrier, i32) -> ()
"nvgpu.mbarrier.arrive.expect_tx"(%bar, %count) : (!mbarrier, i32) -> ()
// CHECK-NEXT: %w0 = "nvgpu.mbarrier.test.wait"(%bar, %tok) : (!nvgpu.mbarrier, !nvgpu.token) -> i1
%w0 = "nvgpu.mbarrier.test.wait"(%bar, %tok) : (!mbarrier, !token) -> i1
// CHECK-NEXT: %w1 = "nvgpu.mbarrier.try_wait.parity"(%bar, %phase, %ticks) : (!nvgpu.mbarrier, i1, i32) -> i1
%w1 = "nvgpu.mbarrier.try_wait.parity"(%bar, %phase, %ticks) : (!mbarrier, i1, i32) -> i1

// Groups, and types with parameters.
// CHECK-NEXT: "nvgpu.mbarrier.init"(%group, %count) : (!nvgpu.mbarrier.group, i32) -> ()
"nvgpu.mbarrier.init"(%group, %count) : (!nvgpu.mbarrier.group, i32) -> ()
// CHECK-NEXT: "nvgpu.mbarrier.init"(%bar3, %count) : (!nvgpu.mbarrier<memorySpace = 3>, i32) -> ()
"nvgpu.mbarrier.init"(%bar3, %count) : (!nvgpu.mbarrier<memorySpace = 3>, i32) -> ()
// CHECK-NEXT: "nvgpu.mbarrier.init"(%group3, %count) : (!nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>, i32) -> ()
"nvgpu.mbarrier.init"(%group3, %count) : (!group, i32) -> ()

// CHECK-NEXT: "nvgpu.tma.async.load"(%smem, %bar, %map, %x, %y, %z, %mask, %hint) <{operandSegmentSizes = array<i32: 1, 1, 1, 3, 1, 1>}> : ([[memref:memref<64x64xf16, 3 : i64>]], !nvgpu.mbarrier, [[map:!nvgpu.tensormap.descriptor]], i32, i32, i32, i16, i64) -> ()
"nvgpu.tma.async.load"(%smem, %bar, %map, %x, %y, %z, %mask, %hint) {operandSegmentSizes = array<i32: 1, 1, 1, 3, 1, 1>} : (memref<64x64xf16, 3>, !mbarrier, !descriptor, i32, i32, i32, i16, i64) -> ()
// CHECK-NEXT: "nvgpu.tma.async.load"(%smem, %group, %map2, %x, %y) <{operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}>
"nvgpu.tma.async.load"(%smem, %group, %map2, %x, %y) {operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>} : (memref<64x64xf16, 3>, !nvgpu.mbarrier.group, !descriptor_1, i32, i32) -> ()
// CHECK-NEXT: "nvgpu.tma.async.store"(%smem, %map, %x, %y, %hint) <{operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : ([[memref]], [[map]], i32, i32, i64) -> ()
"nvgpu.tma.async.store"(%smem, %map, %x, %y, %hint) {operandSegmentSizes = array<i32: 1, 1, 2, 1>} : (memref<64x64xf16, 3>, !descriptor, i32, i32, i64) -> ()
// CHECK-NEXT: "nvgpu.tma.prefetch.descriptor"(%map) : ([[map]]) -> ()
"nvgpu.tma.prefetch.descriptor"(%map) : (!descriptor) -> ()
// CHECK-NEXT: "nvgpu.tma.fence.descriptor"(%map) : ([[map]]) -> ()
"nvgpu.tma.fence.descriptor"(%map) : (!descriptor) -> ()

// CHECK-NEXT: %m0 = "nvgpu.warpgroup.mma"(%da, %db, %acc) : (i64, i64, vector<4xf32>) -> vector<4xf32>
%m0 = "nvgpu.warpgroup.mma"(%da, %db, %acc) : (i64, i64, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %m1 = "nvgpu.warpgroup.generate.descriptor"(%smem) <{leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>}> : ([[memref]]) -> i64
%m1 = "nvgpu.warpgroup.generate.descriptor"(%smem) {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : (memref<64x64xf16, 3>) -> i64
// CHECK-NEXT: %m2 = "nvgpu.ldmatrix"(%smem) <{num = 4 : i32, transpose = true}> : ([[memref]]) -> vector<4xi32>
%m2 = "nvgpu.ldmatrix"(%smem) {num = 4 : i32, transpose = true} : (memref<64x64xf16, 3>) -> vector<4xi32>

// CHECK-NEXT: %c0 = "nvgpu.device_async_copy"(%src, %dst, %size) : (memref<1024xf32, 1 : i64>, memref<1024xf32, 3 : i64>, i32) -> !nvgpu.token
%c0 = "nvgpu.device_async_copy"(%src, %dst, %size) : (memref<1024xf32, 1>, memref<1024xf32, 3>, i32) -> !token
// CHECK-NEXT: %g0 = "nvgpu.device_async_create_group"(%c0, %tok) : (!nvgpu.token, !nvgpu.token) -> !nvgpu.token
%g0 = "nvgpu.device_async_create_group"(%c0, %tok) : (!token, !token) -> !token
// CHECK-NEXT: "nvgpu.device_async_wait"(%g0) <{numGroups = 1 : i32}> : (!nvgpu.token) -> ()
"nvgpu.device_async_wait"(%g0) {numGroups = 1 : i32} : (!token) -> ()
// CHECK-NEXT: }) : () -> ()
