// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a abi=host-maps}' %s | filecheck %s --check-prefix=HOST
// RUN: tileiras-opt -p 'convert-tileas-to-nvgpu{compute-capability=sm_90a}' %s | filecheck %s --check-prefix=DEVICE

// A TMA tile is copied by means of a tensor map, which the launcher makes, or the kernel when it starts.

#layout = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

!memref0 = !nv_tileaa.memref<?x512xf16, strides = [?, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<64x64, !memref0>

gpu.module @m {
  gpu.func @store(%p: !llvm.ptr<1>, %rows: i32, %stride: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %base = nv_tileaa.assume %p {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
    %size = nv_tileaa.assume %rows {predicate = #nv_tileaa.bounded<0, ?>} : i32
    %step = nv_tileaa.assume %stride {predicate = #nv_tileaa.div_by<8>} : i32
    %c = nv_tileaa.make_memref %base sizes(%size : i32) strides(%step : i32) : !llvm.ptr<1> -> !memref0
    %v = nv_tileaa.block_tile %c {tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]} : !memref0 -> !tiled_view0
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #layout>
    nv_tileas.tiled_store %x, %v[%zero, %zero] {atom = #nv_tileas.atom<tma_store>} : tensor<64x64xf16, #layout>, !tiled_view0, i32, i32
    gpu.return
  }
}

// The map is a parameter; the attribute says that it has 512 and %rows elements, rows of 2 * %stride
// bytes, and begins at parameter 0.
// HOST-NOT:  @store_map
// HOST:      gpu.func @store(%p: !llvm.ptr<1>, %rows: i32, %stride: i32, [[MAP:%.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>,
// HOST-SAME:      nvvm.grid_constant}) kernel attributes {nvgpu.host_maps = [{element = f16, base = 0 : i64, sizes = [array<i64: 512>, array<i64: 1, 1>],
// HOST-SAME:      strides = [array<i64: 2, 2>], box = array<i64: 64, 64>, swizzle = 128 : i64}]
// HOST:      [[FIRST:%.*]] = arith.cmpi eq
// HOST:      scf.if [[FIRST]] {
// HOST-NEXT:   nvvm.prefetch.tensormap [[MAP]] : !llvm.ptr
// HOST-NEXT: }
// HOST-NOT:  nvvm.fence.proxy.acquire
// Who stores asks whether there are rows: the map of a tensor without elements is that of a zero.
// HOST:      [[ROWS:%.*]] = arith.extsi %rows : i32 to i64
// HOST:      scf.if [[FIRST]] {
// HOST-NEXT:   [[SOME:%.*]] = arith.cmpi sgt, [[ROWS]], {{%.*}} : i64
// HOST-NEXT:   scf.if [[SOME]] {
// HOST:          nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP]], {{%.*}}, {{%.*}}, {{%.*}}
// HOST-NEXT:   }
// HOST-NEXT:   nvvm.cp.async.bulk.commit.group
// HOST:      gpu.return

// The first thread takes a slot of the multiprocessor. Meanwhile another warp clears memory, and its
// first lane writes the fields; then the warp copies the map to the slot. A tensor without elements
// is a zero elsewhere.
// DEVICE:      llvm.mlir.global internal @store_map_slots(dense<0> : tensor<256xi32>) {addr_space = 1 : i32, alignment = 4 : i64} : !llvm.array<256 x i32>
// DEVICE-NEXT: llvm.mlir.global internal constant @store_map_empty(dense<0> : tensor<4xi32>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
// DEVICE-NEXT: llvm.mlir.global internal @store_map_built() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<524288 x i8>
// DEVICE:      gpu.func @store(%p: !llvm.ptr<1>, %rows: i32, %stride: i32) kernel
// DEVICE:      [[THREAD:%.*]] = arith.index_cast {{%.*}} : index to i32
// DEVICE:      [[FIRST:%.*]] = arith.cmpi eq, [[THREAD]], {{%.*}} : i32
// DEVICE:      scf.if [[FIRST]] {
// DEVICE-NEXT:   [[SM:%.*]] = nvvm.read.ptx.sreg.smid : i32
// DEVICE:        [[OLD:%.*]] = llvm.atomicrmw _or [[WORD:%.*]], [[ONE:%.*]] syncscope("device") monotonic : !llvm.ptr<1>, i32
// DEVICE-NEXT:   [[BIT:%.*]], {{%.*}} = scf.while ({{%.*}} = [[ONE]], {{%.*}} = [[OLD]]) : (i32, i32) -> (i32, i32) {
// DEVICE:          llvm.atomicrmw _or [[WORD]],
// DEVICE:        }
// DEVICE-NEXT:   [[INDEX:%.*]] = llvm.intr.cttz([[BIT]])
// DEVICE:        llvm.store {{%.*}}, {{%.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// DEVICE-NEXT: }
// DEVICE-NEXT: [[WARP:%.*]] = arith.shrui [[THREAD]], {{%.*}} : i32
// DEVICE-NEXT: [[MAKES:%.*]] = arith.cmpi eq, [[WARP]], [[ONE]] : i32
// DEVICE-NEXT: scf.if [[MAKES]] {
// DEVICE:        llvm.store {{%.*}}, {{%.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// DEVICE-NEXT:   nvvm.bar.warp.sync
// DEVICE:        scf.if
// DEVICE:          [[P:%.*]] = llvm.ptrtoint %p : !llvm.ptr<1> to i64
// DEVICE:          [[IS_EMPTY:%.*]] = arith.cmpi slt
// DEVICE:          [[ZERO:%.*]] = llvm.mlir.addressof @store_map_empty : !llvm.ptr<1>
// DEVICE-NEXT:     [[NOWHERE:%.*]] = llvm.ptrtoint [[ZERO]] : !llvm.ptr<1> to i64
// DEVICE-NEXT:     [[ADDRESS:%.*]] = arith.select [[IS_EMPTY]], [[NOWHERE]], [[P]] : i64
// DEVICE:          nvgpu.tma.encode.descriptor [[BUILT:%.*]], [[ADDRESS]] dims[{{%.*}}, {{%.*}}] strides[{{%.*}}] {box = array<i32: 64, 64>, element = "f16", swizzle = 128 : i32} : !llvm.ptr<3>
// DEVICE-NEXT:   }
// DEVICE-NEXT:   nvvm.bar.warp.sync
// DEVICE-NEXT: }
// DEVICE-NEXT: gpu.barrier

// All threads find the map in the slot of their block.
// DEVICE:      [[SLOT:%.*]] = llvm.load {{%.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// DEVICE-NEXT: [[SLOTS:%.*]] = llvm.mlir.addressof @store_map_built : !llvm.ptr<1>
// DEVICE-NEXT: [[PLACE:%.*]] = llvm.getelementptr [[SLOTS]][[[SLOT]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<128 x i8>
// DEVICE:      [[MAKES:%.*]] = arith.cmpi eq, {{%.*}}, [[ONE]] : i32
// DEVICE-NEXT: scf.if [[MAKES]] {
// DEVICE:        nvvm.tensormap.cp_fenceproxy [[PLACE]], {{%.*}} {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1>, !llvm.ptr<3>
// DEVICE-NEXT:   [[PUBLISHED:%.*]] = llvm.addrspacecast [[PLACE]] : !llvm.ptr<1> to !llvm.ptr
// DEVICE-NEXT:   nvvm.fence.proxy.acquire [[PUBLISHED]], {{%.*}} {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
// DEVICE-NEXT:   nvvm.prefetch.tensormap [[PUBLISHED]] : !llvm.ptr
// DEVICE-NEXT: }
// DEVICE-NEXT: gpu.barrier
// DEVICE-NEXT: [[MAP:%.*]] = llvm.addrspacecast [[PLACE]] : !llvm.ptr<1> to !llvm.ptr
// DEVICE:      scf.if
// DEVICE:        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile [[MAP]], {{%.*}}, {{%.*}}, {{%.*}}

// When the copy has read all, the slot is free again.
// DEVICE:      nvvm.cp.async.bulk.wait_group 0 {read}
// DEVICE:      gpu.barrier
// DEVICE-NEXT: scf.if
// DEVICE:        llvm.atomicrmw _and
// DEVICE-NEXT: }
// DEVICE-NEXT: gpu.return
