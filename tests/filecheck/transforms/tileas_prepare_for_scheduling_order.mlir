// RUN: tileiras-opt -p "tileas-prepare-for-scheduling" %s | filecheck %s

// A load behind a loop of products that comes behind an effect which may not be overtaken stays there.
// A mark says where tokens ordered less than the text does.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!t64x32xf32_mma0 = tensor<64x32xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x32xf16_blocked1 = tensor<64x32xf16, #blocked1>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>
!t64x32xf32_blocked1 = tensor<64x32xf32, #blocked1>
!ptr = !llvm.ptr<1>
#div_by16 = #nv_tileaa.div_by<16>
#vector8 = #nv_tileas.vector<width = 8, dim = 1>
#mma_sm90 = #nv_tileas.atom<mma.sm90>
#tma_store = #nv_tileas.atom<tma_store>

gpu.module @m {
  // The grid before this one may still be writing.
  gpu.func @grid_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileaa.gdc_wait_tko
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @grid_wait(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // Not what is read here.
  gpu.func @no_grid_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    nv_tileaa.gdc_wait_tko
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8}
        : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_grid_wait(
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: gpu.return

  // Another CTA publishes what is read.
  gpu.func @acquire(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    %f = nv_tileas.load %pf {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @acquire(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileas.load %pf
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // Another CTA publishes something else, if nothing but other grids has to be waited for.
  gpu.func @after_grid_wait(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    %f = nv_tileas.load %pf {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileaa.after_grid_wait, nv_tileas.layout = #blocked1,
        nv_tileas.vector = #vector8} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @after_grid_wait(
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileas.load %pf
  // CHECK: gpu.return

  // It is waited for in a loop.
  gpu.func @spin(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    scf.while : () -> () {
      %f = nv_tileas.load %pf {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32
      %ready = arith.cmpi eq, %f, %zero : i32
      scf.condition(%ready)
    } do {
      scf.yield
    }
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @spin(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: scf.while
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // A strong read that does not acquire is no reason to wait.
  gpu.func @relaxed(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %pf: !ptr, %n: i32,
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
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    %f = nv_tileas.load %pf {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @relaxed(
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileas.load %pf
  // CHECK: gpu.return
}
