; Reverses 128 integers through shared memory.
@buffer = internal addrspace(3) global [128 x i32] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define ptx_kernel void @reverse(ptr addrspace(1) %x) convergent "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %other = sub i32 127, %thread
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %thread
  %v = load i32, ptr addrspace(1) %p
  %to = getelementptr i32, ptr addrspace(3) @buffer, i32 %thread
  store i32 %v, ptr addrspace(3) %to
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %from = getelementptr i32, ptr addrspace(3) @buffer, i32 %other
  %w = load i32, ptr addrspace(3) %from
  store i32 %w, ptr addrspace(1) %p
  ret void
}
