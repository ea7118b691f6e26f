// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a}' %s | filecheck %s

#blocked0 = #nv_tileas.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
!memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
!tiled_view0 = !nv_tileaa.tiled_view<256, !memref0>

gpu.module @m {
  // A block without iterations does nothing but find that out.
  gpu.func @copies(%p: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %count = nv_tileas.resident_ctas {ctas_per_sm = 2 : i32}
    %x = gpu.block_id x
    %first = arith.index_cast %x : index to i32
    %memref = nv_tileaa.make_memref %p sizes(%n : i32) : !llvm.ptr<1> -> !memref0
    %view = nv_tileaa.block_tile %memref {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !memref0 -> !tiled_view0
    scf.for %i = %first to %n step %count : i32 {
      %t = nv_tileas.tiled_load %view[%i] : !tiled_view0, i32 -> tensor<256xf32, #blocked0>
      nv_tileas.tiled_store %t, %view[%i] : tensor<256xf32, #blocked0>, !tiled_view0, i32
    } {nv_tileas.early_return}
    gpu.return
  }
  // CHECK-LABEL: gpu.func @copies(%p: !llvm.ptr<1>, %n: i32) kernel
  // CHECK: [[X:%.*]] = gpu.block_id x
  // CHECK-NEXT: [[FIRST:%.*]] = arith.index_cast [[X]] : index to i32
  // CHECK-NEXT: [[WORKS:%.*]] = arith.cmpi slt, [[FIRST]], %n : i32
  // CHECK-NEXT: scf.if [[WORKS]] {
  // CHECK-NEXT: [[SMS:%.*]] = nvvm.read.ptx.sreg.nsmid : i32
  // CHECK-NEXT: [[COUNT:%.*]] = arith.muli [[SMS]], %{{.*}} : i32
  // CHECK: scf.for {{%.*}} = {{%.*}} to %n step [[COUNT]] : i32 {
  // CHECK: nvvm.fragment.store
  // CHECK-NOT: early_return
  // CHECK: gpu.return
}
