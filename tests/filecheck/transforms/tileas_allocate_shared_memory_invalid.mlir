// RUN: tileiras-opt -p tileas-allocate-shared-memory --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: "nv_tileaa.reduce"
// CHECK-NEXT: ^^^
// CHECK-NEXT: the kernel needs 65536 bytes of shared memory, but sm_80 has 49152 without asking: use smaller tiles, or --abi host-maps, whose launches ask for up to 166912
#large = #nv_tileas.layout<register = [[0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024], [0, 2048], [0, 4096]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0]]>
#sliced = #nv_tileas.layout<register = [[32], [64], [128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
gpu.module @m {
  gpu.func @too_large(%f: f32) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<2x8192xf32, #large>
    %y = nv_tileaa.reduce %x {axis = 0 : i32} : tensor<2x8192xf32, #large> -> tensor<8192xf32, #sliced> {
    ^bb0(%a: f32, %b: f32):
      %s = nv_tileaa.addf %a, %b : f32
      nv_tileaa.yield %s : f32
    }
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
