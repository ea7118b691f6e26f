// RUN: tileiras-opt -p tileas-allocate-shared-memory --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: the kernel needs 65536 bytes of shared memory, but sm_80 has 49152 without asking: use smaller tiles, or --abi host-maps, whose launches ask for up to 166912
gpu.module @m {
  gpu.func @too_large() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<16384xf32>
    gpu.return
  }
}

// -----

// CHECK: only buffers in shared memory can be lowered to threads
gpu.module @m {
  gpu.func @elsewhere() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<tmem>} : tensor<64xf32>
    gpu.return
  }
}
