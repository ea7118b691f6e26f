// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule" %s | filecheck %s --check-prefix SCHEDULE
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule" %s | filecheck %s --check-prefix AGENTS
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule,tileas-allocate-shared-memory,tileas-insert-barriers,convert-tileas-to-nvgpu" %s | filecheck %s --check-prefix THREADS

// Rows of both operands are multiples of 4 bytes: threads of a producer warpgroup copy them to where
// WGMMA reads them, and nothing is loaded by TMA. Rows may end within a chunk.

// SCHEDULE: nv_tileas.schedule = #nv_tileas.schedule<stages = [5], producer_warps = 4>
// SCHEDULE: scf.for
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE: nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>
// SCHEDULE: atom = #nv_tileas.atom<ldgsts>
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE: nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>
// SCHEDULE: atom = #nv_tileas.atom<ldgsts>
// SCHEDULE: nv_tileas.dot
// SCHEDULE-SAME: atom = #nv_tileas.atom<mma.sm90>

// AGENTS: agent_switch attributes {num_warps = array<i32: 4, 8>, warp_id = array<i32: 8, 0>}
// AGENTS: scf.for
// AGENTS-NEXT: producer_acquire
// AGENTS-NEXT: producer_write
// AGENTS: nv_tileas.tiled_load
// AGENTS: atom = #nv_tileas.atom<ldgsts>
// AGENTS: nv_tileas.tiled_load
// AGENTS: atom = #nv_tileas.atom<ldgsts>
// AGENTS: producer_commit
// AGENTS: } {
// AGENTS-NOT: _load
// AGENTS: consumer_wait
// AGENTS-NOT: _load
// AGENTS: nv_tileas.async.dot

// Tiles that are in bounds have no masks; of others copies say how many bytes they read.
// THREADS: nvvm.wgmma.mma_async
// THREADS: nvvm.mbarrier.try_wait.parity.shared
// THREADS: nvvm.mbarrier.arrive.expect_tx.shared
// THREADS-NOT: nvvm.cp.async.bulk.tensor.{{.*}}.shared.cluster.global.tile
// THREADS: nvvm.shfl.sync
// THREADS: scf.if
// THREADS-NOT: mask
// THREADS: nvvm.fragment.cp_async
// THREADS-NOT: mask
// THREADS: } else {
// THREADS: nvvm.fragment.cp_async {{.*}} mask({{.*}} : vector<2xi32>)
// THREADS: scf.if
// THREADS: nvvm.cp.async.mbarrier.arrive.shared
// THREADS-SAME: noinc = true
// THREADS: nvvm.cp.async.wait.all

cuda_tile.module @kernels {
  entry @unaligned(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>, %n: tile<i32>, %p: tile<i32>) {
    %l = assume bounded<0, ?>, %n : tile<i32>
    %b0 = assume bounded<0, ?>, %p : tile<i32>
    %s = assume div_by<2>, %b0 : tile<i32>
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %qb = assume div_by<16>, %pb : tile<ptr<f16>>
    %qc = assume div_by<16>, %pc : tile<ptr<f16>>
    %ta = make_tensor_view %qa, shape = [%l, %l], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %va = make_partition_view %ta : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tb = make_tensor_view %qb, shape = [%l, %l], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_partition_view %tb : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tc = make_tensor_view %qc, shape = [%l, %l], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_partition_view %tc : partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<128x128xf32>
    %sum = for %x in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<128x128xf32>) {
      %a, %at = load_view_tko weak %va[%i, %x] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %b, %bt = load_view_tko weak %vb[%x, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
      %d = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %d : tile<128x128xf32>
    }
    %h = ftof %sum : tile<128x128xf32> -> tile<128x128xf16>
    %ct = store_view_tko weak %h, %vc[%i, %j] : tile<128x128xf16>, partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
