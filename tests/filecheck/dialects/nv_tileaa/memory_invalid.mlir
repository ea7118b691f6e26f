// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Tokens.

// CHECK: expects at least one producer, but got 0
%0 = nv_tileaa.create_mem_token {num_producers = 0 : i32} : !nv_tileaa.mem_token

// -----

// CHECK: wrong attribute 'num_producers': Expected attribute i32 but got i64
%0 = "nv_tileaa.create_mem_token"() {num_producers = 1 : i64} : () -> !nv_tileaa.mem_token

// -----

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: i32 should be of base attribute nv_tileaa.mem_token
%0 = "nv_tileaa.create_mem_token"() : () -> i32

// -----

// CHECK:      operand 'tokens' at position 0 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%t = "test.op"() : () -> i32
%0 = "nv_tileaa.join_mem_token"(%t) : (i32) -> !nv_tileaa.mem_token

// -----

// Pointers.

// CHECK: 'nv_tileaa.addptr' op must be a scalar or tensor of integers, but got 'f32'
%p, %i = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0 = nv_tileaa.addptr %p, %i {elem_type = f32} : !llvm.ptr<1>, f32

// -----

// CHECK: 'nv_tileaa.addptr' op must be a scalar or tensor of pointers, but got 'i64'
%p = "test.op"() : () -> i64
%0 = nv_tileaa.addptr %p, %p {elem_type = f32} : i64, i64

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'i32'
%p, %i = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, i32)
%0 = nv_tileaa.addptr %p, %i {elem_type = f32} : tensor<8x!llvm.ptr<1>>, i32

// -----

// CHECK: requires attribute 'elem_type'
%p, %i = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = nv_tileaa.addptr %p, %i : !llvm.ptr<1>, i32

// -----

// CHECK: 'nv_tileaa.addptr' op expects a type, but got 4 : i32
%p, %i = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = nv_tileaa.addptr %p, %i {elem_type = 4 : i32} : !llvm.ptr<1>, i32

// -----

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute !llvm.ptr<1> expected from variable 'P', but got !llvm.ptr<3>
%p, %i = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0 = "nv_tileaa.addptr"(%p, %i) {elem_type = f32} : (!llvm.ptr<1>, i32) -> !llvm.ptr<3>

// -----

// Orders and scopes.

// CHECK: unsupported mem_semantic: "release" (expected one of weak, relaxed, acquire)
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_semantic = "release", mem_scope = "gpu"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: unsupported mem_semantic: "seq_cst" (expected one of weak, relaxed, acquire)
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_semantic = "seq_cst", mem_scope = "gpu"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_semantic = "acquire"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope not supported when mem_semantic is weak
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_semantic = "weak", mem_scope = "gpu"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope not supported when mem_semantic is weak
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_scope = "gpu"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: unsupported mem_scope: "device" (expected one of tl_blk, cluster, gpu, sys)
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {mem_semantic = "acquire", mem_scope = "device"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: wrong attribute 'volatile': 1 : i32 should be of base attribute unit
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {volatile = 1 : i32} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: wrong attribute 'optimization_hints': "fast" should be of base attribute dictionary
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p {optimization_hints = "fast"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// -----

// Shapes and elements of accesses.

// CHECK: 'nv_tileaa.load' op must be a scalar or tensor of pointers, but got 'i64'
%p = "test.op"() : () -> i64
%0, %1 = nv_tileaa.load %p : i64 -> f32, !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.load' op must be a scalar or tensor of numbers, but got '!llvm.ptr<1>'
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = nv_tileaa.load %p : !llvm.ptr<1> -> !llvm.ptr<1>, !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'f32'
%p = "test.op"() : () -> tensor<8x!llvm.ptr<1>>
%0, %1 = nv_tileaa.load %p : tensor<8x!llvm.ptr<1>> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xi1>'
%p, %m = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<4xi1>)
%0, %1 = nv_tileaa.load %p mask(%m : tensor<4xi1>) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.load' op must be a scalar or tensor of i1, but got 'tensor<8xi8>'
%p, %m = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<8xi8>)
%0, %1 = nv_tileaa.load %p mask(%m : tensor<8xi8>) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'f32'
%p, %m, %o = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<8xi1>, f32)
%0, %1 = nv_tileaa.load %p mask(%m : tensor<8xi1>) other(%o : f32) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token

// -----

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%p = "test.op"() : () -> !nv_tileaa.ptr<f16>
%0, %1 = nv_tileaa.load %p : !nv_tileaa.ptr<f16> -> f32, !nv_tileaa.mem_token

// -----

// CHECK: requires attribute 'operandSegmentSizes'
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = "nv_tileaa.load"(%p) : (!llvm.ptr<1>) -> (f32, !nv_tileaa.mem_token)

// -----

// CHECK:      operand 'token' at position 1 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%p, %t = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = "nv_tileaa.load"(%p, %t) {operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (!llvm.ptr<1>, i32) -> (f32, !nv_tileaa.mem_token)

// -----

