// RUN: tileiras-opt %s -p "convert-tileas-to-nvgpu{compute-capability=sm_90}" | filecheck %s

// A tile of 8 x 64 elements, four of them to each of 128 threads: rows beyond the last one read as
// infinity, and a lock is taken.

#layout = #nv_tileas.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>

!memref0 = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<8x64, !memref0, padding = pos_inf>

gpu.module @m {
  nv_tileaa.global @lock {value = dense<0> : tensor<1xi32>}
  gpu.func @k(%x: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bi = gpu.block_id x
    %b = arith.index_cast %bi : index to i32
    %m = nv_tileaa.make_memref %x sizes(%n : i32) : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t = nv_tileas.tiled_load %v[%b, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> tensor<8x64xf32, #layout>
    %l = nv_tileaa.get_global @lock : !llvm.ptr<1>
    %old = nv_tileaa.atomic_cas %l, %zero, %one {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32
    nv_tileas.store %l, %old {mem_semantic = "release", mem_scope = "gpu"} : !llvm.ptr<1>, i32
    nv_tileas.tiled_store %t, %v[%b, %zero] {nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>, in_bounds = array<i1: false, true>} : tensor<8x64xf32, #layout>, !tiled_view0, i32, i32
    gpu.return
  }
}

// CHECK:      llvm.mlir.global internal @global_smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4 x i8>
// CHECK-NEXT: llvm.mlir.global external @lock(dense<0> : tensor<4xi8>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<4 x i8>

// How many rows are left; blocks are not negative, so nothing is checked below the first row.
// CHECK:      [[ROW:%.+]] = arith.muli {{%.+}}, {{%.+}} : i64
// CHECK-NEXT: [[START:%.+]] = arith.muli [[ROW]], {{%.+}} : i64
// CHECK-NEXT: {{%.+}} = arith.muli {{%.+}}, {{%.+}} : i32
// CHECK-NEXT: [[BACK:%.+]] = arith.muli [[ROW]], {{%.+}} : i64
// CHECK-NEXT: [[LEFT:%.+]] = arith.addi {{%.+}}, [[BACK]] : i64
// CHECK-NEXT: [[SOME:%.+]] = arith.maxsi [[LEFT]], {{%.+}} : i64
// CHECK-NEXT: [[MOST:%.+]] = arith.minsi [[SOME]], {{%.+}} : i64
// CHECK-NEXT: [[END:%.+]] = arith.trunci [[MOST]] : i64 to i32
// CHECK-NEXT: [[ENDS:%.+]] = vector.broadcast [[END]] : i32 to vector<1xi32>
// CHECK-NEXT: [[MASK:%.+]] = arith.cmpi slt, {{%.+}}, [[ENDS]] : vector<1xi32>
// CHECK:      [[TILE:%.+]] = llvm.getelementptr %x[[[START]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT: [[MINE:%.+]] = llvm.getelementptr [[TILE]][{{%.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT: [[PIECES:%.+]] = llvm.getelementptr [[MINE]][{{%.+}}] : (!llvm.ptr<1>, vector<1xi64>) -> vector<1x!llvm.ptr<1>>, f32
// CHECK-NEXT: [[VALUE:%.+]] = nvvm.fragment.load [[PIECES]] mask([[MASK]] : vector<1xi1>) other({{%.+}} : vector<4xf32>) {alignment = 16 : i64} : vector<1x!llvm.ptr<1>> -> vector<4xf32>

// One thread takes the lock; the barrier that tells the others is that of the acquire and of the release.
// CHECK-NEXT: [[LOCK:%.+]] = llvm.mlir.addressof @lock : !llvm.ptr<1>
// CHECK:      [[OLD:%.+]] = nvvm.fragment.cmpxchg {{%.+}}, {{%.+}}, {{%.+}} mask({{%.+}} : vector<1xi1>) {semantic = "acquire", scope = "gpu"} : vector<1xi32>, vector<1x!llvm.ptr<1>>
// CHECK:      nvvm.fragment.store [[OLD]], [[SHARED:%.+]] mask({{%.+}} : vector<1xi1>) {alignment = 4 : i64} : vector<1xi32>, vector<1x!llvm.ptr<3>>
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: nvvm.fragment.load [[SHARED]] {alignment = 4 : i64} : vector<1x!llvm.ptr<3>> -> vector<1xi32>
// CHECK-NOT:  gpu.barrier
// CHECK:      nvvm.fragment.store {{%.+}}, {{%.+}} mask({{%.+}} : vector<1xi1>) {alignment = 4 : i64, semantic = "release", scope = "gpu"} : vector<1xi32>, vector<1x!llvm.ptr<1>>

// CHECK-NEXT: [[AGAIN:%.+]] = llvm.getelementptr [[MINE]][{{%.+}}] : (!llvm.ptr<1>, vector<1xi64>) -> vector<1x!llvm.ptr<1>>, f32
// CHECK-NEXT: nvvm.fragment.store [[VALUE]], [[AGAIN]] mask([[MASK]] : vector<1xi1>) {alignment = 16 : i64} : vector<4xf32>, vector<1x!llvm.ptr<1>>
