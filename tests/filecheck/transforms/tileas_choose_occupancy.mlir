// RUN: tileiras-opt -p "tileas-choose-occupancy{compute-capability=sm_90}" %s | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "registers", "occupancy = 5 is not met: tiles take about 64 registers per thread, of 48", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "shared", "occupancy = 4 is not met: each takes 65536 bytes of shared memory, and would have 57344", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Pipeline", "", "threads", "occupancy = 20 is not met: an SM holds 2048 threads and 32 CTAs, not 5120 threads in 20 CTAs", ""
// CHECK-SAME: "carried", "occupancy = 3 is not met: tiles take about 96 registers per thread, of 80", ""
// CHECK-SAME: "held", "occupancy = 3 is not met: tiles that are live at once take about 64 registers per thread and all else 32, of 80", ""
// CHECK-NOT: occupancy = 1 is not met

// 8192 elements for 256 threads: 32 registers of f32 for a tile, and 32 for all else.

#blocked = #nv_tileas.layout<register = [[1], [2], [1024], [2048], [4096]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512]]>
#large = #nv_tileas.layout<register = [[1], [2], [1024], [2048], [4096], [8192], [16384], [32768]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512]]>
!view = !nv_tileaa.tiled_view<8192, !nv_tileaa.memref<?xf32, strides = [1]>>
!memref = !nv_tileaa.memref<?xf32, strides = [1]>
!tile = tensor<8192xf32, #blocked>
!narrow_memref = !nv_tileaa.memref<?xbf16, strides = [1]>
!narrow_view = !nv_tileaa.tiled_view<8192, !narrow_memref>
!narrow = tensor<8192xbf16, #blocked>
!ptr = !llvm.ptr<1>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {
  // One tile is loaded, and computed on vector by vector: four CTAs of 64 registers, or what ptxas finds.

  // CHECK-LABEL: gpu.func @chain
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  // CHECK-SAME: nv_tileaa.open_registers
  gpu.func @chain(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.addf %x, %x : !tile
    %b = nv_tileaa.mulf %a, %x : !tile
    %c = nv_tileaa.exp %b : !tile
    nv_tileas.tiled_store %c, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // What loads through shared memory has the registers of four CTAs.

  // CHECK-LABEL: gpu.func @staged
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  // CHECK-NOT: nv_tileaa.open_registers
  gpu.func @staged(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %g = nvgpu.device_async_create_group : () -> !nvgpu.token
    %a = nv_tileaa.addf %x, %x : !tile
    %b = nv_tileaa.mulf %a, %x : !tile
    %c = nv_tileaa.exp %b : !tile
    nv_tileas.tiled_store %c, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // Loads are all under way at once: 96 registers, and two CTAs.

  // CHECK-LABEL: gpu.func @loads
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  gpu.func @loads(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.addf %x, %y : !tile
    nv_tileas.tiled_store %a, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // An element that is loaded alone has a register to itself, be it of bf16 or f32: two tiles take 64, and
  // 32 in vectors. Two CTAs have 128 for four tiles, which ptxas would exceed, but one is left for six.

  // CHECK-LABEL: gpu.func @in_vectors
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  gpu.func @in_vectors(%p: !ptr, %n: i32, %i: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !narrow_memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !narrow_memref -> !narrow_view
    %x0 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>} : !narrow_view, i32 -> !narrow
    %x1 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>} : !narrow_view, i32 -> !narrow
    %a1 = nv_tileaa.addf %x0, %x1 : !narrow
    nv_tileas.tiled_store %a1, %v[%i] {nv_tileas.layout = #blocked} : !narrow, !narrow_view, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @alone
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  // CHECK-SAME: nv_tileaa.open_registers
  gpu.func @alone(%p: !ptr, %n: i32, %i: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !narrow_memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !narrow_memref -> !narrow_view
    %x0 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x1 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %a1 = nv_tileaa.addf %x0, %x1 : !narrow
    nv_tileas.tiled_store %a1, %v[%i] {nv_tileas.layout = #blocked} : !narrow, !narrow_view, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @many_alone
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  // CHECK-NOT: nv_tileaa.open_registers
  gpu.func @many_alone(%p: !ptr, %n: i32, %i: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !narrow_memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !narrow_memref -> !narrow_view
    %x0 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x1 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x2 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x3 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %a1 = nv_tileaa.addf %x0, %x1 : !narrow
    %a2 = nv_tileaa.addf %a1, %x2 : !narrow
    %a3 = nv_tileaa.addf %a2, %x3 : !narrow
    nv_tileas.tiled_store %a3, %v[%i] {nv_tileas.layout = #blocked} : !narrow, !narrow_view, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @too_many_alone
  // CHECK-SAME: #nv_tileaa.kernel_spec<>
  gpu.func @too_many_alone(%p: !ptr, %n: i32, %i: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !narrow_memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !narrow_memref -> !narrow_view
    %x0 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x1 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x2 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x3 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x4 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %x5 = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>} : !narrow_view, i32 -> !narrow
    %a1 = nv_tileaa.addf %x0, %x1 : !narrow
    %a2 = nv_tileaa.addf %a1, %x2 : !narrow
    %a3 = nv_tileaa.addf %a2, %x3 : !narrow
    %a4 = nv_tileaa.addf %a3, %x4 : !narrow
    %a5 = nv_tileaa.addf %a4, %x5 : !narrow
    nv_tileas.tiled_store %a5, %v[%i] {nv_tileas.layout = #blocked} : !narrow, !narrow_view, i32
    gpu.return
  }

  // A division that is rounded correctly has branches: its operands and results are whole tiles. One
  // that is not has none.

  // CHECK-LABEL: gpu.func @division
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  gpu.func @division(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.exp %x : !tile
    %b = nv_tileaa.divf %x, %a : !tile
    nv_tileas.tiled_store %b, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @approximate
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  gpu.func @approximate(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.exp %x : !tile
    %b = nv_tileaa.divf %x, %a {rounding_mode = "approx"} : !tile
    nv_tileas.tiled_store %b, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // What a loop uses is live in all of it. Shared memory is for one CTA here.

  // CHECK-LABEL: gpu.func @loop
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  // CHECK-LABEL: gpu.func @large
  // CHECK-SAME: #nv_tileaa.kernel_spec<>
  gpu.func @loop(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %w = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    scf.for %k = %j to %n step %j : i32 {
      %x = nv_tileas.tiled_load %v[%k] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
      %a = nv_tileaa.mulf %x, %w : !tile
      nv_tileas.tiled_store %a, %v[%k] {nv_tileas.layout = #blocked} : !tile, !view, i32
    }
    gpu.return
  }
  gpu.func @large(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<131072, 0, 232448>} {
    gpu.return
  }

  // A hint stays what it is, but for one CTA, which a kernel has anyway.

  // CHECK-LABEL: gpu.func @hint
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  gpu.func @hint(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_hint
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  gpu.func @no_hint(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 1>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    gpu.return
  }

  // Nor is one that asks for more than the pass would choose changed, as long as tiles fit: 64 of 80
  // registers.

  // CHECK-LABEL: gpu.func @close
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 3>
  gpu.func @close(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.addf %x, %y : !tile
    nv_tileas.tiled_store %a, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // If tiles alone do not fit, it is lowered, and a remark says why; likewise for shared memory, and
  // for threads.

  // CHECK-LABEL: gpu.func @registers
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 4>
  gpu.func @registers(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 5>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %a = nv_tileaa.addf %x, %y : !tile
    nv_tileas.tiled_store %a, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shared
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 3>
  gpu.func @shared(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 4>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<65536, 0, 232448>} {
    gpu.return
  }

  // CHECK-LABEL: gpu.func @threads
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 8>
  gpu.func @threads(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 20>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    gpu.return
  }

  // There is one CTA however many registers its tiles take, and no remark says that a plan of one is
  // not met.

  // CHECK-LABEL: gpu.func @planned
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 1>
  gpu.func @planned(%p: !ptr, %n: i32) kernel attributes {nv_tileas.kernel_plan = #nv_tileas.kernel_plan<occupancy = 1>, nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 1>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 65536>, dimGroups = [[0]]} : !memref -> !nv_tileaa.tiled_view<65536, !nv_tileaa.memref<?xf32, strides = [1]>>
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #large} : !nv_tileaa.tiled_view<65536, !nv_tileaa.memref<?xf32, strides = [1]>>, i32 -> tensor<65536xf32, #large>
    %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #large} : !nv_tileaa.tiled_view<65536, !nv_tileaa.memref<?xf32, strides = [1]>>, i32 -> tensor<65536xf32, #large>
    %a = nv_tileaa.addf %x, %y : tensor<65536xf32, #large>
    nv_tileas.tiled_store %a, %v[%i] {nv_tileas.layout = #large} : tensor<65536xf32, #large>, !nv_tileaa.tiled_view<65536, !nv_tileaa.memref<?xf32, strides = [1]>>, i32
    gpu.return
  }

  // What a loop carries is there while it loads: 96 of 80 registers, so two CTAs.

  // CHECK-LABEL: gpu.func @carried
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  // CHECK-NOT: nv_tileaa.open_registers
  gpu.func @carried(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %zero = arith.constant dense<0.0> : !tile
    %s = scf.for %k = %i to %n step %j iter_args(%c = %zero) -> (!tile) : i32 {
      %x = nv_tileas.tiled_load %v[%k] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
      %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
      %a = nv_tileaa.mulf %x, %y : !tile
      %b = nv_tileaa.addf %a, %c : !tile
      scf.yield %b : !tile
    }
    nv_tileas.tiled_store %s, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }

  // Tiles that are live across a reduction leave some to all else: 64 and 32 of 80.

  // CHECK-LABEL: gpu.func @held
  // CHECK-SAME: #nv_tileaa.kernel_spec<occupancy = 2>
  gpu.func @held(%p: !ptr, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 3>, nv_tileas.num_warps = 8 : i32,
      nv_tileas.shared_memory = #nv_tileas.shared_memory<0, 0, 232448>} {
    %i = arith.constant 0 : i32
    %j = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8192>, dimGroups = [[0]]} : !memref -> !view
    %x = nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %y = nv_tileas.tiled_load %v[%j] {nv_tileas.layout = #blocked} : !view, i32 -> !tile
    %q = nv_tileaa.divf %x, %y : !tile
    %a = nv_tileaa.addf %q, %x : !tile
    nv_tileas.tiled_store %a, %v[%i] {nv_tileas.layout = #blocked} : !tile, !view, i32
    gpu.return
  }
}
}
