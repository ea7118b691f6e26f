// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// REQ: P-04
!token = !nv_tileaa.mem_token
!ptr = !llvm.ptr<1>
!memref = !nv_tileaa.memref<?xf32, strides = [1]>
%0 = nv_tileaa.create_mem_token : !token
// PRINTS: %1 = nv_tileaa.create_mem_token : !token
%1 = "nv_tileaa.create_mem_token"() : () -> !token
// PRINTS: %2 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !token
%2 = "nv_tileaa.create_mem_token"() {num_producers = 3 : i32} : () -> !token
%p, %m = "test.op"() : () -> (!ptr, !memref)
// PRINTS: %3 = nv_tileaa.create_mem_token scope(%p, %m : !ptr, !memref) {my.tag, num_producers = 2 : i32} : !token
%3 = nv_tileaa.create_mem_token scope(%p, %m : !ptr, !memref) {num_producers = 2 : i32, my.tag} : !token
// PRINTS: %4 = nv_tileaa.create_mem_token scope(%p : !ptr) : !token
%4 = "nv_tileaa.create_mem_token"(%p) : (!ptr) -> !token
%5 = nv_tileaa.join_mem_token [%0, %1, %2] : !token
// PRINTS: %6 = nv_tileaa.join_mem_token [%0, %1] : !token
%6 = "nv_tileaa.join_mem_token"(%0, %1) : (!token, !token) -> !token
%7 = nv_tileaa.join_mem_token [%0] {my.tag} : !token
%8 = nv_tileaa.join_mem_token [] : !token

// Control flow carries tokens like any value.

%lb, %ub, %step = "test.op"() : () -> (i32, i32, i32)
%9 = scf.for %i = %lb to %ub step %step iter_args(%t = %5) -> (!token) : i32 {
  %v, %next = nv_tileaa.load %p token(%t) : !ptr -> f32, !token
  scf.yield %next : !token
}
