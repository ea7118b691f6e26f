// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// An agent that loads and one that does all the rest, with multi-stage buffers between them.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!tiled_view3 = !nv_tileaa.tiled_view<32x64, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x64, !memref1>
#blocked2 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
!t64x32xf32_mma0 = tensor<64x32xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>
!t64x64xf32_mma1 = tensor<64x64xf32, #mma1>
!memref2 = !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
!memref3 = !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1, 1024]>
!tiled_view5 = !nv_tileaa.tiled_view<64x64, !memref2>
!tiled_view6 = !nv_tileaa.tiled_view<64x32, !memref3>
#blocked3 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#blocked4 = #nv_tileas.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>

gpu.module @m {
  // The product of an iteration goes on while the next one begins; its stage is given back behind it.
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK: #swizzled0 = #nv_tileas.shared<
  // CHECK-NEXT: #swizzled1 = #nv_tileas.shared<
  // CHECK-NEXT: !pipeline0 = !nv_tileas.pipeline<tensor<64x64xf16, #swizzled0>, tensor<64x32xf16, #swizzled1>>
  // CHECK: !producer0 = !nv_tileas.iterator<producer, tensor<64x64xf16, #swizzled0>, tensor<64x32xf16, #swizzled1>>
  // CHECK-NEXT: !consumer0 = !nv_tileas.iterator<consumer, tensor<64x64xf16, #swizzled0>, tensor<64x32xf16, #swizzled1>>
  // CHECK-LABEL: gpu.func @gemm({{.*}} attributes {nv_tileas.num_warps = 4 : i32} {
  // CHECK: [[P:%.*]] = nv_tileas.async.pipeline.create_pipeline {{.*}} : !pipeline0
  // CHECK-NEXT: [[IN:%.*]] = nv_tileas.async.pipeline.create_iterator [[P]]
  // CHECK-NEXT: [[OUT:%.*]] = nv_tileas.async.pipeline.create_iterator [[P]]
  // CHECK-NEXT: nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>
  // CHECK-NEXT: scf.for %k = %zero to %n step %one iter_args([[I:%.*]] = [[IN]])
  // CHECK-NEXT: [[E:%.*]] = nv_tileas.async.pipeline.producer_acquire [[P]]{{\[}}[[I]]]
  // CHECK-NEXT: [[F:%.*]] = nv_tileas.async.pipeline.producer_write [[P]], [[E]]
  // CHECK-NEXT: [[X:%.*]] = nv_tileas.tiled_load %va[%i, %k] {{.*}}atom = #nv_tileas.atom<tma_load>
  // CHECK-SAME: i32, i32 -> [[tensor:tensor<64x64xf16, #swizzled0>]]
  // CHECK-NEXT: [[Y:%.*]] = nv_tileas.tiled_load %vb[%k, %i] {{.*}}atom = #nv_tileas.atom<tma_load>
  // CHECK-SAME: i32, i32 -> tensor<64x32xf16, #swizzled1>
  // CHECK-NEXT: nv_tileas.async.pipeline.yield [[X]], [[Y]]
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.async.pipeline.producer_commit [[P]], [[F]]
  // CHECK-NEXT: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK-NEXT: scf.yield [[J]]
  // CHECK: } {
  // CHECK: [[C:%.*]] = nv_tileas.async.to_async %c
  // CHECK-NEXT: [[NONE:%.*]] = nv_tileas.async.pipeline.create_null_token
  // CHECK-NEXT: [[R:%.*]], {{%.*}}, [[LAST:%.*]] = scf.for {{.*}} iter_args([[S:%.*]] = [[C]], [[I:%.*]] = [[OUT]], [[OLD:%.*]] = [[NONE]])
  // CHECK-SAME: -> ([[async:!nv_tileas.async<tensor<64x32xf32, #mma0>>]], !consumer0, !nv_tileas.consumer_token) : i32 {
  // CHECK-NEXT: [[W:%.*]] = nv_tileas.async.pipeline.consumer_wait [[P]]{{\[}}[[I]]]
  // CHECK-NEXT: [[T:%.*]], [[A:%.*]], [[B:%.*]] = nv_tileas.async.pipeline.consumer_read [[P]], [[W]]
  // CHECK: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK-NEXT: [[D:%.*]] = nv_tileas.async.dot [[A]], [[B]], [[S]]
  // CHECK-SAME: : [[tensor]], tensor<64x32xf16, #swizzled1>, [[async]]
  // CHECK-SAME: -> [[async]]
  // CHECK-NEXT: nv_tileas.async.future_wait [[S]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[P]], [[OLD]]
  // CHECK-NEXT: scf.yield [[D]], [[J]], [[T]]
  // CHECK: [[SUM:%.*]] = nv_tileas.async.future_wait [[R]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[P]], [[LAST]]
  // CHECK-NEXT: nv_tileas.tiled_store [[SUM]]
  // CHECK: gpu.return

  // The loop runs once less, between its first half and its last; not at all if there is nothing to do.
  // What is loaded before the loop is given back behind it.
  gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #nv_tileas.schedule<stages = [1, 12, 12], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mq = nv_tileaa.make_memref %aq : !llvm.ptr<1> -> !memref0
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ak = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mk = nv_tileaa.make_memref %ak : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %mk {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %aw = nv_tileaa.assume %pw {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mw = nv_tileaa.make_memref %aw : !llvm.ptr<1> -> !memref0
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        nv_tileas.pipe = #nv_tileas.pipe<0>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %q_1 = nv_tileas.convert_layout %q : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>, nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 0>, in_bounds = array<i1: true, false>} : !tiled_view1,
          i32, i32 -> tensor<64x32xf16, #blocked1>
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 1>,
          atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1, tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
      %h = nv_tileaa.fp_to_fp %score {nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 4>} : !t64x32xf32_mma0 to tensor<64x32xf16, #mma0>
      %value = nv_tileas.tiled_load %vw[%k, %zero] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<2>, nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 2>, in_bounds = array<i1: false, true>} : !tiled_view3,
          i32, i32 -> tensor<32x64xf16, #blocked2>
      %d = nv_tileas.dot %h, %value, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 3>,
          atom = #nv_tileas.atom<mma.sm90>} : tensor<64x32xf16, #mma0>, tensor<32x64xf16, #blocked2>, !t64x64xf32_mma1
      scf.yield %d : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @attention(
  // CHECK: [[Q:%.*]] = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32}
  // CHECK-NEXT: [[K:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK-NEXT: [[V:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK: [[SOME:%.*]] = arith.cmpi slt, %zero, %n : i32
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[Q]]
  // CHECK: scf.if [[SOME]]
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[K]]
  // CHECK-NOT: scf.if
  // CHECK: scf.for
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[K]]
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[V]]
  // CHECK: scf.yield
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[V]]
  // CHECK: } else {
  // CHECK: } {
  // CHECK: [[WQ:%.*]] = nv_tileas.async.pipeline.consumer_wait [[Q]]
  // CHECK-NEXT: [[TQ:%.*]], [[A:%.*]] = nv_tileas.async.pipeline.consumer_read [[Q]], [[WQ]]
  // CHECK: scf.if [[SOME]]
  // CHECK: nv_tileas.async.dot [[A]], {{%.*}}, %z
  // CHECK: %h = nv_tileaa.fp_to_fp
  // CHECK: [[LESS:%.*]] = arith.subi %n, %one : i32
  // CHECK-NEXT: scf.for {{%.*}} = %zero to [[LESS]] step %one iter_args([[S:%.*]] = %c, {{%.*}} = %zero, [[H:%.*]] = %h,
  // CHECK: [[TK:%.*]], [[B:%.*]] = nv_tileas.async.pipeline.consumer_read [[K]]
  // CHECK: [[F:%.*]] = nv_tileas.async.dot [[A]], [[B]], %z
  // CHECK: [[TV:%.*]], [[D:%.*]] = nv_tileas.async.pipeline.consumer_read [[V]]
  // CHECK: [[G:%.*]] = nv_tileas.async.dot [[H]], [[D]], [[S]]
  // CHECK-SAME: : tensor<64x32xf16, #mma0>, tensor<32x64xf16, #swizzled2>, tensor<64x64xf32, #mma1> -> !nv_tileas.async<tensor<64x64xf32, #mma1>>
  // CHECK-NEXT: nv_tileas.async.future_wait [[F]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[K]], [[TK]]
  // CHECK: nv_tileas.async.future_wait [[G]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[V]], [[TV]]
  // CHECK: scf.yield
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[V]]
  // CHECK: nv_tileas.async.dot
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %c,
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[Q]], [[TQ]]
  // CHECK-NEXT: nv_tileas.tiled_store
  // CHECK: gpu.return

  // Branches carry iterators; what does not load leaves them.
  gpu.func @branch(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %t = arith.cmpi slt, %k, %i : i32
      %u = scf.if %t -> (!t64x32xf32_mma0) {
        %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      } else {
        scf.yield %s : !t64x32xf32_mma0
      }
      scf.yield %u : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @branch(
  // CHECK: [[P:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK: scf.for {{.*}} iter_args([[I:%.*]] = {{%.*}})
  // CHECK-NEXT: %t = arith.cmpi slt, %k, %i : i32
  // CHECK-NEXT: [[N:%.*]] = scf.if %t
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[P]]{{\[}}[[I]]]
  // CHECK: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK-NEXT: scf.yield [[J]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield [[I]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield [[N]]
  // CHECK: } {
  // CHECK: scf.for {{.*}} iter_args(%s = %c, [[I:%.*]] = {{%.*}})
  // CHECK: %u, [[N:%.*]] = scf.if
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[P]]{{\[}}[[I]]]
  // CHECK: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK: nv_tileas.async.future_wait
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[P]]
  // CHECK-NEXT: scf.yield %d, [[J]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %s, [[I]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield %u, [[N]]
  // CHECK: gpu.return

  // So do loops that do not count; the agent that loads has what decides about them, and no sums.
  gpu.func @while(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %e, %r = scf.while (%k = %zero, %s = %c) : (i32, !t64x32xf32_mma0) -> (i32, !t64x32xf32_mma0) {
      %t = arith.cmpi slt, %k, %n : i32
      scf.condition(%t) %k, %s : i32, !t64x32xf32_mma0
    } do {
    ^bb0(%k1: i32, %s1: !t64x32xf32_mma0):
      %x = nv_tileas.tiled_load %va[%i, %k1] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k1, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>, in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s1 {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
      %k2 = arith.addi %k1, %k1 : i32
      scf.yield %k2, %d : i32, !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @while(
  // CHECK: [[P:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK: scf.while (%k = %zero, [[I:%.*]] = {{%.*}}) : (i32, !producer0)
  // CHECK-NEXT: %t = arith.cmpi slt, %k, %n : i32
  // CHECK-NEXT: scf.condition(%t) %k, [[I]]
  // CHECK: ^bb0(%k1: i32, [[I:%.*]]: !producer0
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[P]]{{\[}}[[I]]]
  // CHECK: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK-NEXT: %k2 = arith.addi
  // CHECK-NEXT: scf.yield %k2, [[J]]
  // CHECK: } {
  // CHECK: scf.while ({{.*}}, [[I:%.*]] = {{%.*}}) : (i32, tensor<{{.*}}, !consumer0
  // CHECK: ^bb0({{.*}}, [[I:%.*]]: !consumer0
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[P]]{{\[}}[[I]]]
  // CHECK: [[J:%.*]] = nv_tileas.async.pipeline.inc_iter [[I]]
  // CHECK: scf.yield {{%.*}}, %d, [[J]]
  // CHECK: gpu.return

  // A pipeline goes round through all loops.
  gpu.func @nested(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.group_store, nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %j = %zero to %i step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%j, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %j] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      nv_tileas.tiled_store %r, %vc[%j, %j] {nv_tileas.group_store, atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @nested(
  // CHECK: [[P:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK-NEXT: [[IN:%.*]] = nv_tileas.async.pipeline.create_iterator
  // CHECK-NEXT: [[OUT:%.*]] = nv_tileas.async.pipeline.create_iterator
  // CHECK: scf.for %j = %zero to %i step %one iter_args([[I:%.*]] = [[IN]])
  // CHECK-NEXT: [[R:%.*]] = scf.for %k = %zero to %n step %one iter_args([[K:%.*]] = [[I]])
  // CHECK: nv_tileas.async.pipeline.producer_acquire [[P]]{{\[}}[[K]]]
  // CHECK: scf.yield
  // CHECK: scf.yield [[R]]
  // CHECK: } {
  // CHECK: scf.for {{.*}} iter_args([[I:%.*]] = [[OUT]])
  // CHECK: [[S:%.*]], [[R:%.*]], {{%.*}} = scf.for {{.*}} iter_args({{%.*}} = {{%.*}}, [[K:%.*]] = [[I]],
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[P]]{{\[}}[[K]]]
  // CHECK: nv_tileas.async.future_wait [[S]]
  // CHECK: nv_tileas.tiled_store
  // CHECK-NEXT: scf.yield [[R]]
  // CHECK: gpu.return

  // A tile that is no operand everywhere is copied; its stage is given back when the product is done.
  gpu.func @also_added(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [8, 8], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          !t64x64xf16_blocked0, !t64x64xf32_mma1
      %w = nv_tileaa.fp_to_fp %y : !t64x64xf16_blocked0 to tensor<64x64xf32, #blocked0>
      %w_1 = nv_tileas.convert_layout %w : tensor<64x64xf32, #blocked0> -> !t64x64xf32_mma1
      %e = nv_tileaa.addf %d, %w_1 : !t64x64xf32_mma1
      scf.yield %e : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @also_added(
  // CHECK: [[A:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK-NEXT: [[B:%.*]] = nv_tileas.async.pipeline.create_pipeline
  // CHECK: } {
  // CHECK: [[TA:%.*]], [[X:%.*]] = nv_tileas.async.pipeline.consumer_read [[A]]
  // CHECK: [[TB:%.*]], [[Y:%.*]] = nv_tileas.async.pipeline.consumer_read [[B]]
  // CHECK: [[COPY:%.*]] = nv_tileas.copy [[Y]]
  // CHECK-NEXT: [[F:%.*]] = nv_tileas.async.dot [[X]], [[Y]], %s
  // CHECK-SAME: : [[tensor]]
  // CHECK-NEXT: %w = nv_tileaa.fp_to_fp [[COPY]]
  // CHECK: %d = nv_tileas.async.future_wait [[F]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[A]], [[TA]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[B]], [[TB]]
  // CHECK-NEXT: %e = nv_tileaa.addf %d
  // CHECK: gpu.return

  // Sums of small floats are promoted: the product adds to nothing, and threads add it when it is done.
  gpu.func @small_floats(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref2
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view5
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref3
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view6
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 16, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view5, i32, i32 -> tensor<64x64xf8E4M3FN, #blocked3>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked4, nv_tileas.vector = #nv_tileas.vector<width = 16, dim = 0>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view6, i32, i32 -> tensor<64x32xf8E4M3FN, #blocked4>
      %d = nv_tileas.dot %x, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #blocked3, atom = #nv_tileas.atom<mma.sm90>}
          : tensor<64x64xf8E4M3FN, #blocked3>, tensor<64x32xf8E4M3FN, #blocked4>, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @small_floats(
  // CHECK: } {
  // CHECK: scf.for {{.*}} iter_args([[S:%.*]] = %c,
  // CHECK: [[ZERO:%.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: [[ZEROS:%.*]] = nv_tileaa.splat [[ZERO]]
  // CHECK-NEXT: [[D:%.*]] = nv_tileas.async.dot {{.*}}, [[ZEROS]]
  // CHECK: [[PART:%.*]] = nv_tileas.async.future_wait [[D]]
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release
  // CHECK-NEXT: [[SUM:%.*]] = nv_tileaa.addf [[S]], [[PART]]
  // CHECK-NEXT: scf.yield [[SUM]]

  // A product goes on while threads wait for each other in a branch, but not while they do more there.
  gpu.func @meeting(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32, %b: i1) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [8, 8], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          !t64x64xf16_blocked0, !t64x64xf32_mma1
      scf.if %b {
        gpu.barrier
      }
      nv_tileas.tiled_store %c, %vc[%k, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view4, i32, i32
      scf.if %b {
        nv_tileas.tiled_store %c, %vc[%i, %k] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view4, i32, i32
      }
      %e = nv_tileaa.addf %d, %d : !t64x64xf32_mma1
      scf.yield %e : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @meeting(
  // CHECK: } {
  // CHECK: [[F:%.*]] = nv_tileas.async.dot
  // CHECK-SAME: : [[tensor]]
  // CHECK-NEXT: scf.if %b {
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.tiled_store
  // CHECK-NEXT: %d = nv_tileas.async.future_wait [[F]]
  // CHECK-NEXT: consumer_release
  // CHECK-NEXT: consumer_release
  // CHECK-NEXT: scf.if %b {
  // CHECK-NEXT: nv_tileas.tiled_store
  // CHECK: gpu.return

  // Load groups that share a pipeline fill its stages in the order in which products read them. A product
  // gives its stage back when the next one is issued.
  gpu.func @unrolled(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [2], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %k1 = arith.constant 1 : i32
    %k2 = arith.constant 2 : i32
    %d = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %x1 = nv_tileas.tiled_load %va[%i, %k1] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<1>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %y1 = nv_tileas.tiled_load %vb[%k1, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<1>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
    %z1 = nv_tileas.convert_layout %x1 : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %x0 = nv_tileas.tiled_load %va[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %y0 = nv_tileas.tiled_load %vb[%zero, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
    %z0 = nv_tileas.convert_layout %x0 : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %x2 = nv_tileas.tiled_load %va[%i, %k2] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<2>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %y2 = nv_tileas.tiled_load %vb[%k2, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>,
        nv_tileas.load_group = #nv_tileas.load_group<2>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
    %z2 = nv_tileas.convert_layout %x2 : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %d0 = nv_tileas.dot %z0, %y0, %d {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
        tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
    %d1 = nv_tileas.dot %z1, %y1, %d0 {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
        tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
    %d2 = nv_tileas.dot %z2, %y2, %d1 {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
        tensor<64x32xf16, #blocked1>, !t64x32xf32_mma0
    nv_tileas.tiled_store %d2, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @unrolled(
  // CHECK: [[P:%.*]] = nv_tileas.async.pipeline.create_pipeline {{.*}} : !pipeline0
  // CHECK: agent_switch
  // CHECK-NEXT: producer_acquire [[P]]
  // CHECK: nv_tileas.tiled_load %va[%i, %zero]
  // CHECK: producer_acquire [[P]]
  // CHECK: nv_tileas.tiled_load %va[%i, %k1]
  // CHECK: producer_acquire [[P]]
  // CHECK: nv_tileas.tiled_load %va[%i, %k2]
  // CHECK: consumer_wait [[P]]
  // CHECK: [[T0:%.*]], {{%.*}}, {{%.*}} = nv_tileas.async.pipeline.consumer_read [[P]]
  // CHECK: [[D0:%.*]] = nv_tileas.async.dot
  // CHECK: consumer_wait [[P]]
  // CHECK: [[T1:%.*]], {{%.*}}, {{%.*}} = nv_tileas.async.pipeline.consumer_read [[P]]
  // CHECK: [[D1:%.*]] = nv_tileas.async.dot
  // CHECK: future_wait [[D0]]
  // CHECK-NEXT: consumer_release [[P]], [[T0]]
  // CHECK: consumer_wait [[P]]
  // CHECK: [[T2:%.*]], {{%.*}}, {{%.*}} = nv_tileas.async.pipeline.consumer_read [[P]]
  // CHECK: [[D2:%.*]] = nv_tileas.async.dot
  // CHECK: future_wait [[D1]]
  // CHECK-NEXT: consumer_release [[P]], [[T1]]
  // CHECK-NEXT: {{%.*}} = nv_tileas.async.future_wait [[D2]]
  // CHECK-NEXT: consumer_release [[P]], [[T2]]
  // CHECK: gpu.return
}
