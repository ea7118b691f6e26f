// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

!v4xf32 = vector<4xf32>
!ptr = !llvm.ptr
!ptr_1 = !llvm.ptr<1>
!ptr3 = !llvm.ptr<3>
%i1, %i16, %i32, %i64 = "test.op"() : () -> (i1, i16, i32, i64)
%f32, %v2f32, %v2f16, %v4f32, %v8f16 = "test.op"() : () -> (f32, vector<2xf32>, vector<2xf16>, !v4xf32, vector<8xf16>)
%p0, %p1, %p3, %p7 = "test.op"() : () -> (!ptr, !ptr_1, !ptr3, !llvm.ptr<7>)
%acc = "test.op"() : () -> !llvm.struct<(f32, f32)>

// Barriers of threads
nvvm.bar.sync.aligned %i32 : i32
nvvm.barrier0
nvvm.barrier
nvvm.barrier id = %i32
nvvm.barrier id = %i32 number_of_threads = %i32 {unaligned}
%b0 = nvvm.barrier id = %i32 reduction = and %i1 -> i1
%b1 = nvvm.barrier reduction = popc %i1 -> i32
nvvm.barrier.arrive id = %i32 number_of_threads = %i32
nvvm.bar.warp.sync %i32 : i32
nvvm.cluster.arrive {aligned}
nvvm.cluster.arrive.relaxed
nvvm.cluster.wait {aligned}

