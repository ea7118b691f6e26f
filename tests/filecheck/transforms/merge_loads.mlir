// RUN: tileiras-opt -p "merge-loads{compute-capability=sm_90a shared-bytes=20000}" %s | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Memory", "", "versions", "operands of the loop take 24576 bytes of shared memory: tiles of 1x64x64 are loaded once in a version of it, for tensors that are the same", ""

!memref0 = !nv_tileaa.memref<1x?x64xf16, strides = [?, 64, 1]>
!view0 = !nv_tileaa.tiled_view<1x64x64, !memref0>
!view1 = !nv_tileaa.tiled_view<64x1x64, !memref0, dim_map = [1, 0, 2]>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {
  // Keys and values may be the same tensor: there are two versions of the loop.
  gpu.func @versions(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32, %s: i32, %b: tensor<64x16xf16>, %c: tensor<64x16xf32>) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i32) : !llvm.ptr<1> -> !memref0
    %w = nv_tileaa.make_memref %q sizes(%n : i32) strides(%n : i32) : !llvm.ptr<1> -> !memref0
    %vk = nv_tileaa.block_tile %m {tileSizes = array<i64: 1, 64, 64>, dimGroups = [[0], [1], [2]]} : !memref0 -> !view0
    %vw = nv_tileaa.block_tile %w {tileSizes = array<i64: 64, 1, 64>, dimGroups = [[1], [0], [2]]} : !memref0 -> !view1
    %vx = nv_tileaa.block_tile %m {tileSizes = array<i64: 1, 64, 64>, dimGroups = [[0], [1], [2]]} : !memref0 -> !view0
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %r = scf.for %i = %zero to %n step %one iter_args(%a = %c) -> (tensor<64x16xf32>) : i32 {
      %k, %t1 = nv_tileaa.tiled_load %vk[%zero, %i, %zero] token(%t) : !view0, i32, i32, i32 -> tensor<1x64x64xf16>, !nv_tileaa.mem_token
      %k2 = nv_tileaa.view %k : tensor<1x64x64xf16> -> tensor<64x64xf16>
      %d = nv_tileaa.dot %k2, %b, %a : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
      %v, %t2 = nv_tileaa.tiled_load %vw[%i, %zero, %zero] token(%t) : !view1, i32, i32, i32 -> tensor<64x1x64xf16>, !nv_tileaa.mem_token
      %v2 = nv_tileaa.view %v : tensor<64x1x64xf16> -> tensor<64x64xf16>
      %e = nv_tileaa.dot %v2, %b, %d : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
      // The same tensor through another view.
      %x, %t3 = nv_tileaa.tiled_load %vx[%zero, %i, %zero] token(%t) : !view0, i32, i32, i32 -> tensor<1x64x64xf16>, !nv_tileaa.mem_token
      %x2 = nv_tileaa.view %x : tensor<1x64x64xf16> -> tensor<64x64xf16>
      %f = nv_tileaa.dot %x2, %b, %e : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
      // Another tile.
      %y, %t4 = nv_tileaa.tiled_load %vx[%zero, %zero, %zero] token(%t) : !view0, i32, i32, i32 -> tensor<1x64x64xf16>, !nv_tileaa.mem_token
      %y2 = nv_tileaa.view %y : tensor<1x64x64xf16> -> tensor<64x64xf16>
      %g = nv_tileaa.dot %y2, %b, %f : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
      scf.yield %g : tensor<64x16xf32>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @versions
  // CHECK: [[P:%.*]] = nv_tileaa.ptr_to_int %p
  // CHECK-NEXT: [[Q:%.*]] = nv_tileaa.ptr_to_int %q
  // CHECK-NEXT: [[A:%.*]] = nv_tileaa.cmpi [[P]], [[Q]] : i64
  // CHECK-NEXT: [[B:%.*]] = nv_tileaa.cmpi %s, %n : i32
  // CHECK-NEXT: [[C:%.*]] = nv_tileaa.andi [[A]], [[B]] : i1
  // CHECK-NEXT: scf.if [[C]]
  // CHECK: scf.for
  // CHECK: [[K:%.*]], %{{.*}} = nv_tileaa.tiled_load %vk
  // CHECK-NOT: tiled_load
  // CHECK: [[V:%.*]] = nv_tileaa.permute [[K]] {permutation = array<i32: 1, 0, 2>}
  // CHECK-NEXT: nv_tileaa.view [[V]]
  // CHECK: nv_tileaa.view [[K]]
  // CHECK: nv_tileaa.tiled_load %vx[%zero, %zero, %zero]
  // CHECK-NOT: tiled_load
  // CHECK: } else {
  // CHECK: nv_tileaa.tiled_load %vk
  // CHECK: nv_tileaa.tiled_load %vw
  // CHECK: nv_tileaa.tiled_load %vx[%zero, %zero, %zero]
  // CHECK-NOT: tiled_load
}
}
