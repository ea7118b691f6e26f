// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

%f32 = "test.op"() : () -> f32
%i32 = "test.op"() : () -> i32
%t8xi32 = "test.op"() : () -> tensor<8xi32>
%t8x8xi32 = "test.op"() : () -> tensor<8x8xi32>

// -----

// Facts that cannot be stated: the first that is wrong is reported.

// CHECK: [[pointers:'nv_tileaa\.div_by' is valid only for integers, pointers and memrefs]]
%0 = nv_tileaa.assume %f32 {predicate = #nv_tileaa.div_by<16>} : f32

// CHECK: [[pointers]]
%x = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<16>} : tensor<8xf32>

// CHECK: [[divisor:'nv_tileaa\.div_by' divisor must be a power of 2]]
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.div_by<0>} : i32

// CHECK: [[divisor]]
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.div_by<3>} : i32

// CHECK: [[divisor]]
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.div_by<12>} : i32

// CHECK: [[tileaa:'nv_tileaa\.div_by' every_dim \(0\) must be >= 0 and < tile rank \(0\)]]
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.div_by<4, every 1 along 0>} : i32

// CHECK: [[combination:'nv_tileaa\.div_by' 'every'/'along' must be used in combination]]
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, every 4>} : tensor<8xi32>

// CHECK: [[combination]]
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, along 0>} : tensor<8xi32>

// CHECK: 'nv_tileaa.div_by' every_dim (1) must be >= 0 and < tile rank (1)
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, every 4 along 1>} : tensor<8xi32>

// CHECK: 'nv_tileaa.div_by' every_dim (-1) must be >= 0 and < tile rank (1)
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, every 4 along -1>} : tensor<8xi32>

// CHECK: [[respective:expected 'nv_tileaa\.div_by' every_dim to be within 0 and the size of the respective dimension \(8\)]]
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, every 16 along 0>} : tensor<8xi32>

// CHECK: [[respective]]
%0 = nv_tileaa.assume %t8xi32 {predicate = #nv_tileaa.div_by<4, every -1 along 0>} : tensor<8xi32>

// CHECK: [[tileaa]]
%x = "test.op"() : () -> !nv_tileaa.memref<4xi32, strides = [1]>
%0 = nv_tileaa.assume %x {predicate = #nv_tileaa.div_by<4, every 4 along 0>} : !nv_tileaa.memref<4xi32, strides = [1]>

// CHECK: 'nv_tileaa.bounded' is valid only for integers
%0 = nv_tileaa.assume %f32 {predicate = #nv_tileaa.bounded<0, 1>} : f32

// CHECK: 'nv_tileaa.bounded' is valid only for integers
%x = "test.op"() : () -> !llvm.ptr<1>
%0 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<0, 1>} : !llvm.ptr<1>

// CHECK: 'nv_tileaa.bounded' expects lower bound to be within [-128, 127]
%x = "test.op"() : () -> i8
%0 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<-129, 1>} : i8

// CHECK: 'nv_tileaa.bounded' expects upper bound to be within [-128, 127]
%x = "test.op"() : () -> tensor<8xi8>
%0 = nv_tileaa.assume %x {predicate = #nv_tileaa.bounded<?, 128>} : tensor<8xi8>

// CHECK: 'nv_tileaa.bounded' expects lower bound to be less than or equal to upper bound
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.bounded<2, 1>} : i32

// CHECK: 'nv_tileaa.same_elements' is valid only for integers and pointers
%0 = nv_tileaa.assume %f32 {predicate = #nv_tileaa.same_elements<[]>} : f32

// CHECK: expected number of values in 'nv_tileaa.same_elements' (1) to match rank of constrained tile (2)
%0 = nv_tileaa.assume %t8x8xi32 {predicate = #nv_tileaa.same_elements<[1]>} : tensor<8x8xi32>

// CHECK: expected 'nv_tileaa.same_elements' value 1 to be within 0 and the size of the respective dimension (8)
%0 = nv_tileaa.assume %t8x8xi32 {predicate = #nv_tileaa.same_elements<[1, 9]>} : tensor<8x8xi32>

// CHECK: expected 'nv_tileaa.same_elements' value 0 to be within 0 and the size of the respective dimension (8)
%0 = nv_tileaa.assume %t8x8xi32 {predicate = #nv_tileaa.same_elements<[-1, 9]>} : tensor<8x8xi32>

// CHECK: expects one of the predicates div_by, bounded, same_elements, but got "positive"
%0 = nv_tileaa.assume %i32 {predicate = "positive"} : i32

// CHECK: expects one of the predicates div_by, bounded, same_elements, but got #nv_tileaa.kernel_spec<>
%0 = nv_tileaa.assume %i32 {predicate = #nv_tileaa.kernel_spec<>} : i32

// CHECK: requires attribute 'predicate'
%0 = "nv_tileaa.assume"(%i32) : (i32) -> i32

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute i32 expected from variable 'T', but got i64
%0 = "nv_tileaa.assume"(%i32) {predicate = #nv_tileaa.div_by<16>} : (i32) -> i64
