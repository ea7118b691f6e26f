// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!ptr = !llvm.ptr<1>
!t8xptr = tensor<8x!llvm.ptr<1>>
!t8xf32 = tensor<8xf32>
!t8xi1 = tensor<8xi1>
!t8xi32 = tensor<8xi32>
!token = !nv_tileaa.mem_token
%p, %tp, %v, %tv, %m, %tm, %i, %ti, %t, %n = "test.op"() : () -> (!ptr, !t8xptr, f32, !t8xf32, i1, !t8xi1, i32, !t8xi32, !token, i64)

// Pointers move by elements.

// REQ: P-04
// PRINTS: %addptr0 = nv_tileaa.addptr %p, %n {elem_type = f32} : !ptr, i64
%addptr0 = "nv_tileaa.addptr"(%p, %n) {elem_type = f32} : (!ptr, i64) -> !ptr
%addptr1 = nv_tileaa.addptr %tp, %ti {elem_type = bf16} : !t8xptr, !t8xi32
%typed = "test.op"() : () -> !nv_tileaa.ptr<f16, 3>
// PRINTS: %addptr2 = nv_tileaa.addptr %typed, %i {my.tag, elem_type = f16} : !nv_tileaa.ptr<f16, 3>, i32
%addptr2 = nv_tileaa.addptr %typed, %i {elem_type = f16, my.tag} : !nv_tileaa.ptr<f16, 3>, i32

// Loads, with any of mask, fallback and token, in any order of memory.

