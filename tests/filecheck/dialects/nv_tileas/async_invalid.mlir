// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!t8x8xf32 = tensor<8x8xf32>
%t8x8xf32 = "test.op"() : () -> !t8x8xf32
!memref = !nv_tileaa.memref<?x8xf32, strides = [8, 1]>
%memref = "test.op"() : () -> !memref
!tma_desc = !nv_tileas.tma_desc<8x8xf32>
%tma_desc = "test.op"() : () -> !tma_desc
%i32 = "test.op"() : () -> i32

// -----

%p, %b = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<4xf32>)
// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xf32>'
%t = nv_tileas.async.load %p into %b : tensor<8x!llvm.ptr<1>>, tensor<4xf32>

// CHECK: '!nv_tileas.async<tensor<8x8xf16>>' does not become 'tensor<8x8xf32>'
%f = nv_tileas.async.dot %t8x8xf32, %t8x8xf32, %t8x8xf32 : !t8x8xf32, !t8x8xf32, !t8x8xf32 -> !nv_tileas.async<tensor<8x8xf16>>

// CHECK: pending must not be negative
nv_tileas.async.wait [] {pending = -1 : i32}

%m = "test.op"() : () -> !nv_tileaa.memref<?x8xf32, strides = [1, 8]>
// CHECK: expects unit element stride, but got
%d = nv_tileas.make_tiled_tma_desc %m : !nv_tileaa.memref<?x8xf32, strides = [1, 8]> -> !tma_desc

// CHECK: expects rows of a multiple of 16 bytes, but got
%d = nv_tileas.make_tiled_tma_desc %memref : !memref -> !nv_tileas.tma_desc<8x2xf32>

// CHECK: unsupported swizzle_mode: "256B" (expected one of none, 32B, 64B, 128B)
%d = nv_tileas.make_tiled_tma_desc %memref {swizzle_mode = "256B"} : !memref -> !tma_desc

// CHECK: expects 2 coordinates, but got 1
%t = nv_tileas.async.tiled_tma_load %tma_desc[%i32] into %t8x8xf32 : !tma_desc, !t8x8xf32, i32

// CHECK: TmaLoad only support zero padding now
%t = nv_tileas.async.tiled_tma_load %tma_desc[%i32, %i32] into %t8x8xf32 {padding_value = "nan"} : !tma_desc, !t8x8xf32, i32, i32

// CHECK: failed to get expected tx-count
%t = nv_tileas.async.tiled_tma_load %tma_desc[%i32, %i32] into %t8x8xf32 {tx_count = 0 : i32} : !tma_desc, !t8x8xf32, i32, i32

%b = "test.op"() : () -> tensor<8x4xf32>
// CHECK: requires the same shape for tileSize and tensor value
%t = nv_tileas.async.tiled_tma_store %b, %tma_desc[%i32, %i32] : tensor<8x4xf32>, !tma_desc, i32, i32

// CHECK: expects one coordinate to be a tensor
%t = nv_tileas.async.gather_tma_load %tma_desc[%i32, %i32] into %t8x8xf32 : !tma_desc, !t8x8xf32, i32, i32

// CHECK: all dimensions must be positive constants, got
"test.op"() : () -> !nv_tileas.tma_desc<0x8xf32>
