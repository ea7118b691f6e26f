// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' --print-local-scope | filecheck %s

// REQ: C-12, C-16, C-28, C-29

cuda_tile.module @m {
  testing$func @integers(%a: tile<8xi8>, %b: tile<i1>) {
    %0 = exti %a signed : tile<8xi8> -> tile<8xi32>
    %1 = exti %a unsigned : tile<8xi8> -> tile<8xi64>
    %2 = exti %b unsigned : tile<i1> -> tile<i32>
    %3 = bitcast %2 : tile<i32> -> tile<f32>
    return
  }
  // CHECK-LABEL: func.func @integers(%a: tensor<8xi8>, %b: i1) {
  // CHECK-NEXT: %0 = arith.extsi %a : tensor<8xi8> to tensor<8xi32>
  // CHECK-NEXT: %1 = arith.extui %a : tensor<8xi8> to tensor<8xi64>
  // CHECK-NEXT: %2 = arith.extui %b : i1 to i32
  // CHECK-NEXT: %3 = nv_tileaa.bitcast %2 : i32 to f32
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @floats(%x: tile<8xf32>, %y: tile<f64>) {
    %0 = ftof %x : tile<8xf32> -> tile<8xf16>
    %1 = ftof %y rounding<zero> : tile<f64> -> tile<f32>
    %2 = ftof %x : tile<8xf32> -> tile<8xtf32>
    %3 = ftoi %x signed : tile<8xf32> -> tile<8xi32>
    %4 = ftoi %x unsigned rounding<nearest_int_to_zero> : tile<8xf32> -> tile<8xi8>
    %5 = ftoi %y signed saturating : tile<f64> -> tile<i64>
    return
  }
  // CHECK-LABEL: func.func @floats(%x: tensor<8xf32>, %y: f64) {
  // CHECK-NEXT: %0 = nv_tileaa.fp_to_fp %x : tensor<8xf32> to tensor<8xf16>
  // CHECK-NEXT: %1 = nv_tileaa.fp_to_fp %y {rounding_mode = "zero"} : f64 to f32
  // CHECK-NEXT: %2 = nv_tileaa.fp_to_fp %x : tensor<8xf32> to tensor<8xtf32>
  // CHECK-NEXT: %3 = arith.fptosi %x : tensor<8xf32> to tensor<8xi32>
  // CHECK-NEXT: %4 = arith.fptoui %x : tensor<8xf32> to tensor<8xi8>
  // CHECK-NEXT: %5 = arith.fptosi %y {saturating} : f64 to i64
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @pointers(%p: tile<ptr<f32>>, %q: tile<8xptr<i8>>, %i: tile<8xi64>) {
    %0 = ptr_to_int %q : tile<8xptr<i8>> -> tile<8xi64>
    %1 = int_to_ptr %i : tile<8xi64> -> tile<8xptr<f16>>
    %2 = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
    %3 = offset %q, %0 : tile<8xptr<i8>>, tile<8xi64> -> tile<8xptr<i8>>
    %4 = ptr_to_int %2 : tile<ptr<i8>> -> tile<i64>
    return
  }
  // CHECK-LABEL: func.func @pointers(%p: !llvm.ptr<1>, %q: tensor<8x!llvm.ptr<1>>, %i: tensor<8xi64>) {
  // CHECK-NEXT: %0 = nv_tileaa.ptr_to_int %q : tensor<8x!llvm.ptr<1>> to tensor<8xi64>
  // CHECK-NEXT: %1 = nv_tileaa.int_to_ptr %i : tensor<8xi64> to tensor<8x!llvm.ptr<1>>
  // CHECK-NEXT: %2 = nv_tileaa.addptr %q, %0 {elem_type = i8} : tensor<8x!llvm.ptr<1>>, tensor<8xi64>
  // CHECK-NEXT: %3 = nv_tileaa.ptr_to_int %p : !llvm.ptr<1> to i64
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  testing$func @packing(%a: tile<16xi8>) {
    %0 = unpack %a : tile<16xi8> -> tile<8xi16>
    %1 = pack %0 : tile<8xi16> -> tile<16xi8>
    return
  }
  // CHECK-LABEL: func.func @packing(%a: tensor<16xi8>) {
  // CHECK-NEXT: %0 = nv_tileaa.unpack %a : tensor<16xi8> -> tensor<8xi16>
  // CHECK-NEXT: %1 = nv_tileaa.pack %0 : tensor<8xi16> -> tensor<16xi8>
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }

  // Every element type, also the one that xDSL cannot spell.
  testing$func @elements(%a: tile<2xf4E2M1FN>, %b: tile<2xf8E8M0FNU>, %c: tile<2xfnv8E5M3FNU>, %d: tile<fnv8E5M3FNU>, %e: tile<tf32>, %f: tile<2xi4>, %g: tile<4x2xbf16>) {
    return
  }
  // CHECK-LABEL: func.func @elements(%a: tensor<2xf4E2M1FN>, %b: tensor<2xf8E8M0FNU>, %c: tensor<2x!cuda_tile.fnv8E5M3FNU>, %d: !cuda_tile.fnv8E5M3FNU, %e: tf32, %f: tensor<2xi4>, %g: tensor<4x2xbf16>) {
  // CHECK-NEXT: func.return
  // CHECK-NEXT: }
}
