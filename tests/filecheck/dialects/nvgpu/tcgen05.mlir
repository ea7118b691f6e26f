// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

%p3, %i64, %i32, %i1, %i16, %bar = "test.op"() : () -> (!llvm.ptr<3>, i64, i32, i1, i16, !nvgpu.mbarrier)
%v = "test.op"() : () -> vector<32xf32>
%t = nvgpu.tensor_memory.at %i32 : i32 -> !nvgpu.tensor_memory
%t1 = nvgpu.tensor_memory.at %i32 : i32 -> !nvgpu.tensor_memory<columns = 128>
nvgpu.tcgen05.alloc %p3 {columns = 128 : i32} : !llvm.ptr<3>
nvgpu.tcgen05.relinquish_alloc_permit
nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
nvgpu.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
nvgpu.tcgen05.commit %bar : !nvgpu.mbarrier
nvgpu.tcgen05.commit %bar multicast_mask = %i16 {group = #nvvm.cta_group<cta_2>} : !nvgpu.mbarrier
%l = nvgpu.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !nvgpu.tensor_memory -> vector<32xf32>
%l3, %m3 = nvgpu.tcgen05.ld.red %t {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !nvgpu.tensor_memory -> vector<32xf32>, f32
nvgpu.tcgen05.st %t, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !nvgpu.tensor_memory, vector<32xf32>
%d = nvgpu.tcgen05.generate.descriptor %p3 {leading_byte_offset = 16 : i64, stride_byte_offset = 1024 : i64, swizzle = "128B"} : !llvm.ptr<3> -> i64
nvgpu.tcgen05.cp %t, %i64 {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !nvgpu.tensor_memory, i64
nvgpu.tcgen05.shift %t : !nvgpu.tensor_memory
nvgpu.tcgen05.mma %t1, %d, %d, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"], k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64} : !nvgpu.tensor_memory<columns = 128>, i64
nvgpu.tcgen05.mma %t1, %t, %d, %i1 {kind = #nvvm.tcgen05_mma_kind<i8>, shape = #nvvm.shape<m = 256, n = 128, k = 32>, types = ["s32", "s8", "u8"], saturate, trans_b, group = #nvvm.cta_group<cta_2>} : !nvgpu.tensor_memory<columns = 128>, !nvgpu.tensor_memory
nvgpu.tcgen05.mma.block_scale %t1, %d, %d, %i1, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, shape = #nvvm.shape<m = 128, n = 128, k = 32>, types = ["f32", "e4m3", "e2m1"], k_steps = 4 : i32, scale_type = "ue8m0"} : !nvgpu.tensor_memory<columns = 128>, i64, !nvgpu.tensor_memory, !nvgpu.tensor_memory
nvgpu.tcgen05.dealloc %t {columns = 128 : i32} : !nvgpu.tensor_memory
nvgpu.cluster_launch.try_cancel %p3, %bar : !llvm.ptr<3>, !nvgpu.mbarrier
%p0 = "test.op"() : () -> !llvm.ptr
nvgpu.tma.async.load %p3[%i32, %i32], %bar, %p0 {group = #nvvm.cta_group<cta_2>, leader_barrier} : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
nvgpu.tma.gather4 %p3, %bar, %p0[%i32, %i32, %i32, %i32, %i32] : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
nvgpu.tma.scatter4 %p3, %p0[%i32, %i32, %i32, %i32, %i32] : !llvm.ptr<3>, !llvm.ptr
