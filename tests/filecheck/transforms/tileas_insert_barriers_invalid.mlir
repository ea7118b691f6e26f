// RUN: tileiras-opt -p tileas-insert-barriers --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: expects shared memory to be allocated (tileas-allocate-shared-memory)
gpu.module @m {
  gpu.func @not_allocated(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    gpu.return
  }
}

// -----

// CHECK: %b = "nv_tileas.alloc_tensor"
// CHECK-NEXT: ^^^
// CHECK-NEXT: 'nv_tileas.alloc_tensor' op keeps bytes 2048 to 6143, which overlap bytes 0 to 4095 of 'nv_tileas.alloc_tensor'
gpu.module @m {
  gpu.func @overlap(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 8192, 49152>} {
    %a = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    %b = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<2048, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.alloc_tensor' op [[scratch:keeps bytes 2048 to 6143, which reach into scratch memory from 4096 on]]
gpu.module @m {
  gpu.func @into_scratch(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 4096, 49152>} {
    %a = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<2048, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.alloc_tensor' op uses bytes 6144 to 10239, but the kernel has 8192 bytes of shared memory
gpu.module @m {
  gpu.func @beyond(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 8192, 49152>} {
    %a = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<6144, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.alloc_tensor' op needs buffers of 4096 bytes, but has 1024 bytes
gpu.module @m {
  gpu.func @too_small(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 8192, 49152>} {
    %a = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<0, 1024>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op needs 4096 bytes (sync = threads), but has no buffer
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @no_buffer(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op needs 4096 bytes (sync = threads), but has 2048 bytes (sync = threads)
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @small_buffer(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 2048>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op has 2 buffers, but needs 1
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @more_buffers(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>, #nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'tensor<32x32xf32>' has no layout
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @no_layout(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op needs 4096 bytes (sync = threads), but has 4096 bytes (sync = warp)
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @other_sync(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096, sync = warp>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op uses bytes 4096 to 8191, but the kernel has 4096 bytes of shared memory
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @scratch_beyond(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<4096, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.convert_layout' op [[scratch]]
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @scratch_over_kept(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 4096, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<2048, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    gpu.return
  }
}
