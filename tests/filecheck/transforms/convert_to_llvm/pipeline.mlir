// Interplay: the conversions of control flow, `gpu` and `nvgpu`, then the one to `llvm`.
// RUN: tileiras-opt %s -p convert-scf-while-to-cf,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvgpu-to-nvvm,convert-to-llvm | filecheck %s

gpu.module @kernels {
  gpu.func @k(%p: !llvm.ptr<1>, %n: index) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0.000000e+00 : f32
    %r = scf.for %i = %t to %n step %n iter_args(%a = %zero) -> (f32) {
      %w = scf.while (%x = %a) : (f32) -> f32 {
        %k = arith.cmpf olt, %x, %zero : f32
        scf.condition(%k) %x : f32
      } do {
      ^bb0(%y: f32):
        %s = math.sin %y : f32
        scf.yield %s : f32
      }
      scf.yield %w : f32
    }
    %i64 = arith.index_cast %t : index to i64
    %q = llvm.getelementptr %p[%i64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %r, %q : f32, !llvm.ptr<1>
    gpu.return
  }
}
// CHECK: gpu.module @kernels {
// CHECK-NEXT: llvm.func @__nv_sinf(f32) -> f32
// CHECK-NEXT: llvm.func @k(%p: !llvm.ptr<1>, %n: i64) attributes {nvvm.kernel} {
// CHECK-NEXT: %0 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %t = llvm.sext %0 : i32 to i64
// CHECK-NEXT: %zero = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT: %1 = llvm.icmp "slt" %t, %n : i64
// CHECK-NEXT: llvm.cond_br %1, ^bb1(%t, %zero : i64, f32), ^bb5(%zero : f32)
// CHECK-NEXT: ^bb1(%i: i64, %a: f32):
// CHECK-NEXT: llvm.br ^bb2(%a : f32)
// CHECK-NEXT: ^bb2(%x: f32):
// CHECK-NEXT: %k = llvm.fcmp "olt" %x, %zero : f32
// CHECK-NEXT: llvm.cond_br %k, ^bb3(%x : f32), ^bb4(%x : f32)
// CHECK-NEXT: ^bb3(%y: f32):
// CHECK-NEXT: %s = llvm.call @__nv_sinf(%y) : (f32) -> f32
// CHECK-NEXT: llvm.br ^bb2(%s : f32)
// CHECK-NEXT: ^bb4(%w: f32):
// CHECK-NEXT: %2 = llvm.sub %n, %i : i64
// CHECK-NEXT: %3 = llvm.icmp "ugt" %2, %n : i64
// CHECK-NEXT: %4 = llvm.add %i, %n : i64
// CHECK-NEXT: llvm.cond_br %3, ^bb1(%4, %w : i64, f32), ^bb5(%w : f32)
// CHECK-NEXT: ^bb5(%r: f32):
// CHECK-NEXT: %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT: llvm.store %r, %q : f32, !llvm.ptr<1>
// CHECK-NEXT: llvm.return
// CHECK-NEXT: }
// CHECK-NEXT: }
