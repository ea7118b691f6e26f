// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a}' --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: [[consumer:expects a consumer of 4 warps, and at most one producer]]
gpu.module @m {
  gpu.func @warps() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8, 1>, warp_id = array<i32: 0, 8>} {
      nv_tileas.async.pipeline.yield
    } {
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
}

// -----

// CHECK: [[consumer]]
gpu.module @m {
  gpu.func @no_first_warp() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 4>, warp_id = array<i32: 4>} {
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
}

// -----

// CHECK: agents need warps, and can neither take nor yield values
gpu.module @m {
  gpu.func @no_warps() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    nv_tileas.async.pipeline.agent_switch {
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
}

// -----

// CHECK: agents take 64512 registers, but a CTA of 20 warps is launched with 61440
gpu.module @m {
  gpu.func @too_many_registers() kernel attributes {nv_tileas.num_warps = 16 : i32} {
    nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 4, 16>, warp_id = array<i32: 16, 0>, max_regs = array<i32: 24, 120>} {
      nv_tileas.async.pipeline.yield
    } {
      nv_tileas.async.pipeline.yield
    }
    gpu.return
  }
}

// -----

// CHECK: only tiles that are loaded by 'tma_load' can be written to a buffer stage
#tile = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
!pipe = !nv_tileas.pipeline<tensor<8x8xf16, #tile>>
!producer0 = !nv_tileas.iterator<producer, tensor<8x8xf16, #tile>>

gpu.module @m {
  gpu.func @written() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %p = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipe
    %i = nv_tileas.async.pipeline.create_iterator %p : !pipe -> !producer0
    %e = nv_tileas.async.pipeline.producer_acquire %p[%i] : !pipe, !producer0
    %f = nv_tileas.async.pipeline.producer_write %p, %e : !pipe {
      %x = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<8x8xf16, #tile>
      nv_tileas.async.pipeline.yield %x : tensor<8x8xf16, #tile>
    }
    gpu.return
  }
}

// -----

// CHECK: only dots by 'mma.sm90' can be asynchronous
#a = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
gpu.module @m {
  gpu.func @other_atom() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %a = arith.constant dense<1.0> : tensor<16x16xf16, #a>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #a>
    %f = nv_tileas.async.dot %a, %a, %c {atom = #nv_tileas.atom<mma.sm80>} : tensor<16x16xf16, #a>, tensor<16x16xf16, #a>, tensor<16x16xf32, #a> -> !nv_tileas.async<tensor<16x16xf32, #a>>
    gpu.return
  }
}

// -----

// CHECK: operands are not in the layouts of WGMMA
#a = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#c = #nv_tileas.layout<register = [[8, 0], [0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!tensor = tensor<16x16xf16, #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>>
gpu.module @m {
  gpu.func @sums() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %a = arith.constant dense<1.0> : tensor<64x16xf16, #a>
    %b = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : !tensor
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #c>
    %f = nv_tileas.async.dot %a, %b, %z {atom = #nv_tileas.atom<mma.sm90>} : tensor<64x16xf16, #a>, !tensor, tensor<64x16xf32, #c> -> !nv_tileas.async<tensor<64x16xf32, #c>>
    gpu.return
  }
}

// -----

// Pieces of lines are where they were: no swizzle describes that.
// CHECK: no matrix descriptor can describe 'tensor<16x16xf16, #nv_tileas.shared<
#a = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!tensor = tensor<16x16xf16, #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>>
gpu.module @m {
  gpu.func @right_factor() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %a = arith.constant dense<1.0> : tensor<64x16xf16, #a>
    %b = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : !tensor
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #a>
    %f = nv_tileas.async.dot %a, %b, %z {atom = #nv_tileas.atom<mma.sm90>} : tensor<64x16xf16, #a>, !tensor, tensor<64x16xf32, #a> -> !nv_tileas.async<tensor<64x16xf32, #a>>
    gpu.return
  }
}

// -----

// CHECK: operand B of WGMMA must be in shared memory
#a = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#b = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]>
gpu.module @m {
  gpu.func @registers() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %a = arith.constant dense<1.0> : tensor<64x16xf16, #a>
    %b = arith.constant dense<1.0> : tensor<16x16xf16, #b>
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #a>
    %f = nv_tileas.async.dot %a, %b, %z {atom = #nv_tileas.atom<mma.sm90>} : tensor<64x16xf16, #a>, tensor<16x16xf16, #b>, tensor<64x16xf32, #a> -> !nv_tileas.async<tensor<64x16xf32, #a>>
    gpu.return
  }
}
