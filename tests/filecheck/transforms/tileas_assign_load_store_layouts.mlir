// RUN: tileiras-opt -p tileas-assign-load-store-layouts %s | filecheck %s

// Each access gets the layout in which neighbouring lanes access neighbours in memory, and how
// many elements one instruction may move; every other tensor gets a plain layout, or that of its
// operands. Where two disagree there is a conversion.

!memref0 = !nv_tileaa.memref<256x128xf32, strides = [128, 1]>
!memref1 = !nv_tileaa.memref<256x128xf32, strides = [1, 256]>
!tiled_view0 = !nv_tileaa.tiled_view<8x32, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<8x32, !memref1>
!t256xptr = tensor<256x!llvm.ptr<1>>
!ptr = !llvm.ptr<1>
!t256xi32 = tensor<256xi32>

gpu.module @m {
  gpu.func @views(%p: !ptr, %i: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !ptr
    %rows = nv_tileaa.make_memref %base : !ptr -> !memref0
    %a = nv_tileaa.block_tile %rows {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = nv_tileas.tiled_load %a[%i, %i] : !tiled_view0, i32, i32 -> tensor<8x32xf32>
    %columns = nv_tileaa.make_memref %p : !ptr -> !memref1
    %b = nv_tileaa.block_tile %columns {tileSizes = array<i64: 8, 32>, dimGroups = [[0], [1]]} : !memref1 -> !tiled_view1
    %zero = arith.constant 0 : i32
    nv_tileas.tiled_store %x, %b[%zero, %i] : tensor<8x32xf32>, !tiled_view1, i32, i32
    gpu.return
  }
  // The base and all rows are multiples of 16 bytes, so that a lane takes four neighbours of a row.
  // What is stored is transposed: there lanes are neighbours along columns. Nothing is known of
  // the base, so that one element is moved at a time. That row 0 is inside is known.
  // CHECK: #blocked0 = #nv_tileas.layout<register = {{\[\[}}0, 1], [0, 2], [4, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
  // CHECK: #blocked1 = #nv_tileas.layout<register = {{\[\[}}0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 1], [0, 2]], warp = []>
  // CHECK: #blocked2 = #nv_tileas.layout<register = {{\[\[}}32], [64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []>
  // CHECK: #blocked3 = #nv_tileas.layout<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = []>
  // CHECK:      %x = nv_tileas.tiled_load %a[%i, %i] {nv_tileas.layout = #blocked0, nv_tileas.vector = #nv_tileas.vector<width = 4, dim = 1>}
  // CHECK:      %[[turned:.*]] = nv_tileas.convert_layout %x : {{.*}} -> tensor<8x32xf32, #blocked1>
  // CHECK-NEXT: nv_tileas.tiled_store %[[turned]], %b[%zero, %i] {nv_tileas.layout = {{.*}}, nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>,
  // CHECK-SAME: in_bounds = array<i1: true, false>}

  gpu.func @pointers(%p: !ptr) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !ptr
    %zero = arith.constant 0 : i32
    %end = arith.constant 256 : i32
    %range = nv_tileaa.make_range %zero, %end : i32 to !t256xi32
    %many = nv_tileaa.splat %base : !ptr to !t256xptr
    %next = nv_tileaa.addptr %many, %range {elem_type = f16} : !t256xptr, !t256xi32
    %y = nv_tileas.load %next : !t256xptr -> tensor<256xf16>
    %squares = nv_tileaa.muli %range, %range : !t256xi32
    %apart = nv_tileaa.addptr %many, %squares {elem_type = f16} : !t256xptr, !t256xi32
    nv_tileas.store %apart, %y : !t256xptr, tensor<256xf16>
    gpu.return
  }
  // Pointers that follow each other are loaded from in vectors, for which they are converted.
  // Those that do not are accessed in the layout that they have.
  // CHECK:      %[[next:.*]] = nv_tileas.convert_layout %next
  // CHECK-NEXT: %y = nv_tileas.load %[[next]] {nv_tileas.layout = #blocked3, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>}
  // CHECK:      %[[plain:.*]] = nv_tileas.convert_layout %y : {{.*}} -> tensor<256xf16, #blocked2>
  // CHECK-NEXT: nv_tileas.store %apart, %[[plain]] : tensor<256x!llvm.ptr<1>, #blocked2>,

  // A mask that is cut at a multiple of 8 does not split vectors of 8; one at any place does. A
  // mask takes the layout of the access.
  gpu.func @masks(%p: !ptr, %n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !ptr
    %round = nv_tileaa.assume %n {predicate = #nv_tileaa.div_by<8>} : i32
    %zero = arith.constant 0 : i32
    %end = arith.constant 256 : i32
    %range = nv_tileaa.make_range %zero, %end : i32 to !t256xi32
    %many = nv_tileaa.splat %base : !ptr to !t256xptr
    %next = nv_tileaa.addptr %many, %range {elem_type = f16} : !t256xptr, !t256xi32
    %rounds = nv_tileaa.splat %round : i32 to !t256xi32
    %even = nv_tileaa.cmpi %range, %rounds {comparison_predicate = "less_than", signedness = "signed"} : !t256xi32 -> tensor<256xi1>
    %any = nv_tileaa.splat %n : i32 to !t256xi32
    %uneven = nv_tileaa.cmpi %range, %any {comparison_predicate = "less_than", signedness = "signed"} : !t256xi32 -> tensor<256xi1>
    %x = nv_tileas.load %next mask(%even : tensor<256xi1>) : !t256xptr -> tensor<256xf16>
    %y = nv_tileas.load %next mask(%uneven : tensor<256xi1>) : !t256xptr -> tensor<256xf16>
    gpu.return
  }
  // CHECK: %x = nv_tileas.load {{.*}}nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 0>
  // CHECK: %y = nv_tileas.load {{.*}}nv_tileas.vector = #nv_tileas.vector<width = 1, dim = 0>
}
