// RUN: TILEIRAS_VERBATIM

// Tokens. Two or more are joined by `join_tokens`, whatever it was called; fewer only by `token.join`.

// REQ: A-26, B-01, B-14, B-27

!token = !cuda_tile.token
%0 = cuda_tile.make_token : !cuda_tile.token
%1 = cuda_tile.make_token : token
%2 = cuda_tile.make_token {my.tag = 7 : i32} : !token
// PRINTS: %3 = cuda_tile.make_token : !token
%3 = "cuda_tile.make_token"() : () -> !token
%4 = cuda_tile.join_tokens %0, %1 : !cuda_tile.token
%5 = cuda_tile.join_tokens %0, %1, %2, %2 {my.tag} : token
// PRINTS: %6 = cuda_tile.join_tokens %0, %1, %2 : !token
%6 = "cuda_tile.join_tokens"(%0, %1, %2) : (!token, !token, !token) -> !token
// PRINTS: %7 = cuda_tile.join_tokens %0, %1, %2 : !token
%7 = cuda_tile.token.join [%0, %1, %2] : !cuda_tile.token
// PRINTS: %8 = cuda_tile.join_tokens %0, %1 {my.tag} : !token
%8 = cuda_tile.token.join [%0, %1] {my.tag} : token
%9 = cuda_tile.token.join [%0] : !token
%10 = cuda_tile.token.join [] {my.tag} : !token
// PRINTS: %11 = cuda_tile.token.join [%0] : !token
%11 = "cuda_tile.token.join"(%0) : (!token) -> !token
// PRINTS: %12 = cuda_tile.token.join [] : !token
%12 = "cuda_tile.token.join"() : () -> !token

// -----

// Fences and grid dependencies.

// REQ: B-05, B-15, B-16, B-56

!token = !cuda_tile.token
%t = cuda_tile.make_token : !token
// PRINTS: %0 = cuda_tile.memory_fence_alias_tko %t -> !token
%0 = cuda_tile.memory_fence_alias_tko %t
%1 = cuda_tile.memory_fence_alias_tko %t {my.tag} -> !cuda_tile.token
// PRINTS: %2 = cuda_tile.memory_fence_alias_tko %t -> !token
%2 = "cuda_tile.memory_fence_alias_tko"(%t) : (!token) -> !token
// PRINTS: %3 = cuda_tile.gdc_wait_tko token=%t -> !token
%3 = cuda_tile.gdc_wait_tko token = %t -> token
%4 = cuda_tile.gdc_wait_tko token=%t {my.tag} -> !cuda_tile.token
%5 = cuda_tile.gdc_wait_tko -> !token
// PRINTS: %6 = cuda_tile.gdc_wait_tko token=%t -> !token
%6 = "cuda_tile.gdc_wait_tko"(%t) : (!token) -> !token
// PRINTS: %7 = cuda_tile.gdc_wait_tko -> !token
%7 = "cuda_tile.gdc_wait_tko"() : () -> !token
// PRINTS: %8 = cuda_tile.gdc_launch_dependents_tko token=%t -> !token
%8 = cuda_tile.gdc_launch_dependents_tko token = %t -> token
%9 = cuda_tile.gdc_launch_dependents_tko -> !token
%10 = cuda_tile.gdc_launch_dependents_tko {my.tag} -> !token
// PRINTS: %11 = cuda_tile.gdc_launch_dependents_tko token=%t -> !token
%11 = "cuda_tile.gdc_launch_dependents_tko"(%t) : (!token) -> !token

// -----

// Memory of the block or, with `global`, of the grid. tf32 and 4-bit floats count whole bytes only.

%0 = cuda_tile.alloca num_elem = 64, alignment = 128 global : !cuda_tile.tile<ptr<f32>>
%1 = cuda_tile.alloca num_elem = 64, alignment = 4 : tile<ptr<f32>>
%2 = cuda_tile.alloca num_elem = 0, alignment = 1 : tile<ptr<i1>>
%3 = cuda_tile.alloca num_elem = 9223372036854775807, alignment = 4611686018427387904 : tile<ptr<i8>>
// PRINTS: %4 = cuda_tile.alloca num_elem = 1, alignment = 2 : tile<ptr<tf32>>
%4 = cuda_tile.alloca num_elem=1,alignment=2 : tile<ptr<tf32>>
%5 = cuda_tile.alloca num_elem = 1, alignment = 1 : tile<ptr<f4E2M1FN>>
%6 = cuda_tile.alloca num_elem = 1, alignment = 8 : tile<ptr<f64>>
%7 = cuda_tile.alloca num_elem = 1, alignment = 1 global {my.tag} : tile<ptr<fnv8E5M3FNU>>
// PRINTS: %8 = cuda_tile.alloca num_elem = 4, alignment = 16 global : tile<ptr<i64>>
%8 = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 16 : i64, global}> : () -> !cuda_tile.tile<ptr<i64>>
// PRINTS: %9 = cuda_tile.alloca num_elem = 4, alignment = 16 : tile<ptr<bf16>>
%9 = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 16 : i64}> : () -> !cuda_tile.tile<ptr<bf16>>

