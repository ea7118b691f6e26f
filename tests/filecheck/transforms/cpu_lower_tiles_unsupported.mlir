// RUN: not tileiras-opt %s -p cpu-lower-tiles 2>&1 | filecheck %s

gpu.module @kernels {
  gpu.func @k(%p: !llvm.ptr<1>, %x: f64) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    // CHECK: 'nv_tileaa.addf' op is not supported on a CPU: rounding mode 'zero'
    %y = nv_tileaa.addf %x, %x {rounding_mode = "zero"} : f64
    %t1 = nv_tileaa.store %p, %y token(%t0) : !llvm.ptr<1>, f64 -> !nv_tileaa.mem_token
    gpu.return
  }
}
