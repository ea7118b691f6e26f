// RUN: tileiras-opt %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s | tileiras-opt | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic | tileiras-opt | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-local-scope | filecheck %s --check-prefix=FULL

// Layouts and long types are defined above the module, each after those that it uses, and numbered
// as they occur. Names that were read are not kept. An op is one line, however long.

// CHECK:      !memref0 = !nv_tileaa.memref<64x64xf16, strides = [64, 1]>
// CHECK-NEXT: !tiled_view0 = !nv_tileaa.tiled_view<8x8, !memref0>
// CHECK-NEXT: #mma0 = #nv_tileas.layout<register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f(%view: !tiled_view0, %i: i32) -> tensor<8x8xf16, #mma0> {
// CHECK-NEXT:     %x = nv_tileas.tiled_load %view[%i, %i] {nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>} : !tiled_view0, i32, i32 -> tensor<8x8xf16, #mma0>
// CHECK-NEXT:     func.return %x : tensor<8x8xf16, #mma0>
// CHECK-NEXT:   }
// CHECK-NEXT: }

// FULL-NOT: {{[#!][a-z_]+[0-9]}}
// FULL:     func.func @f(%view: !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>, %i: i32) -> tensor<8x8xf16, #nv_tileas.layout<register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>> {
// FULL-NOT: {{[#!][a-z_]+[0-9] }}

#rows = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
!view = !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<64x64xf16, strides = [64, 1]>>
func.func @f(%view: !view, %i: i32) -> tensor<8x8xf16, #rows> {
  %x = nv_tileas.tiled_load %view[%i, %i] {nv_tileas.layout = #rows, nv_tileas.vector = #nv_tileas.vector<width = 2, dim = 1>} : !view, i32, i32 -> tensor<8x8xf16, #rows>
  func.return %x : tensor<8x8xf16, #rows>
}
