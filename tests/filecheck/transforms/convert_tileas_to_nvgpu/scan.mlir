// RUN: tileiras-opt -p convert-tileas-to-nvgpu %s | filecheck %s

// Runs of neighbours in registers are scanned one by one, their totals over lanes. Where a bit of
// the lane is set, the total of the lanes with this bit clear and all lower bits set comes first.

#tile = #nv_tileas.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

gpu.module @m {
  gpu.func @scan(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<16x8xf32, #tile>
    %y = nv_tileas.scan %x {axis = 1 : i32, reverse = false} : tensor<16x8xf32, #tile> -> tensor<16x8xf32, #tile> {
    ^body(%p: f32, %q: f32):
      %s = nv_tileaa.addf %p, %q : f32
      nv_tileas.yield %s : f32
    }
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK-NEXT: %[[first:.*]] = vector.shuffle %[[x]], %[[x]] [0, 2]
  // CHECK-NEXT: %[[second:.*]] = vector.shuffle %[[x]], %[[x]] [1, 3]
  // CHECK-NEXT: %[[totals:.*]] = arith.addf %[[first]], %[[second]] : vector<2xf32>

  // Lane bit 0: one lane of two adds what the other has.
  // CHECK:      %[[before:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[totals]],
  // CHECK:      %[[bit0:.*]] = vector.broadcast %{{.*}} : i1 to vector<2xi1>
  // CHECK-NEXT: %[[joined:.*]] = arith.addf %[[before]], %[[totals]] : vector<2xf32>
  // CHECK-NEXT: %[[pairs:.*]] = arith.select %[[bit0]], %[[joined]], %[[totals]]

  // Lane bit 1: two lanes of four add the total of the first two.
  // CHECK:      %[[half:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[pairs]],
  // CHECK:      %[[bit1:.*]] = vector.broadcast %{{.*}} : i1 to vector<2xi1>
  // CHECK:      %[[longer:.*]] = arith.addf %[[half]], %[[before]] : vector<2xf32>
  // CHECK:      %[[offset:.*]] = arith.select %[[bit1]],
  // CHECK-NEXT: %[[has_offset:.*]] = arith.ori %[[bit0]], %[[bit1]] : vector<2xi1>

  // Both elements of a run are moved by what is before it.
  // CHECK:      %[[a:.*]] = arith.addf %[[offset]], %[[first]] : vector<2xf32>
  // CHECK-NEXT: %[[b:.*]] = arith.select %[[has_offset]], %[[a]], %[[first]]
  // CHECK-NEXT: %[[c:.*]] = arith.addf %[[offset]], %[[totals]] : vector<2xf32>
  // CHECK-NEXT: %[[d:.*]] = arith.select %[[has_offset]], %[[c]], %[[totals]]
  // CHECK-NEXT: %[[e:.*]] = vector.shuffle %[[b]], %[[d]] [0, 1, 2, 3]
  // CHECK-NEXT: vector.shuffle %[[e]], %[[e]] [0, 2, 1, 3]
}
