// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_80}' %s | filecheck %s

// A tile of 512 KiB changes from one layout to another in which threads hold none of the registers
// that they hold before: by way of a third one, twice in 16 rounds of 32 KiB.

#source = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [[128, 0], [0, 1], [0, 2], [0, 4]]>
#target = #nv_tileas.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[0, 128], [0, 256], [1, 0], [2, 0]]>

!memref0 = !nv_tileaa.memref<256x512xf32, strides = [1, 256]>
!tiled_view0 = !nv_tileaa.tiled_view<256x512, !memref0>

gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 16 : i32} {
    %zero = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256, 512>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = nv_tileas.tiled_load %v[%zero, %zero] {} : !tiled_view0, i32, i32 -> tensor<256x512xf32, #source>
    %y = nv_tileas.convert_layout %x {} : tensor<256x512xf32, #source> -> tensor<256x512xf32, #target>
    nv_tileas.tiled_store %y, %v[%zero, %zero] {} : tensor<256x512xf32, #target>, !tiled_view0, i32, i32
    gpu.return
  }
}

// CHECK: llvm.mlir.global internal @global_smem() {{{.*}}} : !llvm.array<32768 x i8>
// CHECK-COUNT-32: nvvm.fragment.store {{.*}}!llvm.ptr<3>
