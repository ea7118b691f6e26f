// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s --match-full-lines

// REQ: P-04
// CHECK:      %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT: %1 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%1 = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
// CHECK-NEXT: %2 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !nv_tileaa.mem_token
%2 = "nv_tileaa.create_mem_token"() {num_producers = 3 : i32} : () -> !nv_tileaa.mem_token
// CHECK-NEXT: %p, %m = "test.op"() : () -> (!llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>)
%p, %m = "test.op"() : () -> (!llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>)
// CHECK-NEXT: %3 = nv_tileaa.create_mem_token scope(%p, %m : !llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>) {my.tag, num_producers = 2 : i32} : !nv_tileaa.mem_token
%3 = nv_tileaa.create_mem_token scope(%p, %m : !llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>) {num_producers = 2 : i32, my.tag} : !nv_tileaa.mem_token
// CHECK-NEXT: %4 = nv_tileaa.create_mem_token scope(%p : !llvm.ptr<1>) : !nv_tileaa.mem_token
%4 = "nv_tileaa.create_mem_token"(%p) : (!llvm.ptr<1>) -> !nv_tileaa.mem_token
// CHECK-NEXT: %5 = nv_tileaa.join_mem_token [%0, %1, %2] : !nv_tileaa.mem_token
%5 = nv_tileaa.join_mem_token [%0, %1, %2] : !nv_tileaa.mem_token
// CHECK-NEXT: %6 = nv_tileaa.join_mem_token [%0, %1] : !nv_tileaa.mem_token
%6 = "nv_tileaa.join_mem_token"(%0, %1) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
// CHECK-NEXT: %7 = nv_tileaa.join_mem_token [%0] {my.tag} : !nv_tileaa.mem_token
%7 = nv_tileaa.join_mem_token [%0] {my.tag} : !nv_tileaa.mem_token
// CHECK-NEXT: %8 = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
%8 = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token

// Control flow carries tokens like any value.

// CHECK-NEXT: %lb, %ub, %step = "test.op"() : () -> (i32, i32, i32)
%lb, %ub, %step = "test.op"() : () -> (i32, i32, i32)
// CHECK-NEXT: %9 = scf.for %i = %lb to %ub step %step iter_args(%t = %5) -> (!nv_tileaa.mem_token) : i32 {
// CHECK-NEXT: %v, %next = nv_tileaa.load %p token(%t) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
// CHECK-NEXT: scf.yield %next : !nv_tileaa.mem_token
// CHECK-NEXT: }
%9 = scf.for %i = %lb to %ub step %step iter_args(%t = %5) -> (!nv_tileaa.mem_token) : i32 {
  %v, %next = nv_tileaa.load %p token(%t) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
  scf.yield %next : !nv_tileaa.mem_token
}
// CHECK-NEXT: }
