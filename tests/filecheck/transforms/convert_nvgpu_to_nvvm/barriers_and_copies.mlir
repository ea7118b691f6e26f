// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm | filecheck %s

// Barriers in shared memory, and copies of elements.
// CHECK: llvm.mlir.global internal @mbar_storage() {addr_space = 3 : i32, alignment = 8 : i64} : i64
// CHECK-NEXT: llvm.mlir.global internal @mbar_storage_1() {addr_space = 3 : i32, alignment = 8 : i64} : i64
// CHECK-NEXT: llvm.mlir.global internal @mbar_storage_2() {addr_space = 3 : i32, alignment = 8 : i64} : i64
// CHECK-NEXT: llvm.mlir.global internal @mbar_storage_3() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<4 x i64>
// CHECK-NEXT: llvm.mlir.global internal @mbar_storage_4() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>

// No two share storage.
// REQ: H-04, H-34, H-39, H-03
!mbarrier = !nvgpu.mbarrier
!token = !nvgpu.token
!token_1 = !nvgpu.mbarrier.token
!token_2 = !nvgpu.device.async.token

func.func @create() {
  %0 = "nvgpu.mbarrier.create"() : () -> !mbarrier
  %1 = "nvgpu.mbarrier.create"() : () -> !mbarrier
  %2 = "nvgpu.mbarrier.create"() : () -> !nvgpu.mbarrier.group<num_barriers = 4>
  %3 = "nvgpu.mbarrier.create"() : () -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  func.return
}
// CHECK-LABEL: func.func @create() {
// CHECK-NEXT: %0 = llvm.mlir.addressof @mbar_storage_1 : [[sptr:!llvm.ptr<3>]]
// CHECK-NEXT: %1 = llvm.mlir.addressof @mbar_storage_2 : [[sptr]]
// CHECK-NEXT: %2 = llvm.mlir.addressof @mbar_storage_3 : [[sptr]]
// CHECK-NEXT: %3 = llvm.mlir.addressof @mbar_storage_4 : [[sptr]]
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: H-05, H-06, H-07, H-08, H-09, H-10, H-35, H-36, H-37, H-38, H-42, I-10
func.func @use(%count: i32, %tx: i32, %phase: i1, %ticks: i32) {
  %bar = "nvgpu.mbarrier.create"() : () -> !mbarrier
  "nvgpu.mbarrier.init"(%bar, %count) : (!mbarrier, i32) -> ()
  %tok = "nvgpu.mbarrier.arrive"(%bar) : (!mbarrier) -> !token
  %tok1 = "nvgpu.mbarrier.arrive.nocomplete"(%bar, %count) : (!mbarrier, i32) -> !token
  "nvgpu.mbarrier.arrive.expect_tx"(%bar, %tx) : (!mbarrier, i32) -> ()
  %d = "nvgpu.mbarrier.test.wait"(%bar, %tok) : (!mbarrier, !token) -> i1
  %t = "nvgpu.mbarrier.try_wait.parity"(%bar, %phase, %ticks) : (!mbarrier, i1, i32) -> i1
  func.return
}
// CHECK-LABEL: func.func @use(%count: i32, %tx: i32, %phase: i1, %ticks: i32) {
// CHECK-NEXT: %bar = llvm.mlir.addressof @mbar_storage : [[sptr]]
// CHECK-NEXT: nvvm.mbarrier.init.shared %bar, %count : [[sptr]], i32
// CHECK-NEXT: %tok = nvvm.mbarrier.arrive.shared %bar : [[sptr]] -> i64
// CHECK-NEXT: %tok1 = nvvm.mbarrier.arrive.nocomplete.shared %bar, %count : [[sptr]], i32 -> i64
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx.shared %bar, %tx : [[sptr]], i32
// CHECK-NEXT: %d = nvvm.mbarrier.test.wait.shared %bar, %tok : [[sptr]], i64 -> i1
// CHECK-NEXT: %t = nvvm.mbarrier.try_wait.parity.shared %bar, %phase, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// Barriers and tokens keep no trace of their old types where control flow passes them on.
func.func @control_flow(%bar: !mbarrier, %token: !token_1, %c: i1) -> !mbarrier {
  %first = nvgpu.mbarrier.arrive %bar : !mbarrier -> !token
  cf.br ^bb1(%bar, %first : !mbarrier, !token)
^bb1(%b: !mbarrier, %t: !token):
  %done = nvgpu.mbarrier.test.wait %b, %t : !mbarrier, !token -> i1
  %chosen = scf.if %c -> (!token_1) {
    %new = nvgpu.mbarrier.arrive %b : !mbarrier -> !token_1
    scf.yield %new : !token_1
  } else {
    scf.yield %token : !token_1
  }
  %again = nvgpu.mbarrier.test.wait %b, %chosen : !mbarrier, !token_1 -> i1
  cf.cond_br %again, ^bb1(%b, %t : !mbarrier, !token), ^bb2
^bb2:
  func.return %b : !mbarrier
}
// CHECK-LABEL: func.func @control_flow(%bar: !llvm.ptr<3>, %token: i64, %c: i1) -> !llvm.ptr<3> {
// CHECK-NEXT: %first = nvvm.mbarrier.arrive.shared %bar : [[sptr]] -> i64
// CHECK-NEXT: cf.br ^bb1(%bar, %first : [[sptr]], i64)
// CHECK-NEXT: ^bb1(%b: [[sptr]], %t: i64):
// CHECK-NEXT: %done = nvvm.mbarrier.test.wait.shared %b, %t : [[sptr]], i64 -> i1
// CHECK-NEXT: %chosen = scf.if %c -> (i64) {
// CHECK-NEXT: %new = nvvm.mbarrier.arrive.shared %b : [[sptr]] -> i64
// CHECK-NEXT: scf.yield %new : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %token : i64
// CHECK-NEXT: }
// CHECK-NEXT: %again = nvvm.mbarrier.test.wait.shared %b, %chosen : [[sptr]], i64 -> i1
// CHECK-NEXT: cf.cond_br %again, ^bb1(%b, %t : [[sptr]], i64), ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: func.return %b : [[sptr]]
// CHECK-NEXT: }

