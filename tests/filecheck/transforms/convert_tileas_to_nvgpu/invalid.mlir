// RUN: tileiras-opt -p convert-tileas-to-nvgpu --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: 'tensor<64xf32>' has no layout
gpu.module @m {
  gpu.func @no_layout(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<64xf32>
    gpu.return
  }
}

// -----

// CHECK: the kernel needs 65536 bytes of shared memory, but sm_80 has 49152 without asking: use smaller tiles, or --abi host-maps, whose launches ask for up to 166912
gpu.module @m {
  gpu.func @too_large() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<16384xf32>
    gpu.return
  }
}

// -----

// CHECK: 'nv_tileaa.addf' op has a tile of 262144 elements, but 32 threads can have 131072, 4096 each: use smaller tiles
#huge = #nv_tileas.layout<register = [[32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768], [65536], [131072]], lane = [[1], [2], [4], [8], [16]], warp = []>
gpu.module @m {
  gpu.func @huge(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<262144xf32, #huge>
    %y = nv_tileaa.addf %x, %x : tensor<262144xf32, #huge>
    gpu.return
  }
}

// -----

// CHECK: a stage of '!nv_tileas.pipeline<f32>' cannot be put into shared memory
gpu.module @m {
  gpu.func @queues() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %q = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !nv_tileas.pipeline<f32>
    gpu.return
  }
}

// -----

// CHECK: 'test.op' op cannot be lowered to threads
#row = #nv_tileas.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
gpu.module @m {
  gpu.func @unknown(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<64xf32, #row>
    %y = "test.op"(%x) : (tensor<64xf32, #row>) -> tensor<64xf32, #row>
    gpu.return
  }
}

// -----

// CHECK: a kernel cannot have a parameter of type '!nv_tileaa.memref<?xf32, strides = [1]>'
gpu.module @m {
  gpu.func @views(%m: !nv_tileaa.memref<?xf32, strides = [1]>) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    gpu.return
  }
}
