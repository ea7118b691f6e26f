// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm --print-local-scope | filecheck %s

// What upstream does not have, and our kernels are made of: tensor maps that threads encode.

!ptr3 = !llvm.ptr<3>

func.func @maps(%map: !ptr3, %address: i64, %d0: i32, %d1: i32, %s1: i64) {
  nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {box = array<i32: 64, 128>, element = "bf16", swizzle = 128 : i32} : !ptr3
  nvgpu.tma.encode.descriptor %map, %address dims[%d0] strides[] {box = array<i32: 64>, element = "f32", fill_nan} : !ptr3
  func.return
}
// CHECK-LABEL: func.func @maps
// CHECK-NEXT: nvvm.tensormap.replace %map, %address {field = #nvvm.tensormap_field<global_address>} : [[sptr:!llvm.ptr<3>]], i64
// CHECK-NEXT: [[RANK:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<rank>} : [[sptr]], i32
// CHECK-NEXT: [[BOX:%.*]] = arith.constant 64 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[BOX]] {field = #nvvm.tensormap_field<box_dim>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, %d0 {field = #nvvm.tensormap_field<global_dim>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<element_stride>, ord = 0 : i32} : [[sptr]], i32
// CHECK-NEXT: [[BOX1:%.*]] = arith.constant 128 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[BOX1]] {field = #nvvm.tensormap_field<box_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, %d1 {field = #nvvm.tensormap_field<global_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<element_stride>, ord = 1 : i32} : [[sptr]], i32
// CHECK-NEXT: [[BYTES:%.*]] = arith.constant 2 : i64
// CHECK-NEXT: [[STRIDE:%.*]] = arith.muli %s1, [[BYTES]] : i64
// CHECK-NEXT: nvvm.tensormap.replace %map, [[STRIDE]] {field = #nvvm.tensormap_field<global_stride>, ord = 0 : i32} : [[sptr]], i64
// CHECK-NEXT: [[TYPE:%.*]] = arith.constant 10 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[TYPE]] {field = #nvvm.tensormap_field<elemtype>} : [[sptr]], i32
// CHECK-NEXT: [[NONE:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[NONE]] {field = #nvvm.tensormap_field<interleave_layout>} : [[sptr]], i32
// CHECK-NEXT: [[SWIZZLE:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[SWIZZLE]] {field = #nvvm.tensormap_field<swizzle_mode>} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[NONE]] {field = #nvvm.tensormap_field<fill_mode>} : [[sptr]], i32
// CHECK: nvvm.tensormap.replace {{.*}} {field = #nvvm.tensormap_field<swizzle_mode>} : [[sptr]], i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[RANK]] {field = #nvvm.tensormap_field<fill_mode>} : [[sptr]], i32

// Every second row is copied.
func.func @gaps(%map: !ptr3, %address: i64, %d0: i32, %d1: i32, %s1: i64) {
  nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {box = array<i32: 64, 128>, element = "u8", element_strides = array<i32: 1, 2>} : !ptr3
  func.return
}
// CHECK-LABEL: func.func @gaps
// CHECK:      [[ONE:%.*]] = arith.constant 1 : i32
// CHECK:      nvvm.tensormap.replace %map, [[ONE]] {field = #nvvm.tensormap_field<element_stride>, ord = 0 : i32} : [[sptr]], i32
// CHECK:      nvvm.tensormap.replace %map, {{%.*}} {field = #nvvm.tensormap_field<box_dim>, ord = 1 : i32} : [[sptr]], i32
// CHECK:      [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: nvvm.tensormap.replace %map, [[TWO]] {field = #nvvm.tensormap_field<element_stride>, ord = 1 : i32} : [[sptr]], i32
