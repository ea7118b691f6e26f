// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// CHECK: expects a scalar, but got 'tensor<8xf32>'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.splat %a : tensor<8xf32> to tensor<8x8xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16'
%a = "test.op"() : () -> f32
%0 = nv_tileaa.splat %a : f32 to tensor<8xf16>

// -----

// CHECK: 'nv_tileaa.splat' op must be a tensor of static shape of numbers or pointers, but got 'f32'
%a = "test.op"() : () -> f32
%0 = nv_tileaa.splat %a : f32 to f32

// -----

// CHECK: 'nv_tileaa.splat' op must be a tensor of static shape of numbers or pointers, but got 'tensor<?xf32>'
%a = "test.op"() : () -> f32
%0 = nv_tileaa.splat %a : f32 to tensor<?xf32>

// -----

// CHECK: 'nv_tileaa.splat' op must be a scalar or tensor of numbers or pointers, but got 'index'
%a = "test.op"() : () -> index
%0 = nv_tileaa.splat %a : index to tensor<8xindex>

// -----

// CHECK: expects as many elements as in 'tensor<8xf32>', but got 'tensor<4x4xf32>'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.view %a : tensor<8xf32> -> tensor<4x4xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'i32'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.view %a : tensor<8xf32> -> tensor<8xi32>

// -----

// CHECK: expects as many elements as in 'tensor<8xf32>', but got 'f32'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.view %a : tensor<8xf32> -> f32

// -----

// CHECK: 'nv_tileaa.view' op must be a tensor of static shape of numbers or pointers, but got 'f32'
%a = "test.op"() : () -> f32
%0 = nv_tileaa.view %a : f32 -> tensor<1xf32>

// -----

// CHECK: cannot broadcast 'tensor<4xf32>' to 'tensor<8xf32>'
%a = "test.op"() : () -> tensor<4xf32>
%0 = nv_tileaa.broadcast %a : tensor<4xf32> -> tensor<8xf32>

// -----

// CHECK: cannot broadcast 'tensor<1xf32>' to 'tensor<1x8xf32>'
%a = "test.op"() : () -> tensor<1xf32>
%0 = nv_tileaa.broadcast %a : tensor<1xf32> -> tensor<1x8xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16'
%a = "test.op"() : () -> tensor<1xf32>
%0 = nv_tileaa.broadcast %a : tensor<1xf32> -> tensor<8xf16>

// -----

// CHECK: axis 2 is not within 0 and 1
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>

// -----

// CHECK: axis -1 is not within 0 and 1
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>

// -----

// CHECK: expects a result of shape [1, 8], but got 'tensor<8x1xf32>'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'i32'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xi32>

// -----

// CHECK: 'nv_tileaa.expand_dims' op Expected attribute i32 but got i64
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a {axis = 0 : i64} : tensor<8xf32> -> tensor<1x8xf32>

// -----

// CHECK: requires attribute 'axis'
%a = "test.op"() : () -> tensor<8xf32>
%0 = nv_tileaa.expand_dims %a : tensor<8xf32> -> tensor<1x8xf32>

// -----

// CHECK: expects a permutation of 2 dimensions, but got [0, 0]
%a = "test.op"() : () -> tensor<2x4xf32>
%0 = nv_tileaa.permute %a {permutation = array<i32: 0, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>

// -----

// CHECK: cannot permute 'tensor<2x4xf32>' to 'tensor<2x4xf32>'
%a = "test.op"() : () -> tensor<2x4xf32>
%0 = nv_tileaa.permute %a {permutation = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<2x4xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16'
%a = "test.op"() : () -> tensor<2x4xf32>
%0 = nv_tileaa.permute %a {permutation = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf16>

// -----

// CHECK: dimension 0 is not one of both operands
%a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<4xf32>)
%0 = nv_tileaa.cat %a, %b {dim = 0 : i64} : tensor<2x4xf32>, tensor<4xf32> -> tensor<3x4xf32>

// -----

// CHECK: dimension 2 is not one of both operands
%a = "test.op"() : () -> tensor<2x4xf32>
%0 = nv_tileaa.cat %a, %a {dim = 2 : i64} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>

// -----

// CHECK: cannot concatenate 'tensor<2x4xf32>' and 'tensor<2x4xf32>' along dimension 0 to 'tensor<2x8xf32>'
%a = "test.op"() : () -> tensor<2x4xf32>
%0 = nv_tileaa.cat %a, %a {dim = 0 : i64} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>

// -----

// CHECK: cannot concatenate 'tensor<2x4xf32>' and 'tensor<2x8xf32>' along dimension 0 to 'tensor<4x4xf32>'
%a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<2x8xf32>)
%0 = nv_tileaa.cat %a, %b {dim = 0 : i64} : tensor<2x4xf32>, tensor<2x8xf32> -> tensor<4x4xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16', 'f32'
%a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<2x4xf16>)
%0 = nv_tileaa.cat %a, %b {dim = 0 : i64} : tensor<2x4xf32>, tensor<2x4xf16> -> tensor<4x4xf32>

