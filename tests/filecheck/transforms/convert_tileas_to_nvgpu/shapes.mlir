// RUN: tileiras-opt -p convert-tileas-to-nvgpu %s | filecheck %s

// Changes of shape.

#row = #nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#tile = #nv_tileas.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#turned = #nv_tileas.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #nv_tileas.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = []>
#twice = #nv_tileas.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
#part = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#bytes = #nv_tileas.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = []>
!t128xf32_row = tensor<128xf32, #row>

gpu.module @m {
  // A reshape or permutation keeps registers where they are, if its result has the layout that
  // follows from that of its operand.
  gpu.func @renamed(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to !t128xf32_row
    %tile = nv_tileas.view %x : !t128xf32_row -> tensor<8x16xf32, #tile>
    %turned = nv_tileaa.permute %tile {permutation = array<i32: 1, 0>} : tensor<8x16xf32, #tile> -> tensor<16x8xf32, #turned>
    %y = nv_tileaa.negf %turned : tensor<16x8xf32, #turned>
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK-NEXT: arith.negf %[[x]] : vector<4xf32>
  // CHECK-NEXT: gpu.return

  // A broadcast repeats registers, two tiles one behind the other are twice as many.
  gpu.func @spread(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to tensor<8x1xf32, #rows>
    %y = nv_tileaa.broadcast %x : tensor<8x1xf32, #rows> -> tensor<8x16xf32, #tile>
    %z = nv_tileaa.splat %f : f32 to !t128xf32_row
    %two = nv_tileaa.cat %z, %z {dim = 0 : i64} : !t128xf32_row, !t128xf32_row -> tensor<256xf32, #twice>
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<1xf32>
  // CHECK-NEXT: vector.shuffle %[[x]], %[[x]] [0, 0, 0, 0]
  // CHECK-NEXT: %[[z:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK-NEXT: vector.shuffle %[[z]], %[[z]] [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK-NEXT: gpu.return

  // A number of a range is what lane and register contribute: here 4 * lane ^ register.
  gpu.func @range() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %end = arith.constant 128 : i32
    %zero = arith.constant 0 : i32
    %x = nv_tileaa.make_range %zero, %end : i32 to tensor<128xi16, #row>
    gpu.return
  }
  // CHECK:      %[[lane:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
  // CHECK:      %[[moved:.*]] = arith.shli %[[lane]], %{{.*}} : i32
  // CHECK:      %[[first:.*]] = arith.andi %[[moved]], %{{.*}} : i32
  // CHECK-NEXT: %[[registers:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  // CHECK-NEXT: %[[firsts:.*]] = vector.broadcast %[[first]]
  // CHECK-NEXT: %[[numbers:.*]] = arith.xori %[[firsts]], %[[registers]] : vector<4xi32>
  // CHECK-NEXT: %[[narrow:.*]] = arith.trunci %[[numbers]] : vector<4xi32> to vector<4xi16>
  // CHECK:      arith.addi %[[narrow]], %{{.*}} : vector<4xi16>

  // Where slices begin is known at run time: tiles go through shared memory. The second does not
  // overlap with the first, so that nobody has to wait before it is written.
  gpu.func @slices(%f: f32, %i: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to !t128xf32_row
    %y = nv_tileaa.extract %x[%i] : (!t128xf32_row, i32) -> tensor<32xf32, #part>
    %z = nv_tileaa.insert %y into %x[%i] : (tensor<32xf32, #part>, !t128xf32_row, i32) -> !t128xf32_row
    gpu.return
  }
  // CHECK:      %[[x:.*]] = vector.broadcast %f : f32 to vector<4xf32>
  // CHECK:      nvvm.fragment.store %[[x]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[start:.*]] = arith.muli %i, %{{.*}} : i32
  // CHECK:      %[[y:.*]] = nvvm.fragment.load %{{.*}} {alignment = 4 : i64} : vector<1x!llvm.ptr<3>> -> vector<1xf32>
  // CHECK-NEXT: %[[memory:.*]] = llvm.mlir.addressof @global_smem
  // CHECK-NEXT: llvm.getelementptr inbounds %[[memory]][512]
  // CHECK:      nvvm.fragment.store %[[x]],
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.store %[[y]],
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load %{{.*}} {alignment = 16 : i64} : vector<1x!llvm.ptr<3>> -> vector<4xf32>

  // The same bits in other elements: words are written, bytes are read.
  gpu.func @bytes(%f: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %f : f32 to !t128xf32_row
    %y = nv_tileaa.pack %x : !t128xf32_row -> tensor<512xi8, #bytes>
    gpu.return
  }
  // CHECK:      nvvm.fragment.store %{{.*}} : vector<4xf32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load %{{.*}} {alignment = 16 : i64} : vector<1x!llvm.ptr<3>> -> vector<16xi8>
}
