// RUN: tileiras-opt %s -p canonicalize-tileaa --print-local-scope | filecheck %s
// RUN: tileiras-opt %s -p canonicalize --print-local-scope | filecheck %s

// REQ: D-26
!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!t8xf32 = tensor<8xf32>
!t8xi1 = tensor<8xi1>
!ptr = !llvm.ptr<1>

func.func @load_all(%p: !t8xptr, %o: !t8xf32, %t0: !token) {
  %m = arith.constant dense<true> : tensor<8xi1>
  %v, %t1 = "nv_tileaa.load"(%p, %m, %o, %t0) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (!t8xptr, !t8xi1, !t8xf32, !token) -> (!t8xf32, !token)
  "test.op"(%v, %t1) : (!t8xf32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @load_all(
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p token(%t0) : [[t8xptr:tensor<8x!llvm.ptr<1>>]] -> tensor<8xf32>, [[token:!nv_tileaa.mem_token]]
// CHECK-NEXT: "test.op"(%v, %t1) : (tensor<8xf32>, [[token]]) -> ()
// CHECK-NEXT: func.return

// Everything but the mask stays.
func.func @ordered_load_all(%p: !ptr) {
  %m = arith.constant true
  %v, %t1 = nv_tileaa.load %p mask(%m : i1) {mem_semantic = "acquire", mem_scope = "gpu", volatile, optimization_hints = {latency = 2 : i32}, extra = "x"} : !ptr -> f32, !token
  "test.op"(%v, %t1) : (f32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @ordered_load_all(
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p {extra = "x", mem_semantic = "acquire", mem_scope = "gpu", volatile, optimization_hints = {latency = 2 : i32}} : [[gptr:!llvm.ptr<1>]] -> f32, [[token]]
// CHECK-NEXT: "test.op"(%v, %t1) : (f32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-27, D-61, I-14
func.func @load_none(%p: !t8xptr, %o: !t8xf32, %t0: !token) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %v, %t1 = "nv_tileaa.load"(%p, %m, %o, %t0) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (!t8xptr, !t8xi1, !t8xf32, !token) -> (!t8xf32, !token)
  "test.op"(%v, %t1) : (!t8xf32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @load_none(
// CHECK-NEXT: "test.op"(%o, %t0) : (tensor<8xf32>, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-28
func.func @load_none_without_fallback(%p: !t8xptr, %t0: !token) {
  %false = arith.constant false
  %m = nv_tileaa.splat %false : i1 to !t8xi1
  %v, %t1 = "nv_tileaa.load"(%p, %m, %t0) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (!t8xptr, !t8xi1, !token) -> (!t8xf32, !token)
  "test.op"(%v, %t1) : (!t8xf32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @load_none_without_fallback(
// CHECK-NEXT: %v = ub.poison : tensor<8xf32>
// CHECK-NEXT: "test.op"(%v, %t0) : (tensor<8xf32>, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-29
func.func @fallback_of_another_type(%p: !t8xptr, %o: tensor<8xi32>, %t0: !token) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %v, %t1 = "nv_tileaa.load"(%p, %m, %o, %t0) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (!t8xptr, !t8xi1, tensor<8xi32>, !token) -> (!t8xf32, !token)
  "test.op"(%v, %t1) : (!t8xf32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @fallback_of_another_type(
// CHECK-NEXT: %m = arith.constant dense<false> : tensor<8xi1>
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p mask(%m : tensor<8xi1>) other(%o : tensor<8xi32>) token(%t0) : [[t8xptr]] -> tensor<8xf32>, [[token]]
// CHECK-NEXT: "test.op"(%v, %t1) : (tensor<8xf32>, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-30
func.func @unknown_mask(%p: !t8xptr, %m: !t8xi1, %b: i1, %v: !t8xf32, %t0: !token) {
  %s = nv_tileaa.splat %b : i1 to !t8xi1
  %w, %t1 = nv_tileaa.load %p mask(%m : !t8xi1) token(%t0) : !t8xptr -> !t8xf32, !token
  %t2 = nv_tileaa.store %p, %w mask(%s : !t8xi1) token(%t1) : !t8xptr, !t8xf32 -> !token
  "test.op"(%t2) : (!token) -> ()
  func.return
}
// CHECK-LABEL: func.func @unknown_mask(
// CHECK-NEXT: %s = nv_tileaa.splat %b : i1 to tensor<8xi1>
// CHECK-NEXT: %w, %t1 = nv_tileaa.load %p mask(%m : tensor<8xi1>) token(%t0) : [[t8xptr]] -> tensor<8xf32>, [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.store %p, %w mask(%s : tensor<8xi1>) token(%t1) : [[t8xptr]], tensor<8xf32> -> [[token]]
// CHECK-NEXT: "test.op"(%t2) : ([[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-31
func.func @mixed_mask(%p: tensor<4x!llvm.ptr<1>>, %t0: !token) {
  %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %v, %t1 = nv_tileaa.load %p mask(%m : tensor<4xi1>) token(%t0) : tensor<4x!llvm.ptr<1>> -> tensor<4xf32>, !token
  %t2 = nv_tileaa.store %p, %v mask(%m : tensor<4xi1>) token(%t1) : tensor<4x!llvm.ptr<1>>, tensor<4xf32> -> !token
  "test.op"(%t2) : (!token) -> ()
  func.return
}
// CHECK-LABEL: func.func @mixed_mask(
// CHECK-NEXT: %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
// CHECK-NEXT: %v, %t1 = nv_tileaa.load %p mask(%m : tensor<4xi1>) token(%t0) : tensor<4x!llvm.ptr<1>> -> tensor<4xf32>, [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.store %p, %v mask(%m : tensor<4xi1>) token(%t1) : tensor<4x!llvm.ptr<1>>, tensor<4xf32> -> [[token]]
// CHECK-NEXT: "test.op"(%t2) : ([[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-32
func.func @store_all(%p: !t8xptr, %v: !t8xf32, %t0: !token) {
  %m = arith.constant dense<true> : tensor<8xi1>
  %t1 = nv_tileaa.store %p, %v mask(%m : !t8xi1) token(%t0) {mem_semantic = "release", mem_scope = "sys"} : !t8xptr, !t8xf32 -> !token
  %t2 = nv_tileaa.store %p, %v mask(%m : !t8xi1) token(%t1) {volatile} : !t8xptr, !t8xf32 -> !token
  "test.op"(%t2) : (!token) -> ()
  func.return
}
// CHECK-LABEL: func.func @store_all(
// CHECK-NEXT: %t1 = nv_tileaa.store %p, %v token(%t0) {mem_semantic = "release", mem_scope = "sys"} : [[t8xptr]], tensor<8xf32> -> [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.store %p, %v token(%t1) {volatile} : [[t8xptr]], tensor<8xf32> -> [[token]]
// CHECK-NEXT: "test.op"(%t2) : ([[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-33
func.func @store_none(%p: !t8xptr, %v: !t8xf32, %t0: !token) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %t1 = "nv_tileaa.store"(%p, %v, %m, %t0) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (!t8xptr, !t8xf32, !t8xi1, !token) -> !token
  "test.op"(%t1) : (!token) -> ()
  func.return
}
// CHECK-LABEL: func.func @store_none(
// CHECK-NEXT: "test.op"(%t0) : ([[token]]) -> ()
// CHECK-NEXT: func.return

// What is volatile, acquires or releases does more than to access memory; what is relaxed does not.
// REQ: D-34
func.func @more_than_an_access(%p: !ptr, %v: f32, %t0: !token) {
  %m = arith.constant false
  %t1 = nv_tileaa.store %p, %v mask(%m : i1) token(%t0) {volatile} : !ptr, f32 -> !token
  %t2 = nv_tileaa.store %p, %v mask(%m : i1) token(%t1) {mem_semantic = "release", mem_scope = "gpu"} : !ptr, f32 -> !token
  %t3 = nv_tileaa.store %p, %v mask(%m : i1) token(%t2) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f32 -> !token
  %a, %t4 = nv_tileaa.load %p mask(%m : i1) other(%v : f32) token(%t3) {volatile} : !ptr -> f32, !token
  %b, %t5 = nv_tileaa.load %p mask(%m : i1) other(%a : f32) token(%t4) {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> f32, !token
  %c, %t6 = nv_tileaa.load %p mask(%m : i1) other(%b : f32) token(%t5) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> f32, !token
  "test.op"(%c, %t6) : (f32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @more_than_an_access(
// CHECK-NEXT: %m = arith.constant false
// CHECK-NEXT: %t1 = nv_tileaa.store %p, %v mask(%m : i1) token(%t0) {volatile} : [[gptr]], f32 -> [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.store %p, %v mask(%m : i1) token(%t1) {mem_semantic = "release", mem_scope = "gpu"} : [[gptr]], f32 -> [[token]]
// CHECK-NEXT: %a, %t4 = nv_tileaa.load %p mask(%m : i1) other(%v : f32) token(%t2) {volatile} : [[gptr]] -> f32, [[token]]
// CHECK-NEXT: %b, %t5 = nv_tileaa.load %p mask(%m : i1) other(%a : f32) token(%t4) {mem_semantic = "acquire", mem_scope = "gpu"} : [[gptr]] -> f32, [[token]]
// CHECK-NEXT: "test.op"(%b, %t5) : (f32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-35
func.func @no_token_before(%p: !ptr, %v: f32) {
  %m = arith.constant false
  %t1 = nv_tileaa.store %p, %v mask(%m : i1) : !ptr, f32 -> !token
  %w, %t2 = nv_tileaa.load %p mask(%m : i1) other(%v : f32) : !ptr -> f32, !token
  %t3 = nv_tileaa.store %p, %v token(%t1) : !ptr, f32 -> !token
  %t4 = nv_tileaa.store %p, %w token(%t2) : !ptr, f32 -> !token
  func.return
}
// CHECK-LABEL: func.func @no_token_before(
// CHECK-NEXT: %t1 = nv_tileaa.create_mem_token : [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.create_mem_token : [[token]]
// CHECK-NEXT: %t3 = nv_tileaa.store %p, %v token(%t1) : [[gptr]], f32 -> [[token]]
// CHECK-NEXT: %t4 = nv_tileaa.store %p, %v token(%t2) : [[gptr]], f32 -> [[token]]
// CHECK-NEXT: func.return

// Nobody asks for a token here.
func.func @token_without_users(%p: !ptr, %v: f32) -> f32 {
  %m = arith.constant false
  %t1 = nv_tileaa.store %p, %v mask(%m : i1) : !ptr, f32 -> !token
  nv_tileaa.store %p, %v mask(%m : i1) : !ptr, f32
  %w, %t2 = nv_tileaa.load %p mask(%m : i1) other(%v : f32) : !ptr -> f32, !token
  func.return %w : f32
}
// CHECK-LABEL: func.func @token_without_users(
// CHECK-NEXT: func.return %v : f32
