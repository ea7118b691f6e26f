// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

%i32 = "test.op"() : () -> i32
!ptr = !llvm.ptr<1>
%ptr = "test.op"() : () -> !ptr
%f32 = "test.op"() : () -> f32
%i64 = "test.op"() : () -> i64
%t8xptr = "test.op"() : () -> tensor<8x!llvm.ptr<1>>
%t8xi1 = "test.op"() : () -> tensor<8xi1>
!ptr_1 = !nv_tileaa.ptr<f16>
%ptr_1 = "test.op"() : () -> !ptr_1
%i16 = "test.op"() : () -> i16

// -----

// Tokens.

// CHECK: expects at least one producer, but got 0
%0 = nv_tileaa.create_mem_token {num_producers = 0 : i32} : !nv_tileaa.mem_token

// CHECK: wrong attribute 'num_producers': Expected attribute i32 but got i64
%0 = "nv_tileaa.create_mem_token"() {num_producers = 1 : i64} : () -> !nv_tileaa.mem_token

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: i32 should be of base attribute nv_tileaa.mem_token
%0 = "nv_tileaa.create_mem_token"() : () -> i32

// CHECK:      operand 'tokens' at position 0 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%0 = "nv_tileaa.join_mem_token"(%i32) : (i32) -> !nv_tileaa.mem_token

// Pointers.

// CHECK: 'nv_tileaa.addptr' op must be a scalar or tensor of integers, but got 'f32'
%0 = nv_tileaa.addptr %ptr, %f32 {elem_type = f32} : !ptr, f32

// CHECK: 'nv_tileaa.addptr' op [[pointers:must be a scalar or tensor of pointers, but got 'i64']]
%0 = nv_tileaa.addptr %i64, %i64 {elem_type = f32} : i64, i64

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'i32'
%0 = nv_tileaa.addptr %t8xptr, %i32 {elem_type = f32} : tensor<8x!ptr>, i32

// CHECK: requires attribute 'elem_type'
%0 = nv_tileaa.addptr %ptr, %i32 : !ptr, i32

// CHECK: 'nv_tileaa.addptr' op expects a type, but got 4 : i32
%0 = nv_tileaa.addptr %ptr, %i32 {elem_type = 4 : i32} : !ptr, i32

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute !llvm.ptr<1> expected from variable 'P', but got !llvm.ptr<3>
%0 = "nv_tileaa.addptr"(%ptr, %i32) {elem_type = f32} : (!ptr, i32) -> !llvm.ptr<3>

// Orders and scopes.

