// RUN: not tileiras-opt %s -p cpu-lower-tiles 2>&1 | filecheck %s

gpu.module @kernels {
  gpu.func @k(%p: !llvm.ptr<1>, %x: i32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    // CHECK: 'arith.divsi' op is not supported on a CPU: there is no lowering of it
    %y = arith.divsi %x, %x : i32
    %t1 = nv_tileaa.store %p, %y token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}
