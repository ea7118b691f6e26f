// RUN: TILEIRAS_PARSE_INVALID

// -----

// Unknown keywords are errors that name what is allowed.

// REQ: B-35
// CHECK: expected one of: unsigned, signed, got: 'pluto'
func.func private @signedness() attributes {a = #cuda_tile.signedness<pluto>}

// REQ: B-35
// CHECK: expected one of: none, no_signed_wrap, no_unsigned_wrap, no_wrap, got: 'nsw'
func.func private @overflow() attributes {a = #cuda_tile.overflow<nsw>}

// REQ: B-35
// CHECK: expected one of: nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away, got: 'rn'
func.func private @rounding() attributes {a = #cuda_tile.rounding<rn>}

// CHECK: expected one of: zero, neg_zero, nan, pos_inf, neg_inf, got: 'inf'
func.func private @padding_value() attributes {a = #cuda_tile.padding_value<inf>}

// CHECK: '<' expected
func.func private @no_value() attributes {a = #cuda_tile.rounding}

// Predicates.

// CHECK: unknown assume predicate attribute: x (expected 'div_by', 'same_elements', or 'bounded')
%0 = cuda_tile.assume x, %i32 : !i32

// CHECK: unknown assume predicate attribute: rounding (expected 'div_by', 'same_elements', or 'bounded')
%0 = cuda_tile.assume rounding<zero>, %i32 : !i32

// CHECK: [[predicate:expected assume predicate attribute]]
%0 = cuda_tile.assume #cuda_tile.rounding<zero>, %i32 : !i32

// CHECK: [[predicate]]
%0 = cuda_tile.assume 16, %i32 : !i32

// CHECK: [[predicate]]
%0 = cuda_tile.assume %i32 : !i32

// CHECK: integer value too large
func.func private @divisor() attributes {a = #cuda_tile.div_by<18446744073709551616>}

// CHECK: integer value too large
func.func private @every() attributes {a = #cuda_tile.div_by<16, every 9223372036854775808 along 0>}

// CHECK: expected 'every' or 'along'
func.func private @comma() attributes {a = #cuda_tile.div_by<16,>}

// CHECK: integer value too large
func.func private @same_elements() attributes {a = #cuda_tile.same_elements<[9223372036854775808]>}

// CHECK: integer value too large
func.func private @bounded() attributes {a = #cuda_tile.bounded<-9223372036854775809, ?>}