// -----

// `load_ptr_tko`: every ordering and scope.

// REQ: A-11, A-56, B-05, B-13, B-17, B-18, B-22, B-29, B-30, B-34, B-56

!ptr_f32 = !cuda_tile.tile<8xptr<f32>>
!f32 = !cuda_tile.tile<8xf32>
%p, %t = "test.op"() : () -> (!ptr_f32, !cuda_tile.token)
%v0, %t0 = cuda_tile.load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
%v1, %t1 = cuda_tile.load_ptr_tko relaxed tl_blk %p : !ptr_f32 -> !f32, token
%v2, %t2 = cuda_tile.load_ptr_tko relaxed cluster %p : !ptr_f32 -> !f32, token
%v3, %t3 = cuda_tile.load_ptr_tko relaxed gpu %p : !ptr_f32 -> !f32, token
// PRINTS: %v4, %t4 = cuda_tile.load_ptr_tko relaxed gpu %p : !ptr_f32 -> !f32, token
%v4, %t4 = cuda_tile.load_ptr_tko relaxed device %p : !ptr_f32 -> !f32, token
%v5, %t5 = cuda_tile.load_ptr_tko relaxed sys %p : !ptr_f32 -> !f32, token
%v6, %t6 = cuda_tile.load_ptr_tko acquire tl_blk %p : !ptr_f32 -> !f32, token
%v7, %t7 = cuda_tile.load_ptr_tko acquire cluster %p : !ptr_f32 -> !f32, token
%v8, %t8 = cuda_tile.load_ptr_tko acquire gpu %p : !ptr_f32 -> !f32, token
// PRINTS: %v9, %t9 = cuda_tile.load_ptr_tko acquire gpu %p : !ptr_f32 -> !f32, token
%v9, %t9 = cuda_tile.load_ptr_tko acquire device %p : !ptr_f32 -> !f32, token
%v10, %t10 = cuda_tile.load_ptr_tko acquire sys %p : !ptr_f32 -> !f32, token

// -----

// Mask, padding, token, hints and attributes, in every combination that matters.

// REQ: A-56, B-05, B-13, B-15, B-19, B-21, B-22, B-28, B-56

!ptr_f32 = !cuda_tile.tile<8xptr<f32>>
!i1 = !cuda_tile.tile<8xi1>
!f32 = !cuda_tile.tile<8xf32>
%p, %m, %d, %t = "test.op"() : () -> (!ptr_f32, !i1, !f32, !cuda_tile.token)
%v0, %t0 = cuda_tile.load_ptr_tko weak %p, %m : !ptr_f32, !i1 -> !f32, token
%v1, %t1 = cuda_tile.load_ptr_tko weak %p, %m, %d : !ptr_f32, !i1, !f32 -> !f32, token
%v2, %t2 = cuda_tile.load_ptr_tko weak %p token=%t : !ptr_f32 -> !f32, token
// PRINTS: %v3, %t3 = cuda_tile.load_ptr_tko weak %p, %m token=%t : !ptr_f32, !i1 -> !f32, token
%v3, %t3 = cuda_tile.load_ptr_tko weak %p, %m token = %t : !ptr_f32, !i1 -> !f32, token
%v4, %t4 = cuda_tile.load_ptr_tko weak %p, %m, %d token=%t : !cuda_tile.tile<8xptr<f32>>, !cuda_tile.tile<8xi1>, !cuda_tile.tile<8xf32> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
// PRINTS: %v5, %t5 = cuda_tile.load_ptr_tko acquire gpu %p, %m, %d token=%t optimization_hints = <sm_100 = {latency = 5}> {my.tag = 7 : i32} : !ptr_f32, !i1, !f32 -> !f32, token
%v5, %t5 = cuda_tile.load_ptr_tko acquire device %p, %m, %d token=%t optimization_hints = <sm_100 = {latency = 5}> {my.tag = 7 : i32} : !ptr_f32, !i1, !f32 -> !f32, token
%v6, %t6 = cuda_tile.load_ptr_tko weak %p {my.tag} : !ptr_f32 -> !f32, token
%v7, %t7 = cuda_tile.load_ptr_tko weak %p, %d : !ptr_f32, !f32 -> !f32, token
// PRINTS: %v8, %t8 = cuda_tile.load_ptr_tko relaxed sys %p, %m, %d token=%t : !ptr_f32, !i1, !f32 -> !f32, token
%v8, %t8 = "cuda_tile.load_ptr_tko"(%p, %m, %d, %t) <{memory_ordering_semantics = 1 : i32, memory_scope = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!ptr_f32, !i1, !f32, !cuda_tile.token) -> (!f32, !cuda_tile.token)
// PRINTS: %v9, %t9 = cuda_tile.load_ptr_tko weak %p, %d : !ptr_f32, !f32 -> !f32, token
%v9, %t9 = "cuda_tile.load_ptr_tko"(%p, %d) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!ptr_f32, !f32) -> (!f32, !cuda_tile.token)
%q, %b = "test.op"() : () -> (!cuda_tile.tile<8xptr<i1>>, !i1)
%v10, %t10 = cuda_tile.load_ptr_tko weak %q, %m, %b : tile<8xptr<i1>>, !i1, !i1 -> !i1, token
%s = "test.op"() : () -> !cuda_tile.tile<ptr<f8E8M0FNU, <none>>>
%v11, %t11 = cuda_tile.load_ptr_tko weak %s : tile<ptr<f8E8M0FNU, <none>>> -> tile<f8E8M0FNU>, token

