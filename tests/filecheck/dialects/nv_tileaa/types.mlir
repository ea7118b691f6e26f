// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s --match-full-lines

// Tokens and program ids have no parameters; the address space of a pointer is 1 if it is not given.

// REQ: P-03
// CHECK:      %token, %id = "test.op"() : () -> (!nv_tileaa.mem_token, !nv_tileaa.program_id)
%token, %id = "test.op"() : () -> (!nv_tileaa.mem_token, !nv_tileaa.program_id)
// CHECK-NEXT: %ptrs, %ptrs_1, %ptrs_2 = "test.op"() : () -> (!nv_tileaa.ptr<f32, 1>, !nv_tileaa.ptr<f32, 3>, tensor<8x!nv_tileaa.ptr<!nv_tileaa.ptr<i8, 0>, 1>>)
%ptrs:3 = "test.op"() : () -> (!nv_tileaa.ptr<f32>, !nv_tileaa.ptr<f32, 3>, tensor<8x!nv_tileaa.ptr<!nv_tileaa.ptr<i8, 0>>>)

// Memrefs: static and dynamic sizes and strides, any rank, other address spaces and alias scopes.

// CHECK-NEXT: %m0 = "test.op"() : () -> !nv_tileaa.memref<f32, strides = []>
%m0 = "test.op"() : () -> !nv_tileaa.memref<f32, strides = []>
// CHECK-NEXT: %m1 = "test.op"() : () -> !nv_tileaa.memref<4xi1, strides = [1]>
%m1 = "test.op"() : () -> !nv_tileaa.memref<4xi1, strides = [1]>
// CHECK-NEXT: %m2 = "test.op"() : () -> !nv_tileaa.memref<?x64xbf16, strides = [64, 1]>
%m2 = "test.op"() : () -> !nv_tileaa.memref<?x64xbf16,strides=[64,1]>
// CHECK-NEXT: %m3 = "test.op"() : () -> !nv_tileaa.memref<?x?x?xf8E4M3FN, strides = [?, ?, 1]>
%m3 = "test.op"() : () -> !nv_tileaa.memref<?x?x?xf8E4M3FN, strides = [?, ?, 1], space = 1, alias_scope = 0>
// CHECK-NEXT: %m4 = "test.op"() : () -> !nv_tileaa.memref<4x4xi4, strides = [?, 1], space = 3>
%m4 = "test.op"() : () -> !nv_tileaa.memref<4x4xi4, strides = [?, 1], space = 3>
// CHECK-NEXT: %m5 = "test.op"() : () -> !nv_tileaa.memref<4xtf32, strides = [1], space = 0, alias_scope = 4294967295>
%m5 = "test.op"() : () -> !nv_tileaa.memref<4xtf32, strides = [1], alias_scope = 4294967295, space = 0>
// CHECK-NEXT: %m6 = "test.op"() : () -> !nv_tileaa.memref<1073741824x4x!cuda_tile.fnv8E5M3FNU, strides = [9223372036854775807, 2]>
%m6 = "test.op"() : () -> !nv_tileaa.memref<1073741824x4x!cuda_tile.fnv8E5M3FNU, strides = [9223372036854775807, 2]>

// Views: what is the default is not printed.

// CHECK-NEXT: %v0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>>
%v0 = "test.op"() : () -> !nv_tileaa.tiled_view<8, !nv_tileaa.memref<?xf32, strides = [1]>>
// CHECK-NEXT: %v1 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
%v1 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [0, 1], steps = [8, 64]>
// CHECK-NEXT: %v2 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [1, 0], padding = nan>
%v2 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, dim_map = [1, 0], padding = nan>
// CHECK-NEXT: %v3 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>, steps = [3, 64], padding = zero>
%v3 = "test.op"() : () -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<?x64xi32, strides = [64, 1]>, padding = zero, steps = [3, 64]>
// CHECK-NEXT: %v4 = "test.op"() : () -> !nv_tileaa.tiled_view<8x1, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>, dim_map = [1, 0], steps = [1, 1], padding = neg_inf, sparse_dim = 0>
%v4 = "test.op"() : () -> !nv_tileaa.tiled_view<8x1, !nv_tileaa.memref<?x64xf16, strides = [64, 1]>, sparse_dim = 0, padding = neg_inf, steps = [1, 1], dim_map = [1, 0]>
// CHECK-NEXT: %v5, %v5_1 = "test.op"() : () -> (!nv_tileaa.tiled_view<1, !nv_tileaa.memref<?xf64, strides = [1]>, padding = pos_inf>, !nv_tileaa.tiled_view<16777216, !nv_tileaa.memref<?xf64, strides = [1]>, padding = neg_zero>)
%v5:2 = "test.op"() : () -> (!nv_tileaa.tiled_view<1, !nv_tileaa.memref<?xf64, strides = [1]>, padding = pos_inf>, !nv_tileaa.tiled_view<16777216, !nv_tileaa.memref<?xf64, strides = [1]>, padding = neg_zero>)

// Queues.

// CHECK-NEXT: %q0 = "test.op"() : () -> !nv_tileaa.queue
%q0 = "test.op"() : () -> !nv_tileaa.queue
// CHECK-NEXT: %q1 = "test.op"() : () -> !nv_tileaa.queue<tensor<8xf32>, i32>
%q1 = "test.op"() : () -> !nv_tileaa.queue<tensor<8xf32>, i32>
// CHECK-NEXT: %q2 = "test.op"() : () -> !nv_tileaa.queue<isolated>
%q2 = "test.op"() : () -> !nv_tileaa.queue<isolated>
// CHECK-NEXT: %q3 = "test.op"() : () -> !nv_tileaa.queue<isolated, f32, !nv_tileaa.queue<!nv_tileaa.mem_token>>
%q3 = "test.op"() : () -> !nv_tileaa.queue<isolated, f32, !nv_tileaa.queue<!nv_tileaa.mem_token>>
// CHECK-NEXT: }
