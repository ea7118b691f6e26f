// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm --print-local-scope | filecheck %s

// Copies of TMA tiles of tensors, and tensor maps.

// REQ: H-11, H-43, H-44, H-45, H-46, H-47, H-48, H-49, H-50, H-51, H-54, H-58
!descriptor = !nvgpu.tensormap.descriptor
!ptr3 = !llvm.ptr<3>
!descriptor_1 = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = nan, interleave = none>

func.func @load_3d(%smem: memref<128x128xf16, 3>, %bar: !nvgpu.mbarrier.group, %tmap: !descriptor, %c0: i32, %c1: i32, %c2: i32, %mask: i16, %hint: i64) {
  "nvgpu.tma.async.load"(%smem, %bar, %tmap, %c0, %c1, %c2, %mask, %hint) {operandSegmentSizes = array<i32: 1, 1, 1, 3, 1, 1>} : (memref<128x128xf16, 3>, !nvgpu.mbarrier.group, !descriptor, i32, i32, i32, i16, i64) -> ()
  func.return
}
// CHECK-LABEL: func.func @load_3d(%smem: memref<128x128xf16, 3 : i64>, %bar: !llvm.ptr<3>, %tmap: !llvm.ptr, %c0: i32, %c1: i32, %c2: i32, %mask: i16, %hint: i64) {
// CHECK-NEXT: %smem_1 = builtin.unrealized_conversion_cast %smem : memref<128x128xf16, 3 : i64> to [[sptr:!llvm.ptr<3>]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.3d.shared.cluster.global.tile %smem_1, %tmap, %c0, %c1, %c2, %bar, %mask, %hint {multicastEnable, cacheHintEnable, mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, i32, i32, [[sptr]], i16, i64
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-52, H-53
func.func @loads(%p: !ptr3, %bar: !nvgpu.mbarrier, %map: !descriptor, %x: i32, %y: i32, %z: i32, %u: i32, %v: i32, %mask: i16, %hint: i64) {
  nvgpu.tma.async.load %p[%x], %bar, %map : !ptr3, !nvgpu.mbarrier, !descriptor
  nvgpu.tma.async.load %p[%x, %y], %bar, %map l2CacheHint = %hint : !ptr3, !nvgpu.mbarrier, !descriptor
  nvgpu.tma.async.load %p[%x, %y, %z], %bar, %map multicastMask = %mask : !ptr3, !nvgpu.mbarrier, !descriptor
  nvgpu.tma.async.load %p[%x, %y, %z, %u], %bar, %map : !ptr3, !nvgpu.mbarrier, !descriptor
  nvgpu.tma.async.load %p[%x, %y, %z, %u, %v], %bar, %map multicastMask = %mask l2CacheHint = %hint : !ptr3, !nvgpu.mbarrier, !descriptor
  func.return
}
// CHECK-LABEL: func.func @loads(%p: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32, %y: i32, %z: i32, %u: i32, %v: i32, %mask: i16, %hint: i64) {
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %p, %map, %x, %bar {mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %p, %map, %x, %y, %bar, %hint {cacheHintEnable, mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, i32, [[sptr]], i64
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.3d.shared.cluster.global.tile %p, %map, %x, %y, %z, %bar, %mask {multicastEnable, mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, i32, i32, [[sptr]], i16
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.4d.shared.cluster.global.tile %p, %map, %x, %y, %z, %u, %bar {mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, i32, i32, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.5d.shared.cluster.global.tile %p, %map, %x, %y, %z, %u, %v, %bar, %mask, %hint {multicastEnable, cacheHintEnable, mode = #nvvm.load_mode<tile>} : [[sptr]], !llvm.ptr, i32, i32, i32, i32, i32, [[sptr]], i16, i64
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-12, H-55, H-56
func.func @stores(%smem: memref<64x64xf16, 3>, %tmap: !descriptor, %x: i32, %y: i32, %hint: i64) {
  "nvgpu.tma.async.store"(%smem, %tmap, %x, %y) {operandSegmentSizes = array<i32: 1, 1, 2, 0>} : (memref<64x64xf16, 3>, !descriptor, i32, i32) -> ()
  nvgpu.tma.async.store %smem, %tmap[%x] l2CacheHint = %hint : memref<64x64xf16, 3>, !descriptor
  nvgpu.tma.async.store %smem, %tmap[%x, %y, %x] : memref<64x64xf16, 3>, !descriptor
  nvgpu.tma.async.store %smem, %tmap[%x, %y, %x, %y] : memref<64x64xf16, 3>, !descriptor
  nvgpu.tma.async.store %smem, %tmap[%x, %y, %x, %y, %x] l2CacheHint = %hint : memref<64x64xf16, 3>, !descriptor
  func.return
}
// CHECK-LABEL: func.func @stores(%smem: memref<64x64xf16, 3 : i64>, %tmap: !llvm.ptr, %x: i32, %y: i32, %hint: i64) {
// CHECK-NEXT: %smem_1 = builtin.unrealized_conversion_cast %smem : memref<64x64xf16, 3 : i64> to [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %tmap, %x, %y, %smem_1 : !llvm.ptr, i32, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.1d.global.shared.cta.tile %tmap, %x, %smem_1, %hint {cacheHintEnable} : !llvm.ptr, i32, [[sptr]], i64
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.3d.global.shared.cta.tile %tmap, %x, %y, %x, %smem_1 : !llvm.ptr, i32, i32, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.4d.global.shared.cta.tile %tmap, %x, %y, %x, %y, %smem_1 : !llvm.ptr, i32, i32, i32, i32, [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.5d.global.shared.cta.tile %tmap, %x, %y, %x, %y, %x, %smem_1, %hint {cacheHintEnable} : !llvm.ptr, i32, i32, i32, i32, i32, [[sptr]], i64
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-14, H-15
func.func @map(%map: !descriptor) {
  "nvgpu.tma.prefetch.descriptor"(%map) : (!descriptor) -> ()
  "nvgpu.tma.fence.descriptor"(%map) : (!descriptor) -> ()
  func.return
}
// CHECK-LABEL: func.func @map(%map: !llvm.ptr) {
// CHECK-NEXT: nvvm.prefetch.tensormap %map : !llvm.ptr
// CHECK-NEXT: nvvm.fence.proxy.acquire.sync %map : !llvm.ptr
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// A block of parameters, which uses never read.
// REQ: H-13, H-57, I-11
func.func @create(%tensor: memref<64x128xf16, 1>, %h: index, %w: index) {
  %any = "memref.cast"(%tensor) : (memref<64x128xf16, 1>) -> memref<*xf16, 1>
  cf.br ^bb1
^bb1:
  %map = nvgpu.tma.create.descriptor %any box[%h, %w] : memref<*xf16, 1> -> !descriptor_1
  nvgpu.tma.prefetch.descriptor %map : !descriptor_1
  func.return
}
// CHECK-LABEL: func.func @create(%tensor: memref<64x128xf16, 1 : i64>, %h: index, %w: index) {
// CHECK-NEXT: %tensor_1 = builtin.unrealized_conversion_cast %tensor : memref<64x128xf16, 1 : i64> to !llvm.ptr<1>
// CHECK-NEXT: %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: %map = llvm.alloca %0 x !llvm.array<128 x i8> {alignment = 64 : i64} : (i32) -> !llvm.ptr
// CHECK-NEXT: %any = "memref.cast"(%tensor) : (memref<64x128xf16, 1 : i64>) -> memref<*xf16, 1 : i64>
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %1 = llvm.addrspacecast %tensor_1 : !llvm.ptr<1> to !llvm.ptr
// CHECK-NEXT: %2 = llvm.ptrtoint %1 : !llvm.ptr to i64
// CHECK-NEXT: %3 = llvm.getelementptr %map[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %2, %3 : i64, !llvm.ptr
// CHECK-NEXT: %4 = arith.constant 2 : i32
// CHECK-NEXT: %5 = llvm.getelementptr %map[8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %4, %5 : i32, !llvm.ptr
// CHECK-NEXT: %6 = arith.constant 6 : i32
// CHECK-NEXT: %7 = llvm.getelementptr %map[12] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %6, %7 : i32, !llvm.ptr
// CHECK-NEXT: %8 = arith.constant 0 : i32
// CHECK-NEXT: %9 = llvm.getelementptr %map[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %8, %9 : i32, !llvm.ptr
// CHECK-NEXT: %10 = arith.constant 3 : i32
// CHECK-NEXT: %11 = llvm.getelementptr %map[20] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %10, %11 : i32, !llvm.ptr
// CHECK-NEXT: %12 = arith.constant 3 : i32
// CHECK-NEXT: %13 = llvm.getelementptr %map[24] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %12, %13 : i32, !llvm.ptr
// CHECK-NEXT: %14 = arith.constant 1 : i32
// CHECK-NEXT: %15 = llvm.getelementptr %map[28] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %14, %15 : i32, !llvm.ptr
// CHECK-NEXT: %16 = arith.constant 128 : i32
// CHECK-NEXT: %17 = llvm.getelementptr %map[32] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %16, %17 : i32, !llvm.ptr
// CHECK-NEXT: %18 = arith.index_cast %w : index to i32
// CHECK-NEXT: %19 = llvm.getelementptr %map[52] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %18, %19 : i32, !llvm.ptr
// CHECK-NEXT: %20 = arith.constant 64 : i32
// CHECK-NEXT: %21 = llvm.getelementptr %map[36] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %20, %21 : i32, !llvm.ptr
// CHECK-NEXT: %22 = arith.index_cast %h : index to i32
// CHECK-NEXT: %23 = llvm.getelementptr %map[56] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %22, %23 : i32, !llvm.ptr
// CHECK-NEXT: %24 = arith.constant 256 : i64
// CHECK-NEXT: %25 = llvm.getelementptr %map[72] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.store %24, %25 : i64, !llvm.ptr
// CHECK-NEXT: nvvm.prefetch.tensormap %map : !llvm.ptr
// CHECK-NEXT: func.return
// CHECK-NEXT: }

func.func @create_dynamic(%tensor: memref<?x8xf32, strided<[?, 1]>>, %h: index, %w: index) {
  %map = nvgpu.tma.create.descriptor %tensor box[%h, %w] : memref<?x8xf32, strided<[?, 1]>> -> !descriptor
  func.return
}
// CHECK-LABEL: func.func @create_dynamic
// CHECK: memref.dim
// CHECK: memref.extract_strided_metadata

// Address, extents, strides, between two fences.
// REQ: H-59, H-73, I-12
func.func @rebind(%map: !descriptor, %p: !llvm.ptr<1>, %x: i32, %y: i32, %z: i32, %s: i64, %t: i64) {
  nvgpu.tma.rebind.descriptor %map, %p dims[%x, %y, %z] strides[%s, %t] : !descriptor, !llvm.ptr<1>
  func.return
}
// CHECK-LABEL: func.func @rebind(%map: !llvm.ptr, %p: !llvm.ptr<1>, %x: i32, %y: i32, %z: i32, %s: i64, %t: i64) {
// CHECK-NEXT: %0 = arith.constant 128 : i32
// CHECK-NEXT: nvvm.fence.proxy.acquire %map, %0 {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
// CHECK-NEXT: %1 = llvm.ptrtoint %p : !llvm.ptr<1> to i64
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_address.b1024.b64 [$0], $1;", "l,l,~{memory}" %map, %1 : (!llvm.ptr, i64) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %map, %x : (!llvm.ptr, i32) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.b1024.b32 [$0], 1, $1;", "l,r,~{memory}" %map, %y : (!llvm.ptr, i32) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.b1024.b32 [$0], 2, $1;", "l,r,~{memory}" %map, %z : (!llvm.ptr, i32) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_stride.b1024.b64 [$0], 0, $1;", "l,l,~{memory}" %map, %s : (!llvm.ptr, i64) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_stride.b1024.b64 [$0], 1, $1;", "l,l,~{memory}" %map, %t : (!llvm.ptr, i64) -> ()
// CHECK-NEXT: nvvm.fence.proxy.release {scope = #nvvm.mem_scope<gpu>}
// CHECK-NEXT: func.return
// CHECK-NEXT: }

func.func @rebind_global(%map: !llvm.ptr<1>, %address: i64, %x: i32) {
  nvgpu.tma.rebind.descriptor %map, %address dims[%x] strides[] {scope = #nvvm.mem_scope<sys>} : !llvm.ptr<1>, i64
  func.return
}
// CHECK-LABEL: func.func @rebind_global(%map: !llvm.ptr<1>, %address: i64, %x: i32) {
// CHECK-NEXT: %0 = arith.constant 128 : i32
// CHECK-NEXT: nvvm.fence.proxy.acquire %map, %0 {scope = #nvvm.mem_scope<sys>} : !llvm.ptr<1>, i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_address.global.b1024.b64 [$0], $1;", "l,l,~{memory}" %map, %address : (!llvm.ptr<1>, i64) -> ()
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.global.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %map, %x : (!llvm.ptr<1>, i32) -> ()
// CHECK-NEXT: nvvm.fence.proxy.release {scope = #nvvm.mem_scope<sys>}
// CHECK-NEXT: func.return
// CHECK-NEXT: }
