// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90}' %s | filecheck %s

// Another block may write between the reads of two threads. So an element that several threads hold
// is read once if the read is strong, by its owner, and the others get it from shared memory: the
// threads of a block agree on what they branch on.

#one = #nv_tileas.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>
#copies = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
#own = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

"gpu.module"() <{sym_name = "m"}> ({
  "gpu.func"() <{function_type = (!llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>, %i: i32):
    %m = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<1024xi32, strides = [1]>
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 1>, dimGroups = [[0]]} : !nv_tileaa.memref<1024xi32, strides = [1]> -> !nv_tileaa.tiled_view<1, !nv_tileaa.memref<1024xi32, strides = [1]>>
    %x = nv_tileas.tiled_load %v[%i] {mem_semantic = "acquire", mem_scope = "gpu"} : !nv_tileaa.tiled_view<1, !nv_tileaa.memref<1024xi32, strides = [1]>>, i32 -> tensor<1xi32, #one>
    "gpu.return"() : () -> ()
  }) {sym_name = "view", nv_tileas.num_warps = 4 : i32} : () -> ()
  // CHECK:      [[OWNER:%.*]] = arith.cmpi eq
  // CHECK:      [[MINE:%.*]] = vector.broadcast [[OWNER]] : i1 to vector<1xi1>
  // CHECK-NEXT: [[MASK:%.*]] = arith.andi {{%.*}}, [[MINE]] : vector<1xi1>
  // CHECK-NEXT: [[X:%.*]] = nvvm.fragment.load {{%.*}} mask([[MASK]] : vector<1xi1>) {alignment = 4 : i64, semantic = "acquire", scope = "gpu"} : vector<1x!llvm.ptr<1>> -> vector<1xi32>
  // CHECK:      nvvm.fragment.store [[X]], {{%.*}} mask({{%.*}} : vector<1xi1>) {{.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: "gpu.barrier"() : () -> ()
  // CHECK:      nvvm.fragment.load {{%.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi32>
  // CHECK:      sym_name = "view"

  // Through pointers, relaxed or volatile, and with some threads that hold copies.
  "gpu.func"() <{function_type = (!llvm.ptr<1>) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>):
    %q = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #copies>
    %x = nv_tileas.load %q {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    %y = nv_tileas.load %q {volatile} : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    "gpu.return"() : () -> ()
  }) {sym_name = "pointers", nv_tileas.num_warps = 4 : i32} : () -> ()
  // CHECK:      [[X:%.*]] = nvvm.fragment.load {{%.*}} mask({{%.*}} : vector<1xi1>) {alignment = 4 : i64, semantic = "relaxed", scope = "gpu"}
  // CHECK:      nvvm.fragment.store [[X]], {{%.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: "gpu.barrier"() : () -> ()
  // CHECK:      nvvm.fragment.load {{%.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi32>
  // CHECK:      [[Y:%.*]] = nvvm.fragment.load {{%.*}} mask({{%.*}} : vector<1xi1>) {{.*}}volatile
  // CHECK:      nvvm.fragment.store [[Y]], {{%.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: "gpu.barrier"() : () -> ()
  // CHECK:      sym_name = "pointers"

  // Where each thread has elements of its own there is nothing to agree on, nor if reads are weak.
  "gpu.func"() <{function_type = (!llvm.ptr<1>) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>):
    %q = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<128x!llvm.ptr<1>, #own>
    %x = nv_tileas.load %q {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<128x!llvm.ptr<1>, #own> -> tensor<128xi32, #own>
    %r = nv_tileaa.splat %p : !llvm.ptr<1> to tensor<64x!llvm.ptr<1>, #copies>
    %y = nv_tileas.load %r : tensor<64x!llvm.ptr<1>, #copies> -> tensor<64xi32, #copies>
    "gpu.return"() : () -> ()
  }) {sym_name = "no_copies", nv_tileas.num_warps = 4 : i32} : () -> ()
  // CHECK:      nvvm.fragment.load {{%.*}} {alignment = 4 : i64, semantic = "relaxed", scope = "gpu"}
  // CHECK-NOT:  gpu.barrier
  // CHECK:      sym_name = "no_copies"

  // The address of memory on the heap is shared so, too. Threads may still read it when the first of
  // them writes what it has loaded: to another place.
  "gpu.func"() <{function_type = (!llvm.ptr<1>) -> (), kernel}> ({
  ^entry(%p: !llvm.ptr<1>):
    %m = nv_tileaa.alloca {num_elem = 256 : i64, alignment = 16 : i64, elem_type = i32, global} : !llvm.ptr<1>
    %x = nv_tileas.load %p {mem_semantic = "acquire", mem_scope = "tl_blk"} : !llvm.ptr<1> -> i32
    "gpu.return"() : () -> ()
  }) {sym_name = "heap", nv_tileas.num_warps = 4 : i32} : () -> ()
  // CHECK:      llvm.call @malloc
  // CHECK:      llvm.getelementptr inbounds {{%.*}}[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK:      nvvm.fragment.store {{.*}} : vector<1xi64>, vector<1x!llvm.ptr<3>>
  // CHECK-NEXT: "gpu.barrier"() : () -> ()
  // CHECK:      nvvm.fragment.load {{.*}} : vector<1x!llvm.ptr<3>> -> vector<1xi64>
  // CHECK:      llvm.getelementptr inbounds {{%.*}}[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK:      nvvm.fragment.store {{.*}} : vector<1xi32>, vector<1x!llvm.ptr<3>>
  // CHECK:      sym_name = "heap"
}) : () -> ()
