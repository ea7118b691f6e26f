// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a}" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90}" %s | filecheck %s --check-prefix=SM90

// Which products warpgroups multiply, and why others are not theirs. Without the features of sm_90a
// none are.

!memref1 = !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>
!memref0 = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!memref2 = !nv_tileaa.memref<1024x1024xf16, strides = [1025, 1]>
!memref3 = !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>
!memref4 = !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
!tiled_view2 = !nv_tileaa.tiled_view<64x32, !memref1>
!tiled_view7 = !nv_tileaa.tiled_view<64x8, !memref0>
!tiled_view8 = !nv_tileaa.tiled_view<8x32, !memref0>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<64x32, !memref0>
!tiled_view6 = !nv_tileaa.tiled_view<32x64, !memref0>
!tiled_view9 = !nv_tileaa.tiled_view<64x32, !memref2>
!tiled_view11 = !nv_tileaa.tiled_view<64x16, !memref3>
!tiled_view12 = !nv_tileaa.tiled_view<16x32, !memref3>
!tiled_view3 = !nv_tileaa.tiled_view<128x64, !memref0>
!tiled_view4 = !nv_tileaa.tiled_view<64x256, !memref0>
!tiled_view5 = !nv_tileaa.tiled_view<256x64, !memref0>
!tiled_view13 = !nv_tileaa.tiled_view<64x64, !memref4>
!tiled_view14 = !nv_tileaa.tiled_view<64x32, !memref4>
!tiled_view15 = !nv_tileaa.tiled_view<32x64, !memref4>
!tiled_view10 = !nv_tileaa.tiled_view<64x32, !memref0, padding = nan>
!t64x64xf16 = tensor<64x64xf16>
!t64x32xf16 = tensor<64x32xf16>

gpu.module @m {
  // All that products by warpgroups need: an aligned tensor, a known stride, 64 rows.
  gpu.func @f16(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view1, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @f16({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // TMA has coordinates of 32 bits: the tensor may be larger.
  gpu.func @huge(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32, %n: i64) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %rows = nv_tileaa.assume %n {predicate = #nv_tileaa.bounded<0, ?>} : i64
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb sizes(%rows : i64) : !llvm.ptr<1> -> !memref1
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view2, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @huge(
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // This one cannot.
  gpu.func @bounded(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32, %n: i64) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %rows = nv_tileaa.assume %n {predicate = #nv_tileaa.bounded<0, 2147483647>} : i64
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb sizes(%rows : i64) : !llvm.ptr<1> -> !memref1
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view2
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view2, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @bounded(
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Two warpgroups share large sums.
  gpu.func @large(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view3
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view3, i32, i32 -> tensor<128x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view4
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view4, i32, i32 -> tensor<64x256xf16>
    %c = arith.constant dense<0.0> : tensor<128x256xf32>
    // CHECK-LABEL: gpu.func @large({{.*}} attributes {nv_tileas.num_warps = 8 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Sums that do not fit.
  gpu.func @too_large(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 256, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view5
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view5, i32, i32 -> tensor<256x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view4
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view4, i32, i32 -> tensor<64x256xf16>
    %c = arith.constant dense<0.0> : tensor<256x256xf32>
    // CHECK-LABEL: gpu.func @too_large({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // An instruction has 64 rows.
  gpu.func @few_rows(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view6
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view6, i32, i32 -> tensor<32x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view1, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<32x32xf32>
    // CHECK-LABEL: gpu.func @few_rows({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<32x64xf16>, !t64x32xf16, tensor<32x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // An instruction adds 32 bytes of terms.
  gpu.func @few_terms(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 8>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view7
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view7, i32, i32 -> tensor<64x8xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view8
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view8, i32, i32 -> tensor<8x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @few_terms({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<fma>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x8xf16>, tensor<8x32xf16>, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Rows of B do not begin at multiples of 16 bytes.
  gpu.func @odd_stride(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref2
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view9
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view9, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @odd_stride({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Nothing says where B begins.
  gpu.func @unaligned(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %q : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view1, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @unaligned({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Elements outside of B would have to be NaN, which copies do not write.
  gpu.func @padding(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view10
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view10, i32, i32 -> !t64x32xf16
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @padding({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // B is not loaded: consumer warps write it to shared memory.
  gpu.func @not_loaded(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %b = arith.constant dense<1.0> : tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @not_loaded({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // Neither is loaded by TMA.
  gpu.func @neither_loaded(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {optimization_hints = {default = {allow_tma = false}}} : !tiled_view0, i32, i32 -> !t64x64xf16
    %b = arith.constant dense<1.0> : tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @neither_loaded({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : !t64x64xf16, !t64x32xf16, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // There are no products of f64 by warpgroups.
  gpu.func @f64(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref3
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view11
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view11, i32, i32 -> tensor<64x16xf64>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref3
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]} : !memref3 -> !tiled_view12
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view12, i32, i32 -> tensor<16x32xf64>
    %c = arith.constant dense<0.0> : tensor<64x32xf64>
    // CHECK-LABEL: gpu.func @f64({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x16xf64>, tensor<16x32xf64>, tensor<64x32xf64>
    gpu.return
  // CHECK: gpu.return
  }

  // Factors of 8 bits cannot be transposed.
  gpu.func @f8_columns(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref4
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref4 -> !tiled_view13
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view13, i32, i32 -> tensor<64x64xf8E4M3FN>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref4
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref4 -> !tiled_view14
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view14, i32, i32 -> tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @f8_columns({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // The terms of B lie next to each other.
  gpu.func @f8_rows(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref4
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref4 -> !tiled_view13
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view13, i32, i32 -> tensor<64x64xf8E4M3FN>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref4
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !memref4 -> !tiled_view15
    %b0 = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view15, i32, i32 -> tensor<32x64xf8E4M3FN>
    %b = nv_tileaa.permute %b0 {permutation = array<i32: 1, 0>} : tensor<32x64xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK-LABEL: gpu.func @f8_rows({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }

  // A batch of one is none.
  gpu.func @one_batch(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !memref0
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !tiled_view0, i32, i32 -> !t64x64xf16
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !memref0
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view1
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !tiled_view1, i32, i32 -> !t64x32xf16
    %a1 = nv_tileas.view %a : !t64x64xf16 -> tensor<1x64x64xf16>
    %b1 = nv_tileas.view %b : !t64x32xf16 -> tensor<1x64x32xf16>
    %c = arith.constant dense<0.0> : tensor<1x64x32xf32>
    // CHECK-LABEL: gpu.func @one_batch({{.*}} attributes {nv_tileas.num_warps = 4 : i32
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>{{.*}} : tensor<64x64xf16>,
    // CHECK-SAME: tensor<64x32xf16>, tensor<64x32xf32>
    // CHECK-NEXT: nv_tileas.view {{%.*}} : tensor<64x32xf32> -> tensor<1x64x32xf32>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a1, %b1, %c {} : tensor<1x64x64xf16>, tensor<1x64x32xf16>, tensor<1x64x32xf32>
    gpu.return
  // CHECK: gpu.return
  }
}
