; Copies boxes of 8 by 32 numbers out of a matrix, one for each block, by the tensor memory
; accelerator. What is outside of the matrix is zero.
@tile = internal addrspace(3) global [256 x float] undef, align 128
@barrier = internal addrspace(3) global i64 undef, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)

define ptx_kernel void @tma(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %width, i32 %height, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map) convergent "nvvm.reqntid"="256" {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %is_first = icmp eq i32 %thread, 0
  br i1 %is_first, label %init, label %ready

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @barrier, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  br label %ready

ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %is_first, label %copy, label %wait

copy:
  %column = mul i32 %bx, 32
  %row = mul i32 %by, 8
  %state = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @barrier, i32 1024)
  %tile = addrspacecast ptr addrspace(3) @tile to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %tile, ptr addrspace(3) @barrier, ptr %map, i32 %column, i32 %row, i16 0, i64 0, i1 false, i1 false, i32 0)
  br label %wait

wait:
  %done = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @barrier, i32 0)
  br i1 %done, label %store, label %wait

store:
  %from = getelementptr float, ptr addrspace(3) @tile, i32 %thread
  %v = load float, ptr addrspace(3) %from
  %above = mul i32 %by, %blocks
  %block = add i32 %above, %bx
  %first = mul i32 %block, 256
  %i = add i32 %first, %thread
  %to = getelementptr float, ptr addrspace(1) %y, i32 %i
  store float %v, ptr addrspace(1) %to
  ret void
}
