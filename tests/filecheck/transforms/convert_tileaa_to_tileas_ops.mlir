// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --split-input-file | filecheck %s

// Memory, shape and aggregate ops change their dialect and keep all attributes, witnesses included.

!memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
!tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<8, !memref0, sparse_dim = 0>

func.func @memory(%p: !llvm.ptr<1>, %ps: tensor<8x!llvm.ptr<1>>, %m: tensor<8xi1>, %v: !tiled_view0, %g: !tiled_view1, %rows: tensor<8xi32>, %i: i32) {
  %a = nv_tileaa.load %ps mask(%m : tensor<8xi1>) {atom = #nv_tileas.atom<ldg>, my.tag, optimization_hints = {sm_90 = {latency = 3 : i64}}} : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>
  nv_tileaa.store %ps, %a {volatile} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
  %b = nv_tileaa.tiled_load %v[%i] {in_bounds = array<i1: true>, padding_value = "zero"} : !tiled_view0, i32 -> tensor<8xf32>
  nv_tileaa.tiled_store %b, %v[%i] {mem_semantic = "release", mem_scope = "gpu"} : tensor<8xf32>, !tiled_view0, i32
  nv_tileaa.tiled_atomic_rmw %v[%i], %b {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view0, tensor<8xf32>, i32
  %c = nv_tileaa.gather_load %g[%rows] : !tiled_view1, tensor<8xi32> -> tensor<8xf32>
  nv_tileaa.scatter_store %c, %g[%rows] : tensor<8xf32>, !tiled_view1, tensor<8xi32>
  func.return
}

// CHECK: !memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
// CHECK: !tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
// CHECK: !tiled_view1 = !nv_tileaa.tiled_view<8, !memref0, sparse_dim = 0>
// CHECK:       func.func @memory(%p: !llvm.ptr<1>, %ps: tensor<8x!llvm.ptr<1>>, %m: tensor<8xi1>, %v: !tiled_view0, %g: !tiled_view1, %rows: tensor<8xi32>, %i: i32) {
// CHECK-NEXT:    %a = nv_tileas.load %ps mask(%m : tensor<8xi1>) {my.tag, optimization_hints = {sm_90 = {latency = 3 : i64}}, atom = #nv_tileas.atom<ldg>}
// CHECK-SAME:    : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>
// CHECK-NEXT:    nv_tileas.store %ps, %a {volatile} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
// CHECK-NEXT:    %b = nv_tileas.tiled_load %v[%i] {in_bounds = array<i1: true>, padding_value = "zero"} : !tiled_view0, i32 -> tensor<8xf32>
// CHECK-NEXT:    nv_tileas.tiled_store %b, %v[%i] {mem_semantic = "release", mem_scope = "gpu"} : tensor<8xf32>, !tiled_view0, i32
// CHECK-NEXT:    nv_tileas.tiled_atomic_rmw %v[%i], %b {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view0, tensor<8xf32>, i32
// CHECK-NEXT:    %c = nv_tileas.gather_load %g[%rows] : !tiled_view1, tensor<8xi32> -> tensor<8xf32>
// CHECK-NEXT:    nv_tileas.scatter_store %c, %g[%rows] : tensor<8xf32>, !tiled_view1, tensor<8xi32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

func.func @shape(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
  %a = nv_tileaa.view %x : tensor<8xf32> -> tensor<2x4xf32>
  %b = nv_tileaa.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %c = nv_tileaa.broadcast %b : tensor<1x8xf32> -> tensor<4x8xf32>
  %d = nv_tileaa.permute %c {permutation = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = nv_tileaa.addf %y, %c : tensor<4x8xf32>
  %f = nv_tileaa.reduce %e {axis = 1 : i32, identities = [0.0 : f32], my.tag} : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = nv_tileaa.addf %l, %r : f32
    nv_tileaa.yield %s : f32
  }
  %g = nv_tileaa.scan %e {axis = 1 : i32, reverse = true} : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = nv_tileaa.addf %l, %r : f32
    nv_tileaa.yield %s : f32
  }
  func.return
}

// CHECK:       func.func @shape(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
// CHECK-NEXT:    %a = nv_tileas.view %x : tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    %b = nv_tileas.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %c = nv_tileaa.broadcast %b : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %d = nv_tileaa.permute %c {permutation = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %e = nv_tileaa.addf %y, %c : tensor<4x8xf32>
// CHECK-NEXT:    %f = nv_tileas.reduce %e {my.tag, axis = 1 : i32, identities = [0.000000e+00 : f32]} : tensor<4x8xf32> -> tensor<4xf32> {
// CHECK-NEXT:    ^bb0(%l: f32, %r: f32):
// CHECK-NEXT:      %s = nv_tileaa.addf %l, %r : f32
// CHECK-NEXT:      nv_tileas.yield %s : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %g = nv_tileas.scan %e {axis = 1 : i32, reverse = true} : tensor<4x8xf32> -> tensor<4x8xf32> {
// CHECK-NEXT:    ^bb0(%l_1: f32, %r_1: f32):
// CHECK-NEXT:      %s_1 = nv_tileaa.addf %l_1, %r_1 : f32
// CHECK-NEXT:      nv_tileas.yield %s_1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Products say whether they accumulate.

func.func @dot(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) {
  %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32", atom = #nv_tileas.atom<mma.sm80>} : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>
  func.return
}

// CHECK:       func.func @dot(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) {
// CHECK-NEXT:    %0 = arith.constant true
// CHECK-NEXT:    %d = nv_tileas.dot %a, %b, %c, %0 {input_precision = "tf32", atom = #nv_tileas.atom<mma.sm80>} : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, i1
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// A constant of equal elements is a scalar that is spread.

func.func @constants() {
  %a = arith.constant dense<1.5> : tensor<8xf32>
  %b = arith.constant dense<3> : tensor<2x2xi32>
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %d = arith.constant dense<0x7FC00001> : tensor<4xf32>
  %e = arith.constant 4 : i32
  %f = arith.constant dense<true> : tensor<4xi1>
  func.return
}

// CHECK:       func.func @constants() {
// CHECK-NEXT:    %0 = arith.constant 1.500000e+00 : f32
// CHECK-NEXT:    %a = nv_tileaa.splat %0 : f32 to tensor<8xf32>
// CHECK-NEXT:    %1 = arith.constant 3 : i32
// CHECK-NEXT:    %b = nv_tileaa.splat %1 : i32 to tensor<2x2xi32>
// CHECK-NEXT:    %c = arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT:    %d = arith.constant dense<[0x7fc00001, 0x7fc00001, 0x7fc00001, 0x7fc00001]> : tensor<4xf32>
// CHECK-NEXT:    %e = arith.constant 4 : i32
// CHECK-NEXT:    %2 = arith.constant true
// CHECK-NEXT:    %f = nv_tileaa.splat %2 : i1 to tensor<4xi1>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Scaled products are products of f32.

func.func @scaled(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x16xf8E4M3FN>, %c: tensor<16x16xf32>, %sa: tensor<16x2xf8E8M0FNU>, %sb: tensor<2x16xf8E8M0FNU>) {
  %d = nv_tileaa.mmaf_scaled %a, %b, %c, %sa, %sb : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, tensor<16x16xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>
  func.return
}

// CHECK:       func.func @scaled(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x16xf8E4M3FN>, %c: tensor<16x16xf32>, %sa: tensor<16x2xf8E8M0FNU>, %sb: tensor<2x16xf8E8M0FNU>) {
// CHECK-NEXT:    %0 = nv_tileaa.fp_to_fp %a : tensor<16x64xf8E4M3FN> to tensor<16x64xf32>
// CHECK-NEXT:    %1 = nv_tileaa.fp_to_fp %b : tensor<64x16xf8E4M3FN> to tensor<64x16xf32>
// CHECK-NEXT:    %2 = nv_tileaa.fp_to_fp %sa : tensor<16x2xf8E8M0FNU> to tensor<16x2xf32>
// CHECK-NEXT:    %3 = nv_tileaa.fp_to_fp %sb : tensor<2x16xf8E8M0FNU> to tensor<2x16xf32>
// CHECK-NEXT:    %4 = nv_tileas.expand_dims %2 {axis = 2 : i32} : tensor<16x2xf32> -> tensor<16x2x1xf32>
// CHECK-NEXT:    %5 = nv_tileaa.broadcast %4 : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
// CHECK-NEXT:    %6 = nv_tileas.view %5 : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK-NEXT:    %7 = nv_tileaa.mulf %0, %6 : tensor<16x64xf32>
// CHECK-NEXT:    %8 = nv_tileas.expand_dims %3 {axis = 1 : i32} : tensor<2x16xf32> -> tensor<2x1x16xf32>
// CHECK-NEXT:    %9 = nv_tileaa.broadcast %8 : tensor<2x1x16xf32> -> tensor<2x32x16xf32>
// CHECK-NEXT:    %10 = nv_tileas.view %9 : tensor<2x32x16xf32> -> tensor<64x16xf32>
// CHECK-NEXT:    %11 = nv_tileaa.mulf %1, %10 : tensor<64x16xf32>
// CHECK-NEXT:    %12 = arith.constant true
// CHECK-NEXT:    %d = nv_tileas.dot %7, %11, %c, %12 {input_precision = "ieee"} : tensor<16x64xf32>,
// CHECK-SAME:         tensor<64x16xf32>, tensor<16x16xf32>, i1
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

builtin.module attributes {tileiras.explain, tileiras.remarks = []} {
func.func @scaled_batch(%a: tensor<2x16x32xf32>, %b: tensor<2x32x16xf32>, %c: tensor<2x16x16xf16>, %sa: tensor<2x16x1xf8E8M0FNU>, %sb: tensor<2x1x16xf8E8M0FNU>) {
  %d = nv_tileaa.mmaf_scaled %a, %b, %c, %sa, %sb : tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x16x16xf16>, tensor<2x16x1xf8E8M0FNU>, tensor<2x1x16xf8E8M0FNU>
  func.return
}
}

// CHECK:       #tileiras.remark<"Missed", "TensorCore", "Emulated", "scaled_batch", "block-scaled dot 2x16x16x32: FMAs of f32", "block-scaled MMAs have no accumulators of f16"
// CHECK:       func.func @scaled_batch(%a: tensor<2x16x32xf32>, %b: tensor<2x32x16xf32>, %c: tensor<2x16x16xf16>, %sa: tensor<2x16x1xf8E8M0FNU>,
// CHECK-SAME:       %sb: tensor<2x1x16xf8E8M0FNU>) {
// CHECK-NEXT:    %0 = nv_tileaa.fp_to_fp %c : tensor<2x16x16xf16> to tensor<2x16x16xf32>
// CHECK-NEXT:    %1 = nv_tileaa.fp_to_fp %sa : tensor<2x16x1xf8E8M0FNU> to tensor<2x16x1xf32>
// CHECK-NEXT:    %2 = nv_tileaa.fp_to_fp %sb : tensor<2x1x16xf8E8M0FNU> to tensor<2x1x16xf32>
// CHECK-NEXT:    %3 = nv_tileas.expand_dims %1 {axis = 3 : i32} : tensor<2x16x1xf32> -> tensor<2x16x1x1xf32>
// CHECK-NEXT:    %4 = nv_tileaa.broadcast %3 : tensor<2x16x1x1xf32> -> tensor<2x16x1x32xf32>
// CHECK-NEXT:    %5 = nv_tileas.view %4 : tensor<2x16x1x32xf32> -> tensor<2x16x32xf32>
// CHECK-NEXT:    %6 = nv_tileaa.mulf %a, %5 : tensor<2x16x32xf32>
// CHECK-NEXT:    %7 = nv_tileas.expand_dims %2 {axis = 2 : i32} : tensor<2x1x16xf32> -> tensor<2x1x1x16xf32>
// CHECK-NEXT:    %8 = nv_tileaa.broadcast %7 : tensor<2x1x1x16xf32> -> tensor<2x1x32x16xf32>
// CHECK-NEXT:    %9 = nv_tileas.view %8 : tensor<2x1x32x16xf32> -> tensor<2x32x16xf32>
// CHECK-NEXT:    %10 = nv_tileaa.mulf %b, %9 : tensor<2x32x16xf32>
// CHECK-NEXT:    %11 = arith.constant true
// CHECK-NEXT:    %12 = nv_tileas.dot %6, %10, %0, %11 {input_precision = "ieee"} : tensor<2x16x32xf32>,
// CHECK-SAME:         tensor<2x32x16xf32>, tensor<2x16x16xf32>, i1
// CHECK-NEXT:    %d = nv_tileaa.fp_to_fp %12 : tensor<2x16x16xf32> to tensor<2x16x16xf16>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
