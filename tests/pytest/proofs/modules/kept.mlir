func.func @ordered(%p: tensor<2x!llvm.ptr<1>>, %v: tensor<2xi32>, %t0: !nv_tileaa.mem_token) -> !nv_tileaa.mem_token {
  %n = arith.constant dense<false> : tensor<2xi1>
  %a, %t1 = nv_tileaa.load %p mask(%n : tensor<2xi1>) other(%v : tensor<2xi32>) token(%t0) {mem_semantic = "acquire", mem_scope = "gpu"} : tensor<2x!llvm.ptr<1>> -> tensor<2xi32>, !nv_tileaa.mem_token
  %t2 = nv_tileaa.store %p, %v mask(%n : tensor<2xi1>) token(%t1) {mem_semantic = "release", mem_scope = "gpu"} : tensor<2x!llvm.ptr<1>>, tensor<2xi32> -> !nv_tileaa.mem_token
  func.return %t2 : !nv_tileaa.mem_token
}
func.func @released(%p: !llvm.ptr<1>, %t0: !nv_tileaa.mem_token) -> (i32, !nv_tileaa.mem_token) {
  %z = arith.constant 0 : i32
  %a, %t1 = nv_tileaa.atomic_rmw %p, %z token(%t0) {rmw_mode = "add", mem_semantic = "acq_rel", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
  func.return %a, %t1 : i32, !nv_tileaa.mem_token
}
func.func @permuted(%a: tensor<4x4xi32>, %i: i32, %j: i32) -> tensor<2x2xi32> {
  %s = nv_tileaa.permute %a {permutation = array<i32: 1, 0>} : tensor<4x4xi32> -> tensor<4x4xi32>
  %e = nv_tileaa.extract %s[%i, %j] : (tensor<4x4xi32>, i32, i32) -> tensor<2x2xi32>
  func.return %e : tensor<2x2xi32>
}

func.func @added(%p: !llvm.ptr<1>, %v: i32) -> i32 {
  %a, %t = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
  func.return %a : i32
}
