// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// Accumulators of 128 registers per thread leave none for addresses of stores.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x256, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x256, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[1, 0], [2, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!t64x256xf32_mma0 = tensor<64x256xf32, #mma0>
!t64x64xf16_blocked0 = tensor<64x64xf16, #blocked0>
!t64x64xf16_mma1 = tensor<64x64xf16, #mma1>

gpu.module @m {
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x256xf32, #mma0>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (!t64x256xf32_mma0) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> !t64x64xf16_blocked0
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x256xf16, #blocked1>
      %x_1 = nv_tileas.convert_layout %x : !t64x64xf16_blocked0 -> !t64x64xf16_mma1
      %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} : !t64x64xf16_mma1,
          tensor<64x256xf16, #blocked1>, !t64x256xf32_mma0
      scf.yield %d : !t64x256xf32_mma0
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t64x256xf32_mma0, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @gemm(
  // CHECK-SAME: nv_tileas.rematerialized
}
