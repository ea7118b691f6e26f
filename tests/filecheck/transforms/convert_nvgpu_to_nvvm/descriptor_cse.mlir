// Interplay: of two equal descriptors `cse` leaves one.
// RUN: tileiras-opt %s -p convert-nvgpu-to-nvvm,cse | filecheck %s

func.func @descriptor(%base: !llvm.ptr<3>) -> (i64, i64) {
  %desc = nvgpu.warpgroup.generate.descriptor %base {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : !llvm.ptr<3> -> i64
  %same = nvgpu.warpgroup.generate.descriptor %base {leading_byte_offset = 16 : i64, matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : !llvm.ptr<3> -> i64
  func.return %desc, %same : i64, i64
}
// CHECK-LABEL: func.func @descriptor
// CHECK: %desc = llvm.or
// CHECK-NEXT: func.return %desc, %desc : i64, i64
