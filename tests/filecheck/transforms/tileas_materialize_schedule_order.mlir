// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// What loads have to stay behind, or before, when other warps do them.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#slice0 = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
    warp = [[0, 0], [0, 0]]>
#blocked2 = #nv_tileas.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
!t64x32xf32_mma0 = tensor<64x32xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x32xf16_blocked1 = tensor<64x32xf16, #blocked1>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>
!ptr = !llvm.ptr<1>
#schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>
#div_by16 = #nv_tileaa.div_by<16>
#vector8 = #nv_tileas.vector<width = 8, dim = 1>
#pipe0 = #nv_tileas.pipe<0>
#mma_sm90 = #nv_tileas.atom<mma.sm90>
#tma_store = #nv_tileas.atom<tma_store>

gpu.module @m {
  // Each warp waits for other grids by itself.
  gpu.func @grid_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #schedule} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    nv_tileaa.gdc_wait_tko
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @grid_wait(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: nv_tileaa.gdc_wait_tko
  // CHECK-NEXT: scf.for
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: nv_tileas.async.dot
  // CHECK: gpu.return

  // What is independent of it does not wait.
  gpu.func @no_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #schedule} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    nv_tileaa.gdc_wait_tko
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_wait(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for
  // CHECK-NOT: nv_tileaa.gdc_wait_tko
  // CHECK: } {
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: gpu.return

  // Nobody acquires for other warps: threads load by themselves, behind it.
  gpu.func @acquire(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %f = nv_tileas.load %pf {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %y_1 = nv_tileas.convert_layout %y : !t64x32xf16_blocked1 -> tensor<64x32xf16, #slice0>
      %d = nv_tileas.dot %x_1, %y_1, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, nv_tileas.layout_b = #slice0, atom = #nv_tileas.atom<mma.sm80>}
          : !t64x64xf16_mma1, tensor<64x32xf16, #slice0>, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>} : !t64x32xf32_mma0,
        !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @acquire(
  // CHECK: nv_tileas.load %pf
  // CHECK-NOT: tma_load
  // CHECK: gpu.return

  // A bound that the kernel changes later is read by all warps before they part.
  gpu.func @bound_changes(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #schedule} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %m = nv_tileas.load %pf : !ptr -> i32
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !ptr, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_changes(
  // CHECK: %m = nv_tileas.load %pf
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for {{.*}} to %m step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK-NOT: nv_tileas.load %pf
  // CHECK: nv_tileas.store %pf
  // CHECK: gpu.return

  // With the wait for other grids that it is behind.
  gpu.func @bound_behind_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #schedule} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    nv_tileaa.gdc_wait_tko
    %m = nv_tileas.load %pf : !ptr -> i32
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !ptr, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_behind_wait(
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: %m = nv_tileas.load %pf
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for {{.*}} to %m step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK-NOT: nv_tileaa.gdc_wait_tko
  // CHECK: nv_tileas.store %pf
  // CHECK: gpu.return

  // One that is read in a loop, and changed there, is not read by other warps at another time.
  gpu.func @bound_in_loop(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %o = %zero to %n step %one : i32 {
      %m = nv_tileas.load %pf : !ptr -> i32
      %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
        %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32,
            i32 -> !t64x64xf16_blocked0
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
            i32 -> !t64x32xf16_blocked1
        %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
        %y_1 = nv_tileas.convert_layout %y : !t64x32xf16_blocked1 -> tensor<64x32xf16, #slice0>
        %d = nv_tileas.dot %x_1, %y_1, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, nv_tileas.layout_b = #slice0,
            atom = #nv_tileas.atom<mma.sm80>} : !t64x64xf16_mma1, tensor<64x32xf16, #slice0>, !t64x32xf32_mma0
        scf.yield %d : !t64x32xf32_mma0
      }
      nv_tileas.tiled_store %r, %vc[%i, %i] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !t64x32xf32_mma0, !tiled_view2, i32, i32
      nv_tileas.store %pf, %one : !ptr, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_in_loop(
  // CHECK: nv_tileas.load %pf
  // CHECK-NOT: tma_load
  // CHECK: gpu.return

  // One that it does not change is.
  gpu.func @bound(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #schedule} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %m = nv_tileas.load %pf {nv_tileaa.invariant} : !ptr -> i32
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !ptr, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: [[M:%.*]] = nv_tileas.load %pf
  // CHECK-NEXT: scf.for {{.*}} to [[M]] step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK: gpu.return

  // A tile has been read before others may be told so.
  gpu.func @release(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pf: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #nv_tileas.schedule<stages = [1], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %x = nv_tileas.tiled_load %va[%i, %n] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8,
        nv_tileas.pipe = #pipe0} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
    %y = nv_tileas.tiled_load %vb[%n, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
        nv_tileas.pipe = #pipe0} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
    nv_tileas.store %pf, %one {mem_semantic = "release", mem_scope = "gpu"} : !ptr, i32
    %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = nv_tileas.dot %x_1, %y, %c {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
        !t64x32xf16_blocked1, !t64x32xf32_mma0
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @release(
  // CHECK: } {
  // CHECK: nv_tileas.async.pipeline.consumer_wait
  // CHECK: nv_tileas.store %pf
  // CHECK: nv_tileas.async.dot
  // CHECK: gpu.return
}
