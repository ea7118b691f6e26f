// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-local-scope | filecheck %s

// REQ: C-13, C-29, C-30, C-42, E-06, E-07, E-08

!t8xptr_f32 = !cuda_tile.tile<8xptr<f32>>
!t8xf32 = !cuda_tile.tile<8xf32>
!f32 = !cuda_tile.tile<f32>
!i32 = !cuda_tile.tile<8xi32>

cuda_tile.module @m {
  testing$func @loads(%p: tile<ptr<f32>>, %q: !t8xptr_f32, %m: tile<8xi1>, %d: !t8xf32, %t0: token) {
    %v, %t1 = cuda_tile.load_ptr_tko acquire device %p token=%t0 : !cuda_tile.tile<ptr<f32>> -> !f32, !cuda_tile.token
    %weak, %t2 = load_ptr_tko weak %q : !t8xptr_f32 -> !t8xf32, token
    %block, %t3 = load_ptr_tko relaxed tl_blk %q : !t8xptr_f32 -> !t8xf32, token
    %cluster, %t4 = load_ptr_tko relaxed cluster %q : !t8xptr_f32 -> !t8xf32, token
    %masked, %t5 = load_ptr_tko weak %q, %m : !t8xptr_f32, tile<8xi1> -> !t8xf32, token
    %padded, %t6 = load_ptr_tko weak %q, %m, %d : !t8xptr_f32, tile<8xi1>, !t8xf32 -> !t8xf32, token
    %all, %t7 = load_ptr_tko acquire sys %q, %m, %d token=%t6 optimization_hints = <sm_90 = {latency = 3}, default = {latency = 1}> {my.mark} : !t8xptr_f32, tile<8xi1>, !t8xf32 -> !t8xf32, token
    return
  }
  // CHECK-LABEL: func.func @loads(%p: !llvm.ptr<1>, %q: tensor<8x!llvm.ptr<1>>, %m: tensor<8xi1>, %d: tensor<8xf32>, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %v, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> f32, [[token:!nv_tileaa.mem_token]]
  // CHECK-NEXT: %weak, %t2 = nv_tileaa.load %q : [[t8xptr:tensor<8x!llvm.ptr<1>>]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: %block, %t3 = nv_tileaa.load %q {mem_semantic = "relaxed", mem_scope = "tl_blk"} : [[t8xptr]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: %cluster, %t4 = nv_tileaa.load %q {mem_semantic = "relaxed", mem_scope = "cluster"} : [[t8xptr]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: %masked, %t5 = nv_tileaa.load %q mask(%m : tensor<8xi1>) : [[t8xptr]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: %padded, %t6 = nv_tileaa.load %q mask(%m : tensor<8xi1>) other(%d : tensor<8xf32>) : [[t8xptr]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: %all, %t7 = nv_tileaa.load %q mask(%m : tensor<8xi1>) other(%d : tensor<8xf32>) token(%t6) {my.mark, mem_semantic = "acquire", mem_scope = "sys", optimization_hints = {default = {latency = 1 : i64}, sm_90 = {latency = 3 : i64}}} : [[t8xptr]] -> tensor<8xf32>, [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @stores(%q: !t8xptr_f32, %m: tile<8xi1>, %v: !t8xf32, %t0: token) {
    %t1 = store_ptr_tko weak %q, %v : !t8xptr_f32, !t8xf32 -> token
    %t2 = store_ptr_tko relaxed sys %q, %v token=%t1 : !t8xptr_f32, !t8xf32 -> token
    %t3 = store_ptr_tko release gpu %q, %v, %m token=%t2 optimization_hints = <sm_100 = {latency = 10}> : !t8xptr_f32, !t8xf32, tile<8xi1> -> token
    return
  }
  // CHECK-LABEL: func.func @stores(%q: tensor<8x!llvm.ptr<1>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %t1 = nv_tileaa.store %q, %v : [[t8xptr]], tensor<8xf32> -> [[token]]
  // CHECK-NEXT: %t2 = nv_tileaa.store %q, %v token(%t1) {mem_semantic = "relaxed", mem_scope = "sys"} : [[t8xptr]], tensor<8xf32> -> [[token]]
  // CHECK-NEXT: %t3 = nv_tileaa.store %q, %v mask(%m : tensor<8xi1>) token(%t2) {mem_semantic = "release", mem_scope = "gpu", optimization_hints = {sm_100 = {latency = 10 : i64}}} : [[t8xptr]], tensor<8xf32> -> [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @atomics(%q: tile<8xptr<i32>>, %p: tile<ptr<f32>>, %m: tile<8xi1>, %v: !i32, %f: !f32, %t0: token) {
    %0, %t1 = atomic_cas_tko relaxed device %q, %v, %v : tile<8xptr<i32>>, !i32 -> !i32, token
    %1, %t2 = atomic_cas_tko acq_rel sys %q, %v, %v, %m token=%t1 : tile<8xptr<i32>>, !i32, tile<8xi1> -> !i32, token
    %2, %t3 = atomic_rmw_tko acquire tl_blk %q, add, %v token=%t2 : tile<8xptr<i32>>, !i32 -> !i32, token
    %3, %t4 = atomic_rmw_tko release device %q, umax, %v, %m token=%t3 : tile<8xptr<i32>>, !i32, tile<8xi1> -> !i32, token
    %4, %t5 = atomic_rmw_tko seq_cst device addu %q, %v : tile<8xptr<i32>>, !i32 -> !i32, token
    %5, %t6 = atomic_rmw_tko relaxed device %p, addf, %f : tile<ptr<f32>>, !f32 -> !f32, token
    %6, %t7 = atomic_rmw_tko relaxed device %p, xchg, %f : tile<ptr<f32>>, !f32 -> !f32, token
    return
  }
  // CHECK-LABEL: func.func @atomics(%q: tensor<8x!llvm.ptr<1>>, %p: !llvm.ptr<1>, %m: tensor<8xi1>, %v: tensor<8xi32>, %f: f32, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %0, %t1 = nv_tileaa.atomic_cas %q, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : [[t8xptr]] -> tensor<8xi32>, [[token]]
  // CHECK-NEXT: %1, %t2 = nv_tileaa.atomic_cas %q, %v, %v mask(%m : tensor<8xi1>) token(%t1) {mem_semantic = "acq_rel", mem_scope = "sys"} : [[t8xptr]] -> tensor<8xi32>, [[token]]
  // CHECK-NEXT: %2, %t3 = nv_tileaa.atomic_rmw %q, %v token(%t2) {mem_semantic = "acquire", mem_scope = "tl_blk", rmw_mode = "add"} : [[t8xptr]], tensor<8xi32> -> tensor<8xi32>, [[token]]
  // CHECK-NEXT: %3, %t4 = nv_tileaa.atomic_rmw %q, %v mask(%m : tensor<8xi1>) token(%t3) {mem_semantic = "release", mem_scope = "gpu", rmw_mode = "umax"} : [[t8xptr]], tensor<8xi32> -> tensor<8xi32>, [[token]]
  // CHECK-NEXT: %4, %t5 = nv_tileaa.atomic_rmw %q, %v {mem_semantic = "seq_cst", mem_scope = "gpu", rmw_mode = "addu"} : [[t8xptr]], tensor<8xi32> -> tensor<8xi32>, [[token]]
  // CHECK-NEXT: %5, %t6 = nv_tileaa.atomic_rmw %p, %f {mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "addf"} : !llvm.ptr<1>, f32 -> f32, [[token]]
  // CHECK-NEXT: %6, %t7 = nv_tileaa.atomic_rmw %p, %f {mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "xchg"} : !llvm.ptr<1>, f32 -> f32, [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @others(%p: !t8xptr_f32, %i: !i32, %c: tile<i1>, %x: !f32, %t0: token) {
    %moved = offset %p, %i : !t8xptr_f32, !i32 -> !t8xptr_f32
    %local = alloca num_elem = 64, alignment = 128 : tile<ptr<f16>>
    %global = alloca num_elem = 64, alignment = 128 global : tile<ptr<f16>>
    print "%f", %x : !f32
    %t1 = print_tko "%f and %d", %x, %i token=%t0 : !f32, !i32 -> token
    assert %c, "a message" : tile<i1>
    %t2 = gdc_wait_tko token = %t1 -> token
    %t3 = gdc_launch_dependents_tko -> token
    %t4 = memory_fence_alias_tko %t3
    return
  }
  // CHECK-LABEL: func.func @others(%p: tensor<8x!llvm.ptr<1>>, %i: tensor<8xi32>, %c: i1, %x: f32, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %moved = nv_tileaa.addptr %p, %i {elem_type = f32} : [[t8xptr]], tensor<8xi32>
  // CHECK-NEXT: %local = nv_tileaa.alloca {num_elem = 64 : i64, alignment = 128 : i64, elem_type = f16} : !llvm.ptr<1>
  // CHECK-NEXT: %global = nv_tileaa.alloca {num_elem = 64 : i64, alignment = 128 : i64, global, elem_type = f16} : !llvm.ptr<1>
  // CHECK-NEXT: nv_tileaa.print "%f", %x : f32
  // CHECK-NEXT: %t1 = nv_tileaa.print "%f and %d", %x, %i : f32, tensor<8xi32> token(%t0) -> [[token]]
  // CHECK-NEXT: nv_tileaa.assert %c, "a message" : i1
  // CHECK-NEXT: %t2 = nv_tileaa.gdc_wait_tko token(%t1) -> [[token]]
  // CHECK-NEXT: %t3 = nv_tileaa.gdc_launch_dependents_tko -> [[token]]
  // CHECK-NEXT: %t4 = nv_tileaa.memory_fence_alias_tko token(%t3) -> [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // Memory of the tile block that only accesses use is shared memory. In a loop it is the same one
  // in each iteration.

  entry @shared(%n: tile<i32>) {
    %i = iota : !i32
    %x = constant <f32: 1.0> : !t8xf32
    for %k in (%n to %n, step %n) : tile<i32> {
      %t0 = make_token : token
      %local = alloca num_elem = 8, alignment = 16 : tile<ptr<f32>>
      %row = reshape %local : tile<ptr<f32>> -> tile<1xptr<f32>>
      %all = broadcast %row : tile<1xptr<f32>> -> !t8xptr_f32
      %moved = offset %all, %i : !t8xptr_f32, !i32 -> !t8xptr_f32
      %t1 = store_ptr_tko weak %moved, %x token=%t0 : !t8xptr_f32, !t8xf32 -> token
      %escapes = alloca num_elem = 8, alignment = 16 : tile<ptr<f32>>
      %number = ptr_to_int %escapes : tile<ptr<f32>> -> tile<i64>
      %large = alloca num_elem = 8192, alignment = 16 : tile<ptr<f32>>
      %one, %t2 = load_ptr_tko weak %large token=%t1 : tile<ptr<f32>> -> tile<f32>, token
      print "%d %f", %number, %one : tile<i64>, tile<f32>
      continue
    }
    return
  }
  // CHECK-LABEL: gpu.func @shared(
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    %local = nv_tileaa.alloca {num_elem = 8 : i64, alignment = 16 : i64, elem_type = f32} : !llvm.ptr<3>
  // CHECK:         %moved = nv_tileaa.addptr {{.*}} : tensor<8x!llvm.ptr<3>>, tensor<8xi32>
  // CHECK-NEXT:    %t1 = nv_tileaa.store %moved, {{.*}} : tensor<8x!llvm.ptr<3>>, tensor<8xf32> -> [[token]]
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    %escapes = nv_tileaa.alloca {{.*}} : !llvm.ptr<1>
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    %large = nv_tileaa.alloca {{.*}} : !llvm.ptr<1>
}
