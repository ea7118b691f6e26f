// Interplay: a second run finds all waits in place.
// RUN: tileiras-opt -p tileas-insert-barriers --split-input-file %s | filecheck %s
// RUN: tileiras-opt -p tileas-insert-barriers,tileas-insert-barriers --split-input-file %s | filecheck %s

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
#buffer = #nv_tileas.buffer<0, 4096>

// Threads may still read what the first conversion wrote when they come to the second one; those of the
// third have waited for each other in the second.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @in_turn(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    // CHECK:      nv_tileas.convert_layout
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#buffer]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    %z = nv_tileas.convert_layout %y {nv_tileas.buffers = [#buffer]} : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    // CHECK-NEXT: nv_tileas.convert_layout
    %w = nv_tileas.convert_layout %z {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileas.convert_layout
    %v = nv_tileas.convert_layout %x {nv_tileas.buffers = [#buffer]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: gpu.return
    gpu.return
  }
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

// An iteration begins where another ends: threads may still read what that wrote. So they may after
// the loop, but not the memory behind it.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @loop(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    // CHECK:      scf.for
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    scf.for %i = %from to %to step %step : i32 {
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: nv_tileas.convert_layout
    %z = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: scf.for
    scf.for %i = %from to %to step %step : i32 {
      // CHECK-NEXT: nv_tileas.barrier
      // CHECK-NEXT: nv_tileas.convert_layout
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    // CHECK:      nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    %u = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
!pointers = tensor<32x32x!llvm.ptr<1>, #columns>

// Two buffers by turns: threads that write one have waited for each other since they read it. What is
// stored between two iterations does not matter for that.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @turns(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to !pointers
    // CHECK-NOT: nv_tileas.barrier
    scf.for %i = %from to %to step %step : i32 {
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
      %z = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
      %s = nv_tileaa.addf %y, %z : tensor<32x32xf32, #columns>
      nv_tileas.store %ps, %s : !pointers, tensor<32x32xf32, #columns>
    }
    gpu.return
  }
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

// Either branch may have been taken: what both leave in use is, and so is what one does.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @branches(%f: f32, %c: i1, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<12288, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %a = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK:      scf.if
    // CHECK-NEXT: nv_tileas.convert_layout
    // CHECK-NEXT: }
    scf.if %c {
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    // CHECK-NEXT: nv_tileas.convert_layout
    %z = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<8192, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: nv_tileas.convert_layout
    // CHECK-NEXT: }
    scf.if %c {
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    %u = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
!pointers = tensor<32x32x!llvm.ptr<1>, #columns>

// A barrier that orders accesses to global memory is not needed if threads have waited for each other
// since the last of them.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @quiet(%f: f32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %x0 = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #columns>
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to !pointers
    // CHECK:      nv_tileas.store
    nv_tileas.store %ps, %x0 : !pointers, tensor<32x32xf32, #columns>
    // CHECK-NEXT: gpu.barrier
    gpu.barrier
    // CHECK-NEXT: nv_tileas.load
    %l = nv_tileas.load %ps : !pointers -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileas.convert_layout
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileaa.addf
    %s = nv_tileaa.addf %y, %l : tensor<32x32xf32, #columns>
    gpu.barrier
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %s : !pointers, tensor<32x32xf32, #columns>
    // CHECK-NEXT: gpu.barrier
    gpu.barrier
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %l : !pointers, tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// All threads have stored before one of them releases, and all see what one acquires; a loop in
// between starts again.
// CHECK-LABEL: gpu.func
#blocked = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
!t64xptr_blocked = tensor<64x!llvm.ptr<1>, #blocked>

gpu.module @m {
  gpu.func @order(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 49152>} {
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to !t64xptr_blocked
    %x = nv_tileaa.splat %f : f32 to tensor<64xf32, #blocked>
    // CHECK:      nv_tileas.store
    nv_tileas.store %ps, %x : !t64xptr_blocked, tensor<64xf32, #blocked>
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %x {mem_semantic = "release", mem_scope = "gpu"} : !t64xptr_blocked, tensor<64xf32, #blocked>
    // CHECK-NEXT: nv_tileas.load
    // CHECK-NEXT: nv_tileas.barrier
    %y = nv_tileas.load %ps {mem_semantic = "acquire", mem_scope = "gpu"} : !t64xptr_blocked -> tensor<64xf32, #blocked>
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %y : !t64xptr_blocked, tensor<64xf32, #blocked>
    gpu.return
  }
}

// -----

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
#sums = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

// Those who issued copies wait for them, then a fence orders what threads access behind copies, and only
// then a barrier tells all others.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @copies(%p: !llvm.ptr<1>, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32, nv_tileas.buffers = [#nv_tileas.buffer<0, 4>], nv_tileas.shared_memory = #nv_tileas.shared_memory<9220, 1024, 49152>} {
    %i = nv_tileaa.assume %i0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %j = nv_tileaa.assume %j0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %c = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #sums>
    // CHECK:      nv_tileas.tiled_store
    // CHECK-SAME:      : tensor<64x64xf16, #mma0>, !tiled_view0, i32, i32
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #nv_tileas.atom<tma_store>, nv_tileas.buffers = [#nv_tileas.buffer<1024, 8192, sync = copies>]} : tensor<64x64xf16, #sums>, !tiled_view0, i32, i32
    // CHECK-NEXT: nv_tileas.load
    // CHECK-NEXT: nv_tileas.wait_copies written
    // CHECK-NEXT: nv_tileas.fence_proxy
    // CHECK-NEXT: nv_tileas.barrier
    %flag = nv_tileas.load %p {mem_semantic = "acquire", mem_scope = "gpu", nv_tileas.buffers = [#nv_tileas.buffer<9216, 4>]} : !llvm.ptr<1> -> i32
    // CHECK-NEXT: nv_tileas.tiled_store
    // CHECK-SAME: : tensor<64x64xf16, #mma0>, !tiled_view0, i32, i32
    nv_tileas.tiled_store %x, %v[%j, %i] {atom = #nv_tileas.atom<tma_store>, nv_tileas.buffers = [#nv_tileas.buffer<1024, 8192, sync = copies>]} : tensor<64x64xf16, #sums>, !tiled_view0, i32, i32
    // CHECK-NEXT: nv_tileas.wait_copies
    // CHECK-NEXT: gpu.return
    gpu.return
  }
}
