// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// Tokens and program ids have no parameters; the address space of a pointer is 1 if it is not given.

// REQ: P-03
%token, %id = "test.op"() : () -> (!nv_tileaa.mem_token, !nv_tileaa.program_id)
// PRINTS: %ptrs, %ptrs_1, %ptrs_2 = "test.op"() : () -> (!nv_tileaa.ptr<f32, 1>, !nv_tileaa.ptr<f32, 3>, tensor<8x!nv_tileaa.ptr<!nv_tileaa.ptr<i8, 0>, 1>>)
%ptrs:3 = "test.op"() : () -> (!nv_tileaa.ptr<f32>, !nv_tileaa.ptr<f32, 3>, tensor<8x!nv_tileaa.ptr<!nv_tileaa.ptr<i8, 0>>>)

// Memrefs: static and dynamic sizes and strides, any rank, other address spaces and alias scopes.

%m0 = "test.op"() : () -> !nv_tileaa.memref<f32, strides = []>
%m1 = "test.op"() : () -> !nv_tileaa.memref<4xi1, strides = [1]>
// PRINTS: %m2 = "test.op"() : () -> !nv_tileaa.memref<?x64xbf16, strides = [64, 1]>
%m2 = "test.op"() : () -> !nv_tileaa.memref<?x64xbf16,strides=[64,1]>
// PRINTS: %m3 = "test.op"() : () -> !nv_tileaa.memref<?x?x?xf8E4M3FN, strides = [?, ?, 1]>
%m3 = "test.op"() : () -> !nv_tileaa.memref<?x?x?xf8E4M3FN, strides = [?, ?, 1], space = 1, alias_scope = 0>
%m4 = "test.op"() : () -> !nv_tileaa.memref<4x4xi4, strides = [?, 1], space = 3>
// PRINTS: %m5 = "test.op"() : () -> !nv_tileaa.memref<4xtf32, strides = [1], space = 0, alias_scope = 4294967295>
%m5 = "test.op"() : () -> !nv_tileaa.memref<4xtf32, strides = [1], alias_scope = 4294967295, space = 0>
%m6 = "test.op"() : () -> !nv_tileaa.memref<1073741824x4x!cuda_tile.fnv8E5M3FNU, strides = [9223372036854775807, 2]>

// Views: what is the default is not printed.

%v0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>>
// PRINTS: %v1 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
%v1 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [0, 1], steps = [8, 64]>
%v2 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [1, 0], padding = nan>
// PRINTS: %v3 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>, steps = [3, 64], padding = zero>
%v3 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>, padding = zero, steps = [3, 64]>
// PRINTS: %v4 = "test.op"() : () -> !nv_tileaa.tiled_view<8x1, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>, dim_map = [1, 0], steps = [1, 1], padding = neg_inf, sparse_dim = 0>
%v4 = "test.op"() : () -> !nv_tileaa.tiled_view<8x1, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>, sparse_dim = 0, padding = neg_inf, steps = [1, 1], dim_map = [1, 0]>
// PRINTS: %v5, %v5_1 = "test.op"() : () -> (!nv_tileaa.tiled_view<1, !nv_tileaa.memref<?xf64, strides = [1]>, padding = pos_inf>, !nv_tileaa.tiled_view<16777216, !nv_tileaa.memref<?xf64, strides = [1]>, padding = neg_zero>)
%v5:2 = "test.op"() : () -> (!nv_tileaa.tiled_view<1, !nv_tileaa.memref<?xf64, strides = [1]>, padding = pos_inf>, !nv_tileaa.tiled_view<16777216, !nv_tileaa.memref<?xf64, strides = [1]>, padding = neg_zero>)

// Queues.

%q0 = "test.op"() : () -> !nv_tileaa.queue
%q1 = "test.op"() : () -> !nv_tileaa.queue<tensor<8xf32>, i32>
%q2 = "test.op"() : () -> !nv_tileaa.queue<isolated>
%q3 = "test.op"() : () -> !nv_tileaa.queue<isolated, f32, !nv_tileaa.queue<!nv_tileaa.mem_token>>
