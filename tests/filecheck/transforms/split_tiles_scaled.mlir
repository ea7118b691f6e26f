// RUN: tileiras-opt %s -p 'split-tiles{compute-capability=sm_120a}' | filecheck %s
// RUN: tileiras-opt %s -p 'split-tiles{compute-capability=sm_100a}' | filecheck %s --check-prefix TMEM
// RUN: tileiras-opt %s -p 'split-tiles{compute-capability=sm_90a}' | filecheck %s --check-prefix HOPPER

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Tiles", "", "rows", "accumulators of 256x256 do not fit in the registers of a CTA: tiles are split into 2 parts of 128x256 along dimension 0, one after the other", ""

!bytes = !nv_tileaa.memref<?x512xi8, strides = [512, 1]>
!scales = !nv_tileaa.memref<?x64xf8E4M3FN, strides = [64, 1]>
!sums = !nv_tileaa.memref<?x512xf32, strides = [512, 1]>
!operand = !nv_tileaa.tiled_view<256x64, !nv_tileaa.memref<?x512xi8, strides = [512, 1]>>
!factors = !nv_tileaa.tiled_view<256x8, !nv_tileaa.memref<?x64xf8E4M3FN, strides = [64, 1]>>
!result = !nv_tileaa.tiled_view<256x256, !nv_tileaa.memref<?x512xf32, strides = [512, 1]>>
!token = !nv_tileaa.mem_token

