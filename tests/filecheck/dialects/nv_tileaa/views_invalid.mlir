// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Dynamic sizes and strides are operands.

// CHECK: expects 1 dynamic sizes, but got 0
%p, %n = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>

// -----

// CHECK: expects 0 dynamic strides, but got 1
%p, %n = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = nv_tileaa.make_memref %p sizes(%n : i32) strides(%n : i32) : !llvm.ptr<1> -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>

// -----

// CHECK: 'nv_tileaa.make_memref' op must be a scalar or tensor of pointers, but got 'i64'
%p, %n = "test.op"() : () -> (i64, i32)
%0 = nv_tileaa.make_memref %p sizes(%n : i32) : i64 -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>

// -----

// CHECK: 'nv_tileaa.make_memref' op f32 should be of base attribute integer_type
%p, %n = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0 = nv_tileaa.make_memref %p sizes(%n : f32) : !llvm.ptr<1> -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>

// -----

// CHECK: 'nv_tileaa.make_memref' op f32 should be of base attribute nv_tileaa.memref
%p, %n = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = nv_tileaa.make_memref %p sizes(%n : i32) : !llvm.ptr<1> -> f32

// -----

// Tiles, in the order of the checks.

// CHECK: expects non-empty tileSizes
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64>, dimGroups = []} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects non-empty dimGroups
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = []} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects rank of tileSizes be equal to rank of dimGroups, but got 2 vs 1
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects all tile size bigger than zero
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 0, 16>, dimGroups = [[0], [0]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects all tile size bigger than zero
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, -16>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects dim is being tiled only one time, but got 2
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [0]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects dim is being tiled only one time, but got 2
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0, 0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects a list of dimensions, but got 1 : i64
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], 1]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects a list of dimensions, but got ["1"]
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], ["1"]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: expects a view of '!nv_tileaa.memref<?x64xf32, strides = [64, 1]>', but got '!nv_tileaa.memref<?x64xi32, strides = [64, 1]>'
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>

// -----

// CHECK: requires the same size for tileSize and tensor
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: dimGroups {{\[\[}}1], [0]] disagree with the dim_map of '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[1], [0]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: dimGroups {{\[\[}}0], [2]] disagree with the dim_map of '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>, dimGroups = [[0], [2]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: requires attribute 'dimGroups'
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 16>} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// CHECK: 'nv_tileaa.block_tile' op Expected attribute i64 but got i32
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.block_tile %m {tileSizes = array<i32: 8, 16>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>

// -----

// Coordinates.

// CHECK: expects 2 coordinates, but got 1
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects 2 coordinates, but got 0
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>> -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects 2 coordinates, but got 3
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects CoordType is same as memref index type, but got 'i64' and 'i32'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %j] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects coordinate 0 of shape [], but got 'tensor<8xi32>'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%r, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, tensor<8xi32>, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects coordinate 0 of shape [8], but got 'i32'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects coordinate 0 of shape [8], but got 'i32'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.gather_load %v[%i, %r] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, tensor<8xi32> -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%r, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, tensor<8xi32>, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects a view with sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.gather_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// Tiles.

// CHECK: requires the same size for tileSize and tensor
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8xf32>, !nv_tileaa.mem_token

// -----

// CHECK: requires the same size for tileSize and tensor
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> f32, !nv_tileaa.mem_token

// -----

// CHECK: requires the same shape for tileSize and tensor value
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<16x8xf32>, !nv_tileaa.mem_token

// -----

// CHECK: view elementType not equal with tensor element type: 'f32' vs 'f16'
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf16>, !nv_tileaa.mem_token

// -----

