// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

!tensormap = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3 : i64>, swizzle = swizzle_128b, l2promo = none>
!v4xf32 = vector<4xf32>
!mbarrier = !nvgpu.mbarrier
!group = !nvgpu.mbarrier.group<memorySpace = 3, num_barriers = 4>
!group_1 = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!descriptor = !nvgpu.tensormap.descriptor
!ptr3 = !llvm.ptr<3>
!m64x64xf16 = memref<64x64xf16, 3 : i64>
!struct = !llvm.struct<(f32, f32)>
!token = !nvgpu.token
%i1, %i16, %i32, %i64, %index = "test.op"() : () -> (i1, i16, i32, i64, index)
%f32, %v2f32, %v2f16, %v4f32, %v8f16 = "test.op"() : () -> (f32, vector<2xf32>, vector<2xf16>, !v4xf32, vector<8xf16>)
%bar, %group = "test.op"() : () -> (!mbarrier, !group)
%gbar = "test.op"() : () -> !group_1
%map, %big_map, %p0, %p3 = "test.op"() : () -> (!descriptor, !tensormap, !llvm.ptr, !ptr3)
%smem, %gmem, %plain = "test.op"() : () -> (!m64x64xf16, memref<1024xf32, 1 : i64>, memref<8xf16>)
%acc = "test.op"() : () -> !struct
%a, %b, %c, %s, %meta = "test.op"() : () -> (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>, vector<2x2xf16>, vector<2xi16>)
%x = "test.op"() : () -> !nvgpu.token<3, foo, "bar baz", bits = 3 : i32>

// Barriers
%b0 = nvgpu.mbarrier.create : !mbarrier
%b1 = nvgpu.mbarrier.create : !nvgpu.mbarrier.group<num_barriers = 4>
nvgpu.mbarrier.init %bar, %i32 : !mbarrier, i32
nvgpu.mbarrier.init %group, %i32 : !group, i32
%t0 = nvgpu.mbarrier.arrive %bar : !mbarrier -> !token
%t1 = nvgpu.mbarrier.arrive.nocomplete %bar, %i32 : !mbarrier, i32 -> !token
nvgpu.mbarrier.arrive.expect_tx %gbar, %i32 : !group_1, i32
%w0 = nvgpu.mbarrier.test.wait %bar, %t0 : !mbarrier, !token -> i1
%w1 = nvgpu.mbarrier.try_wait.parity %bar, %i1, %i32 : !mbarrier, i1, i32 -> i1

