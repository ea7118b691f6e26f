// RUN: tileiras-opt -p "tileas-unspecialized-pipeline{num-stages=3}" %s | filecheck %s

// A loop over a product loads with prefetch distance 2, into a buffer of three stages.

!memref0 = !nv_tileaa.memref<64x1024xf16, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x64xf16, strides = [64, 1]>
!memref2 = !nv_tileaa.memref<64x64xf32, strides = [64, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<32x64, !memref1>
!tiled_view2 = !nv_tileaa.tiled_view<64x64, !memref2>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#slice0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]>
#slice1 = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 8]]>
#blocked2 = #nv_tileas.layout<register = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [1, 0]]>
!ptr = !llvm.ptr<1>

gpu.module @m {
  gpu.func @k(%pa: !ptr, %pb: !ptr, %pc: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a0 = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !ptr
    %b0 = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !ptr
    %ma = nv_tileaa.make_memref %a0 : !ptr -> !memref0
    %mb = nv_tileaa.make_memref %b0 : !ptr -> !memref1
    %mc = nv_tileaa.make_memref %pc : !ptr -> !memref2
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma0>
    %d = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x64xf32, #mma0>) : i32 {
      %a = nv_tileas.tiled_load %va[%zero, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: true, false>} : !tiled_view0, i32, i32 -> tensor<64x32xf16, #blocked0>
      %b = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view1, i32, i32 -> tensor<32x64xf16, #blocked1>
      %a_1 = nv_tileas.convert_layout %a : tensor<64x32xf16, #blocked0> -> tensor<64x32xf16, #slice0>
      %b_1 = nv_tileas.convert_layout %b : tensor<32x64xf16, #blocked1> -> tensor<32x64xf16, #slice1>
      %e = nv_tileas.dot %a_1, %b_1, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #slice0, nv_tileas.layout_b = #slice1,
          atom = #nv_tileas.atom<mma.sm80>} : tensor<64x32xf16, #slice0>, tensor<32x64xf16, #slice1>, tensor<64x64xf32, #mma0>
      scf.yield %e : tensor<64x64xf32, #mma0>
    }
    nv_tileas.tiled_store %d, %vc[%zero, %zero] {nv_tileas.layout = #blocked2, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 1>,
        in_bounds = array<i1: true, true>} : tensor<64x64xf32, #mma0>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK: #swizzled0 = #nv_tileas.shared<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
  // CHECK: [[A:%.*]] = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<3x64x32xf16>
  // CHECK-NEXT: [[B:%.*]] = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<3x32x64xf16>
  // CHECK: scf.for [[FIRST:%.*]] = {{%.*}} to {{%.*}} step {{%.*}} : i32 {
  // CHECK: scf.if
  // CHECK: nv_tileas.extract_slice [[A]]{{\[}}[[FIRST]],
  // CHECK-NEXT: nv_tileas.async.tiled_load %va
  // CHECK: nv_tileas.async.tiled_load %vb
  // CHECK: nvgpu.device_async_create_group : () -> !nvgpu.token
  // CHECK: scf.for %k = %zero to %n step %one iter_args(%s = {{%.*}}, [[STAGE:%.*]] = {{%.*}}) -> (tensor<64x64xf32, {{.*}}, i32)
  // CHECK-NEXT: nvgpu.device_async_wait {numGroups = 1 : i32}
  // CHECK-NEXT: gpu.barrier
  // CHECK: arith.subi {{%.*}}, {{%.*}} : i64
  // CHECK: scf.if
  // CHECK: [[FREE:%.*]] = nv_tileas.extract_slice [[A]]
  // CHECK-NEXT: nv_tileas.async.tiled_load %va[%zero, {{.*}}] into [[FREE]]
  // CHECK: nvgpu.device_async_create_group : () -> !nvgpu.token
  // CHECK: [[X:%.*]] = nv_tileas.extract_slice [[A]]{{\[}}[[STAGE]], {{.*}} -> tensor<64x32xf16, #swizzled0>
  // CHECK: [[Y:%.*]] = nv_tileas.extract_slice [[B]]{{\[}}[[STAGE]],
  // CHECK-NEXT: nv_tileas.dot [[X]], [[Y]], %s
}
