// RUN: tileiras-opt %s -t cuda-tile-public | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t cuda-tile-public | tileiras-opt | tileiras-opt -t cuda-tile-public | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t cuda-tile-public | tileiras-opt --print-op-generic | tileiras-opt -t cuda-tile-public | filecheck %s --match-full-lines
// RUN: xdsl-opt %s -t cuda-tile-public | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t cuda-tile-public | filecheck %s --check-prefix=BARE --match-full-lines
// RUN: tileiras-opt %s -t 'cuda-tile-public{module=true}' | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t 'cuda-tile-public{module=true}' | tileiras-opt -t 'cuda-tile-public{module=true}' | filecheck %s --check-prefix=WRAPPER --match-full-lines

// What the 13.4 disassembler writes: no prefixes, no labels, no implicit terminators; `device`, the
// mode after the pointers, the value before the view, all index types, `token = ` on views, `fpowf`.

// REQ: P-12, B-02

// BARE:      // Producer: demo 1.0
// BARE-NEXT: global @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
// BARE-NOT:  cuda_tile.module
// WRAPPER:      cuda_tile.module @kernels attributes {producer = "demo 1.0"} {
// WRAPPER-NEXT:   global @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
// WRAPPER:        entry @empty() {
// WRAPPER-NEXT:     return
// WRAPPER-NEXT:   }
// WRAPPER-NEXT: }
cuda_tile.module @kernels attributes {producer = "demo 1.0"} {
  // CHECK: global @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  cuda_tile.global @g <f32: [1.0, 2.0]> : !cuda_tile.tile<2xf32>
  // CHECK-NEXT: global private constant @h alignment = 16 <i8: 1> : tile<4xi8>
  global private constant @h alignment = 16 <i8: [1, 1, 1, 1]> : tile<4xi8>
  // CHECK-NEXT: entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i1>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
  cuda_tile.entry @k(%p: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>, %c: !cuda_tile.tile<i1>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
  ^body:
    // CHECK-NEXT: %0 = make_token : token
    %t = cuda_tile.make_token : !cuda_tile.token
    // CHECK-NEXT: %result, %result_token = load_ptr_tko acquire device %arg0 token=%0 : tile<ptr<f32>> -> tile<f32>, token
    %x, %t1 = cuda_tile.load_ptr_tko acquire gpu %p token=%t : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<f32>, !cuda_tile.token
    // CHECK-NEXT: %result_0, %result_token_1 = atomic_rmw_tko relaxed device %arg0, addf, %result token=%result_token : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %old, %t2 = cuda_tile.atomic_rmw_tko relaxed gpu addf %p, %x token=%t1 : !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32> -> !cuda_tile.tile<f32>, !cuda_tile.token
    // CHECK-NEXT: %tview = make_tensor_view %arg0, shape = [%arg1, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %view = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    // CHECK-NEXT: %pview = make_partition_view %tview : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
    %pview = make_partition_view %view : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
    // CHECK-NEXT: %tile, %result_token_2 = load_view_tko weak %pview[%arg1, %arg1] token = %result_token_1 : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
    %y, %t3 = cuda_tile.load_view_tko weak %pview[%n, %n] token=%t2 : !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>> -> !cuda_tile.tile<8x8xf32>, !cuda_tile.token
    // CHECK-NEXT: %1 = store_view_tko release device %tile, %pview[%arg1, %arg1] token = %result_token_2 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %t4 = cuda_tile.store_view_tko release gpu %pview[%n, %n], %y token=%t3 : !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<8x8xf32> -> !cuda_tile.token
    // CHECK-NEXT: %2 = fpowf %result, %result_0 : tile<f32>
    %pow = cuda_tile.pow %x, %old : !cuda_tile.tile<f32>
    // CHECK-NEXT: %3 = print_tko "x=%f\0A", %2 token=%1 : tile<f32> -> token
    %t5 = cuda_tile.print_tko "x=%f\0A", %pow token=%t4 : !cuda_tile.tile<f32> -> !cuda_tile.token
    // CHECK-NEXT: %cst_1_i32 = constant <i32: 1> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    // CHECK-NEXT: %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %half = constant <f32: 0.5> : tile<f32>
    // CHECK-NEXT: %4 = if %arg2 -> (tile<f32>) {
    // CHECK-NEXT:   yield %cst_f32 : tile<f32>
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   yield %2 : tile<f32>
    // CHECK-NEXT: }
    %r = if %c -> (tile<f32>) {
    ^then:
      yield %half : tile<f32>
    } else {
    ^else:
      yield %pow : tile<f32>
    }
    // CHECK-NEXT: if %arg2 {
    // CHECK-NEXT: }
    if %c {
    ^then:
      yield
    }
    // CHECK-NEXT: %for = for %loopIdx in (%cst_1_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %4) -> (tile<f32>) {
    // CHECK-NEXT:   %8 = addf %iterArg0, %iterArg0 : tile<f32>
    // CHECK-NEXT:   continue %8 : tile<f32>
    // CHECK-NEXT: }
    %f = for %i in (%one to %n, step %one) : tile<i32> iter_values(%a = %r) -> (tile<f32>) {
    ^body:
      %b = addf %a, %a : tile<f32>
      continue %b : tile<f32>
    }
    // CHECK-NEXT: for unsigned %loopIdx in (%cst_1_i32 to %arg1, step %cst_1_i32) : tile<i32> {
    // CHECK-NEXT: }
    for unsigned %i in (%one to %n, step %one) : tile<i32> {
      continue
    }
    // CHECK-NEXT: %5 = loop iter_values(%arg3 = %arg1) : tile<i32> -> tile<f32> {
    // CHECK-NEXT:   if %arg2 {
    // CHECK-NEXT:     break %for : tile<f32>
    // CHECK-NEXT:   }
    // CHECK-NEXT:   continue %arg3 : tile<i32>
    // CHECK-NEXT: }
    %l = loop iter_values(%a = %n) : tile<i32> -> tile<f32> {
      if %c {
        break %f : tile<f32>
      }
      continue %a : tile<i32>
    }
    // CHECK-NEXT: %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<8x8xf32> -> tile<8xf32>
    // CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    // CHECK-NEXT:   %8 = addf %reduce_lhs, %reduce_rhs : tile<f32>
    // CHECK-NEXT:   yield %8 : tile<f32>
    // CHECK-NEXT: }
    %red = cuda_tile.reduce %y dim=1 identities=[0.0 : f32] : !cuda_tile.tile<8x8xf32> -> !cuda_tile.tile<8xf32> (%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>) {
    ^body:
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    // CHECK-NEXT: %6:2 = get_tensor_shape %tview : tensor_view<?x64xf32, strides=[64,1]> -> tile<i64>
    %d0, %d1 = get_tensor_shape %view : tensor_view<?x64xf32, strides=[64,1]> -> tile<i64>
    // CHECK-NEXT: %7 = addi %6#0, %6#1 {t = !cuda_tile.tile<4xptr<f32>>} : tile<i64>
    %sum = addi %d0, %d1 {t = !cuda_tile.tile<4xptr<f32>>} : tile<i64>
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    return
  }
  // CHECK-NEXT: entry @empty() {
  // CHECK-NEXT:   return
  // CHECK-NEXT: }
  entry @empty() { }
}