// -----

// `store_ptr_tko`: every ordering and scope.

// REQ: A-11, A-58, B-05, B-13, B-17, B-18, B-22, B-29, B-30, B-34, B-56

!ptr_f32 = !cuda_tile.tile<8xptr<f32>>
!f32 = !cuda_tile.tile<8xf32>
%p, %d = "test.op"() : () -> (!ptr_f32, !f32)
%t0 = cuda_tile.store_ptr_tko weak %p, %d : tile<8xptr<f32>>, tile<8xf32> -> token
%t1 = cuda_tile.store_ptr_tko relaxed tl_blk %p, %d : !ptr_f32, !f32 -> token
%t2 = cuda_tile.store_ptr_tko relaxed cluster %p, %d : !ptr_f32, !f32 -> token
%t3 = cuda_tile.store_ptr_tko relaxed gpu %p, %d : !ptr_f32, !f32 -> token
// PRINTS: %t4 = cuda_tile.store_ptr_tko relaxed gpu %p, %d : !ptr_f32, !f32 -> token
%t4 = cuda_tile.store_ptr_tko relaxed device %p, %d : !ptr_f32, !f32 -> token
%t5 = cuda_tile.store_ptr_tko relaxed sys %p, %d : !ptr_f32, !f32 -> token
%t6 = cuda_tile.store_ptr_tko release tl_blk %p, %d : !ptr_f32, !f32 -> token
%t7 = cuda_tile.store_ptr_tko release cluster %p, %d : !ptr_f32, !f32 -> token
%t8 = cuda_tile.store_ptr_tko release gpu %p, %d : !ptr_f32, !f32 -> token
// PRINTS: %t9 = cuda_tile.store_ptr_tko release gpu %p, %d : !ptr_f32, !f32 -> token
%t9 = cuda_tile.store_ptr_tko release device %p, %d : !ptr_f32, !f32 -> token
%t10 = cuda_tile.store_ptr_tko release sys %p, %d : !ptr_f32, !f32 -> token

// -----

// REQ: A-58, B-05, B-13, B-15, B-19, B-21, B-22, B-28, B-56

!ptr_f32 = !cuda_tile.tile<8xptr<f32>>
!i1 = !cuda_tile.tile<8xi1>
!f32 = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
%p, %m, %d, %t = "test.op"() : () -> (!ptr_f32, !i1, !f32, !token)
%t0 = cuda_tile.store_ptr_tko weak %p, %d, %m : !ptr_f32, !f32, !i1 -> !token
// PRINTS: %t1 = cuda_tile.store_ptr_tko weak %p, %d token=%t : !ptr_f32, !f32 -> !token
%t1 = cuda_tile.store_ptr_tko weak %p, %d token = %t : !ptr_f32, !f32 -> !token
%t2 = cuda_tile.store_ptr_tko weak %p, %d, %m token=%t : !ptr_f32, !f32, !i1 -> !token
%t3 = cuda_tile.store_ptr_tko release sys %p, %d, %m token=%t optimization_hints = <sm_100 = {latency = 5}> {my.tag = 7 : i32} : !ptr_f32, !f32, !i1 -> !token
// PRINTS: %t4 = cuda_tile.store_ptr_tko weak %p, %d : !ptr_f32, !f32 -> !token
%t4 = "cuda_tile.store_ptr_tko"(%p, %d) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_f32, !f32) -> !token
// PRINTS: %t5 = cuda_tile.store_ptr_tko release tl_blk %p, %d, %m token=%t : !ptr_f32, !f32, !i1 -> !token
%t5 = "cuda_tile.store_ptr_tko"(%p, %d, %m, %t) <{memory_ordering_semantics = 3 : i32, memory_scope = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!ptr_f32, !f32, !i1, !token) -> !token

// -----

