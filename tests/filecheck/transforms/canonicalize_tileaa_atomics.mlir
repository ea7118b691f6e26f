// RUN: tileiras-opt %s -p canonicalize-tileaa --print-local-scope | filecheck %s
// RUN: tileiras-opt %s -p canonicalize --print-local-scope | filecheck %s

// REQ: D-47, D-59
!token = !nv_tileaa.mem_token
!t2xptr = tensor<2x!llvm.ptr<1>>
!ptr = !llvm.ptr<1>
!t4xptr = tensor<4x!llvm.ptr<1>>

func.func @cas_of_equals(%p: !ptr, %t0: !token) {
  %c = arith.constant 7 : i32
  %old, %t1 = "nv_tileaa.atomic_cas"(%p, %c, %c, %t0)
      {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}
      : (!ptr, i32, i32, !token) -> (i32, !token)
  "test.op"(%old, %t1) : (i32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @cas_of_equals(
// CHECK-NEXT: %old, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr:!llvm.ptr<1>]] -> i32, [[token:!nv_tileaa.mem_token]]
// CHECK-NEXT: "test.op"(%old, %t1) : (i32, [[token]]) -> ()
// CHECK-NEXT: func.return

func.func @cas_of_equal_tiles(%p: !t2xptr) {
  %one = arith.constant 1.0 : f32
  %a = nv_tileaa.splat %one : f32 to tensor<2xf32>
  %b = arith.constant dense<1.0> : tensor<2xf32>
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0, %1 = nv_tileaa.atomic_cas %p, %a, %b {mem_semantic = "acquire", mem_scope = "sys", optimization_hints = {latency = 2 : i32}, extra = "x"} : !t2xptr -> tensor<2xf32>, !token
  %2, %3 = nv_tileaa.atomic_cas %p, %c, %c {mem_semantic = "acquire", mem_scope = "sys"} : !t2xptr -> tensor<2xi32>, !token
  "test.op"(%0, %1, %2, %3) : (tensor<2xf32>, !token, tensor<2xi32>, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @cas_of_equal_tiles(
// CHECK-NEXT: %0, %1 = nv_tileaa.load %p {extra = "x", mem_semantic = "acquire", mem_scope = "sys", optimization_hints = {latency = 2 : i32}} : [[t2xptr:tensor<2x!llvm.ptr<1>>]] -> tensor<2xf32>, [[token]]
// CHECK-NEXT: %2, %3 = nv_tileaa.load %p {mem_semantic = "acquire", mem_scope = "sys"} : [[t2xptr]] -> tensor<2xi32>, [[token]]
// CHECK-NEXT: "test.op"(%0, %1, %2, %3) : (tensor<2xf32>, [[token]], tensor<2xi32>, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-48
func.func @cas_of_unequals(%p: !t2xptr) {
  %a = arith.constant dense<[7, 8]> : tensor<2xi32>
  %b = arith.constant dense<[7, 9]> : tensor<2xi32>
  %c = arith.constant dense<0.0> : tensor<2xf32>
  %d = arith.constant dense<-0.0> : tensor<2xf32>
  %0, %1 = nv_tileaa.atomic_cas %p, %a, %b {mem_semantic = "relaxed", mem_scope = "gpu"} : !t2xptr -> tensor<2xi32>, !token
  %2, %3 = nv_tileaa.atomic_cas %p, %c, %d {mem_semantic = "relaxed", mem_scope = "gpu"} : !t2xptr -> tensor<2xf32>, !token
  func.return
}
// CHECK-LABEL: func.func @cas_of_unequals(
// CHECK-NEXT: %a = arith.constant dense<[7, 8]> : tensor<2xi32>
// CHECK-NEXT: %b = arith.constant dense<[7, 9]> : tensor<2xi32>
// CHECK-NEXT: %c = arith.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %d = arith.constant dense<-0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %0, %1 = nv_tileaa.atomic_cas %p, %a, %b {mem_semantic = "relaxed", mem_scope = "gpu"} : [[t2xptr]] -> tensor<2xi32>, [[token]]
// CHECK-NEXT: %2, %3 = nv_tileaa.atomic_cas %p, %c, %d {mem_semantic = "relaxed", mem_scope = "gpu"} : [[t2xptr]] -> tensor<2xf32>, [[token]]
// CHECK-NEXT: func.return

// REQ: D-49
func.func @cas_of_unknowns(%p: !ptr, %x: i32) {
  %c = arith.constant 7 : i32
  %0, %1 = nv_tileaa.atomic_cas %p, %x, %x {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  %2, %3 = nv_tileaa.atomic_cas %p, %c, %x {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  %4, %5 = nv_tileaa.atomic_cas %p, %x, %c {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  func.return
}
// CHECK-LABEL: func.func @cas_of_unknowns(
// CHECK-NEXT: %c = arith.constant 7 : i32
// CHECK-NEXT: %0, %1 = nv_tileaa.atomic_cas %p, %x, %x {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %2, %3 = nv_tileaa.atomic_cas %p, %c, %x {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %4, %5 = nv_tileaa.atomic_cas %p, %x, %c {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: func.return

// REQ: D-50
func.func @add_identity(%p: !ptr, %t0: !token) {
  %z = arith.constant 0 : i32
  %old, %t1 = "nv_tileaa.atomic_rmw"(%p, %z, %t0)
      {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (!ptr, i32, !token) -> (i32, !token)
  "test.op"(%old, %t1) : (i32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @add_identity(
// CHECK-NEXT: %old, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: "test.op"(%old, %t1) : (i32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-51
func.func @or_identity(%p: !ptr, %t0: !token) {
  %z = arith.constant 0 : i32
  %old, %t1 = "nv_tileaa.atomic_rmw"(%p, %z, %t0)
      {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (!ptr, i32, !token) -> (i32, !token)
  "test.op"(%old, %t1) : (i32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @or_identity(
// CHECK-NEXT: %old, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: "test.op"(%old, %t1) : (i32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-52
func.func @xor_identity(%p: !ptr, %t0: !token) {
  %z = arith.constant 0 : i32
  %old, %t1 = "nv_tileaa.atomic_rmw"(%p, %z, %t0)
      {rmw_mode = "xor", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (!ptr, i32, !token) -> (i32, !token)
  "test.op"(%old, %t1) : (i32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @xor_identity(
// CHECK-NEXT: %old, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: "test.op"(%old, %t1) : (i32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-53
func.func @and_identity(%p: !ptr, %t0: !token) {
  %z = arith.constant -1 : i32
  %old, %t1 = "nv_tileaa.atomic_rmw"(%p, %z, %t0)
      {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (!ptr, i32, !token) -> (i32, !token)
  "test.op"(%old, %t1) : (i32, !token) -> ()
  func.return
}
// CHECK-LABEL: func.func @and_identity(
// CHECK-NEXT: %old, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: "test.op"(%old, %t1) : (i32, [[token]]) -> ()
// CHECK-NEXT: func.return

// REQ: D-54
func.func @no_identities(%p: !ptr) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %max = arith.constant 4294967295 : i64
  %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %b, %b_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %c, %c_t = nv_tileaa.atomic_rmw %p, %one {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %d, %d_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "xor", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %e, %e_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %f, %f_t = nv_tileaa.atomic_rmw %p, %max {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i64 -> i64, !token
  func.return
}
// CHECK-LABEL: func.func @no_identities(
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %ones = arith.constant -1 : i32
// CHECK-NEXT: %max = arith.constant 4294967295 : i64
// CHECK-NEXT: %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %b, %b_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "or", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %c, %c_t = nv_tileaa.atomic_rmw %p, %one {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %d, %d_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "xor", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %e, %e_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %f, %f_t = nv_tileaa.atomic_rmw %p, %max {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i64 -> i64, [[token]]
// CHECK-NEXT: func.return

// REQ: D-55
func.func @exchange(%p: !ptr) {
  %zero = arith.constant 0 : i32
  %ones = arith.constant -1 : i32
  %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %b, %b_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  func.return
}
// CHECK-LABEL: func.func @exchange(
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %ones = arith.constant -1 : i32
// CHECK-NEXT: %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %b, %b_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "xchg", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: func.return

// REQ: D-56
func.func @floats(%p: !ptr) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f32 -> f32, !token
  %b, %b_t = nv_tileaa.atomic_rmw %p, %minus {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, f32 -> f32, !token
  func.return
}
// CHECK-LABEL: func.func @floats(
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %minus = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], f32 -> f32, [[token]]
// CHECK-NEXT: %b, %b_t = nv_tileaa.atomic_rmw %p, %minus {rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], f32 -> f32, [[token]]
// CHECK-NEXT: func.return

// REQ: D-57
func.func @tiles(%p: !t4xptr) {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %most = arith.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
  %m = arith.constant -1 : i64
  %ones = nv_tileaa.splat %m : i64 to tensor<4xi64>
  %a, %a_t = nv_tileaa.atomic_rmw %p, %zero {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr, tensor<4xi32> -> tensor<4xi32>, !token
  %b, %b_t = nv_tileaa.atomic_rmw %p, %most {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr, tensor<4xi32> -> tensor<4xi32>, !token
  %c, %c_t = nv_tileaa.atomic_rmw %p, %ones {rmw_mode = "and", mem_semantic = "relaxed", mem_scope = "gpu"} : !t4xptr, tensor<4xi64> -> tensor<4xi64>, !token
  func.return
}
// CHECK-LABEL: func.func @tiles(
// CHECK-NEXT: %most = arith.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
// CHECK-NEXT: %a, %a_t = nv_tileaa.load %p {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>> -> tensor<4xi32>, [[token]]
// CHECK-NEXT: %b, %b_t = nv_tileaa.atomic_rmw %p, %most {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>>, tensor<4xi32> -> tensor<4xi32>, [[token]]
// CHECK-NEXT: %c, %c_t = nv_tileaa.load %p {mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<4x!llvm.ptr<1>> -> tensor<4xi64>, [[token]]
// CHECK-NEXT: func.return

// REQ: D-58
func.func @unknown_operand(%p: !ptr, %x: i32) {
  %a, %a_t = nv_tileaa.atomic_rmw %p, %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  func.return
}
// CHECK-LABEL: func.func @unknown_operand(
// CHECK-NEXT: %a, %a_t = nv_tileaa.atomic_rmw %p, %x {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: func.return

// A load can be relaxed or acquire, nothing else.
// REQ: D-60, I-16
func.func @orders(%p: !ptr) {
  %z = arith.constant 0 : i32
  %relaxed, %relaxed_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %acquire, %acquire_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "acquire", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %release, %release_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "release", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %acq_rel, %acq_rel_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "acq_rel", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %seq_cst, %seq_cst_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "seq_cst", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %cas_acquire, %t_acquire = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "acquire", mem_scope = "sys"} : !ptr -> i32, !token
  %cas_release, %t_release = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "release", mem_scope = "sys"} : !ptr -> i32, !token
  %cas_acq_rel, %t_acq_rel = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr -> i32, !token
  %cas_seq_cst, %t_seq_cst = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "seq_cst", mem_scope = "sys"} : !ptr -> i32, !token
  func.return
}
// CHECK-LABEL: func.func @orders(
// CHECK-NEXT: %z = arith.constant 0 : i32
// CHECK-NEXT: %relaxed, %relaxed_t = nv_tileaa.load %p {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %acquire, %acquire_t = nv_tileaa.load %p {mem_semantic = "acquire", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %release, %release_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "release", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %acq_rel, %acq_rel_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "acq_rel", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %seq_cst, %seq_cst_t = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "seq_cst", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %cas_acquire, %t_acquire = nv_tileaa.load %p {mem_semantic = "acquire", mem_scope = "sys"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %cas_release, %t_release = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "release", mem_scope = "sys"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %cas_acq_rel, %t_acq_rel = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "acq_rel", mem_scope = "sys"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %cas_seq_cst, %t_seq_cst = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "seq_cst", mem_scope = "sys"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: func.return

func.func @volatile_or_masked(%p: !ptr) {
  %z = arith.constant 0 : i32
  %true = arith.constant true
  %0, %1 = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu", volatile} : !ptr, i32 -> i32, !token
  %2, %3 = nv_tileaa.atomic_rmw %p, %z mask(%true : i1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
  %4, %5 = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "relaxed", mem_scope = "gpu", volatile} : !ptr -> i32, !token
  %6, %7 = nv_tileaa.atomic_cas %p, %z, %z mask(%true : i1) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  func.return
}
// CHECK-LABEL: func.func @volatile_or_masked(
// CHECK-NEXT: %z = arith.constant 0 : i32
// CHECK-NEXT: %true = arith.constant true
// CHECK-NEXT: %0, %1 = nv_tileaa.atomic_rmw %p, %z {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu", volatile} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %2, %3 = nv_tileaa.atomic_rmw %p, %z mask(%true : i1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32, [[token]]
// CHECK-NEXT: %4, %5 = nv_tileaa.atomic_cas %p, %z, %z {mem_semantic = "relaxed", mem_scope = "gpu", volatile} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: %6, %7 = nv_tileaa.atomic_cas %p, %z, %z mask(%true : i1) {mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]] -> i32, [[token]]
// CHECK-NEXT: func.return
