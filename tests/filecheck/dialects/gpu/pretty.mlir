// RUN: xdsl-opt %s | %verbatim %s

// The forms of upstream are read, with and without the type of an index.

!mnxi8 = memref<?xi8, #gpu.address_space<workgroup>>
%i32, %f32 = "test.op"() : () -> (i32, f32)
%0 = gpu.thread_id x
// PRINTS: %1 = gpu.block_dim y
%1 = gpu.block_dim y : index
%2 = gpu.cluster_block_id z
%3 = gpu.lane_id
// PRINTS: %4 = gpu.subgroup_size
%4 = gpu.subgroup_size : index
gpu.barrier
// PRINTS: %5, %6 = "gpu.shuffle"(%f32, %i32, %i32) <{mode = #gpu<shuffle_mode down>}> : (f32, i32, i32) -> (f32, i1)
%5, %6 = gpu.shuffle down %f32, %i32, %i32 : f32
// PRINTS: "gpu.printf"(%i32, %f32) <{format = "%d %f\0A"}> : (i32, f32) -> ()
gpu.printf "%d %f\n", %i32, %f32 : i32, f32
// PRINTS: "gpu.printf"() <{format = "hello"}> : () -> ()
gpu.printf "hello"
// PRINTS: %7 = "gpu.dynamic_shared_memory"() : () -> !mnxi8
%7 = gpu.dynamic_shared_memory : !mnxi8
