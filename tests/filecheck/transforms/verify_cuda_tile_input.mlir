// RUN: tileiras-opt %s -p verify-cuda-tile-input | filecheck %s

// REQ: J-03

// Symbols of other modules are declared by functions without a body.
func.func private @helper(i32) -> i32
// CHECK: func.func private @helper(i32) -> i32

cuda_tile.module @kernels {
  global @g <f32: [1.0, 2.0]> : tile<2xf32>
  entry @f(%x: tile<i32>, %c: tile<i1>) {
    %0 = arith.constant 4 : i32
    %1 = arith.constant 5.000000e-01 : f32
    %2 = ub.poison : !cuda_tile.tile<i32>
    %3 = addi %x, %2 : tile<i32>
    if %c {
      %4 = print_tko "%i", %3 : tile<i32> -> token
    }
    return
  }
}
// CHECK:      cuda_tile.module @kernels {
// CHECK-NEXT:   cuda_tile.global @g <f32: [1.000000e+00, 2.000000e+00]> : !cuda_tile.tile<2xf32>
// CHECK-NEXT:   cuda_tile.entry @f(%x: !cuda_tile.tile<i32>, %c: !cuda_tile.tile<i1>) {
// CHECK-NEXT:   ^body:
// CHECK-NEXT:     %0 = arith.constant 4 : i32
// CHECK-NEXT:     %1 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:     %2 = ub.poison : !cuda_tile.tile<i32>
// CHECK-NEXT:     %3 = cuda_tile.addi %x, %2 : !cuda_tile.tile<i32>
// CHECK-NEXT:     cuda_tile.if %c {
// CHECK-NEXT:     ^then:
// CHECK-NEXT:       %4 = cuda_tile.print_tko "%i", %3 : !cuda_tile.tile<i32> -> !cuda_tile.token
// CHECK-NEXT:       cuda_tile.yield
// CHECK-NEXT:     }
// CHECK-NEXT:     cuda_tile.return

builtin.module @nested {
}
// CHECK: builtin.module @nested {
