// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --split-input-file --print-local-scope | filecheck %t.mlir --match-full-lines
// RUN: tileiras-opt %t.mlir --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %t.mlir --match-full-lines
// RUN: tileiras-opt %t.mlir --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %t.mlir --match-full-lines
// RUN: xdsl-opt %t.mlir --split-input-file | filecheck %t.mlir --match-full-lines
// RUN: tileiras-opt %t.mlir --print-op-generic --split-input-file | filecheck %t.mlir --check-prefix=GENERIC

// -----

// The five paths, in their order. The input has numbers only.

// REQ: B-43, B-44, B-45, B-46, B-47, B-48, B-49

// CHECK:      %true = cuda_tile.constant <i1: true> : !t8xi1
%0 = cuda_tile.constant <i1: 1> : !t8xi1
// CHECK-NEXT: %false = cuda_tile.constant <i1: false> : [[i1:!i1]]
%1 = cuda_tile.constant <i1: 0> : !i1
// CHECK-NEXT: %cst_NaN = cuda_tile.constant <f32: 0x7FC00000> : !t4xf32
%2 = cuda_tile.constant <f32: 0x7FC00000> : !t4xf32
// CHECK-NEXT: %cst_i1 = cuda_tile.constant <i1: [true, false, true, false]> : !t4xi1
%3 = cuda_tile.constant <i1: [1, 0, 1, 0]> : !t4xi1
// CHECK-NEXT: %cst_42 = cuda_tile.constant <i32: 42> : !t16xi32
%4 = cuda_tile.constant <i32: 42> : !t16xi32
// CHECK-NEXT: %cst = cuda_tile.constant <f32: 2.500000e+00> : [[f32:!f32]]
%5 = cuda_tile.constant <f32: 2.5> : !f32
// CHECK-NEXT: }
// GENERIC:      %true = "cuda_tile.constant"()
// GENERIC-NEXT: %false = "cuda_tile.constant"()
// GENERIC-NEXT: %cst_NaN = "cuda_tile.constant"()
// GENERIC-NEXT: %cst_i1 = "cuda_tile.constant"()
// GENERIC-NEXT: %cst_42 = "cuda_tile.constant"()
// GENERIC-NEXT: %cst = "cuda_tile.constant"()

// Every NaN of its type is one; infinities are not, and neither is a tile with one NaN in it.

// REQ: B-45, B-48

// CHECK:      %cst_NaN = cuda_tile.constant <f16: 0x7E00> : !f16
%0 = cuda_tile.constant <f16: 0x7E00> : !f16
// CHECK-NEXT: %cst_NaN_1 = cuda_tile.constant <f16: 0xFC01> : !t2xf16
%1 = cuda_tile.constant <f16: 0xFC01> : !t2xf16
// CHECK-NEXT: %cst_NaN_2 = cuda_tile.constant <f32: 0x7F800001> : [[f32]]
%2 = cuda_tile.constant <f32: 0x7F800001> : !f32
// CHECK-NEXT: %cst_NaN_3 = cuda_tile.constant <f64: 0xFFFFFFFFFFFFFFFF> : !f64
%3 = cuda_tile.constant <f64: 0xFFFFFFFFFFFFFFFF> : !f64
// CHECK-NEXT: %cst_NaN_4 = cuda_tile.constant <f8E4M3FN: 0xFF> : !f8E4M3FN
%4 = cuda_tile.constant <f8E4M3FN: 0xFF> : !f8E4M3FN
// CHECK-NEXT: %cst_NaN_5 = cuda_tile.constant <f8E8M0FNU: 0xFF> : !f8E8M0FNU
%5 = cuda_tile.constant <f8E8M0FNU: 0xFF> : !f8E8M0FNU
// CHECK-NEXT: %cst = cuda_tile.constant <f32: 0x7F800000> : [[f32]]
%6 = cuda_tile.constant <f32: 0x7F800000> : !f32
// CHECK-NEXT: %cst_1 = cuda_tile.constant <f32: [0x7FC00000, 1.000000e+00]> : !t2xf32
%7 = cuda_tile.constant <f32: [0x7FC00000, 1.0]> : !t2xf32
// CHECK-NEXT: }

