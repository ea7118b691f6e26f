// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a}" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a k-permutation=false}" %s | filecheck %s --check-prefix=OFF
// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a},tileas-assign-dot-layouts{compute-capability=sm_90a k-permutation=false}" %s | filecheck %s --check-prefix=OFF

// Accumulators that become an operand A of 8 bits: the columns of the product that they are of come
// from rows that TMA loads, even ones before odd ones.

!bytes = !nv_tileaa.memref<1024x1024xf8E4M3FN, strides = [1024, 1]>
!halves = !nv_tileaa.memref<1024x1024xf16, strides = [1024, 1]>
!rows = !nv_tileaa.tiled_view<64x64, !bytes>
!turned = !nv_tileaa.tiled_view<64x64, !bytes, dim_map = [1, 0]>
!half_rows = !nv_tileaa.tiled_view<64x64, !halves>
!half_turned = !nv_tileaa.tiled_view<64x64, !halves, dim_map = [1, 0]>
!q = tensor<64x64xf8E4M3FN>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>

// CHECK: [[EVEN:#.*]] = #nv_tileas.layout<register = {{\[\[}}0, 2], [8, 0], [0, 16], [0, 32], [0, 1]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]
// CHECK: [[PLAIN:#.*]] = #nv_tileas.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]

// OFF-NOT: k_permutation

gpu.module @m {
  gpu.func @attention(%p: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !bytes
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !bytes -> !rows
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !bytes -> !turned
    %q = nv_tileas.tiled_load %va[%i, %i] {} : !rows, i32, i32 -> !q
    %zero = arith.constant dense<0.0> : !s
    // CHECK-LABEL: gpu.func @attention(
    // CHECK:      %k = nv_tileas.tiled_load {{.*}}nv_tileas.k_permutation = #nv_tileas.k_permutation<1>
    %k = nv_tileas.tiled_load %vb[%i, %i] {} : !turned, i32, i32 -> !q
    // CHECK:      %d = nv_tileas.dot %q, %k, %zero {nv_tileas.layout = [[EVEN]],
    %d = nv_tileas.dot %q, %k, %zero {} : !q, !q, !s
    %e = nv_tileaa.mulf %d, %d : !s
    %w = nv_tileaa.fp_to_fp %e : !s to !q
    // CHECK-NOT:  k_permutation
    // CHECK:      %o = nv_tileas.dot %w, %v, %zero {nv_tileas.layout = [[PLAIN]],
    %v = nv_tileas.tiled_load %vb[%i, %i] {} : !turned, i32, i32 -> !q
    %o = nv_tileas.dot %w, %v, %zero {} : !q, !q, !s
    "test.op"(%o) : (!s) -> ()
    gpu.return
  }

  // The rows are those of the second product as well.
  gpu.func @shared(%p: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !bytes
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !bytes -> !rows
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !bytes -> !turned
    %q = nv_tileas.tiled_load %va[%i, %i] {} : !rows, i32, i32 -> !q
    %zero = arith.constant dense<0.0> : !s
    // CHECK-LABEL: gpu.func @shared(
    // CHECK-NOT:  k_permutation
    // CHECK:      gpu.return
    %k = nv_tileas.tiled_load %vb[%i, %i] {} : !turned, i32, i32 -> !q
    %d = nv_tileas.dot %q, %k, %zero {} : !q, !q, !s
    %w = nv_tileaa.fp_to_fp %d : !s to !q
    %o = nv_tileas.dot %w, %k, %zero {} : !q, !q, !s
    "test.op"(%o) : (!s) -> ()
    gpu.return
  }

  // Operands A of 16 bits have accumulators where they are.
  gpu.func @halves(%p: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !halves
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !halves -> !half_rows
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !halves -> !half_turned
    %q = nv_tileas.tiled_load %va[%i, %i] {} : !half_rows, i32, i32 -> !h
    %zero = arith.constant dense<0.0> : !s
    // CHECK-LABEL: gpu.func @halves(
    // CHECK-NOT:  k_permutation
    // CHECK:      gpu.return
    %k = nv_tileas.tiled_load %vb[%i, %i] {} : !half_turned, i32, i32 -> !h
    %d = nv_tileas.dot %q, %k, %zero {} : !h, !h, !s
    %w = nv_tileaa.fp_to_fp %d : !s to !h
    %v = nv_tileas.tiled_load %vb[%i, %i] {} : !half_turned, i32, i32 -> !h
    %o = nv_tileas.dot %w, %v, %zero {} : !h, !h, !s
    "test.op"(%o) : (!s) -> ()
    gpu.return
  }

  // Both kinds of operands come from the same accumulators.
  gpu.func @both(%p: !llvm.ptr<1>, %r: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %pa = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %pb = nv_tileaa.assume %r {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %pa : !llvm.ptr<1> -> !bytes
    %n = nv_tileaa.make_memref %pb : !llvm.ptr<1> -> !halves
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !bytes -> !rows
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !bytes -> !turned
    %vc = nv_tileaa.block_tile %n {tileSizes = array<i64: 64, 64>, dimGroups = [[1], [0]]} : !halves -> !half_turned
    %q = nv_tileas.tiled_load %va[%i, %i] {} : !rows, i32, i32 -> !q
    %zero = arith.constant dense<0.0> : !s
    // CHECK-LABEL: gpu.func @both(
    // CHECK-NOT:  k_permutation
    // CHECK:      gpu.return
    %k = nv_tileas.tiled_load %vb[%i, %i] {} : !turned, i32, i32 -> !q
    %d = nv_tileas.dot %q, %k, %zero {} : !q, !q, !s
    %w = nv_tileaa.fp_to_fp %d : !s to !q
    %x = nv_tileaa.fp_to_fp %d : !s to !h
    %v = nv_tileas.tiled_load %vb[%i, %i] {} : !turned, i32, i32 -> !q
    %u = nv_tileas.tiled_load %vc[%i, %i] {} : !half_turned, i32, i32 -> !h
    %o = nv_tileas.dot %w, %v, %zero {} : !q, !q, !s
    %t = nv_tileas.dot %x, %u, %o {} : !h, !h, !s
    "test.op"(%t) : (!s) -> ()
    gpu.return
  }
}
