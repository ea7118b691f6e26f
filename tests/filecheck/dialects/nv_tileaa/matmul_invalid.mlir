// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!t16x16xf32 = tensor<16x16xf32>
!t16x8xf16 = tensor<16x8xf16>
%t16x8xi8 = "test.op"() : () -> tensor<16x8xi8>
%t8x16xi8 = "test.op"() : () -> tensor<8x16xi8>
%t16x16xf32 = "test.op"() : () -> !t16x16xf32
%t16x8xf16, %t16x8xf16_1 = "test.op"() : () -> (!t16x8xf16, !t16x8xf16)
%t8x16xf16 = "test.op"() : () -> tensor<8x16xf16>
%t16x16xi32 = "test.op"() : () -> tensor<16x16xi32>
%t8x16xbf16 = "test.op"() : () -> tensor<8x16xbf16>
%t16x8xf32 = "test.op"() : () -> tensor<16x8xf32>
%t16x16xf64 = "test.op"() : () -> tensor<16x16xf64>
%t16x16xf16 = "test.op"() : () -> tensor<16x16xf16>
%t2x8x16xf16 = "test.op"() : () -> tensor<2x8x16xf16>
%t2x16x8xf16 = "test.op"() : () -> tensor<2x16x8xf16>
%t16x64xf8E4M3FN, %t16x64xf8E4M3FN_1 = "test.op"() : () -> (tensor<16x64xf8E4M3FN>, tensor<16x64xf8E4M3FN>)
%t64x16xf8E4M3FN = "test.op"() : () -> tensor<64x16xf8E4M3FN>
%t16x2xf8E8M0FNU, %t16x2xf8E8M0FNU_1 = "test.op"() : () -> (tensor<16x2xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>)
%t2x16xf8E8M0FNU = "test.op"() : () -> tensor<2x16xf8E8M0FNU>
%t8xf4E2M1FN = "test.op"() : () -> tensor<8xf4E2M1FN>
%t8xi8 = "test.op"() : () -> tensor<8xi8>

// -----

// Kinds of elements first.

// CHECK: [[integers:expected the element types of A, B, C, and D to be either all integers or all floats\.]]
%0 = nv_tileaa.dot %t16x8xi8, %t8x16xi8, %t16x16xf32 : tensor<16x8xi8>, tensor<8x16xi8>, !t16x16xf32

// CHECK: [[integers]]
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xi8, %t16x16xf32 : !t16x8xf16, tensor<8x16xi8>, !t16x16xf32

// CHECK: [[integers]]
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xf16, %t16x16xi32 : !t16x8xf16, tensor<8x16xf16>, tensor<16x16xi32>

// CHECK: [[integers]]
%a = "test.op"() : () -> tensor<16x8x!llvm.ptr<1>>
%0 = nv_tileaa.dot %a, %t8x16xi8, %t16x16xi32 : tensor<16x8x!llvm.ptr<1>>, tensor<8x16xi8>, tensor<16x16xi32>

// Then widths of integers, and the accumulator of floats, before any shape.

// CHECK: expects #A and #B have same bit width but got 8 vs 16
%b, %c = "test.op"() : () -> (tensor<8x16xi16>, tensor<8xi32>)
%0 = nv_tileaa.dot %t16x8xi8, %b, %c : tensor<16x8xi8>, tensor<8x16xi16>, tensor<8xi32>

// CHECK: expects #C element type to be f32, but got 'bf16'
%a, %c = "test.op"() : () -> (tensor<16x8xbf16>, tensor<16xbf16>)
%0 = nv_tileaa.dot %a, %t8x16xbf16, %c : tensor<16x8xbf16>, tensor<8x16xbf16>, tensor<16xbf16>

// CHECK: expects #C element type to be f32, but got 'f64'
%b = "test.op"() : () -> tensor<8x16xf32>
%0 = nv_tileaa.dot %t16x8xf32, %b, %t16x16xf64 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf64>

// CHECK: [[expects:expects #C element type to be f32, but got 'f16']]
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xbf16, %t16x16xf16 : !t16x8xf16, tensor<8x16xbf16>, tensor<16x16xf16>

// CHECK: [[expects]]
%a, %b = "test.op"() : () -> (tensor<16x8xtf32>, tensor<8x16xtf32>)
%0 = nv_tileaa.dot %a, %b, %t16x16xf16 : tensor<16x8xtf32>, tensor<8x16xtf32>, tensor<16x16xf16>

