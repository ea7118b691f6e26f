// RUN: TILEIRAS_ROUNDTRIP

// CHECK:   %i32, %f32 = "test.op"() : () -> (i32, f32)
%i32, %f32 = "test.op"() : () -> (i32, f32)
// CHECK-NEXT:   %0 = "gpu.cluster_id"() <{dimension = #gpu<dim x>}> : () -> index
%0 = "gpu.cluster_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %1 = "gpu.cluster_dim"() <{dimension = #gpu<dim y>}> : () -> index
%1 = "gpu.cluster_dim"() <{dimension = #gpu<dim y>}> : () -> index
// CHECK-NEXT:   %2 = "gpu.cluster_block_id"() <{dimension = #gpu<dim z>}> : () -> index
%2 = "gpu.cluster_block_id"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK-NEXT:   %3 = "gpu.cluster_dim_blocks"() <{dimension = #gpu<dim z>}> : () -> index
%3 = "gpu.cluster_dim_blocks"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK-NEXT:   %4 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
%4 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %5 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
%5 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %6 = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
%6 = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %7 = "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> index
%7 = "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %8 = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
%8 = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %9 = "gpu.lane_id"() : () -> index
%9 = "gpu.lane_id"() : () -> index
// CHECK-NEXT:   %10 = "gpu.subgroup_id"() : () -> index
%10 = "gpu.subgroup_id"() : () -> index
// CHECK-NEXT:   %11 = "gpu.subgroup_size"() : () -> index
%11 = "gpu.subgroup_size"() : () -> index
// CHECK-NEXT:   %12 = "gpu.num_subgroups"() : () -> index
%12 = "gpu.num_subgroups"() : () -> index
// CHECK-NEXT:   "gpu.barrier"() : () -> ()
"gpu.barrier"() : () -> ()
// CHECK-NEXT:   %13, %14 = "gpu.shuffle"(%f32, %i32, %i32) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
%13, %14 = "gpu.shuffle"(%f32, %i32, %i32) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
// CHECK-NEXT:   %15 = "gpu.subgroup_reduce"(%f32) <{op = #gpu<all_reduce_op maxnumf>, uniform, cluster_size = 8 : i32, cluster_stride = 4 : i32}> : (f32) -> f32
%15 = "gpu.subgroup_reduce"(%f32) <{op = #gpu<all_reduce_op maxnumf>, uniform, cluster_size = 8 : i32, cluster_stride = 4 : i32}> : (f32) -> f32
// CHECK-NEXT:   "gpu.printf"(%i32, %f32) <{format = "%d %f\0A"}> : (i32, f32) -> ()
"gpu.printf"(%i32, %f32) <{format = "%d %f\0A"}> : (i32, f32) -> ()
// CHECK-NEXT:   %16 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
%16 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %17 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, 3 : i64>
%17 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, 3 : i64>
// CHECK-NEXT:   %18 = "gpu.all_reduce"(%f32) <{op = #gpu<all_reduce_op add>}> ({
%18 = "gpu.all_reduce"(%f32) <{op = #gpu<all_reduce_op add>}> ({
}) : (f32) -> f32
