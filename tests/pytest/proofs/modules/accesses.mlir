func.func @loads(%p: tensor<2x!llvm.ptr<1>>, %o: tensor<2x{T}>, %t0: !nv_tileaa.mem_token) -> (tensor<2x{T}>, tensor<2x{T}>, tensor<2x{T}>, !nv_tileaa.mem_token) {
  %m = arith.constant dense<true> : tensor<2xi1>
  %n = arith.constant dense<false> : tensor<2xi1>
  %a, %t1 = nv_tileaa.load %p mask(%m : tensor<2xi1>) other(%o : tensor<2x{T}>) token(%t0) : tensor<2x!llvm.ptr<1>> -> tensor<2x{T}>, !nv_tileaa.mem_token
  %b, %t2 = nv_tileaa.load %p mask(%n : tensor<2xi1>) other(%o : tensor<2x{T}>) token(%t1) : tensor<2x!llvm.ptr<1>> -> tensor<2x{T}>, !nv_tileaa.mem_token
  %c, %t3 = nv_tileaa.load %p mask(%n : tensor<2xi1>) token(%t2) : tensor<2x!llvm.ptr<1>> -> tensor<2x{T}>, !nv_tileaa.mem_token
  func.return %a, %b, %c, %t3 : tensor<2x{T}>, tensor<2x{T}>, tensor<2x{T}>, !nv_tileaa.mem_token
}
func.func @stores(%p: tensor<2x!llvm.ptr<1>>, %v: tensor<2x{T}>, %t0: !nv_tileaa.mem_token) -> !nv_tileaa.mem_token {
  %m = arith.constant dense<true> : tensor<2xi1>
  %n = arith.constant dense<false> : tensor<2xi1>
  %t1 = nv_tileaa.store %p, %v mask(%m : tensor<2xi1>) token(%t0) : tensor<2x!llvm.ptr<1>>, tensor<2x{T}> -> !nv_tileaa.mem_token
  %t2 = nv_tileaa.store %p, %v mask(%n : tensor<2xi1>) token(%t1) : tensor<2x!llvm.ptr<1>>, tensor<2x{T}> -> !nv_tileaa.mem_token
  func.return %t2 : !nv_tileaa.mem_token
}
func.func @joins(%p: !llvm.ptr<1>, %v: {T}, %t0: !nv_tileaa.mem_token, %x: !nv_tileaa.mem_token) -> (!nv_tileaa.mem_token, !nv_tileaa.mem_token, !nv_tileaa.mem_token) {
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, {T} -> !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t0, %t1, %x] : !nv_tileaa.mem_token
  %k = nv_tileaa.join_mem_token [%j] : !nv_tileaa.mem_token
  %l = nv_tileaa.join_mem_token [%x, %j, %t1] : !nv_tileaa.mem_token
  %n = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
  func.return %k, %l, %n : !nv_tileaa.mem_token, !nv_tileaa.mem_token, !nv_tileaa.mem_token
}