// -----

// CHECK: expects 2 indices, but got 1
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, i32)
%0 = nv_tileaa.extract %a[%i] : (tensor<2x4xf32>, i32) -> f32

// -----

// CHECK: 'tensor<2x3xf32>' is not a slice of 'tensor<2x4xf32>'
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, i32)
%0 = nv_tileaa.extract %a[%i, %i] : (tensor<2x4xf32>, i32, i32) -> tensor<2x3xf32>

// -----

// CHECK: 'tensor<2xf32>' is not a slice of 'tensor<2x4xf32>'
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, i32)
%0 = nv_tileaa.extract %a[%i, %i] : (tensor<2x4xf32>, i32, i32) -> tensor<2xf32>

// -----

// CHECK: 'nv_tileaa.extract' op must be a scalar or tensor of numbers or pointers, but got 'tensor<2x0xf32>'
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, i32)
%0 = nv_tileaa.extract %a[%i, %i] : (tensor<2x4xf32>, i32, i32) -> tensor<2x0xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16'
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, i32)
%0 = nv_tileaa.extract %a[%i, %i] : (tensor<2x4xf32>, i32, i32) -> f16

// -----

// CHECK: 'nv_tileaa.extract' op index should be of base attribute integer_type
%a, %i = "test.op"() : () -> (tensor<2x4xf32>, index)
%0 = nv_tileaa.extract %a[%i, %i] : (tensor<2x4xf32>, index, index) -> f32

// -----

// CHECK: expects 2 indices, but got 1
%a, %b, %i = "test.op"() : () -> (tensor<2x4xf32>, tensor<4x4xf32>, i32)
%0 = nv_tileaa.insert %a into %b[%i] : (tensor<2x4xf32>, tensor<4x4xf32>, i32) -> tensor<4x4xf32>

// -----

// CHECK: 'tensor<2x4xf32>' is not a slice of 'tensor<4x2xf32>'
%a, %b, %i = "test.op"() : () -> (tensor<2x4xf32>, tensor<4x2xf32>, i32)
%0 = nv_tileaa.insert %a into %b[%i, %i] : (tensor<2x4xf32>, tensor<4x2xf32>, i32, i32) -> tensor<4x2xf32>

// -----

// CHECK: expects one element type, but got 'f32', 'f16'
%a, %b, %i = "test.op"() : () -> (tensor<2x4xf32>, tensor<4x4xf16>, i32)
%0 = nv_tileaa.insert %a into %b[%i, %i] : (tensor<2x4xf32>, tensor<4x4xf16>, i32, i32) -> tensor<4x4xf16>

// -----

// CHECK: expects a result of rank 1, but got 'tensor<8x8xi32>'
%i = "test.op"() : () -> i32
%0 = nv_tileaa.make_range %i, %i : i32 to tensor<8x8xi32>

// -----

// CHECK: expects integers, but got 'tensor<8xf32>'
%i = "test.op"() : () -> i32
%0 = nv_tileaa.make_range %i, %i : i32 to tensor<8xf32>

// -----

// CHECK: 'nv_tileaa.make_range' op f32 should be of base attribute integer_type
%i = "test.op"() : () -> f32
%0 = nv_tileaa.make_range %i, %i : f32 to tensor<8xf32>