// CHECK: expects #C element type to be either f32 or f16, but got 'bf16'
%a, %b, %c = "test.op"() : () -> (tensor<16x8xf4E2M1FN>, tensor<8x16xf4E2M1FN>, tensor<16x16xbf16>)
%0 = nv_tileaa.dot %a, %b, %c : tensor<16x8xf4E2M1FN>, tensor<8x16xf4E2M1FN>, tensor<16x16xbf16>

// CHECK: expects #C element type to be either f32 or f16, but got 'f64'
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xf16, %t16x16xf64 : !t16x8xf16, tensor<8x16xf16>, tensor<16x16xf64>

// CHECK: expects #C element type to be f64, but got 'f32'
%a, %b = "test.op"() : () -> (tensor<16x8xf64>, tensor<8x16xf64>)
%0 = nv_tileaa.dot %a, %b, %t16x16xf32 : tensor<16x8xf64>, tensor<8x16xf64>, !t16x16xf32

// Then the rank, then the shapes.

// CHECK: expects rank-2 or rank-3 tensor for result, but got (1)
%a, %b, %c = "test.op"() : () -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf32>)
%0 = nv_tileaa.dot %a, %b, %c : tensor<8xf16>, tensor<8xf16>, tensor<8xf32>

// CHECK: expects rank-2 or rank-3 tensor for result, but got (4)
%a, %b, %c = "test.op"() : () -> (tensor<2x2x4x4xf16>, tensor<2x2x4x4xf16>, tensor<2x2x4x4xf32>)
%0 = nv_tileaa.dot %a, %b, %c : tensor<2x2x4x4xf16>, tensor<2x2x4x4xf16>, tensor<2x2x4x4xf32>

// CHECK: [[compatible:expects the shape of operand #A and #B to be compatible]]
%0 = nv_tileaa.dot %t16x8xf16, %t16x8xf16_1, %t16x16xf32 : !t16x8xf16, !t16x8xf16, !t16x16xf32

// CHECK: [[compatible]]
%0 = nv_tileaa.dot %t16x8xf16, %t2x8x16xf16, %t16x16xf32 : !t16x8xf16, tensor<2x8x16xf16>, !t16x16xf32

// CHECK: [[compatible]]
%b, %c = "test.op"() : () -> (tensor<4x8x16xf16>, tensor<2x16x16xf32>)
%0 = nv_tileaa.dot %t2x16x8xf16, %b, %c : tensor<2x16x8xf16>, tensor<4x8x16xf16>, tensor<2x16x16xf32>

// CHECK: [[compatible_1:expects the shape of operand #C is compatible with operands #A and #B]]
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xf16, %t16x8xf32 : !t16x8xf16, tensor<8x16xf16>, tensor<16x8xf32>

// CHECK: [[compatible_1]]
%0 = nv_tileaa.dot %t2x16x8xf16, %t2x8x16xf16, %t16x16xf32 : tensor<2x16x8xf16>, tensor<2x8x16xf16>, !t16x16xf32

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute tensor<16x16xf32> expected from variable 'C', but got tensor<16x16xf16>
%0 = "nv_tileaa.dot"(%t16x8xf16, %t8x16xf16, %t16x16xf32) : (!t16x8xf16, tensor<8x16xf16>, !t16x16xf32) -> tensor<16x16xf16>

// CHECK: unsupported input_precision: "bf16x3" (expected one of tf32, ieee)
%0 = nv_tileaa.dot %t16x8xf16, %t8x16xf16, %t16x16xf32 {input_precision = "bf16x3"} : !t16x8xf16, tensor<8x16xf16>, !t16x16xf32

// CHECK: wrong attribute 'signedness_lhs': unsupported signedness: "none" (expected one of signed, unsigned)
%0 = nv_tileaa.dot %t16x8xi8, %t8x16xi8, %t16x16xi32 {signedness_lhs = "none"} : tensor<16x8xi8>, tensor<8x16xi8>, tensor<16x16xi32>

// CHECK:      operand 'accumulator' at position 2 does not verify:
// CHECK-NEXT: must be a tensor of static shape of numbers or pointers, but got 'f32'
%c = "test.op"() : () -> f32
%0 = "nv_tileaa.dot"(%t16x8xf16, %t16x8xf16, %c) : (!t16x8xf16, !t16x8xf16, f32) -> f32

