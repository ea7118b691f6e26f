// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize | filecheck %s

func.func @join_of_one(%t: !nv_tileaa.mem_token) -> !nv_tileaa.mem_token {
  %j = "nv_tileaa.join_mem_token"(%t) : (!nv_tileaa.mem_token) -> !nv_tileaa.mem_token
  func.return %j : !nv_tileaa.mem_token
}
// CHECK-LABEL: func.func @join_of_one(
// CHECK-NEXT: func.return %t : [[token:!nv_tileaa.mem_token]]

func.func @join_of_none() -> !nv_tileaa.mem_token {
  %j = "nv_tileaa.join_mem_token"() : () -> !nv_tileaa.mem_token
  func.return %j : !nv_tileaa.mem_token
}
// CHECK-LABEL: func.func @join_of_none(
// CHECK-NEXT: %j = nv_tileaa.create_mem_token : [[token]]
// CHECK-NEXT: func.return %j : [[token]]

func.func @nested(%a: !nv_tileaa.mem_token, %b: !nv_tileaa.mem_token, %c: !nv_tileaa.mem_token) {
  %j = nv_tileaa.join_mem_token [%a, %b] : !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%c, %j, %a] : !nv_tileaa.mem_token
  %l = nv_tileaa.join_mem_token [%c, %c] : !nv_tileaa.mem_token
  "test.op"(%k, %l) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  func.return
}
// CHECK-LABEL: func.func @nested(
// CHECK-NEXT: %k = nv_tileaa.join_mem_token [%c, %a, %b] : [[token]]
// CHECK-NEXT: "test.op"(%k, %c) : ([[token]], [[token]]) -> ()
// CHECK-NEXT: func.return

// A token of which nothing is known covers no other.
// REQ: E-10
func.func @unrelated(%p: !llvm.ptr<1>, %v: f32, %a: !nv_tileaa.mem_token, %b: !nv_tileaa.mem_token) {
  %t1 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %t2 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %t3 = "test.op"(%b) : (!nv_tileaa.mem_token) -> !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t1, %t2] : !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%b, %t3] : !nv_tileaa.mem_token
  "test.op"(%j, %k) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
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

func.func @covered(%p: !llvm.ptr<1>, %v: f32, %a: !nv_tileaa.mem_token, %b: !nv_tileaa.mem_token) {
  %t1 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%a, %t2, %b, %t1] : !nv_tileaa.mem_token
  %t3 = nv_tileaa.store %p, %x token(%j) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%b, %t3] : !nv_tileaa.mem_token
  "test.op"(%j, %k) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
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
func.func @new_tokens(%p: !llvm.ptr<1>, %v: f32, %a: !nv_tileaa.mem_token) {
  %t0 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %n = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%n, %a] : !nv_tileaa.mem_token
  "test.op"(%j, %k) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
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
