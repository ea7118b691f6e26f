// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// What comes before a release is done by all threads before one of them releases, whatever it
// touches.

!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!ptr3 = !llvm.ptr<3>
!t8xf32 = tensor<8xf32>
!t8xi32 = tensor<8xi32>

func.func @release(%p: !t8xptr, %flag: !ptr3, %x: !t8xf32, %one: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %y, %t1 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xf32, !token
  %t2 = nv_tileaa.store %flag, %one token(%t1) {mem_semantic = "release", mem_scope = "tl_blk"} : !ptr3, i32 -> !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @release(%p: tensor<8x!llvm.ptr<1>>, %flag: !llvm.ptr<3>, %x: tensor<8xf32>, %one: i32) {
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr:tensor<8x!llvm.ptr<1>>]] -> tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    nv_tileaa.store %flag, %one {mem_semantic = "release", mem_scope = "tl_blk"} : !llvm.ptr<3>, i32
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Whatever comes after an acquire waits for the thread that acquires.

func.func @acquire(%p: !t8xptr, %flag: !ptr3, %zero: i32, %one: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %o, %t1 = nv_tileaa.atomic_cas %flag, %zero, %one token(%t0) {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr3 -> i32, !token
  %y, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xf32, !token
  "test.op"(%o, %y) : (i32, !t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @acquire(%p: tensor<8x!llvm.ptr<1>>, %flag: !llvm.ptr<3>, %zero: i32, %one: i32) {
// CHECK-NEXT:    %o = nv_tileaa.atomic_cas %flag, %zero, %one {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<3> -> i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%o, %y) : (i32, tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Both, before and after; the accesses around it are in no conflict with each other.

func.func @acq_rel(%p: !t8xptr, %q: !ptr3, %one: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %y, %t1 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xf32, !token
  %o, %t2 = nv_tileaa.atomic_rmw %q, %one token(%t1) {rmw_mode = "add", mem_semantic = "acq_rel", mem_scope = "gpu"} : !ptr3, i32 -> i32, !token
  %z, %t3 = nv_tileaa.load %p token(%t2) : !t8xptr -> !t8xf32, !token
  "test.op"(%y, %o, %z) : (!t8xf32, i32, !t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @acq_rel(%p: tensor<8x!llvm.ptr<1>>, %q: !llvm.ptr<3>, %one: i32) {
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %o = nv_tileaa.atomic_rmw %q, %one {rmw_mode = "add", mem_semantic = "acq_rel", mem_scope = "gpu"} : !llvm.ptr<3>, i32 -> i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %z = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y, %o, %z) : (tensor<8xf32>, i32, tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Relaxed atomics are ordered with what they may touch only.

func.func @relaxed(%p: !t8xptr, %q: tensor<8x!llvm.ptr<3>>, %x: !t8xi32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %y, %t1 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xi32, !token
  %o, %t2 = nv_tileaa.atomic_rmw %q, %x token(%t1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<3>>, !t8xi32 -> !t8xi32, !token
  %z, %t3 = nv_tileaa.load %q token(%t2) : tensor<8x!llvm.ptr<3>> -> !t8xi32, !token
  "test.op"(%y, %o, %z) : (!t8xi32, !t8xi32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @relaxed(%p: tensor<8x!llvm.ptr<1>>, %q: tensor<8x!llvm.ptr<3>>, %x: tensor<8xi32>) {
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    %o = nv_tileaa.atomic_rmw %q, %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<3>>, tensor<8xi32> -> tensor<8xi32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %z = nv_tileaa.load %q : tensor<8x!llvm.ptr<3>> -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%y, %o, %z) : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// The fence is a barrier itself. Waiting for other kernels, and letting them start, keeps its place.

func.func @fence(%p: !t8xptr, %q: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  %t2 = nv_tileaa.memory_fence_alias_tko token(%t1) -> !token
  %y, %t3 = nv_tileaa.load %q token(%t2) : !t8xptr -> !t8xf32, !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @fence(%p: tensor<8x!llvm.ptr<1>>, %q: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    nv_tileaa.memory_fence_alias_tko
// CHECK-NEXT:    %y = nv_tileaa.load %q : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

func.func @dependent_launch(%p: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.gdc_wait_tko token(%t0) -> !token
  %y, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xf32, !token
  %t3 = nv_tileaa.gdc_launch_dependents_tko token(%t2) -> !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @dependent_launch(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.gdc_wait_tko
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.after_grid_wait} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    nv_tileaa.gdc_launch_dependents_tko
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
