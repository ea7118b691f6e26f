// RUN: tileiras-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

%acc, %tile = "test.op"() : () -> (tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>, tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>)
%stored = nv_tileas.tensor_memory_store %tile into %acc : tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>, tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>>
%loaded = nv_tileas.tensor_memory_load %stored : tensor<128x2xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1]]>> -> tensor<128x2xf32, #nv_tileas.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>

// Before layouts are assigned.

%a, %b = "test.op"() : () -> (tensor<128x64xf16>, tensor<128x64xf16>)
%c = nv_tileas.tensor_memory_store %a into %b : tensor<128x64xf16>, tensor<128x64xf16>
%d = nv_tileas.tensor_memory_load %c : tensor<128x64xf16> -> tensor<128x64xf16>

%e, %f = "test.op"() : () -> (tensor<128x64xf32>, tensor<128x1xf32>)
%g = nv_tileas.tensor_memory_scale %e by %f : tensor<128x64xf32>, tensor<128x1xf32>

%token = nv_tileas.commit_dots
nv_tileas.wait_dots %token
nv_tileas.tensor_memory_fence

// The agent whose first warp is that of the block is the one that works on tiles.
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
  nv_tileas.async.pipeline.yield
} {
  %done = nv_tileas.commit_dots
  nv_tileas.wait_dots %done
  nv_tileas.tensor_memory_fence
  nv_tileas.async.pipeline.yield
}
