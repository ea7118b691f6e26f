// Interplay: both conversions, in either order, leave `llvm`, `nvvm`, and constants.
// RUN: tileiras-opt %s -p convert-gpu-to-nvvm,convert-nvgpu-to-nvvm,canonicalize | filecheck %s
// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm,convert-gpu-to-nvvm,canonicalize | filecheck %s

// REQ: J-12, I-05, I-07, H-01, G-01

// CHECK: gpu.module @m {
// CHECK-NOT: !nvgpu
// CHECK-NOT: unrealized
// CHECK: llvm.func @copy(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %dst: !llvm.ptr<3>,
// CHECK-SAME: %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
// CHECK-NOT: !nvgpu
// CHECK-NOT: unrealized
// CHECK: nvvm.mbarrier.init.shared
// CHECK: nvvm.bar.sync.aligned
// CHECK: nvvm.mbarrier.arrive.expect_tx.shared
// CHECK: nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %dst, %map, %{{.*}}, %{{.*}}, %bar {mode = #nvvm.load_mode<tile>} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
// CHECK: ^bb{{[0-9]+}}:
// CHECK: nvvm.mbarrier.try_wait.parity.shared
// CHECK: cf.cond_br
// CHECK-NOT: !nvgpu
// CHECK-NOT: unrealized
// CHECK: llvm.return
gpu.module @m {
  gpu.func @copy(%map: !nvgpu.tensormap.descriptor, %dst: memref<64x64xf16, 3>, %out: !llvm.ptr<1>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bytes = arith.constant 8192 : i32
    %ticks = arith.constant 10000 : i32
    %even = arith.constant false
    %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
    nvgpu.mbarrier.init %bar, %c1 : !nvgpu.mbarrier, i32
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %bar, %bytes : !nvgpu.mbarrier, i32
    nvgpu.tma.async.load %dst[%c0, %c0], %bar, %map : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
    cf.br ^bb1
  ^bb1:
    %done = nvgpu.mbarrier.try_wait.parity %bar, %even, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
    cf.cond_br %done, ^bb2, ^bb1
  ^bb2:
    gpu.return
  }
}
