// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm | filecheck %s

// Ops whose operands are those of upstream, in generic form, and the names of what they become.
// REQ: P-15

!v2xf32 = vector<2xf32>

func.func @barriers(%bar: !nvgpu.mbarrier, %count: i32, %tok: !nvgpu.token, %map: !nvgpu.tensormap.descriptor) {
  %0 = "nvgpu.mbarrier.arrive.nocomplete"(%bar, %count) : (!nvgpu.mbarrier, i32) -> !nvgpu.token
  %1 = "nvgpu.mbarrier.test.wait"(%bar, %0) : (!nvgpu.mbarrier, !nvgpu.token) -> i1
  "nvgpu.tma.prefetch.descriptor"(%map) : (!nvgpu.tensormap.descriptor) -> ()
  func.return
}
// CHECK-LABEL: func.func @barriers
// CHECK:       %0 = nvvm.mbarrier.arrive.nocomplete.shared %bar, %count : !llvm.ptr<3>, i32 -> i64
// CHECK-NEXT:  %1 = nvvm.mbarrier.test.wait.shared %bar, %0 : !llvm.ptr<3>, i64 -> i1
// CHECK-NEXT:  nvvm.prefetch.tensormap %map : !llvm.ptr
// CHECK-NEXT:  func.return

func.func @products(%a: vector<4x2xf16>, %s: vector<2x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>, %meta: vector<2xi16>) {
  %0 = "nvgpu.mma.sync"(%a, %b, %c) <{mmaShape = [16, 8, 16]}> : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %1 = "nvgpu.mma.sp.sync"(%s, %b, %0, %meta) <{mmaShape = [16, 8, 16], sparsitySelector = 0 : i32}> : (vector<2x2xf16>, vector<2x2xf16>, vector<2x2xf32>, vector<2xi16>) -> vector<2x2xf32>
  func.return
}
// CHECK-LABEL: func.func @products
// CHECK:       nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK:       llvm.inline_asm has_side_effects "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

func.func @accumulators(%dst: memref<64x8xf32, 3>) {
  %0 = "nvgpu.warpgroup.mma.init.accumulator"() : () -> vector<4xf32>
  "nvgpu.warpgroup.mma.store"(%0, %dst) : (vector<4xf32>, memref<64x8xf32, 3>) -> ()
  func.return
}
// CHECK-LABEL: func.func @accumulators
// CHECK:       arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-COUNT-4: llvm.store
// CHECK-NOT:   llvm.store
// CHECK:       func.return

func.func @maps(%tensor: memref<64x128xf16, 1>, %h: index, %w: index) {
  %any = "memref.cast"(%tensor) : (memref<64x128xf16, 1>) -> memref<*xf16, 1>
  %map = "nvgpu.tma.create.descriptor"(%any, %h, %w) : (memref<*xf16, 1>, index, index) -> !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
  func.return
}
// CHECK-LABEL: func.func @maps
// CHECK:       %map = llvm.alloca {{.*}} x !llvm.array<128 x i8> {alignment = 64 : i64}

func.func @packed(%v: vector<4xf32>, %a: !v2xf32, %b: !v2xf32, %c: !v2xf32, %h: vector<2xf16>) {
  %0 = "nvgpu.rcp"(%v) <{rounding = #nvgpu<rcp_rounding_mode approx>, ftz}> : (vector<4xf32>) -> vector<4xf32>
  %1 = "nvgpu.cvt_fptrunc"(%a) : (!v2xf32) -> vector<2xf16>
  %2 = "nvgpu.cvt_fpext"(%h) : (vector<2xf16>) -> !v2xf32
  %3 = "nvgpu.fma.packed.f32x2"(%a, %b, %c) : (!v2xf32, !v2xf32, !v2xf32) -> !v2xf32
  %4 = "nvgpu.mul.packed.f32x2"(%a, %b) : (!v2xf32, !v2xf32) -> !v2xf32
  func.return
}
// CHECK-LABEL: func.func @packed
// CHECK-NEXT:  %0 = nvvm.rcp.approx.ftz.f %v : vector<4xf32>
// CHECK-NEXT:  %1 = nvvm.cvt.fptrunc.x2 %a : vector<2xf32> to vector<2xf16>
// CHECK-NEXT:  %2 = nvvm.cvt.fpext.x2 %h : vector<2xf16> to vector<2xf32>
// CHECK-NEXT:  %3 = nvvm.fma.packed.f32x2 %a, %b, %c : vector<2xf32>
// CHECK-NEXT:  %4 = nvvm.mul.packed.f32x2 %a, %b : vector<2xf32>
// CHECK-NEXT:  func.return
