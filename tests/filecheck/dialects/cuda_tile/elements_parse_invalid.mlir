// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines
// RUN: xdsl-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

// -----

// Integers.

// CHECK: [[constant:integer constant out of range for type]]
%0 = cuda_tile.constant <i8: 256> : !i8

// CHECK: [[constant]]
%0 = cuda_tile.constant <i8: -129> : !i8

// CHECK: [[constant]]
%0 = cuda_tile.constant <i16: [1, 65536]> : !t2xi16

// CHECK: [[constant]]
%0 = cuda_tile.constant <i32: 0x100000000> : !i32

// CHECK: [[constant]]
%0 = cuda_tile.constant <i64: 18446744073709551616> : !i64

// CHECK: [[constant]]
%0 = cuda_tile.constant <i64: -9223372036854775809> : !i64

// CHECK: [[constant]]
%0 = cuda_tile.constant <i1: 2> : !i1

// CHECK: [[constant]]
%0 = cuda_tile.constant <i1: -2> : !i1

// CHECK: [[integer:expected integer value]]
%0 = cuda_tile.constant <i32: pluto> : !i32

// CHECK: [[integer]]
%0 = cuda_tile.constant <i32: 1.5> : !i32

// CHECK: [[integer]]
%0 = cuda_tile.constant <i8: true> : !i8

// CHECK: [[integer]]
%0 = cuda_tile.constant <i32: [1, ]> : !t2xi32

// CHECK: [[integer]]
%0 = cuda_tile.constant <i32: > : !t2xi32

// Floats.

// CHECK: [[unexpected:unexpected decimal integer literal for a floating point value]]
%0 = cuda_tile.constant <f32: 1> : !f32

// CHECK: [[unexpected]]
%0 = cuda_tile.constant <f8E4M3FN: [1.0, -1]> : !t2xf8E4M3FN

// CHECK: [[unexpected]]
%0 = cuda_tile.constant <f32: -0x3F800000> : !f32

// CHECK: [[hexadecimal:hexadecimal float constant out of range for type]]
%0 = cuda_tile.constant <f16: 0x10000> : !f16

// CHECK: [[hexadecimal]]
%0 = cuda_tile.constant <f32: 0x100000000> : !f32

// CHECK: [[hexadecimal]]
%0 = cuda_tile.constant <tf32: 0x80000> : !tf32

// CHECK: [[hexadecimal]]
%0 = cuda_tile.constant <f4E2M1FN: 0x10> : !t2xf4E2M1FN

// CHECK: [[hexadecimal]]
%0 = cuda_tile.constant <fnv8E5M3FNU: 0x100> : !fnv8E5M3FNU

// CHECK: expected floating point literal
%0 = cuda_tile.constant <f32: true> : !f32

// CHECK: expected floating point literal
%0 = cuda_tile.constant <f32: nan> : !f32

// Shapes.

// CHECK: [[elements:inferred shape of elements literal \(]][3]) does not match type ([8])
%0 = cuda_tile.constant <i32: [1, 2, 3]> : !t8xi32

// CHECK: [[elements]][1]) does not match type ([4])
%0 = cuda_tile.constant <i32: [5]> : !t4xi32

// CHECK: [[elements]][4]) does not match type ([2, 2])
%0 = cuda_tile.constant <f32: [1.0, 2.0, 3.0, 4.0]> : !t2x2xf32

// CHECK: [[elements]][1]) does not match type ([])
%0 = cuda_tile.constant <i32: [5]> : !i32

// CHECK: [[elements]][0]) does not match type ([1])
%0 = cuda_tile.constant <i32: []> : !t1xi32

// CHECK: [[elements]][1, 0]) does not match type ([1])
%0 = cuda_tile.constant <i32: [[]]> : !t1xi32

// CHECK: [[consistent:tensor literal is invalid; ranks are not consistent between elements]]
%0 = cuda_tile.constant <i32: [[1, 2], [3]]> : !t2x2xi32

// CHECK: [[consistent]]
%0 = cuda_tile.constant <i32: [[1, 2], 3]> : !t2x2xi32

// CHECK: [[consistent]]
%0 = cuda_tile.constant <i32: [1, [2]]> : !t2xi32

// CHECK: [[consistent]]
%0 = cuda_tile.constant <i32: [[[1], [2]], [[3, 4]]]> : !t2x2xi32

// Types.

// CHECK: mismatch between the element type: 'f16' and the tile element type 'f32'
%0 = cuda_tile.constant <f16: 1.0> : !f32

// CHECK: mismatch between the element type: 'i32' and the tile element type 'i64'
%0 = cuda_tile.constant <i32: [1, 2, 3]> : !t2xi64

// CHECK: mismatch between the element type: 'i32' and the tile element type '!cuda_tile.ptr<i32>'
%0 = cuda_tile.constant <i32: 1> : !ptr_i32

// CHECK: mismatch between the element type: 'fnv8E5M3FNU' and the tile element type 'f8E8M0FNU'
cuda_tile.module @m {
  global @g <fnv8E5M3FNU: 1.0> : !t1xf8E8M0FNU
}

// CHECK: expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'i4'
%0 = cuda_tile.constant <i4: 1> : !i4

// CHECK: expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'index'
%0 = cuda_tile.constant <index: 1> : !i32

// CHECK: expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.ptr<f32>'
%0 = cuda_tile.constant <ptr<f32>: 1> : !ptr_f32

// CHECK: unknown type: pluto
%0 = cuda_tile.constant <pluto: 1> : !i32

// CHECK: result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got 'tensor<f32>'
%0 = cuda_tile.constant <f32: 1.0> : tensor<f32>

// CHECK: result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values, but got '!cuda_tile.token'
%0 = cuda_tile.constant <f32: 1.0> : token

// Bytes.

// CHECK: elements hex data size is invalid for '!t4xi32': expected 16 bytes, got 4
%0 = cuda_tile.constant <i32: "0x00000000"> : !t4xi32

// CHECK: elements hex data size is invalid for '!t4xi1': expected 4 bytes, got 1
%0 = cuda_tile.constant <i1: "0x0F"> : !t4xi1

// CHECK: elements hex data size is invalid for '!f32': expected 4 bytes, got 0
%0 = cuda_tile.constant <f32: ""> : !f32

// CHECK: elements hex string is invalid
%0 = cuda_tile.constant <i8: "0x0G"> : !i8

// CHECK: elements hex string is invalid
%0 = cuda_tile.constant <i8: "0x0"> : !i8

// CHECK: an element has more than the 1 bits of a 'i1'
%0 = cuda_tile.constant <i1: "0x0102"> : !t2xi1

// CHECK: an element has more than the 4 bits of a 'f4E2M1FN'
%0 = cuda_tile.constant <f4E2M1FN: "0x010F100F"> : !t4xf4E2M1FN

// CHECK: an element has more than the 19 bits of a 'tf32'
%0 = cuda_tile.constant <tf32: "0xFFFF07FFFF08"> : !t2xtf32

// The attribute of the generic form.

// CHECK: expected 'tile' type, but got 'tensor<1xi32>'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tensor<1xi32>>}> : () -> !t1xi32

// The scale types have no sign, but their zero may be written with one.

// CHECK: 'f8E8M0FNU' has no negative values
%0 = cuda_tile.constant <f8E8M0FNU: -1.0> : !f8E8M0FNU

// CHECK: 'fnv8E5M3FNU' has no negative values
%0 = cuda_tile.constant <fnv8E5M3FNU: [-0.0, -0.5]> : !t2xfnv8E5M3FNU
