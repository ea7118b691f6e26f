// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// A loop that carries a token: the read of an iteration comes after the write of the one before,
// and the write after the read.

!memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
!tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!t8xi32 = tensor<8xi32>

func.func @loop_carried(%p: !t8xptr, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%t1 = %t0) -> (!token) : i32 {
    %y, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xi32, !token
    %t3 = nv_tileaa.store %p, %y token(%t2) : !t8xptr, !t8xi32 -> !token
    scf.yield %t3 : !token
  }
  func.return
}

// CHECK: !memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
// CHECK: !tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
// CHECK-LABEL: func.func @loop_carried(%p: tensor<8x!llvm.ptr<1>>, %n: i32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %y = nv_tileaa.load %p : [[t8xptr:tensor<8x!llvm.ptr<1>>]] -> tensor<8xi32>
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      nv_tileaa.store %p, %y : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// No token comes from one iteration to the next.

func.func @loop_not_carried(%p: !t8xptr, %x: !t8xi32, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r, %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %t1 = %t0) -> (!t8xi32, !token) : i32 {
    %y, %t2 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xi32, !token
    %z = nv_tileaa.addi %s, %y : !t8xi32
    scf.yield %z, %t2 : !t8xi32, !token
  }
  %t4 = nv_tileaa.store %p, %r token(%t) : !t8xptr, !t8xi32 -> !token
  func.return
}

// CHECK-LABEL: func.func @loop_not_carried(%p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>, %n: i32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8xi32>) : i32 {
// CHECK-NEXT:      %y = nv_tileaa.load %p {nv_tileaa.hoistable, nv_tileaa.independent} : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:      %z = nv_tileaa.addi %s, %y : tensor<8xi32>
// CHECK-NEXT:      scf.yield %z : tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    nv_tileaa.store %p, %r : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Each iteration has a tile of its own.

func.func @tile_of_iteration(%p: !llvm.ptr<1>, %size: i32, %n: i32, %x: tensor<8xf32>) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = nv_tileaa.make_memref %p sizes(%size : i32) : !llvm.ptr<1> -> !memref0
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]} : !memref0 -> !tiled_view0
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%t1 = %t0) -> (!token) : i32 {
    %j = nv_tileaa.addi %i, %c1 : i32
    %t2 = nv_tileaa.tiled_store %x, %v[%j] token(%t1) : tensor<8xf32>, !tiled_view0, i32 -> !token
    scf.yield %t2 : !token
  }
  func.return
}

// CHECK-LABEL: func.func @tile_of_iteration(%p: !llvm.ptr<1>, %size: i32, %n: i32, %x: tensor<8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %m = nv_tileaa.make_memref %p sizes(%size : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = {{\[\[}}0 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %j = nv_tileaa.addi %i, %c1 : i32
// CHECK-NEXT:      nv_tileaa.tiled_store %x, %v[%j] : tensor<8xf32>, !tiled_view0, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// What comes before a loop needs one barrier before it, not one in each iteration.

func.func @before_loop(%p: !t8xptr, %q: !t8xptr, %x: !t8xi32, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xi32 -> !token
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (!t8xi32) : i32 {
    %y, %t2 = nv_tileaa.load %q token(%t1) : !t8xptr -> !t8xi32, !token
    %z = nv_tileaa.addi %s, %y : !t8xi32
    scf.yield %z : !t8xi32
  }
  "test.op"(%r) : (!t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @before_loop(%p: tensor<8x!llvm.ptr<1>>, %q: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>, %n: i32) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8xi32>) : i32 {
// CHECK-NEXT:      %y = nv_tileaa.load %q {nv_tileaa.hoistable} : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:      %z = nv_tileaa.addi %s, %y : tensor<8xi32>
// CHECK-NEXT:      scf.yield %z : tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%r) : (tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// A barrier in one branch does not help the other.

func.func @branches(%c: i1, %p: !t8xptr, %x: !t8xi32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xi32 -> !token
  %y, %t2 = scf.if %c -> (!t8xi32, !token) {
    %a, %t3 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xi32, !token
    scf.yield %a, %t3 : !t8xi32, !token
  } else {
    scf.yield %x, %t1 : !t8xi32, !token
  }
  %z, %t4 = nv_tileaa.load %p token(%t2) : !t8xptr -> !t8xi32, !token
  "test.op"(%y, %z) : (!t8xi32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @branches(%c: i1, %p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    %y = scf.if %c -> (tensor<8xi32>) {
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %a = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:      scf.yield %a : tensor<8xi32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %x : tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %z = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%y, %z) : (tensor<8xi32>, tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Each branch has its barrier, so nothing is needed behind.

func.func @both_branches(%c: i1, %p: !t8xptr, %x: !t8xi32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !t8xptr, !t8xi32 -> !token
  %t2 = scf.if %c -> (!token) {
    %a, %t3 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xi32, !token
    scf.yield %t3 : !token
  } else {
    %b, %t3 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xi32, !token
    scf.yield %t3 : !token
  }
  %z, %t4 = nv_tileaa.load %p token(%t2) : !t8xptr -> !t8xi32, !token
  "test.op"(%z) : (!t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @both_branches(%c: i1, %p: tensor<8x!llvm.ptr<1>>, %x: tensor<8xi32>) {
// CHECK-NEXT:    nv_tileaa.store %p, %x : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %a = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %b = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%z) : (tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// A lock: tokens of both regions of a `while`, and poisoned ones, go.

func.func @spin(%flag: !llvm.ptr<1>, %p: !t8xptr) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %o, %t = scf.while (%t1 = %t0) : (!token) -> (i32, !token) {
    %old, %t2 = nv_tileaa.atomic_cas %flag, %c0, %c1 token(%t1) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, !token
    %taken = nv_tileaa.cmpi %old, %c1 : i32 -> i1
    %none = ub.poison : !token
    %t3 = arith.select %taken, %t2, %none : !token
    scf.condition(%taken) %old, %t2 : i32, !token
  } do {
  ^bb0(%u: i32, %t4: !token):
    scf.yield %t4 : !token
  }
  %y, %t5 = nv_tileaa.load %p token(%t) : !t8xptr -> !t8xi32, !token
  "test.op"(%o, %y) : (i32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @spin(%flag: !llvm.ptr<1>, %p: tensor<8x!llvm.ptr<1>>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %o = scf.while : () -> i32 {
// CHECK-NEXT:      %old = nv_tileaa.atomic_cas %flag, %c0, %c1 {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32
// CHECK-NEXT:      %taken = nv_tileaa.cmpi %old, %c1 : i32 -> i1
// CHECK-NEXT:      scf.condition(%taken) %old : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%u: i32):
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %p : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%o, %y) : (i32, tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
