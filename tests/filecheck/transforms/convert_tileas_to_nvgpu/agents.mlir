// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// Agents, multi-stage buffers, and products of warpgroups, as the code of a thread.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x128, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<128x128, !memref1>
#swizzled0 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]>
#swizzled1 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64]]>
!pipeline0 = !nv_tileas.pipeline<tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>>
!producer0 = !nv_tileas.iterator<producer, tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>>
!consumer0 = !nv_tileas.iterator<consumer, tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
!tiled_view3 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view5 = !nv_tileaa.tiled_view<32x64, !memref0>
!tiled_view6 = !nv_tileaa.tiled_view<64x64, !memref1>
#swizzled2 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
!pipeline1 = !nv_tileas.pipeline<tensor<64x64xf16, #swizzled2>>
#swizzled3 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
!pipeline2 = !nv_tileas.pipeline<tensor<64x32xf16, #swizzled3>>
#swizzled4 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]]>
!pipeline3 = !nv_tileas.pipeline<tensor<32x64xf16, #swizzled4>>
!producer1 = !nv_tileas.iterator<producer, tensor<64x64xf16, #swizzled2>>
!producer2 = !nv_tileas.iterator<producer, tensor<64x32xf16, #swizzled3>>
!producer3 = !nv_tileas.iterator<producer, tensor<32x64xf16, #swizzled4>>
!consumer1 = !nv_tileas.iterator<consumer, tensor<64x64xf16, #swizzled2>>
!consumer2 = !nv_tileas.iterator<consumer, tensor<64x32xf16, #swizzled3>>
!consumer3 = !nv_tileas.iterator<consumer, tensor<32x64xf16, #swizzled4>>
#mma2 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#mma3 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!async = !nv_tileas.async<tensor<128x128xf32, #mma0>>
!t64x32xf16_swizzled3 = tensor<64x32xf16, #swizzled3>
!t32x64xf16_swizzled4 = tensor<32x64xf16, #swizzled4>
!t64x64xf32_mma2 = tensor<64x64xf32, #mma2>
!async_a = !nv_tileas.async<tensor<64x32xf32, #mma3>>
!async_b = !nv_tileas.async<tensor<64x64xf32, #mma2>>