// `atomic_cas_tko`: every ordering and scope.

// REQ: A-11, A-61, B-05, B-10, B-17, B-18, B-22, B-29, B-30, B-34, B-56

!ptr_i32 = !cuda_tile.tile<8xptr<i32>>
!i32 = !cuda_tile.tile<8xi32>
%p, %c, %d = "test.op"() : () -> (!ptr_i32, !i32, !i32)
%v0, %t0 = cuda_tile.atomic_cas_tko relaxed gpu %p, %c, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
%v1, %t1 = cuda_tile.atomic_cas_tko acquire gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v2, %t2 = cuda_tile.atomic_cas_tko release gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v3, %t3 = cuda_tile.atomic_cas_tko acq_rel gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v4, %t4 = cuda_tile.atomic_cas_tko seq_cst gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v5, %t5 = cuda_tile.atomic_cas_tko relaxed tl_blk %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v6, %t6 = cuda_tile.atomic_cas_tko relaxed cluster %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v7, %t7 = cuda_tile.atomic_cas_tko relaxed gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v8, %t8 = cuda_tile.atomic_cas_tko relaxed gpu %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v8, %t8 = cuda_tile.atomic_cas_tko relaxed device %p, %c, %d : !ptr_i32, !i32 -> !i32, token
%v9, %t9 = cuda_tile.atomic_cas_tko relaxed sys %p, %c, %d : !ptr_i32, !i32 -> !i32, token

// -----

// REQ: A-61, B-05, B-10, B-15, B-19, B-22, B-25, B-28, B-56

!ptr_i32 = !cuda_tile.tile<8xptr<i32>>
!i32 = !cuda_tile.tile<8xi32>
!i1 = !cuda_tile.tile<8xi1>
%p, %c, %d, %m, %t = "test.op"() : () -> (!ptr_i32, !i32, !i32, !i1, !cuda_tile.token)
%v0, %t0 = cuda_tile.atomic_cas_tko acq_rel gpu %p, %c, %d, %m token=%t : !ptr_i32, !i32, !i1 -> !i32, !cuda_tile.token
// PRINTS: %v1, %t1 = cuda_tile.atomic_cas_tko relaxed gpu %p, %c, %d, %m : !ptr_i32, !i32, !i1 -> !i32, token
%v1, %t1 = cuda_tile.atomic_cas_tko relaxed device %p, %c, %d, %m : !ptr_i32, !i32, !i1 -> !i32, token
// PRINTS: %v2, %t2 = cuda_tile.atomic_cas_tko relaxed gpu %p, %c, %d token=%t {my.tag = 7 : i32} : !ptr_i32, !i32 -> !i32, token
%v2, %t2 = cuda_tile.atomic_cas_tko relaxed device %p, %c, %d token = %t {my.tag = 7 : i32} : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v3, %t3 = cuda_tile.atomic_cas_tko acq_rel gpu %p, %c, %d, %m token=%t : !ptr_i32, !i32, !i1 -> !i32, token
%v3, %t3 = "cuda_tile.atomic_cas_tko"(%p, %c, %d, %m, %t) <{memory_ordering_semantics = 4 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!ptr_i32, !i32, !i32, !i1, !cuda_tile.token) -> (!i32, !cuda_tile.token)
%pi, %i, %pf, %f, %pd, %e = "test.op"() : () -> (!cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>, !cuda_tile.tile<ptr<f64>>, !cuda_tile.tile<f64>)
// PRINTS: %v4, %t4 = cuda_tile.atomic_cas_tko relaxed gpu %pi, %i, %i : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
%v4, %t4 = cuda_tile.atomic_cas_tko relaxed device %pi, %i, %i : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
// PRINTS: %v5, %t5 = cuda_tile.atomic_cas_tko relaxed gpu %pf, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
%v5, %t5 = cuda_tile.atomic_cas_tko relaxed device %pf, %f, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
// PRINTS: %v6, %t6 = cuda_tile.atomic_cas_tko relaxed gpu %pd, %e, %e : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
%v6, %t6 = cuda_tile.atomic_cas_tko relaxed device %pd, %e, %e : tile<ptr<f64>>, tile<f64> -> tile<f64>, token

// -----

// `atomic_rmw_tko`: every ordering and scope, the mode after the scope or after the pointers.

// REQ: A-11, A-60, B-05, B-11, B-17, B-18, B-20, B-22, B-29, B-30, B-34, B-56

