// RUN: tileiras-opt -p convert-tileas-to-nvgpu %s | filecheck %s

// Registers of a thread are folded first, then lanes by shuffles, then warps through shared memory.

#tile = #nv_tileas.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#rows = #nv_tileas.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = []>
#long = #nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#short = #nv_tileas.layout<register = [], lane = [[1], [0], [0], [0], [0]], warp = []>

gpu.module @m {
  // The axis is one bit of registers and two of lanes. The other bit of registers stays, so that an
  // op works on two sums.
  gpu.func @rows(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<16x8xf32, #tile>
    %y = nv_tileas.reduce %x {axis = 1 : i32, identities = [0.0 : f32]} : tensor<16x8xf32, #tile> -> tensor<16xf32, #rows> {
    ^body(%p: f32, %q: f32):
      %s = nv_tileaa.addf %p, %q : f32
      nv_tileas.yield %s : f32
    }
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK-NEXT: %[[even:.*]] = vector.shuffle %[[x]], %[[x]] [0, 2]
  // CHECK-NEXT: %[[odd:.*]] = vector.shuffle %[[x]], %[[x]] [1, 3]
  // CHECK-NEXT: %[[a:.*]] = arith.addf %[[even]], %[[odd]] : vector<2xf32>
  // CHECK-NEXT: %[[b:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[a]], %{{.*}}, %{{.*}} : vector<2xf32> -> vector<2xf32>
  // CHECK-NEXT: %[[c:.*]] = arith.addf %[[a]], %[[b]] : vector<2xf32>
  // CHECK-NEXT: %[[d:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[c]], %{{.*}}, %{{.*}} : vector<2xf32> -> vector<2xf32>
  // CHECK-NEXT: arith.addf %[[c]], %[[d]] : vector<2xf32>
  // CHECK-NEXT: gpu.return

  // The first lane of each warp writes what its warp has, every thread reads what all wrote.
  gpu.func @warps(%f: f32) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<256xf32, #long>
    %y = nv_tileas.reduce %x {axis = 0 : i32, identities = [0.0 : f32]} : tensor<256xf32, #long> -> f32 {
    ^body(%p: f32, %q: f32):
      %s = nv_tileaa.maxf %p, %q : f32
      nv_tileas.yield %s : f32
    }
    %z = nv_tileaa.negf %y : f32
    gpu.return
  }
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK:      %[[own:.*]] = arith.maxnumf
  // CHECK:      %[[is_first:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  // CHECK:      %[[mask:.*]] = vector.broadcast %[[is_first]] : i1 to vector<1xi1>
  // CHECK-NEXT: nvvm.fragment.store %[[own]], %{{.*}} mask(%[[mask]] : vector<1xi1>)
  // CHECK-NEXT: gpu.barrier
  // CHECK:      %[[all:.*]] = nvvm.fragment.load %{{.*}} : vector<1x!llvm.ptr<3>> -> vector<2xf32>
  // CHECK-NEXT: %[[even:.*]] = vector.shuffle %[[all]], %[[all]] [0]
  // CHECK-NEXT: %[[odd:.*]] = vector.shuffle %[[all]], %[[all]] [1]
  // CHECK-NEXT: %[[largest:.*]] = arith.maxnumf %[[even]], %[[odd]] : vector<1xf32>
  // CHECK-NEXT: %[[scalar:.*]] = vector.extract %[[largest]][0]
  // CHECK-NEXT: arith.negf %[[scalar]] : f32

  // Two operands. If elements are equal, or not numbers, the body prefers one of the two. The
  // element of the lower lane comes first in both lanes, for both must get the same.
  gpu.func @largest(%f: f32, %i: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<2xf32, #short>
    %n = nv_tileaa.splat %i : i32 to tensor<2xi32, #short>
    %y:2 = nv_tileas.reduce %x, %n {axis = 0 : i32, identities = [0.0 : f32, 0 : i32]} : tensor<2xf32, #short>, tensor<2xi32, #short> -> f32, i32 {
    ^body(%p: f32, %q: f32, %k: i32, %l: i32):
      %c = nv_tileaa.cmpf %p, %q {comparison_predicate = "greater_than", comparison_ordering = "ordered"} : f32 -> i1
      %s = arith.select %c, %p, %q : f32
      %m = arith.select %c, %k, %l : i32
      nv_tileas.yield %s, %m : f32, i32
    }
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f
  // CHECK-NEXT: %[[n:.*]] = vector.broadcast %i
  // CHECK-NEXT: %[[y:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[x]],
  // CHECK-NEXT: %[[m:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[n]],
  // CHECK:      %[[is_upper:.*]] = vector.broadcast %{{.*}} : i1 to vector<1xi1>
  // CHECK-NEXT: %[[p:.*]] = arith.select %[[is_upper]], %[[y]], %[[x]]
  // CHECK-NEXT: %[[k:.*]] = arith.select %[[is_upper]], %[[m]], %[[n]]
  // CHECK-NEXT: %[[q:.*]] = arith.select %[[is_upper]], %[[x]], %[[y]]
  // CHECK-NEXT: %[[l:.*]] = arith.select %[[is_upper]], %[[n]], %[[m]]
  // CHECK-NEXT: %[[c:.*]] = arith.cmpf ogt, %[[p]], %[[q]] : vector<1xf32>
  // CHECK-NEXT: arith.select %[[c]], %[[p]], %[[q]]
  // CHECK-NEXT: arith.select %[[c]], %[[k]], %[[l]]
}
