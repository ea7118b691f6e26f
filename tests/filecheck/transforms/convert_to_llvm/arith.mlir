// RUN: tileiras-opt %s -p convert-to-llvm | filecheck %s
// REQ: J-18

!v4xi32 = vector<4xi32>

func.func @integers(%x: i32, %y: i32, %i: index) {
  %0 = arith.addi %x, %y overflow<nsw> : i32
  %1 = arith.subi %i, %i overflow<nsw, nuw> : index
  %2 = arith.muli %x, %y : i32
  %3 = arith.shli %x, %y overflow<nuw> : i32
  %4 = arith.divui %x, %y {isExact} : i32
  %5 = arith.divsi %i, %i : index
  %6 = arith.remui %x, %y : i32
  %7 = arith.remsi %x, %y : i32
  %8 = arith.shrui %x, %y {isExact} : i32
  %9 = arith.shrsi %x, %y : i32
  %10 = arith.andi %x, %y : i32
  %11 = arith.ori %x, %y : i32
  %12 = arith.xori %x, %y : i32
  %13 = arith.minsi %i, %i : index
  %14 = arith.maxsi %x, %y : i32
  %15 = arith.minui %x, %y : i32
  %16 = arith.maxui %x, %y : i32
  %17 = arith.cmpi ult, %i, %i : index
  %18 = arith.select %17, %i, %1 : index
  func.return
}
// CHECK: llvm.func @integers(%x: i32, %y: i32, %i: i64) {
// CHECK-NEXT: %0 = llvm.add %x, %y overflow<nsw> : i32
// CHECK-NEXT: %1 = llvm.sub %i, %i overflow<nsw,nuw> : i64
// CHECK-NEXT: %2 = llvm.mul %x, %y : i32
// CHECK-NEXT: %3 = llvm.shl %x, %y overflow<nuw> : i32
// CHECK-NEXT: %4 = llvm.udiv exact %x, %y : i32
// CHECK-NEXT: %5 = llvm.sdiv %i, %i : i64
// CHECK-NEXT: %6 = llvm.urem %x, %y : i32
// CHECK-NEXT: %7 = llvm.srem %x, %y : i32
// CHECK-NEXT: %8 = llvm.lshr exact %x, %y : i32
// CHECK-NEXT: %9 = llvm.ashr %x, %y : i32
// CHECK-NEXT: %10 = llvm.and %x, %y : i32
// CHECK-NEXT: %11 = llvm.or %x, %y : i32
// CHECK-NEXT: %12 = llvm.xor %x, %y : i32
// CHECK-NEXT: %13 = llvm.intr.smin(%i, %i) : (i64, i64) -> i64
// CHECK-NEXT: %14 = llvm.intr.smax(%x, %y) : (i32, i32) -> i32
// CHECK-NEXT: %15 = llvm.intr.umin(%x, %y) : (i32, i32) -> i32
// CHECK-NEXT: %16 = llvm.intr.umax(%x, %y) : (i32, i32) -> i32
// CHECK-NEXT: %17 = llvm.icmp "ult" %i, %i : i64
// CHECK-NEXT: %18 = llvm.select %17, %i, %1 : i1, i64
// CHECK-NEXT: llvm.return

func.func @vectors(%x: !v4xi32, %c: vector<4xi1>, %i: vector<2x2xindex>, %f: vector<4xf32>) {
  %0 = arith.addi %x, %x overflow<nsw> : !v4xi32
  %1 = arith.cmpi sge, %x, %x : !v4xi32
  %2 = arith.select %c, %x, %0 : vector<4xi1>, !v4xi32
  %3 = arith.index_cast %i : vector<2x2xindex> to vector<2x2xi32>
  %4 = arith.constant dense<[[1, 2], [3, 4]]> : vector<2x2xindex>
  %5 = arith.muli %i, %4 : vector<2x2xindex>
  %6 = arith.trunci %x : !v4xi32 to vector<4xi8>
  %7 = arith.bitcast %f : vector<4xf32> to !v4xi32
  %8 = arith.cmpf une, %f, %f : vector<4xf32>
  %9 = arith.constant dense<5.000000e-01> : vector<4xf32>
  func.return
}
// CHECK: llvm.func @vectors(%x_1: vector<4xi32>, %c: vector<4xi1>, %i_1: vector<4xi64>, %f: vector<4xf32>) {
// CHECK-NEXT: %19 = llvm.add %x_1, %x_1 overflow<nsw> : vector<4xi32>
// CHECK-NEXT: %20 = llvm.icmp "sge" %x_1, %x_1 : vector<4xi32>
// CHECK-NEXT: %21 = llvm.select %c, %x_1, %19 : vector<4xi1>, vector<4xi32>
// CHECK-NEXT: %22 = llvm.trunc %i_1 : vector<4xi64> to vector<4xi32>
// CHECK-NEXT: %23 = llvm.mlir.constant(dense<[1, 2, 3, 4]> : vector<4xi64>) : vector<4xi64>
// CHECK-NEXT: %24 = llvm.mul %i_1, %23 : vector<4xi64>
// CHECK-NEXT: %25 = llvm.trunc %x_1 : vector<4xi32> to vector<4xi8>
// CHECK-NEXT: %26 = llvm.bitcast %f : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: %27 = llvm.fcmp "une" %f, %f : vector<4xf32>
// CHECK-NEXT: %28 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
// CHECK-NEXT: llvm.return