!i32 = !cuda_tile.tile<8xi32>
!t8xptr_i32 = !cuda_tile.tile<8xptr<i32>>
%p, %d = "test.op"() : () -> (!t8xptr_i32, !i32)
%v0, %t0 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
%v1, %t1 = cuda_tile.atomic_rmw_tko acquire gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v2, %t2 = cuda_tile.atomic_rmw_tko release gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v3, %t3 = cuda_tile.atomic_rmw_tko acq_rel gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v4, %t4 = cuda_tile.atomic_rmw_tko seq_cst gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
// PRINTS: %v5, %t5 = cuda_tile.atomic_rmw_tko relaxed tl_blk add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v5, %t5 = cuda_tile.atomic_rmw_tko relaxed tl_blk %p, add, %d : !t8xptr_i32, !i32 -> !i32, token
// PRINTS: %v6, %t6 = cuda_tile.atomic_rmw_tko relaxed cluster add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v6, %t6 = cuda_tile.atomic_rmw_tko relaxed cluster %p, add, %d : !t8xptr_i32, !i32 -> !i32, token
// PRINTS: %v7, %t7 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v7, %t7 = cuda_tile.atomic_rmw_tko relaxed gpu %p, add, %d : !t8xptr_i32, !i32 -> !i32, token
// PRINTS: %v8, %t8 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v8, %t8 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %d : !t8xptr_i32, !i32 -> !i32, token
// PRINTS: %v9, %t9 = cuda_tile.atomic_rmw_tko relaxed sys add %p, %d : !t8xptr_i32, !i32 -> !i32, token
%v9, %t9 = cuda_tile.atomic_rmw_tko relaxed sys %p, add, %d : !t8xptr_i32, !i32 -> !i32, token

// -----

// Every mode with every type it takes.

// REQ: A-60, B-11, B-20, B-31