// Integers: signed values of every width and length; those that are not splats have no number.

// REQ: B-47, B-48

// CHECK:      %cst_-1 = cuda_tile.constant <i8: -1> : !i8
%0 = cuda_tile.constant <i8: 255> : !i8
// CHECK-NEXT: %cst_-32768 = cuda_tile.constant <i16: -32768> : !i16
%1 = cuda_tile.constant <i16: -32768> : !i16
// CHECK-NEXT: %cst_0 = cuda_tile.constant <i32: 0> : [[i32:!i32]]
%2 = cuda_tile.constant <i32: 0> : !i32
// CHECK-NEXT: %cst_-9223372036854775808 = cuda_tile.constant <i64: -9223372036854775808> : !t2x2xi64
%3 = cuda_tile.constant <i64: 0x8000000000000000> : !t2x2xi64
// CHECK-NEXT: %cst_7 = cuda_tile.constant <i32: 7> : !t2xi32
%4 = cuda_tile.constant <i32: [7, 7]> : !t2xi32
// CHECK-NEXT: %cst = cuda_tile.constant <i32: [7, 8]> : !t2xi32
%5 = cuda_tile.constant <i32: [7, 8]> : !t2xi32
// CHECK-NEXT: %cst_7_1 = cuda_tile.constant <i32: 7> : [[i32]]
%6 = cuda_tile.constant <i32: 7> : !i32
// CHECK-NEXT: }

// The second unnamed constant is not confused with the integer 1, nor the third with 2, whichever
// comes first.

// REQ: B-48, B-49

// CHECK:      %cst = cuda_tile.constant <f32: 5.000000e-01> : [[f32]]
// CHECK-NEXT: %cst_3 = cuda_tile.constant <f32: 1.500000e+00> : [[f32]]
// CHECK-NEXT: %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
// CHECK-NEXT: %cst_4 = cuda_tile.constant <f32: 2.500000e+00> : [[f32]]
// CHECK-NEXT: %cst_2 = cuda_tile.constant <i32: 2> : [[i32]]
// CHECK-NEXT: "test.op"(%cst, %cst_3, %cst_1, %cst_4, %cst_2) : ([[f32]], [[f32]], [[i32]], [[f32]], [[i32]]) -> ()
%0 = cuda_tile.constant <f32: 0.5> : !f32
%1 = cuda_tile.constant <f32: 1.5> : !f32
%2 = cuda_tile.constant <i32: 1> : !i32
%3 = cuda_tile.constant <f32: 2.5> : !f32
%4 = cuda_tile.constant <i32: 2> : !i32
"test.op"(%0, %1, %2, %3, %4) : (!f32, !f32, !i32, !f32, !i32) -> ()
// CHECK-NEXT: }

// Names in the input mean nothing.

// REQ: B-06, B-49

// CHECK:      %cst_0 = cuda_tile.constant <i32: 0> : [[i32]]
%true = cuda_tile.constant <i32: 0> : !i32
// CHECK-NEXT: %true = cuda_tile.constant <i1: true> : [[i1]]
%cst_42 = cuda_tile.constant <i1: true> : !i1
// CHECK-NEXT: %cst = cuda_tile.constant <f32: 1.000000e+00> : [[f32]]
%cst_NaN = cuda_tile.constant <f32: 1.0> : !f32
// CHECK-NEXT: %cst_41 = cuda_tile.constant <i32: 41> : [[i32]]
%x = cuda_tile.constant <i32: 41> : !i32
// CHECK-NEXT: %0 = cuda_tile.addi %cst_0, %cst_41 : [[i32]]
%0 = cuda_tile.addi %true, %x : !i32
// CHECK-NEXT: %1 = cuda_tile.select %true, %cst, %cst : [[i1]], [[f32]]
%1 = cuda_tile.select %cst_42, %cst_NaN, %cst_NaN : !i1, !f32
// CHECK-NEXT: %token = cuda_tile.iota : !t4xi32
%token = cuda_tile.iota : !t4xi32
// CHECK-NEXT: }

