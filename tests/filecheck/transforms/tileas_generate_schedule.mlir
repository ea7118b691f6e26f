// RUN: tileiras-opt -p "tileas-generate-schedule" %s | filecheck %s

// Which loads fill which pipeline, how many stages these have, and which ops run an iteration ahead.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!memref2 = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!tiled_view8 = !nv_tileaa.tiled_view<64x32, !memref2>
!tiled_view3 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x256, !memref0>
!tiled_view5 = !nv_tileaa.tiled_view<128x256, !memref1>
#mma2 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#blocked2 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
    warp = [[4, 0], [8, 0], [16, 0]]>
#blocked3 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]],
    warp = [[1, 0], [2, 0], [4, 0]]>
#mma3 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
!tiled_view6 = !nv_tileaa.tiled_view<32x64, !memref0>
!tiled_view7 = !nv_tileaa.tiled_view<64x64, !memref1>
#blocked4 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#slice0 = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
    warp = [[0, 0], [0, 0]]>
#slice1 = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [0, 8], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
    warp = [[0, 0], [0, 0]]>
#blocked5 = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>
!t64x32xf32_mma0 = tensor<64x32xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x32xf16_blocked1 = tensor<64x32xf16, #blocked1>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>
!t64x64xf32_mma1 = tensor<64x64xf32, #mma1>

