// RUN: tileiras-opt -p "tileas-prepare-for-scheduling" %s | filecheck %s

// What is loaded behind a loop of products: in the layout of the sums, and before the loop.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!tiled_view3 = !nv_tileaa.tiled_view<64x256, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x256, !memref1>
#mma2 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [0, 128]]>
#blocked2 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]]>
#blocked3 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]],
    warp = [[1, 0], [2, 0], [4, 0]]>
#slice0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [0, 0]]>
#blocked4 = #nv_tileas.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
    warp = [[0, 128], [1, 0], [2, 0]]>
!memref2 = !nv_tileaa.memref<1024xf16, strides = [1]>
!tiled_view5 = !nv_tileaa.tiled_view<256, !memref2>
#blocked6 = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]]>
#blocked7 = #nv_tileas.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64], [0, 128]]>
#slice1 = #nv_tileas.layout<register = [[0, 1], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]],
    warp = [[0, 0], [0, 0], [0, 128]]>
#blocked5 = #nv_tileas.layout<register = [[4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
!t64x32xf32_mma0 = tensor<64x32xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x32xf16_blocked1 = tensor<64x32xf16, #blocked1>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>
!t64x32xf32_blocked1 = tensor<64x32xf32, #blocked1>
!t64x256xf32_mma2 = tensor<64x256xf32, #mma2>
!ptr = !llvm.ptr<1>
#div_by16 = #nv_tileaa.div_by<16>
#vector8 = #nv_tileas.vector<width = 8, dim = 1>
#mma_sm90 = #nv_tileas.atom<mma.sm90>
#tma_store = #nv_tileas.atom<tma_store>
#vector4 = #nv_tileas.vector<width = 4, dim = 1>

