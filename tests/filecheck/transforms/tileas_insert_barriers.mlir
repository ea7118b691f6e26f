// RUN: tileiras-opt -p tileas-insert-barriers --split-input-file %s | filecheck %s
// RUN: tileiras-opt -p tileas-insert-barriers,tileas-insert-barriers --split-input-file %s | filecheck %s

// A second run finds all waits in place.

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

// Threads may still read what the first conversion wrote when they come to the second one; those of the
// third have waited for each other in the second.
// CHECK-LABEL: gpu.func
gpu.module @m {
  gpu.func @in_turn(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    // CHECK:      nv_tileas.convert_layout
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    %z = nv_tileas.convert_layout %y {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    // CHECK-NEXT: nv_tileas.convert_layout
    %w = nv_tileas.convert_layout %z {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: nv_tileas.convert_layout
    %v = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK-NEXT: gpu.return
    gpu.return
  }
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

// Nobody knows who comes to a loop, and who has been in it.
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
    // CHECK:      nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.convert_layout
    %z = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// All threads have stored before one of them releases, and all see what one acquires; a loop in
// between starts anew.
// CHECK-LABEL: gpu.func
#blocked0 = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

gpu.module @m {
  gpu.func @order(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 49152>} {
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #blocked0>
    %x = nv_tileaa.splat %f : f32 to tensor<64xf32, #blocked0>
    // CHECK:      nv_tileas.store
    nv_tileas.store %ps, %x : tensor<64x!llvm.ptr<1>, #blocked0>, tensor<64xf32, #blocked0>
    // CHECK-NEXT: nv_tileas.barrier
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %x {mem_semantic = "release", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #blocked0>, tensor<64xf32, #blocked0>
    // CHECK-NEXT: nv_tileas.load
    // CHECK-NEXT: nv_tileas.barrier
    %y = nv_tileas.load %ps {mem_semantic = "acquire", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #blocked0> -> tensor<64xf32, #blocked0>
    // CHECK-NEXT: nv_tileas.store
    nv_tileas.store %ps, %y : tensor<64x!llvm.ptr<1>, #blocked0>, tensor<64xf32, #blocked0>
    gpu.return
  }
}
