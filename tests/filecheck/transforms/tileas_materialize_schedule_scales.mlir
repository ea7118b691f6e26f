// RUN: tileiras-opt -p tileas-materialize-schedule %s | filecheck %s

// Scales of a block-scaled dot are loaded three iterations before threads write them for the MMA
// agent, which has one copy of the dot.

#tmem0 = #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2], [0, 4], [0, 8]]>
#layout0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 8]]>
#layout1 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#layout2 = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]]>
#layout3 = #nv_tileas.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 0]]>
#layout4 = #nv_tileas.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0], [0, 0], [0, 0]]>
#layout5 = #nv_tileas.layout<register = [], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = [[32, 0, 0], [64, 0, 0], [0, 0, 0]]>
#layout6 = #nv_tileas.layout<register = [], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 0]], warp = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]>
#layout7 = #nv_tileas.layout<register = [[64, 0, 0]], lane = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[8, 0, 0], [16, 0, 0], [32, 0, 0]]>
#layout8 = #nv_tileas.layout<register = [[64, 0, 0]], lane = [[0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[8, 0, 0], [16, 0, 0], [32, 0, 0]]>
#layout9 = #nv_tileas.layout<register = [[64, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0], [32, 0]]>
#layout10 = #nv_tileas.layout<register = [[2, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 0]], warp = [[0, 0, 0], [0, 0, 0], [1, 0, 0]]>
#layout11 = #nv_tileas.layout<register = [[2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0], [0, 0], [1, 0]]>
#layout12 = #nv_tileas.layout<register = [[2, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 1, 0]], warp = [[0, 2, 0], [0, 4, 0], [1, 0, 0]]>
#layout13 = #nv_tileas.layout<register = [[2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64], [1, 0]]>
!memref0 = !nv_tileaa.memref<128x256xf8E4M3FN, strides = [256, 1]>
!memref1 = !nv_tileaa.memref<256x16xf8E4M3FN, strides = [16, 1]>
!memref2 = !nv_tileaa.memref<128x8xf8E8M0FNU, strides = [8, 1]>
!memref3 = !nv_tileaa.memref<8x16xf8E8M0FNU, strides = [16, 1]>
!memref4 = !nv_tileaa.memref<128x16xf32, strides = [16, 1]>
!view0 = !nv_tileaa.tiled_view<128x32, !memref0>
!view1 = !nv_tileaa.tiled_view<32x16, !memref1>
!view2 = !nv_tileaa.tiled_view<128x1, !memref2>
!view3 = !nv_tileaa.tiled_view<1x16, !memref3>
!view4 = !nv_tileaa.tiled_view<128x16, !memref4>