!ptr_i32 = !cuda_tile.tile<ptr<i32>>
!i32 = !cuda_tile.tile<i32>
!ptr_i64 = !cuda_tile.tile<ptr<i64>>
!i64 = !cuda_tile.tile<i64>
!f32 = !cuda_tile.tile<f32>
!f64 = !cuda_tile.tile<f64>
%pi, %i, %pl, %l = "test.op"() : () -> (!ptr_i32, !i32, !ptr_i64, !i64)
%ph, %h, %pb, %b = "test.op"() : () -> (!cuda_tile.tile<ptr<f16>>, !cuda_tile.tile<f16>, !cuda_tile.tile<ptr<bf16>>, !cuda_tile.tile<bf16>)
%pf, %f, %pd, %d = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !f32, !cuda_tile.tile<ptr<f64>>, !f64)
// PRINTS: %v0, %t0 = cuda_tile.atomic_rmw_tko relaxed gpu and %pi, %i : !ptr_i32, !i32 -> !i32, token
%v0, %t0 = cuda_tile.atomic_rmw_tko relaxed device %pi, and, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v1, %t1 = cuda_tile.atomic_rmw_tko relaxed gpu and %pl, %l : !ptr_i64, !i64 -> !i64, token
%v1, %t1 = cuda_tile.atomic_rmw_tko relaxed device and %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v2, %t2 = cuda_tile.atomic_rmw_tko relaxed gpu or %pi, %i : !ptr_i32, !i32 -> !i32, token
%v2, %t2 = cuda_tile.atomic_rmw_tko relaxed device %pi, or, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v3, %t3 = cuda_tile.atomic_rmw_tko relaxed gpu or %pl, %l : !ptr_i64, !i64 -> !i64, token
%v3, %t3 = cuda_tile.atomic_rmw_tko relaxed device or %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v4, %t4 = cuda_tile.atomic_rmw_tko relaxed gpu xor %pi, %i : !ptr_i32, !i32 -> !i32, token
%v4, %t4 = cuda_tile.atomic_rmw_tko relaxed device %pi, xor, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v5, %t5 = cuda_tile.atomic_rmw_tko relaxed gpu xor %pl, %l : !ptr_i64, !i64 -> !i64, token
%v5, %t5 = cuda_tile.atomic_rmw_tko relaxed device xor %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v6, %t6 = cuda_tile.atomic_rmw_tko relaxed gpu add %pi, %i : !ptr_i32, !i32 -> !i32, token
%v6, %t6 = cuda_tile.atomic_rmw_tko relaxed device %pi, add, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v7, %t7 = cuda_tile.atomic_rmw_tko relaxed gpu add %pl, %l : !ptr_i64, !i64 -> !i64, token
%v7, %t7 = cuda_tile.atomic_rmw_tko relaxed device add %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v8, %t8 = cuda_tile.atomic_rmw_tko relaxed gpu addu %pi, %i : !ptr_i32, !i32 -> !i32, token
%v8, %t8 = cuda_tile.atomic_rmw_tko relaxed device %pi, addu, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v9, %t9 = cuda_tile.atomic_rmw_tko relaxed gpu addu %pl, %l : !ptr_i64, !i64 -> !i64, token
%v9, %t9 = cuda_tile.atomic_rmw_tko relaxed device addu %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v10, %t10 = cuda_tile.atomic_rmw_tko relaxed gpu max %pi, %i : !ptr_i32, !i32 -> !i32, token
%v10, %t10 = cuda_tile.atomic_rmw_tko relaxed device %pi, max, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v11, %t11 = cuda_tile.atomic_rmw_tko relaxed gpu max %pl, %l : !ptr_i64, !i64 -> !i64, token
%v11, %t11 = cuda_tile.atomic_rmw_tko relaxed device max %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v12, %t12 = cuda_tile.atomic_rmw_tko relaxed gpu min %pi, %i : !ptr_i32, !i32 -> !i32, token
%v12, %t12 = cuda_tile.atomic_rmw_tko relaxed device %pi, min, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v13, %t13 = cuda_tile.atomic_rmw_tko relaxed gpu min %pl, %l : !ptr_i64, !i64 -> !i64, token
%v13, %t13 = cuda_tile.atomic_rmw_tko relaxed device min %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v14, %t14 = cuda_tile.atomic_rmw_tko relaxed gpu umax %pi, %i : !ptr_i32, !i32 -> !i32, token
%v14, %t14 = cuda_tile.atomic_rmw_tko relaxed device %pi, umax, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v15, %t15 = cuda_tile.atomic_rmw_tko relaxed gpu umax %pl, %l : !ptr_i64, !i64 -> !i64, token
%v15, %t15 = cuda_tile.atomic_rmw_tko relaxed device umax %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v16, %t16 = cuda_tile.atomic_rmw_tko relaxed gpu umin %pi, %i : !ptr_i32, !i32 -> !i32, token
%v16, %t16 = cuda_tile.atomic_rmw_tko relaxed device %pi, umin, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v17, %t17 = cuda_tile.atomic_rmw_tko relaxed gpu umin %pl, %l : !ptr_i64, !i64 -> !i64, token
%v17, %t17 = cuda_tile.atomic_rmw_tko relaxed device umin %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v18, %t18 = cuda_tile.atomic_rmw_tko relaxed gpu addf %ph, %h : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
%v18, %t18 = cuda_tile.atomic_rmw_tko relaxed device %ph, addf, %h : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
// PRINTS: %v19, %t19 = cuda_tile.atomic_rmw_tko relaxed gpu addf %pb, %b : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
%v19, %t19 = cuda_tile.atomic_rmw_tko relaxed device addf %pb, %b : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
// PRINTS: %v20, %t20 = cuda_tile.atomic_rmw_tko relaxed gpu addf %pf, %f : tile<ptr<f32>>, !f32 -> !f32, token
%v20, %t20 = cuda_tile.atomic_rmw_tko relaxed device %pf, addf, %f : tile<ptr<f32>>, !f32 -> !f32, token
// PRINTS: %v21, %t21 = cuda_tile.atomic_rmw_tko relaxed gpu addf %pd, %d : tile<ptr<f64>>, !f64 -> !f64, token
%v21, %t21 = cuda_tile.atomic_rmw_tko relaxed device addf %pd, %d : tile<ptr<f64>>, !f64 -> !f64, token
// PRINTS: %v22, %t22 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %pi, %i : !ptr_i32, !i32 -> !i32, token
%v22, %t22 = cuda_tile.atomic_rmw_tko relaxed device %pi, xchg, %i : !ptr_i32, !i32 -> !i32, token
// PRINTS: %v23, %t23 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %pl, %l : !ptr_i64, !i64 -> !i64, token
%v23, %t23 = cuda_tile.atomic_rmw_tko relaxed device xchg %pl, %l : !ptr_i64, !i64 -> !i64, token
// PRINTS: %v24, %t24 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %pf, %f : tile<ptr<f32>>, !f32 -> !f32, token
%v24, %t24 = cuda_tile.atomic_rmw_tko relaxed device %pf, xchg, %f : tile<ptr<f32>>, !f32 -> !f32, token
// PRINTS: %v25, %t25 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %pd, %d : tile<ptr<f64>>, !f64 -> !f64, token
%v25, %t25 = cuda_tile.atomic_rmw_tko relaxed device xchg %pd, %d : tile<ptr<f64>>, !f64 -> !f64, token

// -----

// REQ: A-60, B-05, B-11, B-15, B-19, B-20, B-22, B-26, B-28, B-56

