// RUN: tileiras-opt %s -p 'split-tiles{accumulator-elements=1024}' | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "rows", "accumulators of 64x32 do not fit in the registers of a CTA: tiles are split into 2 parts of 32x32 along dimension 0, one after the other", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "columns", "accumulators of 64x32 do not fit in the registers of a CTA: tiles are split into 2 parts of 64x16 along dimension 1, one after the other", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Tiles", "", "ordered", "accumulators of 64x32 do not fit in registers and are not split: along dimension 0, 'nv_tileaa.tiled_store' is ordered behind 'nv_tileaa.tiled_load' of other parts; along dimension 1, 'nv_tileaa.tiled_store' is ordered behind 'nv_tileaa.tiled_load' of other parts", ""

!memory = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
!rows = !nv_tileaa.tiled_view<64x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, padding = zero>
!columns = !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
!result = !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
!token = !nv_tileaa.mem_token

builtin.module attributes {tileiras.remarks = []} {
gpu.module @kernels {
  // The rows of a product are parallel, with a loop that carries the accumulator, a range and the
  // store. Scalars and what one piece shares with the other are not cut. The token of the store is
  // that of all pieces.

  gpu.func @rows(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
    %vc = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !result
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<64x32xf32>
    %range = nv_tileaa.make_range %c0, %c64 : i32 to tensor<64xi32>
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %t) -> (!token) : i32 {
      %d = scf.for %k = %c0 to %c4 step %c1 iter_args(%c = %acc) -> (tensor<64x32xf32>) : i32 {
        %x, %t1 = nv_tileaa.tiled_load %va[%i, %k] token(%t) {padding_value = "zero"} : !rows, i32, i32 -> tensor<64x16xf32>, !token
        %y, %t2 = nv_tileaa.tiled_load %vb[%k, %c0] token(%t) : !columns, i32, i32 -> tensor<16x32xf32>, !token
        %e = nv_tileaa.dot %x, %y, %c {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>
        scf.yield %e : tensor<64x32xf32>
      }
      %f = arith.sitofp %range : tensor<64xi32> to tensor<64xf32>
      %g = nv_tileaa.expand_dims %f {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %h = nv_tileaa.broadcast %g : tensor<64x1xf32> -> tensor<64x32xf32>
      %s = nv_tileaa.addf %d, %h : tensor<64x32xf32>
      %t3 = nv_tileaa.tiled_store %s, %vc[%i, %c0] token(%before) : tensor<64x32xf32>, !result, i32, i32 -> !token
      scf.yield %t3 : !token
    }
    gpu.return
  }

  // Rows are reduced, so columns are split.

  gpu.func @columns(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
    %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !nv_tileaa.memref<32xf32, strides = [1]>
    %vc = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32>, dimGroups = [[0 : i64]]} : !nv_tileaa.memref<32xf32, strides = [1]> -> !nv_tileaa.tiled_view<32, !nv_tileaa.memref<32xf32, strides = [1]>>
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<64x32xf32>
    %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) {padding_value = "zero"} : !rows, i32, i32 -> tensor<64x16xf32>, !token
    %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !columns, i32, i32 -> tensor<16x32xf32>, !token
    %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>
    %r = nv_tileaa.reduce %d {axis = 0 : i32, identities = [0.0 : f32]} : tensor<64x32xf32> -> tensor<32xf32> {
    ^bb0(%p: f32, %q: f32):
      %sum = nv_tileaa.addf %p, %q : f32
      nv_tileaa.yield %sum : f32
    }
    %t3 = nv_tileaa.tiled_store %r, %vc[%c0] token(%t) : tensor<32xf32>, !nv_tileaa.tiled_view<32, !nv_tileaa.memref<32xf32, strides = [1]>>, i32 -> !token
    gpu.return
  }

  // All of the load comes before the store, which may touch what other pieces load.

  gpu.func @ordered(%a: !llvm.ptr<1>, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
    %vc = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !result
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<64x32xf32>
    %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) {padding_value = "zero"} : !rows, i32, i32 -> tensor<64x16xf32>, !token
    %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !columns, i32, i32 -> tensor<16x32xf32>, !token
    %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>
    %t3 = nv_tileaa.join_mem_token [%t1, %t2] : !token
    %t4 = nv_tileaa.tiled_store %d, %vc[%c0, %c0] token(%t3) : tensor<64x32xf32>, !result, i32, i32 -> !token
    gpu.return
  }
}
}

