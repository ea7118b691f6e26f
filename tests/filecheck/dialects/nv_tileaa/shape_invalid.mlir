// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

!t8xf32 = tensor<8xf32>
!t2x4xf32 = tensor<2x4xf32>
%t8xf32 = "test.op"() : () -> !t8xf32
%f32 = "test.op"() : () -> f32
%index = "test.op"() : () -> index
%t4xf32 = "test.op"() : () -> tensor<4xf32>
%t1xf32 = "test.op"() : () -> tensor<1xf32>
%t2x4xf32 = "test.op"() : () -> !t2x4xf32
%i32 = "test.op"() : () -> i32

// -----

// CHECK: expects a scalar, but got 'tensor<8xf32>'
%0 = nv_tileaa.splat %t8xf32 : !t8xf32 to tensor<8x8xf32>

// CHECK: [[expects:expects one element type, but got 'f32', 'f16']]
%0 = nv_tileaa.splat %f32 : f32 to tensor<8xf16>

// CHECK: 'nv_tileaa.splat' op [[pointers:must be a tensor of static shape of numbers or pointers, but got 'f32']]
%0 = nv_tileaa.splat %f32 : f32 to f32

// CHECK: 'nv_tileaa.splat' op must be a tensor of static shape of numbers or pointers, but got 'tensor<?xf32>'
%0 = nv_tileaa.splat %f32 : f32 to tensor<?xf32>

// CHECK: 'nv_tileaa.splat' op must be a scalar or tensor of numbers or pointers, but got 'index'
%0 = nv_tileaa.splat %index : index to tensor<8xindex>

// CHECK: expects as many elements as in 'tensor<8xf32>', but got 'tensor<4x4xf32>'
%0 = nv_tileaa.view %t8xf32 : !t8xf32 -> tensor<4x4xf32>

// CHECK: expects one element type, but got 'f32', 'i32'
%0 = nv_tileaa.view %t8xf32 : !t8xf32 -> tensor<8xi32>

// CHECK: expects as many elements as in 'tensor<8xf32>', but got 'f32'
%0 = nv_tileaa.view %t8xf32 : !t8xf32 -> f32

// CHECK: 'nv_tileaa.view' op [[pointers]]
%0 = nv_tileaa.view %f32 : f32 -> tensor<1xf32>

// CHECK: cannot broadcast 'tensor<4xf32>' to 'tensor<8xf32>'
%0 = nv_tileaa.broadcast %t4xf32 : tensor<4xf32> -> !t8xf32

// CHECK: cannot broadcast 'tensor<1xf32>' to 'tensor<1x8xf32>'
%0 = nv_tileaa.broadcast %t1xf32 : tensor<1xf32> -> tensor<1x8xf32>

// CHECK: [[expects]]
%0 = nv_tileaa.broadcast %t1xf32 : tensor<1xf32> -> tensor<8xf16>

// CHECK: axis 2 is not within 0 and 1
%0 = nv_tileaa.expand_dims %t8xf32 {axis = 2 : i32} : !t8xf32 -> tensor<8x1xf32>

// CHECK: axis -1 is not within 0 and 1
%0 = nv_tileaa.expand_dims %t8xf32 {axis = -1 : i32} : !t8xf32 -> tensor<8x1xf32>

// CHECK: expects a result of shape [1, 8], but got 'tensor<8x1xf32>'
%0 = nv_tileaa.expand_dims %t8xf32 {axis = 0 : i32} : !t8xf32 -> tensor<8x1xf32>

// CHECK: expects one element type, but got 'f32', 'i32'
%0 = nv_tileaa.expand_dims %t8xf32 {axis = 0 : i32} : !t8xf32 -> tensor<1x8xi32>

// CHECK: 'nv_tileaa.expand_dims' op Expected attribute i32 but got i64
%0 = nv_tileaa.expand_dims %t8xf32 {axis = 0 : i64} : !t8xf32 -> tensor<1x8xf32>

// CHECK: requires attribute 'axis'
%0 = nv_tileaa.expand_dims %t8xf32 : !t8xf32 -> tensor<1x8xf32>

// CHECK: expects a permutation of 2 dimensions, but got [0, 0]
%0 = nv_tileaa.permute %t2x4xf32 {permutation = array<i32: 0, 0>} : !t2x4xf32 -> tensor<4x2xf32>

// CHECK: cannot permute 'tensor<2x4xf32>' to 'tensor<2x4xf32>'
%0 = nv_tileaa.permute %t2x4xf32 {permutation = array<i32: 1, 0>} : !t2x4xf32 -> !t2x4xf32

