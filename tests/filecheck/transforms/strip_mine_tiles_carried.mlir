// RUN: tileiras-opt %s -p 'strip-mine-tiles{tile-bytes=8192}' | filecheck %s

!memory = !nv_tileaa.memref<64x64xf32, strides = [64, 1]>

gpu.module @kernels {
  // What a loop in pieces computes beside its tile is there behind that loop, not before it.
  gpu.func @carried(%a: !llvm.ptr<1>, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %ma = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<64x64, !memory>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = arith.constant 0.0 : f32
    %zero = nv_tileaa.splat %f : f32 to tensor<64x64xf32>
    %sum, %last, %g = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %at = %c0, %h = %f) -> (tensor<64x64xf32>, i32, f32) : i32 {
      %next = nv_tileaa.addf %s, %s : tensor<64x64xf32>
      %following = nv_tileaa.muli %at, %n : i32
      %k = nv_tileaa.addf %h, %h : f32
      scf.yield %next, %following, %k : tensor<64x64xf32>, i32, f32
    }
    %y, %t2 = nv_tileaa.tiled_load %va[%last, %c0] token(%t) : !nv_tileaa.tiled_view<64x64, !memory>, i32, i32 -> tensor<64x64xf32>, !nv_tileaa.mem_token
    %splat = nv_tileaa.splat %g : f32 to tensor<64x64xf32>
    %both = nv_tileaa.fma %sum, %y, %splat : tensor<64x64xf32>
    %t3 = nv_tileaa.tiled_store %both, %va[%c0, %c0] token(%t) : tensor<64x64xf32>, !nv_tileaa.tiled_view<64x64, !memory>, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK:      scf.for %6 = %0 to %1 step %2 : i32 {
// CHECK-NEXT:   %7, %8, %9 = scf.for {{.*}} -> (tensor<8x64xf32>, i32, f32) : i32 {
// CHECK:        }
// CHECK-NEXT:   %17 = arith.extsi %8 : i32 to i64
// CHECK:        %22, %23 = nv_tileaa.tiled_load %4[%21, %5]
// CHECK-NEXT:   %24 = nv_tileaa.splat %9 : f32 to tensor<8x64xf32>
// CHECK-NEXT:   %25 = nv_tileaa.fma %7, %22, %24 : tensor<8x64xf32>