!ptr_i32 = !cuda_tile.tile<8xptr<i32>>
!i32 = !cuda_tile.tile<8xi32>
!i1 = !cuda_tile.tile<8xi1>
!token = !cuda_tile.token
%p, %d, %m, %t = "test.op"() : () -> (!ptr_i32, !i32, !i1, !token)
%v0, %t0 = cuda_tile.atomic_rmw_tko acquire gpu add %p, %d, %m token=%t : !ptr_i32, !i32, !i1 -> !i32, !token
// PRINTS: %v1, %t1 = cuda_tile.atomic_rmw_tko relaxed gpu xor %p, %d, %m token=%t : !ptr_i32, !i32, !i1 -> !i32, !token
%v1, %t1 = cuda_tile.atomic_rmw_tko relaxed device %p, xor, %d, %m token = %t : !ptr_i32, !i32, !i1 -> !i32, !token
// PRINTS: %v2, %t2 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d token=%t {my.tag = 7 : i32} : !ptr_i32, !i32 -> !i32, !token
%v2, %t2 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %d token=%t {my.tag = 7 : i32} : !ptr_i32, !i32 -> !i32, !token
// PRINTS: %v3, %t3 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d {my.tag} : !ptr_i32, !i32 -> !i32, !token
%v3, %t3 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %d {my.tag} : !ptr_i32, !i32 -> !i32, !token
// PRINTS: %v4, %t4 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %d token=%t : !ptr_i32, !i32 -> !i32, !token
%v4, %t4 = "cuda_tile.atomic_rmw_tko"(%p, %d, %t) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!ptr_i32, !i32, !token) -> (!i32, !token)

// -----

// The integers behind the keywords, as in bytecode.

!ptr_i32 = !cuda_tile.tile<ptr<i32>>
!i32 = !cuda_tile.tile<i32>
!token = !cuda_tile.token
!f32 = !cuda_tile.tile<f32>
%p, %d = "test.op"() : () -> (!ptr_i32, !i32)
// PRINTS: %v0, %t0 = cuda_tile.atomic_rmw_tko relaxed tl_blk and %p, %d : !ptr_i32, !i32 -> !i32, !token
%v0, %t0 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 0 : i32, mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v1, %t1 = cuda_tile.atomic_rmw_tko acquire gpu or %p, %d : !ptr_i32, !i32 -> !i32, !token
%v1, %t1 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v2, %t2 = cuda_tile.atomic_rmw_tko release sys xor %p, %d : !ptr_i32, !i32 -> !i32, !token
%v2, %t2 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 3 : i32, memory_scope = 2 : i32, mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v3, %t3 = cuda_tile.atomic_rmw_tko acq_rel gpu add %p, %d : !ptr_i32, !i32 -> !i32, !token
%v3, %t3 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 4 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v4, %t4 = cuda_tile.atomic_rmw_tko seq_cst cluster max %p, %d : !ptr_i32, !i32 -> !i32, !token
%v4, %t4 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 5 : i32, memory_scope = 3 : i32, mode = 5 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v5, %t5 = cuda_tile.atomic_rmw_tko relaxed gpu min %p, %d : !ptr_i32, !i32 -> !i32, !token
%v5, %t5 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 6 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v6, %t6 = cuda_tile.atomic_rmw_tko relaxed gpu umax %p, %d : !ptr_i32, !i32 -> !i32, !token
%v6, %t6 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 7 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v7, %t7 = cuda_tile.atomic_rmw_tko relaxed gpu umin %p, %d : !ptr_i32, !i32 -> !i32, !token
%v7, %t7 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 8 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v8, %t8 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %p, %d : !ptr_i32, !i32 -> !i32, !token
%v8, %t8 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 9 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
// PRINTS: %v9, %t9 = cuda_tile.atomic_rmw_tko relaxed gpu addu %p, %d : !ptr_i32, !i32 -> !i32, !token
%v9, %t9 = "cuda_tile.atomic_rmw_tko"(%p, %d) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 10 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i32, !i32) -> (!i32, !token)
%q, %e = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !f32)
// PRINTS: %x, %y = cuda_tile.atomic_rmw_tko relaxed gpu addf %q, %e : tile<ptr<f32>>, !f32 -> !f32, !token
%x, %y = "cuda_tile.atomic_rmw_tko"(%q, %e) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>, !f32) -> (!f32, !token)

// -----

// `print_tko` and `print`. The search goes on right after a `%`, so that of `%5` is found again.

// REQ: A-17, A-18

