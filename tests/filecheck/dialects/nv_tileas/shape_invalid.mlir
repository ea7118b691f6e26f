// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

%t8xf32 = "test.op"() : () -> tensor<8xf32>
%t4x8xf32 = "test.op"() : () -> tensor<4x8xf32>
%i32 = "test.op"() : () -> i32
%t16x8xf16 = "test.op"() : () -> tensor<16x8xf16>
%t8x16xf16 = "test.op"() : () -> tensor<8x16xf16>

// -----

// CHECK: expects as many elements as in 'tensor<8xf32>', but got 'tensor<4xf32>'
%y = nv_tileas.view %t8xf32 : tensor<8xf32> -> tensor<4xf32>

// CHECK: expects the shape and the elements of 'tensor<8xf32>', but got 'tensor<8xf16>'
%y = nv_tileas.convert_layout %t8xf32 : tensor<8xf32> -> tensor<8xf16>

// CHECK: expects another layout than that of 'tensor<8xf32>'
%y = nv_tileas.convert_layout %t8xf32 : tensor<8xf32> -> tensor<8xf32>

// CHECK: 'tensor<8xf32>' and 'tensor<8xf16>' have different sizes in bits
%y = nv_tileas.reinterpret %t8xf32 : tensor<8xf32> -> tensor<8xf16>

%x = "test.op"() : () -> tensor<8x!llvm.ptr<1>>
// CHECK: expects numbers, but got
%y = nv_tileas.reinterpret %x : tensor<8x!llvm.ptr<1>> -> tensor<8xi64>

// CHECK: expects 2 indices, but got 1
%y = nv_tileas.extract_slice %t4x8xf32[%i32] : (tensor<4x8xf32>, i32) -> tensor<8xf32>

// CHECK: 'tensor<16xf32>' is not a slice of 'tensor<4x8xf32>'
%y = nv_tileas.extract_slice %t4x8xf32[%i32, %i32] : (tensor<4x8xf32>, i32, i32) -> tensor<16xf32>

%y = "test.op"() : () -> tensor<8xf16>
// CHECK: expects one element type, but got 'f16', 'f32'
%z = nv_tileas.insert_slice %y into %t4x8xf32[%i32, %i32] : (tensor<8xf16>, tensor<4x8xf32>, i32, i32) -> tensor<4x8xf32>

// CHECK: expects 1 coordinates of type 'i32' as body arguments, but got (i64)
%x = nv_tileas.generate : tensor<4xi64> {
^bb0(%i: i64):
  nv_tileas.yield %i : i64
}

// CHECK: expects the body to yield (f32), but got (i32)
%x = nv_tileas.generate : tensor<4xf32> {
^bb0(%i: i32):
  nv_tileas.yield %i : i32
}

%x, %y = "test.op"() : () -> (tensor<2xf32, #nv_tileas.shared<offset = [[1]]>>, tensor<2xi1>)
// CHECK: all operands and results must have the same layout
%z = nv_tileaa.cmpf %x, %x : tensor<2xf32, #nv_tileas.shared<offset = [[1]]>> -> tensor<2xi1>

%c = "test.op"() : () -> tensor<16x16xf64>
// CHECK: expects #C element type to be either f32 or f16, but got 'f64'
%d = nv_tileas.dot %t16x8xf16, %t8x16xf16, %c : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf64>

%c = "test.op"() : () -> tensor<16x16xf32>
// CHECK: unsupported atom: #nv_tileas.atom<ldg> (expected one of mma.sm80, mma.sm90, mma.sm100, fma)
%d = nv_tileas.dot %t16x8xf16, %t8x16xf16, %c {atom = #nv_tileas.atom<ldg>} : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>

%a, %b, %c, %flag, %s, %t = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>, i1, tensor<16x1xf8E8M0FNU>, tensor<1x16xf8E8M0FNU>)
// CHECK: scales 'tensor<16x1xf8E8M0FNU>' and 'tensor<1x16xf8E8M0FNU>' are too few for blocks of 32 of 16x16x64
%d = nv_tileas.scaled_dot %a, %b, %c, %flag scales(%s, %t) {packed = f4E2M1FN, block = 32 : i32} : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>, i1, tensor<16x1xf8E8M0FNU>, tensor<1x16xf8E8M0FNU>

%a, %b, %c, %flag, %s, %t = "test.op"() : () -> (tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>, i1, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>)
// CHECK: expects bytes of 'f4E2M1FN', but got 'tensor<16x32xf16>'
%d = nv_tileas.scaled_dot %a, %b, %c, %flag scales(%s, %t) {packed = f4E2M1FN} : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>, i1, tensor<16x2xf8E8M0FNU>, tensor<2x16xf8E8M0FNU>

// CHECK: expects regions to end with 'nv_tileas.yield'
%z = nv_tileas.reduce %t4x8xf32 {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4xf32> {
^bb0(%a: f32, %b: f32):
  "test.termop"(%a) : (f32) -> ()
}
