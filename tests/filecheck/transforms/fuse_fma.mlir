// RUN: tileiras-opt %s -p fuse-fma --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p fuse-fma | filecheck %s

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @fused {

  testing$func @sum_with_modifiers(%a: tile<4xf32>, %b: tile<4xf32>, %c: tile<4xf32>) -> tile<4xf32> {
    %m = mulf %a, %b rounding<positive_inf> flush_to_zero : tile<4xf32>
    %r = addf %m, %c rounding<positive_inf> flush_to_zero : tile<4xf32>
    return %r : tile<4xf32>
  }
  // CHECK-LABEL: @sum_with_modifiers(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.fma %a, %b, %c rounding<positive_inf> flush_to_zero : !cuda_tile.tile<4xf32>
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<4xf32>

  testing$func @product_on_the_right(%a: tile<f16>, %b: tile<f16>, %c: tile<f16>) -> tile<f16> {
    %m = mulf %a, %b rounding<zero> : tile<f16>
    %r = addf %c, %m rounding<zero> : tile<f16>
    return %r : tile<f16>
  }
  // CHECK-LABEL: @product_on_the_right(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.fma %a, %b, %c rounding<zero> : !cuda_tile.tile<f16>
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<f16>

  testing$func @difference(%a: !f32, %b: !f32, %c: !f32) -> !f32 {
    %m = mulf %a, %b rounding<zero> flush_to_zero : !f32
    %r = subf %m, %c rounding<zero> flush_to_zero : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @difference(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.negf %c : [[f32:!cuda_tile.tile<f32>]]
  // CHECK-NEXT: %r = cuda_tile.fma %a, %b, %0 rounding<zero> flush_to_zero : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @kernel_loop(%a: !f32, %n: tile<i32>) -> !f32 {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %a) -> (!f32) {
      %m = mulf %s, %s : !f32
      %t = addf %m, %a : !f32
      continue %t : !f32
    }
    return %r : !f32
  }
  // CHECK-LABEL: @kernel_loop(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %cst_0 = cuda_tile.constant <i32: 0> : [[i32:!cuda_tile.tile<i32>]]
  // CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
  // CHECK-NEXT: %r = cuda_tile.for %i in (%cst_0 to %n, step %cst_1) : [[i32]] iter_values(%s = %a) -> ([[f32]]) {
  // CHECK-NEXT: ^body:
  // CHECK-NEXT:   %t = cuda_tile.fma %s, %s, %a : [[f32]]
  // CHECK-NEXT:   cuda_tile.continue %t : [[f32]]
  // CHECK-NEXT: }
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]
}

cuda_tile.module @not_fused {
  testing$func @other_uses(%a: !f32, %b: !f32, %c: !f32) -> (!f32, !f32) {
    %m = mulf %a, %b : !f32
    %r = addf %m, %c : !f32
    return %r, %m : !f32, !f32
  }
  // CHECK-LABEL: @other_uses(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %c : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r, %m : [[f32]], [[f32]]

  testing$func @square(%a: !f32, %b: !f32) -> !f32 {
    %m = mulf %a, %b : !f32
    %r = addf %m, %m : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @square(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %m : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @left_has_other_uses(%a: !f32, %b: !f32) -> (!f32, !f32) {
    %m = mulf %a, %b : !f32
    %n = mulf %b, %b : !f32
    %r = addf %m, %n : !f32
    return %r, %m : !f32, !f32
  }
  // CHECK-LABEL: @left_has_other_uses(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %n = cuda_tile.mulf %b, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %n : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r, %m : [[f32]], [[f32]]

  testing$func @rounding_differs(%a: !f32, %b: !f32, %c: !f32) -> (!f32, !f32) {
    %m = mulf %a, %b rounding<zero> : !f32
    %r = addf %m, %c : !f32
    %n = mulf %a, %b : !f32
    %s = subf %n, %c rounding<zero> : !f32
    return %r, %s : !f32, !f32
  }
  // CHECK-LABEL: @rounding_differs(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b rounding<zero> : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %c : [[f32]]
  // CHECK-NEXT: %n = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %s = cuda_tile.subf %n, %c rounding<zero> : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r, %s : [[f32]], [[f32]]

  testing$func @flush_to_zero_differs(%a: !f32, %b: !f32, %c: !f32) -> (!f32, !f32) {
    %m = mulf %a, %b : !f32
    %r = addf %m, %c flush_to_zero : !f32
    %n = mulf %a, %b flush_to_zero : !f32
    %s = subf %n, %c : !f32
    return %r, %s : !f32, !f32
  }
  // CHECK-LABEL: @flush_to_zero_differs(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %c flush_to_zero : [[f32]]
  // CHECK-NEXT: %n = cuda_tile.mulf %a, %b flush_to_zero : [[f32]]
  // CHECK-NEXT: %s = cuda_tile.subf %n, %c : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r, %s : [[f32]], [[f32]]

  testing$func @product_subtracted(%a: !f32, %b: !f32, %c: !f32) -> !f32 {
    %m = mulf %a, %b : !f32
    %r = subf %c, %m : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @product_subtracted(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.subf %c, %m : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  // Removing what is unused is left to others.
  testing$func @unused(%a: !f32) {
    %r = negf %a : !f32
    return
  }
  // CHECK-LABEL: @unused(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %r = cuda_tile.negf %a : [[f32]]
  // CHECK-NEXT: cuda_tile.return
}