// Tokens of copies are integers that say nothing.
// REQ: H-22, H-23, H-24, H-69, H-70, H-71, H-72
func.func @copies(%gmem: memref<1024xf32, 1>, %smem: memref<1024xf32, 3>, %plain: memref<8xf32>, %size: i32) -> !token_2 {
  %tok = "nvgpu.device_async_copy"(%gmem, %smem, %size) : (memref<1024xf32, 1>, memref<1024xf32, 3>, i32) -> !token
  %tok1 = "nvgpu.device_async_copy"(%plain, %smem, %size) {bypassL1} : (memref<8xf32>, memref<1024xf32, 3>, i32) -> !token
  %group = "nvgpu.device_async_create_group"(%tok, %tok1) : (!token, !token) -> !token
  %all = "nvgpu.device_async_create_group"() : () -> !token_2
  "nvgpu.device_async_wait"(%group) {numGroups = 0 : i32} : (!token) -> ()
  "nvgpu.device_async_wait"(%group) {numGroups = 3 : i32} : (!token) -> ()
  "nvgpu.device_async_wait"(%all) : (!token_2) -> ()
  func.return %all : !token_2
}
// CHECK-LABEL: func.func @copies(%gmem: memref<1024xf32, 1 : i64>, %smem: memref<1024xf32, 3 : i64>, %plain: memref<8xf32>, %size: i32) -> i32 {
// CHECK-NEXT: %plain_1 = builtin.unrealized_conversion_cast %plain : memref<8xf32> to !llvm.ptr
// CHECK-NEXT: %smem_1 = builtin.unrealized_conversion_cast %smem : memref<1024xf32, 3 : i64> to [[sptr]]
// CHECK-NEXT: %gmem_1 = builtin.unrealized_conversion_cast %gmem : memref<1024xf32, 1 : i64> to !llvm.ptr<1>
// CHECK-NEXT: nvvm.cp.async.shared.global %smem_1, %gmem_1, %size : [[sptr]], !llvm.ptr<1>, i32
// CHECK-NEXT: %tok = arith.constant 0 : i32
// CHECK-NEXT: %0 = llvm.addrspacecast %plain_1 : !llvm.ptr to !llvm.ptr<1>
// CHECK-NEXT: nvvm.cp.async.shared.global %smem_1, %0, %size {modifier = #nvvm<load_cache_modifier cg>} : [[sptr]], !llvm.ptr<1>, i32
// CHECK-NEXT: %tok1 = arith.constant 0 : i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: %group = arith.constant 0 : i32
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-NEXT: %all = arith.constant 0 : i32
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.cp.async.wait.group 3
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: func.return %all : i32
// CHECK-NEXT: }

// Without a wrapper in `nvgpu`.
// REQ: H-32, H-33
func.func @lower(%bar: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32) {
  nvvm.mbarrier.inval.shared %bar : !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.reduce %map, %x, %bar {red_op = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, i32, !llvm.ptr<3>
  func.return
}
// CHECK-LABEL: func.func @lower(%bar: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32) {
// CHECK-NEXT: nvvm.mbarrier.inval.shared %bar : [[sptr]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.reduce %map, %x, %bar {red_op = #nvvm.tma_redux_kind<xor>} : !llvm.ptr, i32, [[sptr]]
// CHECK-NEXT: func.return
// CHECK-NEXT: }
