// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%p3, %i64, %i32, %i1, %bar = "test.op"() : () -> (!llvm.ptr<3>, i64, i32, i1, !nvgpu.mbarrier)
!tensor = !nvgpu.tensor_memory
%t = "test.op"() : () -> !tensor

// -----

// CHECK: columns must be from 1 to 512, but got 513
%0 = nvgpu.tensor_memory.at %i32 : i32 -> !nvgpu.tensor_memory<columns = 513>

// CHECK: columns of an allocation must be a power of two from 32 to 512, but got 48
nvgpu.tcgen05.alloc %p3 {columns = 48 : i32} : !llvm.ptr<3>

// CHECK: operand #0 must be mbarrier barrier type, but got '!llvm.ptr<3>'
nvgpu.tcgen05.commit %p3 : !llvm.ptr<3>

// CHECK: unsupported swizzle: "256B" (expected one of none, 128B_atom_32B, 128B, 64B, 32B)
%0 = nvgpu.tcgen05.generate.descriptor %p3 {leading_byte_offset = 16 : i64, stride_byte_offset = 1024 : i64, swizzle = "256B"} : !llvm.ptr<3> -> i64

// CHECK: stride_byte_offset must be a multiple of 16 bytes below 262144, but got 1000
%0 = nvgpu.tcgen05.generate.descriptor %p3 {leading_byte_offset = 16 : i64, stride_byte_offset = 1000 : i64, swizzle = "128B"} : !llvm.ptr<3> -> i64

// CHECK: K of kind::f16 must be 16, but got 8
nvgpu.tcgen05.mma %t, %i64, %i64, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 8>, types = ["f32", "f16", "f16"]} : !tensor, i64

// CHECK: A of kind::tf32 must be one of tf32, but got f16
nvgpu.tcgen05.mma %t, %i64, %i64, %i1 {kind = #nvvm.tcgen05_mma_kind<tf32>, shape = #nvvm.shape<m = 128, n = 128, k = 8>, types = ["f32", "f16", "f16"]} : !tensor, i64

// CHECK: types must be those of d, a and b, but got ["f32", "f16"]
nvgpu.tcgen05.mma %t, %i64, %i64, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16"]} : !tensor, i64

// CHECK: D of kind::i8 of s8 must be s32, but got f32
nvgpu.tcgen05.mma %t, %i64, %i64, %i1 {kind = #nvvm.tcgen05_mma_kind<i8>, shape = #nvvm.shape<m = 128, n = 128, k = 32>, types = ["f32", "s8", "s8"]} : !tensor, i64

// CHECK: only sums of kind::i8 saturate, not of kind::f16
nvgpu.tcgen05.mma %t, %i64, %i64, %i1 {saturate, kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"]} : !tensor, i64

// CHECK: operands of kind::mxf4 must be K-major
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {trans_b, kind = #nvvm.tcgen05_mma_kind<mxf4>, shape = #nvvm.shape<m = 128, n = 128, k = 64>, types = ["f32", "e2m1", "e2m1"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor

// CHECK: M must be 128 for kind::mxf8f6f4 with cta_group::1, but got 64
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, shape = #nvvm.shape<m = 64, n = 128, k = 32>, types = ["f32", "e4m3", "e4m3"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor

// CHECK: scale factors of kind::mxf4nvf4 with block16 must be ue4m3, but got ue8m0
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf4nvf4>, block_scale = #nvvm.tcgen05_mma_block_scale<block16>, shape = #nvvm.shape<m = 128, n = 128, k = 64>, types = ["f32", "e2m1", "e2m1"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor

// CHECK: scale factors of kind::mxf4 begin at byte 0 or 2 of a word, but got 1
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {scale_a_id = 1 : i32, kind = #nvvm.tcgen05_mma_kind<mxf4>, shape = #nvvm.shape<m = 128, n = 128, k = 64>, types = ["f32", "e2m1", "e2m1"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor

// CHECK: 4 steps use bytes up to 7 of words of four scale factors
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {k_steps = 4 : i32, kind = #nvvm.tcgen05_mma_kind<mxf4>, shape = #nvvm.shape<m = 128, n = 128, k = 64>, types = ["f32", "e2m1", "e2m1"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor

// CHECK: K = 96 is for kind::mxf4 and kind::mxf4nvf4 with M = 256
nvgpu.tcgen05.mma.block_scale %t, %i64, %i64, %i1, %t, %t {kind = #nvvm.tcgen05_mma_kind<mxf4>, shape = #nvvm.shape<m = 128, n = 128, k = 96>, types = ["f32", "e2m1", "e2m1"], scale_type = "ue8m0"} : !tensor, i64, !tensor, !tensor
