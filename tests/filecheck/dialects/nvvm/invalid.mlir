// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// REQ: H-39

// CHECK: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr<1>'
%p, %n = "test.op"() : () -> (!llvm.ptr<1>, i32)
"nvvm.mbarrier.arrive.expect_tx.shared"(%p, %n) : (!llvm.ptr<1>, i32) -> ()

// -----

// CHECK: must be a pointer to shared memory of the cluster, '!llvm.ptr<7>', but got '!llvm.ptr<3>'
%p, %n = "test.op"() : () -> (!llvm.ptr<3>, i32)
"nvvm.mbarrier.arrive.shared.cluster"(%p, %n) : (!llvm.ptr<3>, i32) -> ()

// -----

// CHECK: must be a pointer to global memory, '!llvm.ptr<1>', but got '!llvm.ptr<3>'
%p, %n = "test.op"() : () -> (!llvm.ptr<3>, i32)
"nvvm.cp.async.shared.global"(%p, %p, %n) : (!llvm.ptr<3>, !llvm.ptr<3>, i32) -> ()

// -----

// CHECK: must be a pointer to a tensor map, but got '!llvm.ptr<3>'
%p = "test.op"() : () -> !llvm.ptr<3>
"nvvm.prefetch.tensormap"(%p) : (!llvm.ptr<3>) -> ()

// -----

// CHECK: expects 5 operands (destination, tensor map, coordinate, coordinate, barrier), but got 4
%s, %m, %x = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr, i32)
nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %s, %m, %x, %s : !llvm.ptr<3>, !llvm.ptr, i32, !llvm.ptr<3>

// -----

// CHECK: expects 4 operands (destination, tensor map, coordinate, barrier), but got 5
%s, %m, %x, %h = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr, i32, i64)
nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %s, %m, %x, %s, %h : !llvm.ptr<3>, !llvm.ptr, i32, !llvm.ptr<3>, i64

// -----

// CHECK: operand #3, the barrier: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr'
%s, %m, %x = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr, i32)
nvvm.cp.async.bulk.tensor.1d.shared.cluster.global.tile %s, %m, %x, %m : !llvm.ptr<3>, !llvm.ptr, i32, !llvm.ptr

// -----

