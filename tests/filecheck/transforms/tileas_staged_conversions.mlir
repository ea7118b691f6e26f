// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// A conversion of what is computed from a tile in a buffer stage: the tile is read in that layout.

!memref0 = !nv_tileaa.memref<1024x64xf16, strides = [64, 1]>
!view0 = !nv_tileaa.tiled_view<64x64, !memref0>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>

gpu.module @m {
  gpu.func @sum(%p: !llvm.ptr<1>, %n: i32, %c: tensor<64x64xf32, #mma0>) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [2], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !view0
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x64xf32, #mma0>) : i32 {
      %x = nv_tileas.tiled_load %v[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.pipe = #nv_tileas.pipe<0>} : !view0, i32, i32 -> tensor<64x64xf16, #blocked0>
      %w = nv_tileaa.fp_to_fp %x : tensor<64x64xf16, #blocked0> to tensor<64x64xf32, #blocked0>
      %y = nv_tileas.convert_layout %w : tensor<64x64xf32, #blocked0> -> tensor<64x64xf32, #mma0>
      %d = nv_tileaa.addf %s, %y : tensor<64x64xf32, #mma0>
      scf.yield %d : tensor<64x64xf32, #mma0>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @sum
  // CHECK: consumer_wait
  // CHECK: [[X:%.*]] = nv_tileas.copy {{.*}} -> tensor<64x64xf16, #mma0>
  // CHECK-NEXT: consumer_release
  // CHECK-NEXT: [[Y:%.*]] = nv_tileaa.fp_to_fp [[X]] : tensor<64x64xf16, #mma0> to tensor<64x64xf32, #mma0>
  // CHECK-NOT: convert_layout
  // CHECK: nv_tileaa.addf {{.*}}, [[Y]]

  // The same in a loop that is software-pipelined: the conversion is in the stage of what it stands before.
  gpu.func @pipelined(%p: !llvm.ptr<1>, %n: i32, %c: tensor<64x64xf32, #mma0>) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileas.schedule = #nv_tileas.schedule<stages = [2], producer_warps = 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !view0
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x64xf32, #mma0>) : i32 {
      %x = nv_tileas.tiled_load %v[%i, %zero] {nv_tileas.layout = #blocked0, nv_tileas.pipe = #nv_tileas.pipe<0>,
          nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 0>} : !view0, i32, i32 -> tensor<64x64xf16, #blocked0>
      %w = nv_tileaa.fp_to_fp %x {nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 1>} : tensor<64x64xf16, #blocked0> to tensor<64x64xf32, #blocked0>
      %y = nv_tileas.convert_layout %w {nv_tileas.stage = #nv_tileas.stage<stage = 0, order = 2>} : tensor<64x64xf32, #blocked0> -> tensor<64x64xf32, #mma0>
      %d = nv_tileaa.addf %s, %y {nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 3>} : tensor<64x64xf32, #mma0>
      scf.yield %d : tensor<64x64xf32, #mma0>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @pipelined
  // CHECK: [[X0:%.*]] = nv_tileas.copy {{.*}} -> tensor<64x64xf16, #mma0>
  // CHECK: nv_tileaa.fp_to_fp [[X0]] : tensor<64x64xf16, #mma0> to tensor<64x64xf32, #mma0>
  // CHECK: scf.for
  // CHECK: [[X1:%.*]] = nv_tileas.copy {{.*}} -> tensor<64x64xf16, #mma0>
  // CHECK: nv_tileaa.fp_to_fp [[X1]] : tensor<64x64xf16, #mma0> to tensor<64x64xf32, #mma0>
  // CHECK-NOT: convert_layout
  // CHECK: gpu.return
}
