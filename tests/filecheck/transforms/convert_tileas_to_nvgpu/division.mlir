// RUN: tileiras-opt -p convert-tileas-to-nvgpu %s | filecheck %s

// A row is divided by one number: its reciprocal is computed once, and corrected for each quotient.
// That rounds as a division does if all is between 2^-62 and 2^62, which is asked for first.

#tile = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>
#rows = #nv_tileas.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = []>

gpu.module @m {
  gpu.func @rows(%f: f32, %g: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<8x32xf32, #tile>
    %s = nv_tileaa.splat %g : f32 to tensor<8x1xf32, #rows>
    %d = nv_tileaa.broadcast %s : tensor<8x1xf32, #rows> -> tensor<8x32xf32, #tile>
    %q = nv_tileaa.divf %x, %d : tensor<8x32xf32, #tile>
    %r = nv_tileaa.negf %q : tensor<8x32xf32, #tile>
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<8xf32>
  // CHECK-NEXT: %[[s:.*]] = vector.broadcast %g : f32 to vector<1xf32>
  // CHECK-NEXT: %[[d:.*]] = vector.shuffle %[[s]], %[[s]] [0, 0, 0, 0, 0, 0, 0, 0]
  // CHECK:      %[[is_x:.*]] = arith.cmpi ule
  // CHECK:      %[[is_s:.*]] = arith.cmpi ule
  // CHECK-NEXT: %[[is_normal:.*]] = arith.andi %[[is_x]], %[[is_s]] : i1
  // CHECK-NEXT: %[[reciprocal:.*]] = nvvm.rcp.f %[[s]] {rnd = #nvvm.fp_rnd_mode<rn>} : vector<1xf32>
  // CHECK-NEXT: %[[negated:.*]] = arith.negf %[[s]]
  // CHECK-NEXT: %[[result:.*]] = scf.if %[[is_normal]] -> (vector<8xf32>) {
  // CHECK-NEXT:   %[[r:.*]] = vector.shuffle %[[reciprocal]], %[[reciprocal]]
  // CHECK-NEXT:   %[[n:.*]] = vector.shuffle %[[negated]], %[[negated]]
  // CHECK-NEXT:   %[[q0:.*]] = arith.mulf %[[x]], %[[r]]
  // CHECK-NEXT:   %[[e0:.*]] = math.fma %[[n]], %[[q0]], %[[x]]
  // CHECK-NEXT:   %[[q1:.*]] = math.fma %[[e0]], %[[r]], %[[q0]]
  // CHECK-NEXT:   %[[e1:.*]] = math.fma %[[n]], %[[q1]], %[[x]]
  // CHECK-NEXT:   %[[q2:.*]] = math.fma %[[e1]], %[[r]], %[[q1]]
  // CHECK-NEXT:   scf.yield %[[q2]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   %[[slow:.*]] = arith.divf %[[x]], %[[d]]
  // CHECK-NEXT:   scf.yield %[[slow]]
  // CHECK-NEXT: }
  // CHECK-NEXT: arith.negf %[[result]]

  // Nothing is gained if each divisor serves one quotient.
  gpu.func @single(%f: f32, %g: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<8x32xf32, #tile>
    %d = nv_tileaa.splat %g : f32 to tensor<8x32xf32, #tile>
    %q = nv_tileaa.divf %x, %d : tensor<8x32xf32, #tile>
    gpu.return
  }
  // CHECK-NOT: nvvm.rcp
  // CHECK:     arith.divf %{{.*}}, %{{.*}} : vector<8xf32>
}
