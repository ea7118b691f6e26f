// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

// -----

// MLIR's dense literals follow the same rules as ours.

// CHECK: unexpected decimal integer literal for a floating point value
%0 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<f32>}> : () -> !f32

// CHECK: hexadecimal float constant out of range for type
%0 = "cuda_tile.constant"() <{value = dense<0x10000> : !cuda_tile.tile<f16>}> : () -> !f16

// CHECK: integer constant out of range for type
%0 = "cuda_tile.constant"() <{value = dense<[1, 256]> : !cuda_tile.tile<2xi8>}> : () -> !t2xi8

// CHECK: inferred shape of elements literal ([2]) does not match type ([4])
%0 = "cuda_tile.constant"() <{value = dense<[1, 2]> : !t4xi8}> : () -> !t4xi8

// CHECK: elements hex data size is invalid for '!t4xi8': expected 4 bytes, got 2
%0 = "cuda_tile.constant"() <{value = dense<"0x0102"> : !t4xi8}> : () -> !t4xi8

// CHECK: elements hex string is invalid
%0 = "cuda_tile.constant"() <{value = dense<"0xx"> : !t4xi8}> : () -> !t4xi8

// CHECK: a '!t4xptr_f32' has no literals
%0 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<4xptr<f32>>}> : () -> !t4xptr_f32

// CHECK: a '!t4xi4' has no literals
%0 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<4xi4>}> : () -> !t4xi4
