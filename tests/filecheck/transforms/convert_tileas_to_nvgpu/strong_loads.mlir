// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90}' %s | filecheck %s

// Another CTA may write between the reads of two threads. So an element that several threads hold
// is read once if the read is strong, by its owner, and the others get it from shared memory: the
// threads of a block agree on what they branch on.

#one = #nv_tileas.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>
#copies = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
#own = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

!memref0 = !nv_tileaa.memref<1024xi32, strides = [1]>
!tiled_view0 = !nv_tileaa.tiled_view<1, !memref0>

gpu.module @m {
  gpu.func @view(%p: !llvm.ptr<1>, %i: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %m = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1>, dimGroups = [[0]]} : !memref0 -> !tiled_view0
    %x = nv_tileas.tiled_load %v[%i] {mem_semantic = "acquire", mem_scope = "gpu"} : !tiled_view0, i32 -> tensor<1xi32, #one>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @view(
  // CHECK:      [[OWNER:%.*]] = arith.cmpi eq
  // CHECK:      [[MINE:%.*]] = vector.broadcast [[OWNER]] : i1 to vector<1xi1>
  // CHECK-NEXT: [[MASK:%.*]] = arith.andi {{%.*}}, [[MINE]] : vector<1xi1>
  // CHECK-NEXT: [[X:%.*]] = nvvm.fragment.load {{%.*}} mask([[MASK]] : vector<1xi1>) {alignment = 4 : i64, semantic = "acquire", scope = "gpu"} : vector<1x!llvm.ptr<1>> -> vector<1xi32>
  // CHECK:      nvvm.fragment.store [[X]], {{%.*}} mask({{%.*}} : vector<1xi1>) {{.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load {{%.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi32>
  // CHECK:      gpu.return

  // Through pointers, relaxed or volatile, and with some threads that hold copies.
  gpu.func @pointers(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %q = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #copies>
    %x = nv_tileas.load %q {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    %y = nv_tileas.load %q {volatile} : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @pointers(
  // CHECK:      [[X:%.*]] = nvvm.fragment.load {{%.*}} mask({{%.*}} : vector<1xi1>) {alignment = 4 : i64, semantic = "relaxed", scope = "gpu"}
  // CHECK:      nvvm.fragment.store [[X]], {{%.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load {{%.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi32>
  // CHECK:      [[Y:%.*]] = nvvm.fragment.load {{%.*}} mask({{%.*}} : vector<1xi1>) {{.*}}volatile
  // CHECK:      nvvm.fragment.store [[Y]], {{%.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK:      gpu.return

  // Where each thread has elements of its own there is nothing to agree on, nor if reads are weak.
  gpu.func @no_copies(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %q = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<128x!llvm.ptr<1>, #own>
    %x = nv_tileas.load %q {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<128x!llvm.ptr<1>, #own> -> tensor<128xi32, #own>
    %r = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #copies>
    %y = nv_tileas.load %r : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_copies(
  // CHECK:      nvvm.fragment.load {{%.*}} {alignment = 4 : i64, semantic = "relaxed", scope = "gpu"}
  // CHECK-NOT:  gpu.barrier
  // CHECK:      gpu.return

  // The address of memory on the heap is shared so, too. Threads may still read it when the first of
  // them writes what it has loaded: to another place.
  gpu.func @heap(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %m = nv_tileaa.alloca {num_elem = 256 : i64, alignment = 16 : i64, elem_type = i32, global} : !llvm.ptr<1>
    %x = nv_tileas.load %p {mem_semantic = "acquire", mem_scope = "tl_blk"} : !llvm.ptr<1> -> i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @heap(
  // CHECK:      llvm.call @malloc
  // CHECK:      llvm.getelementptr inbounds {{%.*}}[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK:      nvvm.fragment.store {{.*}} : vector<1xi64>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: gpu.barrier
  // CHECK:      nvvm.fragment.load {{.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi64>
  // CHECK:      llvm.getelementptr inbounds {{%.*}}[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK:      nvvm.fragment.store {{.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK:      gpu.return
}
