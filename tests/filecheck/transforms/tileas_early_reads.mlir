// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// Tiles that threads read from buffer stages while WGMMAs are in flight: they are read before these are issued.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!score = tensor<64x32xf32, #mma0>
!query = tensor<64x64xf16, #blocked0>
!operand = tensor<64x64xf16, #mma1>
!key = tensor<64x32xf16, #blocked1>

gpu.module @m {
  // The stage is given back behind the product, as threads have read it only when its tile is there.
  gpu.func @early(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [1, 4, 2], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mq = nv_tileaa.make_memref %aq : !llvm.ptr<1> -> !memref0
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ak = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mk = nv_tileaa.make_memref %ak : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %mk {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref1
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !query
    %q_1 = nv_tileas.convert_layout %q : !query -> !operand
    %z = arith.constant dense<0.000000e+00> : !score
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %z) -> (!score) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>} : !tiled_view1, i32, i32 -> !key
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !operand, !key, !score
      %bias = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<2>} : !tiled_view2, i32, i32 -> !score
      %minus = nv_tileaa.negf %bias : !score
      %sum = nv_tileaa.addf %score, %minus : !score
      %next = nv_tileaa.addf %s, %sum : !score
      scf.yield %next : !score
    }
    nv_tileas.tiled_store %r, %vb[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !score, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @early
  // CHECK: [[B:%.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.warp_release
  // CHECK: } {
  // CHECK: scf.for
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[B]]
  // CHECK: [[X:%.*]] = nv_tileas.copy
  // CHECK-NOT: nv_tileas.async.pipeline.consumer_release
  // CHECK: [[D:%.*]] = nv_tileas.async.dot
  // CHECK: nv_tileas.async.pipeline.consumer_release [[B]]
  // CHECK-NEXT: [[M:%.*]] = nv_tileaa.negf [[X]]
  // CHECK: [[R:%.*]] = nv_tileas.async.future_wait [[D]]
  // CHECK: nv_tileaa.addf [[R]], [[M]]

  // Threads wait for the product before they need the tile.
  gpu.func @behind(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [1, 4, 2], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mq = nv_tileaa.make_memref %aq : !llvm.ptr<1> -> !memref0
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ak = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mk = nv_tileaa.make_memref %ak : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %mk {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref1
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !query
    %q_1 = nv_tileas.convert_layout %q : !query -> !operand
    %z = arith.constant dense<0.000000e+00> : !score
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %z) -> (!score) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>} : !tiled_view1, i32, i32 -> !key
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !operand, !key, !score
      %power = nv_tileaa.exp2 %score : !score
      %bias = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<2>} : !tiled_view2, i32, i32 -> !score
      %minus = nv_tileaa.negf %bias : !score
      %sum = nv_tileaa.addf %power, %minus : !score
      %next = nv_tileaa.addf %s, %sum : !score
      scf.yield %next : !score
    }
    nv_tileas.tiled_store %r, %vb[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !score, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @behind
  // CHECK: [[B:%.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.warp_release
  // CHECK: } {
  // CHECK: scf.for
  // CHECK-NOT: consumer_wait [[B]]
  // CHECK: nv_tileas.async.dot
  // CHECK: nv_tileas.async.future_wait
  // CHECK: nv_tileaa.exp2
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[B]]
  // CHECK: [[X:%.*]] = nv_tileas.copy
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[B]]
  // CHECK-NEXT: nv_tileaa.negf [[X]]

  // The next tile of a buffer with one stage may not be there when the product is issued.
  gpu.func @one_stage(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [1, 4, 1], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mq = nv_tileaa.make_memref %aq : !llvm.ptr<1> -> !memref0
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ak = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mk = nv_tileaa.make_memref %ak : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %mk {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref1
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !query
    %q_1 = nv_tileas.convert_layout %q : !query -> !operand
    %z = arith.constant dense<0.000000e+00> : !score
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %z) -> (!score) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<1>} : !tiled_view1, i32, i32 -> !key
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !operand, !key, !score
      %bias = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<2>} : !tiled_view2, i32, i32 -> !score
      %minus = nv_tileaa.negf %bias : !score
      %sum = nv_tileaa.addf %score, %minus : !score
      %next = nv_tileaa.addf %s, %sum : !score
      scf.yield %next : !score
    }
    nv_tileas.tiled_store %r, %vb[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !score, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @one_stage
  // CHECK: [[B:%.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.warp_release
  // CHECK: } {
  // CHECK: scf.for
  // CHECK-NOT: consumer_wait [[B]]
  // CHECK: nv_tileas.async.dot
  // CHECK: nv_tileas.async.pipeline.consumer_wait [[B]]
  // CHECK: [[X:%.*]] = nv_tileas.copy
  // CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[B]]
  // CHECK-NEXT: nv_tileaa.negf [[X]]
}
