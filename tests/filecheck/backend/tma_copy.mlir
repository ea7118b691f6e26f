// RUN: tileiras-opt %s -t llvm-ir | filecheck %s
// RUN: tileiras-opt %s -t ptx | filecheck %s --check-prefix=PTX

// A box through shared memory, by the tensor memory accelerator.

// CHECK:       @box = internal addrspace(3) global [8192 x i8] poison, align 1024
// CHECK-NEXT:  @full = internal addrspace(3) global i64 poison, align 8
// CHECK-NEXT:  define ptx_kernel void @copy(ptr align 64 byval([128 x i8]) "nvvm.grid_constant" %v1, ptr align 64 byval([128 x i8]) "nvvm.grid_constant" %v2, i32 %v3, i32 %v4) convergent nounwind "nvvm.cluster_dim"="1,1,1" "nvvm.reqntid"="128" {
// CHECK:         call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 1)
// CHECK-NEXT:    call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
// CHECK:         call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @full, i32 8192)
// CHECK-NEXT:    [[number:%v[0-9]+]] = ptrtoint ptr addrspace(3) @box to i64
// CHECK-NEXT:    [[own:%v[0-9]+]] = inttoptr i64 [[number]] to ptr addrspace(7)
// CHECK-NEXT:    call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) [[own]], ptr addrspace(3) @full, ptr %v1, i32 %v3, i32 %v4, i16 0, i64 0, i1 0, i1 0, i32 0)
// CHECK:         call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta(ptr addrspace(3) @full, i32 0, i32 10000000)
// CHECK:         call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) @box, ptr %v2, i32 %v3, i32 %v4, i64 0, i1 0)

// PTX:      .param .align 64 .b8 copy_param_0[128]
// PTX:      mbarrier.init.shared.b64
// PTX:      cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// PTX:      mbarrier.try_wait.parity
// PTX:      cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX:      cp.async.bulk.wait_group.read 0

!ptr3 = !llvm.ptr<3>

gpu.module @kernels {
  llvm.mlir.global internal @box() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8192 x i8>
  llvm.mlir.global internal @full() {addr_space = 3 : i32, alignment = 8 : i64} : i64

  llvm.func @copy(%from: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %to: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %x: i32, %y: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, nvvm.cluster_dim = array<i32: 1, 1, 1>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %bytes = llvm.mlir.constant(8192 : i32) : i32
    %ticks = llvm.mlir.constant(10000000 : i32) : i32
    %phase = llvm.mlir.constant(false) : i1
    %box = llvm.mlir.addressof @box : !ptr3
    %bar = llvm.mlir.addressof @full : !ptr3
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %leads = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %leads, ^init, ^ready
  ^init:
    nvvm.prefetch.tensormap %from : !llvm.ptr
    nvvm.mbarrier.init.shared %bar, %one : !ptr3, i32
    nvvm.fence.mbarrier.init
    llvm.br ^ready
  ^ready:
    nvvm.bar.sync.aligned %zero : i32
    llvm.cond_br %leads, ^issue, ^wait
  ^issue:
    nvvm.mbarrier.arrive.expect_tx.shared %bar, %bytes : !ptr3, i32
    nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %box, %from, %x, %y, %bar {mode = #nvvm.load_mode<tile>} : !ptr3, !llvm.ptr, i32, i32, !ptr3
    llvm.br ^wait
  ^wait:
    %done = nvvm.mbarrier.try_wait.parity.shared %bar, %phase, %ticks : !ptr3, i1, i32 -> i1
    llvm.cond_br %done, ^arrived, ^wait
  ^arrived:
    llvm.cond_br %leads, ^store, ^end
  ^store:
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %to, %x, %y, %box : !llvm.ptr, i32, i32, !ptr3
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^end
  ^end:
    llvm.return
  }
}
