// RUN: tileiras-opt %s --split-input-file | %verbatim %s
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file | %verbatim %s
// RUN: xdsl-opt %s --split-input-file | %verbatim %s

// An alias, or a string, is printed as the keyword it stands for.

// REQ: B-29, B-30, B-34

%p, %q, %x = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>)
// PRINTS: %v, %t = cuda_tile.load_ptr_tko acquire gpu %p : tile<ptr<f32>> -> tile<f32>, token
%v, %t = cuda_tile.load_ptr_tko acquire device %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<f32>, !cuda_tile.token
// PRINTS: %v_1, %t_1 = cuda_tile.load_ptr_tko relaxed gpu %p : tile<ptr<f32>> -> tile<f32>, token
%v_1, %t_1 = cuda_tile.load_ptr_tko "relaxed" "device" %p : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<f32>, !cuda_tile.token
%t_2 = cuda_tile.store_ptr_tko release tl_blk %p, %v : !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32> -> !cuda_tile.token
%t_3 = cuda_tile.store_ptr_tko weak %p, %v : !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32> -> !cuda_tile.token
%v_2, %t_4 = cuda_tile.atomic_cas_tko acq_rel sys %q, %x, %x : !cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32> -> !cuda_tile.tile<i32>, !cuda_tile.token
%v_3, %t_5 = cuda_tile.atomic_cas_tko seq_cst cluster %q, %x, %x : !cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32> -> !cuda_tile.tile<i32>, !cuda_tile.token

// -----

// REQ: B-31, B-34

%p, %x, %q, %y = "test.op"() : () -> (!cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f16>>, !cuda_tile.tile<f16>)
%a, %t = cuda_tile.atomic_rmw_tko relaxed gpu add %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%b, %t_1 = cuda_tile.atomic_rmw_tko relaxed gpu addf %q, %y : !cuda_tile.tile<ptr<f16>>, !cuda_tile.tile<f16> -> !cuda_tile.tile<f16>, !cuda_tile.token
// PRINTS: %c, %t_2 = cuda_tile.atomic_rmw_tko relaxed gpu addu %p, %x : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
%c, %t_2 = cuda_tile.atomic_rmw_tko relaxed device %p, addu, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%d, %t_3 = cuda_tile.atomic_rmw_tko relaxed gpu and %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%e, %t_4 = cuda_tile.atomic_rmw_tko relaxed gpu or %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%f, %t_5 = cuda_tile.atomic_rmw_tko relaxed gpu xor %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%g, %t_6 = cuda_tile.atomic_rmw_tko relaxed gpu xchg %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%h, %t_7 = cuda_tile.atomic_rmw_tko relaxed gpu min %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%i, %t_8 = cuda_tile.atomic_rmw_tko relaxed gpu umin %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%j, %t_9 = cuda_tile.atomic_rmw_tko relaxed gpu max %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token
%k, %t_10 = cuda_tile.atomic_rmw_tko relaxed gpu umax %p, %x : !cuda_tile.tile<ptr<i64>>, !cuda_tile.tile<i64> -> !cuda_tile.tile<i64>, !cuda_tile.token

// -----

// REQ: B-32, B-33

%x, %i = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = cuda_tile.maxi %i, %i signed : !cuda_tile.tile<i32>
%1 = cuda_tile.maxi %i, %i unsigned : !cuda_tile.tile<i32>
// The rounding that the text form means anyway is not repeated.
// PRINTS: %2 = cuda_tile.divf %x, %x : tile<f32>
%2 = cuda_tile.divf %x, %x rounding<nearest_even> : !cuda_tile.tile<f32>
%3 = cuda_tile.divf %x, %x rounding<zero> : !cuda_tile.tile<f32>
%4 = cuda_tile.divf %x, %x rounding<negative_inf> : !cuda_tile.tile<f32>
%5 = cuda_tile.divf %x, %x rounding<positive_inf> : !cuda_tile.tile<f32>
%6 = cuda_tile.divf %x, %x rounding<approx> : !cuda_tile.tile<f32>
%7 = cuda_tile.divf %x, %x rounding<full> : !cuda_tile.tile<f32>
