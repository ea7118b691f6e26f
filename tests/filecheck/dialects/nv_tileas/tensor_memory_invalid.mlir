// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expects the shape and the elements of 'tensor<128x64xf32>', but got 'tensor<64x128xf32>'
%t = "test.op"() : () -> tensor<128x64xf32>
%r = nv_tileas.tensor_memory_load %t : tensor<128x64xf32> -> tensor<64x128xf32>

// -----

// CHECK: expects the shape and the elements of 'tensor<128x64xf32>', but got 'tensor<128x64xf16>'
%t = "test.op"() : () -> tensor<128x64xf32>
%r = nv_tileas.tensor_memory_load %t : tensor<128x64xf32> -> tensor<128x64xf16>

// -----

// CHECK: expects a tile in tensor memory, but got 'tensor<128x2xf32, #nv_tileas.layout<
%t = "test.op"() : () -> tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>
%r = nv_tileas.tensor_memory_load %t : tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>> -> tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>

// -----

// CHECK: expects a tile in registers, but got 'tensor<128x2xf32, #nv_tileas.tensor_memory<
%t = "test.op"() : () -> tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>
%r = nv_tileas.tensor_memory_load %t : tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>> -> tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>

// -----

// CHECK: expects the shape and the elements of 'tensor<64x128xf32>', but got 'tensor<128x64xf32>'
%r, %t = "test.op"() : () -> (tensor<128x64xf32>, tensor<64x128xf32>)
%s = nv_tileas.tensor_memory_store %r into %t : tensor<128x64xf32>, tensor<64x128xf32>

// -----

// CHECK: expects the shape and the elements of 'tensor<128x64xf16>', but got 'tensor<128x64xf32>'
%r, %t = "test.op"() : () -> (tensor<128x64xf32>, tensor<128x64xf16>)
%s = nv_tileas.tensor_memory_store %r into %t : tensor<128x64xf32>, tensor<128x64xf16>

// -----

// CHECK: expects a tile in registers, but got 'tensor<128x2xf32, #nv_tileas.tensor_memory<
%r, %t = "test.op"() : () -> (tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>, tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>)
%s = nv_tileas.tensor_memory_store %r into %t : tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>, tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>

// -----

// CHECK: expects a tile in tensor memory, but got 'tensor<128x2xf32, #nv_tileas.layout<
%r, %t = "test.op"() : () -> (tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>, tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>)
%s = nv_tileas.tensor_memory_store %r into %t : tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>, tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>

// -----

// CHECK: expects a matrix of f32, but got 'tensor<128x64xf16>'
%t, %f = "test.op"() : () -> (tensor<128x64xf16>, tensor<128x1xf32>)
%s = nv_tileas.tensor_memory_scale %t by %f : tensor<128x64xf16>, tensor<128x1xf32>

// -----

// CHECK: expects 128 factors for 'tensor<128x64xf32>', but got 'tensor<64x1xf32>'
%t, %f = "test.op"() : () -> (tensor<128x64xf32>, tensor<64x1xf32>)
%s = nv_tileas.tensor_memory_scale %t by %f : tensor<128x64xf32>, tensor<64x1xf32>

// -----

// CHECK: expects 128 factors for 'tensor<128x64xf32>', but got 'tensor<128x64xf32>'
%t, %f = "test.op"() : () -> (tensor<128x64xf32>, tensor<128x64xf32>)
%s = nv_tileas.tensor_memory_scale %t by %f : tensor<128x64xf32>, tensor<128x64xf32>

// -----

// CHECK: operand 'token' at position 0 does not verify
%token = "test.op"() : () -> i32
"nv_tileas.wait_dots"(%token) : (i32) -> ()

// -----

// CHECK: result 'result' at position 0 does not verify
%token = "nv_tileas.commit_dots"() : () -> i32

// -----

// CHECK: agent 1 begins with warp 4: one thread of it runs, and the others never arrive
"nv_tileas.async.pipeline.agent_switch"() <{num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>}> ({
  nv_tileas.async.pipeline.yield
}, {
  %token = nv_tileas.commit_dots
  nv_tileas.async.pipeline.yield
}) : () -> ()

// -----

%token = "test.op"() : () -> !nv_tileas.async.token
// CHECK: agent 1 begins with warp 4: one thread of it runs, and the others never arrive
"nv_tileas.async.pipeline.agent_switch"() <{num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>}> ({
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.wait_dots %token
  nv_tileas.async.pipeline.yield
}) : () -> ()

// -----

// CHECK: agent 1 begins with warp 4: one thread of it runs, and the others never arrive
"nv_tileas.async.pipeline.agent_switch"() <{num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>}> ({
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.tensor_memory_fence
  nv_tileas.async.pipeline.yield
}) : () -> ()
