// RUN: tileiras-opt %s --split-input-file --print-local-scope | %verbatim %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --split-input-file | %verbatim %s | filecheck %s --match-full-lines

// The examples of the printer's document, types filled in where it has `...` or `ptr`.

// REQ: B-01, B-02, B-05, B-09, B-14

%view = "test.op"() : () -> !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>>
%i, %j = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%tok0 = cuda_tile.make_token : !cuda_tile.token
%v, %tok1 = cuda_tile.load_view_tko acquire gpu %view[%i, %j] token=%tok0 : !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>> -> !cuda_tile.tile<64x64xf32>, !cuda_tile.token
%t = cuda_tile.join_tokens %tok0, %tok1 : !cuda_tile.token

// -----

// REQ: B-10, B-11

!ptr_i32 = !cuda_tile.tile<8xptr<i32>>
!i32 = !cuda_tile.tile<8xi32>
%ptrs, %cmp, %val, %mask = "test.op"() : () -> (!ptr_i32, !i32, !i32, !cuda_tile.tile<8xi1>)
%tok0 = cuda_tile.make_token : !cuda_tile.token
%old, %tok1 = cuda_tile.atomic_cas_tko acq_rel gpu %ptrs, %cmp, %val, %mask token=%tok0 : !cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi1> -> !cuda_tile.tile<8xi32>, !cuda_tile.token
%older, %tok2 = cuda_tile.atomic_rmw_tko acquire gpu add %ptrs, %val, %mask token=%tok1 : !cuda_tile.tile<8xptr<i32>>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi1> -> !cuda_tile.tile<8xi32>, !cuda_tile.token
// Without mask and token; the mode in either place.
%a, %tok3 = cuda_tile.atomic_cas_tko relaxed sys %ptrs, %cmp, %val : !ptr_i32, !i32 -> !i32, !cuda_tile.token
// PRINTS: %b, %tok4 = cuda_tile.atomic_rmw_tko relaxed sys xchg %ptrs, %val : !ptr_i32, !i32 -> !i32, token
%b, %tok4 = cuda_tile.atomic_rmw_tko relaxed sys %ptrs, xchg, %val : !ptr_i32, !i32 -> !i32, !cuda_tile.token

// -----

// REQ: B-12

!view = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>>
!f32 = !cuda_tile.tile<64x64xf32>
%view, %value = "test.op"() : () -> (!view, !f32)
%i, %j, %mask = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<64x64xi1>)
%tok0 = cuda_tile.make_token : !cuda_tile.token
%tok1 = cuda_tile.store_view_tko release gpu %view[%i, %j], %value, %mask token=%tok0 : !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>>, !cuda_tile.tile<64x64xf32>, !cuda_tile.tile<64x64xi1> -> !cuda_tile.token
%tok2 = cuda_tile.store_view_tko release gpu %view[%i, %j], %value token=%tok1 : !view, !f32 -> !cuda_tile.token
// The public order of operands and types.
// PRINTS: %tok3 = cuda_tile.store_view_tko release gpu %view[%i, %j], %value token=%tok2 : !view, !f32 -> token
%tok3 = cuda_tile.store_view_tko release device %value, %view[%i, %j] token = %tok2 : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token

// -----

// REQ: B-13

!i1 = !cuda_tile.tile<8xi1>
!f32 = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
!ptr_i1 = !cuda_tile.tile<8xptr<i1>>
%ptrs, %mask, %other, %t0 = "test.op"() : () -> (!cuda_tile.tile<8xptr<f32>>, !i1, !f32, !token)
%v, %t1 = cuda_tile.load_ptr_tko weak %ptrs, %mask, %other token=%t0 : !cuda_tile.tile<8xptr<f32>>, !cuda_tile.tile<8xi1>, !cuda_tile.tile<8xf32> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
%t2 = cuda_tile.store_ptr_tko weak %ptrs, %v, %mask token=%t1 : !cuda_tile.tile<8xptr<f32>>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<8xi1> -> !cuda_tile.token
// A padding without a mask, which may even look like one.
%w, %t3 = cuda_tile.load_ptr_tko acquire sys %ptrs, %other : !cuda_tile.tile<8xptr<f32>>, !f32 -> !f32, !token
%bits = "test.op"() : () -> !ptr_i1
// PRINTS: %b, %t4 = cuda_tile.load_ptr_tko weak %bits padding=%mask token=%t0 : !ptr_i1, !i1 -> !i1, !token
%b, %t4 = "cuda_tile.load_ptr_tko"(%bits, %mask, %t0) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (!ptr_i1, !i1, !token) -> (!i1, !token)
// PRINTS: %c, %t5 = cuda_tile.load_ptr_tko weak %bits, %mask : !ptr_i1, !i1 -> !i1, !token
%c, %t5 = "cuda_tile.load_ptr_tko"(%bits, %mask) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ptr_i1, !i1) -> (!i1, !token)

