// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: basis [-1] of register is not within the shape [64]
gpu.module @m {
  gpu.func @negative(%x: tensor<64xf32, #nv_tileas.layout<register = [[-1]], lane = [[1], [2], [4], [8], [16]], warp = []>>) {
    gpu.return
  }
}

// -----

// CHECK: basis [64] of register is not within the shape [64]
gpu.module @m {
  gpu.func @beyond() {
    %x = "test.op"() : () -> tensor<64xf32, #nv_tileas.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = []>>
    gpu.return
  }
}

// -----

// CHECK: the layout has no place for some elements of [64]
gpu.module @m {
  gpu.func @missing() {
    %x = "test.op"() : () -> tensor<64xf32, #nv_tileas.shared<offset = [[1], [2], [4], [8], [16]]>>
    gpu.return
  }
}

// -----

// CHECK: the shape [48] is not of powers of two
gpu.module @m {
  gpu.func @odd(%c: i1) {
    scf.if %c {
      %x = "test.op"() : () -> tensor<48xf32, #nv_tileas.shared<offset = [[1], [2], [4], [8], [16], [32]]>>
    }
    gpu.return
  }
}

// -----

// CHECK: basis [1, 0] of offset is not within the shape [2]
gpu.module @m {
  gpu.func @rank() {
    %x = "test.op"() : () -> tensor<2xf32, #nv_tileas.shared<offset = [[1, 0]]>>
    gpu.return
  }
}