gpu.module @m {
  // Both operands of a product share a pipeline.
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @gemm({{.*}} attributes {nv_tileas.num_warps = 4 : i32,
  // CHECK-SAME: nv_tileas.schedule = #nv_tileas.schedule<stages = [{{[2-9]|1[0-9]}}], producer_warps = 1>
  // CHECK: nv_tileas.tiled_load %va{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: nv_tileas.tiled_load %vb{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK-NOT: nv_tileas.stage
  // CHECK: nv_tileas.tiled_store %r{{.*}} {atom = #nv_tileas.atom<tma_store>}
  // CHECK: gpu.return

  // What is loaded once needs one stage.
  gpu.func @once(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %x = nv_tileas.tiled_load %va[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %y = nv_tileas.tiled_load %vb[%zero, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
    %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %d = nv_tileas.dot %x_1, %y, %c {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
        !t64x32xf16_blocked1, !t64x32xf32_mma0
    nv_tileas.tiled_store %d, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @once(
  // CHECK-SAME: nv_tileas.schedule = #nv_tileas.schedule<stages = [1], producer_warps = 1>
  // CHECK: nv_tileas.tiled_load %va{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: nv_tileas.tiled_load %vb{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: gpu.return

  // Threads that need more registers than all can have take them from four warps that load.
  gpu.func @large(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view4
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view5
    %c = arith.constant dense<0.000000e+00> : tensor<128x256xf32, #mma2>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<128x256xf32, #mma2>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32
          -> tensor<128x64xf16, #blocked2>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32
          -> tensor<64x256xf16, #blocked3>
      %x_1 = nv_tileas.convert_layout %x : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
          tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
      scf.yield %d : tensor<128x256xf32, #mma2>
    }
    %e = nv_tileaa.addf %r, %r : tensor<128x256xf32, #mma2>
    nv_tileas.tiled_store %e, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x256xf32, #mma2>, !tiled_view5, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @large({{.*}} attributes {nv_tileas.num_warps = 8 : i32,
  // CHECK-SAME: nv_tileas.schedule = #nv_tileas.schedule<stages = [{{[2-9]|1[0-9]}}], producer_warps = 4, registers = [24, 240]>

  // The first product runs ahead of the second one, and what is computed from it after that; the right
  // operand of the second one is loaded when it is needed.
  gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view6
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view7
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %q_1 = nv_tileas.convert_layout %q : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
          : !t64x64xf16_mma1, !t64x32xf16_blocked1, !t64x32xf32_mma0
      %h = nv_tileaa.fp_to_fp %score : !t64x32xf32_mma0 to tensor<64x32xf16, #mma0>
      %value = nv_tileas.tiled_load %vw[%k, %zero] {nv_tileas.layout = #blocked4, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view6, i32, i32 -> tensor<32x64xf16, #blocked4>
      %d = nv_tileas.dot %h, %value, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, atom = #nv_tileas.atom<mma.sm90>} : tensor<64x32xf16, #mma0>,
          tensor<32x64xf16, #blocked4>, !t64x64xf32_mma1
      scf.yield %d : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view7, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @attention(
  // CHECK-SAME: nv_tileas.schedule = #nv_tileas.schedule<stages = [1, {{[2-9]|1[0-9]}}, {{[2-9]|1[0-9]}}]
  // CHECK: nv_tileas.tiled_load %vq{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: nv_tileas.tiled_load %vk{{.*}}nv_tileas.pipe = #nv_tileas.pipe<1>, nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 0>
  // CHECK: nv_tileas.dot {{.*}}nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 1>
  // CHECK: nv_tileaa.fp_to_fp %score {nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 4>}
  // CHECK: nv_tileas.tiled_load %vw{{.*}}nv_tileas.pipe = #nv_tileas.pipe<2>, nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 2>
  // CHECK: nv_tileas.dot {{.*}}nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 3>
  // CHECK: gpu.return

  // What an iteration adds is a product of its own: the sum belongs to it.
  gpu.func @product_of_its_own(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view6
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view7
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %q_1 = nv_tileas.convert_layout %q : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
          : !t64x64xf16_mma1, !t64x32xf16_blocked1, !t64x32xf32_mma0
      %h = nv_tileaa.fp_to_fp %score : !t64x32xf32_mma0 to tensor<64x32xf16, #mma0>
      %value = nv_tileas.tiled_load %vw[%k, %zero] {nv_tileas.layout = #blocked4, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view6, i32, i32 -> tensor<32x64xf16, #blocked4>
      %added = nv_tileas.dot %h, %value, %c {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, atom = #nv_tileas.atom<mma.sm90>} : tensor<64x32xf16, #mma0>,
          tensor<32x64xf16, #blocked4>, !t64x64xf32_mma1
      %d = nv_tileaa.addf %s, %added : !t64x64xf32_mma1
      scf.yield %d : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view7, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @product_of_its_own(
  // CHECK: %score = nv_tileas.dot {{.*}}nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 1>
  // CHECK: nv_tileaa.fp_to_fp %score {nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 5>}
  // CHECK: %added = nv_tileas.dot {{.*}}nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 3>
  // CHECK: nv_tileaa.addf {{.*}}, %added {nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 4>}
  // CHECK: gpu.return

  // Ops of a loop that stores stay in order.
  gpu.func @stores(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %pp: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view6
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view7
    %ap = nv_tileaa.assume %pp {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mp = nv_tileaa.make_memref %ap : !llvm.ptr<1> -> !memref0
    %vp = nv_tileaa.block_tile %mp {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %q_1 = nv_tileas.convert_layout %q : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked1,
          nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %score = nv_tileas.dot %q_1, %key, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
          : !t64x64xf16_mma1, !t64x32xf16_blocked1, !t64x32xf32_mma0
      %h = nv_tileaa.fp_to_fp %score : !t64x32xf32_mma0 to tensor<64x32xf16, #mma0>
      nv_tileas.tiled_store %h, %vp[%i, %k] {atom = #nv_tileas.atom<tma_store>} : tensor<64x32xf16, #mma0>, !tiled_view1, i32, i32
      %value = nv_tileas.tiled_load %vw[%k, %zero] {nv_tileaa.independent, nv_tileas.layout = #blocked4,
          nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>} : !tiled_view6, i32, i32
          -> tensor<32x64xf16, #blocked4>
      %d = nv_tileas.dot %h, %value, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, atom = #nv_tileas.atom<mma.sm90>} : tensor<64x32xf16, #mma0>,
          tensor<32x64xf16, #blocked4>, !t64x64xf32_mma1
      scf.yield %d : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view7, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @stores(
  // CHECK-SAME: nv_tileas.schedule
  // CHECK: nv_tileas.tiled_load %vq{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: nv_tileas.tiled_load %vk{{.*}}nv_tileas.pipe = #nv_tileas.pipe<1>
  // CHECK-NOT: nv_tileas.stage
  // CHECK: gpu.return

  // Nothing says that stores do not change what is loaded: the products are not for warpgroups.
  gpu.func @may_alias(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pw: !llvm.ptr<1>, %po: !llvm.ptr<1>, %pp: !llvm.ptr<1>, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %vw = nv_tileaa.block_tile %mw {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view6
    %ao = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mo = nv_tileaa.make_memref %ao : !llvm.ptr<1> -> !memref1
    %vo = nv_tileaa.block_tile %mo {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view7
    %ap = nv_tileaa.assume %pp {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mp = nv_tileaa.make_memref %ap : !llvm.ptr<1> -> !memref0
    %vp = nv_tileaa.block_tile %mp {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %q = nv_tileas.tiled_load %vq[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
        in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %q_1 = nv_tileas.convert_layout %q : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %z = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %key = nv_tileas.tiled_load %vk[%zero, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: true, false>} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %key_1 = nv_tileas.convert_layout %key : !t64x32xf16_blocked1 -> tensor<64x32xf16, #slice0>
      %score = nv_tileas.dot %q_1, %key_1, %z {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, nv_tileas.layout_b = #slice0,
          atom = #nv_tileas.atom<mma.sm80>} : !t64x64xf16_mma1, tensor<64x32xf16, #slice0>, !t64x32xf32_mma0
      %h = nv_tileaa.fp_to_fp %score : !t64x32xf32_mma0 to tensor<64x32xf16, #mma0>
      %h_1 = nv_tileas.convert_layout %h : tensor<64x32xf16, #mma0> -> !t64x32xf16_blocked1
      nv_tileas.tiled_store %h_1, %vp[%i, %k] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
          : !t64x32xf16_blocked1, !tiled_view1, i32, i32
      %value = nv_tileas.tiled_load %vw[%k, %zero] {nv_tileas.layout = #blocked4, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view6, i32, i32 -> tensor<32x64xf16, #blocked4>
      %value_1 = nv_tileas.convert_layout %value : tensor<32x64xf16, #blocked4> -> tensor<32x64xf16, #slice1>
      %d = nv_tileas.dot %h, %value_1, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, nv_tileas.layout_b = #slice1,
          atom = #nv_tileas.atom<mma.sm80>} : tensor<64x32xf16, #mma0>, tensor<32x64xf16, #slice1>, !t64x64xf32_mma1
      scf.yield %d : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vo[%i, %i] {nv_tileas.layout = #blocked5, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>} : !t64x64xf32_mma1,
        !tiled_view7, i32, i32
    gpu.return
  }
  // CHECK-NOT: nv_tileas.pipe
  // CHECK-NOT: nv_tileas.schedule
  // CHECK-LABEL: gpu.func @may_alias(

  // Operand B is used after the product: it has a pipeline of its own.
  gpu.func @also_added(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view7
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma1>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x64xf32_mma1) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          !t64x64xf16_blocked0, !t64x64xf32_mma1
      %w = nv_tileaa.fp_to_fp %y : !t64x64xf16_blocked0 to tensor<64x64xf32, #blocked0>
      %w_1 = nv_tileas.convert_layout %w : tensor<64x64xf32, #blocked0> -> !t64x64xf32_mma1
      %e = nv_tileaa.addf %d, %w_1 : !t64x64xf32_mma1
      scf.yield %e : !t64x64xf32_mma1
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x64xf32_mma1, !tiled_view7, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @also_added(
  // CHECK: nv_tileas.tiled_load %va{{.*}}nv_tileas.pipe = #nv_tileas.pipe<0>
  // CHECK: nv_tileas.tiled_load %vb{{.*}}nv_tileas.pipe = #nv_tileas.pipe<1>
  // CHECK: gpu.return

  // In a loop, warpgroups store on their own; at the end of a kernel they would gain nothing.
  gpu.func @store_in_loop(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    scf.for %t = %i to %n step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%t, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            !t64x32xf16_blocked1, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      nv_tileas.tiled_store %r, %vc[%t, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @store_in_loop({{.*}} nv_tileas.group_store
  // CHECK: nv_tileas.tiled_store %r{{.*}} {nv_tileas.group_store, atom = #nv_tileas.atom<tma_store>}

  // Warpgroups that store by copies of their own do not wait for each other to store again.
  gpu.func @warpgroup_order(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
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
    scf.for %t = %i to %n step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%t, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            !t64x32xf16_blocked1, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      gpu.barrier {nv_tileaa.warpgroup_order}
      nv_tileas.tiled_store %r, %vc[%t, %i] {nv_tileaa.warpgroup_order, atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @warpgroup_order(
  // CHECK-NOT: gpu.barrier
  // CHECK: nv_tileas.tiled_store %r{{.*}} {nv_tileaa.warpgroup_order, nv_tileas.group_store, atom = #nv_tileas.atom<tma_store>}

  // Unless strides say that elements have addresses in common.
  gpu.func @warpgroup_order_of_a_stride(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32, %rows: i32, %size: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %s0 = nv_tileaa.assume %stride {predicate = #nv_tileaa.div_by<16>} : i32
    %s1 = nv_tileaa.assume %s0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %mc = nv_tileaa.make_memref %ac sizes(%rows, %size : i32, i32) strides(%s1 : i32) : !llvm.ptr<1> -> !memref2
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view8
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %t = %i to %n step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%t, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            !t64x32xf16_blocked1, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      gpu.barrier {nv_tileaa.warpgroup_order}
      nv_tileas.tiled_store %r, %vc[%t, %i] {nv_tileaa.warpgroup_order, atom = #nv_tileas.atom<tma_store>} : !t64x32xf32_mma0, !tiled_view8, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @warpgroup_order_of_a_stride(
  // CHECK: %mc = nv_tileaa.make_memref
  // CHECK: [[size:%[0-9]+]] = arith.maxsi
  // CHECK: [[reach:%[0-9]+]] = arith.muli {{.*}}, [[size]] : i64
  // CHECK: [[stride:%[0-9]+]] = arith.extsi %s1 : i32 to i64
  // CHECK-NEXT: [[overlaps:%[0-9]+]] = arith.cmpi slt, [[stride]], [[reach]] : i64
  // CHECK: scf.if [[overlaps]] {
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.tiled_store %r{{.*}} {nv_tileaa.warpgroup_order, nv_tileas.group_store, atom = #nv_tileas.atom<tma_store>}
  // CHECK: gpu.return

  // Nor do those that add to memory by copies of their own.
  gpu.func @warpgroup_order_of_atomics(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32, %rows: i32, %size: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %s0 = nv_tileaa.assume %stride {predicate = #nv_tileaa.div_by<16>} : i32
    %s1 = nv_tileaa.assume %s0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %mc = nv_tileaa.make_memref %ac sizes(%rows, %size : i32, i32) strides(%s1 : i32) : !llvm.ptr<1> -> !memref2
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view8
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %t = %i to %n step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%t, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            !t64x32xf16_blocked1, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      gpu.barrier {nv_tileaa.warpgroup_order}
      nv_tileas.tiled_atomic_rmw %vc[%t, %i], %r {nv_tileaa.warpgroup_order, mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "addf", atom = #nv_tileas.atom<tma_redg>} : !tiled_view8, !t64x32xf32_mma0, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @warpgroup_order_of_atomics(
  // CHECK: [[shared:%[0-9]+]] = arith.cmpi slt
  // CHECK: scf.if [[shared]] {
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.tiled_atomic_rmw {{.*}} {nv_tileaa.warpgroup_order, nv_tileas.group_store
  // CHECK: gpu.return

  // Atomics by threads keep the barrier.
  gpu.func @warpgroup_order_of_threads(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32, %rows: i32, %size: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %s0 = nv_tileaa.assume %stride {predicate = #nv_tileaa.div_by<16>} : i32
    %s1 = nv_tileaa.assume %s0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %mc = nv_tileaa.make_memref %ac sizes(%rows, %size : i32, i32) strides(%s1 : i32) : !llvm.ptr<1> -> !memref2
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view8
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %t = %i to %n step %one : i32 {
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%t, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>}
            : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
            !t64x32xf16_blocked1, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      gpu.barrier {nv_tileaa.warpgroup_order}
      nv_tileas.tiled_atomic_rmw %vc[%t, %i], %r {nv_tileaa.warpgroup_order, mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "addf"} : !tiled_view8, !t64x32xf32_mma0, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @warpgroup_order_of_threads(
  // CHECK-NOT: scf.if
  // CHECK: gpu.barrier
  // CHECK-NEXT: nv_tileas.tiled_atomic_rmw
  // CHECK-NOT: warpgroup_order
  // CHECK: gpu.return

  // Tiles of five products do not fit in shared memory together: they share one pipeline.
  gpu.func @unrolled(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view4
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view5
    %k1 = arith.constant 1 : i32
    %k2 = arith.constant 2 : i32
    %k3 = arith.constant 3 : i32
    %k4 = arith.constant 4 : i32
    %d = arith.constant dense<0.000000e+00> : tensor<128x256xf32, #mma2>
    %x0 = nv_tileas.tiled_load %va[%i, %zero] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32 -> tensor<128x64xf16, #blocked2>
    %y0 = nv_tileas.tiled_load %vb[%zero, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32 -> tensor<64x256xf16, #blocked3>
    %z0 = nv_tileas.convert_layout %x0 : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
    %d0 = nv_tileas.dot %z0, %y0, %d {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
        tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
    %x1 = nv_tileas.tiled_load %va[%i, %k1] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32 -> tensor<128x64xf16, #blocked2>
    %y1 = nv_tileas.tiled_load %vb[%k1, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32 -> tensor<64x256xf16, #blocked3>
    %z1 = nv_tileas.convert_layout %x1 : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
    %d1 = nv_tileas.dot %z1, %y1, %d0 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
        tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
    %x2 = nv_tileas.tiled_load %va[%i, %k2] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32 -> tensor<128x64xf16, #blocked2>
    %y2 = nv_tileas.tiled_load %vb[%k2, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32 -> tensor<64x256xf16, #blocked3>
    %z2 = nv_tileas.convert_layout %x2 : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
    %d2 = nv_tileas.dot %z2, %y2, %d1 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
        tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
    %x3 = nv_tileas.tiled_load %va[%i, %k3] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32 -> tensor<128x64xf16, #blocked2>
    %y3 = nv_tileas.tiled_load %vb[%k3, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32 -> tensor<64x256xf16, #blocked3>
    %z3 = nv_tileas.convert_layout %x3 : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
    %d3 = nv_tileas.dot %z3, %y3, %d2 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
        tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
    %x4 = nv_tileas.tiled_load %va[%i, %k4] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view3, i32, i32 -> tensor<128x64xf16, #blocked2>
    %y4 = nv_tileas.tiled_load %vb[%k4, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : !tiled_view4, i32, i32 -> tensor<64x256xf16, #blocked3>
    %z4 = nv_tileas.convert_layout %x4 : tensor<128x64xf16, #blocked2> -> tensor<128x64xf16, #mma3>
    %d4 = nv_tileas.dot %z4, %y4, %d3 {nv_tileas.layout = #mma2, nv_tileas.layout_a = #mma3, atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma3>,
        tensor<64x256xf16, #blocked3>, tensor<128x256xf32, #mma2>
    nv_tileas.tiled_store %d4, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x256xf32, #mma2>, !tiled_view5, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @unrolled(
  // CHECK: nv_tileas.schedule = #nv_tileas.schedule<stages = [3], producer_warps = 1>
  // CHECK: %x0 = nv_tileas.tiled_load
  // CHECK-SAME: nv_tileas.pipe = #nv_tileas.pipe<0>, nv_tileas.load_group = #nv_tileas.load_group<0>
  // CHECK-NEXT: %y0 = nv_tileas.tiled_load
  // CHECK-SAME: nv_tileas.pipe = #nv_tileas.pipe<0>, nv_tileas.load_group = #nv_tileas.load_group<0>
  // CHECK: %x4 = nv_tileas.tiled_load
  // CHECK-SAME: nv_tileas.pipe = #nv_tileas.pipe<0>, nv_tileas.load_group = #nv_tileas.load_group<4>
  // CHECK: gpu.return
}