func.func @expansions(%x: i32, %y: i32, %v: vector<2xi32>) {
  %0 = arith.floordivsi %x, %y : i32
  %1 = arith.ceildivsi %x, %y : i32
  %2 = arith.ceildivui %x, %y : i32
  %3, %4 = arith.addui_extended %x, %y : i32, i1
  %5, %6 = arith.mului_extended %x, %y : i32
  %7, %8 = arith.mulsi_extended %v, %v : vector<2xi32>
  func.return
}
// CHECK: llvm.func @expansions(%x_2: i32, %y_1: i32, %v: vector<2xi32>) {
// CHECK-NEXT: %29 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT: %30 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT: %31 = llvm.sdiv %x_2, %y_1 : i32
// CHECK-NEXT: %32 = llvm.mul %31, %y_1 : i32
// CHECK-NEXT: %33 = llvm.icmp "ne" %32, %x_2 : i32
// CHECK-NEXT: %34 = llvm.icmp "slt" %x_2, %29 : i32
// CHECK-NEXT: %35 = llvm.icmp "slt" %y_1, %29 : i32
// CHECK-NEXT: %36 = llvm.icmp "ne" %34, %35 : i1
// CHECK-NEXT: %37 = llvm.and %33, %36 : i1
// CHECK-NEXT: %38 = llvm.add %31, %30 : i32
// CHECK-NEXT: %39 = llvm.select %37, %38, %31 : i1, i32
// CHECK-NEXT: %40 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: %41 = llvm.sdiv %x_2, %y_1 : i32
// CHECK-NEXT: %42 = llvm.mul %41, %y_1 : i32
// CHECK-NEXT: %43 = llvm.icmp "ne" %42, %x_2 : i32
// CHECK-NEXT: %44 = llvm.icmp "slt" %x_2, %29 : i32
// CHECK-NEXT: %45 = llvm.icmp "slt" %y_1, %29 : i32
// CHECK-NEXT: %46 = llvm.icmp "eq" %44, %45 : i1
// CHECK-NEXT: %47 = llvm.and %43, %46 : i1
// CHECK-NEXT: %48 = llvm.add %41, %40 : i32
// CHECK-NEXT: %49 = llvm.select %47, %48, %41 : i1, i32
// CHECK-NEXT: %50 = llvm.sub %x_2, %40 : i32
// CHECK-NEXT: %51 = llvm.udiv %50, %y_1 : i32
// CHECK-NEXT: %52 = llvm.add %51, %40 : i32
// CHECK-NEXT: %53 = llvm.icmp "eq" %x_2, %29 : i32
// CHECK-NEXT: %54 = llvm.select %53, %29, %52 : i1, i32
// CHECK-NEXT: %55 = llvm.add %x_2, %y_1 : i32
// CHECK-NEXT: %56 = llvm.icmp "ult" %55, %x_2 : i32
// CHECK-NEXT: %57 = llvm.zext %x_2 : i32 to i64
// CHECK-NEXT: %58 = llvm.zext %y_1 : i32 to i64
// CHECK-NEXT: %59 = llvm.mul %57, %58 : i64
// CHECK-NEXT: %60 = llvm.trunc %59 : i64 to i32
// CHECK-NEXT: %61 = llvm.mlir.constant(32) : i64
// CHECK-NEXT: %62 = llvm.lshr %59, %61 : i64
// CHECK-NEXT: %63 = llvm.trunc %62 : i64 to i32
// CHECK-NEXT: %64 = llvm.sext %v : vector<2xi32> to vector<2xi64>
// CHECK-NEXT: %65 = llvm.sext %v : vector<2xi32> to vector<2xi64>
// CHECK-NEXT: %66 = llvm.mul %64, %65 : vector<2xi64>
// CHECK-NEXT: %67 = llvm.trunc %66 : vector<2xi64> to vector<2xi32>
// CHECK-NEXT: %68 = llvm.mlir.constant(dense<32> : vector<2xi64>) : vector<2xi64>
// CHECK-NEXT: %69 = llvm.lshr %66, %68 : vector<2xi64>
// CHECK-NEXT: %70 = llvm.trunc %69 : vector<2xi64> to vector<2xi32>
// CHECK-NEXT: llvm.return