// CHECK: unsupported mem_semantic: "release" (expected one of weak, relaxed, acquire)
%0, %1 = nv_tileaa.load %ptr {mem_semantic = "release", mem_scope = "gpu"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: unsupported mem_semantic: "seq_cst" (expected one of weak, relaxed, acquire)
%0, %1 = nv_tileaa.load %ptr {mem_semantic = "seq_cst", mem_scope = "gpu"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: [[required:mem_scope required when mem_semantic is not weak]]
%0, %1 = nv_tileaa.load %ptr {mem_semantic = "acquire"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: mem_scope not supported when mem_semantic is weak
%0, %1 = nv_tileaa.load %ptr {mem_semantic = "weak", mem_scope = "gpu"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: mem_scope not supported when mem_semantic is weak
%0, %1 = nv_tileaa.load %ptr {mem_scope = "gpu"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: unsupported mem_scope: "device" (expected one of tl_blk, cluster, gpu, sys)
%0, %1 = nv_tileaa.load %ptr {mem_semantic = "acquire", mem_scope = "device"} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: wrong attribute 'volatile': 1 : i32 should be of base attribute unit
%0, %1 = nv_tileaa.load %ptr {volatile = 1 : i32} : !ptr -> f32, !nv_tileaa.mem_token

// CHECK: wrong attribute 'optimization_hints': "fast" should be of base attribute dictionary
%0, %1 = nv_tileaa.load %ptr {optimization_hints = "fast"} : !ptr -> f32, !nv_tileaa.mem_token

// Shapes and elements of accesses.

// CHECK: 'nv_tileaa.load' op [[pointers]]
%0, %1 = nv_tileaa.load %i64 : i64 -> f32, !nv_tileaa.mem_token

// CHECK: 'nv_tileaa.load' op must be a scalar or tensor of numbers, but got '!llvm.ptr<1>'
%0, %1 = nv_tileaa.load %ptr : !ptr -> !ptr, !nv_tileaa.mem_token

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'f32'
%0, %1 = nv_tileaa.load %t8xptr : tensor<8x!ptr> -> f32, !nv_tileaa.mem_token

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xi1>'
%m = "test.op"() : () -> tensor<4xi1>
%0, %1 = nv_tileaa.load %t8xptr mask(%m : tensor<4xi1>) : tensor<8x!ptr> -> tensor<8xf32>, !nv_tileaa.mem_token

// CHECK: 'nv_tileaa.load' op must be a scalar or tensor of i1, but got 'tensor<8xi8>'
%m = "test.op"() : () -> tensor<8xi8>
%0, %1 = nv_tileaa.load %t8xptr mask(%m : tensor<8xi8>) : tensor<8x!ptr> -> tensor<8xf32>, !nv_tileaa.mem_token

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'f32'
%0, %1 = nv_tileaa.load %t8xptr mask(%t8xi1 : tensor<8xi1>) other(%f32 : f32) : tensor<8x!ptr> -> tensor<8xf32>, !nv_tileaa.mem_token

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%0, %1 = nv_tileaa.load %ptr_1 : !ptr_1 -> f32, !nv_tileaa.mem_token

// CHECK: requires attribute 'operandSegmentSizes'
%0, %1 = "nv_tileaa.load"(%ptr) : (!ptr) -> (f32, !nv_tileaa.mem_token)

// CHECK:      operand 'token' at position 1 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%0, %1 = "nv_tileaa.load"(%ptr, %i32) {operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (!ptr, i32) -> (f32, !nv_tileaa.mem_token)

// CHECK:      result 'result_token' at position 1 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%0, %1 = "nv_tileaa.load"(%ptr) {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (!ptr) -> (f32, i32)

// CHECK: unsupported mem_semantic: "acquire" (expected one of weak, relaxed, release)
%0 = nv_tileaa.store %ptr, %f32 {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr, f32 -> !nv_tileaa.mem_token

// CHECK: [[required]]
%0 = nv_tileaa.store %ptr, %f32 {mem_semantic = "release"} : !ptr, f32 -> !nv_tileaa.mem_token

// CHECK: expects the shape of '!llvm.ptr<1>', but got 'tensor<8xf32>'
%v = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.store %ptr, %v : !ptr, tensor<8xf32> -> !nv_tileaa.mem_token

// CHECK: expects the shape of '!llvm.ptr<1>', but got 'tensor<8xi1>'
%0 = nv_tileaa.store %ptr, %f32 mask(%t8xi1 : tensor<8xi1>) : !ptr, f32 -> !nv_tileaa.mem_token

// Atomics.

// CHECK: requires attribute 'rmw_mode'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: requires attribute 'mem_semantic'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "add"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: [[required]]
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "add", mem_semantic = "relaxed"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: 'nv_tileaa.atomic_rmw' op unsupported mem_semantic: "weak" (expected one of relaxed, acquire, release, acq_rel, seq_cst)
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "add", mem_semantic = "weak"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: 'nv_tileaa.atomic_rmw' op unsupported rmw_mode: "cmpxchg" (expected one of and, or, xor, add, addf, max, min, umax, umin, xchg, addu)
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "cmpxchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: rmw_mode add is not supported on 'i8'
%v = "test.op"() : () -> i8
%0, %1 = nv_tileaa.atomic_rmw %ptr, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i8 -> i8, !nv_tileaa.mem_token

// CHECK: rmw_mode add is not supported on 'i16'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i16 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i16 -> i16, !nv_tileaa.mem_token

// CHECK: rmw_mode and is not supported on 'f32'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %f32 {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f32 -> f32, !nv_tileaa.mem_token

// CHECK: rmw_mode add is not supported on 'f32'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %f32 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f32 -> f32, !nv_tileaa.mem_token

// CHECK: rmw_mode addf is not supported on 'i32'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !nv_tileaa.mem_token

// CHECK: rmw_mode addf is not supported on 'tf32'
%v = "test.op"() : () -> tf32
%0, %1 = nv_tileaa.atomic_rmw %ptr, %v {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, tf32 -> tf32, !nv_tileaa.mem_token

// CHECK: rmw_mode max is not supported on 'f8E4M3FN'
%v = "test.op"() : () -> f8E4M3FN
%0, %1 = nv_tileaa.atomic_rmw %ptr, %v {rmw_mode = "max", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f8E4M3FN -> f8E4M3FN, !nv_tileaa.mem_token

// CHECK: rmw_mode xchg is not supported on 'f16'
%v = "test.op"() : () -> f16
%0, %1 = nv_tileaa.atomic_rmw %ptr, %v {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f16 -> f16, !nv_tileaa.mem_token

// CHECK: rmw_mode xchg is not supported on 'i16'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i16 {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i16 -> i16, !nv_tileaa.mem_token

// CHECK: expects the type of the value 'i32', but yields 'i64'
%0, %1 = nv_tileaa.atomic_rmw %ptr, %i32 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i64, !nv_tileaa.mem_token

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xi32>'
%v = "test.op"() : () -> tensor<4xi32>
%0, %1 = nv_tileaa.atomic_rmw %t8xptr, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!ptr>, tensor<4xi32> -> tensor<4xi32>, !nv_tileaa.mem_token

// CHECK: expect only float or integer types with 32 or 64 bit, but got 'i16'
%0, %1 = nv_tileaa.atomic_cas %ptr, %i16, %i16 {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i16, !nv_tileaa.mem_token

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'i32'
%0, %1 = nv_tileaa.atomic_cas %t8xptr, %i32, %i32 {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!ptr> -> i32, !nv_tileaa.mem_token

// CHECK: [[required]]
%0, %1 = nv_tileaa.atomic_cas %ptr, %i32, %i32 {mem_semantic = "acq_rel"} : !ptr -> i32, !nv_tileaa.mem_token

// CHECK:      operand 'replacement' at position 2 does not verify:
// CHECK-NEXT: attribute i32 expected from variable 'T', but got i64
%0, %1 = "nv_tileaa.atomic_cas"(%ptr, %i32, %i64) {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!ptr, i32, i64) -> (i32, !nv_tileaa.mem_token)

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%0 = nv_tileaa.addptr %ptr_1, %i32 {elem_type = f32} : !ptr_1, i32

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%0 = nv_tileaa.store %ptr_1, %f32 : !ptr_1, f32 -> !nv_tileaa.mem_token

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'i32'
%0, %1 = nv_tileaa.atomic_rmw %ptr_1, %i32 {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr_1, i32 -> i32, !nv_tileaa.mem_token

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'i32'
%0, %1 = nv_tileaa.atomic_cas %ptr_1, %i32, %i32 {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr_1 -> i32, !nv_tileaa.mem_token

// CHECK: requires attribute 'alignment'
%0 = nv_tileaa.alloca {num_elem = 1 : i64, elem_type = f32} : !llvm.ptr<3>

// CHECK: wrong attribute 'sym_visibility': unsupported visibility: "hidden" (expected one of public, private)
nv_tileaa.global @g {value = dense<0> : tensor<1xi8>, sym_visibility = "hidden"}

// CHECK: requires attribute 'value'
nv_tileaa.global @g

// CHECK: 'nv_tileaa.print' op must be a scalar or tensor of numbers or pointers, but got 'index'
%f = "test.op"() : () -> index
nv_tileaa.print "%i", %f : index

// CHECK: 'nv_tileaa.assert' op must be a scalar or tensor of i1, but got 'i32'
nv_tileaa.assert %i32, "true" : i32
