// RUN: tileiras-opt %s -t llvm-ir | filecheck %s
// RUN: tileiras-opt %s -t ptx | filecheck %s --check-prefix=PTX

// A 64 x 16 tile of four steps: one instruction of LLVM, with tied accumulators, which are written
// while inputs are still to be read (&).

// CHECK:       [[struct:%s[0-9]+]] = type { float, float, float, float, float, float, float, float }
// CHECK:         call void @llvm.nvvm.wgmma.fence.sync.aligned()
// CHECK-NEXT:    [[d:%v[0-9]+]] = call [[struct]] asm sideeffect "{\0A.reg .b64 ad, bd;\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, 1, 1, 1, 0, 1;\0Aadd.s64 bd, $17, 128;\0Aadd.s64 ad, $16, 2;\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, ad, bd, 1, 1, 1, 0, 1;
// CHECK-SAME:    "=&f,=&f,=&f,=&f,=&f,=&f,=&f,=&f,0,1,2,3,4,5,6,7,l,l,~{memory}"(float
// CHECK:         call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
// CHECK-NEXT:    call [[struct]] asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"(

// PTX:         wgmma.fence.sync.aligned
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
// PTX:         wgmma.commit_group.sync.aligned
// PTX:         wgmma.wait_group.sync.aligned 0

gpu.module @kernels {
  llvm.func @tile(%out: !llvm.ptr<1>, %a: i64, %b: i64, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    llvm.br ^loop(%c, %n : vector<8xf32>, i32)
  ^loop(%acc: vector<8xf32>, %i: i32):
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %a, %b, %acc {shape = #nvvm.shape<m = 64, n = 16, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : i64, i64, vector<8xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %w = nvvm.wgmma.wait.group.sync.aligned 0, %d : vector<8xf32>
    %m = llvm.sub %i, %one : i32
    %more = llvm.icmp "ne" %m, %zero : i32
    llvm.cond_br %more, ^loop(%w, %m : vector<8xf32>, i32), ^end
  ^end:
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    llvm.store %w, %p {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>
    llvm.return
  }
}