// -----

// Any spacing parses.

// REQ: B-15

%ptrs, %t = "test.op"() : () -> (!cuda_tile.tile<8xptr<f32>>, !cuda_tile.token)
// CHECK:      %a, %t1 = cuda_tile.load_ptr_tko weak %ptrs token=%t : !cuda_tile.tile<8xptr<f32>> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
%a, %t1 = cuda_tile.load_ptr_tko weak %ptrs token = %t : !cuda_tile.tile<8xptr<f32>> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
// CHECK-NEXT: %b, %t2 = cuda_tile.load_ptr_tko weak %ptrs token=%t : !cuda_tile.tile<8xptr<f32>> -> !cuda_tile.tile<8xf32>, !cuda_tile.token
%b,%t2=cuda_tile.load_ptr_tko weak%ptrs token
  =
  %t:!cuda_tile.tile<8xptr<f32>>->!cuda_tile.tile<8xf32>,!cuda_tile.token
// CHECK-NEXT: %t3 = cuda_tile.gdc_wait_tko token=%t -> !cuda_tile.token
%t3 = cuda_tile.gdc_wait_tko token =%t -> !cuda_tile.token
// CHECK-NEXT: %t4 = cuda_tile.print_tko "x" token=%t -> !cuda_tile.token
%t4 = cuda_tile.print_tko "x" token= %t -> !cuda_tile.token
// CHECK-NEXT: }

// -----

// Prefixes may be left out inside the dialect's regions, of ops and of types at any depth.

// REQ: B-03

!view = !cuda_tile.partition_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>>
// PRINTS: cuda_tile.module @prefixed {
// PRINTS: cuda_tile.entry @k() {
// PRINTS: ^body:
// PRINTS: %cst_1 = cuda_tile.constant <i32: 1> : tile<i32>
// PRINTS: cuda_tile.return
// PRINTS: }
// PRINTS: }
// PRINTS: cuda_tile.module @bare {
// PRINTS: cuda_tile.entry @k() {
// PRINTS: ^body:
// PRINTS: %cst_1 = cuda_tile.constant <i32: 1> : tile<i32>
cuda_tile.module @prefixed { cuda_tile.entry @k() { %0 = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32> cuda_tile.return } }
// PRINTS: return
// PRINTS: }
// PRINTS: }
cuda_tile.module @bare { entry @k() { %0 = constant <i32: 1> : tile<i32> return } }
cuda_tile.module @mixed {
  // PRINTS: entry @k(%p: tile<ptr<f32>>) {
  cuda_tile.entry @k(%p: tile<!cuda_tile.ptr<f32>>) {
    // PRINTS: ^body:
    // PRINTS: %view = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %0 = make_tensor_view %p, shape = [8], strides = [1] : !cuda_tile.tensor_view<8xf32, strides=[1]>
    // PRINTS: %view_1 = make_partition_view %view : !view
    %1 = cuda_tile.make_partition_view %0 : partition_view<tile=(4), !cuda_tile.tensor_view<8xf32, strides=[1]>>
    // PRINTS: %view_2 = make_partition_view %view : !view
    %2 = make_partition_view %0 : !cuda_tile.partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
    return
  }
}

// -----

// What the syntax shows is not in the dictionary, what it does not show is.

// REQ: B-04, B-28

!f32 = !cuda_tile.tile<f32>
%x, %c = "test.op"() : () -> (!f32, !cuda_tile.tile<i1>)
// PRINTS: %0 = cuda_tile.addf %x, %x rounding<zero> flush_to_zero {my.tag = 7 : i32} : !f32
%0 = "cuda_tile.addf"(%x, %x) <{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> {my.tag = 7 : i32} : (!f32, !f32) -> !f32
// PRINTS: cuda_tile.assert %c, "no" {my.tag = 7 : i32} : tile<i1>
"cuda_tile.assert"(%c) <{message = "no"}> {my.tag = 7 : i32} : (!cuda_tile.tile<i1>) -> ()
cuda_tile.module @m attributes {my.tag = 7 : i32} {
  global private constant @g alignment = 16 {my.tag = 7 : i32} <i8: 1> : tile<4xi8>
  entry @k() {
    // PRINTS: ^body:
    // PRINTS: %r = get_global @g {my.tag = 7 : i32} : tile<ptr<i8>>
    %r = get_global @g {my.tag = 7 : i32} : tile<ptr<i8>>
    return {my.tag = 7 : i32}
  } {my.tag = 7 : i32}
}