// Values of other ops that are called like constants.

// REQ: B-48, B-49

// CHECK:      %cst, %cst_1 = "test.op"() : () -> (i32, i32)
%cst_0, %cst_5 = "test.op"() : () -> (i32, i32)
// CHECK-NEXT: %cst_1_i32 = cuda_tile.constant <i32: 1> : [[i32]]
%0 = cuda_tile.constant <i32: 1> : !i32
// CHECK-NEXT: %cst_3 = cuda_tile.constant <f32: 5.000000e-01> : [[f32]]
%1 = cuda_tile.constant <f32: 0.5> : !f32
// CHECK-NEXT: %cst_2 = "test.op"() : () -> i32
%cst = "test.op"() : () -> i32
// CHECK-NEXT: %true = "test.op"() : () -> i32
%true_3 = "test.op"() : () -> i32
// CHECK-NEXT: %true_1 = cuda_tile.constant <i1: true> : [[i1]]
%2 = cuda_tile.constant <i1: 1> : !i1
// CHECK-NEXT: "test.op"(%cst, %cst_1, %cst_1_i32, %cst_3, %cst_2) : (i32, i32, [[i32]], [[f32]], i32) -> ()
"test.op"(%cst_0, %cst_5, %0, %1, %cst) : (i32, i32, !i32, !f32, i32) -> ()
// CHECK-NEXT: }

// Kernels are named independently, regions of one kernel together.

// REQ: B-48, B-49

// CHECK:      func.func @a(%cst: i32) {
// CHECK-NEXT:   %cst_1 = cuda_tile.constant <f32: 5.000000e-01> : [[f32]]
// CHECK-NEXT:   "test.op"() ({
// CHECK-NEXT:     %cst_2 = cuda_tile.constant <f32: 1.500000e+00> : [[f32]]
// CHECK-NEXT:     "test.termop"() : () -> ()
// CHECK-NEXT:   }, {
// CHECK-NEXT:     %cst_3 = cuda_tile.constant <f32: 2.500000e+00> : [[f32]]
// CHECK-NEXT:     "test.termop"() : () -> ()
// CHECK-NEXT:   }) : () -> ()
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @a(%cst: i32) {
  %0 = cuda_tile.constant <f32: 0.5> : !f32
  "test.op"() ({
    %1 = cuda_tile.constant <f32: 1.5> : !f32
    "test.termop"() : () -> ()
  }, {
    %1 = cuda_tile.constant <f32: 2.5> : !f32
    "test.termop"() : () -> ()
  }) : () -> ()
  func.return
}
// CHECK-NEXT: func.func @b() {
// CHECK-NEXT:   %cst = cuda_tile.constant <f32: 5.000000e-01> : [[f32]]
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @b() {
  %0 = cuda_tile.constant <f32: 0.5> : !f32
  func.return
}
// CHECK-NEXT: }

// Scopes in scopes count on.

// REQ: B-48, B-49

