// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// A CTA has several tiles, one after the other. TMA stores them while the next one is multiplied, and threads
// store the last one, behind which there is nothing to do.

!memref0 = !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x128, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<128x128, !memref0>
#swizzled0 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]>
#swizzled1 = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64]]>
!ta = tensor<128x64xf16, #swizzled0>
!tb = tensor<64x128xf16, #swizzled1>
!pipeline0 = !nv_tileas.pipeline<!ta, !tb>
!producer0 = !nv_tileas.iterator<producer, !ta, !tb>
!consumer0 = !nv_tileas.iterator<consumer, !ta, !tb>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
!async = !nv_tileas.async<tensor<128x128xf32, #mma0>>
!sum = tensor<128x128xf32, #mma0>
!stored = tensor<128x128xf16, #mma0>
#tma_load = #nv_tileas.atom<tma_load>

gpu.module @m {
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %rows: i32, %n: i32, %first: i32, %end: i32, %step: i32) kernel
      attributes {nv_tileas.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rows_1 = nv_tileaa.assume %rows {predicate = #nv_tileaa.bounded<1, ?>} : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa sizes(%rows_1 : i32) : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab sizes(%rows_1 : i32) : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 128>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac sizes(%rows_1 : i32) : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 128>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view2
    %0 = nv_tileas.async.pipeline.create_pipeline {numStages = 3 : i32} : !pipeline0
    %1 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline0 -> !producer0
    %2 = nv_tileas.async.pipeline.create_iterator %0 : !pipeline0 -> !consumer0
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 8>, warp_id = array<i32: 8, 0>} {
      %p = scf.for %tile_0 = %first to %end step %step iter_args(%p_0 = %1) -> (!producer0) : i32 {
        %tile = nv_tileaa.assume %tile_0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
        %3 = scf.for %k = %zero to %n step %one iter_args(%4 = %p_0) -> (!producer0) : i32 {
          %5 = nv_tileas.async.pipeline.producer_acquire %0[%4] : !pipeline0, !producer0
          %6 = nv_tileas.async.pipeline.producer_write %0, %5 : !pipeline0 {
            %7 = nv_tileas.tiled_load %va[%tile, %k] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, atom = #tma_load} : !tiled_view0, i32, i32 -> !ta
            %8 = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, atom = #tma_load} : !tiled_view1, i32, i32 -> !tb
            nv_tileas.async.pipeline.yield %7, %8 : !ta, !tb
          }
          nv_tileas.async.pipeline.producer_commit %0, %6 : !pipeline0
          %9 = nv_tileas.async.pipeline.inc_iter %4 : !producer0
          scf.yield %9 : !producer0
        }
        scf.yield %3 : !producer0
      }
      nv_tileas.async.pipeline.yield
    } {
      %c = arith.constant dense<0.000000e+00> : !sum
      %q = scf.for %tile_1 = %first to %end step %step iter_args(%q_0 = %2) -> (!consumer0) : i32 {
        %tile = nv_tileaa.assume %tile_1 {predicate = #nv_tileaa.bounded<0, ?>} : i32
        %10 = nv_tileas.async.to_async %c : !sum -> !async
        %11 = nv_tileas.async.pipeline.create_null_token : !nv_tileas.consumer_token
        %r, %12, %13 = scf.for %k = %zero to %n step %one iter_args(%s = %10, %14 = %q_0, %15 = %11)
            -> (!async, !consumer0, !nv_tileas.consumer_token) : i32 {
          %16 = nv_tileas.async.pipeline.consumer_wait %0[%14] : !pipeline0, !consumer0
          %17, %18, %19 = nv_tileas.async.pipeline.consumer_read %0, %16 : !pipeline0 -> !nv_tileas.consumer_token, !ta, !tb {
          ^bb0(%20: !ta, %21: !tb):
            nv_tileas.async.pipeline.yield %20, %21 : !ta, !tb
          }
          %22 = nv_tileas.async.pipeline.inc_iter %14 : !consumer0
          %23 = nv_tileas.async.dot %18, %19, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
              : !ta, !tb, !async -> !async
          %24 = nv_tileas.async.future_wait %s : !async -> !sum
          nv_tileas.async.pipeline.consumer_release %0, %15 : !pipeline0
          scf.yield %23, %22, %17 : !async, !consumer0, !nv_tileas.consumer_token
        }
        %25 = nv_tileas.async.future_wait %r : !async -> !sum
        nv_tileas.async.pipeline.consumer_release %0, %13 : !pipeline0
        %26 = nv_tileaa.fp_to_fp %25 : !sum to !stored
        nv_tileas.tiled_store %26, %vc[%tile, %zero] {nv_tileas.group_store, atom = #nv_tileas.atom<tma_store>} : !stored, !tiled_view2, i32, i32
        scf.yield %12 : !consumer0
      }
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
  // The warpgroup waits for its part of the staging buffer before the sums are there. Lanes of a warp read what
  // others of it have written: 16 bytes of a row each, two rows at a time. Rows may be out of bounds.
  // CHECK-LABEL: gpu.func @gemm(
  // CHECK: scf.for [[TILE:%[0-9]+]] = %first to %end step %step
  // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0, {{%.*}}
  // CHECK: nvvm.fragment.stmatrix {{%.*}}, {{%.*}} {num = 4 : i64} : vector<64xf16>, vector<8x!llvm.ptr<3>>
  // CHECK-NEXT: [[LEFT:%.*]] = arith.subi %end, [[TILE]] : i32
  // CHECK-NEXT: [[LAST:%.*]] = arith.cmpi ule, [[LEFT]], %step : i32
  // CHECK-NEXT: scf.if [[LAST]] {
  // CHECK: nvvm.bar.warp.sync
  // CHECK: [[ROWS:%.*]] = nvvm.fragment.load {{%.*}} {alignment = 16 : i64} : vector<8x!llvm.ptr<3>> -> vector<64xf16>
  // CHECK: nvvm.fragment.store [[ROWS]], {{%.*}} mask({{%.*}} : vector<8xi1>) {alignment = 16 : i64} : vector<64xf16>, vector<8x!llvm.ptr<1>>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nvvm.fence.proxy
  // CHECK: nvvm.barrier
  // CHECK: nvvm.cp.async.bulk.tensor.{{.*}}.global.shared.cta.tile
  // CHECK: nvvm.cp.async.bulk.tensor.{{.*}}.global.shared.cta.tile
  // CHECK: nvvm.cp.async.bulk.commit.group
}
