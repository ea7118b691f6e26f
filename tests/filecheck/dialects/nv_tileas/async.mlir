// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s --match-full-lines

// CHECK:      %p, %m, %o, %b, %v, %i, %c, %mem, %bar = "test.op"() {{.*}}
%p, %m, %o, %b, %v, %i, %c, %mem, %bar = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, i32, tensor<8x8xf32>, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>, !llvm.ptr<3>)

// CHECK-NEXT: %t0 = nv_tileas.async.load %p into %b : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
%t0 = nv_tileas.async.load %p into %b : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
// CHECK-NEXT: %t1 = nv_tileas.async.load %p into %b mask(%m : tensor<8xi1>) other(%o : tensor<8xf32>) {atom = #nv_tileas.atom<ldgsts>} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
%t1 = nv_tileas.async.load %p into %b mask(%m : tensor<8xi1>) other(%o : tensor<8xf32>) {atom = #nv_tileas.atom<ldgsts>} : tensor<8x!llvm.ptr<1>>, tensor<8xf32>
// CHECK-NEXT: %t2 = nv_tileas.async.tiled_load %v[%i, %i] into %c {padding_value = "zero"} : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, tensor<8x8xf32>, i32, i32
%t2 = nv_tileas.async.tiled_load %v[%i, %i] into %c {padding_value = "zero"} : !nv_tileaa.tiled_view<8x8, !nv_tileaa.memref<?x8xf32, strides = [8, 1]>>, tensor<8x8xf32>, i32, i32
// CHECK-NEXT: %t3 = nv_tileas.async.copy %o into %b : tensor<8xf32>, tensor<8xf32>
%t3 = nv_tileas.async.copy %o into %b : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: %f = nv_tileas.async.dot %c, %c, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32> -> !nv_tileas.async<tensor<8x8xf32>>
%f = nv_tileas.async.dot %c, %c, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32> -> !nv_tileas.async<tensor<8x8xf32>>
// CHECK-NEXT: %d = nv_tileas.async.future_wait %f : !nv_tileas.async<tensor<8x8xf32>> -> tensor<8x8xf32>
%d = nv_tileas.async.future_wait %f : !nv_tileas.async<tensor<8x8xf32>> -> tensor<8x8xf32>
// CHECK-NEXT: %g = nv_tileas.async.to_async %d : tensor<8x8xf32> -> !nv_tileas.async<tensor<8x8xf32>>
%g = nv_tileas.async.to_async %d : tensor<8x8xf32> -> !nv_tileas.async<tensor<8x8xf32>>
// CHECK-NEXT: %n = nv_tileas.create_none : !nv_tileas.async_token
%n = nv_tileas.create_none : !nv_tileas.async_token
// CHECK-NEXT: nv_tileas.async.wait [%t0, %n] {pending = 1 : i32}
nv_tileas.async.wait [%t0, %n] {pending = 1 : i32}
// CHECK-NEXT: nv_tileas.async.wait []
nv_tileas.async.wait []

// CHECK-NEXT: %desc = nv_tileas.make_tiled_tma_desc %mem {swizzle_mode = "32B", oob_mode = "zero", tmaIdx = 0 : i32} : !nv_tileaa.memref<?x8xf32, strides = [8, 1]> -> !nv_tileas.tma_desc<8x8xf32>
%desc = nv_tileas.make_tiled_tma_desc %mem {swizzle_mode = "32B", oob_mode = "zero", tmaIdx = 0 : i32} : !nv_tileaa.memref<?x8xf32, strides = [8, 1]> -> !nv_tileas.tma_desc<8x8xf32>
// CHECK-NEXT: %t4 = nv_tileas.async.tiled_tma_load %desc[%i, %i] into %c barrier(%bar : !llvm.ptr<3>) {tmaIdx = 0 : i32, tx_count = 256 : i32} : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32, i32
%t4 = nv_tileas.async.tiled_tma_load %desc[%i, %i] into %c barrier(%bar : !llvm.ptr<3>) {tmaIdx = 0 : i32, tx_count = 256 : i32} : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32, i32
// CHECK-NEXT: %t5 = nv_tileas.async.tiled_tma_store %c, %desc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<8x8xf32>, !nv_tileas.tma_desc<8x8xf32>, i32, i32
%t5 = nv_tileas.async.tiled_tma_store %c, %desc[%i, %i] {atom = #nv_tileas.atom<tma_store>} : tensor<8x8xf32>, !nv_tileas.tma_desc<8x8xf32>, i32, i32
// CHECK-NEXT: %rows = "test.op"() : () -> tensor<8xi32>
%rows = "test.op"() : () -> tensor<8xi32>
// CHECK-NEXT: %t6 = nv_tileas.async.gather_tma_load %desc[%rows, %i] into %c : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, tensor<8xi32>, i32
%t6 = nv_tileas.async.gather_tma_load %desc[%rows, %i] into %c : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, tensor<8xi32>, i32
// CHECK-NEXT: %t7 = nv_tileas.async.scatter_tma_store %c, %desc[%rows, %i] : tensor<8x8xf32>, !nv_tileas.tma_desc<8x8xf32>, tensor<8xi32>, i32
%t7 = nv_tileas.async.scatter_tma_store %c, %desc[%rows, %i] : tensor<8x8xf32>, !nv_tileas.tma_desc<8x8xf32>, tensor<8xi32>, i32
