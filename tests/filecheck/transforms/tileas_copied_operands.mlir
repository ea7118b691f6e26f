// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule" %s | filecheck %s --check-prefix SCHEDULE
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule" %s | filecheck %s --check-prefix AGENTS
// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule,tileas-allocate-shared-memory,tileas-insert-barriers,convert-tileas-to-nvgpu" %s | filecheck %s --check-prefix THREADS

// Rows of operand A are gathered: threads of a producer warpgroup copy them to where WGMMA reads
// them, beside TMA, which loads operand B. They load the numbers of the rows for themselves, in a
// layout of their own, and consumer warps do not load them at all.

// SCHEDULE: nv_tileas.schedule = #nv_tileas.schedule<stages = [3], producer_warps = 4>
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE-SAME: nv_tileaa.invariant
// SCHEDULE: scf.for
// SCHEDULE: nv_tileas.load
// SCHEDULE: nv_tileas.pipe = #nv_tileas.pipe<0>
// SCHEDULE: atom = #nv_tileas.atom<ldgsts>
// SCHEDULE: nv_tileas.tiled_load
// SCHEDULE: nv_tileas.pipe = #nv_tileas.pipe<0>
// SCHEDULE: nv_tileas.dot

// AGENTS: agent_switch attributes {num_warps = array<i32: 4, 8>, warp_id = array<i32: 8, 0>}
// AGENTS: nv_tileas.tiled_load
// AGENTS: scf.for
// AGENTS: nv_tileaa.addptr
// AGENTS: producer_acquire
// AGENTS-NEXT: producer_write
// AGENTS: nv_tileas.load
// AGENTS: atom = #nv_tileas.atom<ldgsts>
// AGENTS: nv_tileas.tiled_load
// AGENTS: atom = #nv_tileas.atom<tma_load>
// AGENTS: producer_commit
// AGENTS: } {
// AGENTS-NOT: _load
// AGENTS: consumer_wait
// AGENTS-NOT: _load
// AGENTS: nv_tileas.async.dot

// One arrival for bytes of TMA, and one of each thread that copies.
// THREADS: [[count:%[a-z0-9_]+]] = arith.constant 129 : i32
// THREADS: nvvm.mbarrier.init.shared {{.*}}, [[count]]
// THREADS: nvvm.mbarrier.try_wait.parity.shared
// THREADS: nvvm.fence.proxy
// THREADS: nvvm.wgmma.mma_async
// THREADS: nvvm.mbarrier.try_wait.parity.shared
// THREADS: scf.if
// THREADS: nvvm.mbarrier.arrive.expect_tx.shared
// THREADS: nvvm.cp.async.bulk.tensor.{{.*}}.shared.cluster.global.tile
// THREADS: nvvm.fragment.cp_async
// THREADS: nvvm.cp.async.mbarrier.arrive.shared
// THREADS-SAME: noinc = true
// THREADS: nvvm.cp.async.wait.all

cuda_tile.module @kernels {
  entry @gathered(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>, %pr: tile<ptr<i32>>, %n: tile<i32>) {
    %l = assume bounded<0, ?>, %n : tile<i32>
    %s = assume div_by<16>, %l : tile<i32>
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %qb = assume div_by<16>, %pb : tile<ptr<f16>>
    %tb = make_tensor_view %qb, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_partition_view %tb : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %qc = assume div_by<16>, %pc : tile<ptr<f16>>
    %tc = make_tensor_view %qc, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_partition_view %tc : partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>
    %tr = make_tensor_view %pr, shape = [%s], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %vr = make_partition_view %tr : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<128x256xf32>
    %rows, %rt = load_view_tko weak %vr[%i] : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %r0 = reshape %rows : tile<128xi32> -> tile<128x1xi32>
    %r1 = broadcast %r0 : tile<128x1xi32> -> tile<128x64xi32>
    %s0 = reshape %s : tile<i32> -> tile<1x1xi32>
    %s1 = broadcast %s0 : tile<1x1xi32> -> tile<128x64xi32>
    %begin = muli %r1, %s1 : tile<128x64xi32>
    %mask = cmpi less_than %r1, %s1, unsigned : tile<128x64xi32> -> tile<128x64xi1>
    %other = constant <f16: 0.0> : tile<128x64xf16>
    %q0 = reshape %qa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %q1 = broadcast %q0 : tile<1x1xptr<f16>> -> tile<128x64xptr<f16>>
    %c0 = iota : tile<64xi32>
    %c1 = reshape %c0 : tile<64xi32> -> tile<1x64xi32>
    %c2 = broadcast %c1 : tile<1x64xi32> -> tile<128x64xi32>
    %width = constant <i32: 64> : tile<i32>
    %sum = for %x in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<128x256xf32>) {
      %k0 = muli %x, %width : tile<i32>
      %k1 = reshape %k0 : tile<i32> -> tile<1x1xi32>
      %k2 = broadcast %k1 : tile<1x1xi32> -> tile<128x64xi32>
      %o0 = addi %begin, %k2 : tile<128x64xi32>
      %o1 = addi %o0, %c2 : tile<128x64xi32>
      %q2 = offset %q1, %o1 : tile<128x64xptr<f16>>, tile<128x64xi32> -> tile<128x64xptr<f16>>
      %a, %at = load_ptr_tko weak %q2, %mask, %other : tile<128x64xptr<f16>>, tile<128x64xi1>, tile<128x64xf16> -> tile<128x64xf16>, token
      %b, %bt = load_view_tko weak %vb[%x, %j] : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x256xf16>, token
      %d = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
      continue %d : tile<128x256xf32>
    }
    %h = ftof %sum : tile<128x256xf32> -> tile<128x256xf16>
    %ct = store_view_tko weak %h, %vc[%i, %j] : tile<128x256xf16>, partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
