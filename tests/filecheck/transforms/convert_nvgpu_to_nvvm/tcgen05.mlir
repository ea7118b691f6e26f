// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm | filecheck %s

!tensor = !nvgpu.tensor_memory

// CHECK-LABEL: func.func @memory
// CHECK-NEXT:    [[t:%.*]] = llvm.inttoptr %address : i32 to !llvm.ptr<6>
// CHECK-NEXT:    [[n:%.*]] = arith.constant 128 : i32
// CHECK-NEXT:    nvvm.tcgen05.alloc %slot, [[n]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
// CHECK-NEXT:    nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
// CHECK-NEXT:    [[v:%.*]] = nvvm.tcgen05.ld [[t]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<32xf32>
// CHECK-NEXT:    nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
// CHECK-NEXT:    nvvm.tcgen05.st [[t]], [[v]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6>, vector<32xf32>
// CHECK-NEXT:    %w, %max = nvvm.tcgen05.ld.red [[t]] {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<8xf32>, f32
// CHECK-NEXT:    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
// CHECK-NEXT:    nvvm.tcgen05.shift [[t]] : !llvm.ptr<6>
// CHECK-NEXT:    nvvm.tcgen05.commit %bar multicast_mask = %mask {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>
// CHECK-NEXT:    [[m:%.*]] = arith.constant 128 : i32
// CHECK-NEXT:    nvvm.tcgen05.dealloc [[t]], [[m]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>, i32
func.func @memory(%slot: !llvm.ptr<3>, %address: i32, %mask: i16, %bar: !llvm.ptr<3>) {
  %b = nvgpu.mbarrier.at %bar : !llvm.ptr<3> -> !nvgpu.mbarrier
  %t = nvgpu.tensor_memory.at %address : i32 -> !tensor
  nvgpu.tcgen05.alloc %slot {columns = 128 : i32, group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>
  nvgpu.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
  %v = nvgpu.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !tensor -> vector<32xf32>
  nvgpu.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
  nvgpu.tcgen05.st %t, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !tensor, vector<32xf32>
  %w, %max = nvgpu.tcgen05.ld.red %t {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !tensor -> vector<8xf32>, f32
  nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
  nvgpu.tcgen05.shift %t : !tensor
  nvgpu.tcgen05.commit %b multicast_mask = %mask {group = #nvvm.cta_group<cta_2>} : !nvgpu.mbarrier
  nvgpu.tcgen05.dealloc %t {columns = 128 : i32, group = #nvvm.cta_group<cta_2>} : !tensor
  return
}

// The bits of a descriptor are those of `SharedDescriptor` and `InstructionDescriptor`: 0x4000404000010000, 0x08210010.
// CHECK-LABEL: func.func @products
// CHECK:         [[address:%.*]] = llvm.ptrtoint %base : !llvm.ptr<3> to i32
// CHECK:         llvm.and [[address]]
// CHECK:         [[place:%.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK-NEXT:    [[bits:%.*]] = arith.constant 4611756662049538048 : i64
// CHECK-NEXT:    [[desc:%.*]] = llvm.or [[bits]], [[place]] : i64
// CHECK-NEXT:    [[idesc:%.*]] = arith.constant 136380432 : i32
// CHECK-NEXT:    nvvm.tcgen05.mma [[t:%.*]], [[desc]], [[desc]], [[idesc]], %enable {kind = #nvvm.tcgen05_mma_kind<f16>, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : !llvm.ptr<6>, i64
// CHECK-NEXT:    [[idesc:%.*]] = arith.constant 136314896 : i32
// CHECK-NEXT:    nvvm.tcgen05.mma [[t]], [[t]], [[desc]], [[idesc]], %enable mask = %lanes : vector<4xi32> {kind = #nvvm.tcgen05_mma_kind<f16>, scale_input_d = 1 : i32} : !llvm.ptr<6>,
// CHECK:         [[idesc:%.*]] = arith.constant 144703488 : i32
// CHECK-NEXT:    nvvm.tcgen05.mma.block_scale [[t]], [[desc]], [[desc]], [[idesc]], %enable, [[t]], [[t]] {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, k_steps = 4 : i32, idesc_step = 536870928 : i32}
// CHECK:         [[idesc:%.*]] = arith.constant 144704640 : i32
// CHECK-NEXT:    nvvm.tcgen05.mma.block_scale [[t]], [[desc]], [[desc]], [[idesc]], %enable, [[t]], [[t]] {kind = #nvvm.tcgen05_mma_kind<mxf4>, k_steps = 2 : i32, idesc_step = 1073741856 : i32}
// CHECK:         nvvm.tcgen05.cp [[t]], [[desc]] {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !llvm.ptr<6>, i64
func.func @products(%base: !llvm.ptr<3>, %address: i32, %enable: i1, %lanes: vector<4xi32>) {
  %t = nvgpu.tensor_memory.at %address : i32 -> !tensor
  %d = nvgpu.tcgen05.generate.descriptor %base {leading_byte_offset = 16 : i64, stride_byte_offset = 1024 : i64, swizzle = "128B"} : !llvm.ptr<3> -> i64
  nvgpu.tcgen05.mma %t, %d, %d, %enable {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : !tensor, i64
  nvgpu.tcgen05.mma %t, %t, %d, %enable mask = %lanes : vector<4xi32> {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"], scale_input_d = 1 : i32} : !tensor, !tensor
  nvgpu.tcgen05.mma.block_scale %t, %d, %d, %enable, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, shape = #nvvm.shape<m = 128, n = 128, k = 32>, types = ["f32", "e4m3", "e4m3"], k_steps = 4 : i32, scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor
  nvgpu.tcgen05.mma.block_scale %t, %d, %d, %enable, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf4>, shape = #nvvm.shape<m = 128, n = 128, k = 64>, types = ["f32", "e2m1", "e2m1"], k_steps = 2 : i32, scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor
  nvgpu.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !tensor, i64
  return
}

// CHECK-LABEL: func.func @copies
// CHECK-NEXT:    nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %to, %map, %x,
// CHECK-SAME:    %x, %bar {mode = #nvvm.load_mode<tile>, group = #nvvm.cta_group<cta_2>, leader_barrier}
// CHECK-NEXT:    nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4 %to, %map, %x, %x, %x, %x, %x, %bar :
// CHECK:         nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %map, %x, %x, %x, %x, %x, %to :
// CHECK-NEXT:    nvvm.clusterlaunchcontrol.try.cancel %to, %bar {multicast} : !llvm.ptr<3>, !llvm.ptr<3>
func.func @copies(%to: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32, %bar: !llvm.ptr<3>) {
  %b = nvgpu.mbarrier.at %bar : !llvm.ptr<3> -> !nvgpu.mbarrier
  nvgpu.tma.async.load %to[%x, %x], %b, %map {group = #nvvm.cta_group<cta_2>, leader_barrier} : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
  nvgpu.tma.gather4 %to, %b, %map[%x, %x, %x, %x, %x] : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
  nvgpu.tma.scatter4 %to, %map[%x, %x, %x, %x, %x] : !llvm.ptr<3>, !llvm.ptr
  nvgpu.cluster_launch.try_cancel %to, %b {multicast} : !llvm.ptr<3>, !nvgpu.mbarrier
  return
}
