// RUN: tileiras-opt %s -p canonicalize-tileaa --print-debuginfo | filecheck %s

// What replaces an op is where the op was.

!t8xf32 = tensor<8xf32>
!ptr = !llvm.ptr<1>
!token = !nv_tileaa.mem_token

func.func @shapes(%s: f32, %c: i1, %a: !t8xf32, %i: i32, %x: i32) {
  %0 = nv_tileaa.splat %s : f32 to tensor<1xf32> loc("a.py":1:1)
  %1 = nv_tileaa.broadcast %0 : tensor<1xf32> -> !t8xf32 loc("a.py":2:1)
  %2 = arith.select %c, %s, %s : f32 loc("a.py":3:1)
  %3 = nv_tileaa.splat %2 : f32 to !t8xf32 loc("a.py":4:1)
  %4 = nv_tileaa.negf %a : !t8xf32 loc("a.py":5:1)
  %5 = nv_tileaa.extract %4[%i] : (!t8xf32, i32) -> f32 loc("a.py":6:1)
  %6 = nv_tileaa.view %a : !t8xf32 -> tensor<2x4xf32> loc("a.py":7:1)
  %7 = nv_tileaa.view %6 : tensor<2x4xf32> -> tensor<4x2xf32> loc("a.py":8:1)
  %8 = nv_tileaa.splat %x : i32 to tensor<8xi32> loc("a.py":9:1)
  %9 = nv_tileaa.assume %8 {predicate = #nv_tileaa.div_by<16>} : tensor<8xi32> loc("a.py":10:1)
  "test.op"(%1, %3, %5, %7, %9) : (!t8xf32, !t8xf32, f32, tensor<4x2xf32>, tensor<8xi32>) -> () loc("a.py":11:1)
  func.return loc("a.py":12:1)
}
// CHECK-LABEL: func.func @shapes(
// CHECK-NEXT: %0 = nv_tileaa.splat %s : f32 to tensor<8xf32> loc("a.py":2:1)
// CHECK-NEXT: %1 = nv_tileaa.splat %c : i1 to tensor<8xi1> loc("a.py":4:1)
// CHECK-NEXT: %2 = nv_tileaa.splat %s : f32 to tensor<8xf32> loc("a.py":4:1)
// CHECK-NEXT: %3 = nv_tileaa.splat %s : f32 to tensor<8xf32> loc("a.py":4:1)
// CHECK-NEXT: %4 = arith.select %1, %2, %3 : tensor<8xi1>, tensor<8xf32> loc("a.py":4:1)
// CHECK-NEXT: %5 = nv_tileaa.extract %a[%i] : (tensor<8xf32>, i32) -> f32 loc("a.py":6:1)
// CHECK-NEXT: %6 = nv_tileaa.negf %5 : f32 loc("a.py":6:1)
// CHECK-NEXT: %7 = nv_tileaa.view %a : tensor<8xf32> -> tensor<4x2xf32> loc("a.py":8:1)
// CHECK-NEXT: %8 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32 loc("a.py":10:1)
// CHECK-NEXT: %9 = nv_tileaa.splat %8 : i32 to tensor<8xi32> loc("a.py":10:1)
// CHECK-NEXT: "test.op"(%0, %4, %6, %7, %9) : (tensor<8xf32>, tensor<8xf32>, f32, tensor<4x2xf32>, tensor<8xi32>) -> () loc("a.py":11:1)
// CHECK-NEXT: func.return loc("a.py":12:1)

func.func @memory(%p: !ptr, %n: i32, %m: i64) {
  %p1 = nv_tileaa.addptr %p, %m {elem_type = f32} : !ptr, i64 loc("a.py":1:1)
  %p2 = nv_tileaa.addptr %p1, %n {elem_type = i8} : !ptr, i32 loc("a.py":2:1)
  %true = arith.constant true loc("a.py":3:1)
  %false = arith.constant false loc("a.py":4:1)
  %v, %t1 = nv_tileaa.load %p2 mask(%true : i1) : !ptr -> f32, !token loc("a.py":5:1)
  %w, %t2 = nv_tileaa.load %p2 mask(%false : i1) : !ptr -> f32, !token loc("a.py":6:1)
  %t3 = nv_tileaa.store %p2, %v mask(%true : i1) token(%t2) : !ptr, f32 -> !token loc("a.py":7:1)
  %z = arith.constant 0 : i32 loc("a.py":8:1)
  %x, %t4 = nv_tileaa.atomic_rmw %p2, %z token(%t3) {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token loc("a.py":9:1)
  %t5 = nv_tileaa.join_mem_token [] : !token loc("a.py":10:1)
  "test.op"(%w, %t4, %t5) : (f32, !token, !token) -> () loc("a.py":11:1)
  func.return loc("a.py":12:1)
}
// CHECK-LABEL: func.func @memory(
// CHECK-NEXT: %0 = arith.extsi %n : i32 to i64 loc("a.py":2:1)
// CHECK-NEXT: %1 = arith.constant 4 : i64 loc("a.py":2:1)
// CHECK-NEXT: %2 = arith.muli %m, %1 : i64 loc("a.py":2:1)
// CHECK-NEXT: %3 = arith.addi %2, %0 : i64 loc("a.py":2:1)
// CHECK-NEXT: %p2 = nv_tileaa.addptr %p, %3 {elem_type = i8} : !llvm.ptr<1>, i64 loc("a.py":2:1)
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p2 : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token loc("a.py":5:1)
// CHECK-NEXT: %w = ub.poison : f32 loc("a.py":6:1)
// CHECK-NEXT: %t2 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token loc("a.py":6:1)
// CHECK-NEXT: %t3 = nv_tileaa.store %p2, %v token(%t2) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token loc("a.py":7:1)
// CHECK-NEXT: %x, %t4 = nv_tileaa.load %p2 token(%t3) {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token loc("a.py":9:1)
// CHECK-NEXT: %t5 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token loc("a.py":10:1)
// CHECK-NEXT: "test.op"(%w, %t4, %t5) : (f32, !nv_tileaa.mem_token, !nv_tileaa.mem_token) -> () loc("a.py":11:1)
// CHECK-NEXT: func.return loc("a.py":12:1)

func.func @others(%a: f32, %b: i32) {
  %0 = arith.constant dense<1> : tensor<2x2xi8> loc("a.py":1:1)
  %1 = arith.constant dense<1> : tensor<2x2xi32> loc("a.py":2:1)
  %2 = nv_tileaa.dot %0, %0, %1 : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32> loc("a.py":3:1)
  %q:2 = "nv_tileaa.queue.get"() ({
    nv_tileaa.queue.yield %a, %b : f32, i32 loc("a.py":4:1)
  }) : () -> (f32, i32) loc("a.py":5:1)
  "test.op"(%2, %q#1) : (tensor<2x2xi32>, i32) -> () loc("a.py":6:1)
  func.return loc("a.py":7:1)
}
// CHECK-LABEL: func.func @others(
// CHECK-NEXT: %0 = arith.constant dense<3> : tensor<2x2xi32> loc("a.py":3:1)
// CHECK-NEXT: %q = "nv_tileaa.queue.get"() ({
// CHECK-NEXT:   nv_tileaa.queue.yield %b : i32 loc("a.py":4:1)
// CHECK-NEXT: }) : () -> i32 loc("a.py":5:1)
// CHECK-NEXT: "test.op"(%0, %q) : (tensor<2x2xi32>, i32) -> () loc("a.py":6:1)
// CHECK-NEXT: func.return loc("a.py":7:1)
