; x = sin(x), by libdevice, one element for each thread.
declare float @__nv_sinf(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @sine(ptr addrspace(1) %x) "nvvm.reqntid"="128" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %thread
  %v = load float, ptr addrspace(1) %p
  %s = call float @__nv_sinf(float %v)
  store float %s, ptr addrspace(1) %p
  ret void
}
