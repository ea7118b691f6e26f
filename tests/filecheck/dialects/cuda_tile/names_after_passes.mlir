// RUN: tileiras-opt %s -p dce | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -p dce,canonicalize,cse,canonicalize | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -p dce --print-op-generic | tileiras-opt | filecheck %s --match-full-lines
// RUN: xdsl-opt %s -p dce | filecheck %s --match-full-lines

// Names belong to what is printed, not to what was there before.

// REQ: B-48, B-49, B-51

!f32 = !cuda_tile.tile<f32>

// CHECK:      func.func @erased() {
// CHECK-NEXT:   %cst = cuda_tile.constant <f32: 1.500000e+00> : !cuda_tile.tile<f32>
// CHECK-NEXT:   %cst_1 = cuda_tile.constant <f32: 2.500000e+00> : !cuda_tile.tile<f32>
// CHECK-NEXT:   "test.op"(%cst, %cst_1) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @erased() {
  %0 = cuda_tile.constant <f32: 0.5> : !f32
  %1 = cuda_tile.constant <f32: 1.5> : !f32
  %2 = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %3 = cuda_tile.constant <f32: 2.5> : !f32
  "test.op"(%1, %3) : (!f32, !f32) -> ()
  func.return
}
