// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!tiled_view = !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>
!tiled_view_1 = !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>, sparse_dim = 0>
%p, %ps, %m, %x, %v, %s, %g, %i = "test.op"() : () -> (!llvm.ptr<1>, tensor<8x!llvm.ptr<1>>, tensor<8xi1>, tensor<8xf32>, !tiled_view, tensor<8x8xf32>, !tiled_view_1, i32)
%rows, %t = "test.op"() : () -> (tensor<8xi32>, !nv_tileaa.mem_token)

// As in nv_tileaa, with an atom.

%a = nv_tileas.load %p : !llvm.ptr<1> -> f32
%b, %t1 = nv_tileas.load %ps mask(%m : tensor<8xi1>) other(%x : tensor<8xf32>) token(%t) {atom = #nv_tileas.atom<ldg>, mem_semantic = "relaxed", mem_scope = "gpu"} : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
nv_tileas.store %ps, %x mask(%m : tensor<8xi1>) {atom = #nv_tileas.atom<stg>} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
%c = nv_tileas.tiled_load %v[%i, %i] {atom = #nv_tileas.atom<tma_load>, in_bounds = array<i1: true, true>} : !tiled_view, i32, i32 -> tensor<8x8xf32>
nv_tileas.tiled_store %c, %v[%i, %i] {atom = #nv_tileas.atom<unknown_copy>} : tensor<8x8xf32>, !tiled_view, i32, i32
nv_tileas.tiled_atomic_rmw %v[%i, %i], %c {atom = #nv_tileas.atom<tma_redg>, rmw_mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : !tiled_view, tensor<8x8xf32>, i32, i32
%d = nv_tileas.gather_load %g[%rows, %i] : !tiled_view_1, tensor<8xi32>, i32 -> tensor<8x8xf32>
nv_tileas.scatter_store %d, %g[%rows, %i] : tensor<8x8xf32>, !tiled_view_1, tensor<8xi32>, i32

// Buffers and copies.

%e = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<tmem>} : tensor<8x8xf32>
%f = nv_tileas.alloc_tensor : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
%f1 = nv_tileas.copy %x into(%f : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>) {atom = #nv_tileas.atom<sts>} : tensor<8xf32> -> tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>>
%f2 = nv_tileas.copy %f1 {atom = #nv_tileas.atom<lds>} : tensor<8xf32, #nv_tileas.shared<offset = [[1], [2], [4]]>> -> tensor<8xf32>
%g1 = nv_tileas.pad %s, %v[%i, %i] {in_bounds = array<i1: false, true>, padding_value = "neg_inf"} : tensor<8x8xf32>, !tiled_view, i32, i32 -> tensor<8x8xf32>