// CHECK-NEXT:    gpu.module @kernels {
// CHECK-NEXT:      gpu.func @rows(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %c1 = arith.constant 1 : i32
// CHECK-NEXT:        %c4 = arith.constant 4 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %t) -> (!nv_tileaa.mem_token) : i32 {
// CHECK-NEXT:          %0 = arith.constant 0 : i32
// CHECK-NEXT:          %1 = arith.constant 2 : i32
// CHECK-NEXT:          %2 = arith.constant 1 : i32
// CHECK-NEXT:          %3 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:          %4 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view1
// CHECK-NEXT:          %5 = arith.extsi %i : i32 to i64
// CHECK-NEXT:          %6 = arith.constant 2 : i64
// CHECK-NEXT:          %7 = nv_tileaa.muli %5, %6 : i64
// CHECK-NEXT:          %8 = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view2
// CHECK-NEXT:          %9 = arith.extsi %c0 : i32 to i64
// CHECK-NEXT:          %t3 = scf.for %10 = %0 to %1 step %2 iter_args(%11 = %3) -> (!nv_tileaa.mem_token) : i32 {
// CHECK-NEXT:            %12 = nv_tileaa.splat %zero : f32 to tensor<32x32xf32>
// CHECK-NEXT:            %13 = arith.extsi %10 : i32 to i64
// CHECK-NEXT:            %14 = nv_tileaa.addi %7, %13 : i64
// CHECK-NEXT:            %15 = arith.constant 32 : i32
// CHECK-NEXT:            %16 = nv_tileaa.muli %10, %15 : i32
// CHECK-NEXT:            %17 = nv_tileaa.addi %c0, %16 : i32
// CHECK-NEXT:            %18 = nv_tileaa.addi %17, %15 : i32
// CHECK-NEXT:            %19 = nv_tileaa.make_range %17, %18 : i32 to tensor<32xi32>
// CHECK-NEXT:            %20 = scf.for %21 = %c0 to %c4 step %c1 iter_args(%22 = %12) -> (tensor<32x32xf32>) : i32 {
// CHECK-NEXT:              %23 = arith.extsi %21 : i32 to i64
// CHECK-NEXT:              %24, %25 = nv_tileaa.tiled_load %4[%14, %23] token(%t) {padding_value = "zero"} : !tiled_view1, i64, i64 -> tensor<32x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:              %y, %t2 = nv_tileaa.tiled_load %vb[%21, %c0] token(%t) : !tiled_view0, i32, i32 -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:              %26 = nv_tileaa.dot %24, %y, %22 {input_precision = "ieee"} : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:              scf.yield %26 : tensor<32x32xf32>
// CHECK-NEXT:            }
// CHECK-NEXT:            %27 = arith.sitofp %19 : tensor<32xi32> to tensor<32xf32>
// CHECK-NEXT:            %28 = nv_tileaa.expand_dims %27 {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
// CHECK-NEXT:            %29 = nv_tileaa.broadcast %28 : tensor<32x1xf32> -> tensor<32x32xf32>
// CHECK-NEXT:            %30 = nv_tileaa.addf %20, %29 : tensor<32x32xf32>
// CHECK-NEXT:            %31 = nv_tileaa.tiled_store %30, %8[%14, %9] token(%before) : tensor<32x32xf32>, !tiled_view2, i64, i64 -> !nv_tileaa.mem_token
// CHECK-NEXT:            %32 = nv_tileaa.join_mem_token [%11, %31] : !nv_tileaa.mem_token
// CHECK-NEXT:            scf.yield %32 : !nv_tileaa.mem_token
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %t3 : !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.func @columns(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !memref1
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %0 = arith.constant 0 : i32
// CHECK-NEXT:        %1 = arith.constant 2 : i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view4
// CHECK-NEXT:        %4 = nv_tileaa.block_tile %mb {tileSizes = array<i64: 16>, dimGroups = [[0 : i64]]} : !memref1 -> !tiled_view5
// CHECK-NEXT:        scf.for %5 = %0 to %1 step %2 : i32 {
// CHECK-NEXT:          %6 = nv_tileaa.splat %zero : f32 to tensor<64x16xf32>
// CHECK-NEXT:          %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) {padding_value = "zero"} : !tiled_view3, i32, i32 -> tensor<64x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %7, %8 = nv_tileaa.tiled_load %3[%c0, %5] token(%t) : !tiled_view4, i32, i32 -> tensor<16x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %9 = nv_tileaa.dot %x, %7, %6 {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>
// CHECK-NEXT:          %10 = nv_tileaa.reduce %9 {axis = 0 : i32, identities = [0.000000e+00 : f32]} : tensor<64x16xf32> -> tensor<16xf32> {
// CHECK-NEXT:          ^bb0(%p: f32, %q: f32):
// CHECK-NEXT:            %sum = nv_tileaa.addf %p, %q : f32
// CHECK-NEXT:            nv_tileaa.yield %sum : f32
// CHECK-NEXT:          }
// CHECK-NEXT:          %11 = nv_tileaa.tiled_store %10, %4[%5] token(%t) : tensor<16xf32>, !tiled_view5, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.func @ordered(%a: !llvm.ptr<1>, %n: i32) kernel {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:        %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        %vc = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view6
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %acc = nv_tileaa.splat %zero : f32 to tensor<64x32xf32>
// CHECK-NEXT:        %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) {padding_value = "zero"} : !tiled_view3, i32, i32 -> tensor<64x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:        %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !tiled_view0, i32, i32 -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:        %d = nv_tileaa.dot %x, %y,
// CHECK-SAME:            %acc {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>
// CHECK-NEXT:        %t3 = nv_tileaa.join_mem_token [%t1, %t2] : !nv_tileaa.mem_token
// CHECK-NEXT:        %t4 = nv_tileaa.tiled_store %d, %vc[%c0, %c0] token(%t3) : tensor<64x32xf32>, !tiled_view6, i32, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
