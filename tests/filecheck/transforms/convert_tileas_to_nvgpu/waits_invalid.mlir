// RUN: tileiras-opt -p convert-tileas-to-nvgpu --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: %z = "nv_tileas.convert_layout"
// CHECK-NEXT: ^^^
// CHECK-NEXT: [[barriers:threads may still be using memory before 'nv_tileas\.convert_layout' op: missing nv_tileas\.barrier \(tileas-insert-barriers\)]]
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @no_barrier(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    %z = nv_tileas.convert_layout %y {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    gpu.return
  }
}

// -----

// CHECK: [[barriers]]
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
gpu.module @m {
  gpu.func @loop(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 0, 49152>} {
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    scf.for %i = %from to %to step %step : i32 {
      %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    gpu.return
  }
}

// -----

// CHECK: threads may still be using memory before 'nv_tileas.store' op: missing nv_tileas.barrier (tileas-insert-barriers)
#blocked = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

gpu.module @m {
  gpu.func @release(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 49152>} {
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #blocked>
    %x = nv_tileaa.splat %f : f32 to tensor<64xf32, #blocked>
    nv_tileas.store %ps, %x : tensor<64x!llvm.ptr<1>, #blocked>, tensor<64xf32, #blocked>
    nv_tileas.store %ps, %x {mem_semantic = "release", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #blocked>, tensor<64xf32, #blocked>
    gpu.return
  }
}

// -----

// CHECK: threads may still be using memory after 'nv_tileas.load' op: missing nv_tileas.barrier (tileas-insert-barriers)
#blocked = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

gpu.module @m {
  gpu.func @acquire(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 49152>} {
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #blocked>
    %x = nv_tileas.load %ps {mem_semantic = "acquire", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #blocked> -> tensor<64xf32, #blocked>
    nv_tileas.store %ps, %x : tensor<64x!llvm.ptr<1>, #blocked>, tensor<64xf32, #blocked>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileas.alloc_tensor' op keeps bytes 2048 to 6143, which overlap bytes 0 to 4095 of 'nv_tileas.alloc_tensor'
gpu.module @m {
  gpu.func @overlap(%f: f32, %from: i32, %to: i32, %step: i32, %p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 2 : i32, nv_tileas.shared_memory = #nv_tileas.shared_memory<8192, 8192, 49152>} {
    %a = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    %b = nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<2048, 4096>], memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    gpu.return
  }
}