gpu.module @m {
  // Two warpgroups multiply, a warp behind them loads. A stage is 16 KiB of each operand; its full barrier
  // expects one arrival, its empty one that of both warpgroups.
  // The descriptor of A has lines of 128 bytes and 1 KiB between groups of 8; that of B, whose columns
  // lie next to each other, has 8 KiB between TMA tiles of 64 columns. Both are computed before the stage is
  // waited for. All threads of the warp that loads compute where tiles are, and an elected one issues loads.
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
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
    %0 = nv_tileas.async.pipeline.create_pipeline {numStages = 5 : i32} : !pipeline0
    %1 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline0 -> !producer0
    %2 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline0 -> !consumer0
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 8>, warp_id = array<i32: 8, 0>} {
      %3 = scf.for %k = %zero to %n step %one iter_args(%4 = %1) -> (!producer0) : i32 {
        %5 = nv_tileas.async.pipeline.producer_acquire %0[%4] : !pipeline0, !producer0
        %6 = nv_tileas.async.pipeline.producer_write %0, %5 : !pipeline0 {
          %7 = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, atom = #nv_tileas.atom<tma_load>} : !tiled_view0,
              i32, i32 -> tensor<128x64xf16, #swizzled0>
          %8 = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, atom = #nv_tileas.atom<tma_load>} : !tiled_view1,
              i32, i32 -> tensor<64x128xf16, #swizzled1>
          nv_tileas.async.pipeline.yield %7, %8 : tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>
        }
        nv_tileas.async.pipeline.producer_commit %0, %6 : !pipeline0
        %9 = nv_tileas.async.pipeline.inc_iter %4 : !producer0
        scf.yield %9 : !producer0
      }
      nv_tileas.async.pipeline.yield
    } {
      %c = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #mma0>
      %10 = nv_tileas.async.to_async %c : tensor<128x128xf32, #mma0> -> !async
      %11 = nv_tileas.async.pipeline.create_null_token : !nv_tileas.consumer_token
      %r, %12, %13 = scf.for %k_1 = %zero to %n step %one iter_args(%s = %10, %14 = %2, %15 = %11)
          -> (!async, !consumer0, !nv_tileas.consumer_token) : i32 {
        %16 = nv_tileas.async.pipeline.consumer_wait %0[%14] : !pipeline0, !consumer0
        %17, %18, %19 = nv_tileas.async.pipeline.consumer_read %0, %16 : !pipeline0 -> !nv_tileas.consumer_token, tensor<128x64xf16, #swizzled0>,
            tensor<64x128xf16, #swizzled1> {
        ^bb0(%20: tensor<128x64xf16, #swizzled0>, %21: tensor<64x128xf16, #swizzled1>):
          nv_tileas.async.pipeline.yield %20, %21 : tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>
        }
        %22 = nv_tileas.async.pipeline.inc_iter %14 : !consumer0
        %23 = nv_tileas.async.dot %18, %19, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
            : tensor<128x64xf16, #swizzled0>, tensor<64x128xf16, #swizzled1>, !async
            -> !async
        %24 = nv_tileas.async.future_wait %s : !async -> tensor<128x128xf32, #mma0>
        nv_tileas.async.pipeline.consumer_release %0, %15 : !pipeline0
        scf.yield %23, %22, %17 : !async, !consumer0, !nv_tileas.consumer_token
      }
      %r_1 = nv_tileas.async.future_wait %r : !async -> tensor<128x128xf32, #mma0>
      nv_tileas.async.pipeline.consumer_release %0, %13 : !pipeline0
      nv_tileas.tiled_store %r_1, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x128xf32, #mma0>, !tiled_view2, i32, i32
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @gemm(
  // CHECK-SAME: known_block_size = array<i32: 288, 1, 1>
  // CHECK: [[TWO:%.*]] = arith.constant 2 : i32
  // CHECK: [[WARPS:%.*]] = arith.constant 8 : i32
  // CHECK: [[TICKS:%.*]] = arith.constant 10000000 : i32
  // CHECK: [[TRUE:%.*]] = arith.constant true
  // CHECK: [[BYTES:%.*]] = arith.constant 32768 : i32
  // CHECK: [[DA:%.*]] = arith.constant 4611686293305360384 : i64
  // CHECK: [[DB:%.*]] = arith.constant 4611686293338849280 : i64
  // CHECK: nvvm.mbarrier.init.shared {{%.*}}, [[ONE:%.*]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init.shared {{%.*}}, [[TWO]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init.shared {{%.*}}, [[ONE]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK: [[IS:%.*]] = arith.cmpi ult, {{%.*}}, [[WARPS]] : i32
  // CHECK-NEXT: scf.if [[IS]] {
  // CHECK: scf.for {{.*}} iter_args([[S:%[0-9]+]] = {{[^,]+}}, [[STAGE:%[0-9]+]] = {{[^,]+}}, [[PARITY:%[0-9]+]] = {{[^,]+}}, [[OLD:%[0-9]+]] = {{[^,]+}}) -> (vector<64xf32>, i32, i32, i32)
  // CHECK: [[PHASE:%.*]] = arith.trunci [[PARITY]] : i32 to i1
  // CHECK: scf.while
  // CHECK-NEXT: [[DONE:%.*]] = nvvm.mbarrier.try_wait.parity.shared [[FULL:%.*]], [[PHASE]], [[TICKS]]
  // CHECK-NEXT: [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
  // CHECK-NEXT: scf.condition([[AGAIN]])
  // CHECK: [[FA:%.*]] = arith.ori {{%.*}}, [[DA]] : i64
  // CHECK: [[A:%.*]] = arith.addi [[FA]], {{%.*}} : i64
  // CHECK: [[FB:%.*]] = arith.ori {{%.*}}, [[DB]] : i64
  // CHECK: [[B:%.*]] = arith.addi [[FB]], {{%.*}} : i64
  // CHECK-NEXT: nvvm.wgmma.fence.aligned
  // CHECK-NEXT: [[D:%.*]] = nvvm.wgmma.mma_async [[A]], [[B]], [[S]] {shape = #nvvm.shape<m = 64, n = 128, k = 16>, types = ["f32", "f16", "f16"], trans_b,
  // CHECK-SAME: k_steps = 4 : i32, a_step = 2 : i32, b_step = 128 : i32} : i64, i64, vector<64xf32>
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: scf.if
  // CHECK: arith.muli [[OLD]]
  // CHECK: nvvm.mbarrier.arrive.shared {{%.*}} : !llvm.ptr<3> -> i64
  // CHECK: scf.yield [[D]], {{%.*}}, {{%.*}}, [[STAGE]]
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0, {{%.*}} : vector<64xf32>
  // CHECK: nvvm.mbarrier.arrive.shared {{%.*}} : !llvm.ptr<3> -> i64
  // CHECK: } else {
  // CHECK-NEXT: [[FIRST:%.*]] = arith.cmpi eq, {{%.*}}, {{%.*}} : i32
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK: scf.for {{.*}} iter_args([[STAGE:%.*]] = {{%.*}}, [[PARITY:%.*]] = [[ONE]]) -> (i32, i32)
  // CHECK: [[PHASE:%.*]] = arith.trunci [[PARITY]] : i32 to i1
  // CHECK: scf.while
  // CHECK-NEXT: [[DONE:%.*]] = nvvm.mbarrier.try_wait.parity.shared [[EMPTY:%.*]], [[PHASE]], [[TICKS]]
  // CHECK-NEXT: [[AGAIN:%.*]] = arith.xori [[DONE]], [[TRUE]] : i1
  // CHECK-NEXT: scf.condition([[AGAIN]])
  // CHECK: nvvm.mbarrier.arrive.expect_tx.shared [[FULL:%.*]], [[BYTES]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile {{%.*}}, [[MAP:%.*]], {{%.*}}, {{%.*}}, [[FULL]] {
  // CHECK: nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile {{%.*}}, [[MAP1:%.*]], {{%.*}}, [[ROW:%.*]], [[FULL]] {
  // CHECK: nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile {{%.*}}, [[MAP1]], {{%.*}}, [[ROW]], [[FULL]] {
  // CHECK: gpu.return

  // The second product begins while the first one goes on: of these two, the first is waited for with
  // one behind it. Its operand A comes from registers.
  gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %0 = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32} : !pipeline1
    %1 = nv_tileas.async.pipeline.create_pipeline {numStages = 12 : i32} : !pipeline2
    %2 = nv_tileas.async.pipeline.create_pipeline {numStages = 12 : i32} : !pipeline3
    %3 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline1 -> !producer1
    %4 = nv_tileas.async.pipeline.create_iterator %1 : !pipeline2 -> !producer2
    %5 = nv_tileas.async.pipeline.create_iterator %2 : !pipeline3 -> !producer3
    %6 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline1 -> !consumer1
    %7 = nv_tileas.async.pipeline.create_iterator %1 : !pipeline2 -> !consumer2
    %8 = nv_tileas.async.pipeline.create_iterator %2 : !pipeline3 -> !consumer3
    %9 = arith.cmpi slt, %zero, %n : i32
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
      %10 = nv_tileas.async.pipeline.producer_acquire %0[%3] : !pipeline1, !producer1
      %11 = nv_tileas.async.pipeline.producer_write %0, %10 : !pipeline1 {
        %12 = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>,
            atom = #nv_tileas.atom<tma_load>} : !tiled_view3, i32, i32 -> tensor<64x64xf16, #swizzled2>
        nv_tileas.async.pipeline.yield %12 : tensor<64x64xf16, #swizzled2>
      }
      nv_tileas.async.pipeline.producer_commit %0, %11 : !pipeline1
      %13, %14 = scf.if %9 -> (!producer2, !producer3) {
        %15 = nv_tileas.async.pipeline.producer_acquire %1[%4] : !pipeline2, !producer2
        %16 = nv_tileas.async.pipeline.producer_write %1, %15 : !pipeline2 {
          %17 = nv_tileas.tiled_load %vk[%zero, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: true, false>,
              atom = #nv_tileas.atom<tma_load>} : !tiled_view4, i32, i32 -> !t64x32xf16_swizzled3
          nv_tileas.async.pipeline.yield %17 : !t64x32xf16_swizzled3
        }
        nv_tileas.async.pipeline.producer_commit %1, %16 : !pipeline2
        %18 = nv_tileas.async.pipeline.inc_iter %4 : !producer2
        %19 = arith.subi %n, %one : i32
        %20, %21, %22 = scf.for %23 = %zero to %19 step %one iter_args(%24 = %zero, %25 = %18, %26 = %5) -> (i32, !producer2, !producer3) : i32 {
          %27 = arith.addi %23, %one : i32
          %28 = nv_tileas.async.pipeline.producer_acquire %1[%25] : !pipeline2, !producer2
          %29 = nv_tileas.async.pipeline.producer_write %1, %28 : !pipeline2 {
            %30 = nv_tileas.tiled_load %vk[%zero, %27] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: true, false>,
                atom = #nv_tileas.atom<tma_load>} : !tiled_view4, i32, i32 -> !t64x32xf16_swizzled3
            nv_tileas.async.pipeline.yield %30 : !t64x32xf16_swizzled3
          }
          nv_tileas.async.pipeline.producer_commit %1, %29 : !pipeline2
          %31 = nv_tileas.async.pipeline.inc_iter %25 : !producer2
          %32 = nv_tileas.async.pipeline.producer_acquire %2[%26] : !pipeline3, !producer3
          %33 = nv_tileas.async.pipeline.producer_write %2, %32 : !pipeline3 {
            %34 = nv_tileas.tiled_load %vw[%24, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>,
                atom = #nv_tileas.atom<tma_load>} : !tiled_view5, i32, i32 -> !t32x64xf16_swizzled4
            nv_tileas.async.pipeline.yield %34 : !t32x64xf16_swizzled4
          }
          nv_tileas.async.pipeline.producer_commit %2, %33 : !pipeline3
          %35 = nv_tileas.async.pipeline.inc_iter %26 : !producer3
          scf.yield %27, %31, %35 : i32, !producer2, !producer3
        }
        %36 = nv_tileas.async.pipeline.producer_acquire %2[%22] : !pipeline3, !producer3
        %37 = nv_tileas.async.pipeline.producer_write %2, %36 : !pipeline3 {
          %38 = nv_tileas.tiled_load %vw[%20, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>,
              atom = #nv_tileas.atom<tma_load>} : !tiled_view5, i32, i32 -> !t32x64xf16_swizzled4
          nv_tileas.async.pipeline.yield %38 : !t32x64xf16_swizzled4
        }
        nv_tileas.async.pipeline.producer_commit %2, %37 : !pipeline3
        %39 = nv_tileas.async.pipeline.inc_iter %22 : !producer3
        scf.yield %21, %39 : !producer2, !producer3
      } else {
        scf.yield %4, %5 : !producer2, !producer3
      }
      nv_tileas.async.pipeline.yield
    } {
      %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma2>
      %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma3>
      %40 = nv_tileas.async.pipeline.consumer_wait %0[%6] : !pipeline1, !consumer1
      %41, %42 = nv_tileas.async.pipeline.consumer_read %0, %40 : !pipeline1 -> !nv_tileas.consumer_token, tensor<64x64xf16, #swizzled2> {
      ^bb0(%43: tensor<64x64xf16, #swizzled2>):
        nv_tileas.async.pipeline.yield %43 : tensor<64x64xf16, #swizzled2>
      }
      %r, %44, %45 = scf.if %9 -> (!t64x64xf32_mma2, !consumer2, !consumer3) {
        %46 = nv_tileas.async.pipeline.consumer_wait %1[%7] : !pipeline2, !consumer2
        %47, %48 = nv_tileas.async.pipeline.consumer_read %1, %46 : !pipeline2 -> !nv_tileas.consumer_token, !t64x32xf16_swizzled3 {
        ^bb0(%49: !t64x32xf16_swizzled3):
          nv_tileas.async.pipeline.yield %49 : !t64x32xf16_swizzled3
        }
        %50 = nv_tileas.async.pipeline.inc_iter %7 : !consumer2
        %51 = nv_tileas.async.dot %42, %48, %z {nv_tileas.layout = #mma3, nv_tileas.layout_a = #mma2, atom = #nv_tileas.atom<mma.sm90>}
            : tensor<64x64xf16, #swizzled2>, !t64x32xf16_swizzled3, tensor<64x32xf32, #mma3> -> !async_a
        %score = nv_tileas.async.future_wait %51 : !async_a -> tensor<64x32xf32, #mma3>
        nv_tileas.async.pipeline.consumer_release %1, %47 : !pipeline2
        %h = nv_tileaa.fp_to_fp %score : tensor<64x32xf32, #mma3> to tensor<64x32xf16, #mma3>
        %52 = arith.subi %n, %one : i32
        %53, %54, %55, %56, %57 = scf.for %58 = %zero to %52 step %one iter_args(%59 = %c, %60 = %zero, %61 = %h, %62 = %50, %63 = %8)
            -> (!t64x64xf32_mma2, i32, tensor<64x32xf16, #mma3>, !consumer2, !consumer3) : i32 {
          %64 = arith.addi %58, %one : i32
          %65 = nv_tileas.async.pipeline.consumer_wait %1[%62] : !pipeline2, !consumer2
          %66, %67 = nv_tileas.async.pipeline.consumer_read %1, %65 : !pipeline2 -> !nv_tileas.consumer_token, !t64x32xf16_swizzled3 {
          ^bb0(%68: !t64x32xf16_swizzled3):
            nv_tileas.async.pipeline.yield %68 : !t64x32xf16_swizzled3
          }
          %69 = nv_tileas.async.pipeline.inc_iter %62 : !consumer2
          %70 = nv_tileas.async.dot %42, %67, %z {nv_tileas.layout = #mma3, nv_tileas.layout_a = #mma2, atom = #nv_tileas.atom<mma.sm90>}
              : tensor<64x64xf16, #swizzled2>, !t64x32xf16_swizzled3, tensor<64x32xf32, #mma3> -> !async_a
          %71 = nv_tileas.async.pipeline.consumer_wait %2[%63] : !pipeline3, !consumer3
          %72, %73 = nv_tileas.async.pipeline.consumer_read %2, %71 : !pipeline3 -> !nv_tileas.consumer_token, !t32x64xf16_swizzled4 {
          ^bb0(%74: !t32x64xf16_swizzled4):
            nv_tileas.async.pipeline.yield %74 : !t32x64xf16_swizzled4
          }
          %75 = nv_tileas.async.pipeline.inc_iter %63 : !consumer3
          %76 = nv_tileas.async.dot %61, %73, %59 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>}
              : tensor<64x32xf16, #mma3>, !t32x64xf16_swizzled4, !t64x64xf32_mma2 -> !async_b
          %score_1 = nv_tileas.async.future_wait %70 : !async_a -> tensor<64x32xf32, #mma3>
          nv_tileas.async.pipeline.consumer_release %1, %66 : !pipeline2
          %d = nv_tileas.async.future_wait %76 : !async_b -> !t64x64xf32_mma2
          nv_tileas.async.pipeline.consumer_release %2, %72 : !pipeline3
          %h_1 = nv_tileaa.fp_to_fp %score_1 : tensor<64x32xf32, #mma3> to tensor<64x32xf16, #mma3>
          scf.yield %d, %64, %h_1, %69, %75 : !t64x64xf32_mma2, i32, tensor<64x32xf16, #mma3>, !consumer2, !consumer3
        }
        %77 = nv_tileas.async.pipeline.consumer_wait %2[%57] : !pipeline3, !consumer3
        %78, %79 = nv_tileas.async.pipeline.consumer_read %2, %77 : !pipeline3 -> !nv_tileas.consumer_token, !t32x64xf16_swizzled4 {
        ^bb0(%80: !t32x64xf16_swizzled4):
          nv_tileas.async.pipeline.yield %80 : !t32x64xf16_swizzled4
        }
        %81 = nv_tileas.async.pipeline.inc_iter %57 : !consumer3
        %82 = nv_tileas.async.dot %55, %79, %53 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>}
            : tensor<64x32xf16, #mma3>, !t32x64xf16_swizzled4, !t64x64xf32_mma2 -> !async_b
        %d_1 = nv_tileas.async.future_wait %82 : !async_b -> !t64x64xf32_mma2
        nv_tileas.async.pipeline.consumer_release %2, %78 : !pipeline3
        scf.yield %d_1, %56, %81 : !t64x64xf32_mma2, !consumer2, !consumer3
      } else {
        scf.yield %c, %7, %8 : !t64x64xf32_mma2, !consumer2, !consumer3
      }
      nv_tileas.async.pipeline.consumer_release %0, %41 : !pipeline1
      nv_tileas.tiled_store %r, %vo[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma2, !tiled_view6, i32, i32
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @attention(
  // CHECK: scf.for {{.*}}iter_args([[S:%[0-9]+]] = {{[^,]+, [^,]+}}, [[H:%[0-9]+]] = 
  // CHECK: [[F:%.*]] = nvvm.wgmma.mma_async {{%.*}}, {{%.*}}, {{%.*}} {shape = #nvvm.shape<m = 64, n = 32, k = 16>,
  // CHECK-SAME: scale_d = false, k_steps = 4 : i32, a_step = 2 : i32, b_step = 64 : i32}
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: [[G:%.*]] = nvvm.wgmma.mma_async [[H]], {{%.*}}, [[S]] {shape = #nvvm.shape<m = 64, n = 64, k = 16>, {{.*}}trans_b,
  // CHECK-SAME: k_steps = 2 : i32, b_step = 128 : i32} : vector<16xf16>, i64, vector<32xf32>
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1, [[F]] : vector<16xf32>
  // CHECK: nvvm.mbarrier.arrive.shared {{%.*}} : !llvm.ptr<3> -> i64
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0, [[G]] : vector<32xf32>
  // CHECK: nvvm.mbarrier.arrive.shared {{%.*}} : !llvm.ptr<3> -> i64
  // CHECK: gpu.return
}
