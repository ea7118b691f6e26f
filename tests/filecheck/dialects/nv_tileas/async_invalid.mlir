// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

%p, %b = "test.op"() : () -> (tensor<8x!llvm.ptr<1>>, tensor<4xf32>)
// CHECK: expects the shape of 'tensor<8x!llvm.ptr<1>>', but got 'tensor<4xf32>'
%t = nv_tileas.async.load %p into %b : tensor<8x!llvm.ptr<1>>, tensor<4xf32>

// -----

%c = "test.op"() : () -> tensor<8x8xf32>
// CHECK: '!nv_tileas.async<tensor<8x8xf16>>' does not become 'tensor<8x8xf32>'
%f = nv_tileas.async.dot %c, %c, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32> -> !nv_tileas.async<tensor<8x8xf16>>

// -----

// CHECK: pending must not be negative
nv_tileas.async.wait [] {pending = -1 : i32}

// -----

%m = "test.op"() : () -> !nv_tileaa.memref<?x8xf32, strides = [1, 8]>
// CHECK: expects unit element stride, but got
%d = nv_tileas.make_tiled_tma_desc %m : !nv_tileaa.memref<?x8xf32, strides = [1, 8]> -> !nv_tileas.tma_desc<8x8xf32>

// -----

%m = "test.op"() : () -> !nv_tileaa.memref<?x8xf32, strides = [8, 1]>
// CHECK: expects rows of the box of a multiple of 16 bytes, but got
%d = nv_tileas.make_tiled_tma_desc %m : !nv_tileaa.memref<?x8xf32, strides = [8, 1]> -> !nv_tileas.tma_desc<8x2xf32>

// -----

%m = "test.op"() : () -> !nv_tileaa.memref<?x8xf32, strides = [8, 1]>
// CHECK: unsupported swizzle_mode: "256B" (expected one of none, 32B, 64B, 128B)
%d = nv_tileas.make_tiled_tma_desc %m {swizzle_mode = "256B"} : !nv_tileaa.memref<?x8xf32, strides = [8, 1]> -> !nv_tileas.tma_desc<8x8xf32>

// -----

%d, %b, %i = "test.op"() : () -> (!nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32)
// CHECK: expects 2 coordinates, but got 1
%t = nv_tileas.async.tiled_tma_load %d[%i] into %b : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32

// -----

%d, %b, %i = "test.op"() : () -> (!nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32)
// CHECK: TmaLoad only support zero padding now
%t = nv_tileas.async.tiled_tma_load %d[%i, %i] into %b {padding_value = "nan"} : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32, i32

// -----

%d, %b, %i = "test.op"() : () -> (!nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32)
// CHECK: failed to get expected tx-count
%t = nv_tileas.async.tiled_tma_load %d[%i, %i] into %b {tx_count = 0 : i32} : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32, i32

// -----

%d, %b, %i = "test.op"() : () -> (!nv_tileas.tma_desc<8x8xf32>, tensor<8x4xf32>, i32)
// CHECK: requires the same shape for tileSize and tensor value
%t = nv_tileas.async.tiled_tma_store %b, %d[%i, %i] : tensor<8x4xf32>, !nv_tileas.tma_desc<8x8xf32>, i32, i32

// -----

%d, %b, %i = "test.op"() : () -> (!nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32)
// CHECK: expects one coordinate to be a tensor
%t = nv_tileas.async.gather_tma_load %d[%i, %i] into %b : !nv_tileas.tma_desc<8x8xf32>, tensor<8x8xf32>, i32, i32

// -----

// CHECK: all dimensions must be positive constants, got
"test.op"() : () -> !nv_tileas.tma_desc<0x8xf32>
