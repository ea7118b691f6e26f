// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%p3, %p6, %i64, %i32, %i1, %i16, %i128 = "test.op"() : () -> (!llvm.ptr<3>, !llvm.ptr<6>, i64, i32, i1, i16, i128)
%v32, %v24, %v3, %v256 = "test.op"() : () -> (vector<32xf32>, vector<24xf32>, vector<3xi32>, vector<256xf32>)

// -----

// CHECK: columns of an allocation must be a power of two from 32 to 512, but got 96
%n = arith.constant 96 : i32
nvvm.tcgen05.alloc %p3, %n : !llvm.ptr<3>, i32

// CHECK: columns of an allocation must be a power of two from 32 to 512, but got 16
%n = arith.constant 16 : i32
nvvm.tcgen05.dealloc %p6, %n : !llvm.ptr<6>, i32

// CHECK: must be a pointer to tensor memory, '!llvm.ptr<6>', but got '!llvm.ptr<3>'
"nvvm.tcgen05.shift"(%p3) : (!llvm.ptr<3>) -> ()

// CHECK: num of shape 32x32b must be a power of two from 1 to 128, but got 24
nvvm.tcgen05.st %p6, %v24 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6>, vector<24xf32>

// CHECK: num of shape 16x256b must be a power of two from 1 to 32, but got 64
nvvm.tcgen05.st %p6, %v256 {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : !llvm.ptr<6>, vector<256xf32>

// CHECK: shape 16x128b moves a multiple of 2 registers for each thread, but got 3 in 'vector<3xi32>'
nvvm.tcgen05.st %p6, %v3 {shape = #nvvm.tcgen05_ldst_shape<shape_16x128b>} : !llvm.ptr<6>, vector<3xi32>

// CHECK: shape 16x32bx2 needs offset of the second half
%0 = nvvm.tcgen05.ld %p6 {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : !llvm.ptr<6> -> vector<32xf32>

// CHECK: shape 16x64b has no offset of the second half
%0 = nvvm.tcgen05.ld %p6 {offset = 8 : i32, shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : !llvm.ptr<6> -> vector<32xf32>

// CHECK: no load of shape 16x64b reduces what it loads
%0, %1 = nvvm.tcgen05.ld.red %p6 {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : !llvm.ptr<6> -> vector<32xf32>, f32

// CHECK: results must be a vector and an element of it, but got 'vector<32xf32>' and 'i32'
%0, %1 = nvvm.tcgen05.ld.red %p6 {op = #nvvm.tcgen05_ld_red<max>, shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !llvm.ptr<6> -> vector<32xf32>, i32

// CHECK: multicast of shape 32x128b must be warpx4, but got none
nvvm.tcgen05.cp %p6, %i64 {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>} : !llvm.ptr<6>, i64

// CHECK: multicast of shape 64x128b must be warpx2_02_13 or warpx2_01_23, but got warpx4
nvvm.tcgen05.cp %p6, %i64 {shape = #nvvm.tcgen05_cp_shape<shape_64x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>} : !llvm.ptr<6>, i64

// CHECK: A must be a descriptor, 'i64', or a pointer to tensor memory, '!llvm.ptr<6>', but got 'i32'
nvvm.tcgen05.mma %p6, %i32, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i32

// CHECK: kind of an MMA without scale factors must be one of f16, tf32, f8f6f4, i8, but got mxf4
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<mxf4>} : !llvm.ptr<6>, i64

// CHECK: kind of an MMA with scale factors must be one of mxf8f6f4, mxf4, mxf4nvf4, but got f16
nvvm.tcgen05.mma.block_scale %p6, %i64, %i64, %i32, %i1, %p6, %p6 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i64

// CHECK: kind::mxf4nvf4 needs block_scale, block16 or block32
nvvm.tcgen05.mma.block_scale %p6, %i64, %i64, %i32, %i1, %p6, %p6 {kind = #nvvm.tcgen05_mma_kind<mxf4nvf4>} : !llvm.ptr<6>, i64

// CHECK: block_scale of kind::mxf8f6f4 must be block32, but got block16
nvvm.tcgen05.mma.block_scale %p6, %i64, %i64, %i32, %i1, %p6, %p6 {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>, block_scale = #nvvm.tcgen05_mma_block_scale<block16>} : !llvm.ptr<6>, i64

// CHECK: k_steps must be positive, but got 0
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, k_steps = 0 : i32} : !llvm.ptr<6>, i64

// What instruction descriptors say that are constants: f16 with M = 256 in one CTA; N = 24 with M = 128; reserved bits.
// CHECK: M must be 64 or 128 for kind::f16 with cta_group::1, but got 256
%idesc = arith.constant 0x10210010 : i32
nvvm.tcgen05.mma %p6, %i64, %i64, %idesc, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i64

// CHECK: N must be a multiple of 16 from 16 to 256 for kind::f16 with M = 128 and cta_group::1, but got 24
%idesc = arith.constant 0x08060010 : i32
nvvm.tcgen05.mma %p6, %i64, %i64, %idesc, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i64

// CHECK: instruction descriptor 0x08210050 has bits that kind::f16 reserves
%idesc = arith.constant 0x08210050 : i32
nvvm.tcgen05.mma %p6, %i64, %i64, %idesc, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i64

// CHECK: A in tensor memory must be K-major
%idesc = arith.constant 0x08208010 : i32
nvvm.tcgen05.mma %p6, %p6, %i64, %idesc, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, !llvm.ptr<6>

// CHECK: scale_input_d is for kind::f16 and kind::tf32, not for kind::i8
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<i8>, scale_input_d = 1 : i32} : !llvm.ptr<6>, i64

// CHECK: scale_input_d must be from 0 to 15, but got 16
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, scale_input_d = 16 : i32} : !llvm.ptr<6>, i64

// CHECK: mask of cta_group::1 must be 'vector<4xi32>', but got 'vector<3xi32>'
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 mask = %v3 : vector<3xi32> {kind = #nvvm.tcgen05_mma_kind<f16>} : !llvm.ptr<6>, i64

// CHECK: a_shift is for A in tensor memory
nvvm.tcgen05.mma %p6, %i64, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, a_shift} : !llvm.ptr<6>, i64

// CHECK: a_shift excludes collector 'fill'
nvvm.tcgen05.mma %p6, %p6, %i64, %i32, %i1 {kind = #nvvm.tcgen05_mma_kind<f16>, a_shift, collector_op = #nvvm.tcgen05_mma_collectorop<fill>} : !llvm.ptr<6>, !llvm.ptr<6>

// CHECK: 'get_first_cta_id_x' yields 'i32', but the result is 'i1'
%0 = nvvm.clusterlaunchcontrol.query.cancel %i128 {query = #nvvm.clc_query_type<get_first_cta_id_x>} : i128 -> i1
