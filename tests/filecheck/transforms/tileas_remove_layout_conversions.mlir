// RUN: tileiras-opt -p tileas-remove-layout-conversions %s | filecheck %s

// Layouts are written as the pass finds them: an op that asks for one has it in an attribute.

#wide = #nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#plain = #nv_tileas.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = []>
#everywhere = #nv_tileas.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = []>
#row = #nv_tileas.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = []>
#strided = #nv_tileas.layout<register = [[0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#rows = #nv_tileas.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
#columns = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>
!ptr = !llvm.ptr<1>
#vector4 = #nv_tileas.vector<width = 4, dim = 0>
!t128xf32_plain = tensor<128xf32, #plain>
!t1x128xf32 = tensor<1x128xf32>
#vector4_1 = #nv_tileas.vector<width = 4, dim = 1>

!memref1 = !nv_tileaa.memref<16x32xf32, strides = [32, 1]>
!memref2 = !nv_tileaa.memref<16x32xf32, strides = [1, 16]>
!memref0 = !nv_tileaa.memref<128x128xf32, strides = [128, 1]>
!tiled_view1 = !nv_tileaa.tiled_view<16x32, !memref1>
!tiled_view2 = !nv_tileaa.tiled_view<16x32, !memref2>
!tiled_view0 = !nv_tileaa.tiled_view<1x128, !memref0>
!t128xptr_plain = tensor<128x!llvm.ptr<1>, #plain>
!t16x32xf32 = tensor<16x32xf32>

