// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a},tileas-assign-load-store-layouts,tileas-remove-layout-conversions,tileas-generate-schedule,tileas-materialize-schedule" %s | filecheck %s

// What loads have to stay behind, or before, when other warps do them.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>

gpu.module @m {
  // Each warp waits for other grids by itself.
  gpu.func @grid_wait(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    nv_tileaa.gdc_wait_tko {}
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @grid_wait(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: nv_tileaa.gdc_wait_tko
  // CHECK-NEXT: scf.for
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: nv_tileas.async.dot
  // CHECK: gpu.return

  // What is independent of it does not wait.
  gpu.func @no_wait(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    nv_tileaa.gdc_wait_tko {}
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileaa.independent} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {nv_tileaa.independent} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_wait(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for
  // CHECK-NOT: nv_tileaa.gdc_wait_tko
  // CHECK: } {
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: gpu.return

  // Nobody acquires for other warps: threads load by themselves, behind it.
  gpu.func @acquire(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %f = nv_tileas.load %pf {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32
    %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @acquire(
  // CHECK: nv_tileas.load %pf
  // CHECK-NOT: tma_load
  // CHECK: gpu.return

  // A bound that the kernel changes later is read by all warps before they part.
  gpu.func @bound_changes(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %m = nv_tileas.load %pf {} : !llvm.ptr<1> -> i32
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !llvm.ptr<1>, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_changes(
  // CHECK: %m = nv_tileas.load %pf
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for {{.*}} to %m step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK-NOT: nv_tileas.load %pf
  // CHECK: nv_tileas.store %pf
  // CHECK: gpu.return

  // With the wait for other grids that it is behind.
  gpu.func @bound_behind_wait(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    nv_tileaa.gdc_wait_tko {}
    %m = nv_tileas.load %pf {} : !llvm.ptr<1> -> i32
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !llvm.ptr<1>, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_behind_wait(
  // CHECK: nv_tileaa.gdc_wait_tko
  // CHECK: %m = nv_tileas.load %pf
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: scf.for {{.*}} to %m step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK-NOT: nv_tileaa.gdc_wait_tko
  // CHECK: nv_tileas.store %pf
  // CHECK: gpu.return

  // One that is read in a loop, and changed there, is not read by other warps at another time.
  gpu.func @bound_in_loop(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    scf.for %o = %zero to %n step %one : i32 {
      %m = nv_tileas.load %pf {} : !llvm.ptr<1> -> i32
      %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
        %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
        %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
        %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
        scf.yield %d : tensor<64x32xf32>
      }
      nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
      nv_tileas.store %pf, %one : !llvm.ptr<1>, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound_in_loop(
  // CHECK: nv_tileas.load %pf
  // CHECK-NOT: tma_load
  // CHECK: gpu.return

  // One that it does not change is.
  gpu.func @bound(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %m = nv_tileas.load %pf {nv_tileaa.invariant} : !llvm.ptr<1> -> i32
    %r = scf.for %k = %zero to %m step %one iter_args(%s = %c) -> (tensor<64x32xf32>) : i32 {
      %x = nv_tileas.tiled_load %va[%i, %k] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %vb[%k, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
      %d = nv_tileas.dot %x, %y, %s {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
      scf.yield %d : tensor<64x32xf32>
    }
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    nv_tileas.store %pf, %one : !llvm.ptr<1>, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @bound(
  // CHECK: nv_tileas.async.pipeline.agent_switch
  // CHECK-NEXT: [[M:%.*]] = nv_tileas.load %pf
  // CHECK-NEXT: scf.for {{.*}} to [[M]] step
  // CHECK: atom = #nv_tileas.atom<tma_load>
  // CHECK: } {
  // CHECK: gpu.return

  // A tile has been read before others may be told so.
  gpu.func @release(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pf: !llvm.ptr<1>, %n: i32, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %aa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %aa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %ab = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mb = nv_tileaa.make_memref %ab : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %ac = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %mc = nv_tileaa.make_memref %ac : !llvm.ptr<1> -> !memref1
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    %x = nv_tileas.tiled_load %va[%i, %n] {} : !tiled_view0, i32, i32 -> tensor<64x64xf16>
    %y = nv_tileas.tiled_load %vb[%n, %i] {} : !tiled_view1, i32, i32 -> tensor<64x32xf16>
    nv_tileas.store %pf, %one {mem_semantic = "release", mem_scope = "gpu"} : !llvm.ptr<1>, i32
    %r = nv_tileas.dot %x, %y, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    nv_tileas.tiled_store %r, %vc[%i, %i] {} : tensor<64x32xf32>, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @release(
  // CHECK: } {
  // CHECK: nv_tileas.async.pipeline.consumer_wait
  // CHECK: nv_tileas.store %pf
  // CHECK: nv_tileas.async.dot
  // CHECK: gpu.return
}
