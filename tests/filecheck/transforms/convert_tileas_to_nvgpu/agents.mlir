// RUN: tileiras-opt -p 'tileas-assign-dot-layouts{compute-capability=sm_90a},tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule,tileas-materialize-convert-layout,convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// Agents, rings of stages, and products of warpgroups, as the code of a thread.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view3 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view5 = !nv_tileaa.tiled_view<32x64, !memref0>
!tiled_view6 = !nv_tileaa.tiled_view<64x64, !memref1>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x128, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<128x128, !memref1>

gpu.module @m {
  // Two warpgroups multiply, a warp behind them loads. A stage is 16 KiB of each factor; its full barrier
  // expects one arrival, its empty one that of both warpgroups.
  // The descriptor of A has lines of 128 bytes and 1 KiB between groups of 8; that of B, whose columns
  // lie next to each other, has 8 KiB between boxes of 64 columns.
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 128>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 128>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<128x128xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<128x128xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<128x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x128xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<128x128xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @gemm(
  // CHECK: known_block_size = array<i32: 288, 1, 1>
  // CHECK: [[TWO:%.*]] = arith.constant 2 : i32
  // CHECK: [[LOADER:%.*]] = arith.constant 256 : i32
  // CHECK: [[WARPS:%.*]] = arith.constant 8 : i32
  // CHECK: [[TICKS:%.*]] = arith.constant 10000000 : i32
  // CHECK: [[TRUE:%.*]] = arith.constant true
  // CHECK: [[BYTES:%.*]] = arith.constant 32768 : i32
  // CHECK: [[DA:%.*]] = arith.constant 4611686293305360384 : i64
  // CHECK: [[DB:%.*]] = arith.constant 4611686293338849280 : i64
  // CHECK: nvgpu.mbarrier.init {{%.*}}, [[ONE:%.*]] : !nvgpu.mbarrier, i32
  // CHECK: nvgpu.mbarrier.init {{%.*}}, [[TWO]] : !nvgpu.mbarrier, i32
  // CHECK: nvgpu.mbarrier.init {{%.*}}, [[ONE]] : !nvgpu.mbarrier, i32
  // CHECK: nvgpu.mbarrier.init.fence
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK: [[IS:%.*]] = arith.cmpi ult, {{%.*}}, [[WARPS]] : i32
  // CHECK-NEXT: scf.if [[IS]] {
  // CHECK: scf.for {{.*}} iter_args([[S:%[0-9]+]] = {{[^,]+}}, [[STAGE:%[0-9]+]] = {{[^,]+}}, [[PARITY:%[0-9]+]] = {{[^,]+}}, [[OLD:%[0-9]+]] = {{[^,]+}}) -> (vector<64xf32>, i32, i32, i32)
  // CHECK: [[PHASE:%.*]] = arith.trunci [[PARITY]] : i32 to i1
  // CHECK-NEXT: scf.while
  // CHECK-NEXT: [[DONE:%.*]] = nvgpu.mbarrier.try_wait.parity [[FULL:%.*]], [[PHASE]], [[TICKS]]
  // CHECK-NEXT: [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
  // CHECK-NEXT: scf.condition([[AGAIN]])
  // CHECK: [[A:%.*]] = arith.ori {{%.*}}, [[DA]] : i64
  // CHECK: [[B:%.*]] = arith.ori {{%.*}}, [[DB]] : i64
  // CHECK-NEXT: nvgpu.warpgroup.fence
  // CHECK-NEXT: [[D:%.*]] = nvgpu.warpgroup.mma.async [[A]], [[B]], [[S]] {shape = #nvvm.shape<m = 64, n = 128, k = 16>, types = ["f32", "f16", "f16"], trans_b,
  // CHECK-NEXT: k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<64xf32>
  // CHECK-NEXT: nvgpu.warpgroup.commit
  // CHECK-NEXT: nvgpu.warpgroup.wait {groups = 1 : i32}
  // CHECK: scf.if
  // CHECK: arith.muli [[OLD]]
  // CHECK: nvgpu.mbarrier.arrive {{%.*}} : !nvgpu.mbarrier -> !nvgpu.mbarrier.token
  // CHECK: scf.yield [[D]], {{%.*}}, {{%.*}}, [[STAGE]]
  // CHECK: nvgpu.warpgroup.wait {{%.*}} {groups = 0 : i32} : vector<64xf32>
  // CHECK: nvgpu.mbarrier.arrive {{%.*}} : !nvgpu.mbarrier -> !nvgpu.mbarrier.token
  // CHECK: } else {
  // CHECK-NEXT: [[FIRST:%.*]] = arith.cmpi eq, {{%.*}}, [[LOADER]] : i32
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK: scf.for {{.*}} iter_args([[STAGE:%.*]] = {{%.*}}, [[PARITY:%.*]] = [[ONE]]) -> (i32, i32)
  // CHECK: [[PHASE:%.*]] = arith.trunci [[PARITY]] : i32 to i1
  // CHECK-NEXT: scf.while
  // CHECK-NEXT: [[DONE:%.*]] = nvgpu.mbarrier.try_wait.parity [[EMPTY:%.*]], [[PHASE]], [[TICKS]]
  // CHECK-NEXT: [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
  // CHECK-NEXT: scf.condition([[AGAIN]])
  // CHECK: nvgpu.mbarrier.arrive.expect_tx [[FULL:%.*]], [[BYTES]] : !nvgpu.mbarrier, i32
  // CHECK: nvgpu.tma.async.load {{%.*}}[{{%.*}}, {{%.*}}], [[FULL]], [[MAP:%.*]]
  // CHECK: nvgpu.tma.async.load {{%.*}}[{{%.*}}, [[ROW:%.*]]], [[FULL]], [[MAP1:%.*]]
  // CHECK: nvgpu.tma.async.load {{%.*}}[{{%.*}}, [[ROW]]], [[FULL]], [[MAP1]]
  // CHECK: gpu.return

  // The second product begins while the first one goes on: of these two, the first is waited for with
  // one behind it. Its left factor comes from registers.
  gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mq = nv_tileaa.make_memref %aq : !llvm.ptr<1> -> !memref0
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ak = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mk = nv_tileaa.make_memref %ak : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %mk {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view4
    %aw = nv_tileaa.assume %pw {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mw = nv_tileaa.make_memref %aw : !llvm.ptr<1> -> !memref0
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view5
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view6
    %c = arith.constant dense<0.0> : tensor<64x64xf32>
    %z = arith.constant dense<0.0> : tensor<64x32xf32>
    %q = nv_tileas.tiled_load %vq[%i, %zero] {} : !tiled_view3, i32, i32 -> tensor<64x64xf16>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x64xf32>) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {} : !tiled_view4, i32, i32 -> tensor<64x32xf16>
      %score = nv_tileas.dot %q, %key, %z {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      %h = nv_tileaa.fp_to_fp %score : tensor<64x32xf32> to tensor<64x32xf16>
      %value = nv_tileas.tiled_load %vw[%k, %zero] {} : !tiled_view5, i32, i32 -> tensor<32x64xf16>
      %d = nv_tileas.dot %h, %value, %s {} : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {} : tensor<64x64xf32>, !tiled_view6, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @attention(
  // CHECK: scf.for {{.*}}
  // CHECK-NEXT: iter_args([[S:%[0-9]+]] = {{[^,]+, [^,]+}}, [[H:%[0-9]+]] = 
  // CHECK: [[F:%.*]] = nvgpu.warpgroup.mma.async {{%.*}}, {{%.*}}, {{%.*}} {shape = #nvvm.shape<m = 64, n = 32, k = 16>,
  // CHECK-NEXT: scale_d = false, k_steps = 4 : i32, a_step = 2 : i64, b_step = 64 : i64}
  // CHECK-NEXT: nvgpu.warpgroup.commit
  // CHECK: [[G:%.*]] = nvgpu.warpgroup.mma.async [[H]], {{%.*}}, [[S]] {shape = #nvvm.shape<m = 64, n = 64, k = 16>, {{.*}}trans_b,
  // CHECK-NEXT: k_steps = 2 : i32, b_step = 128 : i64} : vector<16xf16>, i64, vector<32xf32>
  // CHECK-NEXT: nvgpu.warpgroup.commit
  // CHECK-NEXT: nvgpu.warpgroup.wait [[F]] {groups = 1 : i32} : vector<16xf32>
  // CHECK: nvgpu.mbarrier.arrive {{%.*}} : !nvgpu.mbarrier -> !nvgpu.mbarrier.token
  // CHECK: nvgpu.warpgroup.wait [[G]] {groups = 0 : i32} : vector<32xf32>
  // CHECK: nvgpu.mbarrier.arrive {{%.*}} : !nvgpu.mbarrier -> !nvgpu.mbarrier.token
  // CHECK: gpu.return
}
