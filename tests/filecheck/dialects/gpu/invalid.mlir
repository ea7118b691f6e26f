// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%f32 = "test.op"() : () -> f32

// -----

// CHECK: cluster size 3 is not a power of two
%0 = "gpu.subgroup_reduce"(%f32) {op = #gpu<all_reduce_op add>, cluster_size = 3 : i32} : (f32) -> f32

// CHECK: cluster stride can only be specified if cluster size is
%0 = "gpu.subgroup_reduce"(%f32) {op = #gpu<all_reduce_op add>, cluster_stride = 2 : i32} : (f32) -> f32

// CHECK: expects a memref in shared memory, but got 'memref<?xi8>'
%0 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8>

// CHECK: expects a memref of bytes, '?xi8', but got 'memref<?xf32, 3 : i64>'
%0 = "gpu.dynamic_shared_memory"() : () -> memref<?xf32, 3>

// CHECK: expects either an op attribute or a non-empty body
%0 = "gpu.all_reduce"(%f32) ({}) : (f32) -> f32

// CHECK: expects a result of type 'f32', but got 'f16'
%0 = "gpu.all_reduce"(%f32) ({}) {op = #gpu<all_reduce_op add>} : (f32) -> f16
