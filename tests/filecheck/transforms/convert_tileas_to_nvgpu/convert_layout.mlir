// RUN: tileiras-opt -p "convert-tileas-to-nvgpu{compute-capability=sm_80}" %s | filecheck %s

#rows = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#swapped = #nv_tileas.layout<register = [[0, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#columns = #nv_tileas.layout<register = [[0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [1, 0]], warp = []>
#turned = #nv_tileas.layout<register = [[0, 2]], lane = [[0, 1], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#everywhere = #nv_tileas.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
#by_lane = #nv_tileas.layout<register = [[2]], lane = [[0], [0], [1], [0], [0]], warp = []>
#wide = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#operand = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#tall = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#flat = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

gpu.module @m {
  // CHECK: llvm.mlir.global internal @global_smem() {{.*}} : !llvm.array<4096 x i8>

  // Registers are renamed.
  gpu.func @renaming(%x: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %v = nv_tileaa.splat %x : f32 to tensor<8x8xf32, #rows>
    %w = nv_tileas.convert_layout %v : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #swapped>
    gpu.return
  }
  // CHECK:      %[[v:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
  // CHECK-NEXT: vector.shuffle %[[v]], %[[v]] [0, 0, 1, 1]
  // CHECK-NEXT: gpu.return

  // All of it is in the thread, but where depends on the lane.
  gpu.func @selects(%x: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %v = nv_tileaa.splat %x : f32 to tensor<4xf32, #everywhere>
    %w = nv_tileas.convert_layout %v : tensor<4xf32, #everywhere> -> tensor<4xf32, #by_lane>
    gpu.return
  }
  // CHECK:      %[[odd:.*]] = arith.cmpi ne
  // CHECK:      %[[v:.*]] = vector.broadcast
  // CHECK-NEXT: %[[yes:.*]] = vector.shuffle %[[v]], %[[v]] [1, 3]
  // CHECK-NEXT: %[[no:.*]] = vector.shuffle %[[v]], %[[v]] [0, 2]
  // CHECK-NEXT: arith.select %[[odd]], %[[yes]], %[[no]] : vector<2xf32>
  // CHECK-NEXT: gpu.return

  // Pairs go to other lanes as one word.
  gpu.func @shuffles(%x: f16) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %v = nv_tileaa.splat %x : f16 to tensor<8x8xf16, #rows>
    %w = nv_tileas.convert_layout %v : tensor<8x8xf16, #rows> -> tensor<8x8xf16, #columns>
    gpu.return
  }
  // CHECK:      %[[v:.*]] = vector.broadcast
  // CHECK-NEXT: nvvm.shfl.sync idx %{{.*}}, %[[v]], %{{.*}}, %{{.*}} : vector<2xf16> -> vector<2xf16>
  // CHECK-NEXT: gpu.return

  // A lane keeps one of two registers and exchanges the other with its neighbour.
  gpu.func @butterfly(%x: f32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %v = nv_tileaa.splat %x : f32 to tensor<8x8xf32, #rows>
    %w = nv_tileas.convert_layout %v : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #turned>
    gpu.return
  }
  // CHECK:      %[[mine:.*]] = arith.select %[[odd:.*]], %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK-NEXT: %[[kept:.*]] = vector.shuffle %[[mine]], %[[mine]] [0]
  // CHECK-NEXT: %[[given:.*]] = vector.shuffle %[[mine]], %[[mine]] [1]
  // CHECK-NEXT: %[[got:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[given]], %{{.*}}, %{{.*}} : vector<1xf32> -> vector<1xf32>
  // CHECK-NEXT: vector.shuffle %[[kept]], %[[got]] [0, 1]
  // CHECK-NOT:  nvvm.shfl
  // CHECK:      gpu.return

  // Rows of 16 bytes are stored, and read as transposed matrices.
  gpu.func @matrices(%x: f16) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %v = nv_tileaa.splat %x : f16 to tensor<32x16xf16, #wide>
    %w = nv_tileas.convert_layout %v : tensor<32x16xf16, #wide> -> tensor<32x16xf16, #operand>
    gpu.return
  }
  // CHECK:       nvvm.fragment.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<16xf16>, vector<2x!llvm.ptr<3>>
  // CHECK-NEXT:  nvvm.bar.warp.sync
  // CHECK-COUNT-2: nvgpu.ldmatrix %{{.*}} {num = 4 : i32, transpose = true} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK:       vector.bitcast %{{.*}} : vector<8xi32> to vector<16xf16>
  // CHECK-NEXT:  gpu.return

  // Truth values are bytes in memory.
  gpu.func @bytes(%x: i1) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    %v = nv_tileaa.splat %x : i1 to tensor<32x32xi1, #tall>
    %w = nv_tileas.convert_layout %v : tensor<32x32xi1, #tall> -> tensor<32x32xi1, #flat>
    gpu.return
  }
  // CHECK:      arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
  // CHECK:      nvvm.fragment.store
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load {{.*}} -> vector<16xi8>
  // CHECK:      arith.cmpi ne, {{.*}} : vector<16xi8>
  // CHECK-NEXT: gpu.return

  gpu.func @transpose(%x: f32) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    %v = nv_tileaa.splat %x : f32 to tensor<32x32xf32, #tall>
    %w = nv_tileas.convert_layout %v : tensor<32x32xf32, #tall> -> tensor<32x32xf32, #flat>
    gpu.return
  }
  // CHECK:      nvvm.fragment.store
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load
}
