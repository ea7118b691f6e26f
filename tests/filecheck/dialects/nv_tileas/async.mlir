// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!tiled_view = !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>
!t8x8xf32 = tensor<8x8xf32>
!async = !nv_tileas.async<tensor<8x8xf32>>
!tma_desc = !nv_tileas.tma_desc<8x8xf32>
%p, %m, %o, %b, %v, %i, %c, %mem, %bar = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, !tiled_view, i32, !t8x8xf32, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>, !llvm.ptr<3>)

%t0 = nv_tileas.async.load %p into %b : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
%t1 = nv_tileas.async.load %p into %b mask(%m : tensor<8xi1>) other(%o : tensor<8xf32>) {atom = #nv_tileas.atom<ldgsts>} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
%t2 = nv_tileas.async.tiled_load %v[%i, %i] into %c {padding_value = "zero"} : !tiled_view, !t8x8xf32, i32, i32
%t3 = nv_tileas.async.copy %o into %b : tensor<8xf32>, tensor<8xf32>
%f = nv_tileas.async.dot %c, %c, %c : !t8x8xf32, !t8x8xf32, !t8x8xf32 -> !async
%d = nv_tileas.async.future_wait %f : !async -> !t8x8xf32
%g = nv_tileas.async.to_async %d : !t8x8xf32 -> !async
%n = nv_tileas.create_none : !nv_tileas.async_token
nv_tileas.async.wait [%t0, %n] {pending = 1 : i32}
nv_tileas.async.wait []

%desc = nv_tileas.make_tiled_tma_desc %mem {swizzle_mode = "32B", oob_mode = "zero", tmaIdx = 0 : i32} : !nv_tileaa.memref<?x8xf32, strides = [8, 1]> -> !tma_desc
%t4 = nv_tileas.async.tiled_tma_load %desc[%i, %i] into %c barrier(%bar : !llvm.ptr<3>) {tmaIdx = 0 : i32, tx_count = 256 : i32} : !tma_desc, !t8x8xf32, i32, i32
%t5 = nv_tileas.async.tiled_tma_store %c, %desc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : !t8x8xf32, !tma_desc, i32, i32
%rows = "test.op"() : () -> tensor<8xi32>
%t6 = nv_tileas.async.gather_tma_load %desc[%rows, %i] into %c : !tma_desc, !t8x8xf32, tensor<8xi32>, i32
%t7 = nv_tileas.async.scatter_tma_store %c, %desc[%rows, %i] : !t8x8xf32, !tma_desc, tensor<8xi32>, i32
