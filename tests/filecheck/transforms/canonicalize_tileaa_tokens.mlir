// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize | filecheck %s

!token = !nv_tileaa.mem_token
!ptr = !llvm.ptr<1>

func.func @join_of_one(%t: !token) -> !token {
  %j = "nv_tileaa.join_mem_token"(%t) : (!token) -> !token
  func.return %j : !token
}
// CHECK-LABEL: func.func @join_of_one(
// CHECK-NEXT: func.return %t : [[token:!nv_tileaa.mem_token]]

func.func @join_of_none() -> !token {
  %j = "nv_tileaa.join_mem_token"() : () -> !token
  func.return %j : !token
}
// CHECK-LABEL: func.func @join_of_none(
// CHECK-NEXT: %j = nv_tileaa.create_mem_token : [[token]]
// CHECK-NEXT: func.return %j : [[token]]

func.func @nested(%a: !token, %b: !token, %c: !token) {
  %j = nv_tileaa.join_mem_token [%a, %b] : !token
  %k = nv_tileaa.join_mem_token [%c, %j, %a] : !token
  %l = nv_tileaa.join_mem_token [%c, %c] : !token
  "test.op"(%k, %l) : (!token, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @nested(
// CHECK-NEXT: %k = nv_tileaa.join_mem_token [%c, %a, %b] : [[token]]
// CHECK-NEXT: "test.op"(%k, %c) : ([[token]], [[token]]) -> ()
// CHECK-NEXT: func.return

// A token of which nothing is known covers no other.
// REQ: E-10
func.func @unrelated(%p: !ptr, %v: f32, %a: !token, %b: !token) {
  %t1 = nv_tileaa.store %p, %v token(%a) : !ptr, f32 -> !token
  %t2 = nv_tileaa.store %p, %v token(%a) : !ptr, f32 -> !token
  %t3 = "test.op"(%b) : (!token) -> !token
  %j = nv_tileaa.join_mem_token [%t1, %t2] : !token
  %k = nv_tileaa.join_mem_token [%b, %t3] : !token
  "test.op"(%j, %k) : (!token, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @unrelated(
// CHECK-NEXT: %t1 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> [[token]]
// CHECK-NEXT: %t2 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> [[token]]
// CHECK-NEXT: %t3 = "test.op"(%b) : ([[token]]) -> [[token]]
// CHECK-NEXT: %j = nv_tileaa.join_mem_token [%t1, %t2] : [[token]]
// CHECK-NEXT: %k = nv_tileaa.join_mem_token [%b, %t3] : [[token]]
// CHECK-NEXT: "test.op"(%j, %k) : ([[token]], [[token]]) -> ()
// CHECK-NEXT: func.return

func.func @covered(%p: !ptr, %v: f32, %a: !token, %b: !token) {
  %t1 = nv_tileaa.store %p, %v token(%a) : !ptr, f32 -> !token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !ptr -> f32, !token
  %j = nv_tileaa.join_mem_token [%a, %t2, %b, %t1] : !token
  %t3 = nv_tileaa.store %p, %x token(%j) : !ptr, f32 -> !token
  %k = nv_tileaa.join_mem_token [%b, %t3] : !token
  "test.op"(%j, %k) : (!token, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @covered(
// CHECK-NEXT: %t1 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> [[token]]
// CHECK-NEXT: %x, %t2 = nv_tileaa.load %p token(%t1) : !llvm.ptr<1> -> f32, [[token]]
// CHECK-NEXT: %j = nv_tileaa.join_mem_token [%t2, %b] : [[token]]
// CHECK-NEXT: %t3 = nv_tileaa.store %p, %x token(%j) : !llvm.ptr<1>, f32 -> [[token]]
// CHECK-NEXT: "test.op"(%j, %t3) : ([[token]], [[token]]) -> ()
// CHECK-NEXT: func.return

// New tokens stand for barriers: none of them is dropped.
func.func @new_tokens(%p: !ptr, %v: f32, %a: !token) {
  %t0 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !ptr, f32 -> !token
  %n = nv_tileaa.join_mem_token [] : !token
  %j = nv_tileaa.join_mem_token [%t0, %t1] : !token
  %k = nv_tileaa.join_mem_token [%n, %a] : !token
  "test.op"(%j, %k) : (!token, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @new_tokens(
// CHECK-NEXT: %t0 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : [[token]]
// CHECK-NEXT: %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, f32 -> [[token]]
// CHECK-NEXT: %n = nv_tileaa.create_mem_token : [[token]]
// CHECK-NEXT: %j = nv_tileaa.join_mem_token [%t0, %t1] : [[token]]
// CHECK-NEXT: %k = nv_tileaa.join_mem_token [%n, %a] : [[token]]
// CHECK-NEXT: "test.op"(%j, %k) : ([[token]], [[token]]) -> ()
// CHECK-NEXT: func.return
