// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' | filecheck %s

// REQ: C-12, C-28

!f32 = !cuda_tile.tile<f32>
!t8x4xf32 = !cuda_tile.tile<8x4xf32>
!i32 = !cuda_tile.tile<i32>

cuda_tile.module @m {
  testing$func @reshapes(%a: !f32, %b: !t8x4xf32, %p: tile<ptr<f32>>) {
    %unit = reshape %a : !f32 -> tile<1x1xf32>
    %flat = reshape %b : !t8x4xf32 -> tile<32xf32>
    %scalar = reshape %unit : tile<1x1xf32> -> !f32
    %same = reshape %b : !t8x4xf32 -> !t8x4xf32
    %pointer = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %wide = broadcast %unit : tile<1x1xf32> -> !t8x4xf32
    %turned = permute %b [1, 0] : !t8x4xf32 -> tile<4x8xf32>
    %tall = cat %b, %b dim = 0 : !t8x4xf32, !t8x4xf32 -> tile<16x4xf32>
    return
  }
  // CHECK-LABEL: func.func @reshapes(%a: f32, %b: tensor<8x4xf32>, %p: !llvm.ptr<1>) {
  // CHECK-NEXT: %unit = nv_tileaa.splat %a : f32 to tensor<1x1xf32>
  // CHECK-NEXT: %flat = nv_tileaa.view %b : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK-NEXT: %scalar = nv_tileaa.view %unit : tensor<1x1xf32> -> f32
  // CHECK-NEXT: %same = nv_tileaa.view %b : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %pointer = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<1x!llvm.ptr<1>>
  // CHECK-NEXT: %wide = nv_tileaa.broadcast %unit : tensor<1x1xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %turned = nv_tileaa.permute %b {permutation = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %tall = nv_tileaa.cat %b, %b {dim = 0 : i64} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @slices(%a: !t8x4xf32, %b: tile<2x2xf32>, %i: !i32, %j: !i32) -> !t8x4xf32 {
    %part = extract %a[%i, %j] : !t8x4xf32 -> tile<2x2xf32>
    %one = extract %a[%i, %j] : !t8x4xf32 -> tile<1x1xf32>
    %whole = insert %b, %a[%i, %j] : tile<2x2xf32>, !t8x4xf32
    return %whole : !t8x4xf32
  }
  // CHECK-LABEL: func.func @slices(%a: tensor<8x4xf32>, %b: tensor<2x2xf32>, %i: i32, %j: i32) -> tensor<8x4xf32> {
  // CHECK-NEXT: %part = nv_tileaa.extract %a[%i, %j] : (tensor<8x4xf32>, i32, i32) -> tensor<2x2xf32>
  // CHECK-NEXT: %one = nv_tileaa.extract %a[%i, %j] : (tensor<8x4xf32>, i32, i32) -> tensor<1x1xf32>
  // CHECK-NEXT: %whole = nv_tileaa.insert %b into %a[%i, %j] : (tensor<2x2xf32>, tensor<8x4xf32>, i32, i32) -> tensor<8x4xf32>
  // CHECK-NEXT: func.return %whole : tensor<8x4xf32>
  // CHECK-NEXT: }

  // Operations on scalars that change nothing leave nothing.
  testing$func @scalars(%a: !f32, %b: !f32) -> (!f32, !f32, !f32) {
    %0 = extract %a[] : !f32 -> !f32
    %1 = insert %b, %a[] : !f32, !f32
    %2 = broadcast %a : !f32 -> !f32
    %3 = reshape %2 : !f32 -> !f32
    return %0, %1, %3 : !f32, !f32, !f32
  }
  // CHECK-LABEL: func.func @scalars(%a: f32, %b: f32) -> (f32, f32, f32) {
  // CHECK-NEXT: func.return %a, %b, %a : f32, f32, f32
  // CHECK-NEXT: }

  testing$func @ranges() {
    %0 = iota : tile<8xi32>
    %1 = iota : tile<16xi8>
    return
  }
  // CHECK-LABEL: func.func @ranges() {
  // CHECK-NEXT: %0 = arith.constant 0 : i32
  // CHECK-NEXT: %1 = arith.constant 8 : i32
  // CHECK-NEXT: %2 = nv_tileaa.make_range %0, %1 : i32 to tensor<8xi32>
  // CHECK-NEXT: %3 = arith.constant 0 : i32
  // CHECK-NEXT: %4 = arith.constant 16 : i32
  // CHECK-NEXT: %5 = nv_tileaa.make_range %3, %4 : i32 to tensor<16xi8>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // Ids are indices; only those that are used are asked for.
  testing$func @grid() -> (!i32, !i32, !i32) {
    %x, %y, %z = get_tile_block_id : !i32
    %nx, %ny, %nz = get_num_tile_blocks : !i32
    return %x, %z, %ny : !i32, !i32, !i32
  }
  // CHECK-LABEL: func.func @grid() -> (i32, i32, i32) {
  // CHECK-NEXT: %0 = gpu.block_id x
  // CHECK-NEXT: %x = arith.index_cast %0 : index to i32
  // CHECK-NEXT: %1 = gpu.block_id z
  // CHECK-NEXT: %z = arith.index_cast %1 : index to i32
  // CHECK-NEXT: %2 = gpu.grid_dim y
  // CHECK-NEXT: %ny = arith.index_cast %2 : index to i32
  // CHECK-NEXT: func.return %x, %z, %ny : i32, i32, i32
  // CHECK-NEXT: }
}
