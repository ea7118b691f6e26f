// RUN: tileiras-opt -p "tileas-unspecialized-pipeline{compute-capability=sm_90}" %s | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "chain", "Failed to pipeline loop: the address of 'nv_tileas.tiled_load' is loop-carried", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "three", "Failed to pipeline loop: 2 other CTAs per SM load 16384 bytes each meanwhile, and 32000 suffice", ""

// A loop over rows, without dots. Each thread reads what it copied, so there is no barrier; the store
// does not hold a load that is hoistable.

!rows = !nv_tileaa.memref<?x1024xf32, strides = [1024, 1]>
!view = !nv_tileaa.tiled_view<4x1024, !rows>
#blocked = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 512], [1, 0], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[0, 128], [0, 256]]>
#line = #nv_tileas.layout<register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
!tile = tensor<4x1024xf32, #blocked>
!flat = tensor<1024xf32, #line>
!ptr = !llvm.ptr<1>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {
  gpu.func @rows(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %b = nv_tileaa.make_memref %q sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %y = nv_tileaa.block_tile %b {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !view, i32, i32 -> !tile
      nv_tileas.tiled_store %t, %y[%i, %zero] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !tile, !view, i32, i32
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rows
  // CHECK: [[BUFFER:%.*]] = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<3x4x1024xf32>
  // CHECK-NOT: gpu.barrier
  // CHECK: nv_tileas.async.tiled_load %x
  // CHECK: scf.for %i = %zero to %n step %one iter_args([[STAGE:%.*]] = {{%.*}}) -> (i32) : i32 {
  // CHECK-NEXT: nvgpu.device_async_wait {numGroups = 1 : i32}
  // CHECK-NOT: gpu.barrier
  // CHECK: nv_tileas.async.tiled_load %x
  // CHECK: nvgpu.device_async_create_group
  // CHECK: [[PLACE:%.*]] = nv_tileas.extract_slice [[BUFFER]]{{\[}}[[STAGE]],
  // CHECK-NEXT: [[TILE:%.*]] = nv_tileas.copy [[PLACE]]
  // CHECK-NEXT: nv_tileas.tiled_store [[TILE]], %y[%i, %zero]

  // Through pointers, with a mask: what it leaves out is zero in shared memory. Two loads of
  // each CTA are on their way: four CTAs share an SM.

  gpu.func @pointers(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 1024 : i32
    %base = nv_tileaa.splat %p : !ptr to tensor<1024x!ptr, #line>
    %other = arith.constant dense<1.000000e+00> : !flat
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %other) -> (!flat) : i32 {
      %start = arith.muli %i, %width : i32
      %from = nv_tileaa.splat %start : i32 to tensor<1024xi32, #line>
      %lane = nv_tileaa.make_range %zero, %width : i32 to tensor<1024xi32, #line>
      %offset = nv_tileaa.addi %from, %lane : tensor<1024xi32, #line>
      %pointers = nv_tileaa.addptr %base, %offset {elem_type = f32} : tensor<1024x!ptr, #line>, tensor<1024xi32, #line>
      %limit = nv_tileaa.splat %n : i32 to tensor<1024xi32, #line>
      %mask = nv_tileaa.cmpi %offset, %limit {comparison_predicate = "less_than", signedness = "signed"} : tensor<1024xi32, #line> -> tensor<1024xi1, #line>
      %t = nv_tileas.load %pointers mask(%mask : tensor<1024xi1, #line>) other(%other : !flat) {nv_tileas.layout = #line,
          nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 0>} : tensor<1024x!ptr, #line> -> !flat
      %u = nv_tileaa.addf %s, %t : !flat
      scf.yield %u : !flat
    }
    "test.op"(%sum) : (!flat) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @pointers
  // CHECK: nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<3x1024xf32>
  // CHECK: scf.for %i = %zero to %n
  // CHECK-NEXT: nvgpu.device_async_wait {numGroups = 1 : i32}
  // CHECK: nv_tileas.async.load {{%.*}} into {{%.*}} mask({{%.*}}
  // CHECK: [[COPY:%.*]] = nv_tileas.copy
  // CHECK: [[T:%.*]] = arith.select {{%.*}}, [[COPY]], %other
  // CHECK: nv_tileaa.addf %s, [[T]]

  // Tiles are copied with zeros outside of the tensor, then padded.

  gpu.func @padded(%p: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>,
          padding_value = "neg_inf"} : !view, i32, i32 -> !tile
      "test.op"(%t) : (!tile) -> ()
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @padded
  // CHECK: nv_tileas.async.tiled_load %x
  // CHECK: padding_value = "zero"
  // CHECK: scf.for %i = %zero to %n
  // CHECK: [[COPY:%.*]] = nv_tileas.copy
  // CHECK: [[T:%.*]] = nv_tileas.pad [[COPY]], %x{{.*}} {nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>, padding_value = "neg_inf"}
  // CHECK: "test.op"([[T]])

  // What an address depends on must be computed from the induction variable.

  gpu.func @chain(%p: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %end = scf.for %i = %zero to %n step %one iter_args(%k = %zero) -> (i32) : i32 {
      %t = nv_tileas.tiled_load %x[%k, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !view, i32, i32 -> !tile
      "test.op"(%t) : (!tile) -> ()
      %m = arith.addi %k, %k : i32
      scf.yield %m : i32
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @chain
  // CHECK-NOT: async

  // Two other CTAs per SM, which a hint promises, load 16 KiB each while one computes: that is enough.
  // One is not; and a hint of the load counts more.

  // CHECK-LABEL: gpu.func @three
  // CHECK-NOT: nv_tileas.async.tiled_load
  gpu.func @three(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %b = nv_tileaa.make_memref %q sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %y = nv_tileaa.block_tile %b {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !view, i32, i32 -> !tile
      nv_tileas.tiled_store %t, %y[%i, %zero] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !tile, !view, i32, i32
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @two
  // CHECK: nv_tileas.async.tiled_load
  gpu.func @two(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %b = nv_tileaa.make_memref %q sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %y = nv_tileaa.block_tile %b {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !view, i32, i32 -> !tile
      nv_tileas.tiled_store %t, %y[%i, %zero] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !tile, !view, i32, i32
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @asked
  // CHECK: nv_tileas.async.tiled_load
  gpu.func @asked(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %b = nv_tileaa.make_memref %q sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %y = nv_tileaa.block_tile %b {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>, optimization_hints = {default = {latency = 2 : i64}}}
          : !view, i32, i32 -> !tile
      nv_tileas.tiled_store %t, %y[%i, %zero] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !tile, !view, i32, i32
    }
    gpu.return
  }

  // All CTAs of a persistent kernel are there, if each has several tiles: two that load 16 KiB each
  // suffice, whatever the hint says.

  // CHECK-LABEL: gpu.func @persistent
  // CHECK: nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<2x4x1024xf32>
  // CHECK: nv_tileas.async.tiled_load
  gpu.func @persistent(%p: !ptr, %q: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32,
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
    %zero = arith.constant 0 : i32
    %block = gpu.block_id x
    %first = arith.index_cast %block : index to i32
    %grid = gpu.grid_dim x
    %step = arith.index_cast %grid : index to i32
    %a = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !rows
    %b = nv_tileaa.make_memref %q sizes(%n : i32) : !ptr -> !rows
    %x = nv_tileaa.block_tile %a {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    %y = nv_tileaa.block_tile %b {tileSizes = array<i64: 4, 1024>, dimGroups = [[0], [1]]} : !rows -> !view
    scf.for %i = %first to %n step %step : i32 {
      %t = nv_tileas.tiled_load %x[%i, %zero] {nv_tileaa.hoistable, nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>, optimization_hints = {default = {latency = 7 : i64}}}
          : !view, i32, i32 -> !tile
      nv_tileas.tiled_store %t, %y[%i, %zero] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
          : !tile, !view, i32, i32
    }
    gpu.return
  }
}
}
