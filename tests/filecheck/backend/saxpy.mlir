// RUN: xdsl-opt %s -t llvm-ir | filecheck %s
// RUN: xdsl-opt %s -t 'ptx{arch=sm_80}' | filecheck %s --check-prefix=PTX
// RUN: tileiras-opt %s -t 'llvm-ir{debug=true}' | filecheck %s --check-prefix=DEBUG
// RUN: tileiras-opt %s -t 'ptx{opt=0 debug=true}' | filecheck %s --check-prefix=LINES

// CHECK:       target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
// CHECK-NEXT:  target triple = "nvptx64-nvidia-cuda"
// CHECK-NEXT:  define ptx_kernel void @saxpy(ptr addrspace(1) noalias readonly %v1, ptr addrspace(1) align 16 noalias %v2, float %v3, i32 %v4) convergent nounwind "nvvm.maxnreg"="64" "nvvm.minctasm"="2" "nvvm.reqntid"="128,1,1" {
// CHECK-NEXT:  b0:
// CHECK-NEXT:    %v5 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT:    %v6 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NEXT:    %v7 = mul nsw i32 %v6, 128
// CHECK-NEXT:    %v8 = add i32 %v7, %v5
// CHECK-NEXT:    %v9 = icmp slt i32 %v8, %v4
// CHECK-NEXT:    br i1 %v9, label %b1, label %b2
// CHECK-NEXT:  b1:
// CHECK-NEXT:    %v10 = getelementptr inbounds float, ptr addrspace(1) %v1, i32 %v8
// CHECK-NEXT:    %v11 = getelementptr inbounds float, ptr addrspace(1) %v2, i32 %v8
// CHECK-NEXT:    %v12 = load float, ptr addrspace(1) %v10, align 4
// CHECK-NEXT:    %v13 = load float, ptr addrspace(1) %v11, align 4
// CHECK-NEXT:    %v14 = fmul contract float %v3, %v12
// CHECK-NEXT:    %v15 = fadd nnan contract float %v14, %v13
// CHECK-NEXT:    store float %v15, ptr addrspace(1) %v11, align 4
// CHECK-NEXT:    br label %b2
// CHECK-NEXT:  b2:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }
// CHECK-NEXT:  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT:  declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

// PTX:       .target sm_80
// PTX:       .visible .entry saxpy(
// PTX:       .reqntid 128, 1, 1
// PTX-NEXT:  .minnctapersm 2
// PTX-NEXT:  .maxnreg 64
// PTX:       ld.global.nc.b32
// PTX:       fma.rn.f32

// DEBUG:       define ptx_kernel void @saxpy({{.*}} !dbg [[scope:![0-9]+]] {
// DEBUG:         %v14 = fmul contract float %v3, %v12, !dbg [[line:![0-9]+]]
// DEBUG:       !llvm.dbg.cu = !{[[unit:![0-9]+]]}
// DEBUG:       [[unit]] = distinct !DICompileUnit(
// DEBUG:       [[scope]] = distinct !DISubprogram(name: "saxpy"
// DEBUG:       [[line]] = !DILocation(line: 63, column: 10, scope: [[scope]])

// LINES:       {{\.loc.1 64 10}}
// LINES:       {{\.file.1 ".*saxpy\.mlir"}}

gpu.module @kernels {
  llvm.func @saxpy(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %y: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %a: f32, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32, nvvm.maxnreg = 64 : i32} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %block = llvm.mlir.constant(128 : i32) : i32
    %base = llvm.mul %cta, %block overflow<nsw> : i32
    %i = llvm.add %base, %tid : i32
    %in = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %in, ^then, ^end
  ^then:
    %px = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr inbounds %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %vx = llvm.load %px {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %vy = llvm.load %py {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %p = llvm.fmul %a, %vx {fastmathFlags = #llvm.fastmath<contract>} : f32
    %s = llvm.fadd %p, %vy {fastmathFlags = #llvm.fastmath<contract, nnan>} : f32
    llvm.store %s, %py {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