// CHECK: incorrect number of in_bounds elements: expected 2, got 1
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {in_bounds = array<i1: true>} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: wrong attribute 'in_bounds': Expected attribute i1 but got i64
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {in_bounds = array<i64: 1, 1>} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: unsupported padding_value: "one" (expected one of zero, neg_zero, nan, pos_inf, neg_inf)
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {padding_value = "one"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: special padding values require a floating-point element type (padding nan cannot be used with 'i32')
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {padding_value = "nan"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xi32>, !nv_tileaa.mem_token

// -----

// Orders and scopes.

// CHECK: unsupported mem_semantic: "release" (expected one of weak, relaxed, acquire)
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {mem_semantic = "release", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {mem_semantic = "acquire"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope not supported when mem_semantic is weak
%v, %i, %j, %r = "test.op"() : () -> (!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>)
%0, %1 = nv_tileaa.tiled_load %v[%i, %i] {mem_scope = "sys"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> tensor<8x16xf32>, !nv_tileaa.mem_token

// -----

// Stores check the same, and the mask.

// CHECK: expects 2 coordinates, but got 1
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%i] mask(%k : tensor<8x16xi1>) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects CoordType is same as memref index type, but got 'i64' and 'i32'
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%i, %j] mask(%k : tensor<8x16xi1>) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64 -> !nv_tileaa.mem_token

// -----

// CHECK: requires the same shape for tileSize and tensor value
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<16x8xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%i, %i] mask(%k : tensor<8x16xi1>) : tensor<16x8xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x16xf32>', but got 'i1'
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, i1)
%0 = nv_tileaa.tiled_store %x, %v[%i, %i] mask(%k : i1) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.tiled_store' op must be a scalar or tensor of i1, but got 'tensor<8x16xi32>'
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi32>)
%0 = nv_tileaa.tiled_store %x, %v[%i, %i] mask(%k : tensor<8x16xi32>) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects a view with sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>'
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.scatter_store %x, %v[%i, %i] mask(%k : tensor<8x16xi1>) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%r, %i] mask(%k : tensor<8x16xi1>) : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, tensor<8xi32>, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: unsupported mem_semantic: "acquire" (expected one of weak, relaxed, release)
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%i, %i] mask(%k : tensor<8x16xi1>) {mem_semantic = "acquire", mem_scope = "gpu"} : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%x, %v, %i, %j, %r, %k = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i64, tensor<8xi32>, tensor<8x16xi1>)
%0 = nv_tileaa.tiled_store %x, %v[%i, %i] mask(%k : tensor<8x16xi1>) {mem_semantic = "release"} : tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, i32 -> !nv_tileaa.mem_token

// -----

// Atomics.

// CHECK: requires attribute 'rmw_mode'
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xi32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xi32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode xchg is not supported on tiles of a view
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xi32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xi32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode addf is not supported on 'i32'
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xi32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xi32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode add is not supported on 'f32'
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>, tensor<8x16xf32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: view elementType not equal with tensor element type: 'i32' vs 'f32'
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xf32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.tiled_atomic_rmw' op unsupported mem_semantic: "weak" (expected one of relaxed, acquire, release, acq_rel, seq_cst)
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xi32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "add", mem_semantic = "weak"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xi32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xi32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%i, %i], %x {rmw_mode = "add", mem_semantic = "relaxed"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>>, tensor<8x16xi32>, i32, i32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects a view without sparse_dim, but got '!nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>'
%x, %v, %i, %r = "test.op"() : () -> (tensor<8x16xf32>, !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, i32, tensor<8xi32>)
%0 = nv_tileaa.tiled_atomic_rmw %v[%r, %i], %x {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, sparse_dim = 0>, tensor<8x16xf32>, tensor<8xi32>, i32 -> !nv_tileaa.mem_token

// -----

// Sizes.

// CHECK: expects 2 results, but got 1
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0 = nv_tileaa.get_tensor_shape %m : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i32

// -----

// CHECK: 'nv_tileaa.get_tensor_shape' op index should be of base attribute integer_type
%m = "test.op"() : () -> !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
%0, %1 = nv_tileaa.get_tensor_shape %m : !nv_tileaa.memref<?x64xf32, strides = [64, 1]> -> i32, index

// -----

// CHECK: expects 2 results, but got 1
%v = "test.op"() : () -> !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
%0 = nv_tileaa.get_index_space_shape %v : !nv_tileaa.tiled_view<8x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>> -> i32