// CHECK:      "test.op"() ({
// CHECK-NEXT:   %cst = cuda_tile.constant <f32: 5.000000e-01> : [[f32]]
// CHECK-NEXT:   func.func @c() {
// CHECK-NEXT:     %cst_3 = cuda_tile.constant <f32: 1.500000e+00> : [[f32]]
// CHECK-NEXT:     %cst_1 = cuda_tile.constant <i32: 1> : [[i32]]
// CHECK-NEXT:     %cst_2 = cuda_tile.constant <i32: 2> : [[i32]]
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT:   "test.termop"() : () -> ()
// CHECK-NEXT: }) : () -> ()
"test.op"() ({
  %0 = cuda_tile.constant <f32: 0.5> : !f32
  func.func @c() {
    %1 = cuda_tile.constant <f32: 1.5> : !f32
    %2 = cuda_tile.constant <i32: 1> : !i32
    %3 = cuda_tile.constant <i32: 2> : !i32
    func.return
  }
  "test.termop"() : () -> ()
}) : () -> ()
// CHECK-NEXT: }

// Names for views, broadcasts, reductions and products, where the input gives none.

// REQ: B-50, B-51

%p, %x, %a, %b, %c = "test.op"() : () -> (!ptr_f32, !t1xf32, !t16x16xf16, !t16x16xf16, !t16x16xf32)
%i, %j = "test.op"() : () -> (!t16x32xi8, !t32x16xi8)
%k = "test.op"() : () -> !t16x16xi32
// CHECK:      %view = cuda_tile.make_tensor_view %p, shape = [8], strides = [1] : !cuda_tile.tensor_view<8xf32, strides=[1]>
%0 = cuda_tile.make_tensor_view %p, shape = [8], strides = [1] : !cuda_tile.tensor_view<8xf32, strides=[1]>
// CHECK-NEXT: %view_1 = cuda_tile.make_partition_view %view : !cuda_tile.partition_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>>
%1 = cuda_tile.make_partition_view %0 : !cuda_tile.partition_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>>
// CHECK-NEXT: %view_2 = cuda_tile.make_strided_view %view : !cuda_tile.strided_view<tile=(4), traversal_strides=[2], !cuda_tile.tensor_view<8xf32, strides=[1]>>
%2 = cuda_tile.make_strided_view %0 : !cuda_tile.strided_view<tile=(4), traversal_strides=[2], !cuda_tile.tensor_view<8xf32, strides=[1]>>
// CHECK-NEXT: %view_3 = cuda_tile.make_gather_scatter_view %view : !cuda_tile.gather_scatter_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>, sparse_dim=0>
%3 = cuda_tile.make_gather_scatter_view %0 : !cuda_tile.gather_scatter_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>, sparse_dim=0>
// CHECK-NEXT: %bcast = cuda_tile.broadcast %x : !t1xf32 -> !t8xf32
%4 = cuda_tile.broadcast %x : !t1xf32 -> !t8xf32
// CHECK-NEXT: %mm = cuda_tile.mmaf %a, %b, %c : !t16x16xf16, !t16x16xf16, !t16x16xf32
%5 = cuda_tile.mmaf %a, %b, %c : !t16x16xf16, !t16x16xf16, !t16x16xf32
// CHECK-NEXT: %mm_1 = cuda_tile.mmai %i, %j, %k signed signed : !t16x32xi8, !t32x16xi8, !t16x16xi32
%6 = cuda_tile.mmai %i, %j, %k signed signed : !t16x32xi8, !t32x16xi8, !t16x16xi32
// CHECK-NEXT: %red = cuda_tile.reduce %bcast dim=0 identities=[0.000000e+00 : f32] : !t8xf32 -> [[f32]] (%l: [[f32]], %r: [[f32]]) {
// CHECK-NEXT: ^body:
// CHECK-NEXT:   %sum = cuda_tile.addf %l, %r : [[f32]]
// CHECK-NEXT:   cuda_tile.yield %sum : [[f32]]
// CHECK-NEXT: }
%7 = cuda_tile.reduce %4 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32
(%l: !f32, %r: !f32) {
  %sum = addf %l, %r : !f32
  yield %sum : !f32
}
// CHECK-NEXT: %mine = cuda_tile.broadcast %x : !t1xf32 -> !t8xf32
%mine = cuda_tile.broadcast %x : !t1xf32 -> !t8xf32
// CHECK-NEXT: }