// CHECK:      result 'result_token' at position 1 does not verify:
// CHECK-NEXT: Expected attribute !nv_tileaa.mem_token but got i32
%p = "test.op"() : () -> !llvm.ptr<1>
%0, %1 = "nv_tileaa.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (!llvm.ptr<1>) -> (f32, i32)

// -----

// CHECK: unsupported mem_semantic: "acquire" (expected one of weak, relaxed, release)
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0 = nv_tileaa.store %p, %v {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0 = nv_tileaa.store %p, %v {mem_semantic = "release"} : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of '!llvm.ptr<1>', but got 'tensor<8xf32>'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, tensor<8xf32>)
%0 = nv_tileaa.store %p, %v : !llvm.ptr<1>, tensor<8xf32> -> !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of '!llvm.ptr<1>', but got 'tensor<8xi1>'
%p, %v, %m = "test.op"() : () -> (!llvm.ptr<1>, f32, tensor<8xi1>)
%0 = nv_tileaa.store %p, %v mask(%m : tensor<8xi1>) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token

// -----

// Atomics.

// CHECK: requires attribute 'rmw_mode'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: requires attribute 'mem_semantic'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.atomic_rmw' op unsupported mem_semantic: "weak" (expected one of relaxed, acquire, release, acq_rel, seq_cst)
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "weak"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: 'nv_tileaa.atomic_rmw' op unsupported rmw_mode: "cmpxchg" (expected one of and, or, xor, add, addf, max, min, umax, umin, xchg, addu)
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "cmpxchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode add is not supported on 'i8'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i8)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i8 -> i8, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode add is not supported on 'i16'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i16)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i16 -> i16, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode and is not supported on 'f32'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, f32 -> f32, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode add is not supported on 'f32'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, f32 -> f32, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode addf is not supported on 'i32'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode addf is not supported on 'tf32'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, tf32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, tf32 -> tf32, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode max is not supported on 'f8E4M3FN'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f8E4M3FN)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "max", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, f8E4M3FN -> f8E4M3FN, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode xchg is not supported on 'f16'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, f16)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, f16 -> f16, !nv_tileaa.mem_token

// -----

// CHECK: rmw_mode xchg is not supported on 'i16'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i16)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i16 -> i16, !nv_tileaa.mem_token

// -----

// CHECK: expects the type of the value 'i32', but yields 'i64'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i64, !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xi32>'
%p, %v = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<4xi32>)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>>, tensor<4xi32> -> tensor<4xi32>, !nv_tileaa.mem_token

// -----

// CHECK: expect only float or integer types with 32 or 64 bit, but got 'i16'
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i16)
%0, %1 = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1> -> i16, !nv_tileaa.mem_token

// -----

// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'i32'
%p, %v = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, i32)
%0, %1 = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> i32, !nv_tileaa.mem_token

// -----

// CHECK: mem_scope required when mem_semantic is not weak
%p, %v = "test.op"() : () -> (!llvm.ptr<1>, i32)
%0, %1 = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "acq_rel"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token

// -----

// CHECK:      operand 'replacement' at position 2 does not verify:
// CHECK-NEXT: attribute i32 expected from variable 'T', but got i64
%p, %v, %w = "test.op"() : () -> (!llvm.ptr<1>, i32, i64)
%0, %1 = "nv_tileaa.atomic_cas"(%p, %v, %w) {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!llvm.ptr<1>, i32, i64) -> (i32, !nv_tileaa.mem_token)

// -----

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%p, %i = "test.op"() : () -> (!nv_tileaa.ptr<f16>, i32)
%0 = nv_tileaa.addptr %p, %i {elem_type = f32} : !nv_tileaa.ptr<f16>, i32

// -----

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'f32'
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f16>, f32)
%0 = nv_tileaa.store %p, %v : !nv_tileaa.ptr<f16>, f32 -> !nv_tileaa.mem_token

// -----

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'i32'
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f16>, i32)
%0, %1 = nv_tileaa.atomic_rmw %p, %v {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.ptr<f16>, i32 -> i32, !nv_tileaa.mem_token

// -----

// CHECK: '!nv_tileaa.ptr<f16, 1>' does not point to 'i32'
%p, %v = "test.op"() : () -> (!nv_tileaa.ptr<f16>, i32)
%0, %1 = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : !nv_tileaa.ptr<f16> -> i32, !nv_tileaa.mem_token

// -----

// CHECK: requires attribute 'alignment'
%0 = nv_tileaa.alloca {num_elem = 1 : i64, elem_type = f32} : !llvm.ptr<3>

// -----

// CHECK: wrong attribute 'sym_visibility': unsupported visibility: "hidden" (expected one of public, private)
nv_tileaa.global @g {value = dense<0> : tensor<1xi8>, sym_visibility = "hidden"}

// -----

// CHECK: requires attribute 'value'
nv_tileaa.global @g

// -----

// CHECK: 'nv_tileaa.print' op must be a scalar or tensor of numbers or pointers, but got 'index'
%f = "test.op"() : () -> index
nv_tileaa.print "%i", %f : index

// -----

// CHECK: 'nv_tileaa.assert' op must be a scalar or tensor of i1, but got 'i32'
%c = "test.op"() : () -> i32
nv_tileaa.assert %c, "true" : i32
