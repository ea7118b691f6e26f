// RUN: tileiras-opt %s -p fuse-fma --print-debuginfo --print-local-scope | filecheck %s

cuda_tile.module @locations {
  testing$func @difference(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    %m = mulf %a, %b : tile<f32> loc("a.py":1:1)
    %r = subf %m, %c : tile<f32> loc("a.py":2:1)
    return %r : tile<f32> loc("a.py":3:1)
  }
  // CHECK-LABEL: @difference(
  // CHECK-NEXT: ^body:
  // CHECK-NEXT: %0 = cuda_tile.negf %c : !cuda_tile.tile<f32> loc("a.py":2:1)
  // CHECK-NEXT: %r = cuda_tile.fma %a, %b, %0 : !cuda_tile.tile<f32> loc("a.py":2:1)
  // CHECK-NEXT: cuda_tile.return %r : !cuda_tile.tile<f32> loc("a.py":3:1)
}