builtin.module attributes {tileiras.remarks = []} {
gpu.module @kernels {
  // The rows of a block-scaled product are cut with the bytes that A is unpacked from and the scales
  // of A. B and its scales are whole. No instruction of sm_90 has scales: nothing is split.

  gpu.func @rows(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %s: !llvm.ptr<1>, %r: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %ma = nv_tileaa.make_memref %a sizes(%n : i32) : !llvm.ptr<1> -> !bytes
    %mb = nv_tileaa.make_memref %b sizes(%n : i32) : !llvm.ptr<1> -> !bytes
    %ms = nv_tileaa.make_memref %s sizes(%n : i32) : !llvm.ptr<1> -> !scales
    %mr = nv_tileaa.make_memref %r sizes(%n : i32) : !llvm.ptr<1> -> !scales
    %mc = nv_tileaa.make_memref %c sizes(%n : i32) : !llvm.ptr<1> -> !sums
    %va = nv_tileaa.block_tile %ma {tileSizes = array<i64: 256, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !bytes -> !operand
    %vb = nv_tileaa.block_tile %mb {tileSizes = array<i64: 256, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !bytes -> !operand
    %vs = nv_tileaa.block_tile %ms {tileSizes = array<i64: 256, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !scales -> !factors
    %vr = nv_tileaa.block_tile %mr {tileSizes = array<i64: 256, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !scales -> !factors
    %vc = nv_tileaa.block_tile %mc {tileSizes = array<i64: 256, 256>, dimGroups = [[0 : i64], [1 : i64]]} : !sums -> !result
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<256x256xf32>
    %d = scf.for %k = %c0 to %c4 step %c1 iter_args(%o = %acc) -> (tensor<256x256xf32>) : i32 {
      %x, %t1 = nv_tileaa.tiled_load %va[%c0, %k] token(%t) : !operand, i32, i32 -> tensor<256x64xi8>, !token
      %x1 = nv_tileaa.view %x : tensor<256x64xi8> -> tensor<16384xi8>
      %x2 = nv_tileaa.unpack %x1 : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
      %x3 = nv_tileaa.view %x2 : tensor<32768xf4E2M1FN> -> tensor<256x128xf4E2M1FN>
      %xs, %t2 = nv_tileaa.tiled_load %vs[%c0, %k] token(%t) : !factors, i32, i32 -> tensor<256x8xf8E4M3FN>, !token
      %y, %t3 = nv_tileaa.tiled_load %vb[%c0, %k] token(%t) : !operand, i32, i32 -> tensor<256x64xi8>, !token
      %y1 = nv_tileaa.view %y : tensor<256x64xi8> -> tensor<16384xi8>
      %y2 = nv_tileaa.unpack %y1 : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
      %y3 = nv_tileaa.view %y2 : tensor<32768xf4E2M1FN> -> tensor<256x128xf4E2M1FN>
      %y4 = nv_tileaa.permute %y3 {permutation = array<i32: 1, 0>} : tensor<256x128xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
      %ys, %t4 = nv_tileaa.tiled_load %vr[%c0, %k] token(%t) : !factors, i32, i32 -> tensor<256x8xf8E4M3FN>, !token
      %yt = nv_tileaa.permute %ys {permutation = array<i32: 1, 0>} : tensor<256x8xf8E4M3FN> -> tensor<8x256xf8E4M3FN>
      %e = nv_tileaa.mmaf_scaled %x3, %y4, %o, %xs, %yt : tensor<256x128xf4E2M1FN>, tensor<128x256xf4E2M1FN>, tensor<256x256xf32>, tensor<256x8xf8E4M3FN>, tensor<8x256xf8E4M3FN>
      scf.yield %e : tensor<256x256xf32>
    }
    %t5 = nv_tileaa.tiled_store %d, %vc[%c0, %c0] token(%t) : tensor<256x256xf32>, !result, i32, i32 -> !token
    gpu.return
  }
}
}

// CHECK:             %3 = nv_tileaa.block_tile %ma {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view2
// CHECK-NEXT:        %4 = nv_tileaa.block_tile %ms {tileSizes = array<i64: 128, 8>, dimGroups = [[0 : i64], [1 : i64]]} : !memref1 -> !tiled_view3
// CHECK-NEXT:        %5 = nv_tileaa.block_tile %mc {tileSizes = array<i64: 128, 256>, dimGroups = [[0 : i64], [1 : i64]]} : !memref2 -> !tiled_view4
// CHECK-NEXT:        scf.for %6 = %0 to %1 step %2 : i32 {
// CHECK-NEXT:          %7 = nv_tileaa.splat %zero : f32 to tensor<128x256xf32>
// CHECK-NEXT:          %8 = scf.for %9 = %c0 to %c4 step %c1 iter_args(%10 = %7) -> (tensor<128x256xf32>) : i32 {
// CHECK-NEXT:            %11, %12 = nv_tileaa.tiled_load %3[%6, %9] token(%t) : !tiled_view2, i32, i32 -> tensor<128x64xi8>, !nv_tileaa.mem_token
// CHECK-NEXT:            %13 = nv_tileaa.view %11 : tensor<128x64xi8> -> tensor<8192xi8>
// CHECK-NEXT:            %14 = nv_tileaa.unpack %13 : tensor<8192xi8> -> tensor<16384xf4E2M1FN>
// CHECK-NEXT:            %15 = nv_tileaa.view %14 : tensor<16384xf4E2M1FN> -> tensor<128x128xf4E2M1FN>
// CHECK-NEXT:            %16, %17 = nv_tileaa.tiled_load %4[%6, %9] token(%t) : !tiled_view3, i32, i32 -> tensor<128x8xf8E4M3FN>, !nv_tileaa.mem_token
// CHECK-NEXT:            %y, %t3 = nv_tileaa.tiled_load %vb[%c0, %9] token(%t) : !tiled_view0, i32, i32 -> tensor<256x64xi8>, !nv_tileaa.mem_token
// CHECK-NEXT:            %y1 = nv_tileaa.view %y : tensor<256x64xi8> -> tensor<16384xi8>
// CHECK-NEXT:            %y2 = nv_tileaa.unpack %y1 : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
// CHECK-NEXT:            %y3 = nv_tileaa.view %y2 : tensor<32768xf4E2M1FN> -> tensor<256x128xf4E2M1FN>
// CHECK-NEXT:            %y4 = nv_tileaa.permute %y3 {permutation = array<i32: 1, 0>} : tensor<256x128xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
// CHECK-NEXT:            %ys, %t4 = nv_tileaa.tiled_load %vr[%c0, %9] token(%t) : !tiled_view1, i32, i32 -> tensor<256x8xf8E4M3FN>, !nv_tileaa.mem_token
// CHECK-NEXT:            %yt = nv_tileaa.permute %ys {permutation = array<i32: 1, 0>} : tensor<256x8xf8E4M3FN> -> tensor<8x256xf8E4M3FN>
// CHECK-NEXT:            %18 = nv_tileaa.mmaf_scaled %15, %y4, %10, %16, %yt : tensor<128x128xf4E2M1FN>, tensor<128x256xf4E2M1FN>, tensor<128x256xf32>, tensor<128x8xf8E4M3FN>, tensor<8x256xf8E4M3FN>
// CHECK-NEXT:            scf.yield %18 : tensor<128x256xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          %19 = nv_tileaa.tiled_store %8, %5[%6, %c0] token(%t) : tensor<128x256xf32>, !tiled_view4, i32, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:        }

// TMEM:       nv_tileaa.mmaf_scaled {{.*}} : tensor<128x128xf4E2M1FN>, tensor<128x256xf4E2M1FN>, tensor<128x256xf32>, tensor<128x8xf8E4M3FN>, tensor<8x256xf8E4M3FN>

// HOPPER:       nv_tileaa.mmaf_scaled {{.*}} : tensor<256x128xf4E2M1FN>, tensor<128x256xf4E2M1FN>, tensor<256x256xf32>, tensor<256x8xf8E4M3FN>,
