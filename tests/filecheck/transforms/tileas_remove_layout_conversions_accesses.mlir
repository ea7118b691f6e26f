// RUN: tileiras-opt -p 'discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90},tileas-assign-dot-layouts,tileas-assign-load-store-layouts,tileas-remove-layout-conversions' %s | filecheck %s

!matrix = !nv_tileaa.memref<64x128xf32, strides = [128, 1]>
!matrix_view = !nv_tileaa.tiled_view<64x128, !nv_tileaa.memref<64x128xf32, strides = [128, 1]>>
!line = !nv_tileaa.memref<128xf32, strides = [1]>
!line_view = !nv_tileaa.tiled_view<128, !nv_tileaa.memref<128xf32, strides = [1]>>

gpu.module @kernels {
  // Each thread loads the four elements that it adds.

  gpu.func @bias(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %b1 = nv_tileaa.assume %b {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %a1 : !llvm.ptr<1> -> !matrix
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !matrix -> !matrix_view
    %l = nv_tileaa.make_memref %b1 : !llvm.ptr<1> -> !line
    %w = nv_tileaa.block_tile %l {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !line -> !line_view
    %x, %t1 = nv_tileaa.tiled_load %v[%c0, %c0] token(%t) : !matrix_view, i32, i32 -> tensor<64x128xf32>, !nv_tileaa.mem_token
    %y, %t2 = nv_tileaa.tiled_load %w[%c0] token(%t) : !line_view, i32 -> tensor<128xf32>, !nv_tileaa.mem_token
    %e = nv_tileaa.exp %y : tensor<128xf32>
    %r = nv_tileaa.view %e : tensor<128xf32> -> tensor<1x128xf32>
    %s = nv_tileaa.broadcast %r : tensor<1x128xf32> -> tensor<64x128xf32>
    %z = nv_tileaa.addf %x, %s : tensor<64x128xf32>
    %t3 = nv_tileaa.tiled_store %z, %v[%c0, %c0] token(%t1) : tensor<64x128xf32>, !matrix_view, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK:       [[SLICE:#slice.*]] = #nv_tileas.layout<register = {{\[\[1\], \[2\]\]}}, lane = {{\[\[4\], \[8\], \[16\], \[32\], \[64\]\]}}, warp = {{\[\[0\], \[0\], \[0\]\]}}>
  // CHECK:       #blocked4 = #nv_tileas.layout<register = {{\[\[0, 0, 1\], \[0, 1, 0\], \[4, 0, 0\], .*}}lane = {{\[\[0, 2, 0\]}}
  // CHECK:       #blocked5 = #nv_tileas.layout<register = {{\[\[0, 1, 0\], \[4, 0, 0\], .*}}lane = {{\[\[0, 2, 0\]}}
  // CHECK:       gpu.func @bias
  // CHECK:       nv_tileas.tiled_load
  // CHECK:       nv_tileas.tiled_load
  // CHECK:       -> tensor<128xf32, [[SLICE]]>
  // CHECK-NOT:   convert_layout
  // CHECK:       gpu.return

  // A store of scattered elements that coalesce as they are takes them as they are, with a mask or
  // without.

  gpu.func @store(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %b1 = nv_tileaa.assume %b {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %n1 = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<16>} : i32
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %range = nv_tileaa.make_range %c0, %c1024 : i32 to tensor<1024xi32>
    %square = nv_tileaa.muli %range, %range : tensor<1024xi32>
    %as = nv_tileaa.splat %a : !llvm.ptr<1> to tensor<1024x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %as, %square {elem_type = f32} : tensor<1024x!llvm.ptr<1>>, tensor<1024xi32>
    %x, %t1 = nv_tileaa.load %p token(%t) : tensor<1024x!llvm.ptr<1>> -> tensor<1024xf32>, !nv_tileaa.mem_token
    %bs = nv_tileaa.splat %b1 : !llvm.ptr<1> to tensor<1024x!llvm.ptr<1>>
    %q = nv_tileaa.addptr %bs, %range {elem_type = f32} : tensor<1024x!llvm.ptr<1>>, tensor<1024xi32>
    %ns = nv_tileaa.splat %n1 : i32 to tensor<1024xi32>
    %mask = nv_tileaa.cmpi %range, %ns {comparison_predicate = "less_than"} : tensor<1024xi32> -> tensor<1024xi1>
    %t2 = nv_tileaa.store %q, %x mask(%mask : tensor<1024xi1>) token(%t) : tensor<1024x!llvm.ptr<1>>, tensor<1024xf32> -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @store
  // CHECK:       nv_tileas.load
  // CHECK-NOT:   convert_layout
  // CHECK:       nv_tileas.store {{.*}} mask(
  // CHECK:       gpu.return

  // Warps exchange sums through shared memory: each thread reads the one that it stores.

  gpu.func @sums(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 8 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %b1 = nv_tileaa.assume %b {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %a1 : !llvm.ptr<1> -> !matrix
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !matrix -> !matrix_view
    %l = nv_tileaa.make_memref %b1 : !llvm.ptr<1> -> !line
    %w = nv_tileaa.block_tile %l {tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]} : !line -> !line_view
    %x, %t1 = nv_tileaa.tiled_load %v[%c0, %c0] token(%t) : !matrix_view, i32, i32 -> tensor<64x128xf32>, !nv_tileaa.mem_token
    %s = nv_tileaa.reduce %x {axis = 0 : i32, identities = [0.0 : f32]} : tensor<64x128xf32> -> tensor<128xf32> {
    ^bb0(%p: f32, %q: f32):
      %r = nv_tileaa.addf %p, %q : f32
      nv_tileaa.yield %r : f32
    }
    %e = nv_tileaa.exp %s : tensor<128xf32>
    %t2 = nv_tileaa.tiled_store %e, %w[%c0] token(%t) : tensor<128xf32>, !line_view, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @sums
  // CHECK:       nv_tileas.reduce
  // CHECK-SAME:  -> tensor<128xf32, [[EACH:#.*]]> {
  // CHECK:       nv_tileaa.exp %s : tensor<128xf32, [[EACH]]>
  // CHECK-NOT:   convert_layout
  // CHECK:       gpu.return

  // A thread has both elements of pairs, and what it computes of them is stored as it was loaded.

  gpu.func @pairs(%a: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = nv_tileaa.make_memref %a1 : !llvm.ptr<1> -> !matrix
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !matrix -> !matrix_view
    %x, %t1 = nv_tileaa.tiled_load %v[%c0, %c0] token(%t) : !matrix_view, i32, i32 -> tensor<64x128xf32>, !nv_tileaa.mem_token
    %p = nv_tileaa.view %x : tensor<64x128xf32> -> tensor<64x64x2xf32>
    %e = nv_tileaa.extract %p[%c0, %c0, %c0] : (tensor<64x64x2xf32>, i32, i32, i32) -> tensor<64x64x1xf32>
    %o = nv_tileaa.extract %p[%c0, %c0, %c1] : (tensor<64x64x2xf32>, i32, i32, i32) -> tensor<64x64x1xf32>
    %q = nv_tileaa.cat %o, %e {dim = 2 : i64} : tensor<64x64x1xf32>, tensor<64x64x1xf32> -> tensor<64x64x2xf32>
    %r = nv_tileaa.view %q : tensor<64x64x2xf32> -> tensor<64x128xf32>
    %t2 = nv_tileaa.tiled_store %r, %v[%c0, %c0] token(%t1) : tensor<64x128xf32>, !matrix_view, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @pairs
  // CHECK:       [[WHOLE:%[0-9a-z_]+]] = nv_tileas.view {{.*}} -> tensor<64x64x2xf32, #blocked4>
  // CHECK-NEXT:  nv_tileaa.extract [[WHOLE]]{{.*}} -> tensor<64x64x1xf32, #blocked5>
  // CHECK-NEXT:  nv_tileaa.extract [[WHOLE]]{{.*}} -> tensor<64x64x1xf32, #blocked5>
  // CHECK-NEXT:  nv_tileaa.cat

  // What a loop carries, made of scalars, takes the layout in which it is stored.

  gpu.func @carried(%a: !llvm.ptr<1>, %n: i32, %x: f32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = nv_tileaa.splat %x : f32 to tensor<64x128xf32>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %s) -> (tensor<64x128xf32>) : i32 {
      %z = nv_tileaa.mulf %y, %s : tensor<64x128xf32>
      scf.yield %z : tensor<64x128xf32>
    }
    %m = nv_tileaa.make_memref %a1 : !llvm.ptr<1> -> !matrix
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !matrix -> !matrix_view
    %t2 = nv_tileaa.tiled_store %l, %v[%c0, %c0] token(%t) : tensor<64x128xf32>, !matrix_view, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @carried
  // CHECK-NOT:   convert_layout
  // CHECK:       gpu.return

  // A thread loads four of the f16, as it loads four of the f32: nothing goes through shared memory.

  gpu.func @sizes(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %b1 = nv_tileaa.assume %b {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %range = nv_tileaa.make_range %c0, %c1024 : i32 to tensor<1024xi32>
    %as = nv_tileaa.splat %a1 : !llvm.ptr<1> to tensor<1024x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %as, %range {elem_type = f16} : tensor<1024x!llvm.ptr<1>>, tensor<1024xi32>
    %x, %t1 = nv_tileaa.load %p token(%t) : tensor<1024x!llvm.ptr<1>> -> tensor<1024xf16>, !nv_tileaa.mem_token
    %w = nv_tileaa.fp_to_fp %x : tensor<1024xf16> to tensor<1024xf32>
    %bs = nv_tileaa.splat %b1 : !llvm.ptr<1> to tensor<1024x!llvm.ptr<1>>
    %q = nv_tileaa.addptr %bs, %range {elem_type = f32} : tensor<1024x!llvm.ptr<1>>, tensor<1024xi32>
    %y, %t2 = nv_tileaa.load %q token(%t) : tensor<1024x!llvm.ptr<1>> -> tensor<1024xf32>, !nv_tileaa.mem_token
    %z = nv_tileaa.mulf %w, %y : tensor<1024xf32>
    %s = nv_tileaa.reduce %z {axis = 0 : i32, identities = [0.0 : f32]} : tensor<1024xf32> -> f32 {
    ^bb0(%u: f32, %v: f32):
      %r = nv_tileaa.addf %u, %v : f32
      nv_tileaa.yield %r : f32
    }
    %n = nv_tileaa.splat %s : f32 to tensor<1024xf32>
    %m = nv_tileaa.mulf %w, %n : tensor<1024xf32>
    %h = nv_tileaa.fp_to_fp %m : tensor<1024xf32> to tensor<1024xf16>
    %t3 = nv_tileaa.store %p, %h token(%t1) : tensor<1024x!llvm.ptr<1>>, tensor<1024xf16> -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @sizes
  // CHECK:       nv_tileas.load {{.*}} -> tensor<1024xf16, [[FOUR:#.*]]>
  // CHECK:       nv_tileas.load {{.*}} -> tensor<1024xf32, [[FOUR]]>
  // CHECK-NOT:   convert_layout
  // CHECK:       gpu.return

  // Four of 8 bits are not wide enough: these load sixteen, and change layouts.

  gpu.func @bytes(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %a1 = nv_tileaa.assume %a {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %b1 = nv_tileaa.assume %b {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %c0 = arith.constant 0 : i32
    %c2048 = arith.constant 2048 : i32
    %range = nv_tileaa.make_range %c0, %c2048 : i32 to tensor<2048xi32>
    %as = nv_tileaa.splat %a1 : !llvm.ptr<1> to tensor<2048x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %as, %range {elem_type = i8} : tensor<2048x!llvm.ptr<1>>, tensor<2048xi32>
    %x, %t1 = nv_tileaa.load %p token(%t) : tensor<2048x!llvm.ptr<1>> -> tensor<2048xi8>, !nv_tileaa.mem_token
    %w = arith.extsi %x : tensor<2048xi8> to tensor<2048xi32>
    %bs = nv_tileaa.splat %b1 : !llvm.ptr<1> to tensor<2048x!llvm.ptr<1>>
    %q = nv_tileaa.addptr %bs, %range {elem_type = i32} : tensor<2048x!llvm.ptr<1>>, tensor<2048xi32>
    %y, %t2 = nv_tileaa.load %q token(%t) : tensor<2048x!llvm.ptr<1>> -> tensor<2048xi32>, !nv_tileaa.mem_token
    %z = nv_tileaa.addi %w, %y : tensor<2048xi32>
    %t3 = nv_tileaa.store %q, %z token(%t2) : tensor<2048x!llvm.ptr<1>>, tensor<2048xi32> -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @bytes
  // CHECK:       nv_tileas.load {{.*}} -> tensor<2048xi8, [[SIXTEEN:#.*]]>
  // CHECK:       convert_layout
  // CHECK:       gpu.return
}
