// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

%p, %tp, %v, %tv, %m, %tm, %i, %ti, %t, %n = "test.op"() : () -> (!llvm.ptr<1>, tensor<8x!llvm.ptr<1>>, f32, tensor<8xf32>, i1, tensor<8xi1>, i32, tensor<8xi32>, !nv_tileaa.mem_token, i64)

// Pointers move by elements.

// REQ: P-04
// PRINTS: %addptr0 = nv_tileaa.addptr %p, %n {elem_type = f32} : !llvm.ptr<1>, i64
%addptr0 = "nv_tileaa.addptr"(%p, %n) {elem_type = f32} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>
%addptr1 = nv_tileaa.addptr %tp, %ti {elem_type = bf16} : tensor<8x!llvm.ptr<1>>, tensor<8xi32>
%typed = "test.op"() : () -> !nv_tileaa.ptr<f16, 3>
// PRINTS: %addptr2 = nv_tileaa.addptr %typed, %i {my.tag, elem_type = f16} : !nv_tileaa.ptr<f16, 3>, i32
%addptr2 = nv_tileaa.addptr %typed, %i {elem_type = f16, my.tag} : !nv_tileaa.ptr<f16, 3>, i32

// Loads, with any of mask, fallback and token, in any order of memory.

%load0, %load0t = nv_tileaa.load %tp : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load1, %load1t = nv_tileaa.load %tp token(%t) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load2, %load2t = nv_tileaa.load %tp other(%tv : tensor<8xf32>) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load3, %load3t = nv_tileaa.load %tp other(%tv : tensor<8xf32>) token(%t) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load4, %load4t = nv_tileaa.load %tp mask(%tm : tensor<8xi1>) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load5, %load5t = nv_tileaa.load %tp mask(%tm : tensor<8xi1>) token(%t) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load6, %load6t = nv_tileaa.load %tp mask(%tm : tensor<8xi1>) other(%tv : tensor<8xf32>) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load7, %load7t = nv_tileaa.load %tp mask(%tm : tensor<8xi1>) other(%tv : tensor<8xf32>) token(%t) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load8 = nv_tileaa.load %p : !llvm.ptr<1> -> f32
// PRINTS: %load9, %load9t = nv_tileaa.load %p token(%t) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
%load9, %load9t = "nv_tileaa.load"(%p, %t) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (!llvm.ptr<1>, !nv_tileaa.mem_token) -> (f32, !nv_tileaa.mem_token)
// PRINTS: %load10, %load10t = nv_tileaa.load %tp mask(%tm : tensor<8xi1>) other(%tv : tensor<8xf32>) token(%t) : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
%load10, %load10t = "nv_tileaa.load"(%tp, %tm, %tv, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<8x!llvm.ptr<1>>, tensor<8xi1>, tensor<8xf32>, !nv_tileaa.mem_token) -> (tensor<8xf32>, !nv_tileaa.mem_token)
%load11, %load11t = nv_tileaa.load %p mask(%m : i1) other(%v : f32) {mem_semantic = "weak", volatile} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
%load12, %load12t = nv_tileaa.load %p {mem_semantic = "relaxed", mem_scope = "tl_blk", volatile, optimization_hints = {sm_100 = {latency = 3 : i32}}} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token

// Stores.

