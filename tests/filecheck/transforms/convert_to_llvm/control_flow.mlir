// RUN: tileiras-opt %s -p convert-to-llvm | filecheck %s

func.func private @declared(index, memref<4xf32>) -> i32
// CHECK: llvm.func @declared(i64, !llvm.ptr) -> i32

func.func private @several(%x: index {llvm.noundef}, %c: i1) -> (index, f32) {
  %0 = ub.poison : f32
  cf.br ^bb1(%x : index)
^bb1(%i: index):
  %1 = arith.addi %i, %x : index
  cf.cond_br %c, ^bb1(%1 : index), ^bb2(%1, %0 : index, f32)
^bb2(%r: index, %s: f32):
  func.return %r, %s : index, f32
}
// CHECK: llvm.func internal @several(%x: i64 {llvm.noundef}, %c: i1) -> [[struct:!llvm.struct<.i64, f32.>]] {
// CHECK-NEXT: %0 = llvm.mlir.poison : f32
// CHECK-NEXT: llvm.br ^bb1(%x : i64)
// CHECK-NEXT: ^bb1(%i: i64):
// CHECK-NEXT: %1 = llvm.add %i, %x : i64
// CHECK-NEXT: llvm.cond_br %c, ^bb1(%1 : i64), ^bb2(%1, %0 : i64, f32)
// CHECK-NEXT: ^bb2(%r: i64, %s: f32):
// CHECK-NEXT: %2 = llvm.mlir.poison : [[struct]]
// CHECK-NEXT: %3 = llvm.insertvalue %r, %2[0] : [[struct]]
// CHECK-NEXT: %4 = llvm.insertvalue %s, %3[1] : [[struct]]
// CHECK-NEXT: llvm.return %4 : [[struct]]

func.func @caller(%x: index, %m: memref<4xf32>, %c: i1) -> i32 attributes {nvvm.kernel} {
  %0, %1 = func.call @several(%x, %c) : (index, i1) -> (index, f32)
  %2 = func.call @declared(%0, %m) : (index, memref<4xf32>) -> i32
  cf.switch %2 : i32, [
    default: ^bb1(%2 : i32),
    -1: ^bb2(%0 : index),
    7: ^bb3
  ]
^bb1(%3: i32):
  func.return %3 : i32
^bb2(%4: index):
  %5 = arith.index_cast %4 : index to i32
  cf.br ^bb1(%5 : i32)
^bb3:
  ub.unreachable
}
// CHECK: llvm.func @caller(%x_1: i64, %m: !llvm.ptr, %c_1: i1) -> i32 attributes {nvvm.kernel} {
// CHECK-NEXT: %5 = llvm.call @several(%x_1, %c_1) : (i64, i1) -> [[struct]]
// CHECK-NEXT: %6 = llvm.extractvalue %5[0] : [[struct]]
// CHECK-NEXT: %7 = llvm.extractvalue %5[1] : [[struct]]
// CHECK-NEXT: %8 = llvm.call @declared(%6, %m) : (i64, !llvm.ptr) -> i32
// CHECK-NEXT: "llvm.switch"(%8, %8, %6) [^bb1, ^bb2, ^bb3] <{case_values = dense<[-1, 7]> : vector<2xi32>, case_operand_segments = array<i32: 1, 0>,
// CHECK-SAME: operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i64) -> ()
// CHECK-NEXT: ^bb1(%9: i32):
// CHECK-NEXT: llvm.return %9 : i32
// CHECK-NEXT: ^bb2(%10: i64):
// CHECK-NEXT: %11 = llvm.trunc %10 : i64 to i32
// CHECK-NEXT: llvm.br ^bb1(%11 : i32)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: llvm.unreachable

llvm.func @half_converted(%n: i64) {
  %0 = builtin.unrealized_conversion_cast %n : i64 to index
  cf.br ^bb1(%0 : index)
^bb1(%i: index):
  %1 = builtin.unrealized_conversion_cast %i : index to i64
  %2 = llvm.icmp "eq" %1, %n : i64
  cf.cond_br %2, ^bb1(%i : index), ^bb2
^bb2:
  llvm.return
}
// CHECK: llvm.func @half_converted(%n: i64) {
// CHECK-NEXT: llvm.br ^bb1(%n : i64)
// CHECK-NEXT: ^bb1(%i_1: i64):
// CHECK-NEXT: %12 = llvm.icmp "eq" %i_1, %n : i64
// CHECK-NEXT: llvm.cond_br %12, ^bb1(%i_1 : i64), ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: llvm.return

func.func @casts(%m: memref<4xf32, 3>, %p: !llvm.ptr<3>, %v: vector<2x2xf32>) -> (f32, vector<4xf32>) {
  %0 = builtin.unrealized_conversion_cast %m : memref<4xf32, 3> to !llvm.ptr<3>
  %1 = llvm.load %0 : !llvm.ptr<3> -> f32
  %2 = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<4xf32, 3>
  %i = llvm.mlir.constant(1) : i64
  %3 = builtin.unrealized_conversion_cast %i : i64 to index
  memref.store %1, %2[%3] : memref<4xf32, 3>
  %4 = builtin.unrealized_conversion_cast %v : vector<2x2xf32> to !llvm.array<2 x vector<2xf32>>
  %5 = builtin.unrealized_conversion_cast %4 : !llvm.array<2 x vector<2xf32>> to vector<4xf32>
  func.return %1, %5 : f32, vector<4xf32>
}
// CHECK: llvm.func @casts(%m_1: !llvm.ptr<3>, %p: !llvm.ptr<3>, %v: vector<4xf32>) -> [[struct_1:!llvm.struct<.f32, vector<4xf32>.>]] {
// CHECK-NEXT: %13 = llvm.load %m_1 : !llvm.ptr<3> -> f32
// CHECK-NEXT: %i_2 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %14 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %15 = llvm.getelementptr inbounds %p[%14] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT: llvm.store %13, %15 : f32, !llvm.ptr<3>
// CHECK-NEXT: %16 = llvm.mlir.poison : [[struct_1]]
// CHECK-NEXT: %17 = llvm.insertvalue %13, %16[0] : [[struct_1]]
// CHECK-NEXT: %18 = llvm.insertvalue %v, %17[1] : [[struct_1]]
// CHECK-NEXT: llvm.return %18 : [[struct_1]]

gpu.module @kernels attributes {tag = 1 : i32} {
  func.func @order(%c: i1) -> index {
    cf.br ^bb2
  ^bb1:
    %1 = arith.addi %0, %0 : index
    func.return %1 : index
  ^bb2:
    %0 = arith.constant 4 : index
    cf.br ^bb1
  }
}
// CHECK: gpu.module @kernels attributes {tag = 1 : i32} {
// CHECK-NEXT: llvm.func @order(%c_2: i1) -> i64 {
// CHECK-NEXT: llvm.br ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %19 = llvm.add %20, %20 : i64
// CHECK-NEXT: llvm.return %19 : i64
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %20 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: llvm.br ^bb1
// CHECK-NEXT: }
// CHECK-NEXT: }
