// RUN: tileiras-opt -p "convert-tileas-to-nvgpu{compute-capability=sm_80}" %s | filecheck %s

#a = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #nv_tileas.layout<register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#c = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#shared = #nv_tileas.shared<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>
#single = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [0, 0], [0, 0]], warp = []>

gpu.module @m {

  // Factors in registers: one op for all instructions.

  // CHECK-LABEL: gpu.func @warps(
  // CHECK: [[D:%.*]] = nvvm.fragment.mma {{%.*}}, {{%.*}}, {{%.*}} {shape = #nvvm.shape<m = 16, n = 8, k = 16>, tiles = array<i64: 1, 1, 2, 2>, type_a = #nvvm.mma_type<f16>,
  // CHECK-SAME: type_b = #nvvm.mma_type<f16>} : vector<16xf16>, vector<16xf16>, vector<8xf32>

  // One in shared memory: steps along k, each with its part of the other operand.


  // CHECK: [[STAGE:%.*]] = llvm.getelementptr {{%.*}}[{{%.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK-NEXT: [[A0:%.*]] = vector.shuffle {{%.*}}, {{%.*}} [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK-NEXT: [[PLACE:%.*]] = llvm.getelementptr [[STAGE]][{{%.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK-NEXT: [[ROWS:%.*]] = llvm.getelementptr [[PLACE]][{{%.*}}] : (!llvm.ptr<3>, vector<1xi32>)
  // CHECK-NEXT: [[B0:%.*]] = nvvm.fragment.ldmatrix [[ROWS]] {num = 4 : i64, trans} : vector<1x!llvm.ptr<3>> -> vector<8xf16>
  // CHECK-NEXT: [[A1:%.*]] = vector.shuffle {{%.*}}, {{%.*}} [8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK: [[B1:%.*]] = nvvm.fragment.ldmatrix
  // CHECK-NEXT: [[E:%.*]] = nvvm.fragment.mma [[A0]], [[B0]], [[D]] {{{.*}}tiles = array<i64: 1, 1, 2, 1>
  // CHECK-SAME: type_b = #nvvm.mma_type<f16>} : vector<8xf16>, vector<8xf16>, vector<8xf32>
  // CHECK-NEXT: nvvm.fragment.mma [[A1]], [[B1]], [[E]]
  gpu.func @warps() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %a = arith.constant dense<1.0> : tensor<16x32xf16, #a>
    %b = arith.constant dense<1.0> : tensor<32x16xf16, #b>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #c>
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>} : tensor<16x32xf16, #a>, tensor<32x16xf16, #b>, tensor<16x16xf32, #c>
    %zero = arith.constant 0 : i32
    %ring = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<2x32x16xf16>
    %s = nv_tileas.extract_slice %ring[%zero, %zero, %zero] : (tensor<2x32x16xf16>, i32, i32, i32) -> tensor<32x16xf16, #shared>
    %e = nv_tileas.dot %a, %s, %d {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.layout_b = #b} : tensor<16x32xf16, #a>, tensor<32x16xf16, #shared>, tensor<16x16xf32, #c>
    gpu.return
  }

  // Single operations: operands go through shared memory.

  // CHECK: gpu.return
  // CHECK: nvvm.fragment.store {{%.*}}, {{%.*}} mask(
  // CHECK: nvvm.fragment.store
  // CHECK-NEXT: gpu.barrier
  // CHECK: [[X:%.*]] = nvvm.fragment.load
  // CHECK: [[Y:%.*]] = nvvm.fragment.load
  // CHECK: math.fma
  // CHECK: math.fma
  gpu.func @single() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %a = arith.constant dense<1.0> : tensor<4x4xf32, #single>
    %d = nv_tileas.dot %a, %a, %a {atom = #nv_tileas.atom<fma>} : tensor<4x4xf32, #single>, tensor<4x4xf32, #single>, tensor<4x4xf32, #single>
    gpu.return
  }
}
