// RUN: tileiras-opt %s -p tileas-pair-ctas | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "TensorCore", "Pair", "pair", "pairs of CTAs multiply; each loads half of operand B", ""
// CHECK-SAME: #tileiras.remark<"Missed", "TensorCore", "Pair", "columns", "no pair of CTAs multiplies", "CTAs may load different tiles of B"
// CHECK-SAME: #tileiras.remark<"Missed", "TensorCore", "Pair", "trips", "no pair of CTAs multiplies", "CTAs may run a loop of MMAs differently often"

// CTAs of a cluster that multiply as a pair.

!memory = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!rows = !nv_tileaa.tiled_view<128x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
!columns = !nv_tileaa.tiled_view<64x128, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
#row = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 100 : i32, nv_tileaa.target_spec = "sm_100a"} {
  gpu.module @kernels {
    // Each CTA loads its rows of A; both need the same tile of B, of which each loads half.
    gpu.func @pair(%p: !llvm.ptr<1>, %n: i32, %c: tensor<128x128xf32, #row>) kernel attributes {nv_tileas.num_warps = 4 : i32, gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters} {
      %id = gpu.block_id x
      %cta = arith.index_cast %id : index to i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %zero = arith.constant 0 : i32
      %rank = nv_tileaa.andi %cta, %one : i32
      %cluster = nv_tileaa.divi %cta, %two {signedness = "signed"} : i32
      %aligned = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %m = nv_tileaa.make_memref %aligned : !llvm.ptr<1> -> !memory
      %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
      %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
      %sum = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<128x128xf32, #row>) : i32 {
        %a = nv_tileas.tiled_load %va[%rank, %k] {nv_tileaa.independent} : !rows, i32, i32 -> tensor<128x64xf16>
        %b = nv_tileas.tiled_load %vb[%k, %cluster] {nv_tileaa.independent} : !columns, i32, i32 -> tensor<64x128xf16>
        %d = nv_tileas.dot %a, %b, %s {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32, #row>
        scf.yield %d : tensor<128x128xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x128xf32, #row>) -> ()
      gpu.return
    }
    // CHECK-LABEL: @pair
    // CHECK:           nv_tileas.pair
    // CHECK:       %a = nv_tileas.tiled_load %va[%rank, %k] {nv_tileaa.independent} :
    // CHECK:       %b = nv_tileas.tiled_load {{.*}} {nv_tileaa.independent, nv_tileas.halved = #nv_tileas.halved<1>}

    // The tile of B depends on which CTA of the cluster it is.
    gpu.func @columns(%p: !llvm.ptr<1>, %n: i32, %c: tensor<128x128xf32, #row>) kernel attributes {nv_tileas.num_warps = 4 : i32, gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters} {
      %id = gpu.block_id x
      %cta = arith.index_cast %id : index to i32
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %aligned = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %m = nv_tileaa.make_memref %aligned : !llvm.ptr<1> -> !memory
      %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
      %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
      %sum = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> (tensor<128x128xf32, #row>) : i32 {
        %a = nv_tileas.tiled_load %va[%zero, %k] {nv_tileaa.independent} : !rows, i32, i32 -> tensor<128x64xf16>
        %b = nv_tileas.tiled_load %vb[%k, %cta] {nv_tileaa.independent} : !columns, i32, i32 -> tensor<64x128xf16>
        %d = nv_tileas.dot %a, %b, %s {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32, #row>
        scf.yield %d : tensor<128x128xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x128xf32, #row>) -> ()
      gpu.return
    }
    // CHECK-LABEL: @columns
    // CHECK-NOT:   nv_tileas.halved

    // Rows of a CTA decide how long its loop is.
    gpu.func @trips(%p: !llvm.ptr<1>, %c: tensor<128x128xf32, #row>) kernel attributes {nv_tileas.num_warps = 4 : i32, gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters} {
      %id = gpu.block_id x
      %cta = arith.index_cast %id : index to i32
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %aligned = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %m = nv_tileaa.make_memref %aligned : !llvm.ptr<1> -> !memory
      %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
      %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
      %sum = scf.for %k = %zero to %cta step %one iter_args(%s = %c) -> (tensor<128x128xf32, #row>) : i32 {
        %a = nv_tileas.tiled_load %va[%zero, %k] {nv_tileaa.independent} : !rows, i32, i32 -> tensor<128x64xf16>
        %b = nv_tileas.tiled_load %vb[%k, %zero] {nv_tileaa.independent} : !columns, i32, i32 -> tensor<64x128xf16>
        %d = nv_tileas.dot %a, %b, %s {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = #row} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32, #row>
        scf.yield %d : tensor<128x128xf32, #row>
      }
      "test.op"(%sum) : (tensor<128x128xf32, #row>) -> ()
      gpu.return
    }
    // CHECK-LABEL: @trips
  }
}
