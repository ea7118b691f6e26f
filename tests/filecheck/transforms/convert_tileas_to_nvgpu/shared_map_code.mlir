// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a}' %s | filecheck %s

// Maps that differ in numbers only are encoded by the same instructions: warp 1 makes that of %c, warp 2 that of %d.

#small = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#large = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

!memref0 = !nv_tileaa.memref<?x512xf16, strides = [?, 1]>

gpu.module @m {
  gpu.func @store(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %rows: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %c = nv_tileaa.make_memref %p sizes(%rows : i32) strides(%stride : i32) : !llvm.ptr<1> -> !memref0
    %d = nv_tileaa.make_memref %q sizes(%rows : i32) strides(%stride : i32) : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !nv_tileaa.tiled_view<64x64, !memref0>
    %w = nv_tileaa.block_tile %d {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !nv_tileaa.tiled_view<128x64, !memref0>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #small>
    %y = arith.constant dense<1.0> : tensor<128x64xf16, #large>
    nv_tileas.tiled_store %x, %v[%zero, %zero] {atom = #nv_tileas.atom<tma_store>} : tensor<64x64xf16, #small>, !nv_tileaa.tiled_view<64x64, !memref0>, i32, i32
    nv_tileas.tiled_store %y, %w[%zero, %zero] {atom = #nv_tileas.atom<tma_store>} : tensor<128x64xf16, #large>, !nv_tileaa.tiled_view<128x64, !memref0>, i32, i32
    gpu.return
  }
}

// A slot has both maps.
// CHECK:      llvm.mlir.global internal @store_map_built() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<{{[0-9]+}} x i8>
// CHECK-NOT:  llvm.mlir.global
// CHECK:      llvm.intr.cttz
// CHECK:      [[WARP:%.*]] = arith.shrui
// CHECK-NEXT: [[NUMBER:%.*]] = arith.addi [[WARP]], {{%.*}} : i32
// CHECK-NEXT: [[MAKES:%.*]] = arith.cmpi ult, [[NUMBER]], {{%.*}} : i32
// CHECK-NEXT: scf.if [[MAKES]] {
// CHECK:        [[MAP:%.*]] = llvm.getelementptr {{%.*}}[[[NUMBER]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<128 x i8>
// CHECK:        scf.if
// CHECK:          [[SECOND:%.*]] = arith.cmpi eq, [[NUMBER]], {{%.*}} : i32
// CHECK-DAG:      [[P:%.*]] = llvm.ptrtoint %p
// CHECK-DAG:      [[Q:%.*]] = llvm.ptrtoint %q
// CHECK:          [[BASE:%.*]] = arith.select [[SECOND]], [[Q]], [[P]] : i64
// CHECK:          [[ADDRESS:%.*]] = arith.select {{%.*}}, {{%.*}}, [[BASE]] : i64
// CHECK:          [[BOX:%.*]] = arith.select [[SECOND]], {{%.*}}, {{%.*}} : i32
// CHECK-NEXT:     nvgpu.tma.encode.descriptor [[MAP]], [[ADDRESS]] dims[{{%.*}}, {{%.*}}] strides[{{%.*}}] box[[[BOX]]]
// CHECK-SAME:         {box = array<i32: 64, -2147483648>, element = "f16", swizzle = 128 : i32}
// CHECK-NOT:  nvgpu.tma.encode.descriptor
// CHECK:      gpu.barrier
// CHECK:      [[PLACE:%.*]] = llvm.getelementptr {{%.*}}[{{%.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<128 x i8>
// CHECK:      [[OWN:%.*]] = llvm.getelementptr [[PLACE]][{{%.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<128 x i8>
// CHECK-NEXT: nvvm.tensormap.cp_fenceproxy [[OWN]],
// CHECK:      gpu.barrier
// CHECK:      llvm.addrspacecast [[PLACE]] : !llvm.ptr<1> to !llvm.ptr
