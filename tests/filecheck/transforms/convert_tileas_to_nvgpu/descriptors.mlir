// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// The stage of operand B is added to the descriptor of the first one, steps along K are added to low words.

#swizzled = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
!pipeline = !nv_tileas.pipeline<tensor<64x64xf16, #swizzled>>
!consumer = !nv_tileas.iterator<consumer, tensor<64x64xf16, #swizzled>>
#mma = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0], [128, 0]]>
#rows = #nv_tileas.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0], [128, 0]]>
!async = !nv_tileas.async<tensor<256x64xf32, #mma>>

gpu.module @m {
  gpu.func @rescaled(%f: f32, %g: f32, %h: f16) kernel attributes {nv_tileas.num_warps = 16 : i32} {
    %pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32} : !pipeline
    %i = nv_tileas.async.pipeline.create_iterator %pipe : !pipeline -> !consumer
    %x = nv_tileaa.splat %f : f32 to tensor<256x64xf32, #mma>
    %s = nv_tileaa.splat %g : f32 to tensor<256x1xf32, #rows>
    %p = nv_tileaa.splat %h : f16 to tensor<256x64xf16, #mma>
    %full = nv_tileas.async.pipeline.consumer_wait %pipe[%i] : !pipeline, !consumer
    %done, %b = nv_tileas.async.pipeline.consumer_read %pipe, %full : !pipeline -> !nv_tileas.consumer_token, tensor<64x64xf16, #swizzled> {
    ^bb0(%tile: tensor<64x64xf16, #swizzled>):
      nv_tileas.async.pipeline.yield %tile : tensor<64x64xf16, #swizzled>
    }
    %d = nv_tileaa.broadcast %s : tensor<256x1xf32, #rows> -> tensor<256x64xf32, #mma>
    %y = nv_tileaa.mulf %x, %d : tensor<256x64xf32, #mma>
    %z = nv_tileas.async.dot %p, %b, %y {nv_tileas.layout = #mma, nv_tileas.layout_a = #mma, atom = #nv_tileas.atom<mma.sm90>}
        : tensor<256x64xf16, #mma>, tensor<64x64xf16, #swizzled>, tensor<256x64xf32, #mma> -> !async
    %w = nv_tileas.async.future_wait %z : !async -> tensor<256x64xf32, #mma>
    gpu.return
  }
}

// CHECK:      %[[units:.*]] = arith.constant 512 : i32
// CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<32xf32>
// CHECK-NEXT: %[[s:.*]] = vector.broadcast %g : f32 to vector<2xf32>
// CHECK:      %[[data:.*]] = llvm.getelementptr inbounds %{{.*}}[0]
// CHECK-NEXT: llvm.getelementptr %[[data]][
// CHECK:      %[[d:.*]] = vector.shuffle %[[s]], %[[s]]
// CHECK:      arith.mulf %[[x]], %[[d]] : vector<32xf32>
// CHECK-NEXT: %[[distance:.*]] = arith.muli %{{.*}}, %[[units]] : i32
// CHECK-NEXT: llvm.ptrtoint %[[data]]
// CHECK:      %[[first:.*]] = arith.ori
// CHECK-NEXT: %[[wide:.*]] = arith.extui %[[distance]] : i32 to i64
// CHECK-NEXT: %[[b:.*]] = arith.addi %[[first]], %[[wide]] : i64
// CHECK:      nvvm.wgmma.mma_async %{{.*}}, %[[b]], %{{.*}}k_steps = 4 : i32,
// CHECK-SAME: b_step = 128 : i32}
