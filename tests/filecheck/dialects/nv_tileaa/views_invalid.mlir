// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!ptr = !llvm.ptr<1>
!t8x16xf32 = tensor<8x16xf32>
!t8x16xi1 = tensor<8x16xi1>
!token = !nv_tileaa.mem_token
%ptr = "test.op"() : () -> !ptr
%i32 = "test.op"() : () -> i32
%i64 = "test.op"() : () -> i64
!memref = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%memref = "test.op"() : () -> !memref
!tiled_view = !nv_tileaa.tiled_view<8x16, !memref>
%tiled_view = "test.op"() : () -> !tiled_view
%t8xi32 = "test.op"() : () -> tensor<8xi32>
!tiled_view_1 = !nv_tileaa.tiled_view<8x16, !memref, sparse_dim = 0>
%tiled_view_1 = "test.op"() : () -> !tiled_view_1
!tiled_view_2 = !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>
%tiled_view_2 = "test.op"() : () -> !tiled_view_2
%t8x16xf32 = "test.op"() : () -> !t8x16xf32
%t8x16xi1 = "test.op"() : () -> !t8x16xi1
%t8x16xi32 = "test.op"() : () -> tensor<8x16xi32>

// -----

// Dynamic sizes and strides are operands.

// CHECK: expects 1 dynamic sizes, but got 0
%0 = nv_tileaa.make_memref %ptr : !ptr -> !memref

// CHECK: expects 0 dynamic strides, but got 1
%0 = nv_tileaa.make_memref %ptr sizes(%i32 : i32) strides(%i32 : i32) : !ptr -> !memref

// CHECK: 'nv_tileaa.make_memref' op must be a scalar or tensor of pointers, but got 'i64'
%0 = nv_tileaa.make_memref %i64 sizes(%i32 : i32) : i64 -> !memref

// CHECK: 'nv_tileaa.make_memref' op f32 should be of base attribute integer_type
%n = "test.op"() : () -> f32
%0 = nv_tileaa.make_memref %ptr sizes(%n : f32) : !ptr -> !memref

// CHECK: 'nv_tileaa.make_memref' op f32 should be of base attribute nv_tileaa.memref
%0 = nv_tileaa.make_memref %ptr sizes(%i32 : i32) : !ptr -> f32

// Tiles, in the order of the checks.

// CHECK: expects non-empty tileSizes
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64>, dimGroups = []} : !memref -> !tiled_view

// CHECK: expects non-empty dimGroups
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = []} : !memref -> !tiled_view

// CHECK: expects rank of tileSizes be equal to rank of dimGroups, but got 2 vs 1
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0]]} : !memref -> !tiled_view

// CHECK: expects all tile size bigger than zero
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 0, 16>, dimGroups = [[0], [0]]} : !memref -> !tiled_view

// CHECK: expects all tile size bigger than zero
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, -16>, dimGroups = [[0], [1]]} : !memref -> !tiled_view

// CHECK: [[expects:expects dim is being tiled only one time, but got 2]]
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [0]]} : !memref -> !tiled_view

// CHECK: [[expects]]
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 0], [1]]} : !memref -> !tiled_view

// CHECK: expects a list of dimensions, but got 1 : i64
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0], 1]} : !memref -> !tiled_view

// CHECK: expects a list of dimensions, but got ["1"]
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0], ["1"]]} : !memref -> !tiled_view

// CHECK: expects a view of '!nv_tileaa.memref<?x64xf32, strides = [64, 1]>', but got '!nv_tileaa.memref<?x64xi32, strides = [64, 1]>'
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [1]]} : !memref -> !tiled_view_2

// CHECK: [[requires:requires the same size for tileSize and tensor]]
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !memref -> !tiled_view

// CHECK: dimGroups {{\[\[}}1], [0]] disagree with the dim_map of '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[1], [0]]} : !memref -> !tiled_view

// CHECK: dimGroups {{\[\[}}0], [2]] disagree with the dim_map of '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [2]]} : !memref -> !tiled_view

