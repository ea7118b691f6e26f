// RUN: tileiras-opt -p tileas-assign-load-store-layouts %s | filecheck %s

// In a kernel that multiplies by warpgroups, the tensor memory accelerator stores tiles where it can:
// these stores ask for no layout.

!memref0 = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!memref2 = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!memref1 = !nv_tileaa.memref<128x128xf16, strides = [1, 128]>
!memref3 = !nv_tileaa.memref<128x128xf16, strides = [128, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<64x64, !memref2>
!tiled_view1 = !nv_tileaa.tiled_view<64x64, !memref1>
!tiled_view3 = !nv_tileaa.tiled_view<64x64, !memref3>

gpu.module @m {
  gpu.func @products(%p: !llvm.ptr<1>, %n: i32, %stride: i32, %i: i32, %wide: i64) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %some = nv_tileaa.assume %stride {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %s = nv_tileaa.assume %some {predicate = #nv_tileaa.div_by<8>} : i32
    %a, %b, %zero = "test.op"() : () -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>)
    %d = nv_tileas.dot %a, %b, %zero {atom = #nv_tileas.atom<mma.sm90>} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %x = nv_tileaa.fp_to_fp %d : tensor<64x64xf32> to tensor<64x64xf16>

    // CHECK: nv_tileas.tiled_store %x, %v0[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<64x64xf16, #blocked0>
    %c0 = nv_tileaa.make_memref %base sizes(%n, %n : i32, i32) strides(%s : i32) : !llvm.ptr<1> -> !memref0
    %v0 = nv_tileaa.block_tile %c0 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    nv_tileas.tiled_store %x, %v0[%i, %i] : tensor<64x64xf16>, !tiled_view0, i32, i32

    // The first dimension of the tensor may be the fastest.
    // CHECK: nv_tileas.tiled_store %x, %v1[%i, %i] {atom = #nv_tileas.atom<tma_store>}
    %c1 = nv_tileaa.make_memref %base : !llvm.ptr<1> -> !memref1
    %v1 = nv_tileaa.block_tile %c1 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    nv_tileas.tiled_store %x, %v1[%i, %i] : tensor<64x64xf16>, !tiled_view1, i32, i32

    // Nothing is known of the address, or of the rows.
    // CHECK: nv_tileas.tiled_store {{.*}}, %v2[%i, %i] {nv_tileas.layout
    %c2 = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !llvm.ptr<1> -> !memref0
    %v2 = nv_tileaa.block_tile %c2 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    nv_tileas.tiled_store %x, %v2[%i, %i] : tensor<64x64xf16>, !tiled_view0, i32, i32
    // CHECK: nv_tileas.tiled_store {{.*}}, %v3[%i, %i] {nv_tileas.layout
    %c3 = nv_tileaa.make_memref %base sizes(%n, %n : i32, i32) strides(%some : i32) : !llvm.ptr<1> -> !memref0
    %v3 = nv_tileaa.block_tile %c3 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    nv_tileas.tiled_store %x, %v3[%i, %i] : tensor<64x64xf16>, !tiled_view0, i32, i32

    // Coordinates of a tensor of any size need more than 32 bits.
    // CHECK: nv_tileas.tiled_store {{.*}}, %v4[%i, %i] {nv_tileas.layout
    %c4 = nv_tileaa.make_memref %base sizes(%wide, %wide : i64, i64) strides(%s : i32) : !llvm.ptr<1> -> !memref0
    %v4 = nv_tileaa.block_tile %c4 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    nv_tileas.tiled_store %x, %v4[%i, %i] : tensor<64x64xf16>, !tiled_view0, i32, i32

    // Masks and orders are for threads.
    // CHECK: nv_tileas.tiled_store {{.*}}, %v0[%i, %i] mask
    %mask = arith.constant dense<true> : tensor<64x64xi1>
    nv_tileas.tiled_store %x, %v0[%i, %i] mask(%mask : tensor<64x64xi1>) : tensor<64x64xf16>, !tiled_view0, i32, i32
    // CHECK: nv_tileas.tiled_store {{.*}}, %v0[%i, %i] {nv_tileas.layout {{.*}} mem_semantic = "relaxed"
    nv_tileas.tiled_store %x, %v0[%i, %i] {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<64x64xf16>, !tiled_view0, i32, i32

    // Atomics that nothing is in an order with are reductions of TMA tiles, for threads of this GPU.
    %c6 = nv_tileaa.make_memref %base sizes(%n, %n : i32, i32) strides(%s : i32) : !llvm.ptr<1> -> !memref2
    %v6 = nv_tileaa.block_tile %c6 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    // CHECK: nv_tileas.tiled_atomic_rmw %v6[%i, %i], %d {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu", atom = #nv_tileas.atom<tma_redg>}
    nv_tileas.tiled_atomic_rmw %v6[%i, %i], %d {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view2, tensor<64x64xf32>, i32, i32
    // CHECK: nv_tileas.tiled_atomic_rmw {{.*}} {nv_tileas.layout
    // CHECK-SAME: mem_semantic = "release"
    nv_tileas.tiled_atomic_rmw %v6[%i, %i], %d {rmw_mode = "addf", mem_semantic = "release", mem_scope = "gpu"} : !tiled_view2, tensor<64x64xf32>, i32, i32
    // CHECK: nv_tileas.tiled_atomic_rmw {{.*}} {nv_tileas.layout
    // CHECK-SAME: mem_scope = "sys"
    nv_tileas.tiled_atomic_rmw %v6[%i, %i], %d {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "sys"} : !tiled_view2, tensor<64x64xf32>, i32, i32
    // CHECK: nv_tileas.tiled_atomic_rmw {{.*}} {nv_tileas.layout {{.*}}rmw_mode = "max"
    nv_tileas.tiled_atomic_rmw %v6[%i, %i], %d {rmw_mode = "max", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view2, tensor<64x64xf32>, i32, i32
    gpu.return
  }

  // Other kernels have no need of it.
  gpu.func @no_products(%p: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %x = arith.constant dense<0.0> : tensor<64x64xf16>
    // CHECK: nv_tileas.tiled_store {{.*}}, %v5[%i, %i] {nv_tileas.layout
    %c5 = nv_tileaa.make_memref %base : !llvm.ptr<1> -> !memref3
    %v5 = nv_tileaa.block_tile %c5 {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view3
    nv_tileas.tiled_store %x, %v5[%i, %i] : tensor<64x64xf16>, !tiled_view3, i32, i32
    gpu.return
  }
}
