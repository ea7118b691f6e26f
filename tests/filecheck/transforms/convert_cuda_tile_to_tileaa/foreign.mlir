// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --allow-unregistered-dialect | filecheck %s
// Foreign ops stay, behind casts in the direction that is needed.

// REQ: C-03, C-05, C-31, C-32, C-47, J-06

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @poison() -> (tile<4xf32>, !f32, token, tile<ptr<f32>>, i32) {
    %p = ub.poison : !cuda_tile.tile<4xf32>
    %q = ub.poison : !f32
    %r = ub.poison : !cuda_tile.token
    %s = ub.poison : !cuda_tile.tile<ptr<f32>>
    %t = ub.poison : i32
    return %p, %q, %r, %s, %t : tile<4xf32>, !f32, token, tile<ptr<f32>>, i32
  }
  // CHECK-LABEL: func.func @poison() -> (tensor<4xf32>, f32, !nv_tileaa.mem_token, !llvm.ptr<1>, i32) {
  // CHECK-NEXT: %p = ub.poison : tensor<4xf32>
  // CHECK-NEXT: %q = ub.poison : f32
  // CHECK-NEXT: %r = ub.poison : !nv_tileaa.mem_token
  // CHECK-NEXT: %s = ub.poison : !llvm.ptr<1>
  // CHECK-NEXT: %t = ub.poison : i32
  // CHECK-NEXT: func.return %p, %q, %r, %s, %t : tensor<4xf32>, f32, !nv_tileaa.mem_token, !llvm.ptr<1>, i32
  // CHECK-NEXT: }

  testing$func @both_directions(%x: !f32, %t: token) -> !f32 {
    %0 = negf %x : !f32
    %1 = "test.op"(%0, %x, %t) {my.mark} : (!f32, !f32, !cuda_tile.token) -> !f32
    %2 = "other.op"(%1) : (!f32) -> !f32
    %3 = addf %1, %2 : !f32
    return %3 : !f32
  }
  // CHECK-LABEL: func.func @both_directions(%x: f32, %t: !nv_tileaa.mem_token) -> f32 {
  // CHECK-NEXT: %t_1 = builtin.unrealized_conversion_cast %t : !nv_tileaa.mem_token to !cuda_tile.token
  // CHECK-NEXT: %x_1 = builtin.unrealized_conversion_cast %x : f32 to [[f32:!cuda_tile.tile<f32>]]
  // CHECK-NEXT: %0 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: %1 = builtin.unrealized_conversion_cast %0 : f32 to [[f32]]
  // CHECK-NEXT: %2 = "test.op"(%1, %x_1, %t_1) {my.mark} : ([[f32]], [[f32]], !cuda_tile.token) -> [[f32]]
  // CHECK-NEXT: %3 = builtin.unrealized_conversion_cast %2 : [[f32]] to f32
  // CHECK-NEXT: %4 = "other.op"(%2) : ([[f32]]) -> [[f32]]
  // CHECK-NEXT: %5 = builtin.unrealized_conversion_cast %4 : [[f32]] to f32
  // CHECK-NEXT: %6 = nv_tileaa.addf %3, %5 : f32
  // CHECK-NEXT: func.return %6 : f32
  // CHECK-NEXT: }

  testing$func @regions(%x: !f32) {
    "other.region"() ({
      %0 = negf %x : !f32
      "other.end"(%0) : (!f32) -> ()
    }) : () -> ()
    return
  }
  // CHECK-LABEL: func.func @regions(%x: f32) {
  // CHECK-NEXT: "other.region"() ({
  // CHECK-NEXT: %0 = nv_tileaa.negf %x : f32
  // CHECK-NEXT: %1 = builtin.unrealized_conversion_cast %0 : f32 to [[f32]]
  // CHECK-NEXT: "other.end"(%1) : ([[f32]]) -> ()
  // CHECK-NEXT: }) : () -> ()
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @legal_types(%p: !llvm.ptr<1>, %s: !llvm.struct<(i32, f32)>) {
    %0 = "test.op"(%p, %s) : (!llvm.ptr<1>, !llvm.struct<(i32, f32)>) -> !llvm.struct<(!llvm.ptr)>
    return
  }
  // CHECK-LABEL: func.func @legal_types(%p: !llvm.ptr<1>, %s: !llvm.struct<(i32, f32)>) {
  // CHECK-NEXT: %0 = "test.op"(%p, %s) : (!llvm.ptr<1>, !llvm.struct<(i32, f32)>) -> !llvm.struct<(!llvm.ptr)>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @legal_ops(%i: tile<i32>) -> tile<i32> {
    %0 = arith.constant 4 : i32
    %1 = arith.addi %0, %0 : i32
    return %i : tile<i32>
  }
  // CHECK-LABEL: func.func @legal_ops(%i: i32) -> i32 {
  // CHECK-NEXT: %0 = arith.constant 4 : i32
  // CHECK-NEXT: %1 = arith.addi %0, %0 : i32
  // CHECK-NEXT: func.return %i : i32
  // CHECK-NEXT: }
}
