// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

%map, %p, %x, %s = "test.op"() : () -> (!nvgpu.tensormap.descriptor, !llvm.ptr<1>, i32, i64)
nvgpu.tma.rebind.descriptor %map, %p dims[%x, %x] strides[%s] : !nvgpu.tensormap.descriptor, !llvm.ptr<1>
nvgpu.tma.rebind.descriptor %map, %s dims[%x] strides[] {scope = #nvvm.mem_scope<sys>} : !nvgpu.tensormap.descriptor, i64

%a, %c = "test.op"() : () -> (i64, vector<8xf32>)
// PRINTS: %0 = nvgpu.warpgroup.mma %a, %a, %c {shape = [64 : i64, 8 : i64, 16 : i64], m_tiles = 2 : i32, a_tile_step = 512 : i64} : i64, i64, vector<8xf32>
%0 = nvgpu.warpgroup.mma %a, %a, %c {shape = [64, 8, 16], m_tiles = 2 : i32, a_tile_step = 512 : i64} : i64, i64, vector<8xf32>
