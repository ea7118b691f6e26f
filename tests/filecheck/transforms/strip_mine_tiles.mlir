// RUN: tileiras-opt %s -p 'strip-mine-tiles{tile-bytes=8192}' | filecheck %s
// RUN: tileiras-opt %s -p 'strip-mine-tiles{tile-bytes=16384}' | filecheck %s --check-prefix WHOLE

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "Resources", "", "store", "a tile of 'tensor<64x64xf32>' does not fit in registers: the stored tile is computed in 8 parts, one after the other", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Resources", "", "dot", "the operands of the dot have 16384 bytes, which do not fit in shared memory: K is cut into 8 parts, one after the other", ""

// A tile that takes all registers leaves none to addresses: it is cut, and operands of dots are not.

// WHOLE: "a tile of 'tensor<64x64xf32>' does not fit in registers: the stored tile is computed in 4 parts
// WHOLE-LABEL: gpu.func @store
// WHOLE: scf.for
// WHOLE: nv_tileaa.tiled_store {{.*}} : tensor<16x64xf32>
// WHOLE-LABEL: gpu.func @dot
// WHOLE-NOT: scf.for

!memory = !nv_tileaa.memref<64x64xf32, strides = [64, 1]>
!view = !nv_tileaa.tiled_view<64x64, !nv_tileaa.memref<64x64xf32, strides = [64, 1]>>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @kernels {
  // A store is cut with what it stores, along the first dimension.

  gpu.func @store(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %i: i32) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %ma = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memory
    %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !view
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 64, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !view
    %c0 = arith.constant 0 : i32
    %x, %t1 = nv_tileaa.tiled_load %va[%i, %c0] token(%t) : !view, i32, i32 -> tensor<64x64xf32>, !nv_tileaa.mem_token
    %e = nv_tileaa.exp %x : tensor<64x64xf32>
    %t2 = nv_tileaa.tiled_store %e, %vb[%c0, %c0] token(%t) : tensor<64x64xf32>, !view, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // The operands of a dot are cut along K; the accumulator is carried.

  gpu.func @dot(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %ma = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<32x64, !memory>
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<64x32, !memory>
    %c0 = arith.constant 0 : i32
    %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) : !nv_tileaa.tiled_view<32x64, !memory>, i32, i32 -> tensor<32x64xf32>, !nv_tileaa.mem_token
    %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !nv_tileaa.tiled_view<64x32, !memory>, i32, i32 -> tensor<64x32xf32>, !nv_tileaa.mem_token
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<32x32xf32>
    %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
    %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !memory
    %vd = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<32x32, !memory>
    %t3 = nv_tileaa.tiled_store %d, %vd[%c0, %c0] token(%t) : tensor<32x32xf32>, !nv_tileaa.tiled_view<32x32, !memory>, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}
}

// CHECK-NEXT:    gpu.module @kernels {
// CHECK-NEXT:      gpu.func @store(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %i: i32) kernel {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %0 = arith.constant 0 : i32
// CHECK-NEXT:        %1 = arith.constant 8 : i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 8, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        %4 = arith.extsi %i : i32 to i64
// CHECK-NEXT:        %5 = arith.constant 8 : i64
// CHECK-NEXT:        %6 = nv_tileaa.muli %4, %5 : i64
// CHECK-NEXT:        %7 = arith.extsi %c0 : i32 to i64
// CHECK-NEXT:        %8 = nv_tileaa.block_tile %mb {tileSizes = array<i64: 8, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        scf.for %9 = %0 to %1 step %2 : i32 {
// CHECK-NEXT:          %10 = arith.extsi %9 : i32 to i64
// CHECK-NEXT:          %11 = nv_tileaa.addi %6, %10 : i64
// CHECK-NEXT:          %12, %13 = nv_tileaa.tiled_load %3[%11, %7] token(%t) : !tiled_view0, i64, i64 -> tensor<8x64xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %14 = nv_tileaa.exp %12 : tensor<8x64xf32>
// CHECK-NEXT:          %15 = nv_tileaa.tiled_store %14, %8[%9, %c0] token(%t) : tensor<8x64xf32>, !tiled_view0, i32, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.func @dot(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) kernel {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %acc = nv_tileaa.splat %zero : f32 to tensor<32x32xf32>
// CHECK-NEXT:        %0 = arith.constant 0 : i32
// CHECK-NEXT:        %1 = arith.constant 8 : i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view1
// CHECK-NEXT:        %4 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 8, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view2
// CHECK-NEXT:        %d = scf.for %5 = %0 to %1 step %2 iter_args(%6 = %acc) -> (tensor<32x32xf32>) : i32 {
// CHECK-NEXT:          %7, %8 = nv_tileaa.tiled_load %3[%c0, %5] token(%t) : !tiled_view1, i32, i32 -> tensor<32x8xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %9, %10 = nv_tileaa.tiled_load %4[%5, %c0] token(%t) : !tiled_view2, i32, i32 -> tensor<8x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %11 = nv_tileaa.dot %7, %9, %6 {input_precision = "ieee"} : tensor<32x8xf32>, tensor<8x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:          scf.yield %11 : tensor<32x32xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %vd = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:        %t3 = nv_tileaa.tiled_store %d, %vd[%c0, %c0] token(%t) : tensor<32x32xf32>, !tiled_view3, i32, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
