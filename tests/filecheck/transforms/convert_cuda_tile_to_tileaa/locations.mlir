// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-debuginfo | filecheck %s
// Whatever is made of an op has its location.

// REQ: C-37

!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @f(%x: tile<8xf32>, %c: tile<i1>, %n: tile<i32>) -> tile<8xf32> {
    %0 = constant <f32: 1.0> : tile<8xf32> loc("a.py":1:1)
    %1 = addf %x, %0 : tile<8xf32> loc("a.py":2:1)
    %2 = if %c -> (tile<8xf32>) {
      %3 = negf %1 : tile<8xf32> loc("a.py":3:1)
      return %3 : tile<8xf32> loc("a.py":4:1)
    } else {
      yield %1 : tile<8xf32> loc("a.py":5:1)
    } loc("a.py":6:1)
    %4 = iota : tile<8xi32> loc("a.py":7:1)
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
      continue loc("a.py":8:1)
    } loc("a.py":9:1)
    %5 = reduce %2 dim=0 identities=[0.0 : f32] : tile<8xf32> -> !f32
    (%a: !f32, %b: !f32) {
      %6 = addf %a, %b : !f32 loc("a.py":10:1)
      yield %6 : !f32 loc("a.py":11:1)
    } loc("a.py":12:1)
    return %2 : tile<8xf32> loc("a.py":13:1)
  } loc("a.py":14:1)
  // CHECK-LABEL: func.func @f(%x: tensor<8xf32> loc(unknown), %c: i1 loc(unknown), %n: i32 loc(unknown)) -> tensor<8xf32> {
  // CHECK-NEXT: %0 = arith.constant 1.000000e+00 : f32 loc("a.py":1:1)
  // CHECK-NEXT: %cst = nv_tileaa.splat %0 : f32 to tensor<8xf32> loc("a.py":1:1)
  // CHECK-NEXT: %1 = nv_tileaa.addf %x, %cst : tensor<8xf32> loc("a.py":2:1)
  // CHECK-NEXT: %2 = scf.if %c -> (tensor<8xf32>) {
  // CHECK-NEXT: %3 = nv_tileaa.negf %1 : tensor<8xf32> loc("a.py":3:1)
  // CHECK-NEXT: scf.yield %3 : tensor<8xf32> loc("a.py":4:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %4 = arith.constant 0 : i32 loc("a.py":7:1)
  // CHECK-NEXT: %5 = arith.constant 8 : i32 loc("a.py":7:1)
  // CHECK-NEXT: %6 = nv_tileaa.make_range %4, %5 : i32 to tensor<8xi32> loc("a.py":7:1)
  // CHECK-NEXT: %7 = scf.while (%8 = %n) : (i32) -> i32
  // CHECK-NEXT: %9 = arith.cmpi ult, %8, %n : i32 loc("a.py":9:1)
  // CHECK-NEXT: scf.condition(%9) %8 : i32 loc("a.py":9:1)
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%i: i32 loc(unknown)):
  // CHECK-NEXT: %10 = arith.subi %n, %i : i32 loc("a.py":8:1)
  // CHECK-NEXT: %11 = arith.minui %n, %10 : i32 loc("a.py":8:1)
  // CHECK-NEXT: %12 = arith.addi %i, %11 : i32 loc("a.py":8:1)
  // CHECK-NEXT: scf.yield %12 : i32 loc("a.py":8:1)
  // CHECK-NEXT: } loc("a.py":9:1)
  // CHECK-NEXT: %red = nv_tileaa.reduce %1 {axis = 0 : i32, identities = [0.000000e+00 : f32]} : tensor<8xf32> -> f32 {
  // CHECK-NEXT: ^bb0(%a: f32 loc(unknown), %b: f32 loc(unknown)):
  // CHECK-NEXT: %13 = nv_tileaa.addf %a, %b : f32 loc("a.py":10:1)
  // CHECK-NEXT: nv_tileaa.yield %13 : f32 loc("a.py":11:1)
  // CHECK-NEXT: } loc("a.py":12:1)
  // CHECK-NEXT: scf.yield %1 : tensor<8xf32> loc("a.py":13:1)
  // CHECK-NEXT: } loc("a.py":6:1)
  // CHECK-NEXT: func.return %2 : tensor<8xf32> loc("a.py":6:1)
  // CHECK-NEXT: } loc("a.py":14:1)

  testing$func @flow(%x: !f32, %c: tile<i1>) -> !f32 {
    if %c {
      if %c {
        return %x : !f32 loc("a.py":1:1)
      } loc("a.py":2:1)
      assert %c, "" : tile<i1> loc("a.py":3:1)
    } loc("a.py":4:1)
    loop {
      if %c {
        return %x : !f32 loc("a.py":5:1)
      } loc("a.py":6:1)
      continue loc("a.py":7:1)
    } loc("a.py":8:1)
    return %x : !f32 loc("a.py":9:1)
  }
  // CHECK-LABEL: func.func @flow(%x: f32 loc(unknown), %c: i1 loc(unknown)) -> f32 {
  // CHECK-NEXT: %0, %1 = scf.if %c -> (i1, f32) {
  // CHECK-NEXT: %2, %3 = scf.if %c -> (i1, f32) {
  // CHECK-NEXT: %4 = arith.constant false loc("a.py":1:1)
  // CHECK-NEXT: scf.yield %4, %x : i1, f32 loc("a.py":1:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nv_tileaa.assert %c, "" : i1 loc("a.py":3:1)
  // CHECK-NEXT: %5 = arith.constant true loc("a.py":4:1)
  // CHECK-NEXT: %6 = ub.poison : f32 loc("a.py":4:1)
  // CHECK-NEXT: scf.yield %5, %6 : i1, f32 loc("a.py":4:1)
  // CHECK-NEXT: } loc("a.py":2:1)
  // CHECK-NEXT: scf.yield %2, %3 : i1, f32 loc("a.py":2:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %7 = arith.constant true loc("a.py":4:1)
  // CHECK-NEXT: %8 = ub.poison : f32 loc("a.py":4:1)
  // CHECK-NEXT: scf.yield %7, %8 : i1, f32 loc("a.py":4:1)
  // CHECK-NEXT: } loc("a.py":4:1)
  // CHECK-NEXT: %9 = scf.if %0 -> (f32) {
  // CHECK-NEXT: %10, %11 = scf.while : () -> (i1, f32)
  // CHECK-NEXT: %12, %13, %14 = scf.if %c -> (i1, i1, f32) {
  // CHECK-NEXT: %15 = arith.constant false loc("a.py":5:1)
  // CHECK-NEXT: %16 = arith.constant true loc("a.py":5:1)
  // CHECK-NEXT: scf.yield %15, %16, %x : i1, i1, f32 loc("a.py":5:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %17 = arith.constant true loc("a.py":7:1)
  // CHECK-NEXT: %18 = arith.constant false loc("a.py":7:1)
  // CHECK-NEXT: %19 = ub.poison : f32 loc("a.py":7:1)
  // CHECK-NEXT: scf.yield %17, %18, %19 : i1, i1, f32 loc("a.py":7:1)
  // CHECK-NEXT: } loc("a.py":6:1)
  // CHECK-NEXT: scf.condition(%12) %13, %14 : i1, f32 loc("a.py":6:1)
  // CHECK-NEXT: } do {
  // CHECK-NEXT: ^bb0(%20: i1 loc(unknown), %21: f32 loc(unknown)):
  // CHECK-NEXT: scf.yield loc("a.py":8:1)
  // CHECK-NEXT: } loc("a.py":8:1)
  // CHECK-NEXT: %22 = scf.if %10 -> (f32) {
  // CHECK-NEXT: scf.yield %11 : f32 loc("a.py":8:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %x : f32 loc("a.py":9:1)
  // CHECK-NEXT: } loc("a.py":8:1)
  // CHECK-NEXT: scf.yield %22 : f32 loc("a.py":8:1)
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %1 : f32 loc("a.py":4:1)
  // CHECK-NEXT: } loc("a.py":4:1)
  // CHECK-NEXT: func.return %9 : f32 loc("a.py":4:1)
  // CHECK-NEXT: }
}
