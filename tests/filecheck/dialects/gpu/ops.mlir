// RUN: TILEIRAS_ROUNDTRIP

// CHECK:   %i32, %f32 = "test.op"() : () -> (i32, f32)
%i32, %f32 = "test.op"() : () -> (i32, f32)
// CHECK-NEXT:   %0 = gpu.cluster_id x
%0 = "gpu.cluster_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %1 = gpu.cluster_dim y
%1 = "gpu.cluster_dim"() <{dimension = #gpu<dim y>}> : () -> index
// CHECK-NEXT:   %2 = gpu.cluster_block_id z
%2 = "gpu.cluster_block_id"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK-NEXT:   %3 = gpu.cluster_dim_blocks z
%3 = "gpu.cluster_dim_blocks"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK-NEXT:   %4 = gpu.thread_id x
%4 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %5 = gpu.block_id x
%5 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %6 = gpu.block_dim x
%6 = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %7 = gpu.grid_dim x
%7 = "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %8 = gpu.global_id x
%8 = "gpu.global_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT:   %9 = gpu.lane_id
%9 = "gpu.lane_id"() : () -> index
// CHECK-NEXT:   %10 = gpu.subgroup_id
%10 = "gpu.subgroup_id"() : () -> index
// CHECK-NEXT:   %11 = gpu.subgroup_size
%11 = "gpu.subgroup_size"() : () -> index
// CHECK-NEXT:   %12 = gpu.num_subgroups
%12 = "gpu.num_subgroups"() : () -> index
// CHECK-NEXT:   gpu.barrier
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
// CHECK:        gpu.module @m attributes {tag = 1 : i32} {
// CHECK-NEXT:     gpu.func @kernel(%p: !llvm.ptr<1> {nv.readonly}, %n: i32) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
// CHECK-NEXT:       gpu.return
// CHECK-NEXT:     }
// CHECK-NEXT:     gpu.func @helper(%x: f32) -> (f32, f32) {
// CHECK-NEXT:       gpu.return %x, %x : f32, f32
// CHECK-NEXT:     }
// CHECK-NEXT:     gpu.func @empty() kernel {
// CHECK-NEXT:       gpu.return
// CHECK-NEXT:     }
// CHECK-NEXT:   }
gpu.module @m attributes {tag = 1 : i32} {
  gpu.func @kernel(%p: !llvm.ptr<1> {nv.readonly}, %n: i32) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
  "gpu.func"() <{function_type = (f32) -> (f32, f32)}> ({
  ^bb0(%x: f32):
    "gpu.return"(%x, %x) : (f32, f32) -> ()
  }) {sym_name = "helper"} : () -> ()
  gpu.func @empty() kernel {
    gpu.return
  }
}