%load0, %load0t = nv_tileaa.load %tp : !t8xptr -> !t8xf32, !token
%load1, %load1t = nv_tileaa.load %tp token(%t) : !t8xptr -> !t8xf32, !token
%load2, %load2t = nv_tileaa.load %tp other(%tv : !t8xf32) : !t8xptr -> !t8xf32, !token
%load3, %load3t = nv_tileaa.load %tp other(%tv : !t8xf32) token(%t) : !t8xptr -> !t8xf32, !token
%load4, %load4t = nv_tileaa.load %tp mask(%tm : !t8xi1) : !t8xptr -> !t8xf32, !token
%load5, %load5t = nv_tileaa.load %tp mask(%tm : !t8xi1) token(%t) : !t8xptr -> !t8xf32, !token
%load6, %load6t = nv_tileaa.load %tp mask(%tm : !t8xi1) other(%tv : !t8xf32) : !t8xptr -> !t8xf32, !token
%load7, %load7t = nv_tileaa.load %tp mask(%tm : !t8xi1) other(%tv : !t8xf32) token(%t) : !t8xptr -> !t8xf32, !token
%load8 = nv_tileaa.load %p : !ptr -> f32
// PRINTS: %load9, %load9t = nv_tileaa.load %p token(%t) {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> f32, !token
%load9, %load9t = "nv_tileaa.load"(%p, %t) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (!ptr, !token) -> (f32, !token)
// PRINTS: %load10, %load10t = nv_tileaa.load %tp mask(%tm : !t8xi1) other(%tv : !t8xf32) token(%t) : !t8xptr -> !t8xf32, !token
%load10, %load10t = "nv_tileaa.load"(%tp, %tm, %tv, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (!t8xptr, !t8xi1, !t8xf32, !token) -> (!t8xf32, !token)
%load11, %load11t = nv_tileaa.load %p mask(%m : i1) other(%v : f32) {mem_semantic = "weak", volatile} : !ptr -> f32, !token
%load12, %load12t = nv_tileaa.load %p {mem_semantic = "relaxed", mem_scope = "tl_blk", volatile, optimization_hints = {sm_100 = {latency = 3 : i32}}} : !ptr -> f32, !token

// Stores.

%store0 = nv_tileaa.store %tp, %tv : !t8xptr, !t8xf32 -> !token
%store1 = nv_tileaa.store %tp, %tv token(%t) : !t8xptr, !t8xf32 -> !token
%store2 = nv_tileaa.store %tp, %tv mask(%tm : !t8xi1) : !t8xptr, !t8xf32 -> !token
%store3 = nv_tileaa.store %tp, %tv mask(%tm : !t8xi1) token(%t) : !t8xptr, !t8xf32 -> !token
nv_tileaa.store %p, %v : !ptr, f32
// PRINTS: %store5 = nv_tileaa.store %tp, %tv mask(%tm : !t8xi1) token(%t) : !t8xptr, !t8xf32 -> !token
%store5 = "nv_tileaa.store"(%tp, %tv, %tm, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (!t8xptr, !t8xf32, !t8xi1, !token) -> !token
%store6 = nv_tileaa.store %p, %v token(%t) {mem_semantic = "release", mem_scope = "sys"} : !ptr, f32 -> !token
%store7 = nv_tileaa.store %p, %v {mem_semantic = "relaxed", mem_scope = "cluster", volatile, optimization_hints = {}} : !ptr, f32 -> !token

// Atomics.

%rmw0, %rmw0t = nv_tileaa.atomic_rmw %tp, %ti {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr, !t8xi32 -> !t8xi32, !token
%rmw1, %rmw1t = nv_tileaa.atomic_rmw %tp, %ti token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr, !t8xi32 -> !t8xi32, !token
%rmw2, %rmw2t = nv_tileaa.atomic_rmw %tp, %ti mask(%tm : !t8xi1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr, !t8xi32 -> !t8xi32, !token
%rmw3, %rmw3t = nv_tileaa.atomic_rmw %tp, %ti mask(%tm : !t8xi1) token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr, !t8xi32 -> !t8xi32, !token
%addu, %addut = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "addu", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%and, %andt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "and", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%or, %ort = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "or", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%xor, %xort = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "xor", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%xchg, %xchgt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "xchg", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%min, %mint = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "min", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%umin, %umint = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "umin", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%max, %maxt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "max", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%umax, %umaxt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "umax", mem_semantic = "acq_rel", mem_scope = "sys"} : !ptr, i64 -> i64, !token
%h, %b, %d = "test.op"() : () -> (f16, bf16, f64)
%addf = nv_tileaa.atomic_rmw %p, %h {rmw_mode = "addf", mem_semantic = "acquire", mem_scope = "sys"} : !ptr, f16 -> f16
%maxf = nv_tileaa.atomic_rmw %p, %b {rmw_mode = "max", mem_semantic = "release", mem_scope = "sys"} : !ptr, bf16 -> bf16
%swap = nv_tileaa.atomic_rmw %p, %d {rmw_mode = "xchg", mem_semantic = "seq_cst", mem_scope = "sys", volatile} : !ptr, f64 -> f64
// PRINTS: %rmw, %rmwt = nv_tileaa.atomic_rmw %p, %i token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr, i32 -> i32, !token
%rmw, %rmwt = "nv_tileaa.atomic_rmw"(%p, %i, %t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (!ptr, i32, !token) -> (i32, !token)
%cas0, %cas0t = nv_tileaa.atomic_cas %tp, %ti, %ti {mem_semantic = "seq_cst", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
%cas1, %cas1t = nv_tileaa.atomic_cas %tp, %ti, %ti token(%t) {mem_semantic = "seq_cst", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
%cas2, %cas2t = nv_tileaa.atomic_cas %tp, %ti, %ti mask(%tm : !t8xi1) {mem_semantic = "seq_cst", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
%cas3, %cas3t = nv_tileaa.atomic_cas %tp, %ti, %ti mask(%tm : !t8xi1) token(%t) {mem_semantic = "seq_cst", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
// PRINTS: %cas, %cast = nv_tileaa.atomic_cas %p, %i, %i token(%t) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
%cas, %cast = "nv_tileaa.atomic_cas"(%p, %i, %i, %t) {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (!ptr, i32, i32, !token) -> (i32, !token)
%casf = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> f32

// Effects without data, memory without pointers, and what a program says.

%fence0 = nv_tileaa.memory_fence_alias_tko token(%t) -> !token
%fence1 = nv_tileaa.memory_fence_alias_tko -> !token
nv_tileaa.memory_fence_alias_tko token(%t)
nv_tileaa.memory_fence_alias_tko {my.tag}
%wait = nv_tileaa.gdc_wait_tko token(%t) -> !token
// PRINTS: %launch = nv_tileaa.gdc_launch_dependents_tko token(%t) -> !token
%launch = "nv_tileaa.gdc_launch_dependents_tko"(%t) : (!token) -> !token
%alloca0 = nv_tileaa.alloca {num_elem = 32 : i64, alignment = 16 : i64, elem_type = f32} : !llvm.ptr<3>
%alloca1 = nv_tileaa.alloca {num_elem = 1 : i64, alignment = 1 : i64, elem_type = i8, global} : !ptr
// PRINTS: nv_tileaa.global @g {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, alignment = 128 : i64}
"nv_tileaa.global"() {sym_name = "g", value = dense<[1.0, 2.0]> : tensor<2xf32>, alignment = 128 : i64} : () -> ()
nv_tileaa.global @c {value = dense<7> : tensor<4xi8>, constant, sym_visibility = "private"}
%address = nv_tileaa.get_global @g : !ptr
%print0 = nv_tileaa.print "%f %i", %tv, %i : !t8xf32, i32 token(%t) -> !token
// PRINTS: %print1 = nv_tileaa.print "hello\0A" -> !token
%print1 = nv_tileaa.print "hello\n" -> !token
nv_tileaa.print "hello"
nv_tileaa.print "%p", %p : !ptr {my.tag}
nv_tileaa.assert %tm, "all lanes" : !t8xi1
// PRINTS: nv_tileaa.assert %m, "one \22lane\22" : i1
"nv_tileaa.assert"(%m) {message = "one \"lane\""} : (i1) -> ()

// Without a token, what follows is not taken for one.
nv_tileaa.gdc_wait_tko
%after_wait = arith.constant 0 : i32
