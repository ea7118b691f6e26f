// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize | filecheck %s

// REQ: D-36
func.func @view_of_view(%x: tensor<8xf32>) -> tensor<4x2xf32> {
  %1 = "nv_tileaa.view"(%x) : (tensor<8xf32>) -> tensor<2x4xf32>
  %2 = "nv_tileaa.view"(%1) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @view_of_view(
// CHECK-NEXT: %0 = nv_tileaa.view %x : tensor<8xf32> -> tensor<4x2xf32>
// CHECK-NEXT: func.return %0 : tensor<4x2xf32>

// REQ: D-37, D-40, D-62

func.func @scalar_view_of_splat(%s: f32) -> f32 {
  %1 = "nv_tileaa.splat"(%s) : (f32) -> tensor<1x1xf32>
  %2 = "nv_tileaa.view"(%1) : (tensor<1x1xf32>) -> f32
  func.return %2 : f32
}
// CHECK-LABEL: func.func @scalar_view_of_splat(
// CHECK-NEXT: func.return %s : f32

// REQ: D-38

// REQ: D-39

func.func @all_of_them(%s: !llvm.ptr<1>) -> tensor<4x8x!llvm.ptr<1>> {
  %1 = "nv_tileaa.splat"(%s) : (!llvm.ptr<1>) -> tensor<8x!llvm.ptr<1>>
  %2 = "nv_tileaa.view"(%1) : (tensor<8x!llvm.ptr<1>>) -> tensor<2x4x!llvm.ptr<1>>
  %3 = "nv_tileaa.view"(%2) : (tensor<2x4x!llvm.ptr<1>>) -> tensor<8x!llvm.ptr<1>>
  %4 = "nv_tileaa.expand_dims"(%3) {axis = 0 : i32} : (tensor<8x!llvm.ptr<1>>) -> tensor<1x8x!llvm.ptr<1>>
  %5 = "nv_tileaa.broadcast"(%4) : (tensor<1x8x!llvm.ptr<1>>) -> tensor<4x8x!llvm.ptr<1>>
  func.return %5 : tensor<4x8x!llvm.ptr<1>>
}
// CHECK-LABEL: func.func @all_of_them(
// CHECK-NEXT: %0 = nv_tileaa.splat %s : !llvm.ptr<1> to tensor<4x8x!llvm.ptr<1>>
// CHECK-NEXT: func.return %0 : tensor<4x8x!llvm.ptr<1>>

// REQ: D-41
func.func @other_producers(%x: tensor<1x8xf32>, %y: tensor<8xf32>) {
  %1 = "nv_tileaa.broadcast"(%x) : (tensor<1x8xf32>) -> tensor<4x8xf32>
  %2 = "nv_tileaa.view"(%1) : (tensor<4x8xf32>) -> tensor<32xf32>
  %3 = "nv_tileaa.view"(%y) : (tensor<8xf32>) -> tensor<1x8xf32>
  %4 = "nv_tileaa.broadcast"(%3) : (tensor<1x8xf32>) -> tensor<4x8xf32>
  %5 = "nv_tileaa.broadcast"(%x) : (tensor<1x8xf32>) -> tensor<2x8xf32>
  %6 = "nv_tileaa.broadcast"(%5) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = "nv_tileaa.expand_dims"(%y) {axis = 0 : i32} : (tensor<8xf32>) -> tensor<1x8xf32>
  %8 = "nv_tileaa.view"(%7) : (tensor<1x8xf32>) -> tensor<2x4xf32>
  %9 = "nv_tileaa.expand_dims"(%3) {axis = 0 : i32} : (tensor<1x8xf32>) -> tensor<1x1x8xf32>
  %10 = "nv_tileaa.view"(%y) : (tensor<8xf32>) -> tensor<8xf32>
  "test.op"(%2, %4, %6, %8, %9, %10) : (tensor<32xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<1x1x8xf32>, tensor<8xf32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @other_producers(
// CHECK-NEXT: %0 = nv_tileaa.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = nv_tileaa.view %0 : tensor<4x8xf32> -> tensor<32xf32>
// CHECK-NEXT: %2 = nv_tileaa.view %y : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %3 = nv_tileaa.broadcast %2 : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %4 = nv_tileaa.broadcast %x : tensor<1x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %5 = nv_tileaa.broadcast %4 : tensor<2x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %6 = nv_tileaa.expand_dims %y {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %7 = nv_tileaa.view %6 : tensor<1x8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %8 = nv_tileaa.expand_dims %2 {axis = 0 : i32} : tensor<1x8xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT: %9 = nv_tileaa.view %y : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT: "test.op"(%1, %3, %5, %7, %8, %9) : (tensor<32xf32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<1x1x8xf32>, tensor<8xf32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-42
func.func @other_users(%s: f32, %x: tensor<8xf32>) {
  %1 = "nv_tileaa.splat"(%s) : (f32) -> tensor<1xf32>
  %2 = "nv_tileaa.broadcast"(%1) : (tensor<1xf32>) -> tensor<8xf32>
  %3 = "nv_tileaa.view"(%x) : (tensor<8xf32>) -> tensor<2x4xf32>
  %4 = "nv_tileaa.view"(%3) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  "test.op"(%1, %2, %3, %4) : (tensor<1xf32>, tensor<8xf32>, tensor<2x4xf32>, tensor<4x2xf32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @other_users(
// CHECK-NEXT: %0 = nv_tileaa.splat %s : f32 to tensor<1xf32>
// CHECK-NEXT: %1 = nv_tileaa.splat %s : f32 to tensor<8xf32>
// CHECK-NEXT: %2 = nv_tileaa.view %x : tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %3 = nv_tileaa.view %x : tensor<8xf32> -> tensor<4x2xf32>
// CHECK-NEXT: "test.op"(%0, %1, %2, %3) : (tensor<1xf32>, tensor<8xf32>, tensor<2x4xf32>, tensor<4x2xf32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-21
func.func @assume_of_splat(%x: i32) -> tensor<8xi32> {
  %s = "nv_tileaa.splat"(%x) : (i32) -> tensor<8xi32>
  %a = "nv_tileaa.assume"(%s) {predicate = #nv_tileaa.div_by<16>} : (tensor<8xi32>) -> tensor<8xi32>
  func.return %a : tensor<8xi32>
}
// CHECK-LABEL: func.func @assume_of_splat(
// CHECK-NEXT: %0 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32
// CHECK-NEXT: %a = nv_tileaa.splat %0 : i32 to tensor<8xi32>
// CHECK-NEXT: func.return %a : tensor<8xi32>

func.func @assumes_of_splat(%x: i32) -> tensor<8xi32> {
  %s = "nv_tileaa.splat"(%x) : (i32) -> tensor<8xi32>
  %a = "nv_tileaa.assume"(%s) {predicate = #nv_tileaa.div_by<16>} : (tensor<8xi32>) -> tensor<8xi32>
  %b = "nv_tileaa.assume"(%a) {predicate = #nv_tileaa.bounded<0, ?>} : (tensor<8xi32>) -> tensor<8xi32>
  func.return %b : tensor<8xi32>
}
// CHECK-LABEL: func.func @assumes_of_splat(
// CHECK-NEXT: %0 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : i32
// CHECK-NEXT: %1 = nv_tileaa.assume %0 {predicate = #nv_tileaa.bounded<0, ?>} : i32
// CHECK-NEXT: %b = nv_tileaa.splat %1 : i32 to tensor<8xi32>
// CHECK-NEXT: func.return %b : tensor<8xi32>

// REQ: D-22
func.func @assume_by_lane(%x: i32) {
  %s = "nv_tileaa.splat"(%x) : (i32) -> tensor<8xi32>
  %a = "nv_tileaa.assume"(%s) {predicate = #nv_tileaa.div_by<16, every 4 along 0>} : (tensor<8xi32>) -> tensor<8xi32>
  %b = "nv_tileaa.assume"(%s) {predicate = #nv_tileaa.same_elements<[4]>} : (tensor<8xi32>) -> tensor<8xi32>
  "test.op"(%a, %b) : (tensor<8xi32>, tensor<8xi32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @assume_by_lane(
// CHECK-NEXT: %s = nv_tileaa.splat %x : i32 to tensor<8xi32>
// CHECK-NEXT: %a = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<16, every 4 along 0>} : tensor<8xi32>
// CHECK-NEXT: %b = nv_tileaa.assume %s {predicate = #nv_tileaa.same_elements<[4]>} : tensor<8xi32>
// CHECK-NEXT: "test.op"(%a, %b) : (tensor<8xi32>, tensor<8xi32>) -> ()
// CHECK-NEXT: func.return

func.func @assume_of_others(%x: tensor<1xi32>) -> tensor<8xi32> {
  %s = "nv_tileaa.broadcast"(%x) : (tensor<1xi32>) -> tensor<8xi32>
  %a = "nv_tileaa.assume"(%s) {predicate = #nv_tileaa.div_by<16>} : (tensor<8xi32>) -> tensor<8xi32>
  func.return %a : tensor<8xi32>
}
// CHECK-LABEL: func.func @assume_of_others(
// CHECK-NEXT: %s = nv_tileaa.broadcast %x : tensor<1xi32> -> tensor<8xi32>
// CHECK-NEXT: %a = nv_tileaa.assume %s {predicate = #nv_tileaa.div_by<16>} : tensor<8xi32>
// CHECK-NEXT: func.return %a : tensor<8xi32>

// REQ: D-23, D-24
func.func @splat_of_select(%c: i1, %t: f32, %f: f32) -> tensor<8xf32> {
  %s = arith.select %c, %t, %f : f32
  %r = "nv_tileaa.splat"(%s) : (f32) -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func @splat_of_select(
// CHECK-NEXT: %0 = nv_tileaa.splat %c : i1 to tensor<8xi1>
// CHECK-NEXT: %1 = nv_tileaa.splat %t : f32 to tensor<8xf32>
// CHECK-NEXT: %2 = nv_tileaa.splat %f : f32 to tensor<8xf32>
// CHECK-NEXT: %r = arith.select %0, %1, %2 : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: func.return %r : tensor<8xf32>

// The choice stays for its other users; the shape comes first.
func.func @splat_of_shared_select(%c: i1, %t: f32, %f: f32) {
  %s = arith.select %c, %t, %f : f32
  %r = "nv_tileaa.splat"(%s) : (f32) -> tensor<1xf32>
  %v = "nv_tileaa.broadcast"(%r) : (tensor<1xf32>) -> tensor<8xf32>
  "test.op"(%s, %v) : (f32, tensor<8xf32>) -> ()
  func.return
}
// CHECK-LABEL: func.func @splat_of_shared_select(
// CHECK-NEXT: %s = arith.select %c, %t, %f : f32
// CHECK-NEXT: %0 = nv_tileaa.splat %c : i1 to tensor<8xi1>
// CHECK-NEXT: %1 = nv_tileaa.splat %t : f32 to tensor<8xf32>
// CHECK-NEXT: %2 = nv_tileaa.splat %f : f32 to tensor<8xf32>
// CHECK-NEXT: %v = arith.select %0, %1, %2 : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: "test.op"(%s, %v) : (f32, tensor<8xf32>) -> ()
// CHECK-NEXT: func.return

// REQ: D-25
func.func @select_of_splats(%c: i1, %t: f32, %f: f32) -> tensor<8xf32> {
  %sc = "nv_tileaa.splat"(%c) : (i1) -> tensor<8xi1>
  %st = "nv_tileaa.splat"(%t) : (f32) -> tensor<8xf32>
  %sf = "nv_tileaa.splat"(%f) : (f32) -> tensor<8xf32>
  %r = arith.select %sc, %st, %sf : tensor<8xi1>, tensor<8xf32>
  func.return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func @select_of_splats(
// CHECK-NEXT: %sc = nv_tileaa.splat %c : i1 to tensor<8xi1>
// CHECK-NEXT: %st = nv_tileaa.splat %t : f32 to tensor<8xf32>
// CHECK-NEXT: %sf = nv_tileaa.splat %f : f32 to tensor<8xf32>
// CHECK-NEXT: %r = arith.select %sc, %st, %sf : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: func.return %r : tensor<8xf32>
