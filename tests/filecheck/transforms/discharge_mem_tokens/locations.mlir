// RUN: tileiras-opt %s -p discharge-mem-tokens --print-debuginfo | filecheck %s

// Accesses, loops and block arguments stay where they were; a barrier is where it was needed.

!token = !nv_tileaa.mem_token

func.func @loop(%p: tensor<8x!llvm.ptr<1>>, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%t1 = %t0) -> (!token) : i32 {
    %y, %t2 = nv_tileaa.load %p token(%t1) : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !token loc("k.py":3:1)
    %t3 = nv_tileaa.store %p, %y token(%t2) : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> !token loc("k.py":4:1)
    scf.yield %t3 : !token
  } loc("k.py":2:1)
  func.return
}

// CHECK:       scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:    gpu.barrier loc("k.py":3:1)
// CHECK-NEXT:    %y = nv_tileaa.load %p : tensor<8x!llvm.ptr<1>> -> tensor<8xi32> loc("k.py":3:1)
// CHECK-NEXT:    gpu.barrier loc("k.py":4:1)
// CHECK-NEXT:    nv_tileaa.store %p, %y : tensor<8x!llvm.ptr<1>>, tensor<8xi32> loc("k.py":4:1)
// CHECK-NEXT:  } loc("k.py":2:1)
