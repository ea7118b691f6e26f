// RUN: tileiras-opt %s -p canonicalize --print-local-scope | filecheck %s
// RUN: xdsl-opt %s -p canonicalize | filecheck %s

!f32 = !cuda_tile.tile<f32>
!f16 = !cuda_tile.tile<2xf16>

cuda_tile.module @addf {
  testing$func @product_on_the_right(%a: !f32, %b: !f32, %c: !f32) -> !f32 {
    %m = mulf %a, %b : !f32
    %r = addf %c, %m rounding<zero> flush_to_zero {keep} : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @product_on_the_right(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32:!cuda_tile.tile<f32>]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %c rounding<zero> flush_to_zero {keep} : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @product_on_the_left(%a: !f16, %b: !f16, %c: !f16) -> !f16 {
    %m = mulf %a, %b : !f16
    %r = addf %m, %c : !f16
    return %r : !f16
  }
  // CHECK-LABEL: @product_on_the_left(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : !cuda_tile.tile<2xf16>
  // CHECK-NEXT: %r = cuda_tile.addf %m, %c : !cuda_tile.tile<2xf16>
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<2xf16>

  testing$func @two_products(%a: !f32, %b: !f32) -> !f32 {
    %m = mulf %a, %b : !f32
    %n = mulf %a, %a : !f32
    %r = addf %m, %n : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @two_products(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %n = cuda_tile.mulf %a, %a : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %m, %n : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @no_product(%a: !f32, %b: !f32) -> !f32 {
    %q = divf %a, %b : !f32
    %r = addf %a, %q : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @no_product(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %q = cuda_tile.divf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.addf %a, %q : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]

  testing$func @difference(%a: !f32, %b: !f32, %c: !f32) -> !f32 {
    %m = mulf %a, %b : !f32
    %r = subf %c, %m : !f32
    return %r : !f32
  }
  // CHECK-LABEL: @difference(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %m = cuda_tile.mulf %a, %b : [[f32]]
  // CHECK-NEXT: %r = cuda_tile.subf %c, %m : [[f32]]
  // CHECK-NEXT: cuda_tile.return %r : [[f32]]
}
