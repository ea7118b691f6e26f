; One m16n8k16 product by a warp. A thread's registers are next to each other in memory: 4 pairs of
; a, 2 pairs of b, 4 numbers of the result.
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)

define ptx_kernel void @mma(ptr addrspace(1) noalias readonly %a, ptr addrspace(1) noalias readonly %b, ptr addrspace(1) %c) "nvvm.reqntid"="32" {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr [8 x half], ptr addrspace(1) %a, i32 %lane
  %pb = getelementptr [4 x half], ptr addrspace(1) %b, i32 %lane
  %pc = getelementptr [4 x float], ptr addrspace(1) %c, i32 %lane
  %va = load <8 x half>, ptr addrspace(1) %pa, align 16
  %vb = load <4 x half>, ptr addrspace(1) %pb, align 8
  %a0 = shufflevector <8 x half> %va, <8 x half> poison, <2 x i32> <i32 0, i32 1>
  %a1 = shufflevector <8 x half> %va, <8 x half> poison, <2 x i32> <i32 2, i32 3>
  %a2 = shufflevector <8 x half> %va, <8 x half> poison, <2 x i32> <i32 4, i32 5>
  %a3 = shufflevector <8 x half> %va, <8 x half> poison, <2 x i32> <i32 6, i32 7>
  %b0 = shufflevector <4 x half> %vb, <4 x half> poison, <2 x i32> <i32 0, i32 1>
  %b1 = shufflevector <4 x half> %vb, <4 x half> poison, <2 x i32> <i32 2, i32 3>
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %a0, <2 x half> %a1, <2 x half> %a2, <2 x half> %a3, <2 x half> %b0, <2 x half> %b1, float 0.0, float 0.0, float 0.0, float 0.0)
  store { float, float, float, float } %d, ptr addrspace(1) %pc, align 4
  ret void
}
