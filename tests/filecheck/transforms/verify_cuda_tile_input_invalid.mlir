// RUN: tileiras-opt %s -p verify-cuda-tile-input --allow-unregistered-dialect --verify-diagnostics --split-input-file | filecheck %s

// REQ: J-02, J-04

cuda_tile.module @arithmetic {
  entry @f() {
    %0 = arith.constant 4 : i32
    // CHECK: 'arith.addi' is not public Tile IR: expected ops of cuda_tile and builtin, arith.constant, ub.poison, or func.func without a body
    %1 = arith.addi %0, %0 : i32
    return
  }
}

// -----

cuda_tile.module @nested {
  entry @f(%c: tile<i1>) {
    if %c {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      // CHECK: 'scf.for' is not public Tile IR
      scf.for %i = %0 to %1 step %1 {
      }
    }
    return
  }
}

// -----

cuda_tile.module @tests {
  // CHECK: 'cuda_tile.testing$func' is not public Tile IR
  testing$func @f() {
    return
  }
}

// -----

// CHECK: 'func.func' is not public Tile IR
func.func @body() {
  func.return
}

// -----

func.func private @g()

// CHECK: 'func.call' is not public Tile IR
func.call @g() : () -> ()

// -----

// CHECK: 'ub.unreachable' is not public Tile IR
ub.unreachable

// -----

cuda_tile.module @tokens {
  entry @f() {
    // CHECK: 'nv_tileaa.create_mem_token' is not public Tile IR
    %t = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    return
  }
}

// -----

cuda_tile.module @barriers {
  entry @f() {
    // CHECK: 'nvvm.barrier0' is not public Tile IR
    "nvvm.barrier0"() : () -> ()
    return
  }
}

// -----

// CHECK: 'gpu.barrier' is not public Tile IR
gpu.barrier

// -----

// CHECK: 'llvm.func' is not public Tile IR
llvm.func @f()

// -----

// The place is that of the op.

// CHECK: 'arith.muli' is not public Tile IR
// CHECK:      %1 = "arith.muli"
// CHECK-NEXT: ^^^^^^^^^^^^^^^^^
// CHECK-NEXT: | 'arith.muli' is not public Tile IR
builtin.module {
  %0 = arith.constant 4 : i32
  %1 = arith.muli %0, %0 : i32
}

// -----

cuda_tile.module @accelerator {
  entry @f() {
    // CHECK: 'nvgpu.device_async_create_group' is not public Tile IR
    %group = "nvgpu.device_async_create_group"() : () -> !nvgpu.token
    "nvgpu.device_async_wait"(%group) : (!nvgpu.token) -> ()
    return
  }
}

// -----

cuda_tile.module @layouts {
  entry @f() {
    // CHECK: 'nv_tileas.alloc_tensor' is not public Tile IR
    %buffer = "nv_tileas.alloc_tensor"() : () -> tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
    return
  }
}
