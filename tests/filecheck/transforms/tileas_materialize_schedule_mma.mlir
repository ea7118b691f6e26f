// RUN: tileiras-opt -p "tileas-materialize-schedule,tileas-allocate-tensor-memory" %s | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "refused", "MMAs have no warp of their own: a tile that threads write is not used by one MMA", ""

// An agent that issues MMAs, between one that loads and one that reads accumulators.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<128x32, !memref1>
#tmem0 = #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#row = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
!sum = tensor<128x32xf32, #tmem0>

builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
gpu.module @m {
  // Threads read one accumulator while MMAs add to the other.
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %m: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1, mma_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %mc = nv_tileaa.make_memref %pc : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    scf.for %i = %zero to %m step %one : i32 {
      %place = nv_tileas.alloc_tensor : !sum
      %r = scf.for %k = %zero to %n step %one iter_args(%s = %place) -> (!sum) : i32 {
        %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> tensor<128x64xf16, #blocked0>
        %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
        %later = arith.cmpi ne, %k, %zero : i32
        %d = nv_tileas.dot %x, %y, %s, %later {nv_tileas.layout = #row, atom = #nv_tileas.atom<mma.sm100>} : tensor<128x64xf16, #blocked0>, tensor<64x32xf16, #blocked1>, !sum, i1
        scf.yield %d : !sum
      }
      %read = nv_tileas.tensor_memory_load %r : !sum -> tensor<128x32xf32, #row>
      %twice = nv_tileaa.addf %read, %read : tensor<128x32xf32, #row>
      nv_tileas.tiled_store %twice, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x32xf32, #row>, !tiled_view2, i32, i32
      scf.yield
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @gemm
  // CHECK:           nv_tileas.tensor_memory = #nv_tileas.tensor_memory_columns<64>
  // CHECK:       %[[TILES:.*]] = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32}
  // CHECK-NEXT:  %[[SUMS:.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.column = #nv_tileas.column<0>, numStages = 2 : i32}
  // CHECK:       nv_tileas.async.pipeline.agent_switch attributes {nv_tileas.agents = ["producer", "mma", "consumer"], num_warps = array<i32: 1, 1, 4>,
  // CHECK-SAME:      warp_id = array<i32: 4, 5, 0>}
  // CHECK-NOT:   nv_tileas.dot
  // CHECK:       nv_tileas.async.pipeline.producer_commit %[[TILES]]
  // CHECK:       nv_tileas.async.pipeline.yield
  // CHECK:       scf.for %i
  // CHECK-NEXT:    %[[FREE:.*]] = nv_tileas.async.pipeline.producer_acquire %[[SUMS]]
  // CHECK-NEXT:    %[[PLACE:.*]] = nv_tileas.async.pipeline.stage_buffer %[[SUMS]], %[[FREE]]
  // CHECK-NEXT:    scf.for {{.*}} iter_args(%s = %[[PLACE]],
  // CHECK:           nv_tileas.async.pipeline.consumer_wait %[[TILES]]
  // CHECK:           nv_tileas.dot
  // CHECK:           nv_tileas.async.pipeline.consumer_release %[[TILES]]
  // CHECK:         nv_tileas.async.pipeline.producer_write %[[SUMS]], %[[FREE]]
  // CHECK:         nv_tileas.async.pipeline.producer_commit %[[SUMS]]
  // CHECK:       nv_tileas.async.pipeline.yield
  // CHECK:       scf.for %i
  // CHECK-NEXT:    %[[FULL:.*]] = nv_tileas.async.pipeline.consumer_wait %[[SUMS]]
  // CHECK-NEXT:    %[[TOKEN:.*]], %[[SUM:.*]] = nv_tileas.async.pipeline.consumer_read %[[SUMS]], %[[FULL]]
  // CHECK:         nv_tileas.tensor_memory_load %[[SUM]]
  // CHECK-NEXT:    nv_tileas.async.pipeline.consumer_release %[[SUMS]], %[[TOKEN]]
  // CHECK:         nv_tileas.tiled_store
  // CHECK-NOT:     nv_tileas.async.pipeline.consumer_wait
  // CHECK:       nv_tileas.tensor_memory_fence
  // CHECK-NEXT:  nv_tileas.barrier

  // An accumulator that threads scale between MMAs goes back and forth.
  gpu.func @scaled(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1, mma_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %mc = nv_tileaa.make_memref %pc : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %place = nv_tileas.alloc_tensor : !sum
    %nothing = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
    %start = nv_tileas.tensor_memory_store %nothing into %place : tensor<128x32xf32, #row>, !sum
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %start) -> (!sum) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> tensor<128x64xf16, #blocked0>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
      %old = nv_tileas.tensor_memory_load %s : !sum -> tensor<128x32xf32, #row>
      %twice = nv_tileaa.addf %old, %old : tensor<128x32xf32, #row>
      %scaled = nv_tileas.tensor_memory_store %twice into %place : tensor<128x32xf32, #row>, !sum
      %d = nv_tileas.dot %x, %y, %scaled {nv_tileas.layout = #row, atom = #nv_tileas.atom<mma.sm100>} : tensor<128x64xf16, #blocked0>, tensor<64x32xf16, #blocked1>, !sum
      scf.yield %d : !sum
    }
    %read = nv_tileas.tensor_memory_load %r : !sum -> tensor<128x32xf32, #row>
    nv_tileas.tiled_store %read, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x32xf32, #row>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @scaled
  // CHECK:       %[[IN:.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.column = #nv_tileas.column<0>, numStages = 1 : i32}
  // CHECK-NEXT:  %[[OUT:.*]] = nv_tileas.async.pipeline.create_pipeline {nv_tileas.column = #nv_tileas.column<0>, numStages = 1 : i32}
  // CHECK:       nv_tileas.agents = ["producer", "mma", "consumer"]
  // CHECK:         nv_tileas.async.pipeline.producer_acquire %[[OUT]]
  // CHECK-NEXT:    nv_tileas.async.pipeline.consumer_wait %[[IN]]
  // CHECK:         nv_tileas.dot
  // CHECK:         nv_tileas.async.pipeline.consumer_release %[[IN]]
  // CHECK:         nv_tileas.async.pipeline.producer_commit %[[OUT]]
  // CHECK:       nv_tileas.tensor_memory_store %nothing
  // CHECK:       scf.for
  // CHECK:         nv_tileas.tensor_memory_load %s
  // CHECK:         nv_tileas.async.pipeline.producer_acquire %[[IN]]
  // CHECK:         nv_tileas.tensor_memory_store %twice
  // CHECK:         nv_tileas.async.pipeline.producer_commit %[[IN]]
  // CHECK:         nv_tileas.async.pipeline.consumer_wait %[[OUT]]
  // CHECK:         nv_tileas.async.pipeline.consumer_release %[[OUT]]
  // CHECK-NEXT:    scf.yield

  // Threads write an operand to shared memory, when MMAs have read the last one.
  gpu.func @written(%pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1, mma_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %mc = nv_tileaa.make_memref %pc : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %place = nv_tileas.alloc_tensor : !sum
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %place) -> (!sum) : i32 {
      %x = "test.pureop"(%k) : (i32) -> tensor<128x64xf16, #blocked0>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileas.layout = #blocked1, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
      %later = arith.cmpi ne, %k, %zero : i32
      %d = nv_tileas.dot %x, %y, %s, %later {nv_tileas.layout = #row, atom = #nv_tileas.atom<mma.sm100>} : tensor<128x64xf16, #blocked0>, tensor<64x32xf16, #blocked1>, !sum, i1
      scf.yield %d : !sum
    }
    %read = nv_tileas.tensor_memory_load %r : !sum -> tensor<128x32xf32, #row>
    nv_tileas.tiled_store %read, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x32xf32, #row>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @written
  // CHECK:       nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32}
  // CHECK-NEXT:  %[[A:.*]] = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32}
  // CHECK:       nv_tileas.agents = ["producer", "mma", "consumer"]
  // CHECK:         nv_tileas.async.pipeline.consumer_wait %[[A]]
  // CHECK:         nv_tileas.dot
  // CHECK:         nv_tileas.async.pipeline.consumer_release %[[A]]
  // CHECK:       nv_tileas.async.pipeline.yield
  // CHECK:       scf.for
  // CHECK-NEXT:    %x = "test.pureop"
  // CHECK:         %[[FREE:.*]] = nv_tileas.async.pipeline.producer_acquire %[[A]]
  // CHECK-NEXT:    %[[BUFFER:.*]] = nv_tileas.async.pipeline.stage_buffer %[[A]], %[[FREE]]
  // CHECK-NEXT:    nv_tileas.copy %x into(%[[BUFFER]]
  // CHECK:         nv_tileas.async.pipeline.producer_commit %[[A]]

  // A tile that two MMAs read has no agent to hand it over once.
  gpu.func @refused(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [1], producer_warps = 1, mma_warps = 1>} {
    %none = arith.constant 0.0 : f32
    %true = arith.constant true
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %mc = nv_tileaa.make_memref %pc : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %place = nv_tileas.alloc_tensor : !sum
    %nothing = nv_tileaa.splat %none : f32 to tensor<128x32xf32, #row>
    %start = nv_tileas.tensor_memory_store %nothing into %place : tensor<128x32xf32, #row>, !sum
    %x = nv_tileas.tiled_load %va[%i, %i] {nv_tileas.layout = #blocked0, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> tensor<128x64xf16, #blocked0>
    %y = nv_tileas.tiled_load %vb[%i, %i] {nv_tileas.layout = #blocked1, nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
    %old = nv_tileas.tensor_memory_load %start : !sum -> tensor<128x32xf32, #row>
    %d = nv_tileas.dot %x, %y, %start, %true {nv_tileas.layout = #row, atom = #nv_tileas.atom<mma.sm100>} : tensor<128x64xf16, #blocked0>, tensor<64x32xf16, #blocked1>, !sum, i1
    %read = nv_tileas.tensor_memory_load %d : !sum -> tensor<128x32xf32, #row>
    %both = nv_tileaa.addf %read, %old : tensor<128x32xf32, #row>
    nv_tileas.tiled_store %both, %vc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<128x32xf32, #row>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @refused
}
}
