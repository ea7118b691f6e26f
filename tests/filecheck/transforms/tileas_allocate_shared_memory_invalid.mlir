// RUN: tileiras-opt -p tileas-allocate-shared-memory --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: "nv_tileaa.extract"
// CHECK-NEXT: ^^^
// CHECK-NEXT: the kernel needs 65536 bytes of shared memory, but sm_80 has 49152 without asking: use smaller tiles, or --abi host-maps, whose launches ask for up to 166912
#large = #nv_tileas.layout<register = [[32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = []>
gpu.module @m {
  gpu.func @too_large(%f: f32, %i: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<16384xf32, #large>
    %y = nv_tileaa.extract %x[%i] : (tensor<16384xf32, #large>, i32) -> f32
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
