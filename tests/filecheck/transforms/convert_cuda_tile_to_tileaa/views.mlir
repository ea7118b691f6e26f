// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' | filecheck %s

// REQ: C-13, C-33, C-42, C-43, C-44, C-45, E-08, J-15

cuda_tile.module @m {
  testing$func @partition(%p: tile<ptr<f32>>, %n: tile<i64>, %s: tile<i64>, %i: tile<i32>, %j: tile<i32>, %v: tile<8x4xf32>) {
    %tensor = make_tensor_view %p, shape = [%n, 64], strides = [%s, 1] : tile<i64> -> tensor_view<?x64xf32, strides=[?,1]>
    %view = make_partition_view %tensor : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[?,1]>>
    %x, %t1 = load_view_tko weak %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> tile<8x4xf32>, token
    %t2 = store_view_tko weak %view[%i, %j], %v : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[?,1]>>, tile<8x4xf32> -> token
    %public = store_view_tko weak %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[?,1]>>, tile<i32> -> token
    %rows, %columns = get_tensor_shape %tensor : tensor_view<?x64xf32, strides=[?,1]> -> tile<i64>
    %down, %across = get_index_space_shape %view : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[?,1]>> -> tile<i32>
    return
  }
  // CHECK: !memref0 = !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
  // CHECK: !tiled_view0 = !nv_tileaa.tiled_view<8x4, !memref0>
  // CHECK: !memref1 = !nv_tileaa.memref<32x64xf32, strides = [64, 1]>
  // CHECK: !tiled_view1 = !nv_tileaa.tiled_view<8x4, !memref1, dim_map = [1, 0], padding = nan>
  // CHECK: !tiled_view2 = !nv_tileaa.tiled_view<8x8, !memref1, dim_map = [1, 0], steps = [4, 3], padding = neg_inf>
  // CHECK: !tiled_view3 = !nv_tileaa.tiled_view<8x8, !memref1, steps = [1, 1], padding = zero, sparse_dim = 0>
  // CHECK: !memref2 = !nv_tileaa.memref<64xi32, strides = [1]>
  // CHECK: !tiled_view4 = !nv_tileaa.tiled_view<8, !memref2>
  // CHECK-LABEL: func.func @partition(%p: !llvm.ptr<1>, %n: i64, %s: i64, %i: i32, %j: i32, %v: tensor<8x4xf32>) {
  // CHECK-NEXT: %tensor = nv_tileaa.make_memref %p sizes(%n : i64) strides(%s : i64) : !llvm.ptr<1> -> !memref0
  // CHECK-NEXT: %view = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 8, 4>, dimGroups = {{\[\[}}0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
  // CHECK-NEXT: %x, %t1 = nv_tileaa.tiled_load %view[%i, %j] : !tiled_view0, i32, i32 -> tensor<8x4xf32>, [[token:!nv_tileaa.mem_token]]
  // CHECK-NEXT: %t2 = nv_tileaa.tiled_store %v, %view[%i, %j] : tensor<8x4xf32>, !tiled_view0, i32, i32 -> [[token]]
  // CHECK-NEXT: %public = nv_tileaa.tiled_store %v, %view[%i, %j] : tensor<8x4xf32>, !tiled_view0, i32, i32 -> [[token]]
  // CHECK-NEXT: %rows, %columns = nv_tileaa.get_tensor_shape %tensor : !memref0 -> i64, i64
  // CHECK-NEXT: %down, %across = nv_tileaa.get_index_space_shape %view : !tiled_view0 -> i32, i32
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // Orderings, scopes, hints, bounds, masks, padding and tokens all arrive.
  testing$func @attributes(%tensor: tensor_view<32x64xf32, strides=[64,1]>, %i: tile<i32>, %m: tile<8x4xi1>, %v: tile<8x4xf32>, %t0: token) {
    %view = make_partition_view %tensor : partition_view<tile=(8x4), padding_value = nan, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %x, %t1 = load_view_tko acquire sys %view[%i, %i] token=%t0 optimization_hints = <sm_90 = {allow_tma = false, latency = 5}> inbounds = [true, false] : partition_view<tile=(8x4), padding_value = nan, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]> -> tile<8x4xf32>, token
    %t2 = store_view_tko release gpu %view[%i, %i], %v, %m token=%t1 optimization_hints = <default = {latency = 2}> {my.mark} : partition_view<tile=(8x4), padding_value = nan, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]>, tile<8x4xf32>, tile<8x4xi1> -> token
    %y, %t3 = load_view_tko weak %view[%i, %i] token=%t2 addr_space = 1 align = 16 : partition_view<tile=(8x4), padding_value = nan, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]> -> tile<8x4xf32>, token
    return
  }
  // CHECK-LABEL: func.func @attributes(%tensor: !memref1, %i: i32, %m: tensor<8x4xi1>, %v: tensor<8x4xf32>, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %view = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 8, 4>, dimGroups = {{\[\[}}1 : i64], [0 : i64]]} : !memref1 -> !tiled_view1
  // CHECK-NEXT: %x, %t1 = nv_tileaa.tiled_load %view[%i, %i] token(%t0) {mem_semantic = "acquire", mem_scope = "sys",
  // CHECK-SAME: optimization_hints = {sm_90 = {allow_tma = false, latency = 5 : i64}}, in_bounds = array<i1: true, false>, padding_value = "nan"} : !tiled_view1, i32,
  // CHECK-SAME: i32 -> tensor<8x4xf32>, [[token]]
  // CHECK-NEXT: %t2 = nv_tileaa.tiled_store %v, %view[%i, %i] mask(%m : tensor<8x4xi1>) token(%t1) {my.mark, mem_semantic = "release", mem_scope = "gpu",
  // CHECK-SAME: optimization_hints = {default = {latency = 2 : i64}}, padding_value = "nan"} : tensor<8x4xf32>, !tiled_view1, i32, i32 -> [[token]]
  // CHECK-NEXT: %y, %t3 = nv_tileaa.tiled_load %view[%i, %i] token(%t2) {addr_space = 1 : i64, align = 16 : i64, padding_value = "nan"} : !tiled_view1, i32, i32
  // CHECK-SAME: -> tensor<8x4xf32>, [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @strided(%tensor: tensor_view<32x64xf32, strides=[64,1]>, %i: tile<i64>, %t0: token) {
    %view = make_strided_view %tensor : strided_view<tile=(8x8), traversal_strides=[4,3], padding_value = neg_inf, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %x, %t1 = load_view_tko weak %view[%i, %i] token=%t0 : strided_view<tile=(8x8), traversal_strides=[4,3], padding_value = neg_inf, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]>, tile<i64> -> tile<8x8xf32>, token
    %t2 = store_view_tko relaxed tl_blk %x, %view[%i, %i] token=%t1 : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,3], padding_value = neg_inf, tensor_view<32x64xf32, strides=[64,1]>, dim_map=[1, 0]>, tile<i64> -> token
    return
  }
  // CHECK-LABEL: func.func @strided(%tensor: !memref1, %i: i64, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %view = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 8, 8>, dimGroups = {{\[\[}}1 : i64], [0 : i64]]} : !memref1 -> !tiled_view2
  // CHECK-NEXT: %x, %t1 = nv_tileaa.tiled_load %view[%i, %i] token(%t0) {padding_value = "neg_inf"} : !tiled_view2, i64, i64 -> tensor<8x8xf32>, [[token]]
  // CHECK-NEXT: %t2 = nv_tileaa.tiled_store %x, %view[%i, %i] token(%t1) {mem_semantic = "relaxed", mem_scope = "tl_blk", padding_value = "neg_inf"} : tensor<8x8xf32>,
  // CHECK-SAME: !tiled_view2, i64, i64 -> [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @gather_scatter(%tensor: tensor_view<32x64xf32, strides=[64,1]>, %rows: tile<8xi32>, %i: tile<i32>, %t0: token) {
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<32x64xf32, strides=[64,1]>, sparse_dim=0>
    %x, %t1 = load_view_tko weak %view[%rows, %i] token=%t0 : gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<32x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
    %t2 = store_view_tko weak %x, %view[%rows, %i] token=%t1 : tile<8x8xf32>, gather_scatter_view<tile=(8x8), padding_value = zero, tensor_view<32x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
    return
  }
  // CHECK-LABEL: func.func @gather_scatter(%tensor: !memref1, %rows: tensor<8xi32>, %i: i32, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %view = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 8, 8>, dimGroups = {{\[\[}}0 : i64], [1 : i64]]} : !memref1 -> !tiled_view3
  // CHECK-NEXT: %x, %t1 = nv_tileaa.gather_load %view[%rows, %i] token(%t0) {padding_value = "zero"} : !tiled_view3, tensor<8xi32>, i32 -> tensor<8x8xf32>, [[token]]
  // CHECK-NEXT: %t2 = nv_tileaa.scatter_store %x, %view[%rows, %i] token(%t1) {padding_value = "zero"} : tensor<8x8xf32>, !tiled_view3, tensor<8xi32>, i32 -> [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @reductions(%view: partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, %i: tile<i32>, %v: tile<8xi32>, %t0: token) {
    %t1 = atomic_red_view_tko relaxed device %view[%i], umin, %v token=%t0 : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  // CHECK-LABEL: func.func @reductions(%view: !tiled_view4, %i: i32, %v: tensor<8xi32>, %t0: !nv_tileaa.mem_token) {
  // CHECK-NEXT: %t1 = nv_tileaa.tiled_atomic_rmw %view[%i], %v token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "umin"} : !tiled_view4, tensor<8xi32>, i32 -> [[token]]
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }
}
