// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a}" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90}" %s | filecheck %s --check-prefix=SM90

// Which products warpgroups multiply, and why others are not theirs. Without the features of sm_90a
// none are.

"gpu.module"() <{sym_name = "m"}> ({
  // All that products by warpgroups need: an aligned tensor, a known stride, 64 rows.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "f16", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "f16", nv_tileas.num_warps = 4 : i32} : () -> ()

  // TMA has coordinates of 32 bits: the tensor may be larger.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32, i64) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32, %n: i64):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %rows = nv_tileaa.assume %n {predicate = #nv_tileaa.bounded<0, ?>} : i64
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb sizes(%rows : i64) : !llvm.ptr<1> -> !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "huge"
  }) {sym_name = "huge", nv_tileas.num_warps = 4 : i32} : () -> ()

  // This one cannot.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32, i64) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32, %n: i64):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %rows = nv_tileaa.assume %n {predicate = #nv_tileaa.bounded<0, 2147483647>} : i64
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb sizes(%rows : i64) : !llvm.ptr<1> -> !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "bounded"
  }) {sym_name = "bounded", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Two warpgroups share large sums.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<128x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<128x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<128x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x256, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x256, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x256xf16>
    %c = arith.constant dense<0.0> : tensor<128x256xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "large", nv_tileas.num_warps = 8 : i32
  }) {sym_name = "large", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Sums that do not fit.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 256, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<256x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<256x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<256x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 256>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x256, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x256, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x256xf16>
    %c = arith.constant dense<0.0> : tensor<256x256xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<256x64xf16>, tensor<64x256xf16>, tensor<256x256xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "too_large", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "too_large", nv_tileas.num_warps = 4 : i32} : () -> ()

  // An instruction has 64 rows.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<32x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<32x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<32x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<32x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "few_rows", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "few_rows", nv_tileas.num_warps = 4 : i32} : () -> ()

  // An instruction adds 32 bytes of terms.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 8>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x8, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x8, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x8xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<8x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<8x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<8x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<fma>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x8xf16>, tensor<8x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "few_terms", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "few_terms", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Rows of B do not begin at multiples of 16 bytes.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1025, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1025, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1025, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1025, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "odd_stride", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "odd_stride", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Nothing says where B begins.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %q : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "unaligned", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "unaligned", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Elements outside of B would have to be NaN, which copies do not write.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>, padding = nan>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>, padding = nan>, i32, i32 -> tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "padding", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "padding", nv_tileas.num_warps = 4 : i32} : () -> ()

  // B is not loaded.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %b = arith.constant dense<1.0> : tensor<64x32xf16>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "not_loaded", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "not_loaded", nv_tileas.num_warps = 4 : i32} : () -> ()

  // There are no products of f64 by warpgroups.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x16, !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x16, !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>>, i32, i32 -> tensor<64x16xf64>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]> -> !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<1024x1024xf64, strides = [1024, 1]>>, i32, i32 -> tensor<16x32xf64>
    %c = arith.constant dense<0.0> : tensor<64x32xf64>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x16xf64>, tensor<16x32xf64>, tensor<64x32xf64>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "f64", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "f64", nv_tileas.num_warps = 4 : i32} : () -> ()

  // Factors of 8 bits cannot be transposed.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf8E4M3FN>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm80>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "f8_columns", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "f8_columns", nv_tileas.num_warps = 4 : i32} : () -> ()

  // The terms of B lie next to each other.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf8E4M3FN>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]> -> !nv_tileaa.tiled_view<32x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>
    %b0 = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<32x64, !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>>, i32, i32 -> tensor<32x64xf8E4M3FN>
    %b = nv_tileaa.permute %b0 {permutation = array<i32: 1, 0>} : tensor<32x64xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
    %c = arith.constant dense<0.0> : tensor<64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a, %b, %c {} : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "f8_rows", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "f8_rows", nv_tileas.num_warps = 4 : i32} : () -> ()

  // A batch of one is none.
  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32):
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %ma = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %a = nv_tileas.tiled_load %va[%i, %i] {} : !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x64xf16>
    %mb = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]> -> !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>
    %b = nv_tileas.tiled_load %vb[%i, %i] {} : !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>>, i32, i32 -> tensor<64x32xf16>
    %a1 = nv_tileas.view %a : tensor<64x64xf16> -> tensor<1x64x64xf16>
    %b1 = nv_tileas.view %b : tensor<64x32xf16> -> tensor<1x64x32xf16>
    %c = arith.constant dense<0.0> : tensor<1x64x32xf32>
    // CHECK: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<mma.sm90>{{.*}} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    // CHECK-NEXT: nv_tileas.view {{%.*}} : tensor<64x32xf32> -> tensor<1x64x32xf32>
    // SM90: nv_tileas.dot {{.*}}atom = #nv_tileas.atom<{{mma.sm80|fma}}>
    %d = nv_tileas.dot %a1, %b1, %c {} : tensor<1x64x64xf16>, tensor<1x64x32xf16>, tensor<1x64x32xf32>
    "gpu.return"() : () -> ()
  // CHECK: sym_name = "one_batch", nv_tileas.num_warps = 4 : i32
  }) {sym_name = "one_batch", nv_tileas.num_warps = 4 : i32} : () -> ()
}) : () -> ()
