// RUN: tileiras-opt -p "tileas-coarsen-thread-blocks" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-coarsen-thread-blocks{enable=false}" %s | filecheck %s --check-prefix DISABLED

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "TensorCore", "", "product", "CTAs compute two tile blocks at once that need the same tiles of 32x128", ""

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

builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @kernels {

    // Tile blocks that follow each other along x have a column of tiles in common.
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
    // CHECK: nv_tileas.coarsened
    // Full rounds of pairs, or half as many as there are tile blocks.
    // CHECK: arith.addi %total, %ctas : i32
    // CHECK: [[ROUNDS:%.*]] = arith.divui {{.*}} : i32
    // CHECK: arith.divui %total, {{%.*}} : i32
    // CHECK: [[FULL:%.*]] = arith.muli [[ROUNDS]], %ctas : i32
    // CHECK-NEXT: [[PAIRS:%.*]] = arith.minsi [[FULL]], {{%.*}} : i32
    // And one unit more, with all single tile blocks.
    // CHECK: [[BEHIND:%.*]] = arith.addi [[PAIRS]], %ctas : i32
    // CHECK-NEXT: [[END:%.*]] = arith.minsi [[BEHIND]], %total : i32
    // CHECK-NEXT: scf.for [[UNIT:%.*]] = %id to [[END]] step %ctas : i32 {
    // CHECK: [[IN_PAIRS:%.*]] = arith.cmpi slt, [[UNIT]], [[PAIRS]] : i32
    // CHECK-NEXT: [[SAME:%.*]] = scf.if [[IN_PAIRS]] -> (i1) {
    // CHECK: arith.cmpi eq, [[Y0:%.*]], [[Y1:%.*]] : i32
    // CHECK: scf.if [[SAME]] {
    // Both at once: one load of operand B.
    // CHECK-NEXT: [[ONE:%.*]] = nv_tileaa.assume [[FIRST:%.*]] {predicate = #nv_tileaa.bounded<0, 2147483647>} : i32
    // CHECK: [[X:%.*]] = arith.remsi [[ONE]], %gx
    // CHECK: [[Y:%.*]] = arith.divsi [[ONE]], %gx
    // CHECK: [[SECOND:%.*]] = nv_tileaa.assume
    // CHECK: [[X1:%.*]] = arith.remsi [[SECOND]], %gx
    // CHECK: [[Y1:%.*]] = arith.divsi [[SECOND]], %gx
    // CHECK: scf.for [[I:%.*]] = %zero to %steps step %one iter_args([[P0:%.*]] = %start, [[P1:%.*]] = %start)
    // CHECK: %tile_a = nv_tileas.tiled_load %va[[[X]], [[I]]]
    // CHECK: %tile_b = nv_tileas.tiled_load %vb[[[I]], [[Y]]]
    // CHECK: nv_tileas.dot %tile_a, %tile_b, [[P0]]
    // CHECK: [[A1:%.*]] = nv_tileas.tiled_load %va[[[X1]], [[I]]]
    // CHECK-NOT: nv_tileas.tiled_load
    // CHECK: nv_tileas.dot [[A1]], %tile_b, [[P1]]
    // CHECK: nv_tileas.tiled_store {{%.*}}, %vc[[[X]], [[Y]]]
    // CHECK: nv_tileas.tiled_store {{%.*}}, %vc[[[X1]], [[Y1]]]
    // CHECK: } else {
    // Those of a pair, or all single ones, one after the other: each computes its coordinates where
    // it uses them.
    // CHECK: [[SINGLE:%.*]] = arith.addi [[UNIT]], [[PAIRS]] : i32
    // CHECK-NEXT: [[FROM:%.*]] = arith.select [[IN_PAIRS]], [[FIRST]], [[SINGLE]] : i32
    // CHECK: [[TO:%.*]] = arith.select [[IN_PAIRS]], {{%.*}}, %total : i32
    // CHECK-NEXT: [[STEP:%.*]] = arith.select [[IN_PAIRS]], {{%.*}}, %ctas : i32
    // CHECK-NEXT: scf.for [[N:%.*]] = [[FROM]] to [[TO]] step [[STEP]] : i32 {
    // CHECK: [[X2:%.*]] = arith.remsi [[N]], %gx
    // CHECK: [[Y2:%.*]] = arith.divsi [[N]], %gx
    // CHECK: nv_tileas.tiled_load %va[[[X2]], %i]
    // CHECK: nv_tileas.tiled_load %vb[%i, [[Y2]]]
    // CHECK: nv_tileas.tiled_store {{%.*}}, %vc[[[X2]], [[Y2]]]
    // CHECK-NEXT: } {nvgpu.no_wrap, nv_tileas.uncoarsened}

    // Disabled.
    // DISABLED-LABEL: gpu.func @product
    // DISABLED-NOT: nv_tileas.coarsened
    // DISABLED: scf.for %number = %id to %total step %ctas : i32 {

    // A loop that `tileas-dynamic-persistent` has not made.
    gpu.func @other(%n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
      } {nvgpu.no_wrap}
      gpu.return
    }
    // CHECK-LABEL: gpu.func @other(%n: i32) kernel {
  }
}