func.func @floats(%x: f32, %y: f32, %v: vector<4xf16>) {
  %0 = arith.addf %x, %y fastmath<contract> : f32
  %1 = arith.subf %x, %y fastmath<nnan, ninf> : f32
  %2 = arith.mulf %v, %v fastmath<reassoc> : vector<4xf16>
  %3 = arith.divf %x, %y fastmath<arcp, afn> : f32
  %4 = arith.negf %x fastmath<nsz> : f32
  %5 = arith.maximumf %x, %y fastmath<fast> : f32
  %6 = arith.minimumf %x, %y : f32
  %7 = arith.maxnumf %x, %y : f32
  %8 = arith.minnumf %v, %v : vector<4xf16>
  %9 = arith.cmpf ole, %x, %y fastmath<nnan> : f32
  func.return
}
// CHECK: llvm.func @floats(%x_3: f32, %y_2: f32, %v_1: vector<4xf16>) {
// CHECK-NEXT: %71 = llvm.fadd %x_3, %y_2 {fastmathFlags = #llvm.fastmath<contract>} : f32
// CHECK-NEXT: %72 = llvm.fsub %x_3, %y_2 {fastmathFlags = #llvm.fastmath<nnan,ninf>} : f32
// CHECK-NEXT: %73 = llvm.fmul %v_1, %v_1 {fastmathFlags = #llvm.fastmath<reassoc>} : vector<4xf16>
// CHECK-NEXT: %74 = llvm.fdiv %x_3, %y_2 {fastmathFlags = #llvm.fastmath<arcp,afn>} : f32
// CHECK-NEXT: %75 = llvm.fneg %x_3 {fastmathFlags = #llvm.fastmath<nsz>} : f32
// CHECK-NEXT: %76 = llvm.intr.maximum(%x_3, %y_2) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32) -> f32
// CHECK-NEXT: %77 = llvm.intr.minimum(%x_3, %y_2) : (f32, f32) -> f32
// CHECK-NEXT: %78 = llvm.intr.maxnum(%x_3, %y_2) : (f32, f32) -> f32
// CHECK-NEXT: %79 = llvm.intr.minnum(%v_1, %v_1) : (vector<4xf16>, vector<4xf16>) -> vector<4xf16>
// CHECK-NEXT: %80 = llvm.fcmp "ole" %x_3, %y_2 {fastmathFlags = #llvm.fastmath<nnan>} : f32
// CHECK-NEXT: llvm.return