builtin.module attributes {nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  gpu.module @kernels {
    gpu.func @kernel(%pa: !llvm.ptr<1>, %pb: !llvm.ptr<1>, %ps: !llvm.ptr<1>, %pt: !llvm.ptr<1>, %pc: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 8 : i32, nv_tileas.schedule = #nv_tileas.schedule<stages = [12], producer_warps = 1, mma_warps = 1>} {
      %0 = nv_tileas.alloc_tensor : tensor<128x16xf32, #tmem0>
      %qa = nv_tileaa.assume %pa {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %va = nv_tileaa.make_memref %qa : !llvm.ptr<1> -> !memref0
      %wa = nv_tileaa.block_tile %va {tileSizes = array<i64: 128, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !view0
      %qb = nv_tileaa.assume %pb {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %vb = nv_tileaa.make_memref %qb : !llvm.ptr<1> -> !memref1
      %wb = nv_tileaa.block_tile %vb {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref1 -> !view1
      %qs = nv_tileaa.assume %ps {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %vs = nv_tileaa.make_memref %qs : !llvm.ptr<1> -> !memref2
      %ws = nv_tileaa.block_tile %vs {tileSizes = array<i64: 128, 1>, dimGroups = [[0 : i64], [1 : i64]]} : !memref2 -> !view2
      %qt = nv_tileaa.assume %pt {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %vt = nv_tileaa.make_memref %qt : !llvm.ptr<1> -> !memref3
      %wt = nv_tileaa.block_tile %vt {tileSizes = array<i64: 1, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref3 -> !view3
      %qc = nv_tileaa.assume %pc {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %vc = nv_tileaa.make_memref %qc : !llvm.ptr<1> -> !memref4
      %wc = nv_tileaa.block_tile %vc {tileSizes = array<i64: 128, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref4 -> !view4
      %cst = arith.constant 0 : i32
      %cst_1 = arith.constant 1 : i32
      %1 = arith.constant 0.000000e+00 : f32
      %cst_2 = nv_tileaa.splat %1 : f32 to tensor<128x16xf32, #layout0>
      %sum = scf.for %x = %cst to %n step %cst_1 iter_args(%acc = %0) -> (tensor<128x16xf32, #tmem0>) : i32 {
        %a = nv_tileas.tiled_load %wa[%cst, %x] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #layout1, nv_tileas.vector = #nv_tileas.vector<width = 16, dim = 1>, nv_tileas.pipe = #nv_tileas.pipe<0>, in_bounds = array<i1: true, false>} : !view0, i32, i32 -> tensor<128x32xf8E4M3FN, #layout1>
        %b = nv_tileas.tiled_load %wb[%x, %cst] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #layout2, nv_tileas.vector = #nv_tileas.vector<width = 16, dim = 1>, in_bounds = array<i1: false, true>} : !view1, i32, i32 -> tensor<32x16xf8E4M3FN, #layout2>
        %s = nv_tileas.tiled_load %ws[%cst, %x] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #layout3, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 1>, nv_tileas.ahead, in_bounds = array<i1: true, false>} : !view2, i32, i32 -> tensor<128x1xf8E8M0FNU, #layout3>
        %t = nv_tileas.tiled_load %wt[%x, %cst] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #layout4, nv_tileas.vector = #nv_tileas.vector<width = 16, dim = 1>, nv_tileas.ahead, in_bounds = array<i1: false, true>} : !view3, i32, i32 -> tensor<1x16xf8E8M0FNU, #layout4>
        %2 = arith.constant true
        %3 = nv_tileas.expand_dims %s {axis = 1 : i32} : tensor<128x1xf8E8M0FNU, #layout3> -> tensor<128x1x1xf8E8M0FNU, #layout5>
        %4 = nv_tileas.expand_dims %t {axis = 0 : i32} : tensor<1x16xf8E8M0FNU, #layout4> -> tensor<1x1x16xf8E8M0FNU, #layout6>
        %5 = nv_tileas.convert_layout %3 : tensor<128x1x1xf8E8M0FNU, #layout5> -> tensor<128x1x1xf8E8M0FNU, #layout7>
        %6 = nv_tileaa.broadcast %5 : tensor<128x1x1xf8E8M0FNU, #layout7> -> tensor<128x4x1xf8E8M0FNU, #layout8>
        %7 = nv_tileas.view %6 : tensor<128x4x1xf8E8M0FNU, #layout8> -> tensor<128x4xf8E8M0FNU, #layout9>
        %8 = nv_tileaa.broadcast %4 : tensor<1x1x16xf8E8M0FNU, #layout6> -> tensor<4x1x16xf8E8M0FNU, #layout10>
        %9 = nv_tileas.view %8 : tensor<4x1x16xf8E8M0FNU, #layout10> -> tensor<4x16xf8E8M0FNU, #layout11>
        %10 = nv_tileas.expand_dims %9 {axis = 1 : i32} : tensor<4x16xf8E8M0FNU, #layout11> -> tensor<4x1x16xf8E8M0FNU, #layout10>
        %11 = nv_tileaa.broadcast %10 : tensor<4x1x16xf8E8M0FNU, #layout10> -> tensor<4x8x16xf8E8M0FNU, #layout12>
        %12 = nv_tileas.view %11 : tensor<4x8x16xf8E8M0FNU, #layout12> -> tensor<4x128xf8E8M0FNU, #layout13>
        %13 = arith.cmpi ne, %x, %cst : i32
        %14 = nv_tileas.scaled_dot %a, %b, %acc, %13 scales(%7, %12) {nv_tileas.layout = #layout0, block = 32 : i32, atom = #nv_tileas.atom<mma.sm100>} : tensor<128x32xf8E4M3FN, #layout1>, tensor<32x16xf8E4M3FN, #layout2>, tensor<128x16xf32, #tmem0>, i1, tensor<128x4xf8E8M0FNU, #layout9>, tensor<4x128xf8E8M0FNU, #layout13>
        scf.yield %14 : tensor<128x16xf32, #tmem0>
      }
      %15 = arith.cmpi sge, %cst, %n : i32
      %16 = scf.if %15 -> (tensor<128x16xf32, #tmem0>) {
        %17 = nv_tileas.tensor_memory_store %cst_2 into %sum : tensor<128x16xf32, #layout0>, tensor<128x16xf32, #tmem0>
        scf.yield %17 : tensor<128x16xf32, #tmem0>
      } else {
        scf.yield %sum : tensor<128x16xf32, #tmem0>
      }
      %18 = nv_tileas.tensor_memory_load %16 : tensor<128x16xf32, #tmem0> -> tensor<128x16xf32, #layout0>
      nv_tileas.tiled_store %18, %wc[%cst, %cst] {atom = #nv_tileas.atom<tma_store>} : tensor<128x16xf32, #layout0>, !view4, i32, i32
      gpu.return
    }
  }
}

// CHECK:       nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline2
// CHECK:       nv_tileas.async.pipeline.agent_switch attributes {nv_tileas.agents = ["producer", "mma", "consumer"]
// CHECK:       nv_tileas.scaled_dot
// CHECK:         nv_tileaa.splat
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      %[[S0:.*]] = nv_tileas.tiled_load %ws[%cst, %cst]
// CHECK:           %[[T0:.*]] = nv_tileas.tiled_load %wt[%cst, %cst]
// CHECK:           scf.for %[[X:.*]] = %cst to %n step
// CHECK:             %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:        %[[REST:.*]] = arith.subi %n, %[[X]] : i32
// CHECK-NEXT:        %[[NEXT:.*]] = arith.cmpi ult, %[[ONE]], %[[REST]] : i32
// CHECK-NEXT:        %[[LATER:.*]] = arith.addi %[[X]], %[[ONE]] : i32
// CHECK-NEXT:        %[[AHEAD:.*]] = arith.select %[[NEXT]], %[[LATER]], %[[X]] : i32
// CHECK-NEXT:        nv_tileas.tiled_load %ws[%cst, %[[AHEAD]]]
// CHECK-NOT:   nv_tileas.scaled_dot