// Scales.

// CHECK: expects operands, accumulator and scales to be floats
%s, %t = "test.op"() : () -> (tensor<16x2xi8>, tensor<2x16xi8>)
%0 = nv_tileaa.mmaf_scaled %t16x64xf8E4M3FN, %t64x16xf8E4M3FN, %t16x16xf32, %s, %t : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, !t16x16xf32, tensor<16x2xi8>, tensor<2x16xi8>

// CHECK: [[compatible]]
%0 = nv_tileaa.mmaf_scaled %t16x64xf8E4M3FN, %t16x64xf8E4M3FN_1, %t16x16xf32, %t16x2xf8E8M0FNU, %t2x16xf8E8M0FNU : tensor<16x64xf8E4M3FN>, tensor<16x64xf8E4M3FN>, !t16x16xf32, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>

// CHECK: scales 'tensor<16x3xf8E8M0FNU>' and 'tensor<3x16xf8E8M0FNU>' do not fit 'tensor<16x64xf8E4M3FN>' and 'tensor<64x16xf8E4M3FN>'
%s, %t = "test.op"() : () -> (tensor<16x3xf8E8M0FNU>, tensor<3x16xf8E8M0FNU>)
%0 = nv_tileaa.mmaf_scaled %t16x64xf8E4M3FN, %t64x16xf8E4M3FN, %t16x16xf32, %s, %t : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, !t16x16xf32, tensor<16x3xf8E8M0FNU>, tensor<3x16xf8E8M0FNU>

// CHECK: scales 'tensor<16x2xf8E8M0FNU>' and 'tensor<16x2xf8E8M0FNU>' do not fit 'tensor<16x64xf8E4M3FN>' and 'tensor<64x16xf8E4M3FN>'
%0 = nv_tileaa.mmaf_scaled %t16x64xf8E4M3FN, %t64x16xf8E4M3FN, %t16x16xf32, %t16x2xf8E8M0FNU, %t16x2xf8E8M0FNU_1 : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, !t16x16xf32, tensor<16x2xf8E8M0FNU>, tensor<16x2xf8E8M0FNU>

// CHECK: scales 'tensor<8x2xf8E8M0FNU>' and 'tensor<2x16xf8E8M0FNU>' do not fit 'tensor<16x64xf8E4M3FN>' and 'tensor<64x16xf8E4M3FN>'
%s = "test.op"() : () -> tensor<8x2xf8E8M0FNU>
%0 = nv_tileaa.mmaf_scaled %t16x64xf8E4M3FN, %t64x16xf8E4M3FN, %t16x16xf32, %s, %t2x16xf8E8M0FNU : tensor<16x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, !t16x16xf32, tensor<8x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>

// Bytes.

// CHECK: expects bytes of type 'i8', but got 'tensor<8xi4>'
%0 = nv_tileaa.pack %t8xf4E2M1FN : tensor<8xf4E2M1FN> -> tensor<8xi4>

// CHECK: 'tensor<8xf4E2M1FN>' and 'tensor<8xi8>' have different sizes in bits
%0 = nv_tileaa.pack %t8xf4E2M1FN : tensor<8xf4E2M1FN> -> tensor<8xi8>

// CHECK: expects source and result of rank 1
%a = "test.op"() : () -> tensor<2x4xf4E2M1FN>
%0 = nv_tileaa.pack %a : tensor<2x4xf4E2M1FN> -> tensor<4xi8>

// CHECK: expects bytes of type 'i8', but got 'tensor<8xi16>'
%a = "test.op"() : () -> tensor<8xi16>
%0 = nv_tileaa.unpack %a : tensor<8xi16> -> tensor<4xi32>

// CHECK: 'tensor<8xi8>' and 'tensor<4xi32>' have different sizes in bits
%0 = nv_tileaa.unpack %t8xi8 : tensor<8xi8> -> tensor<4xi32>

// CHECK: expects numbers, but got 'tensor<8xi8>' and 'tensor<1x!llvm.ptr<1>>'
%0 = nv_tileaa.unpack %t8xi8 : tensor<8xi8> -> tensor<1x!llvm.ptr<1>>