// CHECK: expects 1 to 5 coordinates, but got 0
%s, %m = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr)
nvvm.cp.async.bulk.tensor.reduce %m, %s {red_op = #nvvm.tma_redux_kind<min>} : !llvm.ptr, !llvm.ptr<3>

// -----

// CHECK: 'box_dim' needs a dimension
%s, %n = "test.op"() : () -> (!llvm.ptr<3>, i32)
nvvm.tensormap.replace %s, %n {field = #nvvm.tensormap_field<box_dim>} : !llvm.ptr<3>, i32

// -----

// CHECK: 'rank' has no dimensions
%s, %n = "test.op"() : () -> (!llvm.ptr<3>, i32)
nvvm.tensormap.replace %s, %n {field = #nvvm.tensormap_field<rank>, ord = 0 : i32} : !llvm.ptr<3>, i32

// -----

// CHECK: there is no dimension 4 of 'global_stride'
%s, %n = "test.op"() : () -> (!llvm.ptr<3>, i64)
nvvm.tensormap.replace %s, %n {field = #nvvm.tensormap_field<global_stride>, ord = 4 : i32} : !llvm.ptr<3>, i64

// -----

// CHECK: 'global_address' is an i64, but got 'i32'
%s, %n = "test.op"() : () -> (!llvm.ptr<3>, i32)
nvvm.tensormap.replace %s, %n {field = #nvvm.tensormap_field<global_address>} : !llvm.ptr<3>, i32

// -----

// CHECK: number of groups must not be negative, but got -1
nvvm.cp.async.wait.group -1

// -----

// CHECK: a number of threads needs the id of a barrier
%n = "test.op"() : () -> i32
nvvm.barrier number_of_threads = %n

// -----

// CHECK: reduction 'popc' yields 'i32', but the result is 'i1'
%p = "test.op"() : () -> i1
%0 = nvvm.barrier reduction = popc %p -> i1

// -----

// CHECK: 'async.shared' fence requires space attribute
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>}

// -----

// CHECK: only 'async.shared' fence can have space attribute
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>, space = #nvvm.shared_space<cta>}

// -----

// CHECK: number of registers must be a multiple of 8 from 24 to 256, but got 100
nvvm.setmaxregister increase 100

// -----

// CHECK: must be a descriptor of type i64, a struct, or a vector of rank 1, but got 'i32'
%a, %b, %c = "test.op"() : () -> (i32, i64, vector<4xf32>)
%0 = "nvvm.wgmma.mma_async"(%a, %b, %c) : (i32, i64, vector<4xf32>) -> vector<4xf32>

// -----

// CHECK: k_steps must be positive, but got 0
%b, %c = "test.op"() : () -> (i64, vector<4xf32>)
%0 = nvvm.wgmma.mma_async %b, %b, %c {k_steps = 0 : i32} : i64, i64, vector<4xf32>

// -----

// CHECK: num must be 1, 2 or 4, but got 8
%s = "test.op"() : () -> !llvm.ptr<3>
%0 = nvvm.ldmatrix.sync %s {num = 8 : i32, trans = false} : !llvm.ptr<3> -> i32

// -----

// CHECK: num = 1 yields 'i32', but the result is '!llvm.struct<(i32)>'
%s = "test.op"() : () -> !llvm.ptr<3>
%0 = nvvm.ldmatrix.sync %s {num = 1 : i32, trans = false} : !llvm.ptr<3> -> !llvm.struct<(i32)>

// -----

// CHECK: expects registers of A, all of one type, but got (vector<2xf16>, i32)
%a, %b, %c = "test.op"() : () -> (vector<2xf16>, i32, vector<4xf32>)
%0 = "nvvm.mma.sync"(%a, %b, %a, %c) {shape = #nvvm.shape<m = 16, n = 8, k = 16>, operandSegmentSizes = array<i32: 2, 1, 1>} : (vector<2xf16>, i32, vector<2xf16>, vector<4xf32>) -> vector<4xf32>

// -----

// CHECK: must be a 32-bit scalar, or a vector of a multiple of 32 bits, but got 'f16'
%m, %x = "test.op"() : () -> (i32, f16)
%0 = "nvvm.shfl.sync"(%m, %x, %m, %m) {kind = #nvvm<shfl_kind idx>} : (i32, f16, i32, i32) -> f16

// -----

// CHECK: 'ballot' yields 'i32', but the result is 'i1'
%m, %p = "test.op"() : () -> (i32, i1)
%0 = nvvm.vote.sync ballot %m, %p -> i1

// -----

// CHECK: 'fmin' combines 'f32', but got 'i32'
%m = "test.op"() : () -> i32
%0 = nvvm.redux.sync fmin %m, %m : i32 -> i32

// -----

// CHECK: must be f32 or f16 or bf16, or a vector of it, but got 'f64'
%x = "test.op"() : () -> f64
%0 = "nvvm.ex2.approx.f"(%x) : (f64) -> f64

// -----

// CHECK: ftz is for f32 only, but got 'f64'
%x = "test.op"() : () -> f64
%0 = nvvm.add.f %x, %x {rnd = #nvvm.fp_rnd_mode<rz>, ftz} : f64

// -----

// CHECK: rounding must be rna, rn or rz, but got 'rm'
%x = "test.op"() : () -> f32
%0 = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rm>} : f32 -> i32

// -----

// CHECK: extents of a shape must be positive
"test.op"() {s = #nvvm.shape<m = 0, n = 8, k = 8>} : () -> ()

// -----

// CHECK: reads an i32, but has type 'i64'
%0 = nvvm.read.ptx.sreg.tid.x : i64
