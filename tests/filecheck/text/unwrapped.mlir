// RUN: tileiras-opt %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t cuda-tile-public | tileiras-opt | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t cuda-tile-public | filecheck %s --check-prefix=PUBLIC --match-full-lines

// What the public disassembler prints is the body of an implicit module.

// REQ: P-11, P-12

// Producer: demo 1.0

// CHECK:      builtin.module {
// CHECK-NEXT:   cuda_tile.module @kernels attributes {producer = "demo 1.0"} {
// PUBLIC:      // Producer: demo 1.0
// CHECK-NEXT:     cuda_tile.global @g <i32: [1, 2]> : !cuda_tile.tile<2xi32>
// PUBLIC-NEXT: global @g <i32: [1, 2]> : tile<2xi32>
global  @g <i32: [1, 2]> : tile<2xi32>
// CHECK-NEXT:     cuda_tile.entry @a(%arg0: !cuda_tile.tile<i1>) {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       %0 = cuda_tile.get_global @g : !cuda_tile.tile<ptr<i32>>
// CHECK-NEXT:       cuda_tile.if %arg0 {
// CHECK-NEXT:       ^then:
// CHECK-NEXT:         %result, %result_token = cuda_tile.load_ptr_tko acquire gpu %0 : !cuda_tile.tile<ptr<i32>> -> !cuda_tile.tile<i32>, !cuda_tile.token
// CHECK-NEXT:         cuda_tile.yield
// CHECK-NEXT:       }
// CHECK-NEXT:       cuda_tile.return
// CHECK-NEXT:     }
// PUBLIC-NEXT: entry @a(%arg0: tile<i1>) {
// PUBLIC-NEXT:   %0 = get_global @g : tile<ptr<i32>>
// PUBLIC-NEXT:   if %arg0 {
// PUBLIC-NEXT:     %result, %result_token = load_ptr_tko acquire device %0 : tile<ptr<i32>> -> tile<i32>, token
// PUBLIC-NEXT:   }
// PUBLIC-NEXT:   return
// PUBLIC-NEXT: }
entry @a(%arg0: tile<i1>) {
  %0 = get_global @g : tile<ptr<i32>>
  if %arg0 {
    %result, %result_token = load_ptr_tko acquire device %0 : tile<ptr<i32>> -> tile<i32>, token
  }
  return
}
// CHECK-NEXT:     cuda_tile.entry @b() {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       cuda_tile.return
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// PUBLIC-NEXT: entry @b() {
// PUBLIC-NEXT:   return
// PUBLIC-NEXT: }
entry @b() {
  return
}
