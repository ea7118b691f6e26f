// RUN: tileiras-opt -p "tileas-assign-dot-layouts{compute-capability=sm_90a}" %s | filecheck %s

!memref0 = !nv_tileaa.memref<1024x64xf16, strides = [64, 1]>
!view0 = !nv_tileaa.tiled_view<64x64, !memref0>
!memref1 = !nv_tileaa.memref<1024x64xi8, strides = [64, 1]>
!view1 = !nv_tileaa.tiled_view<64x64, !memref1>

gpu.module @m {
  // 16 rows are too few for WGMMA, 16 columns are not.
  gpu.func @few_rows(%p: !llvm.ptr<1>, %q: tensor<16x64xf16>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %float = arith.constant 0.0 : f32
    %c = nv_tileaa.splat %float : f32 to tensor<16x64xf32>
    %a = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !view0
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<16x64xf32>) : i32 {
      %b = nv_tileas.tiled_load %v[%i, %zero] {} : !view0, i32, i32 -> tensor<64x64xf16>
      %d = nv_tileas.dot %q, %b, %s {} : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    // Outside of loops nothing is loaded ahead.
    %w = nv_tileas.tiled_load %v[%zero, %zero] {} : !view0, i32, i32 -> tensor<64x64xf16>
    %e = nv_tileas.dot %q, %w, %r {} : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @few_rows
  // CHECK: [[R:%.*]] = scf.for {{.*}} iter_args(%s = {{.*}}) -> (tensor<64x16xf32>)
  // CHECK: [[B:%.*]] = nv_tileas.tiled_load
  // CHECK: [[A:%.*]] = nv_tileaa.permute [[B]] {permutation = array<i32: 1, 0>}
  // CHECK-NEXT: [[Q:%.*]] = nv_tileaa.permute %q {permutation = array<i32: 1, 0>} : tensor<16x64xf16> -> tensor<64x16xf16>
  // CHECK-NEXT: [[D:%.*]] = nv_tileas.dot [[A]], [[Q]], %s {{.*}}atom = #nv_tileas.atom<mma.sm90>
  // CHECK: scf.yield [[D]]
  // CHECK: nv_tileaa.permute [[R]] {permutation = array<i32: 1, 0>} : tensor<64x16xf32> -> tensor<16x64xf32>
  // CHECK: nv_tileas.dot %q, {{.*}}atom = #nv_tileas.atom<mma.sm80>

  // Another dot of the loop can be no WGMMA: all of them stay as they are.
  gpu.func @mixed(%p: !llvm.ptr<1>, %q: tensor<16x64xf16>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %float = arith.constant 0.0 : f32
    %c = nv_tileaa.splat %float : f32 to tensor<16x64xf32>
    %z = nv_tileaa.splat %float : f32 to tensor<16x16xf32>
    %a = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !view0
    %r, %t = scf.for %i = %zero to %n step %one iter_args(%s = %c, %u = %z) -> (tensor<16x64xf32>, tensor<16x16xf32>) : i32 {
      %b = nv_tileas.tiled_load %v[%i, %zero] {} : !view0, i32, i32 -> tensor<64x64xf16>
      %d = nv_tileas.dot %q, %b, %s {} : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
      %k = nv_tileaa.permute %q {permutation = array<i32: 1, 0>} : tensor<16x64xf16> -> tensor<64x16xf16>
      %e = nv_tileas.dot %q, %k, %u {} : tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>
      scf.yield %d, %e : tensor<16x64xf32>, tensor<16x16xf32>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @mixed
  // CHECK: nv_tileas.dot %q, {{.*}}atom = #nv_tileas.atom<mma.sm80>
  // CHECK: nv_tileas.dot %q, {{.*}}atom = #nv_tileas.atom<mma.sm80>

  // Threads make operand B of integers: it becomes operand A, in registers.
  gpu.func @made(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %float = arith.constant 0.0 : f32
    %c = nv_tileaa.splat %float : f32 to tensor<64x64xf32>
    %a = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %m = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !view0
    %e = nv_tileaa.assume %q {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %o = nv_tileaa.make_memref %e : !llvm.ptr<1> -> !memref1
    %w = nv_tileaa.block_tile %o {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref1 -> !view1
    %r, %t = scf.for %i = %zero to %n step %one iter_args(%s = %c, %u = %c) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
      %x = nv_tileas.tiled_load %v[%i, %zero] {} : !view0, i32, i32 -> tensor<64x64xf16>
      %y = nv_tileas.tiled_load %w[%i, %zero] {} : !view1, i32, i32 -> tensor<64x64xi8>
      %z = arith.sitofp %y : tensor<64x64xi8> to tensor<64x64xf16>
      %d = nv_tileas.dot %x, %z, %s {} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      // One that is combined along rows stays as it is.
      %f = nv_tileas.dot %x, %z, %u {} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %g = nv_tileas.reduce %f {axis = 1 : i32} : tensor<64x64xf32> -> tensor<64xf32> {
      ^bb0(%h: f32, %j: f32):
        %k = arith.addf %h, %j : f32
        nv_tileas.yield %k : f32
      }
      %l = nv_tileaa.expand_dims %g {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %b = nv_tileaa.broadcast %l : tensor<64x1xf32> -> tensor<64x64xf32>
      scf.yield %d, %b : tensor<64x64xf32>, tensor<64x64xf32>
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @made
  // CHECK: [[Y:%.*]] = arith.sitofp
  // CHECK-NEXT: [[A:%.*]] = nv_tileaa.permute [[Y]] {permutation = array<i32: 1, 0>}
  // CHECK-NEXT: [[B:%.*]] = nv_tileaa.permute {{.*}} {permutation = array<i32: 1, 0>}
  // CHECK-NEXT: nv_tileas.dot [[A]], [[B]], {{.*}}nv_tileas.layout_a = {{.*}}atom = #nv_tileas.atom<mma.sm90>
  // CHECK: nv_tileas.dot {{%.*}}, [[Y]], {{.*}}atom = #nv_tileas.atom<mma.sm90>
}
