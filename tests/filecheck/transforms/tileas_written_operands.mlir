// RUN: tileiras-opt -p "tileas-materialize-schedule,tileas-allocate-shared-memory,tileas-insert-barriers" %s | filecheck %s

// Operands B that no load puts into shared memory: consumer warps write them.

#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

gpu.module @m {
  // The accumulators of a product are operand B of two others, and those of the last one of a loop:
  // WGMMAs see what all threads wrote after a proxy fence of each and a barrier.
  gpu.func @chain(%a: tensor<64x64xf16, #mma1>, %b: tensor<64x8xf16, #mma0>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = arith.constant dense<0.0> : tensor<64x8xf32, #mma0>
    %d = nv_tileas.dot %a, %b, %c {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
        : tensor<64x64xf16, #mma1>, tensor<64x8xf16, #mma0>, tensor<64x8xf32, #mma0>
    %e = nv_tileas.dot %a, %b, %d {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
        : tensor<64x64xf16, #mma1>, tensor<64x8xf16, #mma0>, tensor<64x8xf32, #mma0>
    %f = scf.for %i = %zero to %n step %one iter_args(%s = %e) -> (tensor<64x8xf32, #mma0>) : i32 {
      %h = nv_tileaa.fp_to_fp %s : tensor<64x8xf32, #mma0> to tensor<64x8xf16, #mma0>
      %g = nv_tileas.dot %a, %h, %c {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>}
          : tensor<64x64xf16, #mma1>, tensor<64x8xf16, #mma0>, tensor<64x8xf32, #mma0>
      scf.yield %g : tensor<64x8xf32, #mma0>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @chain
  // CHECK: [[BUFFER:%.*]] = nv_tileas.alloc_tensor {nv_tileas.slot = #nv_tileas.slot<0>, nv_tileas.buffers = [#nv_tileas.buffer<0, 1024>]} : tensor<64x8xf16, #swizzled0>
  // CHECK-NOT: alloc_tensor
  // CHECK: [[B:%.*]] = nv_tileas.copy %b into([[BUFFER]]
  // CHECK-NEXT: nv_tileas.fence_proxy shared
  // CHECK-NEXT: nv_tileas.barrier
  // CHECK-NEXT: [[D:%.*]] = nv_tileas.async.dot {{.*}}[[B]]
  // CHECK: [[F:%.*]] = nv_tileas.async.dot {{.*}}[[B]], [[D]]
  // CHECK: nv_tileas.async.future_wait [[D]]
  // CHECK-NEXT: nv_tileas.async.future_wait [[F]]
  // CHECK: scf.for
  // CHECK: [[H:%.*]] = nv_tileaa.fp_to_fp
  // CHECK-NEXT: nv_tileas.barrier
  // CHECK-NEXT: [[W:%.*]] = nv_tileas.copy [[H]] into([[BUFFER]]
  // CHECK-NEXT: nv_tileas.fence_proxy shared
  // CHECK-NEXT: nv_tileas.barrier
  // CHECK-NEXT: [[G:%.*]] = nv_tileas.async.dot {{.*}}[[W]]
  // CHECK: [[R:%.*]] = nv_tileas.async.future_wait [[G]]
  // CHECK-NEXT: scf.yield [[R]]
}
