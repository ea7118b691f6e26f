// Interplay: what the conversion makes reaches PTX.
// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm,convert-gpu-to-nvvm,convert-to-llvm -t ptx | filecheck %s

// REQ: J-12

!descriptor = !nvgpu.tensormap.descriptor
!ptr = !llvm.ptr<1>
!mnxi8 = memref<?xi8, #gpu.address_space<workgroup>>
!ptr3 = !llvm.ptr<3>

// CHECK: .entry k(
// CHECK: .reqntid 128
// CHECK: mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: fence.proxy.tensormap::generic.acquire.gpu
// CHECK: tensormap.replace.tile.global_address.global.b1024.b64
// CHECK: tensormap.replace.tile.global_dim.global.b1024.b32 {{.*}}, 0,
// CHECK: tensormap.replace.tile.global_dim.global.b1024.b32 {{.*}}, 1,
// CHECK: tensormap.replace.tile.global_stride.global.b1024.b64 {{.*}}, 0,
// CHECK: fence.proxy.tensormap::generic.release.gpu
// CHECK: mbarrier.init.shared
// CHECK: prefetch{{.*}}.tensormap
// CHECK: fence.proxy.tensormap::generic.acquire.sys
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: mbarrier.arrive
// CHECK: mbarrier.test_wait
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: cp.async.c{{[ag]}}.shared.global
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group
gpu.module @m {
gpu.func @k(%map: !descriptor, %out: !ptr, %x: i32, %s: i64, %bf: vector<4xf16>, %metai: i32, %ff: vector<4xf32>, %af: vector<8xf16>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %meta = llvm.bitcast %metai : i32 to vector<2xi16>
  %b = vector.shape_cast %bf : vector<4xf16> to vector<2x2xf16>
  %f = vector.shape_cast %ff : vector<4xf32> to vector<2x2xf32>
  %a = vector.shape_cast %af : vector<8xf16> to vector<4x2xf16>
  %dm = "gpu.dynamic_shared_memory"() : () -> !mnxi8
  %smem = builtin.unrealized_conversion_cast %dm : !mnxi8 to !ptr3
  %0 = nvgpu.mma.sp.sync(%b, %b, %f) metadata(%meta) {mmaShape = [16, 8, 16]} : (vector<2x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %00 = nvgpu.mma.sync(%a, %b, %0) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %1 = vector.shape_cast %00 : vector<2x2xf32> to vector<4xf32>
  llvm.store %1, %out : vector<4xf32>, !ptr
  nvgpu.tma.rebind.descriptor %out, %out dims[%x, %x] strides[%s] : !ptr, !ptr
  %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
  nvgpu.mbarrier.init %bar, %x : !nvgpu.mbarrier, i32
  nvgpu.tma.prefetch.descriptor %map : !descriptor
  nvgpu.tma.fence.descriptor %map : !descriptor
  nvgpu.tma.async.load %smem[%x, %x], %bar, %map : !ptr3, !nvgpu.mbarrier, !descriptor
  nvgpu.tma.async.store %smem, %map[%x, %x] : !ptr3, !descriptor
  %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
  %done = nvgpu.mbarrier.test.wait %bar, %tok : !nvgpu.mbarrier, !nvgpu.token -> i1
  %da = nvgpu.warpgroup.generate.descriptor %smem {leading_byte_offset = 16 : i64, matrix_stride = 1024 : i64, swizzle_base = 0 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : !ptr3 -> i64
  %c = nvgpu.warpgroup.mma.init.accumulator -> vector<8xf32>
  %d = nvgpu.warpgroup.mma %da, %da, %c {shape = [64, 8, 16], types = ["f32", "f16", "f16"], k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64, m_tiles = 2 : i32, a_tile_step = 512 : i64} : i64, i64, vector<8xf32>
  %dst = builtin.unrealized_conversion_cast %out : !ptr to memref<128x8xf32, 1>
  nvgpu.warpgroup.mma.store %d, %dst : vector<8xf32> to memref<128x8xf32, 1>
  %lm = nvgpu.ldmatrix %smem {num = 4 : i32, transpose = true} : !ptr3 -> vector<4xi32>
  %c16 = arith.constant 16 : i32
  %t = nvgpu.device_async_copy %out, %smem, %c16 : !ptr, !ptr3, i32 -> !nvgpu.token
  %g = nvgpu.device_async_create_group %t : (!nvgpu.token) -> !nvgpu.token
  nvgpu.device_async_wait %g {numGroups = 0 : i32} : !nvgpu.token
  gpu.return
}
}
