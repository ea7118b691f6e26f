// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// A read after a write of what may be the same bytes: other threads may hold other elements.

!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!t8xf32 = tensor<8xf32>
!ptr = !llvm.ptr<1>

func.func @read_after_write(%p: !t8xptr, %q: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  %y, %t2 = nv_tileaa.load %q token(%t1) : !t8xptr -> !t8xf32, !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @read_after_write(%p: tensor<8x!llvm.ptr<1>>, %q: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr:tensor<8x!llvm.ptr<1>>]], tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %q : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// A write after a read.

func.func @write_after_read(%p: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %y, %t1 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xf32, !token
  %t2 = nv_tileaa.store %p, %x token(%t1) : !t8xptr, !t8xf32 -> !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @write_after_read(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Reads need no order, and neither does what no token orders.

func.func @reads(%p: !t8xptr) {
  %t0 = nv_tileaa.create_mem_token : !token
  %a, %t1 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xf32, !token
  %b, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xf32, !token
  "test.op"(%a, %b) : (!t8xf32, !t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @reads(%p: tensor<8x!llvm.ptr<1>>) {
// CHECK-NEXT:    %a = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    %b = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

func.func @unordered(%p: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  %y, %t2 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xf32, !token
  %t3 = nv_tileaa.store %p, %x : !t8xptr, !t8xf32 -> !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @unordered(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// A join orders what follows after all of its tokens. One barrier, as late as it can be, serves
// both pairs; the last read comes after both stores and needs none of its own.

func.func @one_barrier_for_all(%p: !t8xptr, %q: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  %t2 = nv_tileaa.store %q, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  %t3 = nv_tileaa.join_mem_token [%t1, %t2] : !token
  %a, %t4 = nv_tileaa.load %p token(%t3) : !t8xptr -> !t8xf32, !token
  %b, %t5 = nv_tileaa.load %q token(%t3) : !t8xptr -> !t8xf32, !token
  "test.op"(%a, %b) : (!t8xf32, !t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @one_barrier_for_all(%p: tensor<8x!llvm.ptr<1>>, %q: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    nv_tileaa.store %q, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %a = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    %b = nv_tileaa.load %q : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// The barrier that is there already is enough.

func.func @barrier_is_there(%p: !t8xptr, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xf32 -> !token
  gpu.barrier
  %y, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xf32, !token
  "test.op"(%y) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @barrier_is_there(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xf32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%y) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Stores and atomics of rank 0 are executed by one thread, in order; all threads execute the load.

func.func @one_thread(%p: !ptr, %x: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !ptr, i32 -> !token
  %o, %t2 = nv_tileaa.atomic_rmw %p, %x token(%t1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %y, %t3 = nv_tileaa.load %p token(%t2) : !ptr -> i32, !token
  "test.op"(%o, %y) : (i32, i32) -> ()
  func.return
}

// CHECK-LABEL: func.func @one_thread(%p: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : !llvm.ptr<1>, i32
// CHECK-NEXT:    %o = nv_tileaa.atomic_rmw %p, %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.invariant} : !llvm.ptr<1> -> i32
// CHECK-NEXT:    "test.op"(%o, %y) : (i32, i32) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Two prints stay in order; a print and an access have nothing in common.

func.func @prints(%p: !ptr, %x: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.print "%d", %x : i32 token(%t0) -> !token
  %t2 = nv_tileaa.store %p, %x token(%t1) : !ptr, i32 -> !token
  %t3 = nv_tileaa.print "%d", %x : i32 token(%t2) -> !token
  func.return
}

// CHECK-LABEL: func.func @prints(%p: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    nv_tileaa.print "%d", %x : i32
// CHECK-NEXT:    nv_tileaa.store %p, %x : !llvm.ptr<1>, i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    nv_tileaa.print "%d", %x : i32
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
