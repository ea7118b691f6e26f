// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// `assume`.
// 
// REQ: B-35

// CHECK: unknown assume predicate attribute: aligned (expected 'div_by', 'same_elements', or 'bounded')
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume aligned<16>, %a : tile<i32>

// -----

// CHECK: expected assume predicate attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume #cuda_tile.rounding<zero>, %a : tile<i32>

// -----

// CHECK: expected assume predicate attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.assume %a : tile<i32>

// -----

// Numbers that do not fit.

// CHECK: integer constant out of range for attribute
%a = "test.op"() : () -> !cuda_tile.tile<2xf32>
%0 = cuda_tile.cat %a, %a dim = 9223372036854775808 : tile<2xf32>, tile<2xf32> -> tile<4xf32>

// -----

// CHECK: integer constant out of range for attribute
%a = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%0 = cuda_tile.permute %a [1, 2147483648] : tile<2x4xf32> -> tile<4x2xf32>

// -----

// CHECK: Expected integer literal
%a = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%0 = cuda_tile.permute %a [1, x] : tile<2x4xf32> -> tile<4x2xf32>

// -----

// Indices are `tile<i32>`, their type is not written.

// CHECK: operand is used with type !cuda_tile.tile<i32>, but has been previously used or defined with type !cuda_tile.tile<i64>
%a, %i = "test.op"() : () -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i64>)
%0 = cuda_tile.extract %a[%i] : tile<4xf32> -> tile<2xf32>

// -----

// CHECK: operand is used with type !cuda_tile.tile<i32>, but has been previously used or defined with type !cuda_tile.tile<1xi32>
%a, %b, %i = "test.op"() : () -> (!cuda_tile.tile<2xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<1xi32>)
%0 = cuda_tile.insert %a, %b[%i] : tile<2xf32>, tile<4xf32>
