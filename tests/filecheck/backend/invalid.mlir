// RUN: tileiras-opt %s -t 'llvm-ir{arch=sm_80}' --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'nvvm.wgmma.fence.aligned' needs sm_90a, the target is sm_80
llvm.func @f() {
  nvvm.wgmma.fence.aligned
  llvm.return
}

// -----

// CHECK: 'nvvm.prefetch.tensormap' needs sm_90 or later, the target is sm_80
llvm.func @f(%p: !llvm.ptr) {
  nvvm.prefetch.tensormap %p : !llvm.ptr
  llvm.return
}

// -----

// CHECK: 'arith.addi' has no translation to LLVM IR
llvm.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  llvm.return
}

// -----

// CHECK: 'func.func' has no translation to LLVM IR
func.func @f() {
  func.return
}

// -----

// CHECK: the size of 'nvvm.cp.async.shared.global' must be a constant
llvm.func @f(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %n: i32) {
  nvvm.cp.async.shared.global %s, %g, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
  llvm.return
}

// -----

// CHECK: there is no syncscope 'warp' (expected one of sys, system, gpu, device, cluster, cta, block, singlethread)
llvm.func @f(%p: !llvm.ptr<1>) {
  %0 = llvm.load %p atomic syncscope("warp") acquire : !llvm.ptr<1> -> i32
  llvm.return
}
