// RUN: xdsl-opt %s | filecheck %s

// The forms of upstream are read, with and without the type of an index.

%i32, %f32 = "test.op"() : () -> (i32, f32)
// CHECK: %0 = gpu.thread_id x
%0 = gpu.thread_id x
// CHECK-NEXT: %1 = gpu.block_dim y
%1 = gpu.block_dim y : index
// CHECK-NEXT: %2 = gpu.cluster_block_id z
%2 = gpu.cluster_block_id z
// CHECK-NEXT: %3 = gpu.lane_id
%3 = gpu.lane_id
// CHECK-NEXT: %4 = gpu.subgroup_size
%4 = gpu.subgroup_size : index
// CHECK-NEXT: gpu.barrier
gpu.barrier
// CHECK-NEXT: %5, %6 = "gpu.shuffle"(%f32, %i32, %i32) <{mode = #gpu<shuffle_mode down>}> : (f32, i32, i32) -> (f32, i1)
%5, %6 = gpu.shuffle down %f32, %i32, %i32 : f32
// CHECK-NEXT: "gpu.printf"(%i32, %f32) <{format = "%d %f\0A"}> : (i32, f32) -> ()
gpu.printf "%d %f\n", %i32, %f32 : i32, f32
// CHECK-NEXT: "gpu.printf"() <{format = "hello"}> : () -> ()
gpu.printf "hello"
// CHECK-NEXT: %7 = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
%7 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
