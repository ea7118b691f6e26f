// RUN: tileiras-opt %s -p convert-gpu-to-nvvm | filecheck %s

// Functions, kernels, assertions, output and memory: what is left of `gpu` is the module.
// REQ: G-01, G-02, G-03, G-04, I-05, I-07, J-12

// CHECK: builtin.module attributes {nv_tileaa.compute_capability = 90 : i32} {
builtin.module attributes {nv_tileaa.compute_capability = 90 : i32} {
gpu.module @m {
// CHECK-NEXT: gpu.module @m {
// CHECK-NEXT: llvm.mlir.global external @dynamic_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @printf_format("%d: %f\0A\00") {addr_space = 0 : i32} : !llvm.array<8 x i8>
// CHECK-NEXT: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-NEXT: llvm.mlir.global internal constant @printf_format_1("%f %d %d %ld %p %g\00") {addr_space = 0 : i32} : !llvm.array<19 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @printf_format_2("done\00") {addr_space = 0 : i32} : !llvm.array<5 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @assert_msg("message\00") {addr_space = 0 : i32} : !llvm.array<8 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @assert_file("kernel.py\00") {addr_space = 0 : i32} : !llvm.array<10 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @assert_func("assertions\00") {addr_space = 0 : i32} : !llvm.array<11 x i8>
// CHECK-NEXT: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-NEXT: llvm.mlir.global internal constant @assert_msg_1("another \22one\22\00") {addr_space = 0 : i32} : !llvm.array<14 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @assert_file_1("lib.py\00") {addr_space = 0 : i32} : !llvm.array<7 x i8>
// CHECK-NEXT: llvm.mlir.global internal constant @assert_file_2("<unknown>\00") {addr_space = 0 : i32} : !llvm.array<10 x i8>

  // Arguments are what LLVM can pass: memory references as bare pointers, tensor maps by value.
  gpu.func @arguments(%memory: memref<64xf32, 1>, %n: index, %map: !nvgpu.tensormap.descriptor, %shared: memref<4xi8, #gpu.address_space<workgroup>>) kernel {
    "test.op"(%memory, %n, %map, %shared) : (memref<64xf32, 1>, index, !nvgpu.tensormap.descriptor, memref<4xi8, #gpu.address_space<workgroup>>) -> ()
    gpu.return
  }
  // CHECK-LABEL: llvm.func @arguments(%memory: !llvm.ptr<1>, %n: i64, %map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
  // CHECK-SAME: %shared: !llvm.ptr<3>) attributes {nvvm.kernel} {
  // CHECK-NEXT: %shared_1 = builtin.unrealized_conversion_cast %shared : !llvm.ptr<3> to memref<4xi8, #gpu.address_space<workgroup>>
  // CHECK-NEXT: %map_1 = builtin.unrealized_conversion_cast %map : !llvm.ptr to !nvgpu.tensormap.descriptor
  // CHECK-NEXT: %n_1 = builtin.unrealized_conversion_cast %n : i64 to index
  // CHECK-NEXT: %memory_1 = builtin.unrealized_conversion_cast %memory : !llvm.ptr<1> to memref<64xf32, 1 : i64>
  // CHECK-NEXT: "test.op"(%memory_1, %n_1, %map_1, %shared_1) : (memref<64xf32, 1 : i64>, index, !nvgpu.tensormap.descriptor, memref<4xi8, #gpu.address_space<workgroup>>) -> ()
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  "gpu.func"() <{function_type = (!llvm.ptr) -> (), kernel}> ({
  ^bb0(%p: !llvm.ptr):
    gpu.return
  }) {sym_name = "known_sizes", gpu.known_block_size = array<i32: 64, 2, 1>, gpu.known_cluster_size = array<i32: 2, 1, 1>, arg_attrs = [{cute_nvgpu.grid_constant, llvm.noalias}], user.attribute = 3 : i32} : () -> ()
  // CHECK-LABEL: llvm.func @known_sizes(%p: !llvm.ptr {nvvm.grid_constant, llvm.noalias}) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>,
  // CHECK-SAME: nvvm.reqntid = array<i32: 64, 2, 1>, user.attribute = 3 : i32} {
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  gpu.func @kernel_spec() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 4, occupancy = 2, num_warps = 8>} {
    gpu.return
  }
  // CHECK-LABEL: llvm.func @kernel_spec() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 4, 1, 1>, nvvm.blocksareclusters, nvvm.minctasm = 1 : i32,
  // CHECK-SAME: nvvm.maxnreg = 128 : i32, nvvm.reqntid = array<i32: 256, 1, 1>} {
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  // ptxas chooses registers.
  gpu.func @open_registers() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2, num_warps = 8>, nv_tileaa.open_registers} {
    gpu.return
  }
  // CHECK-LABEL: llvm.func @open_registers() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {

  // A function that a kernel may call.
  gpu.func @device(%x: f32) -> (f32) {
    "gpu.return"(%x) : (f32) -> ()
  }
  // CHECK-LABEL: llvm.func @device(%x: f32) -> f32 {
  // CHECK-NEXT: llvm.return %x : f32
  // CHECK-NEXT: }

  // Blocks other than the first keep the types of their arguments.
  gpu.func @loop(%i: index) {
    cf.br ^bb1(%i : index)
  ^bb1(%j: index):
    %c = "test.op"(%j) : (index) -> i1
    cf.cond_br %c, ^bb1(%j : index), ^bb2
  ^bb2:
    gpu.return
  }
  // CHECK-LABEL: llvm.func @loop(%i: i64) {
  // CHECK-NEXT: %i_1 = builtin.unrealized_conversion_cast %i : i64 to index
  // CHECK-NEXT: cf.br ^bb1(%i_1 : index)
  // CHECK-NEXT: ^bb1(%j: index):
  // CHECK-NEXT: %c = "test.op"(%j) : (index) -> i1
  // CHECK-NEXT: cf.cond_br %c, ^bb1(%j : index), ^bb2
  // CHECK-NEXT: ^bb2:
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  // REQ: G-19, G-20, G-21, G-22, G-23, I-09
  gpu.func @assertions(%cond: i1, %other: i1) kernel {
    cf.assert %cond, "message" loc("kernel.py":12:3)
    "test.op"() : () -> ()
    // Equal texts are stored once.
    cf.assert %other, "another \22one\22" loc(callsite("callee"("lib.py":7:1) at "kernel.py":20:1))
    cf.assert %other, "message" loc(unknown)
    gpu.return
  }
  // CHECK-LABEL: llvm.func @assertions(%cond: i1, %other: i1) attributes {nvvm.kernel} {
  // CHECK-NEXT: llvm.cond_br %cond, ^bb2, ^bb1
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT: %msg = llvm.mlir.addressof @assert_msg : !llvm.ptr
  // CHECK-NEXT: %file = llvm.mlir.addressof @assert_file : !llvm.ptr
  // CHECK-NEXT: %line = arith.constant 12 : i32
  // CHECK-NEXT: %func = llvm.mlir.addressof @assert_func : !llvm.ptr
  // CHECK-NEXT: %size = arith.constant 1 : i64
  // CHECK-NEXT: llvm.call @__assertfail(%msg, %file, %line, %func, %size) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
  // CHECK-NEXT: llvm.br ^bb2
  // CHECK-NEXT: ^bb2:
  // CHECK-NEXT: "test.op"() : () -> ()
  // CHECK-NEXT: llvm.cond_br %other, ^bb4, ^bb3
  // CHECK-NEXT: ^bb3:
  // CHECK-NEXT: %msg_1 = llvm.mlir.addressof @assert_msg_1 : !llvm.ptr
  // CHECK-NEXT: %file_1 = llvm.mlir.addressof @assert_file_1 : !llvm.ptr
  // CHECK-NEXT: %line_1 = arith.constant 7 : i32
  // CHECK-NEXT: %func_1 = llvm.mlir.addressof @assert_func : !llvm.ptr
  // CHECK-NEXT: %size_1 = arith.constant 1 : i64
  // CHECK-NEXT: llvm.call @__assertfail(%msg_1, %file_1, %line_1, %func_1, %size_1) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
  // CHECK-NEXT: llvm.br ^bb4
  // CHECK-NEXT: ^bb4:
  // CHECK-NEXT: llvm.cond_br %other, ^bb6, ^bb5
  // CHECK-NEXT: ^bb5:
  // CHECK-NEXT: %msg_2 = llvm.mlir.addressof @assert_msg : !llvm.ptr
  // CHECK-NEXT: %file_2 = llvm.mlir.addressof @assert_file_2 : !llvm.ptr
  // CHECK-NEXT: %line_2 = arith.constant 0 : i32
  // CHECK-NEXT: %func_2 = llvm.mlir.addressof @assert_func : !llvm.ptr
  // CHECK-NEXT: %size_2 = arith.constant 1 : i64
  // CHECK-NEXT: llvm.call @__assertfail(%msg_2, %file_2, %line_2, %func_2, %size_2) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
  // CHECK-NEXT: llvm.br ^bb6
  // CHECK-NEXT: ^bb6:
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  // REQ: G-25
  gpu.func @output(%i: i32, %x: f32, %h: f16, %b: i1, %c: i8, %n: index, %p: !llvm.ptr<1>, %d: f64) kernel {
    cf.br ^bb1
  ^bb1:
    "gpu.printf"(%i, %x) {format = "%d: %f\n"} : (i32, f32) -> ()
    "gpu.printf"(%h, %b, %c, %n, %p, %d) {format = "%f %d %d %ld %p %g"} : (f16, i1, i8, index, !llvm.ptr<1>, f64) -> ()
    "gpu.printf"() {format = "done"} : () -> ()
    gpu.return
  }
  // CHECK-LABEL: llvm.func @output(%i_2: i32, %x_1: f32, %h: f16, %b: i1, %c_1: i8, %n_2: i64, %p_1: !llvm.ptr<1>, %d: f64) attributes {nvvm.kernel} {
  // CHECK-NEXT: %0 = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %1 = llvm.alloca %0 x [[struct:!llvm.struct<.f64, i32, i32, i64, !llvm.ptr, f64.>]] {alignment = 8 : i64} : (i32) -> !llvm.ptr
  // CHECK-NEXT: %2 = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %3 = llvm.alloca %2 x !llvm.struct<(i32, f64)> {alignment = 8 : i64} : (i32) -> !llvm.ptr
  // CHECK-NEXT: cf.br ^bb1
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT: %4 = llvm.fpext %x_1 : f32 to f64
  // CHECK-NEXT: %5 = llvm.mlir.addressof @printf_format : !llvm.ptr
  // CHECK-NEXT: %6 = llvm.getelementptr %3[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, f64)>
  // CHECK-NEXT: llvm.store %i_2, %6 : i32, !llvm.ptr
  // CHECK-NEXT: %7 = llvm.getelementptr %3[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, f64)>
  // CHECK-NEXT: llvm.store %4, %7 : f64, !llvm.ptr
  // CHECK-NEXT: %8 = llvm.call @vprintf(%5, %3) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK-NEXT: %9 = llvm.fpext %h : f16 to f64
  // CHECK-NEXT: %10 = llvm.zext %b : i1 to i32
  // CHECK-NEXT: %11 = llvm.sext %c_1 : i8 to i32
  // CHECK-NEXT: %12 = llvm.addrspacecast %p_1 : !llvm.ptr<1> to !llvm.ptr
  // CHECK-NEXT: %13 = llvm.mlir.addressof @printf_format_1 : !llvm.ptr
  // CHECK-NEXT: %14 = llvm.getelementptr %1[0, 0] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %9, %14 : f64, !llvm.ptr
  // CHECK-NEXT: %15 = llvm.getelementptr %1[0, 1] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %10, %15 : i32, !llvm.ptr
  // CHECK-NEXT: %16 = llvm.getelementptr %1[0, 2] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %11, %16 : i32, !llvm.ptr
  // CHECK-NEXT: %17 = llvm.getelementptr %1[0, 3] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %n_2, %17 : i64, !llvm.ptr
  // CHECK-NEXT: %18 = llvm.getelementptr %1[0, 4] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %12, %18 : !llvm.ptr, !llvm.ptr
  // CHECK-NEXT: %19 = llvm.getelementptr %1[0, 5] : (!llvm.ptr) -> !llvm.ptr, [[struct]]
  // CHECK-NEXT: llvm.store %d, %19 : f64, !llvm.ptr
  // CHECK-NEXT: %20 = llvm.call @vprintf(%13, %1) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK-NEXT: %21 = llvm.mlir.addressof @printf_format_2 : !llvm.ptr
  // CHECK-NEXT: %22 = llvm.mlir.zero : !llvm.ptr
  // CHECK-NEXT: %23 = llvm.call @vprintf(%21, %22) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }

  gpu.func @dynamic() kernel {
    %a = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, 3>
    %b = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
    "test.op"(%a, %b) : (memref<?xi8, 3>, memref<?xi8, #gpu.address_space<workgroup>>) -> ()
    gpu.return
  }
  // CHECK-LABEL: llvm.func @dynamic() attributes {nvvm.kernel} {
  // CHECK-NEXT: %a = llvm.mlir.addressof @dynamic_shared_memory : !llvm.ptr<3>
  // CHECK-NEXT: %a_1 = builtin.unrealized_conversion_cast %a : !llvm.ptr<3> to memref<?xi8, 3 : i64>
  // CHECK-NEXT: %b_1 = llvm.mlir.addressof @dynamic_shared_memory : !llvm.ptr<3>
  // CHECK-NEXT: %b_2 = builtin.unrealized_conversion_cast %b_1 : !llvm.ptr<3> to memref<?xi8, #gpu.address_space<workgroup>>
  // CHECK-NEXT: "test.op"(%a_1, %b_2) : (memref<?xi8, 3 : i64>, memref<?xi8, #gpu.address_space<workgroup>>) -> ()
  // CHECK-NEXT: llvm.return
  // CHECK-NEXT: }
}
}
