// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-op-generic --print-local-scope | filecheck %s
// The generic form shows that a token operand has its place.

// REQ: C-30, C-42, E-01, E-02, E-03, E-04, E-05, E-06, E-07, E-08, J-15

cuda_tile.module @m {
  testing$func @tokens(%t0: token, %t1: token, %t2: token, %p: tile<ptr<f32>>) -> (token, token, token, token, token) {
    %made = cuda_tile.make_token : !cuda_tile.token
    %joined = cuda_tile.join_tokens %t0, %t1, %t2 : !cuda_tile.token
    %dotted = cuda_tile.token.join [%t2, %t0, %t1] : !cuda_tile.token
    %one = cuda_tile.token.join [%t0] : !cuda_tile.token
    %none = cuda_tile.token.join [] : !cuda_tile.token
    %v, %read = load_ptr_tko acquire device %p token=%one : tile<ptr<f32>> -> tile<f32>, token
    %written = store_ptr_tko weak %p, %v token=%none : tile<ptr<f32>>, tile<f32> -> token
    return %made, %joined, %dotted, %read, %written : token, token, token, token, token
  }
  // CHECK:      "func.func"() <{sym_name = "tokens"
  // CHECK-NEXT: ^bb0(%t0: [[token:!nv_tileaa.mem_token]], %t1: [[token]], %t2: [[token]], %p: !llvm.ptr<1>):
  // CHECK-NEXT: %made = "nv_tileaa.create_mem_token"() : () -> [[token]]
  // CHECK-NEXT: %joined = "nv_tileaa.join_mem_token"(%t0, %t1, %t2) : ([[token]], [[token]], [[token]]) -> [[token]]
  // CHECK-NEXT: %dotted = "nv_tileaa.join_mem_token"(%t2, %t0, %t1) : ([[token]], [[token]], [[token]]) -> [[token]]
  // CHECK-NEXT: %none = "nv_tileaa.create_mem_token"() : () -> [[token]]
  // CHECK-NEXT: %v, %read = "nv_tileaa.load"(%p, %t0) <{mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (!llvm.ptr<1>, [[token]]) -> (f32, [[token]])
  // CHECK-NEXT: %written = "nv_tileaa.store"(%p, %v, %none) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!llvm.ptr<1>, f32, [[token]]) -> [[token]]
  // CHECK-NEXT: "func.return"(%made, %joined, %dotted, %read, %written)
}
