// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-local-scope | filecheck %s

// REQ: C-14, C-40

!i8 = !cuda_tile.tile<16x16xi8>
!i32 = !cuda_tile.tile<16x16xi32>

cuda_tile.module @m {
  testing$func @halves(%a: tile<128x64xf16>, %b: tile<64x128xf16>, %c: tile<128x128xf32>) -> tile<128x128xf32> {
    %d = cuda_tile.mmaf %a, %b, %c : !cuda_tile.tile<128x64xf16>, !cuda_tile.tile<64x128xf16>, !cuda_tile.tile<128x128xf32>
    %e = mmaf %a, %b, %d {fastmath = "contract"} : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    return %e : tile<128x128xf32>
  }
  // CHECK-LABEL: func.func @halves(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  // CHECK-NEXT: %e = nv_tileaa.dot %a, %b, %d {fastmath = "contract", input_precision = "tf32"} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  // CHECK-NEXT: func.return %e : tensor<128x128xf32>
  // CHECK-NEXT: }

  // tf32 says nothing about types that are narrower; it would change results of wider ones.
  testing$func @precision(%a: tile<16x16xf32>, %b: tile<16x16xf64>, %c: tile<16x16xtf32>, %d: tile<16x16xf8E4M3FN>, %e: tile<16x16xbf16>) {
    %0 = mmaf %a, %a, %a : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %1 = mmaf %b, %b, %b : tile<16x16xf64>, tile<16x16xf64>, tile<16x16xf64>
    %2 = mmaf %c, %c, %a : tile<16x16xtf32>, tile<16x16xtf32>, tile<16x16xf32>
    %3 = mmaf %d, %d, %a fast_acc : tile<16x16xf8E4M3FN>, tile<16x16xf8E4M3FN>, tile<16x16xf32>
    %4 = mmaf %e, %e, %a : tile<16x16xbf16>, tile<16x16xbf16>, tile<16x16xf32>
    return
  }
  // CHECK-LABEL: func.func @precision(%a: tensor<16x16xf32>, %b: tensor<16x16xf64>, %c: tensor<16x16xtf32>, %d: tensor<16x16xf8E4M3FN>, %e: tensor<16x16xbf16>) {
  // CHECK-NEXT: %mm = nv_tileaa.dot %a, %a, %a {input_precision = "ieee"} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  // CHECK-NEXT: %mm_1 = nv_tileaa.dot %b, %b, %b {input_precision = "ieee"} : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  // CHECK-NEXT: %mm_2 = nv_tileaa.dot %c, %c, %a {input_precision = "tf32"} : tensor<16x16xtf32>, tensor<16x16xtf32>, tensor<16x16xf32>
  // CHECK-NEXT: %mm_3 = nv_tileaa.dot %d, %d, %a {input_precision = "tf32", fast_acc} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<16x16xf32>
  // CHECK-NEXT: %mm_4 = nv_tileaa.dot %e, %e, %a {input_precision = "tf32"} : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @integers(%a: !i8, %b: !i8, %c: !i32) {
    %d = cuda_tile.mmai %a, %b, %c signed unsigned : !i8, !i8, !i32
    %e = mmai %a, %b, %c unsigned signed : !i8, !i8, !i32
    %f = mmai %a, %b, %c signed signed {my.mark} : !i8, !i8, !i32
    return
  }
  // CHECK-LABEL: func.func @integers(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi32>) {
  // CHECK-NEXT: %d = nv_tileaa.dot %a, %b, %c {signedness_lhs = "signed", signedness_rhs = "unsigned"} : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
  // CHECK-NEXT: %e = nv_tileaa.dot %a, %b, %c {signedness_lhs = "unsigned", signedness_rhs = "signed"} : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
  // CHECK-NEXT: %f = nv_tileaa.dot %a, %b, %c {my.mark, signedness_lhs = "signed", signedness_rhs = "signed"} : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @scaled(%a: tile<16x64xf8E4M3FN>, %b: tile<64x8xf8E4M3FN>, %c: tile<16x8xf32>, %s: tile<16x2xf8E8M0FNU>, %t: tile<2x8xf8E8M0FNU>) {
    %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
    return
  }
  // CHECK-LABEL: func.func @scaled(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x8xf8E4M3FN>, %c: tensor<16x8xf32>, %s: tensor<16x2xf8E8M0FNU>, %t: tensor<2x8xf8E8M0FNU>) {
  // CHECK-NEXT: %mm = nv_tileaa.mmaf_scaled %a, %b, %c, %s, %t : tensor<16x64xf8E4M3FN>, tensor<64x8xf8E4M3FN>, tensor<16x8xf32>, tensor<16x2xf8E8M0FNU>, tensor<2x8xf8E8M0FNU>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @batched(%a: tile<2x16x32xf16>, %b: tile<2x32x8xf16>, %c: tile<2x16x8xf32>) {
    %0 = mmaf %a, %b, %c : tile<2x16x32xf16>, tile<2x32x8xf16>, tile<2x16x8xf32>
    return
  }
  // CHECK-LABEL: func.func @batched(%a: tensor<2x16x32xf16>, %b: tensor<2x32x8xf16>, %c: tensor<2x16x8xf32>) {
  // CHECK-NEXT: %mm = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"} : tensor<2x16x32xf16>, tensor<2x32x8xf16>, tensor<2x16x8xf32>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }
}
