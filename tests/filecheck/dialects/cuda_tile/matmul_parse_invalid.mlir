// RUN: TILEIRAS_PARSE_INVALID

// -----

// REQ: B-35
// CHECK: [[signedness:expected signedness to be one of: \{'signed', 'unsigned'\}, got: 'pluto']]
%0 = cuda_tile.mmai %t2x2xi8, %t2x2xi8_1, %t2x2xi32 pluto signed : !t2x2xi8, !t2x2xi8, !t2x2xi32

// REQ: B-35
// CHECK: [[signedness]]
%0 = cuda_tile.mmai %t2x2xi8, %t2x2xi8_1, %t2x2xi32 signed pluto : !t2x2xi8, !t2x2xi8, !t2x2xi32

// CHECK: expected signedness to be one of: {'signed', 'unsigned'}
%0 = cuda_tile.mmai %t2x2xi8, %t2x2xi8_1, %t2x2xi32 signed : !t2x2xi8, !t2x2xi8, !t2x2xi32

// CHECK: Expected ':'
%0 = cuda_tile.mmaf %t2x2xf32, %t2x2xf32_1, %t2x2xf32_2 signed signed : !t2x2xf32, !t2x2xf32, !t2x2xf32

// CHECK: Expected ':'
%0 = cuda_tile.mmaf %t2x2xf32, %t2x2xf32_1, %t2x2xf32_2 slow_acc : !t2x2xf32, !t2x2xf32, !t2x2xf32

// CHECK: operand is used with type !t2x2xf64, but has been previously used or defined with type !t2x2xf32
%0 = cuda_tile.mmaf %t2x2xf32, %t2x2xf32_1, %t2x2xf32_2 : !t2x2xf32, !t2x2xf64, !t2x2xf32