// CHECK: requires attribute 'dimGroups'
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i64: 8, 16>} : !memref -> !tiled_view

// CHECK: 'nv_tileaa.block_tile' op Expected attribute i64 but got i32
%0 = nv_tileaa.block_tile %memref {tileSizes = array<i32: 8, 16>, dimGroups = [[0], [1]]} : !memref -> !tiled_view

// Coordinates.

// CHECK: expects 2 coordinates, but got 1
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32] : !tiled_view, i32 -> !t8x16xf32, !token

// CHECK: expects 2 coordinates, but got 0
%0, %1 = nv_tileaa.tiled_load %tiled_view[] : !tiled_view -> !t8x16xf32, !token

// CHECK: expects 2 coordinates, but got 3
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32, %i32] : !tiled_view, i32, i32, i32 -> !t8x16xf32, !token

// CHECK: [[expects_1:expects CoordType is same as memref index type, but got 'i64' and 'i32']]
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i64] : !tiled_view, i32, i64 -> !t8x16xf32, !token

// CHECK: expects coordinate 0 of shape [], but got 'tensor<8xi32>'
%0, %1 = nv_tileaa.tiled_load %tiled_view[%t8xi32, %i32] : !tiled_view, tensor<8xi32>, i32 -> !t8x16xf32, !token

// CHECK: expects coordinate 0 of shape [8], but got 'i32'
%0, %1 = nv_tileaa.tiled_load %tiled_view_1[%i32, %i32] : !tiled_view_1, i32, i32 -> !t8x16xf32, !token

// CHECK: expects coordinate 0 of shape [8], but got 'i32'
%0, %1 = nv_tileaa.gather_load %tiled_view_1[%i32, %t8xi32] : !tiled_view_1, i32, tensor<8xi32> -> !t8x16xf32, !token

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%0, %1 = nv_tileaa.tiled_load %tiled_view_1[%t8xi32, %i32] : !tiled_view_1, tensor<8xi32>, i32 -> !t8x16xf32, !token

// CHECK: expects a view with sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%0, %1 = nv_tileaa.gather_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> !t8x16xf32, !token

// Tiles.

// CHECK: [[requires]]
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> tensor<8xf32>, !token

// CHECK: [[requires]]
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> f32, !token

// CHECK: requires the same shape for tileSize and tensor value
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> tensor<16x8xf32>, !token

// CHECK: view elementType not equal with tensor element type: 'f32' vs 'f16'
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] : !tiled_view, i32, i32 -> tensor<8x16xf16>, !token

// CHECK: incorrect number of in_bounds elements: expected 2, got 1
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {in_bounds = array<i1: true>} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// CHECK: wrong attribute 'in_bounds': Expected attribute i1 but got i64
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {in_bounds = array<i64: 1, 1>} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// CHECK: unsupported padding_value: "one" (expected one of zero, neg_zero, nan, pos_inf, neg_inf)
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {padding_value = "one"} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// CHECK: special padding values require a floating-point element type (padding nan cannot be used with 'i32')
%0, %1 = nv_tileaa.tiled_load %tiled_view_2[%i32, %i32] {padding_value = "nan"} : !tiled_view_2, i32, i32 -> tensor<8x16xi32>, !token

// Orders and scopes.

// CHECK: unsupported mem_semantic: "release" (expected one of weak, relaxed, acquire)
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {mem_semantic = "release", mem_scope = "gpu"} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// CHECK: [[semantic:mem_scope required when mem_semantic is not weak]]
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {mem_semantic = "acquire"} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// CHECK: mem_scope not supported when mem_semantic is weak
%0, %1 = nv_tileaa.tiled_load %tiled_view[%i32, %i32] {mem_scope = "sys"} : !tiled_view, i32, i32 -> !t8x16xf32, !token

// Stores check the same, and the mask.

// CHECK: expects 2 coordinates, but got 1
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32] mask(%t8x16xi1 : !t8x16xi1) : !t8x16xf32, !tiled_view, i32 -> !token

// CHECK: [[expects_1]]
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32, %i64] mask(%t8x16xi1 : !t8x16xi1) : !t8x16xf32, !tiled_view, i32, i64 -> !token

