// RUN: tileiras-opt %s -t llvm-ir | filecheck %s
// RUN: tileiras-opt %s -t 'ptx{arch=sm_80}' | filecheck %s --check-prefix=PTX

// The sum of 128 x 8 halves, in registers, by shuffles and through shared memory.

// CHECK:       @partial = internal addrspace(3) global [4 x float] poison, align 16
// CHECK-NEXT:  define ptx_kernel void @sum(
// A load of words, a register for each.
// CHECK:         %v6 = load <4 x i32>, ptr addrspace(1) %v5, align 16
// CHECK-NEXT:    %v7 = extractelement <4 x i32> %v6, i32 0
// CHECK-NEXT:    %v8 = bitcast i32 %v7 to <2 x half>
// CHECK:         fpext <2 x half> %v8 to <2 x float>
// Neighbours first.
// CHECK:         [[a:%v[0-9]+]] = fadd reassoc float
// CHECK-NEXT:    [[b:%v[0-9]+]] = fadd reassoc float
// CHECK-NEXT:    [[c:%v[0-9]+]] = fadd reassoc float
// CHECK-NEXT:    [[d:%v[0-9]+]] = fadd reassoc float
// CHECK-NEXT:    [[e:%v[0-9]+]] = fadd reassoc float [[a]], [[b]]
// CHECK-NEXT:    [[f:%v[0-9]+]] = fadd reassoc float [[c]], [[d]]
// CHECK-NEXT:    [[g:%v[0-9]+]] = fadd reassoc float [[e]], [[f]]
// CHECK:       b1:
// CHECK-NEXT:    [[s:%v[0-9]+]] = phi float [ {{%v[0-9]+}}, %b0 ], [ [[t:%v[0-9]+]], %b1 ]
// CHECK-NEXT:    [[o:%v[0-9]+]] = phi i32 [ 16, %b0 ], [ {{%v[0-9]+}}, %b1 ]
// CHECK-NEXT:    [[v:%v[0-9]+]] = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float [[s]], i32 [[o]], i32 31)
// CHECK-NEXT:    [[t]] = fadd float [[s]], [[v]]
// CHECK:         getelementptr [4 x float], ptr addrspace(3) @partial, i32 0, i32
// CHECK:         call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)

// PTX:      ld.global.v4.b32
// PTX:      shfl.sync.bfly.b32
// PTX:      bar.sync 0;

!ptr = !llvm.ptr<1>

gpu.module @kernels {
  llvm.mlir.global internal @partial() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>

  llvm.func @sum(%x: !ptr, %out: !ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %five = llvm.mlir.constant(5 : i32) : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %wide = llvm.zext %tid : i32 to i64
    %p = llvm.getelementptr %x[%wide] : (!ptr, i64) -> !ptr, vector<8xf16>
    %h = llvm.load %p {alignment = 16 : i64} : !ptr -> vector<8xf16>
    %v = llvm.fpext %h : vector<8xf16> to vector<8xf32>
    %r = "llvm.intr.vector.reduce.fadd"(%start, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
    llvm.br ^lanes(%r, %sixteen : f32, i32)
  ^lanes(%s: f32, %offset: i32):
    %other = nvvm.shfl.sync bfly %all, %s, %offset, %last : f32 -> f32
    %t = llvm.fadd %s, %other : f32
    %half = llvm.lshr %offset, %one : i32
    %more = llvm.icmp "ne" %half, %zero : i32
    llvm.cond_br %more, ^lanes(%t, %half : f32, i32), ^warps
  ^warps:
    %warp = llvm.lshr %tid, %five : i32
    %lane = llvm.and %tid, %last : i32
    %base = llvm.mlir.addressof @partial : !llvm.ptr<3>
    %slot = llvm.getelementptr %base[0, %warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x f32>
    %first = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %first, ^put, ^meet
  ^put:
    llvm.store %t, %slot : f32, !llvm.ptr<3>
    llvm.br ^meet
  ^meet:
    nvvm.barrier0
    %parts = llvm.load %base {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %sum = "llvm.intr.vector.reduce.fadd"(%start, %parts) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
    %leader = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %leader, ^write, ^end
  ^write:
    llvm.store %sum, %out : f32, !ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
}
