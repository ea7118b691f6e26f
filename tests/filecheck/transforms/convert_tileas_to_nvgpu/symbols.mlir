// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a}' %s | filecheck %s

// What is added to a module has a name that no kernel has, whichever names these have.

#layout = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

!memref0 = !nv_tileaa.memref<?x512xf16, strides = [?, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>

gpu.module @m {
  gpu.func @store(%p: !llvm.ptr<1>, %rows: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %size = nv_tileaa.assume %rows {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %step = nv_tileaa.assume %stride {predicate = #nv_tileaa.div_by<8>} : i32
    %c = nv_tileaa.make_memref %base sizes(%size : i32) strides(%step : i32) : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #layout>
    nv_tileas.tiled_store %x, %v[%zero, %zero] {atom = #nv_tileas.atom<tma_store>} : tensor<64x64xf16, #layout>, !tiled_view0, i32, i32
    gpu.return
  }
  gpu.func @store_map_built() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    gpu.return
  }
  gpu.func @store_map_slots() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    gpu.return
  }
  gpu.func @store_map_empty() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    gpu.return
  }
  gpu.func @global_smem() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    gpu.return
  }
}
// CHECK:      llvm.mlir.global internal @global_smem_1()
// CHECK:      llvm.mlir.global internal @store_map_slots_1(
// CHECK-NEXT: llvm.mlir.global internal constant @store_map_empty_1(
// CHECK-NEXT: llvm.mlir.global internal @store_map_built_1(
// CHECK-DAG:  llvm.mlir.addressof @global_smem_1 : !llvm.ptr<3>
// CHECK-DAG:  llvm.mlir.addressof @store_map_built_1 : !llvm.ptr<1>
// CHECK-DAG:  llvm.mlir.addressof @store_map_slots_1 : !llvm.ptr<1>
// CHECK-DAG:  llvm.mlir.addressof @store_map_empty_1 : !llvm.ptr<1>
// CHECK:      gpu.func @store_map_built(
// CHECK:      gpu.func @global_smem(
