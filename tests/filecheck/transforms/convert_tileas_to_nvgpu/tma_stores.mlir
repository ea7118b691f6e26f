// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s

// Tiles that the tensor memory accelerator stores go through shared memory, as whole TMA tiles.

#large = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#small = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0], [0, 128]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]]>
!ptr = !llvm.ptr<1>
#bounded = #nv_tileaa.bounded<0, ?>
#tma_store = #nv_tileas.atom<tma_store>
!t128x256xf16_large = tensor<128x256xf16, #large>

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view0 = !nv_tileaa.tiled_view<128x256, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<128x256, !memref1>

gpu.module @m {
  gpu.func @boxes(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
    gpu.return
  }
  // Registers of a warpgroup's sums are matrices. Each box has 64 columns, the first coordinate is the
  // innermost one.
  // CHECK-LABEL: gpu.func @boxes(
  // CHECK:      [[FIRST:%.*]] = arith.cmpi eq
  // CHECK:      [[X:%.*]] = arith.constant dense<1.000000e+00> : vector<128xf16>
  // CHECK:      nvvm.fragment.stmatrix [[X]], {{%.*}} {num = 4 : i64} : vector<128xf16>, vector<16x!llvm.ptr<3>>
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK:        [[BOX:%.*]] = llvm.getelementptr inbounds [[BASE:%.*]][0]
  // CHECK:        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP:%.*]], {{%.*}}, [[ROW:%.*]], [[BOX]] : !llvm.ptr, i32, i32, !llvm.ptr<3>
  // CHECK:        [[BOX1:%.*]] = llvm.getelementptr inbounds [[BASE]][16384]
  // CHECK:        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP]], {{%.*}}, [[ROW]], [[BOX1]]
  // CHECK:        [[BOX2:%.*]] = llvm.getelementptr inbounds [[BASE]][32768]
  // CHECK:        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP]], {{%.*}}, [[ROW]], [[BOX2]]
  // CHECK:        [[BOX3:%.*]] = llvm.getelementptr inbounds [[BASE]][49152]
  // CHECK:        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP]], {{%.*}}, [[ROW]], [[BOX3]]
  // CHECK-NEXT:   nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK-NEXT:   nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: }
  // CHECK:      gpu.return

  gpu.func @parts(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref1
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    %x = arith.constant dense<1.0> : tensor<128x256xf32, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : tensor<128x256xf32, #large>, !tiled_view1, i32, i32
    gpu.return
  }
  // 128 KiB are stored in two parts, the second when the copies of the first have read it.
  // CHECK-LABEL: gpu.func @parts(
  // CHECK:      nvvm.fragment.store {{%.*}}, {{%.*}} {alignment = 8 : i64} : vector<64xf32>, vector<32x!llvm.ptr<3>>
  // CHECK-NEXT: nvvm.fence.proxy
  // CHECK-NEXT: gpu.barrier
  // CHECK:        nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if {{%.*}} {
  // CHECK-NEXT:   nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.store {{%.*}}, {{%.*}} {alignment = 8 : i64} : vector<64xf32>, vector<32x!llvm.ptr<3>>
  // CHECK-NEXT: nvvm.fence.proxy
  // CHECK-NEXT: gpu.barrier
  // CHECK:        nvvm.cp.async.bulk.commit.group
  // CHECK:      gpu.return

  gpu.func @loop(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view2
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %zero to %i step %one : i32 {
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #small>
      nv_tileas.tiled_store %x, %v[%k, %j] {atom = #tma_store} : tensor<64x64xf16, #small>, !tiled_view2, i32, i32
    }
    gpu.return
  }
  // Copies go on to the next iteration, which waits for them before it writes the memory that they read.
  // CHECK-LABEL: gpu.func @loop(
  // CHECK:      scf.for
  // CHECK-NEXT:   scf.if {{%.*}} {
  // CHECK-NEXT:     nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT:   }
  // CHECK-NEXT:   gpu.barrier
  // CHECK:        nvvm.fragment.stmatrix
  // CHECK:          nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if {{%.*}} {
  // CHECK-NEXT:   nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-NEXT: }
  // CHECK:      gpu.return

  gpu.func @order(%p: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view2
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #small>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : tensor<64x64xf16, #small>, !tiled_view2, i32, i32
    gpu.barrier
    %y = nv_tileas.tiled_load %v[%i, %i] : !tiled_view2, i32, i32 -> tensor<64x64xf16, #small>
    gpu.return
  }
  // A barrier between accesses to global memory is for copies, too.
  // CHECK-LABEL: gpu.func @order(
  // CHECK:        nvvm.cp.async.bulk.commit.group
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if {{%.*}} {
  // CHECK-NEXT:   nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load
  // CHECK:      gpu.return
  gpu.func @read_then_written(%p: !ptr, %flag: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
    %z = nv_tileas.convert_layout %x : !t128x256xf16_large -> tensor<128x256xf16, #rows>
    gpu.barrier
    gpu.return
  }
  // An exchange waits until copies have read scratch memory; a barrier for global memory still has to
  // wait until they have written.
  // CHECK-LABEL: gpu.func @read_then_written(
  // CHECK:      nvvm.cp.async.bulk.commit.group
  // CHECK:        nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK:        nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK-NEXT: gpu.barrier
  // CHECK:      gpu.return

  gpu.func @released(%p: !ptr, %flag: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
    %z = nv_tileas.convert_layout %x : !t128x256xf16_large -> tensor<128x256xf16, #rows>
    nv_tileas.store %flag, %one {mem_semantic = "release", mem_scope = "gpu"} : !ptr, i32
    gpu.return
  }
  // So does a release.
  // CHECK-LABEL: gpu.func @released(
  // CHECK:      nvvm.cp.async.bulk.commit.group
  // CHECK:        nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK:        nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK-NEXT: }
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.store {{.*}}semantic = "release"
  // CHECK:      gpu.return

  gpu.func @issued_in_branch(%p: !ptr, %flag: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    %b = arith.cmpi eq, %i, %zero : i32
    scf.if %b {
      nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
      %z = nv_tileas.convert_layout %x : !t128x256xf16_large -> tensor<128x256xf16, #rows>
    }
    gpu.barrier
    gpu.barrier
    gpu.return
  }
  // Where copies were issued in a branch, once.
  // CHECK-LABEL: gpu.func @issued_in_branch(
  // CHECK:      nvvm.cp.async.bulk.commit.group
  // CHECK:        nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK:      nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK-NOT:  nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK:      gpu.return

  gpu.func @iterations(%p: !ptr, %flag: !ptr, %i0: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    scf.for %k = %zero to %i step %one : i32 {
      gpu.barrier
      nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
      %z = nv_tileas.convert_layout %x : !t128x256xf16_large -> tensor<128x256xf16, #rows>
    }
    gpu.return
  }
  // And in the iteration before.
  // CHECK-LABEL: gpu.func @iterations(
  // CHECK:      scf.for
  // CHECK:        nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK:        nvvm.cp.async.bulk.commit.group
  // CHECK:      gpu.return
  // Rows before the tensor, which TMA cannot store to, are rows far behind it.
  gpu.func @perhaps_before(%p: !ptr, %i: i32, %j0: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %j = nv_tileaa.assume %j0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @perhaps_before(
  // CHECK:      [[FIRST:%.*]] = arith.cmpi eq
  // CHECK:      gpu.barrier
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK:        [[ROW:%.*]] = arith.minui
  // CHECK-NEXT:   nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile {{%.*}}, {{%.*}}, [[ROW]], {{%.*}}
  // CHECK:      gpu.return

  // What lies left of it is not stored at all.
  gpu.func @perhaps_left(%p: !ptr, %i0: i32, %j: i32) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %i = nv_tileaa.assume %i0 {predicate = #bounded} : i32
    %c = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 128, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<128x256xf16, #large>
    nv_tileas.tiled_store %x, %v[%i, %j] {atom = #tma_store} : !t128x256xf16_large, !tiled_view0, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @perhaps_left(
  // CHECK:      [[FIRST:%.*]] = arith.cmpi eq
  // CHECK:      gpu.barrier
  // CHECK-NEXT: scf.if [[FIRST]] {
  // CHECK:        [[INSIDE:%.*]] = arith.cmpi sge
  // CHECK-NEXT:   scf.if [[INSIDE]] {
  // CHECK:          nvvm.cp.async.bulk.tensor.{{.*}}.global.shared.cta.tile
  // CHECK:        }
  // CHECK-NEXT:   nvvm.cp.async.bulk.commit.group
  // CHECK:      gpu.return
}