func.func @casts(%i: index, %x: i32, %z: i64, %f: f32, %b: i8, %e: f8E4M3FN) {
  %0 = arith.index_cast %x : i32 to index
  %1 = arith.index_cast %i : index to i32
  %2 = arith.index_castui %x : i32 to index
  %3 = arith.index_cast %z : i64 to index
  %4 = arith.addi %3, %3 : index
  %5 = arith.extsi %x : i32 to i64
  %6 = arith.extui %x {nonNeg} : i32 to i64
  %7 = arith.trunci %z : i64 to i8
  %8 = arith.extf %f : f32 to f64
  %9 = arith.truncf %f : f32 to bf16
  %10 = arith.sitofp %x : i32 to f32
  %11 = arith.uitofp %x : i32 to f32
  %12 = arith.fptosi %f : f32 to i32
  %13 = arith.fptoui %f : f32 to i32
  %14 = arith.bitcast %f : f32 to i32
  %15 = arith.bitcast %e : f8E4M3FN to i8
  %16 = arith.addi %15, %b : i8
  %17 = arith.constant -1 : index
  %18 = arith.constant true
  %19 = arith.constant 1.500000e+00 : bf16
  func.return
}
// CHECK: llvm.func @casts(%i_2: i64, %x_4: i32, %z: i64, %f_1: f32, %b: i8, %e: i8) {
// CHECK-NEXT: %81 = llvm.sext %x_4 : i32 to i64
// CHECK-NEXT: %82 = llvm.trunc %i_2 : i64 to i32
// CHECK-NEXT: %83 = llvm.zext %x_4 : i32 to i64
// CHECK-NEXT: %84 = llvm.add %z, %z : i64
// CHECK-NEXT: %85 = llvm.sext %x_4 : i32 to i64
// CHECK-NEXT: %86 = llvm.zext nneg %x_4 : i32 to i64
// CHECK-NEXT: %87 = llvm.trunc %z : i64 to i8
// CHECK-NEXT: %88 = llvm.fpext %f_1 : f32 to f64
// CHECK-NEXT: %89 = llvm.fptrunc %f_1 : f32 to bf16
// CHECK-NEXT: %90 = llvm.sitofp %x_4 : i32 to f32
// CHECK-NEXT: %91 = llvm.uitofp %x_4 : i32 to f32
// CHECK-NEXT: %92 = llvm.fptosi %f_1 : f32 to i32
// CHECK-NEXT: %93 = llvm.fptoui %f_1 : f32 to i32
// CHECK-NEXT: %94 = llvm.bitcast %f_1 : f32 to i32
// CHECK-NEXT: %95 = llvm.add %e, %b : i8
// CHECK-NEXT: %96 = llvm.mlir.constant(-1) : i64
// CHECK-NEXT: %97 = llvm.mlir.constant(true) : i1
// CHECK-NEXT: %98 = llvm.mlir.constant(1.500000e+00 : bf16) : bf16
// CHECK-NEXT: llvm.return

func.func @math(%x: f32, %v: vector<4xf16>, %n: i32, %w: !v4xi32) {
  %0 = math.absf %v : vector<4xf16>
  %1 = math.ceil %x fastmath<nnan> : f32
  %2 = math.floor %x : f32
  %3 = math.trunc %x : f32
  %4 = math.round %x : f32
  %5 = math.roundeven %v : vector<4xf16>
  %6 = math.sqrt %x fastmath<afn> : f32
  %7 = math.copysign %x, %x : f32
  %8 = math.fma %x, %x, %x fastmath<contract> : f32
  %9 = math.exp2 %v : vector<4xf16>
  %10 = math.absi %n : i32
  %11 = math.ctlz %n : i32
  %12 = math.cttz %w : !v4xi32
  %13 = math.ctpop %n : i32
  func.return
}
// CHECK: llvm.func @math(%x_5: f32, %v_2: vector<4xf16>, %n: i32, %w: vector<4xi32>) {
// CHECK-NEXT: %99 = llvm.intr.fabs(%v_2) : (vector<4xf16>) -> vector<4xf16>
// CHECK-NEXT: %100 = llvm.intr.ceil(%x_5) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
// CHECK-NEXT: %101 = llvm.intr.floor(%x_5) : (f32) -> f32
// CHECK-NEXT: %102 = llvm.intr.trunc(%x_5) : (f32) -> f32
// CHECK-NEXT: %103 = llvm.intr.round(%x_5) : (f32) -> f32
// CHECK-NEXT: %104 = llvm.intr.roundeven(%v_2) : (vector<4xf16>) -> vector<4xf16>
// CHECK-NEXT: %105 = llvm.intr.sqrt(%x_5) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK-NEXT: %106 = llvm.intr.copysign(%x_5, %x_5) : (f32, f32) -> f32
// CHECK-NEXT: %107 = llvm.intr.fma(%x_5, %x_5, %x_5) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32, f32) -> f32
// CHECK-NEXT: %108 = llvm.intr.exp2(%v_2) : (vector<4xf16>) -> vector<4xf16>
// CHECK-NEXT: %109 = llvm.intr.abs(%n) {is_int_min_poison = false} : (i32) -> i32
// CHECK-NEXT: %110 = llvm.intr.ctlz(%n) {is_zero_poison = false} : (i32) -> i32
// CHECK-NEXT: %111 = llvm.intr.cttz(%w) {is_zero_poison = false} : (vector<4xi32>) -> vector<4xi32>
// CHECK-NEXT: %112 = llvm.intr.ctpop(%n) : (i32) -> i32
// CHECK-NEXT: llvm.return
