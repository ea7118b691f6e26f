// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// REQ: P-04
%0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// PRINTS: %1 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%1 = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
// PRINTS: %2 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !nv_tileaa.mem_token
%2 = "nv_tileaa.create_mem_token"() {num_producers = 3 : i32} : () -> !nv_tileaa.mem_token
%p, %m = "test.op"() : () -> (!llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>)
// PRINTS: %3 = nv_tileaa.create_mem_token scope(%p, %m : !llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>) {my.tag, num_producers = 2 : i32} : !nv_tileaa.mem_token
%3 = nv_tileaa.create_mem_token scope(%p, %m : !llvm.ptr<1>, !nv_tileaa.memref<?xf32, strides = [1]>) {num_producers = 2 : i32, my.tag} : !nv_tileaa.mem_token
// PRINTS: %4 = nv_tileaa.create_mem_token scope(%p : !llvm.ptr<1>) : !nv_tileaa.mem_token
%4 = "nv_tileaa.create_mem_token"(%p) : (!llvm.ptr<1>) -> !nv_tileaa.mem_token
%5 = nv_tileaa.join_mem_token [%0, %1, %2] : !nv_tileaa.mem_token
// PRINTS: %6 = nv_tileaa.join_mem_token [%0, %1] : !nv_tileaa.mem_token
%6 = "nv_tileaa.join_mem_token"(%0, %1) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
%7 = nv_tileaa.join_mem_token [%0] {my.tag} : !nv_tileaa.mem_token
%8 = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token

// Control flow carries tokens like any value.

%lb, %ub, %step = "test.op"() : () -> (i32, i32, i32)
%9 = scf.for %i = %lb to %ub step %step iter_args(%t = %5) -> (!nv_tileaa.mem_token) : i32 {
  %v, %next = nv_tileaa.load %p token(%t) : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
  scf.yield %next : !nv_tileaa.mem_token
}
