// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

%t8xf32 = "test.op"() : () -> tensor<8xf32>
%f32, %f32_1 = "test.op"() : () -> (f32, f32)
%t8xi32 = "test.op"() : () -> tensor<8xi32>
%i32 = "test.op"() : () -> i32
!ptr = !llvm.ptr<1>
%ptr = "test.op"() : () -> !ptr
%i64 = "test.op"() : () -> i64

// -----

// Operands and results are of one type, or at least of one shape.

// CHECK:      operand 'rhs' at position 1 does not verify:
// CHECK-NEXT: attribute tensor<8xf32> expected from variable 'T', but got f32
%0 = "nv_tileaa.addf"(%t8xf32, %f32) : (tensor<8xf32>, f32) -> tensor<8xf32>

// CHECK: 'nv_tileaa.addi' op must be [[scalar:a scalar or tensor of integers]], but got 'f32'
%0 = nv_tileaa.addi %f32, %f32 : f32

// CHECK: 'nv_tileaa.addf' op must be [[scalar_1:a scalar or tensor of floats]], but got 'tensor<8xi32>'
%0 = nv_tileaa.addf %t8xi32, %t8xi32 : tensor<8xi32>

// CHECK: 'nv_tileaa.addf' op must be [[scalar_1]], but got 'tensor<?xf32>'
%a = "test.op"() : () -> tensor<?xf32>
%0 = nv_tileaa.addf %a, %a : tensor<?xf32>

// CHECK: 'nv_tileaa.addf' op must be [[scalar_1]], but got 'tensor<0xf32>'
%a = "test.op"() : () -> tensor<0xf32>
%0 = nv_tileaa.addf %a, %a : tensor<0xf32>

// CHECK: 'nv_tileaa.addf' op must be [[scalar_1]], but got 'vector<4xf32>'
%a = "test.op"() : () -> vector<4xf32>
%0 = nv_tileaa.addf %a, %a : vector<4xf32>

// CHECK: 'nv_tileaa.addi' op must be [[scalar]], but got 'si32'
%a = "test.op"() : () -> si32
%0 = nv_tileaa.addi %a, %a : si32

// CHECK: 'nv_tileaa.addi' op must be [[scalar]], but got 'index'
%a = "test.op"() : () -> index
%0 = nv_tileaa.addi %a, %a : index

// CHECK: 'nv_tileaa.negf' op must be [[scalar_1]], but got 'f80'
%a = "test.op"() : () -> f80
%0 = nv_tileaa.negf %a : f80

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute i32 expected from variable 'T', but got i64
%0 = "nv_tileaa.negi"(%i32) : (i32) -> i64

// CHECK:      operand 'acc' at position 2 does not verify:
// CHECK-NEXT: attribute f32 expected from variable 'T', but got f64
%b = "test.op"() : () -> f64
%0 = "nv_tileaa.fma"(%f32, %f32, %b) : (f32, f32, f64) -> f32

// CHECK: 'nv_tileaa.cmpi' op must be a scalar or tensor of i1, but got 'i32'
%0 = nv_tileaa.cmpi %i32, %i32 : i32 -> i32

// CHECK: [[operands:all operands and results must have the same shape]]
%0 = nv_tileaa.cmpi %t8xi32, %t8xi32 : tensor<8xi32> -> tensor<4xi1>

// CHECK: [[operands]]
%0 = nv_tileaa.cmpi %t8xi32, %t8xi32 : tensor<8xi32> -> i1

// CHECK: [[operands]]
%a = "test.op"() : () -> tensor<i32>
%0 = nv_tileaa.cmpi %a, %a : tensor<i32> -> i1

// CHECK: 'nv_tileaa.fpowi' op must be [[scalar]], but got 'f32'
%0 = nv_tileaa.fpowi %f32, %f32_1 : f32, f32

// CHECK: [[operands]]
%b = "test.op"() : () -> tensor<4xi32>
%0 = nv_tileaa.fpowi %t8xf32, %b : tensor<8xf32>, tensor<4xi32>

