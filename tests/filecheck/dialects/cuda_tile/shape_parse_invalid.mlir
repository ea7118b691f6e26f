// RUN: TILEIRAS_PARSE_INVALID

// -----

// `assume`.
// 
// REQ: B-35

// CHECK: unknown assume predicate attribute: aligned (expected 'div_by', 'same_elements', or 'bounded')
%0 = cuda_tile.assume aligned<16>, %i32 : !i32

// CHECK: expected assume predicate attribute
%0 = cuda_tile.assume #cuda_tile.rounding<zero>, %i32 : !i32

// CHECK: expected assume predicate attribute
%0 = cuda_tile.assume %i32 : !i32

// Numbers that do not fit.

// CHECK: integer constant out of range for attribute
%0 = cuda_tile.cat %t2xf32, %t2xf32 dim = 9223372036854775808 : !t2xf32, !t2xf32 -> !t4xf32

// CHECK: integer constant out of range for attribute
%0 = cuda_tile.permute %t2x4xf32 [1, 2147483648] : !t2x4xf32 -> !t4x2xf32

// CHECK: Expected integer literal
%0 = cuda_tile.permute %t2x4xf32 [1, x] : !t2x4xf32 -> !t4x2xf32

// Indices are `tile<i32>`, their type is not written.

// CHECK: operand is used with type !i32, but has been previously used or defined with type !i64
%0 = cuda_tile.extract %t4xf32[%i64] : !t4xf32 -> !t2xf32

// CHECK: operand is used with type !i32, but has been previously used or defined with type !t1xi32
%0 = cuda_tile.insert %t2xf32, %t4xf32[%t1xi32] : !t2xf32, !t4xf32
