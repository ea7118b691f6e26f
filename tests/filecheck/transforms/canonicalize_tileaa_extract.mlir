// RUN: tileiras-opt %s --allow-unregistered-dialect -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s --allow-unregistered-dialect -p canonicalize | filecheck %s

// REQ: D-43
!t8xf32 = tensor<8xf32>
!t8xptr = tensor<8x!llvm.ptr<1>>
!t8x8xf32 = tensor<8x8xf32>

// A value that two paths lead to is extracted once.
func.func @diamond(%a: tensor<8x4xi32>, %i: i32, %j: i32) -> i1 {
  %n = nv_tileaa.negi %a : tensor<8x4xi32>
  %m = arith.maxsi %a, %n : tensor<8x4xi32>
  %s = nv_tileaa.subi %m, %n : tensor<8x4xi32>
  %c = nv_tileaa.cmpi %s, %m : tensor<8x4xi32> -> tensor<8x4xi1>
  %e = "nv_tileaa.extract"(%c, %i, %j) : (tensor<8x4xi1>, i32, i32) -> i1
  func.return %e : i1
}
// CHECK-LABEL: func.func @diamond(
// CHECK-NEXT: %0 = nv_tileaa.extract %a[%i, %j] : (tensor<8x4xi32>, i32, i32) -> i32
// CHECK-NEXT: %1 = nv_tileaa.negi %0 : i32
// CHECK-NEXT: %2 = arith.maxsi %0, %1 : i32
// CHECK-NEXT: %3 = nv_tileaa.subi %2, %1 : i32
// CHECK-NEXT: %e = nv_tileaa.cmpi %3, %2 : i32 -> i1
// CHECK-NEXT: func.return %e : i1

func.func @slice(%a: tensor<8x4xi32>, %i: i32, %j: i32) -> tensor<2x4xi64> {
  %x = arith.extsi %a : tensor<8x4xi32> to tensor<8x4xi64>
  %e = "nv_tileaa.extract"(%x, %i, %j) : (tensor<8x4xi64>, i32, i32) -> tensor<2x4xi64>
  func.return %e : tensor<2x4xi64>
}
// CHECK-LABEL: func.func @slice(
// CHECK-NEXT: %0 = nv_tileaa.extract %a[%i, %j] : (tensor<8x4xi32>, i32, i32) -> tensor<2x4xi32>
// CHECK-NEXT: %e = arith.extsi %0 : tensor<2x4xi32> to tensor<2x4xi64>
// CHECK-NEXT: func.return %e : tensor<2x4xi64>

func.func @select(%c: i1, %m: tensor<8xi1>, %a: !t8xf32, %b: !t8xf32, %i: i32) -> f32 {
  %s = arith.select %c, %a, %b : !t8xf32
  %t = arith.select %m, %s, %a : tensor<8xi1>, !t8xf32
  %e = "nv_tileaa.extract"(%t, %i) : (!t8xf32, i32) -> f32
  func.return %e : f32
}
// CHECK-LABEL: func.func @select(
// CHECK-NEXT: %0 = nv_tileaa.extract %m[%i] : (tensor<8xi1>, i32) -> i1
// CHECK-NEXT: %1 = nv_tileaa.extract %a[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %2 = nv_tileaa.extract %b[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %3 = arith.select %c, %1, %2 : f32
// CHECK-NEXT: %e = arith.select %0, %3, %1 : f32
// CHECK-NEXT: func.return %e : f32

func.func @pointers(%p: !t8xptr, %o: tensor<8xi64>, %i: i32) -> !llvm.ptr<1> {
  %q = "nv_tileaa.addptr"(%p, %o) {elem_type = f32} : (!t8xptr, tensor<8xi64>) -> !t8xptr
  %e = "nv_tileaa.extract"(%q, %i) : (!t8xptr, i32) -> !llvm.ptr<1>
  func.return %e : !llvm.ptr<1>
}
// CHECK-LABEL: func.func @pointers(
// CHECK-NEXT: %0 = nv_tileaa.extract %p[%i] : (tensor<8x!llvm.ptr<1>>, i32) -> !llvm.ptr<1>
// CHECK-NEXT: %1 = nv_tileaa.extract %o[%i] : (tensor<8xi64>, i32) -> i64
// CHECK-NEXT: %e = nv_tileaa.addptr %0, %1 {elem_type = f32} : !llvm.ptr<1>, i64
// CHECK-NEXT: func.return %e : !llvm.ptr<1>

// REQ: D-44
func.func @expand_dims(%a: tensor<8x4xf32>, %i: i32, %j: i32, %k: i32) -> f32 {
  %x = "nv_tileaa.expand_dims"(%a) {axis = 1 : i32} : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
  %e = "nv_tileaa.extract"(%x, %i, %j, %k) : (tensor<8x1x4xf32>, i32, i32, i32) -> f32
  func.return %e : f32
}
// CHECK-LABEL: func.func @expand_dims(
// CHECK-NEXT: %e = nv_tileaa.extract %a[%i, %k] : (tensor<8x4xf32>, i32, i32) -> f32
// CHECK-NEXT: func.return %e : f32

