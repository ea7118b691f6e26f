// RUN: TILEIRAS_VERBATIM

// Every value of every enumeration.

// REQ: A-62, A-63, A-64, B-32, B-33

// PRINTS: func.func private @signedness() -> () attributes {a = #cuda_tile.signedness<unsigned>, b = #cuda_tile.signedness<signed>}
func.func private @signedness() attributes {a = #cuda_tile.signedness<unsigned>, b = #cuda_tile.signedness<signed>}
// PRINTS: func.func private @overflow() -> () attributes {a = #cuda_tile.overflow<none>, b = #cuda_tile.overflow<no_signed_wrap>, c = #cuda_tile.overflow<no_unsigned_wrap>, d = #cuda_tile.overflow<no_wrap>}
func.func private @overflow() attributes {a = #cuda_tile.overflow<none>, b = #cuda_tile.overflow<no_signed_wrap>, c = #cuda_tile.overflow<no_unsigned_wrap>, d = #cuda_tile.overflow<no_wrap>}
// PRINTS: func.func private @rounding() -> () attributes {a = #cuda_tile.rounding<nearest_even>, b = #cuda_tile.rounding<zero>, c = #cuda_tile.rounding<negative_inf>, d = #cuda_tile.rounding<positive_inf>, e = #cuda_tile.rounding<approx>, f = #cuda_tile.rounding<full>, g = #cuda_tile.rounding<nearest_int_to_zero>, h = #cuda_tile.rounding<nearest_away>}
func.func private @rounding() attributes {a = #cuda_tile.rounding<nearest_even>, b = #cuda_tile.rounding<zero>, c = #cuda_tile.rounding<negative_inf>, d = #cuda_tile.rounding<positive_inf>, e = #cuda_tile.rounding<approx>, f = #cuda_tile.rounding<full>, g = #cuda_tile.rounding<nearest_int_to_zero>, h = #cuda_tile.rounding<nearest_away>}
// PRINTS: func.func private @comparison_predicate() -> () attributes {a = #cuda_tile.comparison_predicate<equal>, b = #cuda_tile.comparison_predicate<not_equal>, c = #cuda_tile.comparison_predicate<less_than>, d = #cuda_tile.comparison_predicate<less_than_or_equal>, e = #cuda_tile.comparison_predicate<greater_than>, f = #cuda_tile.comparison_predicate<greater_than_or_equal>}
func.func private @comparison_predicate() attributes {a = #cuda_tile.comparison_predicate<equal>, b = #cuda_tile.comparison_predicate<not_equal>, c = #cuda_tile.comparison_predicate<less_than>, d = #cuda_tile.comparison_predicate<less_than_or_equal>, e = #cuda_tile.comparison_predicate<greater_than>, f = #cuda_tile.comparison_predicate<greater_than_or_equal>}
// PRINTS: func.func private @comparison_ordering() -> () attributes {a = #cuda_tile.comparison_ordering<unordered>, b = #cuda_tile.comparison_ordering<ordered>}
func.func private @comparison_ordering() attributes {a = #cuda_tile.comparison_ordering<unordered>, b = #cuda_tile.comparison_ordering<ordered>}
// PRINTS: func.func private @symbol_visibility() -> () attributes {a = #cuda_tile.symbol_visibility<public>, b = #cuda_tile.symbol_visibility<private>}
func.func private @symbol_visibility() attributes {a = #cuda_tile.symbol_visibility<public>, b = #cuda_tile.symbol_visibility<private>}
// PRINTS: func.func private @padding_value() -> () attributes {a = #cuda_tile.padding_value<zero>, b = #cuda_tile.padding_value<neg_zero>, c = #cuda_tile.padding_value<nan>, d = #cuda_tile.padding_value<pos_inf>, e = #cuda_tile.padding_value<neg_inf>}
func.func private @padding_value() attributes {a = #cuda_tile.padding_value<zero>, b = #cuda_tile.padding_value<neg_zero>, c = #cuda_tile.padding_value<nan>, d = #cuda_tile.padding_value<pos_inf>, e = #cuda_tile.padding_value<neg_inf>}
// PRINTS: func.func private @ptr_attr() -> () attributes {a = #cuda_tile.ptr_attr<none>}
func.func private @ptr_attr() attributes {a = #cuda_tile.ptr_attr<none>}
// PRINTS: func.func private @spaced() -> () attributes {a = #cuda_tile.rounding<zero>}
func.func private @spaced() attributes {a = #cuda_tile.rounding < zero >}

// -----

// Predicates of `assume`, bare, prefixed and as attributes of anything else.

// REQ: A-17, A-66

!i32 = !cuda_tile.tile<i32>
!i64 = !cuda_tile.tile<4x8xi64>
!ptr_f32 = !cuda_tile.tile<16x16xptr<f32>>
!tview = !cuda_tile.tensor_view<?xf32, strides=[1]>
%i, %i8, %i64, %p, %v = "test.op"() : () -> (!i32, !cuda_tile.tile<16xi8>, !i64, !ptr_f32, !tview)
%0 = cuda_tile.assume div_by<16>, %i : !cuda_tile.tile<i32>
// PRINTS: %1 = cuda_tile.assume div_by<16>, %i : !i32
%1 = cuda_tile.assume #cuda_tile.div_by<16>, %i : !i32
%2 = cuda_tile.assume div_by<1>, %i8 : tile<16xi8>
%3 = cuda_tile.assume div_by<4611686018427387904>, %i64 : !i64
// PRINTS: %4 = cuda_tile.assume div_by<16>, %v : !tview
%4 = cuda_tile.assume div_by<0x10>, %v : !tview
%5 = cuda_tile.assume div_by<16, every 4 along 1>, %i64 : !i64
%6 = cuda_tile.assume div_by<16, every 0 along 0>, %i64 : !i64
// PRINTS: %7 = cuda_tile.assume div_by<16, every 16 along 0>, %p : !ptr_f32
%7 = cuda_tile.assume #cuda_tile.div_by<16, every 16 along 0>, %p : !ptr_f32
%8 = cuda_tile.assume same_elements<[]>, %i : !i32
%9 = cuda_tile.assume same_elements<[16]>, %i8 : tile<16xi8>
%10 = cuda_tile.assume same_elements<[0, 8]>, %i64 : !i64
// PRINTS: %11 = cuda_tile.assume same_elements<[1, 4]>, %p : !ptr_f32
%11 = cuda_tile.assume #cuda_tile.same_elements<[1, 4]>, %p : !ptr_f32
%12 = cuda_tile.assume bounded<0, ?>, %i : !i32
%13 = cuda_tile.assume bounded<?, -5>, %i : !i32
%14 = cuda_tile.assume bounded<?, ?>, %i : !i32
%15 = cuda_tile.assume bounded<-3, 5>, %i : !i32
// PRINTS: %16 = cuda_tile.assume bounded<7, 7>, %i : !i32
%16 = cuda_tile.assume #cuda_tile.bounded<7, 7>, %i : !i32
%17 = cuda_tile.assume bounded<-128, 127>, %i8 : tile<16xi8>
%18 = cuda_tile.assume bounded<-9223372036854775808, 9223372036854775807>, %i64 : !i64
%19 = cuda_tile.assume div_by<2>, %i {my.tag = 7 : i32} : !i32
// PRINTS: %20 = cuda_tile.assume bounded<0, ?>, %i : !i32
%20 = "cuda_tile.assume"(%i) <{predicate = #cuda_tile.bounded<0, ?>}> : (!i32) -> !i32
// PRINTS: func.func private @predicates() -> () attributes {a = #cuda_tile.div_by<16>, b = #cuda_tile.div_by<16, every 4 along 1>, c = #cuda_tile.same_elements<[1, 4, 2]>, d = #cuda_tile.bounded<?, ?>}
func.func private @predicates() attributes {a = #cuda_tile.div_by<16>, b = #cuda_tile.div_by<16, every 4 along 1>, c = #cuda_tile.same_elements<[1, 4, 2]>, d = #cuda_tile.bounded<?, ?>}

// -----

// Attributes say more than can be assumed of a value.

// PRINTS: func.func private @predicates() -> () attributes {a = #cuda_tile.div_by<0>, b = #cuda_tile.div_by<18446744073709551615>, c = #cuda_tile.div_by<16, every 4>, d = #cuda_tile.div_by<16, along 1>, e = #cuda_tile.div_by<3, every -1 along -2>, f = #cuda_tile.same_elements<[-1, 9223372036854775807]>, g = #cuda_tile.bounded<5, -5>}
func.func private @predicates() attributes {a = #cuda_tile.div_by<0>, b = #cuda_tile.div_by<18446744073709551615>, c = #cuda_tile.div_by<16, every 4>, d = #cuda_tile.div_by<16, along 1>, e = #cuda_tile.div_by<3, every -1 along -2>, f = #cuda_tile.same_elements<[-1, 9223372036854775807]>, g = #cuda_tile.bounded<5, -5>}

// -----

// Inside the dialect.

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // PRINTS: ^body:
    // PRINTS: %a = assume bounded<0, ?>, %i : tile<i32>
    %a = assume bounded<0, ?>, %i : tile<i32>
    // PRINTS: %b = assume div_by<4>, %a : tile<i32>
    %b = cuda_tile.assume #cuda_tile.div_by<4>, %a : !cuda_tile.tile<i32>
    return
  }
}
