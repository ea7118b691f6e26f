// RUN: tileiras-opt -p tileas-allocate-shared-memory --split-input-file --verify-diagnostics %s | filecheck %s

#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>

// What is kept comes first. Threads of one conversion need not wait for those of the one before,
// so they get places of their own; in a loop nobody knows what is in use.
// CHECK-LABEL: gpu.func @conversions(
// CHECK: nv_tileas.shared_memory = #nv_tileas.shared_memory<12288, 4096, 49152>
gpu.module @m {
  gpu.func @conversions(%f: f32, %from: i32, %to: i32, %step: i32) kernel attributes {nv_tileas.num_warps = 2 : i32} {
    // CHECK: nv_tileas.alloc_tensor {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]
    %kept = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<1024xf32>
    %x = nv_tileaa.splat %f : f32 to tensor<32x32xf32, #rows>
    // CHECK: nv_tileas.convert_layout {{.*}}nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]
    %y = nv_tileas.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    // CHECK: nv_tileas.convert_layout {{.*}}nv_tileas.buffers = [#nv_tileas.buffer<8192, 4096>]
    %z = nv_tileas.convert_layout %y : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #rows>
    scf.for %i = %from to %to step %step : i32 {
      // CHECK: nv_tileas.convert_layout {{.*}}nv_tileas.buffers = [#nv_tileas.buffer<4096, 4096>]
      %w = nv_tileas.convert_layout %z : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    }
    gpu.return
  }
}
