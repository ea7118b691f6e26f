// RUN: tileiras-opt %s -p convert-gpu-to-nvvm | filecheck %s
// RUN: tileiras-opt %s -p 'convert-gpu-to-nvvm{barrier0=true}' | filecheck %s --check-prefix BARRIER0

// What threads do together.

// One aligned barrier for each, where it was.
// REQ: G-16, G-17, G-18
func.func @barriers(%c: i1) {
  "gpu.barrier"() : () -> ()
  "gpu.barrier"() : () -> ()
  scf.if %c {
    "test.op"() : () -> ()
    "gpu.barrier"() : () -> ()
  }
  func.return
}
// BARRIER0-LABEL: func.func @barriers(%c: i1) {
// BARRIER0-NEXT: nvvm.barrier0
// BARRIER0-NEXT: nvvm.barrier0
// BARRIER0-NEXT: scf.if %c {
// BARRIER0-NEXT: "test.op"() : () -> ()
// BARRIER0-NEXT: nvvm.barrier0
// BARRIER0-NEXT: }
// CHECK-LABEL: func.func @barriers(%c: i1) {
// CHECK-NEXT: %c0 = arith.constant 0 : i32
// CHECK-NEXT: nvvm.bar.sync.aligned %c0 : i32
// CHECK-NEXT: %c0_1 = arith.constant 0 : i32
// CHECK-NEXT: nvvm.bar.sync.aligned %c0_1 : i32
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: "test.op"() : () -> ()
// CHECK-NEXT: %c0_2 = arith.constant 0 : i32
// CHECK-NEXT: nvvm.bar.sync.aligned %c0_2 : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }

