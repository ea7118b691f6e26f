// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_120a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_120a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule" %s | filecheck %s --check-prefix SCHEDULE
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_120a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_120a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule" %s | filecheck %s --check-prefix AGENTS
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_120a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_120a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule,tileas-allocate-shared-memory,tileas-insert-barriers,convert-tileas-to-nvgpu" %s | filecheck %s --check-prefix THREADS

// On sm_120, a producer warp loads tiles by TMA, and consumer warps read them by `ldmatrix` for
// `mma.sync`. Each warp releases a buffer stage by itself.

// SCHEDULE: nv_tileas.schedule = #nv_tileas.schedule<stages = [2], producer_warps = 1>
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE: nv_tileas.pipe = #nv_tileas.pipe<0>
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE: nv_tileas.pipe = #nv_tileas.pipe<0>
// SCHEDULE: nv_tileas.dot
// SCHEDULE-SAME: nv_tileas.staged
// SCHEDULE: nv_tileas.tiled_store
// SCHEDULE-SAME: atom = #nv_tileas.atom<tma_store>

// AGENTS: create_pipeline
// AGENTS-SAME: nv_tileas.warp_release
// AGENTS: agent_switch
// AGENTS: producer_acquire
// AGENTS: tma_load
// AGENTS: tma_load
// AGENTS: producer_commit
// AGENTS: consumer_wait
// AGENTS: consumer_read
// AGENTS: nv_tileas.dot
// AGENTS: consumer_release

// THREADS: nvvm.mbarrier.try_wait.parity.shared
// THREADS: nvvm.fragment.ldmatrix
// THREADS: nvvm.fragment.ldmatrix
// THREADS-SAME: trans}
// THREADS: nvvm.fragment.mma
// THREADS: nvvm.bar.warp.sync
// THREADS: scf.if
// THREADS: nvvm.mbarrier.arrive.shared
// THREADS: nvvm.cp.async.bulk.tensor.{{.*}}.global.shared.cta.tile
// THREADS: nvvm.mbarrier.arrive.expect_tx.shared
// THREADS: nvvm.cp.async.bulk.tensor.{{.*}}.shared.cluster.global.tile
// THREADS: nvvm.cp.async.bulk.tensor.{{.*}}.shared.cluster.global.tile

cuda_tile.module @kernels {
  entry @gemm(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>, %n: tile<i32>) {
    %l = assume bounded<0, ?>, %n : tile<i32>
    %s = assume div_by<16>, %l : tile<i32>
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %ta = make_tensor_view %qa, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %va = make_partition_view %ta : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %qb = assume div_by<16>, %pb : tile<ptr<f16>>
    %tb = make_tensor_view %qb, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_partition_view %tb : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %qc = assume div_by<16>, %pc : tile<ptr<f16>>
    %tc = make_tensor_view %qc, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_partition_view %tc : partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<128x128xf32>
    %sum = for %x in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<128x128xf32>) {
      %a, %t0 = load_view_tko weak %va[%i, %x] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %b, %t1 = load_view_tko weak %vb[%x, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
      %next = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %next : tile<128x128xf32>
    }
    %r = ftof %sum : tile<128x128xf32> -> tile<128x128xf16>
    %done = store_view_tko weak %r, %vc[%i, %j] : tile<128x128xf16>, partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
