// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!memref = !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
!tiled_view = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>, padding = zero>
!tiled_view_1 = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>>
!tiled_view_2 = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>, sparse_dim = 0>
!ptr = !llvm.ptr<1>
!token = !nv_tileaa.mem_token
!t8x16xf32 = tensor<8x16xf32>
!tiled_view_3 = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [?, 1]>, dim_map = [1, 0]>
%p, %n, %s, %t, %x, %k, %r = "test.op"() : () -> (!ptr, i32, i64, !token, !t8x16xf32, tensor<8x16xi1>, tensor<8xi32>)

// Strided tensors: operands are what is dynamic.

// REQ: P-03
%m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i64) : !ptr -> !memref
%m1 = nv_tileaa.make_memref %p : !ptr -> !nv_tileaa.memref<4xf32, strides = [1]>
%m2 = nv_tileaa.make_memref %p offset(%s : i64) sizes(%n, %n : i32, i32) : !ptr -> !nv_tileaa.memref<?x?xf32, strides = [64, 1]>
%m3 = nv_tileaa.make_memref %p strides(%s, %n : i64, i32) {my.tag} : !ptr -> !nv_tileaa.memref<2x4xf32, strides = [?, ?]>
// PRINTS: %m4 = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i64) : !ptr -> !memref
%m4 = "nv_tileaa.make_memref"(%p, %n, %s) {operandSegmentSizes = array<i32: 1, 0, 1, 1>} : (!ptr, i32, i64) -> !memref

// Tiles cut from them.

// PRINTS: %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !tiled_view
%v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [1]]} : !memref -> !tiled_view
// PRINTS: %u = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[1 : i64], [0 : i64]]} : !memref -> !tiled_view_3
%u = "nv_tileaa.block_tile"(%m) {tileSizes = array<i64: 8, 16>, dimGroups = [[1], [0]]} : (!memref) -> !tiled_view_3
%w, %g = "test.op"() : () -> (!tiled_view_1, !tiled_view_2)

// Accesses, with any of mask and token, in any order of memory.

// REQ: P-04
%load0, %load0t = nv_tileaa.tiled_load %v[%n, %n] : !tiled_view, i32, i32 -> !t8x16xf32, !token
%load1, %load1t = nv_tileaa.tiled_load %v[%n, %n] token(%t) : !tiled_view, i32, i32 -> !t8x16xf32, !token
%load2, %load2t = nv_tileaa.tiled_load %v[%n, %n] token(%t) {mem_semantic = "acquire", mem_scope = "gpu", in_bounds = array<i1: true, false>, padding_value = "neg_zero"} : !tiled_view, i32, i32 -> !t8x16xf32, !token
%load3, %load3t = nv_tileaa.tiled_load %v[%n, %n] {mem_semantic = "relaxed", mem_scope = "tl_blk", volatile, optimization_hints = {sm_90 = {allow_tma = false}}, addr_space = 1 : i64, align = 16 : i64} : !tiled_view, i32, i32 -> !t8x16xf32, !token
%load4 = nv_tileaa.tiled_load %v[%s, %s] : !tiled_view, i64, i64 -> !t8x16xf32
// PRINTS: %load5, %load5t = nv_tileaa.tiled_load %v[%n, %n] token(%t) : !tiled_view, i32, i32 -> !t8x16xf32, !token
%load5, %load5t = "nv_tileaa.tiled_load"(%v, %n, %n, %t) {operandSegmentSizes = array<i32: 1, 2, 1>} : (!tiled_view, i32, i32, !token) -> (!t8x16xf32, !token)
%gather0, %gather0t = nv_tileaa.gather_load %g[%r, %n] token(%t) : !tiled_view_2, tensor<8xi32>, i32 -> !t8x16xf32, !token
// PRINTS: %gather1 = nv_tileaa.gather_load %g[%r, %s] : !tiled_view_2, tensor<8xi32>, i64 -> !t8x16xf32
%gather1 = "nv_tileaa.gather_load"(%g, %r, %s) {operandSegmentSizes = array<i32: 1, 2, 0>} : (!tiled_view_2, tensor<8xi32>, i64) -> !t8x16xf32
%store0 = nv_tileaa.tiled_store %x, %v[%n, %n] : !t8x16xf32, !tiled_view, i32, i32 -> !token
%store1 = nv_tileaa.tiled_store %x, %v[%n, %n] token(%t) : !t8x16xf32, !tiled_view, i32, i32 -> !token
%store2 = nv_tileaa.tiled_store %x, %v[%n, %n] mask(%k : tensor<8x16xi1>) : !t8x16xf32, !tiled_view, i32, i32 -> !token
%store3 = nv_tileaa.tiled_store %x, %v[%n, %n] mask(%k : tensor<8x16xi1>) token(%t) : !t8x16xf32, !tiled_view, i32, i32 -> !token
%store4 = nv_tileaa.tiled_store %x, %v[%n, %n] {mem_semantic = "release", mem_scope = "sys", in_bounds = array<i1: true, true>} : !t8x16xf32, !tiled_view, i32, i32 -> !token
nv_tileaa.tiled_store %x, %v[%n, %n] : !t8x16xf32, !tiled_view, i32, i32
// PRINTS: %store6 = nv_tileaa.tiled_store %x, %v[%n, %n] mask(%k : tensor<8x16xi1>) token(%t) : !t8x16xf32, !tiled_view, i32, i32 -> !token
%store6 = "nv_tileaa.tiled_store"(%x, %v, %n, %n, %k, %t) {operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>} : (!t8x16xf32, !tiled_view, i32, i32, tensor<8x16xi1>, !token) -> !token
%scatter0 = nv_tileaa.scatter_store %x, %g[%r, %n] mask(%k : tensor<8x16xi1>) token(%t) : !t8x16xf32, !tiled_view_2, tensor<8xi32>, i32 -> !token
nv_tileaa.scatter_store %x, %g[%r, %n] : !t8x16xf32, !tiled_view_2, tensor<8xi32>, i32
%red0 = nv_tileaa.tiled_atomic_rmw %w[%n, %n], %x token(%t) {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_1, !t8x16xf32, i32, i32 -> !token
nv_tileaa.tiled_atomic_rmw %w[%n, %s], %x {rmw_mode = "max", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view_1, !t8x16xf32, i32, i64
// PRINTS: %red2 = nv_tileaa.tiled_atomic_rmw %w[%n, %n], %x token(%t) {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_1, !t8x16xf32, i32, i32 -> !token
%red2 = "nv_tileaa.tiled_atomic_rmw"(%w, %n, %n, %x, %t) {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 2, 1, 1>} : (!tiled_view_1, i32, i32, !t8x16xf32, !token) -> !token

// Sizes.

%rows, %columns = nv_tileaa.get_tensor_shape %m : !memref -> i32, i64
%down, %across = nv_tileaa.get_index_space_shape %v : !tiled_view -> i32, i32
// PRINTS: %q, %q_1 = nv_tileaa.get_index_space_shape %v : !tiled_view -> i64, i64
%q:2 = "nv_tileaa.get_index_space_shape"(%v) : (!tiled_view) -> (i64, i64)
