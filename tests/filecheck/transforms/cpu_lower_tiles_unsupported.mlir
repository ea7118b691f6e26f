// RUN: not tileiras-opt %s -p cpu-lower-tiles 2>&1 | filecheck %s

gpu.module @kernels {
  gpu.func @k(%p: !llvm.ptr<1>, %x: i32) kernel {
    // CHECK: 'nv_tileaa.atomic_rmw' op is not supported on a CPU: there is no lowering of it
    %old = nv_tileaa.atomic_rmw %p, %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32
    gpu.return
  }
}