!i32 = !cuda_tile.tile<i32>
!f32 = !cuda_tile.tile<4xf32>
%i, %f, %t = "test.op"() : () -> (!i32, !f32, !cuda_tile.token)
%0 = cuda_tile.print_tko "i=%d f=%f\0A", %i, %f token=%t : tile<i32>, tile<4xf32> -> token
// PRINTS: %1 = cuda_tile.print_tko "i=%d f=%f\0A", %i, %f : !i32, !f32 -> token
%1 = cuda_tile.print_tko "i=%d f=%f\n", %i, %f : !i32, !f32 -> token
%2 = cuda_tile.print_tko "nothing" -> token
// PRINTS: %3 = cuda_tile.print_tko "nothing" token=%t -> token
%3 = cuda_tile.print_tko "nothing" token = %t -> token
%4 = cuda_tile.print_tko "100%%" {my.tag = 7 : i32} -> !cuda_tile.token
%5 = cuda_tile.print_tko "%+08.3lf%% %5i %p", %f, %i, %i token=%t {my.tag} : !f32, !i32, !i32 -> token
// PRINTS: %6 = cuda_tile.print_tko "%d", %i token=%t : !i32 -> token
%6 = "cuda_tile.print_tko"(%i, %t) <{operandSegmentSizes = array<i32: 1, 1>, str = "%d"}> : (!i32, !cuda_tile.token) -> !cuda_tile.token
cuda_tile.print_tko "no result" token=%t
// PRINTS: cuda_tile.print "i=%d f=%f\0A", %i, %f : !i32, !f32
cuda_tile.print "i=%d f=%f\n", %i, %f : tile<i32>, tile<4xf32>
cuda_tile.print "nothing"
cuda_tile.print "nothing" {my.tag}
// PRINTS: cuda_tile.print "%d", %i : !i32
"cuda_tile.print"(%i) <{str = "%d"}> : (!i32) -> ()
%7 = cuda_tile.print_tko "%d %u %o %x %X %c", %i, %i, %i, %i, %i, %i : !i32, !i32, !i32, !i32, !i32, !i32 -> token
%8 = cuda_tile.print_tko "%e %E %F %g %G %a %A", %f, %f, %f, %f, %f, %f, %f : !f32, !f32, !f32, !f32, !f32, !f32, !f32 -> token
// PRINTS: %9 = cuda_tile.print_tko "%5%d", %i, %i : !i32, !i32 -> token
%10 = cuda_tile.print_tko "%5%d", %i, %i : !i32, !i32 -> token
// PRINTS: %10 = cuda_tile.print_tko "%s %S %n", %i, %i, %i : !i32, !i32, !i32 -> token
%9 = cuda_tile.print_tko "%s %S %n", %i, %i, %i : !i32, !i32, !i32 -> token

// -----

// The lines of the public disassembler, without prefixes.

// REQ: B-02, B-03

!ptr_f32 = !cuda_tile.tile<ptr<f32>>
!f32 = !cuda_tile.tile<f32>

cuda_tile.module @m {
  testing$func @f(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<i32>, %arg4: tile<i1>, %arg5: tile<ptr<f32>>) {
    // PRINTS: ^body:
    // PRINTS: %0 = make_token : token
    %0 = make_token : token
    // PRINTS: %1 = gdc_wait_tko token=%0 -> token
    %1 = gdc_wait_tko token = %0 -> token
    %2 = join_tokens %0, %1 : token
    // PRINTS: %3 = memory_fence_alias_tko %0 -> token
    %3 = memory_fence_alias_tko %0
    %4 = gdc_launch_dependents_tko -> token
    %5 = alloca num_elem = 64, alignment = 128 global : !ptr_f32
    %result, %result_token = load_ptr_tko weak %arg5 : !ptr_f32 -> !f32, token
    // PRINTS: %result_1, %result_token_1 = load_ptr_tko acquire gpu %arg5, %arg4, %arg0 token=%0 optimization_hints = <sm_100 = {latency = 5}> : !ptr_f32, tile<i1>, !f32 -> !f32, token
    %result_0, %result_token_1 = load_ptr_tko acquire device %arg5, %arg4, %arg0 token=%0 optimization_hints = <sm_100 = {latency = 5}> : !ptr_f32, tile<i1>, !f32 -> !f32, token
    %6 = store_ptr_tko weak %arg5, %arg0 : !ptr_f32, !f32 -> token
    %7 = store_ptr_tko release sys %arg5, %arg0, %arg4 token=%1 : !ptr_f32, !f32, tile<i1> -> token
    // PRINTS: %result_2, %result_token_2 = atomic_cas_tko acq_rel gpu %arg5, %arg0, %arg1, %arg4 token=%0 : !ptr_f32, !f32, tile<i1> -> !f32, token
    %result_2, %result_token_3 = atomic_cas_tko acq_rel device %arg5, %arg0, %arg1, %arg4 token=%0 : !ptr_f32, !f32, tile<i1> -> !f32, token
    // PRINTS: %result_3, %result_token_3 = atomic_rmw_tko relaxed gpu addf %arg5, %arg0, %arg4 token=%0 : !ptr_f32, !f32, tile<i1> -> !f32, token
    %result_4, %result_token_5 = atomic_rmw_tko relaxed device %arg5, addf, %arg0, %arg4 token=%0 : !ptr_f32, !f32, tile<i1> -> !f32, token
    %8 = print_tko "i=%d f=%f\0A", %arg2, %arg0 token=%0 : tile<i32>, !f32 -> token
    // PRINTS: %9 = cuda_tile.token.join [%8] : token
    %9 = token.join [%8] : token
    print "%d", %arg2 : tile<i32>
    return
  }
}
