// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// A store that is ordered behind itself only, and tiles that are the same or apart.

!memref0 = !nv_tileaa.memref<?x?xf32, strides = [?, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<8x8, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<8x8, !memref0, steps = [4, 8]>
!token = !nv_tileaa.mem_token
!ptr = !llvm.ptr<1>
!tile = tensor<8x8xf32>

gpu.module @m {
  // Nobody knows which tile it is, but one barrier is for it alone.
  gpu.func @again(%p: !ptr, %q: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %j = nv_tileaa.divi %i, %s {signedness = "signed"} : i32
      %u = nv_tileaa.tiled_store %x, %v[%j, %c0] token(%t) : !tile, !tiled_view0, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @again(
  // CHECK: gpu.barrier {nv_tileaa.warpgroup_order}
  // CHECK-NEXT: nv_tileaa.tiled_store %x, %v[%j, %c0] {nv_tileaa.warpgroup_order}

  // Tiles that overlap are not the same, and not apart.
  gpu.func @overlapping(%p: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %u = nv_tileaa.tiled_store %x, %v[%i, %c0] token(%t) : !tile, !tiled_view1, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @overlapping(
  // CHECK: gpu.barrier
  // CHECK-NOT: warpgroup_order

  // A load after it needs the barrier as well.
  gpu.func @loaded(%p: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %j = nv_tileaa.divi %i, %s {signedness = "signed"} : i32
      %y, %r = nv_tileaa.tiled_load %v[%j, %c1] token(%t) : !tiled_view0, i32, i32 -> !tile, !token
      "test.op"(%y) : (!tile) -> ()
      %u = nv_tileaa.tiled_store %x, %v[%j, %c0] token(%r) : !tile, !tiled_view0, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @loaded(
  // CHECK: gpu.barrier
  // CHECK-NOT: warpgroup_order

  // Two stores, of which one barrier keeps both in order.
  gpu.func @two(%p: !ptr, %q: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %k = nv_tileaa.make_memref %q sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %w = nv_tileaa.block_tile %k {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1, %t2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0, %u = %t0) -> (!token, !token) : i32 {
      %j = nv_tileaa.divi %i, %s {signedness = "signed"} : i32
      %a = nv_tileaa.tiled_store %x, %v[%j, %c0] token(%t) : !tile, !tiled_view0, i32, i32 -> !token
      %b = nv_tileaa.tiled_store %x, %w[%j, %c0] token(%u) : !tile, !tiled_view0, i32, i32 -> !token
      scf.yield %a, %b : !token, !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @two(
  // CHECK: gpu.barrier {nv_tileaa.warpgroup_order}
  // CHECK-NEXT: nv_tileaa.tiled_store %x, %v[%j, %c0] {nv_tileaa.warpgroup_order}
  // CHECK-NEXT: nv_tileaa.tiled_store %x, %w[%j, %c0] {nv_tileaa.warpgroup_order}

  // A relaxed atomic: strides may be zero, so that other tiles are the same memory.
  gpu.func @added(%p: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %u = nv_tileaa.tiled_atomic_rmw %v[%i, %c0], %x token(%t) {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view0, !tile, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @added(
  // CHECK: gpu.barrier {nv_tileaa.warpgroup_order}
  // CHECK-NEXT: nv_tileaa.tiled_atomic_rmw %v[%i, %c0], %x {nv_tileaa.warpgroup_order

  // One that releases what all threads have done.
  gpu.func @released(%p: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %u = nv_tileaa.tiled_atomic_rmw %v[%i, %c0], %x token(%t) {rmw_mode = "addf", mem_semantic = "acq_rel", mem_scope = "gpu"} : !tiled_view0, !tile, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @released(
  // CHECK: gpu.barrier
  // CHECK-NOT: warpgroup_order

  // A load of the sum needs the barrier as well.
  gpu.func @added_and_loaded(%p: !ptr, %n: i32, %s: i32, %x: !tile) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t0 = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %p sizes(%n, %n : i32, i32) strides(%s : i32) : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (!token) : i32 {
      %y, %r = nv_tileaa.tiled_load %v[%i, %c1] token(%t) : !tiled_view0, i32, i32 -> !tile, !token
      "test.op"(%y) : (!tile) -> ()
      %u = nv_tileaa.tiled_atomic_rmw %v[%i, %c0], %x token(%r) {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view0, !tile, i32, i32 -> !token
      scf.yield %u : !token
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @added_and_loaded(
  // CHECK: gpu.barrier
  // CHECK-NOT: warpgroup_order
}