%store0 = nv_tileaa.store %tp, %tv : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
%store1 = nv_tileaa.store %tp, %tv token(%t) : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
%store2 = nv_tileaa.store %tp, %tv mask(%tm : tensor<8xi1>) : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
%store3 = nv_tileaa.store %tp, %tv mask(%tm : tensor<8xi1>) token(%t) : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
nv_tileaa.store %p, %v : !llvm.ptr<1>, f32
// PRINTS: %store5 = nv_tileaa.store %tp, %tv mask(%tm : tensor<8xi1>) token(%t) : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
%store5 = "nv_tileaa.store"(%tp, %tv, %tm, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<8x!llvm.ptr<1>>, tensor<8xf32>, tensor<8xi1>, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
%store6 = nv_tileaa.store %p, %v token(%t) {mem_semantic = "release", mem_scope = "sys"} : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
%store7 = nv_tileaa.store %p, %v {mem_semantic = "relaxed", mem_scope = "cluster", volatile, optimization_hints = {}} : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token

// Atomics.

%rmw0, %rmw0t = nv_tileaa.atomic_rmw %tp, %ti {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> tensor<8xi32>, !nv_tileaa.mem_token
%rmw1, %rmw1t = nv_tileaa.atomic_rmw %tp, %ti token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> tensor<8xi32>, !nv_tileaa.mem_token
%rmw2, %rmw2t = nv_tileaa.atomic_rmw %tp, %ti mask(%tm : tensor<8xi1>) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> tensor<8xi32>, !nv_tileaa.mem_token
%rmw3, %rmw3t = nv_tileaa.atomic_rmw %tp, %ti mask(%tm : tensor<8xi1>) token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>>, tensor<8xi32> -> tensor<8xi32>, !nv_tileaa.mem_token
%addu, %addut = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "addu", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%and, %andt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "and", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%or, %ort = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "or", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%xor, %xort = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "xor", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%xchg, %xchgt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "xchg", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%min, %mint = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "min", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%umin, %umint = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "umin", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%max, %maxt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "max", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%umax, %umaxt = nv_tileaa.atomic_rmw %p, %n {rmw_mode = "umax", mem_semantic = "acq_rel", mem_scope = "sys"} : !llvm.ptr<1>, i64 -> i64, !nv_tileaa.mem_token
%h, %b, %d = "test.op"() : () -> (f16, bf16, f64)
%addf = nv_tileaa.atomic_rmw %p, %h {rmw_mode = "addf", mem_semantic = "acquire", mem_scope = "sys"} : !llvm.ptr<1>, f16 -> f16
%maxf = nv_tileaa.atomic_rmw %p, %b {rmw_mode = "max", mem_semantic = "release", mem_scope = "sys"} : !llvm.ptr<1>, bf16 -> bf16
%swap = nv_tileaa.atomic_rmw %p, %d {rmw_mode = "xchg", mem_semantic = "seq_cst", mem_scope = "sys", volatile} : !llvm.ptr<1>, f64 -> f64
// PRINTS: %rmw, %rmwt = nv_tileaa.atomic_rmw %p, %i token(%t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
%rmw, %rmwt = "nv_tileaa.atomic_rmw"(%p, %i, %t) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (!llvm.ptr<1>, i32, !nv_tileaa.mem_token) -> (i32, !nv_tileaa.mem_token)
%cas0, %cas0t = nv_tileaa.atomic_cas %tp, %ti, %ti {mem_semantic = "seq_cst", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
%cas1, %cas1t = nv_tileaa.atomic_cas %tp, %ti, %ti token(%t) {mem_semantic = "seq_cst", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
%cas2, %cas2t = nv_tileaa.atomic_cas %tp, %ti, %ti mask(%tm : tensor<8xi1>) {mem_semantic = "seq_cst", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
%cas3, %cas3t = nv_tileaa.atomic_cas %tp, %ti, %ti mask(%tm : tensor<8xi1>) token(%t) {mem_semantic = "seq_cst", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> tensor<8xi32>, !nv_tileaa.mem_token
// PRINTS: %cas, %cast = nv_tileaa.atomic_cas %p, %i, %i token(%t) {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
%cas, %cast = "nv_tileaa.atomic_cas"(%p, %i, %i, %t) {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (!llvm.ptr<1>, i32, i32, !nv_tileaa.mem_token) -> (i32, !nv_tileaa.mem_token)
%casf = nv_tileaa.atomic_cas %p, %v, %v {mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1> -> f32

// Effects without data, memory without pointers, and what a program says.

%fence0 = nv_tileaa.memory_fence_alias_tko token(%t) -> !nv_tileaa.mem_token
%fence1 = nv_tileaa.memory_fence_alias_tko -> !nv_tileaa.mem_token
nv_tileaa.memory_fence_alias_tko token(%t)
nv_tileaa.memory_fence_alias_tko {my.tag}
%wait = nv_tileaa.gdc_wait_tko token(%t) -> !nv_tileaa.mem_token
// PRINTS: %launch = nv_tileaa.gdc_launch_dependents_tko token(%t) -> !nv_tileaa.mem_token
%launch = "nv_tileaa.gdc_launch_dependents_tko"(%t) : (!nv_tileaa.mem_token) -> !nv_tileaa.mem_token
%alloca0 = nv_tileaa.alloca {num_elem = 32 : i64, alignment = 16 : i64, elem_type = f32} : !llvm.ptr<3>
%alloca1 = nv_tileaa.alloca {num_elem = 1 : i64, alignment = 1 : i64, elem_type = i8, global} : !llvm.ptr<1>
// PRINTS: nv_tileaa.global @g {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, alignment = 128 : i64}
"nv_tileaa.global"() {sym_name = "g", value = dense<[1.0, 2.0]> : tensor<2xf32>, alignment = 128 : i64} : () -> ()
nv_tileaa.global @c {value = dense<7> : tensor<4xi8>, constant, sym_visibility = "private"}
%address = nv_tileaa.get_global @g : !llvm.ptr<1>
%print0 = nv_tileaa.print "%f %i", %tv, %i : tensor<8xf32>, i32 token(%t) -> !nv_tileaa.mem_token
// PRINTS: %print1 = nv_tileaa.print "hello\0A" -> !nv_tileaa.mem_token
%print1 = nv_tileaa.print "hello\n" -> !nv_tileaa.mem_token
nv_tileaa.print "hello"
nv_tileaa.print "%p", %p : !llvm.ptr<1> {my.tag}
nv_tileaa.assert %tm, "all lanes" : tensor<8xi1>
// PRINTS: nv_tileaa.assert %m, "one \22lane\22" : i1
"nv_tileaa.assert"(%m) {message = "one \"lane\""} : (i1) -> ()

// Without a token, what follows is not taken for one.
nv_tileaa.gdc_wait_tko
%after_wait = arith.constant 0 : i32
