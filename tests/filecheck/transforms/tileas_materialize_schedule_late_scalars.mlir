// RUN: tileiras-opt -p "tileas-materialize-schedule" %s | filecheck %s

// What only the store needs is computed behind the loop, before its last products are waited for;
// what the producer needs stays where it was.

!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!memref1 = !nv_tileaa.memref<1024x1024xf32, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#blocked1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
!memref2 = !nv_tileaa.memref<1x1024xf32, strides = [1024, 1]>
!tiled_view3 = !nv_tileaa.tiled_view<1x32, !memref2>
#slice0 = #nv_tileas.layout<register = [[0, 1], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

gpu.module @m {
  gpu.func @gemm(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32, %tiles: i32, %width: i32) kernel attributes {
      nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
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
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %t = %zero to %tiles step %one : i32 {
      %i = nv_tileaa.divi %t, %width : i32
      %j = nv_tileaa.remi %t, %width : i32
      %end = nv_tileaa.addi %i, %n : i32
      %r = scf.for %k = %zero to %end step %one iter_args(%s = %c) -> (tensor<64x32xf32, #mma0>) : i32 {
        %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> tensor<64x64xf16, #blocked0>
        %y = nv_tileas.tiled_load %vb[%k, %j] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
        %x_1 = nv_tileas.convert_layout %x : tensor<64x64xf16, #blocked0> -> tensor<64x64xf16, #mma1>
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} :
            tensor<64x64xf16, #mma1>, tensor<64x32xf16, #blocked1>, tensor<64x32xf32, #mma0>
        scf.yield %d : tensor<64x32xf32, #mma0>
      }
      nv_tileas.tiled_store %r, %vc[%i, %j] {atom = #nv_tileas.atom<tma_store>} : tensor<64x32xf32, #mma0>, !tiled_view2, i32, i32
      scf.yield
    }
    gpu.return
  }

  gpu.func @bias(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %pd: !llvm.ptr<1>, %n: i32, %tiles: i32, %width: i32) kernel attributes {
      nv_tileas.num_warps = 4 : i32, nv_tileas.schedule = #nv_tileas.schedule<stages = [10], producer_warps = 1>} {
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
    %md = nv_tileaa.make_memref %pd : !llvm.ptr<1> -> !memref2
    %vd = nv_tileaa.block_tile %md {tileSizes = array<i64: 1, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view3
    %c = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #mma0>
    scf.for %t = %zero to %tiles step %one : i32 {
      %i = nv_tileaa.divi %t, %width : i32
      %j = nv_tileaa.remi %t, %width : i32
      %e = nv_tileas.tiled_load %vd[%zero, %j] {nv_tileaa.independent, nv_tileas.layout = #slice0} : !tiled_view3, i32, i32 -> tensor<1x32xf32, #slice0>
      %f = nv_tileas.tiled_load %vd[%zero, %i] {nv_tileas.layout = #slice0} : !tiled_view3, i32, i32 -> tensor<1x32xf32, #slice0>
      %g = nv_tileas.tiled_load %vd[%zero, %i] {nv_tileaa.independent, nv_tileas.layout = #slice0} : !tiled_view3, i32, i32 -> tensor<1x32xf32, #slice0>
      %end = nv_tileaa.addi %i, %n : i32
      %r = scf.for %k = %zero to %end step %one iter_args(%s = %c) -> (tensor<64x32xf32, #mma0>) : i32 {
        %x = nv_tileas.tiled_load %va[%i, %k] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view0, i32, i32 -> tensor<64x64xf16, #blocked0>
        %y = nv_tileas.tiled_load %vb[%k, %j] {nv_tileas.layout = #blocked1, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
            nv_tileas.pipe = #nv_tileas.pipe<0>} : !tiled_view1, i32, i32 -> tensor<64x32xf16, #blocked1>
        %x_1 = nv_tileas.convert_layout %x : tensor<64x64xf16, #blocked0> -> tensor<64x64xf16, #mma1>
        %d = nv_tileas.dot %x_1, %y, %s {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, atom = #nv_tileas.atom<mma.sm90>} :
            tensor<64x64xf16, #mma1>, tensor<64x32xf16, #blocked1>, tensor<64x32xf32, #mma0>
        scf.yield %d : tensor<64x32xf32, #mma0>
      }
      %ef = nv_tileaa.addf %e, %f : tensor<1x32xf32, #slice0>
      %efg = nv_tileaa.addf %ef, %g : tensor<1x32xf32, #slice0>
      %b = nv_tileaa.broadcast %efg : tensor<1x32xf32, #slice0> -> tensor<64x32xf32, #mma0>
      %q = nv_tileaa.addf %r, %b : tensor<64x32xf32, #mma0>
      nv_tileas.tiled_store %q, %vc[%i, %j] {atom = #nv_tileas.atom<tma_store>} : tensor<64x32xf32, #mma0>, !tiled_view2, i32, i32
      scf.yield
    }
    gpu.return
  }
}

// CHECK: nv_tileas.async.pipeline.agent_switch
// CHECK: scf.for
// CHECK-NEXT: nv_tileaa.divi
// CHECK-NEXT: nv_tileaa.remi
// CHECK: nv_tileas.tiled_load
// CHECK: } {
// CHECK: scf.for
// CHECK-NEXT: [[I:%.*]] = nv_tileaa.divi
// CHECK-NEXT: nv_tileaa.addi [[I]], %n
// CHECK-NEXT: nv_tileas.async.to_async
// CHECK: [[D:%.*]], {{%.*}}, {{%.*}} = scf.for
// CHECK: nv_tileas.async.dot
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: [[J:%.*]] = nv_tileaa.remi
// CHECK-NEXT: [[R:%.*]] = nv_tileas.async.future_wait [[D]]
// CHECK: nv_tileas.tiled_store [[R]], %vc{{\[}}[[I]], [[J]]]

// A few elements are loaded there, too, if nothing else needs the division that says where they are.
// CHECK-LABEL: gpu.func @bias(
// CHECK: arith.constant dense
// CHECK-NEXT: scf.for
// CHECK-NEXT: [[DIV:%.*]] = nv_tileaa.divi
// CHECK-NEXT: [[F:%.*]] = nv_tileas.tiled_load %vd{{\[}}%zero, [[DIV]]] {nv_tileas.layout
// CHECK-NEXT: [[G:%.*]] = nv_tileas.tiled_load %vd{{\[}}%zero, [[DIV]]] {nv_tileaa.independent
// CHECK-NEXT: nv_tileaa.addi [[DIV]], %n
// CHECK: nv_tileas.async.dot
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: [[REM:%.*]] = nv_tileaa.remi
// CHECK-NEXT: [[E:%.*]] = nv_tileas.tiled_load %vd{{\[}}%zero, [[REM]]] {nv_tileaa.independent
// CHECK-NEXT: nv_tileas.async.future_wait
// CHECK: nv_tileaa.addf [[E]], [[F]]
