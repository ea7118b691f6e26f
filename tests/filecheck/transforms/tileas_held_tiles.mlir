// RUN: tileiras-opt -p 'tileas-generate-schedule{cut="results"}' %s | filecheck %s --check-prefix=SCHEDULE
// RUN: tileiras-opt -p 'tileas-generate-schedule' %s | filecheck %s --check-prefix=OFF
// RUN: tileiras-opt -p 'tileas-generate-schedule{cut="results"},tileas-materialize-schedule' %s | filecheck %s

// Keys are values, too. The first product of an iteration is issued behind the second one of the
// iteration before, and its tile stays in the buffer stage until the second one has read it again.

// SCHEDULE: scf.for
// SCHEDULE-NEXT: %k = nv_tileas.tiled_load %vk[%x, %cst]
// SCHEDULE-NEXT: nv_tileas.pipe = #nv_tileas.pipe<1>, nv_tileas.held = "keep",
// SCHEDULE-NEXT: nv_tileas.stage = #nv_tileas.stage<stage = 0,
// SCHEDULE: nv_tileaa.permute %k {nv_tileas.stage = #nv_tileas.stage<stage = 0,
// SCHEDULE: %s = nv_tileas.dot {{.*}}nv_tileas.stage<stage = 0,
// SCHEDULE: nv_tileaa.exp2 %s {nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 0>}
// SCHEDULE: [[AGAIN:%.*]] = nv_tileas.tiled_load %vk[%x, %cst]
// SCHEDULE-NEXT: nv_tileas.pipe = #nv_tileas.pipe<1>, nv_tileas.held = "release",
// SCHEDULE-NEXT: nv_tileas.stage = #nv_tileas.stage<stage = 1,
// SCHEDULE: nv_tileas.dot %p, [[AGAIN]], %acc
// SCHEDULE-NEXT: nv_tileas.stage = #nv_tileas.stage<stage = 1,

// OFF-NOT: held
// OFF-NOT: nv_tileas.stage<

// The producer loads each tile once, the consumer has two iterators:
// CHECK: create_pipeline
// CHECK-NEXT: [[K:%.*]] = nv_tileas.async.pipeline.create_pipeline
// CHECK: agent_switch
// CHECK: scf.for
// CHECK: producer_acquire [[K]]
// CHECK-NOT: producer_acquire
// CHECK: } {
// CHECK: scf.if

// The first iteration:
// CHECK: consumer_wait [[K]]
// CHECK: nv_tileas.async.dot
// CHECK-NOT: release [[K]]

// CHECK: scf.for
// CHECK: nv_tileaa.exp2
// CHECK: [[OLD:%.*]] = nv_tileas.async.pipeline.consumer_wait [[K]]
// CHECK-NEXT: [[TOKEN:%.*]], [[TILE:%.*]] = nv_tileas.async.pipeline.consumer_read [[K]], [[OLD]]
// CHECK: [[O:%.*]] = nv_tileas.async.dot {{%.*}}, [[TILE]]
// CHECK: nv_tileas.async.pipeline.consumer_wait [[K]]
// CHECK: [[S:%.*]] = nv_tileas.async.dot
// CHECK: nv_tileas.async.future_wait [[O]]
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[K]], [[TOKEN]]
// CHECK-NEXT: nv_tileas.async.future_wait [[S]]
// CHECK-NOT: release [[K]]
// CHECK: scf.yield

// The last one:
// CHECK: nv_tileaa.exp2
// CHECK: consumer_wait [[K]]
// CHECK: nv_tileas.async.dot
// CHECK: nv_tileas.async.future_wait
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release [[K]]
// CHECK: scf.yield

!memref0 = !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
    warp = [[4, 0], [8, 0], [16, 0]]>
#blocked1 = #nv_tileas.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32], [0, 64]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]],
    warp = [[0, 4], [0, 8], [0, 16]]>
builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @kernels {
    gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %po: !llvm.ptr<1>,
        %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32} {
      %qq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tq = nv_tileaa.make_memref %qq sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vq = nv_tileaa.block_tile %tq {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %qk = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tk = nv_tileaa.make_memref %qk sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vk = nv_tileaa.block_tile %tk {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %qo = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %to = nv_tileaa.make_memref %qo sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vo = nv_tileaa.block_tile %to {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %0 = gpu.block_id x
      %i = arith.index_cast %0 : index to i32
      %cst = arith.constant 0 : i32
      %cst_1 = arith.constant 1 : i32
      %1 = arith.constant 0.000000e+00 : f32
      %q = nv_tileas.tiled_load %vq[%i, %cst] {nv_tileaa.independent, nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> tensor<128x64xf16, #mma0>
      %cst_2 = nv_tileaa.splat %1 : f32 to tensor<128x64xf32, #mma0>
      %cst_3 = nv_tileaa.splat %1 : f32 to tensor<128x128xf32, #mma1>
      %sum = scf.for %x = %cst to %n step %cst_1 iter_args(%acc = %cst_2) -> (tensor<128x64xf32, #mma0>) : i32 {
        %k = nv_tileas.tiled_load %vk[%x, %cst] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #blocked0,
            nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32
            -> tensor<128x64xf16, #blocked0>
        %kt = nv_tileaa.permute %k {permutation = array<i32: 1, 0>} : tensor<128x64xf16, #blocked0> -> tensor<64x128xf16, #blocked1>
        %2 = arith.constant true
        %s = nv_tileas.dot %q, %kt, %cst_3, %2 {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, input_precision = "tf32",
            atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma0>, tensor<64x128xf16, #blocked1>, tensor<128x128xf32, #mma1>, i1
        %e = nv_tileaa.exp2 %s : tensor<128x128xf32, #mma1>
        %p = nv_tileaa.fp_to_fp %e : tensor<128x128xf32, #mma1> to tensor<128x128xf16, #mma1>
        %3 = arith.constant true
        %next = nv_tileas.dot %p, %k, %acc, %3 {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, input_precision = "tf32",
            atom = #nv_tileas.atom<mma.sm90>} : tensor<128x128xf16, #mma1>, tensor<128x64xf16, #blocked0>, tensor<128x64xf32, #mma0>, i1
        scf.yield %next : tensor<128x64xf32, #mma0>
      }
      %r = nv_tileaa.fp_to_fp %sum : tensor<128x64xf32, #mma0> to tensor<128x64xf16, #mma0>
      nv_tileas.tiled_store %r, %vo[%i, %cst] {atom = #nv_tileas.atom<tma_store>} : tensor<128x64xf16, #mma0>, !tiled_view0, i32, i32
      gpu.return
    }
  }
}