func.func @slice_of_expand_dims(%a: tensor<8x4xf32>, %i: i32, %j: i32, %k: i32) -> tensor<2x1x4xf32> {
  %x = "nv_tileaa.expand_dims"(%a) {axis = 1 : i32} : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
  %e = "nv_tileaa.extract"(%x, %i, %j, %k) : (tensor<8x1x4xf32>, i32, i32, i32) -> tensor<2x1x4xf32>
  func.return %e : tensor<2x1x4xf32>
}
// CHECK-LABEL: func.func @slice_of_expand_dims(
// CHECK-NEXT: %0 = nv_tileaa.extract %a[%i, %k] : (tensor<8x4xf32>, i32, i32) -> tensor<2x4xf32>
// CHECK-NEXT: %e = nv_tileaa.expand_dims %0 {axis = 1 : i32} : tensor<2x4xf32> -> tensor<2x1x4xf32>
// CHECK-NEXT: func.return %e : tensor<2x1x4xf32>

func.func @expand_dims_of_scalar(%s: f32, %i: i32) {
  %x = "nv_tileaa.expand_dims"(%s) {axis = 0 : i32} : (f32) -> tensor<1xf32>
  %e = "nv_tileaa.extract"(%x, %i) : (tensor<1xf32>, i32) -> f32
  %f = "nv_tileaa.extract"(%x, %i) : (tensor<1xf32>, i32) -> tensor<1xf32>
  "test.op"(%e, %f) : (f32, tensor<1xf32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @expand_dims_of_scalar(
// CHECK-NEXT: %x = nv_tileaa.expand_dims %s {axis = 0 : i32} : f32 -> tensor<1xf32>
// CHECK-NEXT: %f = nv_tileaa.extract %x[%i] : (tensor<1xf32>, i32) -> tensor<1xf32>
// CHECK-NEXT: "test.op"(%s, %f) : (f32, tensor<1xf32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-45
func.func @no_single_lane(%a: !t8x8xf32, %b: !t8x8xf32, %r: tensor<1x8xf32>, %i: i32, %j: i32) {
  %sum = "nv_tileaa.reduce"(%a) ({
  ^bb0(%x: f32, %y: f32):
    %s = nv_tileaa.addf %x, %y : f32
    nv_tileaa.yield %s : f32
  }) {axis = 1 : i32} : (!t8x8xf32) -> !t8xf32
  %0 = "nv_tileaa.extract"(%sum, %i) : (!t8xf32, i32) -> f32
  %scan = "nv_tileaa.scan"(%a) ({
  ^bb0(%x: f32, %y: f32):
    %s = nv_tileaa.addf %x, %y : f32
    nv_tileaa.yield %s : f32
  }) {axis = 1 : i32} : (!t8x8xf32) -> !t8x8xf32
  %1 = "nv_tileaa.extract"(%scan, %i, %j) : (!t8x8xf32, i32, i32) -> f32
  %dot = nv_tileaa.dot %a, %b, %a : !t8x8xf32, !t8x8xf32, !t8x8xf32
  %2 = "nv_tileaa.extract"(%dot, %i, %j) : (!t8x8xf32, i32, i32) -> f32
  %wide = nv_tileaa.broadcast %r : tensor<1x8xf32> -> !t8x8xf32
  %3 = "nv_tileaa.extract"(%wide, %i, %j) : (!t8x8xf32, i32, i32) -> f32
  %turned = "nv_tileaa.permute"(%a) {permutation = array<i32: 1, 0>} : (!t8x8xf32) -> !t8x8xf32
  %4 = "nv_tileaa.extract"(%turned, %i, %j) : (!t8x8xf32, i32, i32) -> f32
  "test.op"(%0, %1, %2, %3, %4) : (f32, f32, f32, f32, f32) -> ()
  func.return
}
// CHECK-LABEL: func.func @no_single_lane(
// CHECK-NEXT: %sum = nv_tileaa.reduce %a {axis = 1 : i32} : tensor<8x8xf32> -> tensor<8xf32> {
// CHECK-NEXT: ^bb0(%x: f32, %y: f32):
// CHECK-NEXT:   %s = nv_tileaa.addf %x, %y : f32
// CHECK-NEXT:   nv_tileaa.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: %0 = nv_tileaa.extract %sum[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %scan = nv_tileaa.scan %a {axis = 1 : i32} : tensor<8x8xf32> -> tensor<8x8xf32> {
// CHECK-NEXT: ^bb0(%x_1: f32, %y_1: f32):
// CHECK-NEXT:   %s_1 = nv_tileaa.addf %x_1, %y_1 : f32
// CHECK-NEXT:   nv_tileaa.yield %s_1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %1 = nv_tileaa.extract %scan[%i, %j] : (tensor<8x8xf32>, i32, i32) -> f32
// CHECK-NEXT: %dot = nv_tileaa.dot %a, %b, %a : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: %2 = nv_tileaa.extract %dot[%i, %j] : (tensor<8x8xf32>, i32, i32) -> f32
// CHECK-NEXT: %wide = nv_tileaa.broadcast %r : tensor<1x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %3 = nv_tileaa.extract %wide[%i, %j] : (tensor<8x8xf32>, i32, i32) -> f32
// CHECK-NEXT: %turned = nv_tileaa.permute %a {permutation = array<i32: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %4 = nv_tileaa.extract %turned[%i, %j] : (tensor<8x8xf32>, i32, i32) -> f32
// CHECK-NEXT: "test.op"(%0, %1, %2, %3, %4) : (f32, f32, f32, f32, f32) -> ()
// CHECK-NEXT: func.return

func.func @effects(%p: !t8xptr, %i: i32) -> f32 {
  %v, %t = nv_tileaa.load %p : !t8xptr -> !t8xf32, !nv_tileaa.mem_token
  %w = "test.op"(%v) : (!t8xf32) -> !t8xf32
  %s = nv_tileaa.addf %v, %w : !t8xf32
  %e = "nv_tileaa.extract"(%s, %i) : (!t8xf32, i32) -> f32
  func.return %e : f32
}
// CHECK-LABEL: func.func @effects(
// CHECK-NEXT: %v, %t = nv_tileaa.load %p : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
// CHECK-NEXT: %w = "test.op"(%v) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %0 = nv_tileaa.extract %v[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %1 = nv_tileaa.extract %w[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %e = nv_tileaa.addf %0, %1 : f32
// CHECK-NEXT: func.return %e : f32

// REQ: D-46
func.func @attributes(%a: !t8xf32, %b: tensor<8xi32>, %i: i32) {
  %0 = nv_tileaa.mulf %a, %a {rounding_mode = "zero", flush_to_zero} : !t8xf32
  %1 = nv_tileaa.sin %0 {fastmath = #arith.fastmath<fast>} : !t8xf32
  %2 = nv_tileaa.addi %b, %b {overflow = "no_wrap"} : tensor<8xi32>
  %3 = nv_tileaa.cmpi %2, %b {comparison_predicate = "less_than", signedness = "unsigned"} : tensor<8xi32> -> tensor<8xi1>
  %4 = "nv_tileaa.extract"(%1, %i) : (!t8xf32, i32) -> f32
  %5 = "nv_tileaa.extract"(%3, %i) : (tensor<8xi1>, i32) -> i1
  "test.op"(%4, %5) : (f32, i1) -> ()
  func.return
}
// CHECK-LABEL: func.func @attributes(
// CHECK-NEXT: %0 = nv_tileaa.extract %a[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %1 = nv_tileaa.mulf %0, %0 {rounding_mode = "zero", flush_to_zero} : f32
// CHECK-NEXT: %2 = nv_tileaa.sin %1 {fastmath = #arith.fastmath<fast>} : f32
// CHECK-NEXT: %3 = nv_tileaa.extract %b[%i] : (tensor<8xi32>, i32) -> i32
// CHECK-NEXT: %4 = nv_tileaa.addi %3, %3 {overflow = "no_wrap"} : i32
// CHECK-NEXT: %5 = nv_tileaa.cmpi %4, %3 {comparison_predicate = "less_than", signedness = "unsigned"} : i32 -> i1
// CHECK-NEXT: "test.op"(%2, %5) : (f32, i1) -> ()
// CHECK-NEXT: func.return

// The tensor stays for its other users.
func.func @other_users(%a: !t8xf32, %i: i32) {
  %0 = nv_tileaa.negf %a : !t8xf32
  %1 = "nv_tileaa.extract"(%0, %i) : (!t8xf32, i32) -> f32
  "test.op"(%0, %1) : (!t8xf32, f32) -> ()
  func.return
}
// CHECK-LABEL: func.func @other_users(
// CHECK-NEXT: %0 = nv_tileaa.negf %a : tensor<8xf32>
// CHECK-NEXT: %1 = nv_tileaa.extract %a[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: %2 = nv_tileaa.negf %1 : f32
// CHECK-NEXT: "test.op"(%0, %2) : (tensor<8xf32>, f32) -> ()
// CHECK-NEXT: func.return

func.func @unregistered(%a: !t8xf32, %i: i32) -> f32 {
  %0 = "unknown.op"(%a) : (!t8xf32) -> !t8xf32
  %1 = "nv_tileaa.extract"(%0, %i) : (!t8xf32, i32) -> f32
  func.return %1 : f32
}
// CHECK-LABEL: func.func @unregistered(
// CHECK-NEXT: %0 = "unknown.op"(%a) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %1 = nv_tileaa.extract %0[%i] : (tensor<8xf32>, i32) -> f32
// CHECK-NEXT: func.return %1 : f32
