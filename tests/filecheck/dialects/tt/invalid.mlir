// RUN: TILEIRAS_VERIFY_INVALID

%p, %s, %i = "test.op"() : () -> (tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, tensor<8xi32>)
%x, %h, %m, %f, %n = "test.op"() : () -> (tensor<8xf32>, tensor<8xf16>, tensor<8xi1>, f32, i32)
%a, %b, %c = "test.op"() : () -> (tensor<16x32xf16>, tensor<16x32xf16>, tensor<16x16xf32>)
%d, %r = "test.op"() : () -> (!tt.tensordesc<8x32xf32>, tensor<4x4xf32>)

// -----

// CHECK: 'tt.addptr' op expects the offsets to be a tensor of shape 8, but got 'i32'
%0 = tt.addptr %p, %n : tensor<8x!tt.ptr<f32>>, i32

// CHECK: expects pointers, but got 'f32'
%0 = tt.addptr %f, %n : f32, i32

// CHECK: 'tt.load' op expects a mask of type 'tensor<8xi1>', but got 'tensor<8xi32>'
%0 = "tt.load"(%p, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8xf32>

// CHECK: 'tt.load' op has other values, but no mask
%0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>

// CHECK: 'cache' must be one of none, ca, cg, wb, cs, wt, cv
%0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>, cache = 9 : i32}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf32>

// CHECK: 'tt.store' op expects values of type 'tensor<8xf32>', but got 'tensor<8xf16>'
"tt.store"(%p, %h) : (tensor<8x!tt.ptr<f32>>, tensor<8xf16>) -> ()

// CHECK: 'tt.atomic_rmw' op expects values of type 'tensor<8xf32>', but got 'tensor<8xi32>'
%0 = tt.atomic_rmw add, relaxed, gpu, %p, %i : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8xi32>

// CHECK: 'tt.splat' op expects the operand to be a scalar, but got 'tensor<8xf32>'
%0 = tt.splat %x : tensor<8xf32> -> tensor<8xf32>

// CHECK: 'tt.expand_dims' op expects the result to be a tensor of shape 1x8, but got 'tensor<8x1xf32>'
%0 = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>

// CHECK: 'tt.expand_dims' op expects an axis below 2, but got 2
%0 = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>

// CHECK: 'tt.broadcast' op cannot broadcast 'tensor<8xf32>' to 'tensor<16xf32>'
%0 = tt.broadcast %x : tensor<8xf32> -> tensor<16xf32>

// CHECK: 'tt.reshape' op cannot reshape 'tensor<8xf32>' to 'tensor<4x4xf32>'
%0 = tt.reshape %x : tensor<8xf32> -> tensor<4x4xf32>

// CHECK: 'tt.trans' op expects a permutation of 2 dimensions, but got [0, 0]
%0 = tt.trans %r {order = array<i32: 0, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>

// CHECK: 'tt.make_range' op expects the result to be a tensor of shape 8, but got 'tensor<16xi32>'
%0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<16xi32>

// CHECK: 'tt.dot' op expects columns of a as many as rows of b, but got 32 and 16
%0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x16xf32>

// CHECK: 'tt.split' op expects a last dimension of extent 2, but got 'tensor<4x4xf32>'
%0, %1 = tt.split %r : tensor<4x4xf32> -> tensor<4xf32>

// CHECK: 'tt.descriptor_load' op expects a block like 'tensor<8x32xf32>', but got 'tensor<8xf32>'
%0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<8x32xf32> -> tensor<8xf32>

// CHECK: 'tt.descriptor_load' op expects 2 indices, but got 1
%0 = tt.descriptor_load %d[%n] : !tt.tensordesc<8x32xf32> -> tensor<8x32xf32>

// CHECK: 'tt.descriptor_gather' op expects a descriptor of single rows, but got '!tt.tensordesc<8x32xf32>'
%0 = tt.descriptor_gather %d[%i, %n] : (!tt.tensordesc<8x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>

// CHECK: 'tt.reduce' op expects a region that takes two elements of each operand
%0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
^bb0(%u: f32):
  tt.reduce.return %u : f32
}) : (tensor<8xf32>) -> f32

// CHECK: 'tt.return' op expects values of types ('f32'), which the function returns
tt.func private @f() -> f32 {
  tt.return
}
