// RUN: tileiras-opt -p "tileas-stream-k" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-coarsen-tile-blocks,tileas-stream-k" %s | filecheck %s --check-prefix PAIRS

!memref = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!view_a = !nv_tileaa.tiled_view<128x32, !memref>
!view_b = !nv_tileaa.tiled_view<32x128, !memref>
!view_c = !nv_tileaa.tiled_view<128x128, !memref>
#sum = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#left = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#right = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]]>
!sum = tensor<128x128xf32, #sum>
!out = tensor<128x128xf16, #sum>
!left = tensor<128x32xf16, #left>
!right = tensor<32x128xf16, #right>
#wgmma = #nv_tileas.atom<mma.sm90>
#tma_store = #nv_tileas.atom<tma_store>

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @kernels {

    gpu.func @product(%a0: !llvm.ptr<1>, %b0: !llvm.ptr<1>, %c0: !llvm.ptr<1>, %m: i32, %n0: i32, %k0: i32, %gx: i32, %total: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32, nvgpu.persistent = 1 : i32} {
      %a = nv_tileaa.assume %a0 {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %b = nv_tileaa.assume %b0 {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %c = nv_tileaa.assume %c0 {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %n1 = nv_tileaa.assume %n0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
      %k1 = nv_tileaa.assume %k0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
      %n = nv_tileaa.assume %n1 {predicate = #nv_tileaa.div_by<8>} : i32
      %k = nv_tileaa.assume %k1 {predicate = #nv_tileaa.div_by<8>} : i32
      %tensor_a = nv_tileaa.make_memref %a sizes(%m, %k : i32, i32) strides(%k : i32) : !llvm.ptr<1> -> !memref
      %tensor_b = nv_tileaa.make_memref %b sizes(%k, %n : i32, i32) strides(%n : i32) : !llvm.ptr<1> -> !memref
      %tensor_c = nv_tileaa.make_memref %c sizes(%m, %n : i32, i32) strides(%n : i32) : !llvm.ptr<1> -> !memref
      %va = nv_tileaa.block_tile %tensor_a {tileSizes = array<i64: 128, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view_a
      %vb = nv_tileaa.block_tile %tensor_b {tileSizes = array<i64: 32, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view_b
      %vc = nv_tileaa.block_tile %tensor_c {tileSizes = array<i64: 128, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view_c
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %steps_m, %steps = nv_tileaa.get_index_space_shape %va : !view_a -> i32, i32
      %f0 = arith.constant 0.000000e+00 : f32
      %id0 = gpu.block_id x
      %ctas0 = gpu.grid_dim x
      %id = arith.index_cast %id0 : index to i32
      %ctas = arith.index_cast %ctas0 : index to i32
      scf.for %number = %id to %total step %ctas : i32 {
        %x = arith.remsi %number, %gx : i32
        %y = arith.divsi %number, %gx : i32
        %start = nv_tileaa.splat %f0 : f32 to !sum
        %sum = scf.for %i = %zero to %steps step %one iter_args(%partial = %start) -> (!sum) : i32 {
          %tile_a = nv_tileas.tiled_load %va[%x, %i] {nv_tileaa.independent} : !view_a, i32, i32 -> !left
          %tile_b = nv_tileas.tiled_load %vb[%i, %y] {nv_tileaa.independent} : !view_b, i32, i32 -> !right
          %next = nv_tileas.dot %tile_a, %tile_b, %partial {atom = #wgmma} : !left, !right, !sum
          scf.yield %next : !sum
        }
        %narrow = nv_tileaa.fp_to_fp %sum : !sum to !out
        nv_tileas.tiled_store %narrow, %vc[%x, %y] {atom = #tma_store} : !out, !view_c, i32, i32
      } {nvgpu.no_wrap}
      gpu.return
    }
    // CHECK-LABEL: gpu.func @product
    // CHECK: %workspace: !llvm.ptr<1>,
    // CHECK: %idle_ctas: i32) kernel
    // CHECK: nvgpu.workspace = 65536 : i64
    // CHECK: nv_tileas.stream_k
    // Only if the iterations that CTAs are spared are worth it.
    // CHECK: [[SPARED:%.*]] = arith.muli %idle_ctas, {{%.*}} : i32
    // CHECK: [[PAYS:%.*]] = arith.cmpi sge, [[SPARED]], {{%.*}} : i32
    // CHECK: [[MAY:%.*]] = arith.andi {{%.*}}, [[PAYS]] : i1
    // CHECK: [[END:%.*]], [[DIVIDED:%.*]], [[NEXT:%.*]], [[HEAD:%.*]], [[TAIL:%.*]], [[CUTS:%.*]] = scf.if [[MAY]]
    // CHECK: scf.for [[UNIT:%.*]] = %id to [[END]] step %ctas iter_args([[PART:%.*]] = [[NEXT]]) -> (i32) : i32 {
    // CHECK: [[WHOLE:%.*]] = arith.cmpi slt, [[UNIT]], [[DIVIDED]] : i32
    // CHECK-NEXT: [[NUMBER:%.*]] = arith.select [[WHOLE]], [[UNIT]], [[PART]] : i32
    // CHECK: [[N:%.*]] = nv_tileaa.assume [[NUMBER]]
    // CHECK: %x = arith.remsi [[N]], %gx : i32
    // CHECK: %y = arith.divsi [[N]], %gx : i32
    // CHECK: [[RESUMES:%.*]] = arith.cmpi eq, [[N]], [[TAIL]] : i32
    // CHECK: [[STOPS:%.*]] = arith.cmpi eq, [[N]], [[HEAD]] : i32
    // CHECK: [[INIT:%.*]] = scf.if [[RESUMES]] -> ({{.*}}) {
    // Tiles of CTAs are behind all flags.
    // CHECK: [[BYTES:%.*]] = arith.constant 65536 : i64
    // CHECK-NEXT: [[OFFSET:%.*]] = arith.muli [[INDEX:%.*]], [[BYTES]] : i64
    // CHECK-NEXT: [[FLAG_BYTES:%.*]] = arith.constant 1024 : i64
    // CHECK-NEXT: [[FLAG_OFFSET:%.*]] = arith.muli [[INDEX]], [[FLAG_BYTES]] : i64
    // CHECK-NEXT: [[ALL_FLAGS:%.*]] = arith.constant 1048576 : i64
    // CHECK-NEXT: [[BEHIND:%.*]] = arith.addi [[OFFSET]], [[ALL_FLAGS]] : i64
    // CHECK-NEXT: [[SLOT:%.*]] = nv_tileaa.addptr %workspace, [[BEHIND]]
    // CHECK-NEXT: [[FLAGS:%.*]] = nv_tileaa.addptr %workspace, [[FLAG_OFFSET]]
    // CHECK-NEXT: [[GIVEN:%.*]] = nv_tileas.workspace_load [[SLOT]], [[FLAGS]]
    // CHECK-NEXT: scf.yield [[GIVEN]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %start
    // CHECK: [[LAST:%.*]] = arith.select [[STOPS]], {{%.*}}, %steps : i32
    // CHECK-NEXT: %sum = scf.for %i = {{%.*}} to [[LAST]] step %one iter_args(%partial = [[INIT]])
    // CHECK: scf.if [[STOPS]] {
    // CHECK: nv_tileas.workspace_store {{%.*}}, {{%.*}}, %sum
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %narrow = nv_tileaa.fp_to_fp %sum
    // CHECK-NEXT: nv_tileas.tiled_store %narrow, %vc[%x, %y]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield
    // CHECK-NEXT: } {nvgpu.no_wrap}

    // Whole tile blocks are computed in pairs, behind which CTAs share single ones.
    // PAIRS-LABEL: gpu.func @product
    // PAIRS: nv_tileas.stream_k
    // PAIRS: [[END:%.*]], [[DIVIDED:%.*]], [[NEXT:%.*]], [[HEAD:%.*]], [[TAIL:%.*]], [[CUTS:%.*]] = scf.if
    // PAIRS: arith.minsi %total, [[DIVIDED]] {nv_tileas.paired_tile_blocks} : i32
    // PAIRS: scf.for [[UNIT:%.*]] = %id to {{%.*}} step %ctas : i32 {
    // PAIRS: [[IN_PAIRS:%.*]] = arith.cmpi slt, [[UNIT]], {{%.*}} : i32
    // PAIRS-NOT: workspace_store
    // PAIRS: } else {
    // PAIRS: [[FROM:%.*]] = arith.select [[IN_PAIRS]], {{%.*}}, {{%.*}} : i32
    // PAIRS: [[TO:%.*]] = arith.select [[IN_PAIRS]], {{%.*}}, [[END]] : i32
    // PAIRS: scf.for [[SINGLE:%.*]] = [[FROM]] to [[TO]] step {{%.*}} iter_args([[PART:%.*]] = [[NEXT]]) -> (i32) : i32 {
    // PAIRS-NEXT: [[WHOLE:%.*]] = arith.cmpi slt, [[SINGLE]], [[DIVIDED]] : i32
    // PAIRS: nv_tileas.workspace_load
    // PAIRS: nv_tileas.workspace_store
    // PAIRS: } {nvgpu.no_wrap, nv_tileas.single_tile_blocks}

    // There is nothing to hand over.
    gpu.func @unused(%a0: !llvm.ptr<1>, %m: i32, %k: i32, %total: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32, nvgpu.persistent = 1 : i32} {
      %a = nv_tileaa.assume %a0 {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tensor = nv_tileaa.make_memref %a sizes(%m, %k : i32, i32) strides(%k : i32) : !llvm.ptr<1> -> !memref
      %va = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 128, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view_a
      %vb = nv_tileaa.block_tile %tensor {tileSizes = array<i64: 32, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memref -> !view_b
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %f0 = arith.constant 0.000000e+00 : f32
      %start = nv_tileaa.splat %f0 : f32 to !sum
      %id0 = gpu.block_id x
      %ctas0 = gpu.grid_dim x
      %id = arith.index_cast %id0 : index to i32
      %ctas = arith.index_cast %ctas0 : index to i32
      scf.for %number = %id to %total step %ctas : i32 {
        scf.for %i = %zero to %k step %one : i32 {
          %tile_a = nv_tileas.tiled_load %va[%number, %i] {nv_tileaa.independent} : !view_a, i32, i32 -> !left
          %tile_b = nv_tileas.tiled_load %vb[%i, %number] {nv_tileaa.independent} : !view_b, i32, i32 -> !right
          %next = nv_tileas.dot %tile_a, %tile_b, %start {atom = #wgmma} : !left, !right, !sum
        }
      } {nvgpu.no_wrap}
      gpu.return
    }
    // CHECK-LABEL: gpu.func @unused
    // CHECK: nv_tileas.whole_tile_blocks = "the main loop carries nothing"

    // A persistent kernel whose CTAs do not take tile blocks in rounds.
    gpu.func @other(%n: i32) kernel attributes {nvgpu.persistent = 1 : i32} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
      } {nvgpu.no_wrap}
      gpu.return
    }
    // CHECK-LABEL: gpu.func @other(%n: i32)
    // CHECK: nv_tileas.whole_tile_blocks = "CTAs do not take tile blocks in rounds"
  }
}