gpu.module @m {
  // Constants, ranges, broadcasts and what is computed of them are made in the layout of their users,
  // once for each layout.
  gpu.func @cheap(%p: !ptr) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %end = arith.constant 128 : i32
    %half = arith.constant 5.0e-1 : f32
    %range = nv_tileaa.make_range %zero, %end : i32 to tensor<128xi32, #plain>
    %many = nv_tileaa.splat %p : !ptr to !t128xptr_plain
    %next = nv_tileaa.addptr %many, %range {elem_type = f32} : !t128xptr_plain, tensor<128xi32, #plain>
    %there = nv_tileas.convert_layout %next : !t128xptr_plain -> tensor<128x!llvm.ptr<1>, #wide>
    %x = nv_tileas.load %there {nv_tileas.layout = #wide, nv_tileas.vector = #vector4} : tensor<128x!llvm.ptr<1>, #wide> -> tensor<128xf32, #wide>
    %scalar = nv_tileaa.splat %half : f32 to tensor<1xf32, #everywhere>
    %halves = nv_tileaa.broadcast %scalar : tensor<1xf32, #everywhere> -> !t128xf32_plain
    %here = nv_tileas.convert_layout %halves : !t128xf32_plain -> tensor<128xf32, #wide>
    %y = nv_tileaa.addf %x, %here : tensor<128xf32, #wide>
    nv_tileas.store %there, %y {nv_tileas.layout = #wide, nv_tileas.vector = #vector4} : tensor<128x!llvm.ptr<1>, #wide>, tensor<128xf32, #wide>
    gpu.return
  }
  // CHECK: #blocked0 = #nv_tileas.layout<register = {{\[\[1\], \[2\]\]}}
  // CHECK:      %range = nv_tileaa.make_range %zero, %end : i32 to tensor<128xi32, [[WIDE:.*]]>
  // CHECK-NEXT: %there = nv_tileaa.addptr %many, %range
  // CHECK-NEXT: %x = nv_tileas.load %there {nv_tileas.layout = [[WIDE]],
  // CHECK-SAME: -> tensor<128xf32, #blocked0>
  // CHECK-NEXT: %scalar = nv_tileaa.splat
  // CHECK-NEXT: %here = nv_tileaa.broadcast %scalar : {{.*}} -> tensor<128xf32, [[WIDE]]>
  // CHECK-NEXT: %y = nv_tileaa.addf %x, %here : tensor<128xf32, [[WIDE]]>
  // CHECK-NEXT: nv_tileas.store %there, %y

  // What a loop carries has the layout that its body yields, what a branch gives that of the first
  // arm, and a store takes a layout that serves it as well as its own: nothing is converted.
  gpu.func @regions(%p: !ptr, %c: i1, %n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %f = arith.constant 0.0 : f32
    %m = nv_tileaa.make_memref %p : !ptr -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1, 128>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %start = nv_tileaa.splat %f : f32 to !t1x128xf32
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (!t1x128xf32) : i32 {
      %x = nv_tileas.tiled_load %v[%i, %zero] {nv_tileas.layout = #row, nv_tileas.vector = #vector4_1} : !tiled_view0, i32, i32 -> !t1x128xf32
      %next = nv_tileaa.addf %acc, %x : !t1x128xf32
      scf.yield %next : !t1x128xf32
    }
    %either = "scf.if"(%c) ({
      scf.yield %sum : !t1x128xf32
    }, {
      %other = nv_tileaa.splat %f : f32 to !t1x128xf32
      scf.yield %other : !t1x128xf32
    }) : (i1) -> !t1x128xf32
    nv_tileas.tiled_store %either, %v[%zero, %zero] {nv_tileas.layout = #strided, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 1>} : !t1x128xf32, !tiled_view0, i32, i32
    gpu.return
  }
  // CHECK:      %start = nv_tileaa.splat %f : f32 to tensor<1x128xf32, [[ROW:.*]]>
  // CHECK-NEXT: scf.for {{.*}} iter_args(%acc = %start) -> (tensor<1x128xf32, [[ROW]]>)
  // CHECK-NEXT:   %x = nv_tileas.tiled_load %v[%i, %zero] {nv_tileas.layout = [[ROW]],
  // CHECK-SAME:   i32 -> tensor<1x128xf32, #blocked1>
  // CHECK-NEXT:   %next = nv_tileaa.addf %acc, %x : tensor<1x128xf32, [[ROW]]>
  // CHECK-NEXT:   scf.yield %next
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %c -> (tensor<1x128xf32, [[ROW]]>) {
  // CHECK-NEXT:   scf.yield %sum
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   %other = nv_tileaa.splat %f : f32 to tensor<1x128xf32, [[ROW]]>
  // CHECK-NEXT:   scf.yield %other
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.tiled_store %either, {{.*}}: tensor<1x128xf32, [[ROW]]>,

  // An arm that has another layout converts. What comes from outside is converted where it is made,
  // once for all that want it; a transposed store asks for a conversion, too.
  gpu.func @arms(%p: !ptr, %c: i1) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p : !ptr -> !memref1
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    %t = nv_tileaa.make_memref %p : !ptr -> !memref2
    %w = nv_tileaa.block_tile %t {tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]} : !memref2 -> !tiled_view2
    %a = nv_tileas.tiled_load %v[%zero, %zero] {nv_tileas.layout = #rows, nv_tileas.vector = #vector4_1} : !tiled_view1, i32, i32 -> !t16x32xf32
    %either = "scf.if"(%c) ({
      %b = nv_tileas.tiled_load %w[%zero, %zero] {nv_tileas.layout = #columns, nv_tileas.vector = #vector4} : !tiled_view2, i32, i32 -> !t16x32xf32
      scf.yield %b : !t16x32xf32
    }, {
      %d = nv_tileas.tiled_load %v[%zero, %zero] {nv_tileas.layout = #rows, nv_tileas.vector = #vector4_1} : !tiled_view1, i32, i32 -> !t16x32xf32
      %e = nv_tileaa.addf %a, %d : !t16x32xf32
      scf.yield %e : !t16x32xf32
    }) : (i1) -> !t16x32xf32
    %again = "scf.if"(%c) ({
      scf.yield %either : !t16x32xf32
    }, {
      scf.yield %a : !t16x32xf32
    }) : (i1) -> !t16x32xf32
    nv_tileas.tiled_store %a, %w[%zero, %zero] {nv_tileas.layout = #columns, nv_tileas.vector = #vector4} : !t16x32xf32, !tiled_view2, i32, i32
    nv_tileas.tiled_store %again, %v[%zero, %zero] {nv_tileas.layout = #rows, nv_tileas.vector = #vector4_1} : !t16x32xf32, !tiled_view1, i32, i32
    gpu.return
  }
  // CHECK:      scf.if %c -> (tensor<16x32xf32, [[COLUMNS:.*]]>) {
  // CHECK-NEXT:   %b = nv_tileas.tiled_load %w[%zero, %zero] {nv_tileas.layout = [[COLUMNS]],
  // CHECK-SAME:   i32 -> tensor<16x32xf32, #blocked4>
  // CHECK-NEXT:   scf.yield %b
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   %d = nv_tileas.tiled_load
  // CHECK-SAME:   i32 -> tensor<16x32xf32, #blocked3>
  // CHECK-NEXT:   %e = nv_tileaa.addf %a, %d
  // CHECK-NEXT:   %[[e:.*]] = nv_tileas.convert_layout %e
  // CHECK-NEXT:   scf.yield %[[e]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[a:.*]] = nv_tileas.convert_layout %a : {{.*}} -> tensor<16x32xf32, [[COLUMNS]]>
  // CHECK-NEXT: scf.if
  // CHECK-NEXT:   scf.yield %either
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   scf.yield %[[a]]
  // CHECK-NEXT: }
  // CHECK-NEXT: nv_tileas.tiled_store %[[a]], %w
  // CHECK-SAME: : tensor<16x32xf32, #blocked4>, !tiled_view2, i32, i32
  // CHECK-NEXT: nv_tileas.tiled_store %again, %v{{.*}}: tensor<16x32xf32, [[COLUMNS]]>

  // An atomic whose result nobody needs takes the layout of what it adds, and makes its pointers in
  // it; one whose result is needed keeps its own.
  gpu.func @sums(%p: !ptr) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %end = arith.constant 128 : i32
    %x = "test.op"() {nv_tileas.layout = #wide} : () -> tensor<128xf32, #wide>
    %range = nv_tileaa.make_range %zero, %end : i32 to tensor<128xi32, #plain>
    %many = nv_tileaa.splat %p : !ptr to !t128xptr_plain
    %next = nv_tileaa.addptr %many, %range {elem_type = f32} : !t128xptr_plain, tensor<128xi32, #plain>
    %y = nv_tileas.convert_layout %x : tensor<128xf32, #wide> -> !t128xf32_plain
    %old = nv_tileaa.atomic_rmw %next, %y {nv_tileas.layout = #plain, nv_tileas.vector = #vector4, rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !t128xptr_plain, !t128xf32_plain -> !t128xf32_plain
    %used = nv_tileaa.atomic_rmw %next, %y {nv_tileas.layout = #plain, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>, rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !t128xptr_plain, !t128xf32_plain -> !t128xf32_plain
    "test.op"(%used) : (!t128xf32_plain) -> ()
    gpu.return
  }
  // CHECK:      %x = "test.op"()
  // CHECK:      %next = nv_tileaa.addptr
  // CHECK-NEXT: %old = nv_tileaa.atomic_rmw %next, %x
  // CHECK-SAME: -> tensor<128xf32, #blocked0>
  // CHECK:      [[THERE:%.*]] = nv_tileaa.addptr
  // CHECK-NEXT: %y = nv_tileas.convert_layout %x
  // CHECK-NEXT: %used = nv_tileaa.atomic_rmw [[THERE]], %y
}