// CHECK: [[expects]]
%0 = nv_tileaa.permute %t2x4xf32 {permutation = array<i32: 1, 0>} : !t2x4xf32 -> tensor<4x2xf16>

// CHECK: dimension 0 is not one of both operands
%0 = nv_tileaa.cat %t2x4xf32, %t4xf32 {dim = 0 : i64} : !t2x4xf32, tensor<4xf32> -> tensor<3x4xf32>

// CHECK: dimension 2 is not one of both operands
%0 = nv_tileaa.cat %t2x4xf32, %t2x4xf32 {dim = 2 : i64} : !t2x4xf32, !t2x4xf32 -> tensor<4x4xf32>

// CHECK: cannot concatenate 'tensor<2x4xf32>' and 'tensor<2x4xf32>' along dimension 0 to 'tensor<2x8xf32>'
%0 = nv_tileaa.cat %t2x4xf32, %t2x4xf32 {dim = 0 : i64} : !t2x4xf32, !t2x4xf32 -> tensor<2x8xf32>

// CHECK: cannot concatenate 'tensor<2x4xf32>' and 'tensor<2x8xf32>' along dimension 0 to 'tensor<4x4xf32>'
%b = "test.op"() : () -> tensor<2x8xf32>
%0 = nv_tileaa.cat %t2x4xf32, %b {dim = 0 : i64} : !t2x4xf32, tensor<2x8xf32> -> tensor<4x4xf32>

// CHECK: expects one element type, but got 'f32', 'f16', 'f32'
%b = "test.op"() : () -> tensor<2x4xf16>
%0 = nv_tileaa.cat %t2x4xf32, %b {dim = 0 : i64} : !t2x4xf32, tensor<2x4xf16> -> tensor<4x4xf32>

// CHECK: expects 2 indices, but got 1
%0 = nv_tileaa.extract %t2x4xf32[%i32] : (!t2x4xf32, i32) -> f32

// CHECK: 'tensor<2x3xf32>' is not a slice of 'tensor<2x4xf32>'
%0 = nv_tileaa.extract %t2x4xf32[%i32, %i32] : (!t2x4xf32, i32, i32) -> tensor<2x3xf32>

// CHECK: 'tensor<2xf32>' is not a slice of 'tensor<2x4xf32>'
%0 = nv_tileaa.extract %t2x4xf32[%i32, %i32] : (!t2x4xf32, i32, i32) -> tensor<2xf32>

// CHECK: 'nv_tileaa.extract' op must be a scalar or tensor of numbers or pointers, but got 'tensor<2x0xf32>'
%0 = nv_tileaa.extract %t2x4xf32[%i32, %i32] : (!t2x4xf32, i32, i32) -> tensor<2x0xf32>

// CHECK: [[expects]]
%0 = nv_tileaa.extract %t2x4xf32[%i32, %i32] : (!t2x4xf32, i32, i32) -> f16

// CHECK: 'nv_tileaa.extract' op index should be of base attribute integer_type
%0 = nv_tileaa.extract %t2x4xf32[%index, %index] : (!t2x4xf32, index, index) -> f32

// CHECK: expects 2 indices, but got 1
%b = "test.op"() : () -> tensor<4x4xf32>
%0 = nv_tileaa.insert %t2x4xf32 into %b[%i32] : (!t2x4xf32, tensor<4x4xf32>, i32) -> tensor<4x4xf32>

// CHECK: 'tensor<2x4xf32>' is not a slice of 'tensor<4x2xf32>'
%b = "test.op"() : () -> tensor<4x2xf32>
%0 = nv_tileaa.insert %t2x4xf32 into %b[%i32, %i32] : (!t2x4xf32, tensor<4x2xf32>, i32, i32) -> tensor<4x2xf32>

// CHECK: [[expects]]
%b = "test.op"() : () -> tensor<4x4xf16>
%0 = nv_tileaa.insert %t2x4xf32 into %b[%i32, %i32] : (!t2x4xf32, tensor<4x4xf16>, i32, i32) -> tensor<4x4xf16>

// CHECK: expects a result of rank 1, but got 'tensor<8x8xi32>'
%0 = nv_tileaa.make_range %i32, %i32 : i32 to tensor<8x8xi32>

// CHECK: expects integers, but got 'tensor<8xf32>'
%0 = nv_tileaa.make_range %i32, %i32 : i32 to !t8xf32

// CHECK: 'nv_tileaa.make_range' op f32 should be of base attribute integer_type
%0 = nv_tileaa.make_range %f32, %f32 : f32 to !t8xf32
