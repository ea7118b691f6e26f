func.func @cas(%p: !llvm.ptr<1>, %t0: !nv_tileaa.mem_token) -> ({T}, !nv_tileaa.mem_token) {
  %c = arith.constant 7 : {T}
  %old, %t1 = nv_tileaa.atomic_cas %p, %c, %c token(%t0) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> {T}, !nv_tileaa.mem_token
  func.return %old, %t1 : {T}, !nv_tileaa.mem_token
}
func.func @identities(%p: !llvm.ptr<1>) -> ({T}, {T}, {T}, {T}) {
  %z = arith.constant 0 : {T}
  %m = arith.constant -1 : {T}
  %a, %ta = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, {T} -> {T}, !nv_tileaa.mem_token
  %b, %tb = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "sys"} : !llvm.ptr<1>, {T} -> {T}, !nv_tileaa.mem_token
  %c, %tc = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "xor", mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1>, {T} -> {T}, !nv_tileaa.mem_token
  %d, %td = nv_tileaa.atomic_rmw %p, %m {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, {T} -> {T}, !nv_tileaa.mem_token
  func.return %a, %b, %c, %d : {T}, {T}, {T}, {T}
}