// Copies
nvgpu.tma.async.load %smem[%i32, %i32], %bar, %map : !m64x64xf16, !mbarrier, !descriptor
nvgpu.tma.async.load %p3[%i32], %bar, %p0 l2CacheHint = %i64 : !ptr3, !mbarrier, !llvm.ptr
nvgpu.tma.async.load %smem[%i32, %i32, %i32], %bar, %map multicastMask = %i16 l2CacheHint = %i64 : !m64x64xf16, !mbarrier, !descriptor
nvgpu.tma.async.store %smem, %map[%i32, %i32] : !m64x64xf16, !descriptor
nvgpu.tma.async.store %smem, %map[%i32, %i32] l2CacheHint = %i64 : !m64x64xf16, !descriptor
nvgpu.tma.rebind.descriptor %map, %p0 dims[%i32, %i32] strides[%i64] : !descriptor, !llvm.ptr
nvgpu.tma.rebind.descriptor %map, %i64 dims[%i32] strides[] {scope = #nvvm.mem_scope<sys>} : !descriptor, i64
%d0 = nvgpu.tma.create.descriptor %gmem box[%index] : memref<1024xf32, 1 : i64> -> !nvgpu.tensormap.descriptor<tensor = memref<32xf32, 3 : i64>, swizzle = none>
nvgpu.tma.prefetch.descriptor %map : !descriptor
nvgpu.tma.fence.descriptor %big_map : !tensormap
%c0 = nvgpu.device_async_copy %gmem, %smem, %i32 : memref<1024xf32, 1 : i64>, !m64x64xf16, i32 -> !token
%c1 = nvgpu.device_async_copy %plain, %smem, %i32 {bypassL1} : memref<8xf16>, !m64x64xf16, i32 -> !nvgpu.device.async.token
%g0 = nvgpu.device_async_create_group %c0, %c1 : (!token, !nvgpu.device.async.token) -> !token
%g1 = nvgpu.device_async_create_group : () -> !token
nvgpu.device_async_wait %g0 : !token
nvgpu.device_async_wait %g0 {numGroups = 1 : i32} : !token

// Matrices
%m0 = nvgpu.warpgroup.generate.descriptor %p3 {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : !ptr3 -> i64
%m1 = nvgpu.warpgroup.generate.descriptor %smem {leading_byte_offset = 0 : i64, matrix_stride = 1024 : i64, swizzle_base = 0 : i64, swizzle_mode = #nvgpu<swizzle none>} : !m64x64xf16 -> i64
%m2 = nvgpu.warpgroup.mma %i64, %i64, %acc : i64, i64, !struct
%m3 = nvgpu.warpgroup.mma %v8f16, %i64, %v4f32 {shape = [64 : i64, 8 : i64, 16 : i64], types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64, async} : vector<8xf16>, i64, !v4xf32
%m4, %m5 = nvgpu.warpgroup.wait %m2, %m3 {groups = 1 : i32} : !struct, !v4xf32
nvgpu.warpgroup.wait {groups = 0 : i32}
nvgpu.warpgroup.mma.store %v4f32, %smem : !v4xf32 to !m64x64xf16
%m6 = nvgpu.warpgroup.mma.init.accumulator -> !struct
%m7 = nvgpu.warpgroup.mma.init.accumulator {poison} -> !v4xf32
%m8 = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16 : i64, 8 : i64, 16 : i64]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
%m9 = nvgpu.mma.sync(%v8f16, %b, %v4f32) {mmaShape = [16 : i64, 8 : i64, 16 : i64], types = ["f32", "f16", "f16"]} : (vector<8xf16>, vector<2x2xf16>, !v4xf32) -> !v4xf32
%m10 = nvgpu.mma.sp.sync(%s, %b, %c) metadata(%meta) {mmaShape = [16 : i64, 8 : i64, 16 : i64], sparsitySelector = 1 : i32} : (vector<2x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
%m11 = nvgpu.ldmatrix %smem {num = 4 : i32, transpose = false} : !m64x64xf16 -> vector<4xi32>
%m12 = nvgpu.ldmatrix %p3 {num = 1 : i32, transpose = true} : !ptr3 -> vector<1xi32>

// Arithmetic
%r0 = nvgpu.rcp %v4f32 {rounding = #nvgpu<rcp_rounding_mode approx>, ftz} : !v4xf32
%r1 = nvgpu.rcp %f32 : f32
%r2 = nvgpu.cvt_fptrunc %v2f32 : vector<2xf32> to vector<2xf16>
%r3 = nvgpu.cvt_fpext %v2f16 : vector<2xf16> to vector<2xf32>
%r4 = nvgpu.fma.packed.f32x2 %v2f32, %v2f32, %v2f32 : vector<2xf32>
%r5 = nvgpu.mul.packed.f32x2 %v2f32, %v2f32 : vector<2xf32>

// What upstream does not have
nvgpu.tma.encode.descriptor %p3, %i64 dims[%i32, %i32] strides[%i64] {box = array<i32: 64, 128>, element = "f16", swizzle = 128 : i32} : !ptr3
nvgpu.tma.encode.descriptor %p3, %i64 dims[%i32] strides[] {box = array<i32: 256>, element = "tf32", fill_nan} : !ptr3
nvgpu.tma.encode.descriptor %p3, %i64 dims[%i32, %i32] strides[%i64] box[%i32] {box = array<i32: 64, -2147483648>, element = "f16"} : !ptr3
nvgpu.tma.encode.descriptor %p3, %i64 dims[%i32, %i32] strides[%i64] {box = array<i32: 128, 128>, element = "u8", swizzle = 128 : i32, element_strides = array<i32: 1, 2>} : !ptr3
nvgpu.device_async_wait {numGroups = 2 : i32}