// CHECK: requires the same shape for tileSize and tensor value
%x = "test.op"() : () -> tensor<16x8xf32>
%0 = nv_tileaa.tiled_store %x, %tiled_view[%i32, %i32] mask(%t8x16xi1 : !t8x16xi1) : tensor<16x8xf32>, !tiled_view, i32, i32 -> !token

// CHECK: expects the shape of 'tensor<8x16xf32>', but got 'i1'
%k = "test.op"() : () -> i1
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32, %i32] mask(%k : i1) : !t8x16xf32, !tiled_view, i32, i32 -> !token

// CHECK: 'nv_tileaa.tiled_store' op must be a scalar or tensor of i1, but got 'tensor<8x16xi32>'
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32, %i32] mask(%t8x16xi32 : tensor<8x16xi32>) : !t8x16xf32, !tiled_view, i32, i32 -> !token

// CHECK: expects a view with sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%0 = nv_tileaa.scatter_store %t8x16xf32, %tiled_view[%i32, %i32] mask(%t8x16xi1 : !t8x16xi1) : !t8x16xf32, !tiled_view, i32, i32 -> !token

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view_1[%t8xi32, %i32] mask(%t8x16xi1 : !t8x16xi1) : !t8x16xf32, !tiled_view_1, tensor<8xi32>, i32 -> !token

// CHECK: unsupported mem_semantic: "acquire" (expected one of weak, relaxed, release)
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32, %i32] mask(%t8x16xi1 : !t8x16xi1) {mem_semantic = "acquire", mem_scope = "gpu"} : !t8x16xf32, !tiled_view, i32, i32 -> !token

// CHECK: [[semantic]]
%0 = nv_tileaa.tiled_store %t8x16xf32, %tiled_view[%i32, %i32] mask(%t8x16xi1 : !t8x16xi1) {mem_semantic = "release"} : !t8x16xf32, !tiled_view, i32, i32 -> !token

// Atomics.

// CHECK: requires attribute 'rmw_mode'
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xi32 {mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_2, tensor<8x16xi32>, i32, i32 -> !token

// CHECK: rmw_mode xchg is not supported on tiles of a view
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xi32 {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_2, tensor<8x16xi32>, i32, i32 -> !token

// CHECK: rmw_mode addf is not supported on 'i32'
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xi32 {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_2, tensor<8x16xi32>, i32, i32 -> !token

// CHECK: rmw_mode add is not supported on 'f32'
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view[%i32, %i32], %t8x16xf32 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view, !t8x16xf32, i32, i32 -> !token

// CHECK: view elementType not equal with tensor element type: 'i32' vs 'f32'
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xf32 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_2, !t8x16xf32, i32, i32 -> !token

// CHECK: 'nv_tileaa.tiled_atomic_rmw' op unsupported mem_semantic: "weak" (expected one of relaxed, acquire, release, acq_rel, seq_cst)
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xi32 {rmw_mode = "add", mem_semantic = "weak"} : !tiled_view_2, tensor<8x16xi32>, i32, i32 -> !token

// CHECK: [[semantic]]
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_2[%i32, %i32], %t8x16xi32 {rmw_mode = "add", mem_semantic = "relaxed"} : !tiled_view_2, tensor<8x16xi32>, i32, i32 -> !token

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%0 = nv_tileaa.tiled_atomic_rmw %tiled_view_1[%t8xi32, %i32], %t8x16xf32 {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view_1, !t8x16xf32, tensor<8xi32>, i32 -> !token

// Sizes.

// CHECK: expects 2 results, but got 1
%0 = nv_tileaa.get_tensor_shape %memref : !memref -> i32

// CHECK: 'nv_tileaa.get_tensor_shape' op index should be of base attribute integer_type
%0, %1 = nv_tileaa.get_tensor_shape %memref : !memref -> i32, index

// CHECK: expects 2 results, but got 1
%0 = nv_tileaa.get_index_space_shape %tiled_view : !tiled_view -> i32
