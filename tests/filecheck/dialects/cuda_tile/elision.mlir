// RUN: tileiras-opt %s --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --split-input-file | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file --print-local-scope | filecheck %s --check-prefix=GENERIC

// Keywords stand for attributes: parsing them gives the attributes back, printing leaves nothing
// of them in the dictionary. What no keyword stands for stays there.

// REQ: B-17, B-18, B-19, B-20, B-22, B-26, B-28

%p, %v, %t0 = "test.op"() : () -> (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>, !cuda_tile.token)
// CHECK:      %old, %t1 = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %v token=%t0 {my.tag = 7 : i32} : !cuda_tile.tile<ptr<i32>>, [[i32:!cuda_tile.tile<i32>]] -> [[i32]], [[token:!cuda_tile.token]]
// GENERIC:      %old, %t1 = "cuda_tile.atomic_rmw_tko"(%p, %v, %t0) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> {my.tag = 7 : i32} :
%old, %t1 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %v token=%t0 {my.tag = 7 : i32}
    : !cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32> -> !cuda_tile.tile<i32>, !cuda_tile.token
// CHECK-NEXT: }

// -----

// REQ: B-17, B-18, B-19, B-22, B-25, B-28

%p, %v, %m, %t0 = "test.op"() : () -> (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i1>, !cuda_tile.token)
// CHECK:      %old, %t1 = cuda_tile.atomic_cas_tko acq_rel sys %p, %v, %v, %m {my.tag} : !cuda_tile.tile<ptr<i32>>, [[i32]], !cuda_tile.tile<i1> -> [[i32]], [[token]]
// GENERIC:      %old, %t1 = "cuda_tile.atomic_cas_tko"(%p, %v, %v, %m) <{memory_ordering_semantics = 4 : i32, memory_scope = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> {my.tag} :
%old, %t1 = cuda_tile.atomic_cas_tko acq_rel sys %p, %v, %v, %m {my.tag} : !cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i1> -> !cuda_tile.tile<i32>, !cuda_tile.token
// CHECK-NEXT: }

// -----

// Address space and alignment, which no keyword shows, have a clause after the token.

// REQ: B-17, B-18, B-19, B-21, B-22, B-23, B-24, B-28

%view, %x, %i, %t0 = "test.op"() : () -> (!cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>, !cuda_tile.token)
// CHECK:      %a, %t1 = cuda_tile.load_view_tko weak %view[%i] token=%t0 addr_space = 1 align = 16 : [[view:!cuda_tile.partition_view<tile=.8., !cuda_tile.tensor_view<64xf32, strides=.1.>>]] -> !cuda_tile.tile<8xf32>, [[token]]
// GENERIC:      %a, %t1 = "cuda_tile.load_view_tko"(%view, %i, %t0) <{memory_ordering_semantics = 0 : i32, addr_space = 1 : i64, align = 16 : i64, operandSegmentSizes = array<i32: 1, 1, 1>}> :
%a, %t1 = cuda_tile.load_view_tko weak %view[%i] token=%t0 addr_space = 1 align = 16 : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64xf32, strides=[1]>> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
// CHECK-NEXT: %t2 = cuda_tile.store_view_tko relaxed gpu %view[%i], %x addr_space = 3 optimization_hints = <sm_100 = {latency = 5}> {my.tag} : [[view]], !cuda_tile.tile<8xf32> -> [[token]]
%t2 = cuda_tile.store_view_tko relaxed gpu %view[%i], %x addr_space = 3 optimization_hints = <sm_100 = {latency = 5}> {my.tag} : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<8xf32> -> !cuda_tile.token
// CHECK-NEXT: %b, %t3 = cuda_tile.load_view_tko weak %view[%i] align = 32 inbounds = [true] {my.tag} : [[view]] -> !cuda_tile.tile<8xf32>, [[token]]
%b, %t3 = cuda_tile.load_view_tko weak %view[%i] align = 32 inbounds = [true] {my.tag} : !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64xf32, strides=[1]>> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
// CHECK-NEXT: }

// -----

// `make_token` leaves nothing out: it has no attributes of its own.

// REQ: B-27, B-28

// CHECK:      %t = cuda_tile.make_token {memory_scope = 1 : i32, mode = "x", token} : [[token]]
%t = cuda_tile.make_token {memory_scope = 1 : i32, mode = "x", token} : !cuda_tile.token
// CHECK-NEXT: %u = cuda_tile.make_token : [[token]]
%u = cuda_tile.make_token {} : !cuda_tile.token
// CHECK-NEXT: }
