// RUN: tileiras-opt %s -p canonicalize-tileaa --print-local-scope | %verbatim %s
// RUN: tileiras-opt %s -p canonicalize --print-local-scope | %verbatim %s

func.func @join_of_one(%t: !nv_tileaa.mem_token) -> !nv_tileaa.mem_token {
  // PRINTS: func.return %t : !nv_tileaa.mem_token
  %j = "nv_tileaa.join_mem_token"(%t) : (!nv_tileaa.mem_token) -> !nv_tileaa.mem_token
  // PRINTS:
  func.return %j : !nv_tileaa.mem_token
}

func.func @join_of_none() -> !nv_tileaa.mem_token {
  // PRINTS: %j = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %j = "nv_tileaa.join_mem_token"() : () -> !nv_tileaa.mem_token
  func.return %j : !nv_tileaa.mem_token
}

func.func @nested(%a: !nv_tileaa.mem_token, %b: !nv_tileaa.mem_token, %c: !nv_tileaa.mem_token) {
  // PRINTS: %k = nv_tileaa.join_mem_token [%c, %a, %b] : !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%a, %b] : !nv_tileaa.mem_token
  // PRINTS: "test.op"(%k, %c) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  %k = nv_tileaa.join_mem_token [%c, %j, %a] : !nv_tileaa.mem_token
  // PRINTS:
  %l = nv_tileaa.join_mem_token [%c, %c] : !nv_tileaa.mem_token
  // PRINTS:
  "test.op"(%k, %l) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  func.return
}

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

func.func @covered(%p: !llvm.ptr<1>, %v: f32, %a: !nv_tileaa.mem_token, %b: !nv_tileaa.mem_token) {
  %t1 = nv_tileaa.store %p, %v token(%a) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
  // PRINTS: %j = nv_tileaa.join_mem_token [%t2, %b] : !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%a, %t2, %b, %t1] : !nv_tileaa.mem_token
  %t3 = nv_tileaa.store %p, %x token(%j) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  // PRINTS: "test.op"(%j, %t3) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  %k = nv_tileaa.join_mem_token [%b, %t3] : !nv_tileaa.mem_token
  // PRINTS:
  "test.op"(%j, %k) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  func.return
}

// New tokens stand for barriers: none of them is dropped.
func.func @new_tokens(%p: !llvm.ptr<1>, %v: f32, %a: !nv_tileaa.mem_token) {
  %t0 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
  // PRINTS: %n = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %n = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%n, %a] : !nv_tileaa.mem_token
  "test.op"(%j, %k) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  func.return
}