gpu.module @m {
  // A tile that is added to the sums is loaded as these lie, two elements at a time, before the loop.
  gpu.func @moved(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %e = nv_tileas.tiled_load %vc[%i, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
        -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK: #mma0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [8, 0]
  // CHECK: #blocked0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [0, 2]
  // CHECK: [[SHARE:#.*]] = #nv_tileas.layout<register = {{\[\[}}1], [64]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}0], [0], [128]]>
  // CHECK-LABEL: gpu.func @moved(
  // CHECK: nv_tileas.tiled_load %vc{{.*}}{nv_tileas.layout = #mma0
  // CHECK-SAME: -> tensor<64x32xf16, #mma0>
  // CHECK-NEXT: scf.for
  // CHECK-NOT: nv_tileas.convert_layout
  // CHECK: gpu.return

  // A sum that is scaled before a product adds to it is scaled before the other product begins.
  gpu.func @scaled(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %half = arith.constant dense<5.000000e-01> : tensor<64x32xf32, #mma0>
    %r, %o = scf.for %k = %zero to %n step %one iter_args(%s = %c, %u = %c) -> (!t64x32xf32_mma0, !t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      %w = nv_tileas.tiled_load %vb[%k, %one] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8,
          in_bounds = array<i1: false, true>} : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %v = nv_tileaa.mulf %u, %half : !t64x32xf32_mma0
      %e = nv_tileas.dot %x_1, %w, %v {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d, %e : !t64x32xf32_mma0, !t64x32xf32_mma0
    }
    %z = nv_tileaa.addf %r, %o : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @scaled(
  // CHECK: scf.for
  // CHECK: [[SCALED:%.*]] = nv_tileaa.mulf %u
  // CHECK-NEXT: nv_tileas.dot %x, %y, %s
  // CHECK-NOT: nv_tileaa.mulf
  // CHECK: nv_tileas.dot %x, %w, [[SCALED]]
  // CHECK: gpu.return

  // Threads have registers for two such tiles beside the sums, but not for a third one.
  gpu.func @large(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.000000e+00> : tensor<64x256xf32, #mma2>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x256xf32_mma2) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked2, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> tensor<64x64xf16, #blocked2>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #vector8} : !tiled_view3, i32, i32
          -> tensor<64x256xf16, #blocked3>
      %x_1 = nv_tileas.convert_layout %x : tensor<64x64xf16, #blocked2> -> tensor<64x64xf16, #slice0>
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma2, nv_tileas.layout_a = #slice0, atom = #mma_sm90} : tensor<64x64xf16, #slice0>,
          tensor<64x256xf16, #blocked3>, !t64x256xf32_mma2
      scf.yield %d : !t64x256xf32_mma2
    }
    %e0 = nv_tileas.tiled_load %vc[%i, %zero] {nv_tileas.layout = #blocked4, nv_tileas.vector = #vector4,
        in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #blocked4>
    %e0_1 = nv_tileas.convert_layout %e0 : tensor<64x256xf32, #blocked4> -> !t64x256xf32_mma2
    %z0 = nv_tileaa.addf %r, %e0_1 : !t64x256xf32_mma2
    %e1 = nv_tileas.tiled_load %vc[%i, %one] {nv_tileas.layout = #blocked4, nv_tileas.vector = #vector4,
        in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #blocked4>
    %e1_1 = nv_tileas.convert_layout %e1 : tensor<64x256xf32, #blocked4> -> !t64x256xf32_mma2
    %z1 = nv_tileaa.addf %z0, %e1_1 : !t64x256xf32_mma2
    %e2 = nv_tileas.tiled_load %vc[%i, %i] {nv_tileas.layout = #blocked4, nv_tileas.vector = #vector4} : !tiled_view4, i32, i32
        -> tensor<64x256xf32, #blocked4>
    %e2_1 = nv_tileas.convert_layout %e2 : tensor<64x256xf32, #blocked4> -> !t64x256xf32_mma2
    %z2 = nv_tileaa.addf %z1, %e2_1 : !t64x256xf32_mma2
    nv_tileas.tiled_store %z2, %vd[%i, %i] {atom = #tma_store} : !t64x256xf32_mma2, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @large(
  // CHECK: %e0 = nv_tileas.tiled_load
  // CHECK-SAME: in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #mma2>
  // CHECK-NEXT: %e1 = nv_tileas.tiled_load
  // CHECK-SAME: in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #mma2>
  // CHECK-NEXT: scf.for
  // CHECK: scf.yield
  // CHECK: %e2 = nv_tileas.tiled_load
  // CHECK: gpu.return

  // What a store may have changed is not loaded before the loop.
  gpu.func @written(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %c_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #blocked5>
    nv_tileas.tiled_store %c_1, %vd[%i, %i] {atom = #tma_store} : tensor<64x32xf32, #blocked5>, !tiled_view2, i32, i32
    %e = nv_tileas.tiled_load %vc[%i, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
        -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @written(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileas.tiled_store
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // It stays behind a store before the loop.
  gpu.func @written_before(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #blocked5>
    nv_tileas.tiled_store %c, %vd[%i, %i] {atom = #tma_store} : tensor<64x32xf32, #blocked5>, !tiled_view2, i32, i32
    %c_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c_1) -> (!t64x32xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileaa.independent, nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8}
          : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent, nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8}
          : !tiled_view1, i32, i32 -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d : !t64x32xf32_mma0
    }
    %e = nv_tileas.tiled_load %vc[%i, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
        -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @written_before(
  // CHECK: nv_tileas.tiled_store
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: scf.for
  // CHECK: gpu.return

  // Nor is what is loaded from where is known only behind it.
  gpu.func @decided(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %r, %last = scf.for %k = %zero to %n step %one iter_args(%s = %c, %l = %zero) -> (!t64x32xf32_mma0, i32) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
          -> !t64x32xf16_blocked1
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #mma_sm90} : !t64x64xf16_mma1,
          !t64x32xf16_blocked1, !t64x32xf32_mma0
      scf.yield %d, %k : !t64x32xf32_mma0, i32
    }
    %later = arith.addi %last, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @decided(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: %later
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // What its place is computed from comes along.
  gpu.func @computed(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32,
        i32 -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @computed(
  // CHECK: %later
  // CHECK-NEXT: nv_tileas.tiled_load %vc
  // CHECK-SAME: -> tensor<64x32xf16, #mma0>
  // CHECK-NEXT: scf.for
  // CHECK: gpu.return

  // A tile that is used twice keeps its layout.
  gpu.func @twice(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
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
    %e = nv_tileas.tiled_load %vc[%i, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #vector8} : !tiled_view1, i32, i32
        -> !t64x32xf16_blocked1
    %w = nv_tileaa.fp_to_fp %e : !t64x32xf16_blocked1 to !t64x32xf32_blocked1
    %w_1 = nv_tileas.convert_layout %w : !t64x32xf32_blocked1 -> !t64x32xf32_mma0
    %z = nv_tileaa.addf %r, %w_1 : !t64x32xf32_mma0
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x32xf32_mma0, !tiled_view2, i32, i32
    nv_tileas.tiled_store %e, %vc[%i, %i] {atom = #tma_store} : !t64x32xf16_blocked1, !tiled_view1, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @twice(
  // CHECK: nv_tileas.tiled_load %vc{{.*}}{nv_tileas.layout = #blocked0
  // CHECK: scf.for
  // CHECK: nv_tileas.convert_layout
  // CHECK: gpu.return

  // Each warp loads the half of a row that it adds to its sums: four elements of a thread, without a barrier.
  gpu.func @row(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref2
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !memref2 -> !tiled_view5
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.000000e+00> : tensor<64x256xf32, #mma2>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x256xf32_mma2) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked2, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> tensor<64x64xf16, #blocked2>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #vector8} : !tiled_view3, i32, i32
          -> tensor<64x256xf16, #blocked3>
      %x_1 = nv_tileas.convert_layout %x : tensor<64x64xf16, #blocked2> -> tensor<64x64xf16, #slice0>
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma2, nv_tileas.layout_a = #slice0, atom = #mma_sm90} : tensor<64x64xf16, #slice0>,
          tensor<64x256xf16, #blocked3>, !t64x256xf32_mma2
      scf.yield %d : !t64x256xf32_mma2
    }
    %e = nv_tileas.tiled_load %vc[%i] {nv_tileas.layout = #blocked6, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>}
        : !tiled_view5, i32 -> tensor<256xf16, #blocked6>
    %f = nv_tileas.view %e : tensor<256xf16, #blocked6> -> tensor<1x256xf16, #blocked7>
    %g = nv_tileas.convert_layout %f : tensor<1x256xf16, #blocked7> -> tensor<1x256xf16, #slice1>
    %h = nv_tileaa.fp_to_fp %g : tensor<1x256xf16, #slice1> to tensor<1x256xf32, #slice1>
    %b = nv_tileaa.broadcast %h : tensor<1x256xf32, #slice1> -> !t64x256xf32_mma2
    %z = nv_tileaa.addf %r, %b : !t64x256xf32_mma2
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x256xf32_mma2, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @row(
  // CHECK: [[LOADED:%.*]] = nv_tileas.tiled_load %vc[%i] {nv_tileas.layout = [[SHARE]],
  // CHECK-SAME: -> tensor<256xf16, [[SHARE]]>
  // CHECK-NEXT: scf.for
  // CHECK: [[ROW:%.*]] = nv_tileas.view [[LOADED]] : tensor<256xf16, [[SHARE]]> -> tensor<1x256xf16, [[SHARES:#.*]]>
  // CHECK-NEXT: nv_tileas.convert_layout [[ROW]] : tensor<1x256xf16, [[SHARES]]> -> tensor<1x256xf16, #slice
  // CHECK: gpu.return

  // Elements become wider once they are where they are needed: a shuffle moves two of them.
  gpu.func @widened(%pa: !ptr, %pb: !ptr, %pc: !ptr, %pd: !ptr, %n: i32,
      %i: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #div_by16} : !ptr
    %ma = nv_tileaa.make_memref %aa : !ptr -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #div_by16} : !ptr
    %mb = nv_tileaa.make_memref %ab : !ptr -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ac = nv_tileaa.assume %pc {predicate = #div_by16} : !ptr
    %mc = nv_tileaa.make_memref %ac : !ptr -> !memref2
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !memref2 -> !tiled_view5
    %ad = nv_tileaa.assume %pd {predicate = #div_by16} : !ptr
    %md = nv_tileaa.make_memref %ad : !ptr -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.000000e+00> : tensor<64x256xf32, #mma2>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x256xf32_mma2) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked2, nv_tileas.vector = #vector8} : !tiled_view0, i32, i32
          -> tensor<64x64xf16, #blocked2>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked3, nv_tileas.vector = #vector8} : !tiled_view3, i32, i32
          -> tensor<64x256xf16, #blocked3>
      %x_1 = nv_tileas.convert_layout %x : tensor<64x64xf16, #blocked2> -> tensor<64x64xf16, #slice0>
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma2, nv_tileas.layout_a = #slice0, atom = #mma_sm90} : tensor<64x64xf16, #slice0>,
          tensor<64x256xf16, #blocked3>, !t64x256xf32_mma2
      scf.yield %d : !t64x256xf32_mma2
    }
    %e = nv_tileas.tiled_load %vc[%i] {nv_tileas.layout = #blocked6, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>}
        : !tiled_view5, i32 -> tensor<256xf16, #blocked6>
    %f = nv_tileaa.fp_to_fp %e : tensor<256xf16, #blocked6> to tensor<256xf32, #blocked6>
    %g = nv_tileas.view %f : tensor<256xf32, #blocked6> -> tensor<1x256xf32, #blocked7>
    %h = nv_tileas.convert_layout %g : tensor<1x256xf32, #blocked7> -> tensor<1x256xf32, #slice1>
    %b = nv_tileaa.broadcast %h : tensor<1x256xf32, #slice1> -> !t64x256xf32_mma2
    %z = nv_tileaa.addf %r, %b : !t64x256xf32_mma2
    nv_tileas.tiled_store %z, %vd[%i, %i] {atom = #tma_store} : !t64x256xf32_mma2, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @widened(
  // CHECK: [[LOADED:%.*]] = nv_tileas.tiled_load %vc[%i] {nv_tileas.layout = [[SHARE]],
  // CHECK-SAME: -> tensor<256xf16, [[SHARE]]>
  // CHECK-NEXT: scf.for
  // CHECK: [[ROW:%.*]] = nv_tileas.view [[LOADED]] : tensor<256xf16, [[SHARE]]> -> tensor<1x256xf16, [[SHARES:#.*]]>
  // CHECK-NEXT: [[LINE:%.*]] = nv_tileas.convert_layout [[ROW]] : tensor<1x256xf16, [[SHARES]]> -> tensor<1x256xf16, [[SLICE:#slice.*]]>
  // CHECK-NEXT: [[WIDE:%.*]] = nv_tileaa.fp_to_fp [[LINE]] : tensor<1x256xf16, [[SLICE]]> to tensor<1x256xf32, [[SLICE]]>
  // CHECK-NEXT: nv_tileaa.broadcast [[WIDE]] : tensor<1x256xf32, [[SLICE]]>
  // CHECK: gpu.return
}
