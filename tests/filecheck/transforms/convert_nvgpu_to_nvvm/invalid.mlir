// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir -p convert-nvgpu-to-nvvm --allow-unregistered-dialect --verify-diagnostics --split-input-file | filecheck %t.mlir

!descriptor = !nvgpu.tensormap.descriptor

// -----

// What is left of `nvgpu` is named; wrappers that do not exist are not made up.
// REQ: H-01, H-02, H-32, H-33, I-05
func.func @unknown() {
  // CHECK: failed to convert nvgpu to nvvm: 'nvgpu.mbarrier.inval' op has no conversion
  "nvgpu.mbarrier.inval"() : () -> ()
  func.return
}

func.func @reduce() {
  // CHECK: failed to convert nvgpu to nvvm: 'nvgpu.tma.async.reduce' op has no conversion
  "nvgpu.tma.async.reduce"() : () -> ()
  func.return
}

// REQ: H-40, I-06
func.func @no_barrier(%x: i32, %count: i32) {
  // CHECK: operand #0 must be mbarrier barrier type, but got 'i32'
  "nvgpu.mbarrier.init"(%x, %count) : (i32, i32) -> ()
  func.return
}

func.func @global_barrier(%x: !nvgpu.mbarrier.group<memorySpace = 1>, %count: i32) {
  // CHECK: operand #0 must be mbarrier barrier type, but got '!nvgpu.mbarrier.group<memorySpace = 1>'
  "nvgpu.mbarrier.init"(%x, %count) : (!nvgpu.mbarrier.group<memorySpace = 1>, i32) -> ()
  func.return
}

// A cast of the address space would change which memory is meant.
// REQ: H-41, I-10
func.func @generic(%p: !llvm.ptr) {
  %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr to !nvgpu.mbarrier
  // CHECK: 'nvgpu.mbarrier.arrive' op operand #0 must be mbarrier barrier type, but got '!llvm.ptr'
  %t = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
  func.return
}

func.func @load(%dst: !llvm.ptr<3>, %p: !llvm.ptr<1>, %map: !descriptor, %x: i32) {
  %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<1> to !nvgpu.mbarrier
  // CHECK: 'nvgpu.tma.async.load' op operand #1 must be mbarrier barrier type, but got '!llvm.ptr<1>'
  nvgpu.tma.async.load %dst[%x], %bar, %map : !llvm.ptr<3>, !nvgpu.mbarrier, !descriptor
  func.return
}

// Ranks are 1 to 5.
func.func @rank(%dst: !llvm.ptr<3>, %bar: !nvgpu.mbarrier, %map: !descriptor, %x: i32) {
  // CHECK: expects 1 to 5 coordinates, but got 6
  nvgpu.tma.async.load %dst[%x, %x, %x, %x, %x, %x], %bar, %map : !llvm.ptr<3>, !nvgpu.mbarrier, !descriptor
  func.return
}

// REQ: H-60
gpu.module @m {
  gpu.func @k(%map: !descriptor, %address: i64, %x: i32) kernel attributes {gpu.known_cluster_size = array<i32: 2, 1, 1>} {
    // CHECK: 'nvgpu.tma.rebind.descriptor' op has scope 'cta', but other CTAs of the cluster see the map
    nvgpu.tma.rebind.descriptor %map, %address dims[%x] strides[] {scope = #nvvm.mem_scope<cta>} : !descriptor, i64
    gpu.return
  }
}

func.func @strides(%map: !descriptor, %address: i64, %x: i32) {
  // CHECK: expects 1 strides for 2 dimensions, but got 0
  nvgpu.tma.rebind.descriptor %map, %address dims[%x, %x] strides[] : !descriptor, i64
  func.return
}

func.func @unranked(%tensor: memref<*xf16>, %h: index) {
  // CHECK: 'nvgpu.tma.create.descriptor' op needs a memref whose rank is known, or a cast of one, but got 'memref<*xf16>'
  %map = nvgpu.tma.create.descriptor %tensor box[%h] : memref<*xf16> -> !descriptor
  func.return
}

func.func @swizzle(%tensor: memref<8xf16>, %h: index) {
  // CHECK: 'nvgpu.tma.create.descriptor' op has an unknown swizzle 'swizzle_7b' (expected one of none, swizzle_32b, swizzle_64b, swizzle_128b)
  %map = nvgpu.tma.create.descriptor %tensor box[%h] : memref<8xf16> -> !nvgpu.tensormap.descriptor<swizzle = swizzle_7b>
  func.return
}

// REQ: H-68
func.func @three(%smem: memref<256xi32, 3>) {
  // CHECK: num must be 1, 2 or 4, but got 3
  %v = "nvgpu.ldmatrix"(%smem) {num = 3 : i32, transpose = false} : (memref<256xi32, 3>) -> vector<3xi32>
  func.return
}

func.func @not_tf32(%a: vector<4xf32>, %b: vector<2xf32>, %c: vector<4xf32>) {
  // CHECK: 'nvgpu.mma.sync' op multiplies f32, which needs tf32Enabled
  %0 = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<4xf32>, vector<2xf32>, vector<4xf32>) -> vector<4xf32>
  func.return
}

func.func @wrong_store(%d: vector<4xf32>, %dst: memref<64x16xf32, 3>) {
  // CHECK: 'nvgpu.warpgroup.mma.store' op cannot store 4 elements per thread to 'memref<64x16xf32, 3 : i64>'
  nvgpu.warpgroup.mma.store %d, %dst : vector<4xf32> to memref<64x16xf32, 3>
  func.return
}

func.func @tiles(%a: vector<8xf16>, %b: i64, %c: vector<8xf32>) {
  // CHECK: 'nvgpu.warpgroup.mma' op has several tiles of rows, but A in registers
  %0 = nvgpu.warpgroup.mma %a, %b, %c {m_tiles = 2 : i32} : vector<8xf16>, i64, vector<8xf32>
  func.return
}

func.func @uneven(%a: i64, %b: i64, %c: vector<8xf32>) {
  // CHECK: m_tiles = 3 does not divide 'vector<8xf32>'
  %0 = nvgpu.warpgroup.mma %a, %b, %c {m_tiles = 3 : i32} : i64, i64, vector<8xf32>
  func.return
}
