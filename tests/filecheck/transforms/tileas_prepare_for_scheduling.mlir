// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a},tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-prepare-for-scheduling" %s | filecheck %s

// What is loaded behind a loop of products: in the layout of the sums, and before the loop.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
!tiled_view3 = !nv_tileaa.tiled_view<64x256, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x256, !memref1>

gpu.module @m {
  // A tile that is added to the sums is loaded as these lie, two elements at a time, before the loop.
  gpu.func @moved(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    %e = nv_tileas.tiled_load %vc[%i, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK: #mma0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [8, 0]
  // CHECK: #blocked0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [0, 2]
  // CHECK-LABEL: gpu.func @moved(
  // CHECK: nv_tileas.tiled_load %vc{{.*}}{nv_tileas.layout = #mma0
  // CHECK-NEXT: -> tensor<64x32xf16, #mma0>
  // CHECK-NEXT: scf.for
  // CHECK-NOT: nv_tileas.convert_layout
  // CHECK: gpu.return

  // A sum that is scaled before a product adds to it is scaled before the other product begins.
  gpu.func @scaled(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %half = arith.constant dense<0.5> : tensor<64x32xf32>
    %r, %o = scf.for %k = %zero to %n step %one iter_args(%s = %c, %u = %c) -> (tensor<64x32xf32>, tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      %w = nv_tileas.tiled_load %vb[%k, %one] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %v = nv_tileaa.mulf %u, %half : tensor<64x32xf32>
      %e = nv_tileas.dot %x, %w, %v {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d, %e : tensor<64x32xf32>, tensor<64x32xf32>
    }
    %z = nv_tileaa.addf %r, %o : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @scaled(
  // CHECK: scf.for
  // CHECK: [[SCALED:%.*]] = nv_tileaa.mulf %u
  // CHECK-NEXT: nv_tileas.dot %x, %y, %s
  // CHECK-NOT: nv_tileaa.mulf
  // CHECK: nv_tileas.dot %x, %w, [[SCALED]]
  // CHECK: gpu.return

  // Threads have registers for two such tiles beside the sums, but not for a third one.
  gpu.func @large(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view4
    %c = arith.constant dense<0.0> : tensor<64x256xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x256xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view3, i32, i32 -> tensor<64x256xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x256xf16>, tensor<64x256xf32>
      scf.yield %d : tensor<64x256xf32>
    }
    %e0 = nv_tileas.tiled_load %vc[%i, %zero] {} : !tiled_view4, i32, i32 -> tensor<64x256xf32>
    %z0 = nv_tileaa.addf %r, %e0 : tensor<64x256xf32>
    %e1 = nv_tileas.tiled_load %vc[%i, %one] {} : !tiled_view4, i32, i32 -> tensor<64x256xf32>
    %z1 = nv_tileaa.addf %z0, %e1 : tensor<64x256xf32>
    %e2 = nv_tileas.tiled_load %vc[%i, %i] {} : !tiled_view4, i32, i32 -> tensor<64x256xf32>
    %z2 = nv_tileaa.addf %z1, %e2 : tensor<64x256xf32>
    nv_tileas.tiled_store %z2, %vd[%i, %i] {} : tensor<64x256xf32>, !tiled_view4, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @large(
  // CHECK: %e0 = nv_tileas.tiled_load
  // CHECK-NEXT: in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #mma2>
  // CHECK-NEXT: %e1 = nv_tileas.tiled_load
  // CHECK-NEXT: in_bounds = array<i1: false, true>} : !tiled_view4, i32, i32 -> tensor<64x256xf32, #mma2>
  // CHECK-NEXT: scf.for
  // CHECK: scf.yield
  // CHECK: %e2 = nv_tileas.tiled_load
  // CHECK: gpu.return

  // What a store may have changed is not loaded before the loop.
  gpu.func @written(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %c, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    %e = nv_tileas.tiled_load %vc[%i, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @written(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: nv_tileas.tiled_store
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // It stays behind a store before the loop.
  gpu.func @written_before(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    nv_tileas.tiled_store %c, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileaa.independent} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    %e = nv_tileas.tiled_load %vc[%i, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @written_before(
  // CHECK: nv_tileas.tiled_store
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: scf.for
  // CHECK: gpu.return

  // Nor is what is loaded from where is known only behind it.
  gpu.func @decided(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %r, %last = scf.for %k = %zero to %n step %one iter_args(%s = %c, %l = %zero) -> (tensor<64x32xf32>, i32) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d, %k : tensor<64x32xf32>, i32
    }
    %later = arith.addi %last, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @decided(
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: %later
  // CHECK: nv_tileas.tiled_load %vc
  // CHECK: gpu.return

  // What its place is computed from comes along.
  gpu.func @computed(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    %later = arith.addi %i, %one : i32
    %e = nv_tileas.tiled_load %vc[%i, %later] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @computed(
  // CHECK: %later
  // CHECK-NEXT: nv_tileas.tiled_load %vc
  // CHECK-NEXT: -> tensor<64x32xf16, #mma0>
  // CHECK-NEXT: scf.for
  // CHECK: gpu.return

  // A tile that is used twice keeps its layout.
  gpu.func @twice(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref0
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ad = nv_tileaa.assume %pd {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %md = nv_tileaa.make_memref %ad : !llvm.ptr<1> -> !memref1
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    %e = nv_tileas.tiled_load %vc[%i, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    %w = nv_tileaa.fp_to_fp %e : tensor<64x32xf16> to tensor<64x32xf32>
    %z = nv_tileaa.addf %r, %w : tensor<64x32xf32>
    nv_tileas.tiled_store %z, %vd[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    nv_tileas.tiled_store %e, %vc[%i, %i] {} : tensor<64x32xf16>, !tiled_view1, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @twice(
  // CHECK: nv_tileas.tiled_load %vc{{.*}}{nv_tileas.layout = #blocked0
  // CHECK: scf.for
  // CHECK: nv_tileas.convert_layout
  // CHECK: gpu.return
}
