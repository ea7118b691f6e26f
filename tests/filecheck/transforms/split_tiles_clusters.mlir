// RUN: tileiras-opt %s -p 'split-tiles{compute-capability=sm_90 accumulator-elements=1024 abi=device-maps}' | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "hint", "tiles with accumulators of 128x32 are split into 4 parts of 32x32 along dimension 0, for 2 CTAs of a cluster", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "grid_stride", "tiles with accumulators of 32x16 are split into 2 parts of 16x16 along dimension 0, for 2 CTAs of a cluster", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "outside", "accumulators of 64x32 do not fit in the registers of a CTA: tiles are split into 2 parts of 32x32 along dimension 0, one after the other", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Hints", "", "outside", "num_cta_in_cga = 2 is ignored, every tile has one CTA: 'nv_tileaa.store' is not split", ""

!memory = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
!rows = !nv_tileaa.tiled_view<64x16, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>, padding = zero>
!columns = !nv_tileaa.tiled_view<16x32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
!result = !nv_tileaa.tiled_view<64x32, !nv_tileaa.memref<?x64xf32, strides = [64, 1]>>
!token = !nv_tileaa.mem_token

builtin.module attributes {tileiras.remarks = []} {
gpu.module @kernels {
  // Four pieces for two CTAs of a cluster: the number of the CTA in it is that of its first piece.
  // What was the index of the CTA is that of the cluster.

  gpu.func @hint(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>} {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<128x16, !memory>
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
    %vc = nv_tileaa.block_tile %mb {tileSizes = array<i64: 128, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<128x32, !memory>
    %id = gpu.block_id x
    %i = arith.index_cast %id : index to i32
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<128x32xf32>
    %x, %t1 = nv_tileaa.tiled_load %va[%i, %c0] token(%t) : !nv_tileaa.tiled_view<128x16, !memory>, i32, i32 -> tensor<128x16xf32>, !token
    %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !columns, i32, i32 -> tensor<16x32xf32>, !token
    %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<128x16xf32>, tensor<16x32xf32>, tensor<128x32xf32>
    %t3 = nv_tileaa.tiled_store %d, %vc[%i, %c0] token(%t) : tensor<128x32xf32>, !nv_tileaa.tiled_view<128x32, !memory>, i32, i32 -> !token
    gpu.return
  }

  // A tile that fits is split if the kernel counts on the CTAs that the hint asks for.

  gpu.func @grid_stride(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>} {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<32x16, !memory>
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<16x16, !memory>
    %vc = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !nv_tileaa.tiled_view<32x16, !memory>
    %id = gpu.block_id x
    %first = arith.index_cast %id : index to i32
    %size = gpu.grid_dim x
    %step = arith.index_cast %size : index to i32
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<32x16xf32>
    scf.for %i = %first to %n step %step : i32 {
      %x, %t1 = nv_tileaa.tiled_load %va[%i, %c0] token(%t) : !nv_tileaa.tiled_view<32x16, !memory>, i32, i32 -> tensor<32x16xf32>, !token
      %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !nv_tileaa.tiled_view<16x16, !memory>, i32, i32 -> tensor<16x16xf32>, !token
      %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<32x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>
      %t3 = nv_tileaa.tiled_store %d, %vc[%i, %c0] token(%t) : tensor<32x16xf32>, !nv_tileaa.tiled_view<32x16, !memory>, i32, i32 -> !token
    }
    gpu.return
  }

  // Each CTA would do the store that is not split.

  gpu.func @outside(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>} {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !rows
    %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !columns
    %vc = nv_tileaa.block_tile %ma {tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !result
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %t0 = nv_tileaa.store %b, %zero token(%t) : !llvm.ptr<1>, f32 -> !token
    %acc = nv_tileaa.splat %zero : f32 to tensor<64x32xf32>
    %x, %t1 = nv_tileaa.tiled_load %va[%c0, %c0] token(%t) {padding_value = "zero"} : !rows, i32, i32 -> tensor<64x16xf32>, !token
    %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !columns, i32, i32 -> tensor<16x32xf32>, !token
    %d = nv_tileaa.dot %x, %y, %acc {input_precision = "ieee"} : tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>
    %t4 = nv_tileaa.tiled_store %d, %vc[%c0, %c0] token(%t) : tensor<64x32xf32>, !result, i32, i32 -> !token
    gpu.return
  }
}
}

// CHECK-NEXT:    gpu.module @kernels {
// CHECK-NEXT:      gpu.func @hint(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>,
// CHECK-SAME:          gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters} {
// CHECK-NEXT:        %0 = gpu.block_id x
// CHECK-NEXT:        %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.andi %1, %2 : i32
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        %id = gpu.block_id x
// CHECK-NEXT:        %4 = arith.index_cast %id : index to i32
// CHECK-NEXT:        %5 = arith.constant 2 : i32
// CHECK-NEXT:        %6 = nv_tileaa.divi %4, %5 {signedness = "signed"} : i32
// CHECK-NEXT:        %id_1 = arith.index_cast %6 : i32 to index
// CHECK-NEXT:        %i = arith.index_cast %id_1 : index to i32
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %7 = arith.constant 0 : i32
// CHECK-NEXT:        %8 = arith.constant 2 : i32
// CHECK-NEXT:        %9 = arith.constant 1 : i32
// CHECK-NEXT:        %10 = arith.constant 2 : i32
// CHECK-NEXT:        %11 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view1
// CHECK-NEXT:        %12 = arith.extsi %i : i32 to i64
// CHECK-NEXT:        %13 = arith.constant 4 : i64
// CHECK-NEXT:        %14 = nv_tileaa.muli %12, %13 : i64
// CHECK-NEXT:        %15 = arith.extsi %c0 : i32 to i64
// CHECK-NEXT:        %16 = nv_tileaa.block_tile %mb {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view2
// CHECK-NEXT:        scf.for %17 = %7 to %8 step %9 : i32 {
// CHECK-NEXT:          %18 = nv_tileaa.muli %17, %10 : i32
// CHECK-NEXT:          %19 = nv_tileaa.addi %18, %3 : i32
// CHECK-NEXT:          %20 = arith.extsi %19 : i32 to i64
// CHECK-NEXT:          %21 = nv_tileaa.addi %14, %20 : i64
// CHECK-NEXT:          %22 = nv_tileaa.splat %zero : f32 to tensor<32x32xf32>
// CHECK-NEXT:          %23, %24 = nv_tileaa.tiled_load %11[%21, %15] token(%t) : !tiled_view1, i64, i64 -> tensor<32x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !tiled_view0, i32, i32 -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %25 = nv_tileaa.dot %23, %y, %22 {input_precision = "ieee"} : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:          %26 = nv_tileaa.tiled_store %25, %16[%21, %15] token(%t) : tensor<32x32xf32>, !tiled_view2, i64, i64 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.func @grid_stride(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>,
// CHECK-SAME:          gpu.known_cluster_size = array<i32: 2, 1, 1>, nvgpu.blocks_are_clusters} {
// CHECK-NEXT:        %0 = gpu.block_id x
// CHECK-NEXT:        %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.andi %1, %2 : i32
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:        %id = gpu.block_id x
// CHECK-NEXT:        %4 = arith.index_cast %id : index to i32
// CHECK-NEXT:        %5 = arith.constant 2 : i32
// CHECK-NEXT:        %6 = nv_tileaa.divi %4, %5 {signedness = "signed"} : i32
// CHECK-NEXT:        %id_1 = arith.index_cast %6 : i32 to index
// CHECK-NEXT:        %first = arith.index_cast %id_1 : index to i32
// CHECK-NEXT:        %size = gpu.grid_dim x
// CHECK-NEXT:        %7 = arith.index_cast %size : index to i32
// CHECK-NEXT:        %8 = arith.constant 2 : i32
// CHECK-NEXT:        %9 = nv_tileaa.divi %7, %8 {signedness = "signed"} : i32
// CHECK-NEXT:        %size_1 = arith.index_cast %9 : i32 to index
// CHECK-NEXT:        %step = arith.index_cast %size_1 : index to i32
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        scf.for %i = %first to %n step %step : i32 {
// CHECK-NEXT:          %10 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:          %11 = arith.extsi %i : i32 to i64
// CHECK-NEXT:          %12 = arith.constant 2 : i64
// CHECK-NEXT:          %13 = nv_tileaa.muli %11, %12 : i64
// CHECK-NEXT:          %14 = arith.extsi %c0 : i32 to i64
// CHECK-NEXT:          %15 = nv_tileaa.block_tile %mb {tileSizes = array<i64: 16, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view3
// CHECK-NEXT:          %16 = arith.extsi %3 : i32 to i64
// CHECK-NEXT:          %17 = nv_tileaa.addi %13, %16 : i64
// CHECK-NEXT:          %18 = nv_tileaa.splat %zero : f32 to tensor<16x16xf32>
// CHECK-NEXT:          %19, %20 = nv_tileaa.tiled_load %10[%17, %14] token(%t) : !tiled_view3, i64, i64 -> tensor<16x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !tiled_view3, i32, i32 -> tensor<16x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %21 = nv_tileaa.dot %19, %y, %18 {input_precision = "ieee"} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT:          %22 = nv_tileaa.tiled_store %21, %15[%17, %14] token(%t) : tensor<16x16xf32>, !tiled_view3, i64, i64 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.func @outside(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>} {
// CHECK-NEXT:        %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:        %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !memref0
// CHECK-NEXT:        %vb = nv_tileaa.block_tile %ma {tileSizes = array<i64: 16, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:        %c0 = arith.constant 0 : i32
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %t0 = nv_tileaa.store %b, %zero token(%t) : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        %0 = arith.constant 0 : i32
// CHECK-NEXT:        %1 = arith.constant 2 : i32
// CHECK-NEXT:        %2 = arith.constant 1 : i32
// CHECK-NEXT:        %3 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 16>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view4
// CHECK-NEXT:        %4 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 32, 32>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view2
// CHECK-NEXT:        scf.for %5 = %0 to %1 step %2 : i32 {
// CHECK-NEXT:          %6 = nv_tileaa.splat %zero : f32 to tensor<32x32xf32>
// CHECK-NEXT:          %7, %8 = nv_tileaa.tiled_load %3[%5, %c0] token(%t) {padding_value = "zero"} : !tiled_view4, i32, i32 -> tensor<32x16xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %y, %t2 = nv_tileaa.tiled_load %vb[%c0, %c0] token(%t) : !tiled_view0, i32, i32 -> tensor<16x32xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:          %9 = nv_tileaa.dot %7, %y, %6 {input_precision = "ieee"} : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:          %10 = nv_tileaa.tiled_store %9, %4[%5, %c0] token(%t) : tensor<32x32xf32>, !tiled_view2, i32, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.return
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
