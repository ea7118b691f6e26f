// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

%p3, %p6, %i64, %i32, %i1, %i16, %i128 = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr<6>, i64, i32, i1, i16, i128)
%v, %v8f16, %v4i32 = "test.op"() : () -> (vector<32xf32>, vector<8xf16>, vector<4xi32>)
nvvm.tcgen05.alloc %p3, %i32 : !llvm.ptr<3>, i32
nvvm.tcgen05.alloc %p3, %i32 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
nvvm.tcgen05.relinquish_alloc_permit
nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
nvvm.tcgen05.commit %p3 : !llvm.ptr<3>
nvvm.tcgen05.commit %p3 multicast_mask = %i16 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>
%l = nvvm.tcgen05.ld %p6 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<32xf32>
%l1 = nvvm.tcgen05.ld %p6 {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>, offset = 64 : i32} : !llvm.ptr<6> -> vector<64xi32>
%l2 = nvvm.tcgen05.ld %p6 {pack, shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : !llvm.ptr<6> -> vector<8xf16>
%l3, %m3 = nvvm.tcgen05.ld.red %p6 {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<32xf32>, f32
nvvm.tcgen05.st %p6, %v {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6>, vector<32xf32>
nvvm.tcgen05.cp %p6, %i64 {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !llvm.ptr<6>, i64
nvvm.tcgen05.shift %p6 : !llvm.ptr<6>
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64} : !llvm.ptr<6>, i64
nvvm.tcgen05.mma %p6, %p6, %i64, %i32, %i1 mask = %v4i32 : vector<4xi32> {kind = #nvvm.tcgen05_mma_kind<f16>, scale_input_d = 3 : i32, collector_op = #nvvm.tcgen05_mma_collectorop<fill>} : !llvm.ptr<6>, !llvm.ptr<6>
nvvm.tcgen05.mma.block_scale %p6, %i64, %i64, %i32, %i1, %p6, %p6 {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>} : !llvm.ptr<6>, i64
nvvm.tcgen05.dealloc %p6, %i32 : !llvm.ptr<6>, i32
nvvm.clusterlaunchcontrol.try.cancel %p3, %p3 {multicast} : !llvm.ptr<3>, !llvm.ptr<3>
%q = nvvm.clusterlaunchcontrol.query.cancel %i128 {query = #nvvm.clc_query_type<is_canceled>} : i128 -> i1
%p0 = "test.op"() : () -> !llvm.ptr
nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %p3, %p0, %i32, %i32, %p3 {group = #nvvm.cta_group<cta_2>, leader_barrier} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4 %p3, %p0, %i32, %i32, %i32, %i32, %i32, %p3 : !llvm.ptr<3>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %p0, %i32, %i32, %i32, %i32, %i32, %p3 : !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