func.func @shuffles(%x: f32, %h: f16, %l: i64, %b: i1, %offset: i32, %width: i32) -> i1 {
  %c16 = arith.constant 16 : i32
  %0, %v0 = "gpu.shuffle"(%x, %offset, %c16) {mode = #gpu<shuffle_mode xor>} : (f32, i32, i32) -> (f32, i1)
  %1, %v1 = "gpu.shuffle"(%x, %offset, %width) {mode = #gpu<shuffle_mode idx>} : (f32, i32, i32) -> (f32, i1)
  %2, %v2 = "gpu.shuffle"(%h, %offset, %width) {mode = #gpu<shuffle_mode up>} : (f16, i32, i32) -> (f16, i1)
  %3, %v3 = "gpu.shuffle"(%l, %offset, %c16) {mode = #gpu<shuffle_mode down>} : (i64, i32, i32) -> (i64, i1)
  %4, %v4 = "gpu.shuffle"(%b, %offset, %c16) {mode = #gpu<shuffle_mode down>} : (i1, i32, i32) -> (i1, i1)
  "test.op"(%0, %1, %2, %3, %4) : (f32, f32, f16, i64, i1) -> ()
  func.return %v2 : i1
}
// CHECK-LABEL: func.func @shuffles(%x: f32, %h: f16, %l: i64, %b: i1, %offset: i32, %width: i32) -> i1 {
// CHECK-NEXT: %c16 = arith.constant 16 : i32
// CHECK-NEXT: %0 = arith.constant -1 : i32
// CHECK-NEXT: %1 = arith.constant 15 : i32
// CHECK-NEXT: %2 = nvvm.shfl.sync bfly %0, %x, %offset, %1 : f32 -> f32
// CHECK-NEXT: %3 = arith.constant -1 : i32
// CHECK-NEXT: %4 = arith.constant 1 : i32
// CHECK-NEXT: %5 = llvm.sub %width, %4 : i32
// CHECK-NEXT: %6 = nvvm.shfl.sync idx %3, %x, %offset, %5 : f32 -> f32
// CHECK-NEXT: %7 = arith.constant -1 : i32
// CHECK-NEXT: %8 = arith.constant 0 : i32
// CHECK-NEXT: %9 = llvm.bitcast %h : f16 to i16
// CHECK-NEXT: %10 = llvm.zext %9 : i16 to i32
// CHECK-NEXT: %11 = nvvm.shfl.sync up %7, %10, %offset, %8 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT: %12 = llvm.extractvalue %11[0] : !llvm.struct<(i32, i1)>
// CHECK-NEXT: %v2 = llvm.extractvalue %11[1] : !llvm.struct<(i32, i1)>
// CHECK-NEXT: %13 = llvm.trunc %12 : i32 to i16
// CHECK-NEXT: %14 = llvm.bitcast %13 : i16 to f16
// CHECK-NEXT: %15 = arith.constant -1 : i32
// CHECK-NEXT: %16 = arith.constant 15 : i32
// CHECK-NEXT: %17 = nvvm.shfl.sync down %15, %l, %offset, %16 : i64 -> i64
// CHECK-NEXT: %18 = arith.constant -1 : i32
// CHECK-NEXT: %19 = arith.constant 15 : i32
// CHECK-NEXT: %20 = llvm.zext %b : i1 to i32
// CHECK-NEXT: %21 = nvvm.shfl.sync down %18, %20, %offset, %19 : i32 -> i32
// CHECK-NEXT: %22 = llvm.trunc %21 : i32 to i1
// CHECK-NEXT: "test.op"(%2, %6, %14, %17, %22) : (f32, f32, f16, i64, i1) -> ()
// CHECK-NEXT: func.return %v2 : i1
// CHECK-NEXT: }

func.func @subgroups(%x: f32, %i: i32) {
  %0 = "gpu.subgroup_reduce"(%i) {op = #gpu<all_reduce_op maxui>, uniform} : (i32) -> i32
  %1 = "gpu.subgroup_reduce"(%i) {op = #gpu<all_reduce_op mul>, cluster_size = 2 : i32} : (i32) -> i32
  %2 = "gpu.subgroup_reduce"(%x) {op = #gpu<all_reduce_op maximumf>, cluster_size = 4 : i32, cluster_stride = 8 : i32} : (f32) -> f32
  func.return
}
// CHECK-LABEL: func.func @subgroups(%x: f32, %i: i32) {
// CHECK-NEXT: %0 = arith.constant -1 : i32
// CHECK-NEXT: %1 = nvvm.redux.sync umax %i, %0 : i32 -> i32
// CHECK-NEXT: %2 = arith.constant -1 : i32
// CHECK-NEXT: %3 = arith.constant 1 : i32
// CHECK-NEXT: %4 = arith.constant 31 : i32
// CHECK-NEXT: %5 = nvvm.shfl.sync bfly %2, %i, %3, %4 : i32 -> i32
// CHECK-NEXT: %6 = llvm.mul %i, %5 : i32
// CHECK-NEXT: %7 = arith.constant -1 : i32
// CHECK-NEXT: %8 = arith.constant 16 : i32
// CHECK-NEXT: %9 = arith.constant 31 : i32
// CHECK-NEXT: %10 = nvvm.shfl.sync bfly %7, %x, %8, %9 : f32 -> f32
// CHECK-NEXT: %11 = llvm.intr.maximum(%x, %10) : (f32, f32) -> f32
// CHECK-NEXT: %12 = arith.constant -1 : i32
// CHECK-NEXT: %13 = arith.constant 8 : i32
// CHECK-NEXT: %14 = arith.constant 31 : i32
// CHECK-NEXT: %15 = nvvm.shfl.sync bfly %12, %11, %13, %14 : f32 -> f32
// CHECK-NEXT: %16 = llvm.intr.maximum(%11, %15) : (f32, f32) -> f32
// CHECK-NEXT: func.return
// CHECK-NEXT: }

func.func @block(%x: f32) -> f32 {
  %0 = "gpu.all_reduce"(%x) ({}) {op = #gpu<all_reduce_op minnumf>} : (f32) -> f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @block(%x: f32) -> f32 {
// CHECK-NEXT: %0 = arith.constant -1 : i32
// CHECK-NEXT: %1 = arith.constant 16 : i32
// CHECK-NEXT: %2 = arith.constant 31 : i32
// CHECK-NEXT: %3 = nvvm.shfl.sync bfly %0, %x, %1, %2 : f32 -> f32
// CHECK-NEXT: %4 = llvm.intr.minnum(%x, %3) : (f32, f32) -> f32
// CHECK-NEXT: %5 = arith.constant -1 : i32
// CHECK-NEXT: %6 = arith.constant 8 : i32
// CHECK-NEXT: %7 = arith.constant 31 : i32
// CHECK-NEXT: %8 = nvvm.shfl.sync bfly %5, %4, %6, %7 : f32 -> f32
// CHECK-NEXT: %9 = llvm.intr.minnum(%4, %8) : (f32, f32) -> f32
// CHECK-NEXT: %10 = arith.constant -1 : i32
// CHECK-NEXT: %11 = arith.constant 4 : i32
// CHECK-NEXT: %12 = arith.constant 31 : i32
// CHECK-NEXT: %13 = nvvm.shfl.sync bfly %10, %9, %11, %12 : f32 -> f32
// CHECK-NEXT: %14 = llvm.intr.minnum(%9, %13) : (f32, f32) -> f32
// CHECK-NEXT: %15 = arith.constant -1 : i32
// CHECK-NEXT: %16 = arith.constant 2 : i32
// CHECK-NEXT: %17 = arith.constant 31 : i32
// CHECK-NEXT: %18 = nvvm.shfl.sync bfly %15, %14, %16, %17 : f32 -> f32
// CHECK-NEXT: %19 = llvm.intr.minnum(%14, %18) : (f32, f32) -> f32
// CHECK-NEXT: %20 = arith.constant -1 : i32
// CHECK-NEXT: %21 = arith.constant 1 : i32
// CHECK-NEXT: %22 = arith.constant 31 : i32
// CHECK-NEXT: %23 = nvvm.shfl.sync bfly %20, %19, %21, %22 : f32 -> f32
// CHECK-NEXT: %24 = llvm.intr.minnum(%19, %23) : (f32, f32) -> f32
// CHECK-NEXT: %25 = llvm.mlir.addressof @all_reduce_storage_1 : !llvm.ptr<3>
// CHECK-NEXT: %26 = nvvm.read.ptx.sreg.laneid : i32
// CHECK-NEXT: %27 = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT: %28 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %29 = llvm.mul %27, %28 : i32
// CHECK-NEXT: %30 = nvvm.read.ptx.sreg.tid.y : i32
// CHECK-NEXT: %31 = llvm.add %29, %30 : i32
// CHECK-NEXT: %32 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT: %33 = llvm.mul %31, %32 : i32
// CHECK-NEXT: %34 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT: %35 = llvm.add %33, %34 : i32
// CHECK-NEXT: %36 = arith.constant 5 : i32
// CHECK-NEXT: %37 = llvm.lshr %35, %36 : i32
// CHECK-NEXT: %38 = arith.constant 5 : i32
// CHECK-NEXT: %39 = llvm.shl %26, %38 : i32
// CHECK-NEXT: %40 = llvm.add %39, %37 : i32
// CHECK-NEXT: %41 = llvm.getelementptr %25[%40] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
// CHECK-NEXT: llvm.store %24, %41 : f32, !llvm.ptr<3>
// CHECK-NEXT: %42 = arith.constant 0 : i32
// CHECK-NEXT: nvvm.bar.sync.aligned %42 : i32
// CHECK-NEXT: %43 = llvm.getelementptr %25[%26] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
// CHECK-NEXT: %44 = llvm.load %43 : !llvm.ptr<3> -> f32
// CHECK-NEXT: nvvm.bar.sync.aligned %42 : i32
// CHECK-NEXT: %45 = nvvm.read.ptx.sreg.ntid.z : i32
// CHECK-NEXT: %46 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT: %47 = llvm.mul %45, %46 : i32
// CHECK-NEXT: %48 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT: %49 = llvm.mul %47, %48 : i32
// CHECK-NEXT: %50 = arith.constant 31 : i32
// CHECK-NEXT: %51 = llvm.add %49, %50 : i32
// CHECK-NEXT: %52 = arith.constant 5 : i32
// CHECK-NEXT: %53 = llvm.lshr %51, %52 : i32
// CHECK-NEXT: %54 = arith.constant -1 : i32
// CHECK-NEXT: %55 = arith.constant 16 : i32
// CHECK-NEXT: %56 = arith.constant 31 : i32
// CHECK-NEXT: %57 = nvvm.shfl.sync down %54, %44, %55, %56 : f32 -> f32
// CHECK-NEXT: %58 = llvm.intr.minnum(%44, %57) : (f32, f32) -> f32
// CHECK-NEXT: %59 = arith.constant 16 : i32
// CHECK-NEXT: %60 = llvm.add %26, %59 : i32
// CHECK-NEXT: %61 = llvm.icmp "ult" %60, %53 : i32
// CHECK-NEXT: %62 = llvm.select %61, %58, %44 : i1, f32
// CHECK-NEXT: %63 = arith.constant -1 : i32
// CHECK-NEXT: %64 = arith.constant 8 : i32
// CHECK-NEXT: %65 = arith.constant 31 : i32
// CHECK-NEXT: %66 = nvvm.shfl.sync down %63, %62, %64, %65 : f32 -> f32
// CHECK-NEXT: %67 = llvm.intr.minnum(%62, %66) : (f32, f32) -> f32
// CHECK-NEXT: %68 = arith.constant 8 : i32
// CHECK-NEXT: %69 = llvm.add %26, %68 : i32
// CHECK-NEXT: %70 = llvm.icmp "ult" %69, %53 : i32
// CHECK-NEXT: %71 = llvm.select %70, %67, %62 : i1, f32
// CHECK-NEXT: %72 = arith.constant -1 : i32
// CHECK-NEXT: %73 = arith.constant 4 : i32
// CHECK-NEXT: %74 = arith.constant 31 : i32
// CHECK-NEXT: %75 = nvvm.shfl.sync down %72, %71, %73, %74 : f32 -> f32
// CHECK-NEXT: %76 = llvm.intr.minnum(%71, %75) : (f32, f32) -> f32
// CHECK-NEXT: %77 = arith.constant 4 : i32
// CHECK-NEXT: %78 = llvm.add %26, %77 : i32
// CHECK-NEXT: %79 = llvm.icmp "ult" %78, %53 : i32
// CHECK-NEXT: %80 = llvm.select %79, %76, %71 : i1, f32
// CHECK-NEXT: %81 = arith.constant -1 : i32
// CHECK-NEXT: %82 = arith.constant 2 : i32
// CHECK-NEXT: %83 = arith.constant 31 : i32
// CHECK-NEXT: %84 = nvvm.shfl.sync down %81, %80, %82, %83 : f32 -> f32
// CHECK-NEXT: %85 = llvm.intr.minnum(%80, %84) : (f32, f32) -> f32
// CHECK-NEXT: %86 = arith.constant 2 : i32
// CHECK-NEXT: %87 = llvm.add %26, %86 : i32
// CHECK-NEXT: %88 = llvm.icmp "ult" %87, %53 : i32
// CHECK-NEXT: %89 = llvm.select %88, %85, %80 : i1, f32
// CHECK-NEXT: %90 = arith.constant -1 : i32
// CHECK-NEXT: %91 = arith.constant 1 : i32
// CHECK-NEXT: %92 = arith.constant 31 : i32
// CHECK-NEXT: %93 = nvvm.shfl.sync down %90, %89, %91, %92 : f32 -> f32
// CHECK-NEXT: %94 = llvm.intr.minnum(%89, %93) : (f32, f32) -> f32
// CHECK-NEXT: %95 = arith.constant 1 : i32
// CHECK-NEXT: %96 = llvm.add %26, %95 : i32
// CHECK-NEXT: %97 = llvm.icmp "ult" %96, %53 : i32
// CHECK-NEXT: %98 = llvm.select %97, %94, %89 : i1, f32
// CHECK-NEXT: %99 = arith.constant -1 : i32
// CHECK-NEXT: %100 = arith.constant 0 : i32
// CHECK-NEXT: %101 = arith.constant 31 : i32
// CHECK-NEXT: %102 = nvvm.shfl.sync idx %99, %98, %100, %101 : f32 -> f32
// CHECK-NEXT: func.return %102 : f32
// CHECK-NEXT: }

// The body is copied for each use.
func.func @block_by_body(%x: f32) -> f32 {
  %0 = "gpu.all_reduce"(%x) ({
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = "test.op"(%lhs, %rhs) : (f32, f32) -> f32
    "gpu.yield"(%sum) : (f32) -> ()
  }) : (f32) -> f32
  func.return %0 : f32
}
// CHECK-LABEL: func.func @block_by_body
// CHECK-COUNT-10: "test.op"
// CHECK-NOT: gpu.yield