// Modes are words.

// CHECK: unsupported overflow: "wrap" (expected one of none, no_signed_wrap, no_unsigned_wrap, no_wrap)
%0 = nv_tileaa.addi %i32, %i32 {overflow = "wrap"} : i32

// CHECK: unsupported signedness: "both" (expected one of signed, unsigned)
%0 = nv_tileaa.divi %i32, %i32 {signedness = "both"} : i32

// CHECK: unsupported rounding_mode: "up" (expected one of nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away)
%0 = nv_tileaa.divi %i32, %i32 {rounding = "up"} : i32

// CHECK: unsupported comparison_predicate: "slt" (expected one of equal, not_equal, less_than, less_than_or_equal, greater_than, greater_than_or_equal)
%0 = nv_tileaa.cmpi %i32, %i32 {comparison_predicate = "slt"} : i32 -> i1

// CHECK: unsupported comparison_ordering: "maybe" (expected one of unordered, ordered)
%0 = nv_tileaa.cmpf %f32, %f32 {comparison_ordering = "maybe"} : f32 -> i1

// CHECK: unsupported rounding_mode: 1 : i32 (expected one of nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away)
%0 = nv_tileaa.addf %f32, %f32 {rounding_mode = 1 : i32} : f32

// CHECK: wrong attribute 'flush_to_zero': false should be of base attribute unit
%0 = nv_tileaa.addf %f32, %f32 {flush_to_zero = false} : f32

// Conversions.

// CHECK: cannot truncate 'i32' to 'i32'
%0 = nv_tileaa.trunci %i32 : i32 to i32

// CHECK: cannot truncate 'i8' to 'i32'
%a = "test.op"() : () -> i8
%0 = nv_tileaa.trunci %a : i8 to i32

// CHECK: 'nv_tileaa.trunci' op must be [[scalar]], but got 'f16'
%0 = nv_tileaa.trunci %i32 : i32 to f16

// CHECK: [[operands]]
%0 = nv_tileaa.trunci %t8xi32 : tensor<8xi32> to tensor<4xi8>

// CHECK: 'nv_tileaa.fp_to_fp' op must be [[scalar_1]], but got 'i32'
%0 = nv_tileaa.fp_to_fp %f32 : f32 to i32

// CHECK: 'nv_tileaa.fp_to_fp' op must be [[scalar_1]], but got 'i32'
%0 = nv_tileaa.fp_to_fp %i32 : i32 to f32

// CHECK: [[operands]]
%0 = nv_tileaa.fp_to_fp %t8xf32 : tensor<8xf32> to f16

// CHECK: 'f32' and 'i64' have different widths
%0 = nv_tileaa.bitcast %f32 : f32 to i64

// CHECK: 'tf32' and 'i32' have different widths
%a = "test.op"() : () -> tf32
%0 = nv_tileaa.bitcast %a : tf32 to i32

// CHECK: 'nv_tileaa.bitcast' op must be a scalar or tensor of numbers, but got '!llvm.ptr<1>'
%0 = nv_tileaa.bitcast %ptr : !ptr to i64

// CHECK: 'nv_tileaa.int_to_ptr' op must be [[scalar]], but got 'f32'
%0 = nv_tileaa.int_to_ptr %f32 : f32 to !ptr

// CHECK: 'nv_tileaa.int_to_ptr' op [[pointers:must be a scalar or tensor of pointers, but got 'i64']]
%0 = nv_tileaa.int_to_ptr %i64 : i64 to i64

// CHECK: 'nv_tileaa.ptr_to_int' op [[pointers]]
%0 = nv_tileaa.ptr_to_int %i64 : i64 to i64

// CHECK: 'nv_tileaa.ptr_to_int' op must be [[scalar]], but got 'f64'
%0 = nv_tileaa.ptr_to_int %ptr : !ptr to f64
