// RUN: tileiras-opt %s -p verify-no-cuda-tile --allow-unregistered-dialect | filecheck %s

// REQ: J-08

// A number format of NVIDIA's keeps its name below the public dialect.

// CHECK:      func.func @f(%x: tensor<8x!cuda_tile.fnv8E5M3FNU>, %y: !cuda_tile.fnv8E5M3FNU) {
// CHECK-NEXT:   %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:   %1 = "other.op"() : () -> i32
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @f(%x: tensor<8x!cuda_tile.fnv8E5M3FNU>, %y: !cuda_tile.fnv8E5M3FNU) {
  %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %1 = "other.op"() : () -> i32
  func.return
}