// Barriers in shared memory
nvvm.mbarrier.init.shared %p3, %i32 : !ptr3, i32
nvvm.mbarrier.inval.shared %p3 : !ptr3
%m0 = nvvm.mbarrier.arrive.shared %p3 : !ptr3 -> i64
%m1 = nvvm.mbarrier.arrive.nocomplete.shared %p3, %i32 : !ptr3, i32 -> i64
nvvm.mbarrier.arrive.expect_tx.shared %p3, %i32 : !ptr3, i32
nvvm.mbarrier.expect_tx.shared %p3, %i32 : !ptr3, i32
nvvm.mbarrier.arrive.shared.cluster %p7, %i32 {relaxed, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
nvvm.mbarrier.arrive.expect_tx.shared.cluster %p7, %i32 : !llvm.ptr<7>, i32
%m2 = nvvm.mbarrier.test.wait.shared %p3, %m0 : !ptr3, i64 -> i1
%m3 = nvvm.mbarrier.test.wait.parity.shared %p3, %i1 : !ptr3, i1 -> i1
%m4 = nvvm.mbarrier.try_wait.parity.shared %p3, %i1, %i32 : !ptr3, i1, i32 -> i1

// Fences
nvvm.fence.mbarrier.init
nvvm.fence.acq_rel {scope = #nvvm.mem_scope<gpu>}
nvvm.fence.sc {scope = #nvvm.mem_scope<sys>}
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
nvvm.fence.proxy.acquire %p0, %i32 {scope = #nvvm.mem_scope<gpu>} : !ptr, i32
nvvm.fence.proxy.release {scope = #nvvm.mem_scope<gpu>}
nvvm.fence.proxy.acquire.sync
nvvm.fence.proxy.acquire.sync %p0 : !ptr {scope = #nvvm.mem_scope<gpu>}
nvvm.tensormap.cp_fenceproxy %p1, %p3 {scope = #nvvm.mem_scope<gpu>} : !ptr_1, !ptr3
nvvm.tensormap.replace %p3, %i32 {field = #nvvm.tensormap_field<global_dim>, ord = 0 : i32} : !ptr3, i32
nvvm.tensormap.replace %p3, %i64 {field = #nvvm.tensormap_field<global_address>} : !ptr3, i64

// Copies
nvvm.cp.async.shared.global %p3, %p1, %i32 : !ptr3, !ptr_1, i32
nvvm.cp.async.shared.global %p3, %p1, %i32, %i32 {modifier = #nvvm<load_cache_modifier cg>} : !ptr3, !ptr_1, i32
nvvm.cp.async.commit.group
nvvm.cp.async.wait.group 0
nvvm.cp.async.wait.all
nvvm.cp.async.mbarrier.arrive.shared %p3 {noinc = true} : !ptr3
nvvm.cp.async.bulk.tensor.3d.shared.cluster.global.tile %p3, %p0, %i32, %i32, %i32, %p3, %i16, %i64 {multicastEnable, cacheHintEnable, mode = #nvvm.load_mode<tile>} : !ptr3, !ptr, i32, i32, i32, !ptr3, i16, i64
nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %p3, %p0, %i32, %p3, %i64 {cacheHintEnable, mode = #nvvm.load_mode<tile>} : !ptr3, !ptr, i32, !ptr3, i64
nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %p3, %p1, %i32, %i32, %p3, %i16 {multicastEnable, mode = #nvvm.load_mode<tile>} : !ptr3, !ptr_1, i32, i32, !ptr3, i16
nvvm.cp.async.bulk.tensor.4d.shared.cluster.global.tile %p3, %p0, %i32, %i32, %i32, %i32, %p3 {mode = #nvvm.load_mode<tile>} : !ptr3, !ptr, i32, i32, i32, i32, !ptr3
nvvm.cp.async.bulk.tensor.5d.shared.cluster.global.tile %p3, %p0, %i32, %i32, %i32, %i32, %i32, %p3 : !ptr3, !ptr, i32, i32, i32, i32, i32, !ptr3
nvvm.cp.async.bulk.tensor.1d.global.shared.cta.tile %p0, %i32, %p3 : !ptr, i32, !ptr3
nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %p0, %i32, %i32, %p3 : !ptr, i32, i32, !ptr3
nvvm.cp.async.bulk.tensor.3d.global.shared.cta.tile %p0, %i32, %i32, %i32, %p3 : !ptr, i32, i32, i32, !ptr3
nvvm.cp.async.bulk.tensor.4d.global.shared.cta.tile %p0, %i32, %i32, %i32, %i32, %p3, %i64 {cacheHintEnable} : !ptr, i32, i32, i32, i32, !ptr3, i64
nvvm.cp.async.bulk.tensor.5d.global.shared.cta.tile %p0, %i32, %i32, %i32, %i32, %i32, %p3 : !ptr, i32, i32, i32, i32, i32, !ptr3
nvvm.cp.async.bulk.tensor.reduce %p0, %i32, %i32, %p3, %i64 {red_op = #nvvm.tma_redux_kind<add>, cacheHintEnable} : !ptr, i32, i32, !ptr3, i64
nvvm.cp.async.bulk.tensor.prefetch %p0, %i32 : !ptr, i32
nvvm.cp.async.bulk.shared.cluster.global %p3, %p1, %p3, %i32, %i16 {multicastEnable} : !ptr3, !ptr_1, !ptr3, i32, i16
nvvm.cp.async.bulk.global.shared.cta %p1, %p3, %i32 : !ptr_1, !ptr3, i32
nvvm.cp.async.bulk.commit.group
nvvm.cp.async.bulk.wait_group 1
nvvm.cp.async.bulk.wait_group 0 {read}
nvvm.prefetch.tensormap %p0 : !ptr

// Matrices
nvvm.wgmma.fence.aligned
%w0 = nvvm.wgmma.mma_async %i64, %i64, %acc : i64, i64, !llvm.struct<(f32, f32)>
%w1 = nvvm.wgmma.mma_async %i64, %i64, %v4f32 {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"], trans_b, scale_d = false, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, !v4xf32
%w2 = nvvm.wgmma.mma_async %v8f16, %i64, %v4f32 : vector<8xf16>, i64, !v4xf32
nvvm.wgmma.commit.group.sync.aligned
nvvm.wgmma.wait.group.sync.aligned 0
%w3, %w4 = nvvm.wgmma.wait.group.sync.aligned 1, %w1, %w0 : !v4xf32, !llvm.struct<(f32, f32)>
nvvm.setmaxregister increase 240
nvvm.setmaxregister decrease 24
%x0 = nvvm.mma.sync A[%v8f16] B[%v2f16, %v2f16] C[%v4f32] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>} : (vector<8xf16>, vector<2xf16>, !v4xf32) -> !v4xf32
%x1 = nvvm.ldmatrix.sync %p3 {num = 4 : i32, trans = false} : !ptr3 -> !llvm.struct<(i32, i32, i32, i32)>
%x2 = nvvm.ldmatrix.sync %p3 {num = 1 : i32, trans = true} : !ptr3 -> i32
nvvm.stmatrix %p3, %i32, %i32 {layout = #nvvm.mma_layout<col>} : !ptr3, i32, i32

// Warps
%s0 = nvvm.shfl.sync bfly %i32, %f32, %i32, %i32 : f32 -> f32
%s1 = nvvm.shfl.sync idx %i32, %v4f32, %i32, %i32 : !v4xf32 -> !v4xf32
%s2 = nvvm.shfl.sync up %i32, %i32, %i32, %i32 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
%s3 = nvvm.vote.sync ballot %i32, %i1 -> i32
%s4 = nvvm.vote.sync any %i32, %i1 -> i1
%s5 = nvvm.redux.sync umax %i32, %i32 : i32 -> i32
%s6 = nvvm.redux.sync fmin %f32, %i32 {abs, nan} : f32 -> f32
%s7 = nvvm.match.sync any %i32, %i64 : i64 -> i32
%s8 = nvvm.match.sync all %i32, %i32 : i32 -> !llvm.struct<(i32, i1)>
%s9 = nvvm.elect.sync -> i1
%s10 = nvvm.elect.sync %i32 -> i1
%s11 = nvvm.activemask : i32
%s12 = nvvm.mapa %p3, %i32 : !ptr3 -> !llvm.ptr<7>
%s13 = nvvm.prmt %i32, %i32, %i32 : i32
nvvm.nanosleep %i32 : i32
nvvm.pmevent 1
%pm = nvvm.pmevent 1, %v4f32 : !v4xf32
%dep = nvvm.artificial_dependence %i32, %i32 : i32, i32
%word, %v1i32 = "test.op"() : () -> (!ptr3, vector<1xi32>)
%dep1 = nvvm.artificial_dependence %v1i32, %word : vector<1xi32>, !ptr3
nvvm.griddepcontrol.wait
nvvm.griddepcontrol.launch.dependents

// Arithmetic
%a0 = nvvm.ex2.approx.f %f32 {ftz} : f32
%a1 = nvvm.lg2.approx.f %v4f32 : !v4xf32
%a2 = nvvm.rsqrt.approx.f %f32 : f32
%a3 = nvvm.sqrt.approx.f %f32 : f32
%a4 = nvvm.sin.approx.f %f32 : f32
%a5 = nvvm.cos.approx.f %f32 : f32
%a6 = nvvm.tanh.approx.f %v2f16 : vector<2xf16>
%a7 = nvvm.div.approx.f %f32, %f32 {ftz} : f32
%a8 = nvvm.div.full.f %f32, %f32 : f32
%a9 = nvvm.rcp.approx.ftz.f %v2f32 : vector<2xf32>
%a10 = nvvm.sqrt.f %f32 {rnd = #nvvm.fp_rnd_mode<rz>, ftz} : f32
%a11 = nvvm.rcp.f %f32 {rnd = #nvvm.fp_rnd_mode<rn>} : f32
%a12 = nvvm.add.f %v4f32, %v4f32 {rnd = #nvvm.fp_rnd_mode<rm>} : !v4xf32
%a13 = nvvm.sub.f %f32, %f32 {rnd = #nvvm.fp_rnd_mode<rp>} : f32
%a14 = nvvm.mul.f %f32, %f32 {rnd = #nvvm.fp_rnd_mode<rn>, ftz} : f32
%a15 = nvvm.div.f %f32, %f32 {rnd = #nvvm.fp_rnd_mode<rz>} : f32
%a16 = nvvm.fma.f %f32, %f32, %f32 {rnd = #nvvm.fp_rnd_mode<rz>} : f32
%a17 = nvvm.cvt.fptrunc.x2 %v2f32 {rnd = #nvvm.fp_rnd_mode<rn>, relu} : vector<2xf32> to vector<2xf16>
%a18 = nvvm.cvt.fpext.x2 %v2f16 : vector<2xf16> to vector<2xf32>
%a19 = nvvm.convert.float.to.tf32 %f32 {rnd = #nvvm.fp_rnd_mode<rna>} : f32 -> i32
%a19b = nvvm.convert.float.to.tf32 %v4f32 {rnd = #nvvm.fp_rnd_mode<rn>} : !v4xf32 -> vector<4xi32>
%a20 = nvvm.fma.packed.f32x2 %v2f32, %v2f32, %v2f32 : vector<2xf32>
%a21 = nvvm.mul.packed.f32x2 %v2f32, %v2f32 {ftz} : vector<2xf32>

// Registers
%g0 = nvvm.read.ptx.sreg.tid.x : i32
%g1 = nvvm.read.ptx.sreg.tid.y : i32
%g2 = nvvm.read.ptx.sreg.tid.z : i32
%g3 = nvvm.read.ptx.sreg.ntid.x : i32
%g4 = nvvm.read.ptx.sreg.ntid.y : i32
%g5 = nvvm.read.ptx.sreg.ntid.z : i32
%g6 = nvvm.read.ptx.sreg.ctaid.x : i32
%g7 = nvvm.read.ptx.sreg.ctaid.y : i32
%g8 = nvvm.read.ptx.sreg.ctaid.z : i32
%g9 = nvvm.read.ptx.sreg.nctaid.x : i32
%g10 = nvvm.read.ptx.sreg.nctaid.y : i32
%g11 = nvvm.read.ptx.sreg.nctaid.z : i32
%g12 = nvvm.read.ptx.sreg.clusterid.x : i32
%g13 = nvvm.read.ptx.sreg.clusterid.y : i32
%g14 = nvvm.read.ptx.sreg.clusterid.z : i32
%g15 = nvvm.read.ptx.sreg.nclusterid.x : i32
%g16 = nvvm.read.ptx.sreg.nclusterid.y : i32
%g17 = nvvm.read.ptx.sreg.nclusterid.z : i32
%g18 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
%g19 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
%g20 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
%g21 = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
%g22 = nvvm.read.ptx.sreg.cluster.nctaid.y : i32
%g23 = nvvm.read.ptx.sreg.cluster.nctaid.z : i32
%g24 = nvvm.read.ptx.sreg.warpsize : i32
%g25 = nvvm.read.ptx.sreg.laneid : i32
%g26 = nvvm.read.ptx.sreg.warpid : i32
%g27 = nvvm.read.ptx.sreg.nwarpid : i32
%g28 = nvvm.read.ptx.sreg.smid : i32
%g29 = nvvm.read.ptx.sreg.nsmid : i32
%g30 = nvvm.read.ptx.sreg.cluster.ctarank : i32
%g31 = nvvm.read.ptx.sreg.cluster.nctarank : i32
%g32 = nvvm.read.ptx.sreg.lanemask.eq : i32
%g33 = nvvm.read.ptx.sreg.lanemask.le : i32
%g34 = nvvm.read.ptx.sreg.lanemask.lt : i32
%g35 = nvvm.read.ptx.sreg.lanemask.ge : i32
%g36 = nvvm.read.ptx.sreg.lanemask.gt : i32
%g37 = nvvm.read.ptx.sreg.dynamic_smem_size : i32
%g38 = nvvm.read.ptx.sreg.total_smem_size : i32
%g39 = nvvm.read.ptx.sreg.clock : i32
%g40 = nvvm.read.ptx.sreg.clock64 : i64
%g41 = nvvm.read.ptx.sreg.globaltimer : i64
%g42 = nvvm.read.ptx.sreg.globaltimer.lo : i32

// Fragments
%fa, %fs, %fm = "test.op"() : () -> (vector<2x!llvm.ptr<1>>, vector<2x!llvm.ptr<3>>, vector<2xi1>)
%fv, %fi, %fb = "test.op"() : () -> (vector<8xf32>, vector<2xi32>, vector<4xi8>)
%fh, %fq, %fc = "test.op"() : () -> (vector<8xf16>, vector<4xf16>, !v4xf32)
%h0 = nvvm.fragment.load %fa mask(%fm : vector<2xi1>) other(%fv : vector<8xf32>) {alignment = 16 : i64} : vector<2x!llvm.ptr<1>> -> vector<8xf32>
%h1 = nvvm.fragment.load %fa {semantic = "acquire", scope = "gpu"} : vector<2x!llvm.ptr<1>> -> vector<2xi32>
nvvm.fragment.store %fv, %fa mask(%fm : vector<2xi1>) {alignment = 16 : i64} : vector<8xf32>, vector<2x!llvm.ptr<1>>
%h2 = nvvm.fragment.atomicrmw %fi, %fa mask(%fm : vector<2xi1>) {bin_op = "umax", semantic = "acq_rel", scope = "sys"} : vector<2xi32>, vector<2x!llvm.ptr<1>> -> vector<2xi32>
nvvm.fragment.atomicrmw %fi, %fa {bin_op = "xor", semantic = "release", scope = "cta"} : vector<2xi32>, vector<2x!llvm.ptr<1>>
%h3 = nvvm.fragment.cmpxchg %fi, %fi, %fa mask(%fm : vector<2xi1>) {semantic = "acquire", scope = "gpu"} : vector<2xi32>, vector<2x!llvm.ptr<1>>
%h4 = nvvm.fragment.fptrunc %fc as f8E4M3FN : !v4xf32 to vector<4xi8>
%h5 = nvvm.fragment.fpext %fb as f8E4M3FN : vector<4xi8> to vector<4xf16>
%h6 = nvvm.fragment.mma %fh, %fq, %fc {shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<f16>, type_b = #nvvm.mma_type<f16>} : vector<8xf16>, vector<4xf16>, !v4xf32
%sa, %sb, %ss = "test.op"() : () -> (vector<16xi8>, vector<8xi8>, vector<4xi8>)
%sm = nvvm.fragment.scaled_mma %sa, %sb, %fc, %ss, %ss {first = 3 : i64, kind = "mxf8f6f4", scale_type = #nvvm.mma_type<ue8m0>, scales = 1 : i64, shape = #nvvm.shape<m = 16, n = 8, k = 32>, steps = 4 : i64, tiles = array<i64: 1, 1, 1, 1>, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e5m2>} : vector<16xi8>, vector<8xi8>, !v4xf32, vector<4xi8>, vector<4xi8>
%h7 = nvvm.fragment.ldmatrix %fs {num = 2 : i64, trans} : vector<2x!llvm.ptr<3>> -> vector<8xf16>
nvvm.fragment.stmatrix %h7, %fs {num = 2 : i64, trans} : vector<8xf16>, vector<2x!llvm.ptr<3>>
nvvm.fragment.cp_async %fs, %fa mask(%fm : vector<2xi1>) {bytes = 16 : i64} : vector<2x!llvm.ptr<3>>, vector<2x!llvm.ptr<1>>
