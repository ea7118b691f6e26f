// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// Atomics on tiles that the tensor memory accelerator does go through shared memory, as whole TMA tiles.

#acc = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#half = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!ptr = !llvm.ptr<1>
#bounded = #nv_tileaa.bounded<0, ?>
#tma_redg = #nv_tileas.atom<tma_redg>

!memref0 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref2 = !nv_tileaa.memref<1024x1024xi32, strides = [1024, 1]>
!memref3 = !nv_tileaa.memref<1024x1024xi64, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x64, !memref1>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref2>
!tiled_view3 = !nv_tileaa.tiled_view<64x32, !memref3>

gpu.module @m {
  gpu.func @sums(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view0, tensor<64x64xf32, #acc>, i32, i32
    gpu.return
  }
  // Each box has 32 columns; the kernel ends when they have been read.
  // CHECK-LABEL: gpu.func @sums(
  // CHECK:      nvvm.fragment.store {{%.*}}, {{%.*}} {alignment = 8 : i64} : vector<32xf32>, vector<16x!llvm.ptr<3>>
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.if [[FIRST:%.*]] {
  // CHECK:        [[BOX:%.*]] = llvm.getelementptr inbounds [[BASE:%.*]][0]
  // CHECK:        nvvm.cp.async.bulk.tensor.reduce [[MAP:%.*]], {{%.*}}, [[ROW:%.*]], [[BOX]] {red_op = #nvvm.tma_redux_kind<add>} : !llvm.ptr, i32, i32, !llvm.ptr<3>
  // CHECK:        [[BOX1:%.*]] = llvm.getelementptr inbounds [[BASE]][8192]
  // CHECK:        nvvm.cp.async.bulk.tensor.reduce [[MAP]], {{%.*}}, [[ROW]], [[BOX1]] {red_op = #nvvm.tma_redux_kind<add>}
  // CHECK-NEXT:   nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK-NEXT:   nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: }
  // CHECK:      gpu.return

  gpu.func @loop(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref1
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #acc>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %zero to %i step %one : i32 {
      nv_tileas.tiled_atomic_rmw %v[%k, %j], %x {atom = #tma_redg, rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view1, tensor<64x64xf16, #acc>, i32, i32
    }
    gpu.return
  }
  // Elements of 16 bits are written as matrices. The next iteration waits before it writes again.
  // CHECK-LABEL: gpu.func @loop(
  // CHECK:      scf.for
  // CHECK-NEXT:   scf.if {{%.*}} {
  // CHECK-NEXT:     nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT:   }
  // CHECK-NEXT:   gpu.barrier
  // CHECK:        nvvm.fragment.stmatrix
  // CHECK:          nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<add>}
  // CHECK:      gpu.return

  gpu.func @and_i32(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref2
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %x = arith.constant dense<1> : tensor<64x32xi32, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view2, tensor<64x32xi32, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @and_i32(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<and>}
  // CHECK:      gpu.return

  gpu.func @or_i32(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref2
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %x = arith.constant dense<1> : tensor<64x32xi32, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view2, tensor<64x32xi32, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @or_i32(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<or>}
  // CHECK:      gpu.return

  gpu.func @xor_i64(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref3
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view3
    %x = arith.constant dense<1> : tensor<64x32xi64, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "xor", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view3, tensor<64x32xi64, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @xor_i64(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<xor>}
  // CHECK:      gpu.return

  gpu.func @umax_i32(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref2
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %x = arith.constant dense<1> : tensor<64x32xi32, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "umax", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view2, tensor<64x32xi32, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @umax_i32(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<max>}
  // CHECK:      gpu.return

  gpu.func @umin_i64(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref3
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view3
    %x = arith.constant dense<1> : tensor<64x32xi64, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "umin", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view3, tensor<64x32xi64, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @umin_i64(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<min>}
  // CHECK:      gpu.return

  gpu.func @add_i64(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref3
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view3
    %x = arith.constant dense<1> : tensor<64x32xi64, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "tl_blk"} : !tiled_view3, tensor<64x32xi64, #half>, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @add_i64(
  // CHECK:      nvvm.cp.async.bulk.tensor.reduce {{.*}} {red_op = #nvvm.tma_redux_kind<add>}
  // CHECK:      gpu.return

  gpu.func @signed(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref2
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %x = arith.constant dense<1> : tensor<64x32xi32, #half>
    nv_tileas.tiled_atomic_rmw %v[%i, %j], %x {atom = #tma_redg, rmw_mode = "max", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view2, tensor<64x32xi32, #half>, i32, i32
    gpu.return
  }
  // Maps have no integers with a sign: threads do it.
  // CHECK-NOT:  nvvm.cp.async.bulk.tensor.reduce
  // CHECK-LABEL: gpu.func @signed(
  // CHECK:      nvvm.fragment.atomicrmw {{.*}} {bin_op = "max"
  // CHECK:      gpu.return
}
