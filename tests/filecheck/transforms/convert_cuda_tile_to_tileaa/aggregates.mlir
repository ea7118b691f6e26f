// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-local-scope | filecheck %s

// REQ: C-14, C-35, C-36, C-37, C-38, C-39, C-46

!t8xf32 = !cuda_tile.tile<8xf32>
!i32 = !cuda_tile.tile<i32>
!tile = !cuda_tile.tile<8x64xf32>
!tile_a = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @reduce(%values: !tile) -> !t8xf32 {
    %sum = cuda_tile.reduce %values dim=1 identities=[0.0 : f32] : !tile -> !t8xf32
    (%acc: !tile_a, %val: !tile_a) {
      %s = cuda_tile.addf %acc, %val : !tile_a
      cuda_tile.yield %s : !tile_a
    }
    return %sum : !t8xf32
  }
  // CHECK-LABEL: func.func @reduce(%values: tensor<8x64xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %sum = nv_tileaa.reduce %values {axis = 1 : i32, identities = [0.000000e+00 : f32]} : tensor<8x64xf32> -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%acc: f32, %val: f32):
  // CHECK-NEXT: %s = nv_tileaa.addf %acc, %val : f32
  // CHECK-NEXT: nv_tileaa.yield %s : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %sum : tensor<8xf32>
  // CHECK-NEXT: }

  // The other spelling of the same.
  testing$func @reduce_axis(%values: !tile) -> !t8xf32 {
    %sum = cuda_tile.reduce %values {axis = 1 : i32} : !tile -> !t8xf32 {
    ^bb0(%acc: !tile_a, %val: !tile_a):
      %s = cuda_tile.addf %acc, %val : !tile_a
      cuda_tile.yield %s : !tile_a
    }
    return %sum : !t8xf32
  }
  // CHECK-LABEL: func.func @reduce_axis(%values: tensor<8x64xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %sum = nv_tileaa.reduce %values {axis = 1 : i32} : tensor<8x64xf32> -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%acc: f32, %val: f32):
  // CHECK-NEXT: %s = nv_tileaa.addf %acc, %val : f32
  // CHECK-NEXT: nv_tileaa.yield %s : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %sum : tensor<8xf32>
  // CHECK-NEXT: }

  testing$func @reduce_to_scalar(%values: tile<8xi32>) -> !i32 {
    %max = reduce %values {my.mark} dim=0 identities=[-2147483648 : i32] : tile<8xi32> -> !i32
    (%acc: !i32, %val: !i32) {
      %m = maxi %acc, %val signed : !i32
      yield %m : !i32
    }
    return %max : !i32
  }
  // CHECK-LABEL: func.func @reduce_to_scalar(%values: tensor<8xi32>) -> i32 {
  // CHECK-NEXT: %max = nv_tileaa.reduce %values {my.mark, axis = 0 : i32, identities = [-2147483648 : i32]} : tensor<8xi32> -> i32 {
  // CHECK-NEXT: ^bb0(%acc: i32, %val: i32):
  // CHECK-NEXT: %m = arith.maxsi %acc, %val : i32
  // CHECK-NEXT: nv_tileaa.yield %m : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %max : i32
  // CHECK-NEXT: }

  testing$func @several_operands(%x: tile<4x8xf32>, %i: tile<4x8xi32>) -> (!t8xf32, tile<8xi32>) {
    %0:2 = reduce %x, %i dim=0 identities=[0.0 : f32, 0 : i32] : tile<4x8xf32>, tile<4x8xi32> -> !t8xf32, tile<8xi32>
    (%a: !tile_a, %b: !tile_a, %c: !i32, %d: !i32) {
      %above = cmpf greater_than ordered %a, %b : !tile_a -> tile<i1>
      %value = select %above, %a, %b : tile<i1>, !tile_a
      %index = select %above, %c, %d : tile<i1>, !i32
      yield %value, %index : !tile_a, !i32
    }
    return %0#0, %0#1 : !t8xf32, tile<8xi32>
  }
  // CHECK-LABEL: func.func @several_operands(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  // CHECK-NEXT: %red, %0 = nv_tileaa.reduce %x, %i {axis = 0 : i32, identities = [0.000000e+00 : f32, 0 : i32]} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<8xf32>, tensor<8xi32> {
  // CHECK-NEXT: ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
  // CHECK-NEXT: %above = nv_tileaa.cmpf %a, %b {comparison_predicate = "greater_than", comparison_ordering = "ordered"} : f32 -> i1
  // CHECK-NEXT: %value = arith.select %above, %a, %b : f32
  // CHECK-NEXT: %index = arith.select %above, %c, %d : i32
  // CHECK-NEXT: nv_tileaa.yield %value, %index : f32, i32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %red, %0 : tensor<8xf32>, tensor<8xi32>
  // CHECK-NEXT: }

  testing$func @scan(%values: !tile) -> !tile {
    %prefix = cuda_tile.scan %values dim=1 reverse=false identities=[0.0 : f32] : !tile -> !tile
    (%acc: !tile_a, %elem: !tile_a) {
      %sum = cuda_tile.addf %acc, %elem : !tile_a
      cuda_tile.yield %sum : !tile_a
    }
    return %prefix : !tile
  }
  // CHECK-LABEL: func.func @scan(%values: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK-NEXT: %prefix = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true, reverse = false, identities = [0.000000e+00 : f32]} : tensor<8x64xf32> -> tensor<8x64xf32> {
  // CHECK-NEXT: ^bb0(%acc: f32, %elem: f32):
  // CHECK-NEXT: %sum = nv_tileaa.addf %acc, %elem : f32
  // CHECK-NEXT: nv_tileaa.yield %sum : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %prefix : tensor<8x64xf32>
  // CHECK-NEXT: }

  testing$func @scan_attributes(%values: !tile) -> (!tile, !tile) {
    %inclusive = cuda_tile.scan %values {axis = 1 : i32, inclusive = true} : !tile -> !tile {
    ^bb0(%acc: !tile_a, %elem: !tile_a):
      %sum = cuda_tile.addf %acc, %elem : !tile_a
      cuda_tile.yield %sum : !tile_a
    }
    %exclusive = cuda_tile.scan %values {inclusive = false, my.mark} dim=0 reverse=true identities=[0.0 : f32] : !tile -> !tile
    (%acc: !tile_a, %elem: !tile_a) {
      %sum = cuda_tile.addf %acc, %elem : !tile_a
      cuda_tile.yield %sum : !tile_a
    }
    return %inclusive, %exclusive : !tile, !tile
  }
  // CHECK-LABEL: func.func @scan_attributes(%values: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  // CHECK-NEXT: %inclusive = nv_tileaa.scan %values {axis = 1 : i32, inclusive = true, reverse = false} : tensor<8x64xf32> -> tensor<8x64xf32> {
  // CHECK-NEXT: ^bb0(%acc: f32, %elem: f32):
  // CHECK-NEXT: %sum = nv_tileaa.addf %acc, %elem : f32
  // CHECK-NEXT: nv_tileaa.yield %sum : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: %exclusive = nv_tileaa.scan %values {my.mark, axis = 0 : i32, inclusive = false, reverse = true, identities = [0.000000e+00 : f32]} : tensor<8x64xf32> -> tensor<8x64xf32> {
  // CHECK-NEXT: ^bb0(%acc_1: f32, %elem_1: f32):
  // CHECK-NEXT: %sum_1 = nv_tileaa.addf %acc_1, %elem_1 : f32
  // CHECK-NEXT: nv_tileaa.yield %sum_1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %inclusive, %exclusive : tensor<8x64xf32>, tensor<8x64xf32>
  // CHECK-NEXT: }

  // Everything in a body is converted with it.
  testing$func @control_flow_in_a_body(%values: !t8xf32, %c: tile<i1>) -> !tile_a {
    %0 = reduce %values dim=0 identities=[0.0 : f32] : !t8xf32 -> !tile_a
    (%a: !tile_a, %b: !tile_a) {
      %1 = constant <f32: 2.0> : !tile_a
      %2 = if %c -> (!tile_a) {
        yield %a : !tile_a
      } else {
        yield %1 : !tile_a
      }
      %3 = addf %2, %b : !tile_a
      yield %3 : !tile_a
    }
    return %0 : !tile_a
  }
  // CHECK-LABEL: func.func @control_flow_in_a_body(%values: tensor<8xf32>, %c: i1) -> f32 {
  // CHECK-NEXT: %red = nv_tileaa.reduce %values {axis = 0 : i32, identities = [0.000000e+00 : f32]} : tensor<8xf32> -> f32 {
  // CHECK-NEXT: ^bb0(%a: f32, %b: f32):
  // CHECK-NEXT: %cst = arith.constant 2.000000e+00 : f32
  // CHECK-NEXT: %0 = scf.if %c -> (f32) {
  // CHECK-NEXT: scf.yield %a : f32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %cst : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: %1 = nv_tileaa.addf %0, %b : f32
  // CHECK-NEXT: nv_tileaa.yield %1 : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %red : f32
  // CHECK-NEXT: }
}
