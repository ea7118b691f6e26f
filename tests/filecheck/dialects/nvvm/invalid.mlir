// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%i32 = "test.op"() : () -> i32
!ptr = !llvm.ptr<3>
%ptr = "test.op"() : () -> !ptr
!ptr_1 = !llvm.ptr
%ptr_1 = "test.op"() : () -> !ptr_1
%i64 = "test.op"() : () -> i64
%v4xf32 = "test.op"() : () -> vector<4xf32>
%f64 = "test.op"() : () -> f64

// -----

// REQ: H-39

// CHECK: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr<1>'
%p = "test.op"() : () -> !llvm.ptr<1>
"nvvm.mbarrier.arrive.expect_tx.shared"(%p, %i32) : (!llvm.ptr<1>, i32) -> ()

// CHECK: must be a pointer to shared memory of the cluster, '!llvm.ptr<7>', but got '!llvm.ptr<3>'
"nvvm.mbarrier.arrive.shared.cluster"(%ptr, %i32) : (!ptr, i32) -> ()

// CHECK: must be a pointer to global memory, '!llvm.ptr<1>', but got '!llvm.ptr<3>'
"nvvm.cp.async.shared.global"(%ptr, %ptr, %i32) : (!ptr, !ptr, i32) -> ()

// CHECK: must be a pointer to a tensor map, but got '!llvm.ptr<3>'
"nvvm.prefetch.tensormap"(%ptr) : (!ptr) -> ()

// CHECK: expects 5 operands (destination, tensor map, coordinate, coordinate, barrier), but got 4
nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %ptr, %ptr_1, %i32, %ptr : !ptr, !ptr_1, i32, !ptr

// CHECK: expects 4 operands (destination, tensor map, coordinate, barrier), but got 5
nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %ptr, %ptr_1, %i32, %ptr, %i64 : !ptr, !ptr_1, i32, !ptr, i64

// CHECK: operand #3, the barrier: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr'
nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %ptr, %ptr_1, %i32, %ptr_1 : !ptr, !ptr_1, i32, !ptr_1

// CHECK: expects 1 to 5 coordinates, but got 0
nvvm.cp.async.bulk.tensor.reduce %ptr_1, %ptr {red_op = #nvvm.tma_redux_kind<min>} : !ptr_1, !ptr

// CHECK: 'box_dim' needs a dimension
nvvm.tensormap.replace %ptr, %i32 {field = #nvvm.tensormap_field<box_dim>} : !ptr, i32

// CHECK: 'rank' has no dimensions
nvvm.tensormap.replace %ptr, %i32 {field = #nvvm.tensormap_field<rank>, ord = 0 : i32} : !ptr, i32

// CHECK: there is no dimension 4 of 'global_stride'
nvvm.tensormap.replace %ptr, %i64 {field = #nvvm.tensormap_field<global_stride>, ord = 4 : i32} : !ptr, i64

// CHECK: 'global_address' is an i64, but got 'i32'
nvvm.tensormap.replace %ptr, %i32 {field = #nvvm.tensormap_field<global_address>} : !ptr, i32

// CHECK: number of groups must not be negative, but got -1
nvvm.cp.async.wait.group -1

// CHECK: a number of threads needs the id of a barrier
nvvm.barrier number_of_threads = %i32

// CHECK: reduction 'popc' yields 'i32', but the result is 'i1'
%p = "test.op"() : () -> i1
%0 = nvvm.barrier reduction = popc %p -> i1

// CHECK: 'async.shared' fence requires space attribute
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}

// CHECK: only 'async.shared' fence can have space attribute
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>, space = #nvvm.shared_space<cta>}

// CHECK: number of registers must be a multiple of 8 from 24 to 256, but got 100
nvvm.setmaxregister increase 100

// CHECK: must be a descriptor of type i64, a struct, or a vector of rank 1, but got 'i32'
%0 = "nvvm.wgmma.mma_async"(%i32, %i64, %v4xf32) : (i32, i64, vector<4xf32>) -> vector<4xf32>

// CHECK: k_steps must be positive, but got 0
%0 = nvvm.wgmma.mma_async %i64, %i64, %v4xf32 {k_steps = 0 : i32} : i64, i64, vector<4xf32>

// CHECK: num must be 1, 2 or 4, but got 8
%0 = nvvm.ldmatrix.sync %ptr {num = 8 : i32, trans = false} : !ptr -> i32

// CHECK: num = 1 yields 'i32', but the result is '!llvm.struct<(i32)>'
%0 = nvvm.ldmatrix.sync %ptr {num = 1 : i32, trans = false} : !ptr -> !llvm.struct<(i32)>

// CHECK: expects registers of A, all of one type, but got (vector<2xf16>, i32)
%a = "test.op"() : () -> vector<2xf16>
%0 = "nvvm.mma.sync"(%a, %i32, %a, %v4xf32) {shape = #nvvm.shape<m = 16, n = 8, k = 16>, operandSegmentSizes = array<i32: 2, 1, 1>} : (vector<2xf16>, i32, vector<2xf16>, vector<4xf32>) -> vector<4xf32>

// CHECK: must be a 32-bit scalar, or a vector of a multiple of 32 bits, but got 'f16'
%x = "test.op"() : () -> f16
%0 = "nvvm.shfl.sync"(%i32, %x, %i32, %i32) {kind = #nvvm<shfl_kind idx>} : (i32, f16, i32, i32) -> f16

// CHECK: 'ballot' yields 'i32', but the result is 'i1'
%p = "test.op"() : () -> i1
%0 = nvvm.vote.sync ballot %i32, %p -> i1

// CHECK: 'fmin' combines 'f32', but got 'i32'
%0 = nvvm.redux.sync fmin %i32, %i32 : i32 -> i32

// CHECK: must be f32 or f16 or bf16, or a vector of it, but got 'f64'
%0 = "nvvm.ex2.approx.f"(%f64) : (f64) -> f64

// CHECK: ftz is for f32 only, but got 'f64'
%0 = nvvm.add.f %f64, %f64 {rnd = #nvvm.fp_rnd_mode<rz>, ftz} : f64

// CHECK: rounding must be rna, rn or rz, but got 'rm'
%x = "test.op"() : () -> f32
%0 = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rm>} : f32 -> i32

// CHECK: the bits of 'f32' are 'i32', not 'i16'
%x = "test.op"() : () -> f32
%0 = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>} : f32 -> i16

// CHECK: expects i32 or a vector of them, not 'vector<2xf32>'
%x, %i = "test.op"() : () -> (vector<2xf32>, i32)
%0 = nvvm.artificial_dependence %x, %i : vector<2xf32>, i32

// CHECK: extents of a shape must be positive
"test.op"() {s = #nvvm.shape<m = 0, n = 8, k = 8>} : () -> ()

// CHECK: reads an i32, but has type 'i64'
%0 = nvvm.read.ptx.sreg.tid.x : i64
