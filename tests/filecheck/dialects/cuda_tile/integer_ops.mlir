// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes.

// REQ: A-09, B-01, B-02, B-03

cuda_tile.module @m {
  testing$func @public(%arg2: tile<i32>, %arg3: tile<i32>) {
    // PRINTS: ^body:
    // PRINTS: %0 = addi %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>
    %0 = addi %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>
    %1 = subi %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>
    %2 = muli %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>
    %3 = shli %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>
    %4 = andi %arg2, %arg3 : tile<i32>
    %5 = ori %arg2, %arg3 : tile<i32>
    %6 = xori %arg2, %arg3 : tile<i32>
    %7 = mulhii %arg2, %arg3 : tile<i32>
    %8 = divi %arg2, %arg3 signed rounding<negative_inf> : tile<i32>
    %9 = remi %arg2, %arg3 signed : tile<i32>
    %10 = maxi %arg2, %arg3 signed : tile<i32>
    %11 = mini %arg2, %arg3 signed : tile<i32>
    %12 = shri %arg2, %arg3 signed : tile<i32>
    %13 = absi %arg2 : tile<i32>
    %14 = negi %arg2 overflow<no_signed_wrap> : tile<i32>
    %15 = cmpi less_than %arg2, %arg3, signed : tile<i32> -> tile<i1>
    return
  }
}

// -----

// Overflow flags; `none` is not printed.

// REQ: A-63, B-08

!i64 = !cuda_tile.tile<4x8xi64>
%a, %b = "test.op"() : () -> (!i64, !i64)
%0 = cuda_tile.addi %a, %b : !i64
// PRINTS: %1 = cuda_tile.addi %a, %b : !i64
%1 = cuda_tile.addi %a, %b overflow<none> : !i64
%2 = cuda_tile.addi %a, %b overflow<no_signed_wrap> : !i64
%3 = cuda_tile.addi %a, %b overflow<no_unsigned_wrap> : !i64
%4 = cuda_tile.addi %a, %b overflow<no_wrap> : !i64
%5 = cuda_tile.subi %a, %b : !i64
// PRINTS: %6 = cuda_tile.subi %a, %b : !i64
%6 = cuda_tile.subi %a, %b overflow<none> : !i64
%7 = cuda_tile.subi %a, %b overflow<no_signed_wrap> : !i64
%8 = cuda_tile.subi %a, %b overflow<no_unsigned_wrap> : !i64
%9 = cuda_tile.subi %a, %b overflow<no_wrap> : !i64
%10 = cuda_tile.muli %a, %b : !i64
// PRINTS: %11 = cuda_tile.muli %a, %b : !i64
%11 = cuda_tile.muli %a, %b overflow<none> : !i64
%12 = cuda_tile.muli %a, %b overflow<no_signed_wrap> : !i64
%13 = cuda_tile.muli %a, %b overflow<no_unsigned_wrap> : !i64
%14 = cuda_tile.muli %a, %b overflow<no_wrap> : !i64
%15 = cuda_tile.shli %a, %b : !i64
// PRINTS: %16 = cuda_tile.shli %a, %b : !i64
%16 = cuda_tile.shli %a, %b overflow<none> : !i64
%17 = cuda_tile.shli %a, %b overflow<no_signed_wrap> : !i64
%18 = cuda_tile.shli %a, %b overflow<no_unsigned_wrap> : !i64
%19 = cuda_tile.shli %a, %b overflow<no_wrap> : !i64
%20 = cuda_tile.negi %a : !i64
// PRINTS: %21 = cuda_tile.negi %a : !i64
%21 = cuda_tile.negi %a overflow<none> : !i64
%22 = cuda_tile.negi %a overflow<no_signed_wrap> : !i64
%23 = cuda_tile.negi %a overflow<no_wrap> : !i64
// PRINTS: %24 = cuda_tile.addi %a, %b overflow<no_wrap> : !i64
%24 = cuda_tile.addi %a,%b overflow < no_wrap >:!i64

// -----

// Signedness, rounding and every predicate.

// REQ: A-62, A-63, B-32, B-33

!i8 = !cuda_tile.tile<16xi8>
!i1 = !cuda_tile.tile<16xi1>
%a, %b = "test.op"() : () -> (!i8, !i8)
%0 = cuda_tile.remi %a, %b signed : !i8
%1 = cuda_tile.remi %a, %b unsigned : !i8
%2 = cuda_tile.maxi %a, %b signed : !i8
%3 = cuda_tile.maxi %a, %b unsigned : !i8
%4 = cuda_tile.mini %a, %b signed : !i8
%5 = cuda_tile.mini %a, %b unsigned : !i8
%6 = cuda_tile.shri %a, %b signed : !i8
%7 = cuda_tile.shri %a, %b unsigned : !i8
%8 = cuda_tile.divi %a, %b signed : !i8
// PRINTS: %9 = cuda_tile.divi %a, %b signed : !i8
%9 = cuda_tile.divi %a, %b signed rounding<zero> : !i8
%10 = cuda_tile.divi %a, %b signed rounding<positive_inf> : !i8
%11 = cuda_tile.divi %a, %b unsigned : !i8
// PRINTS: %12 = cuda_tile.divi %a, %b unsigned : !i8
%12 = cuda_tile.divi %a, %b unsigned rounding<zero> : !i8
%13 = cuda_tile.divi %a, %b unsigned rounding<positive_inf> : !i8
%14 = cuda_tile.divi %a, %b signed rounding<negative_inf> : !i8
%15 = cuda_tile.cmpi equal %a, %b, signed : !i8 -> !i1
%16 = cuda_tile.cmpi equal %a, %b, unsigned : !i8 -> !i1
%17 = cuda_tile.cmpi not_equal %a, %b, signed : !i8 -> !i1
%18 = cuda_tile.cmpi not_equal %a, %b, unsigned : !i8 -> !i1
%19 = cuda_tile.cmpi less_than %a, %b, signed : !i8 -> !i1
%20 = cuda_tile.cmpi less_than %a, %b, unsigned : !i8 -> !i1
%21 = cuda_tile.cmpi less_than_or_equal %a, %b, signed : !i8 -> !i1
%22 = cuda_tile.cmpi less_than_or_equal %a, %b, unsigned : !i8 -> !i1
%23 = cuda_tile.cmpi greater_than %a, %b, signed : !i8 -> !i1
%24 = cuda_tile.cmpi greater_than %a, %b, unsigned : !i8 -> !i1
%25 = cuda_tile.cmpi greater_than_or_equal %a, %b, signed : !i8 -> !i1
%26 = cuda_tile.cmpi greater_than_or_equal %a, %b, unsigned : !i8 -> !i1

// -----

// Every element type.

!i1 = !cuda_tile.tile<i1>
!i8 = !cuda_tile.tile<2xi8>
!i16 = !cuda_tile.tile<2x2xi16>
!i32 = !cuda_tile.tile<1x1x4xi32>
!i64 = !cuda_tile.tile<i64>
%i1, %i8, %i16, %i32, %i64 = "test.op"() : () -> (!i1, !i8, !i16, !i32, !i64)
%0 = cuda_tile.addi %i1, %i1 : !i1
%1 = cuda_tile.subi %i1, %i1 : !i1
%2 = cuda_tile.muli %i1, %i1 : !i1
%3 = cuda_tile.shli %i1, %i1 : !i1
%4 = cuda_tile.andi %i1, %i1 : !i1
%5 = cuda_tile.ori %i1, %i1 : !i1
%6 = cuda_tile.xori %i1, %i1 : !i1
%7 = cuda_tile.mulhii %i1, %i1 : !i1
%8 = cuda_tile.divi %i1, %i1 unsigned : !i1
%9 = cuda_tile.remi %i1, %i1 unsigned : !i1
%10 = cuda_tile.maxi %i1, %i1 unsigned : !i1
%11 = cuda_tile.mini %i1, %i1 unsigned : !i1
%12 = cuda_tile.shri %i1, %i1 unsigned : !i1
%13 = cuda_tile.absi %i1 : !i1
%14 = cuda_tile.negi %i1 : !i1
%15 = cuda_tile.cmpi equal %i1, %i1, unsigned : !i1 -> !i1
%16 = cuda_tile.addi %i8, %i8 : !i8
%17 = cuda_tile.subi %i8, %i8 : !i8
%18 = cuda_tile.muli %i8, %i8 : !i8
%19 = cuda_tile.shli %i8, %i8 : !i8
%20 = cuda_tile.andi %i8, %i8 : !i8
%21 = cuda_tile.ori %i8, %i8 : !i8
%22 = cuda_tile.xori %i8, %i8 : !i8
%23 = cuda_tile.mulhii %i8, %i8 : !i8
%24 = cuda_tile.divi %i8, %i8 unsigned : !i8
%25 = cuda_tile.remi %i8, %i8 unsigned : !i8
%26 = cuda_tile.maxi %i8, %i8 unsigned : !i8
%27 = cuda_tile.mini %i8, %i8 unsigned : !i8
%28 = cuda_tile.shri %i8, %i8 unsigned : !i8
%29 = cuda_tile.absi %i8 : !i8
%30 = cuda_tile.negi %i8 : !i8
%31 = cuda_tile.cmpi equal %i8, %i8, unsigned : !i8 -> tile<2xi1>
%32 = cuda_tile.addi %i16, %i16 : !i16
%33 = cuda_tile.subi %i16, %i16 : !i16
%34 = cuda_tile.muli %i16, %i16 : !i16
%35 = cuda_tile.shli %i16, %i16 : !i16
%36 = cuda_tile.andi %i16, %i16 : !i16
%37 = cuda_tile.ori %i16, %i16 : !i16
%38 = cuda_tile.xori %i16, %i16 : !i16
%39 = cuda_tile.mulhii %i16, %i16 : !i16
%40 = cuda_tile.divi %i16, %i16 unsigned : !i16
%41 = cuda_tile.remi %i16, %i16 unsigned : !i16
%42 = cuda_tile.maxi %i16, %i16 unsigned : !i16
%43 = cuda_tile.mini %i16, %i16 unsigned : !i16
%44 = cuda_tile.shri %i16, %i16 unsigned : !i16
%45 = cuda_tile.absi %i16 : !i16
%46 = cuda_tile.negi %i16 : !i16
%47 = cuda_tile.cmpi equal %i16, %i16, unsigned : !i16 -> tile<2x2xi1>
%48 = cuda_tile.addi %i32, %i32 : !i32
%49 = cuda_tile.subi %i32, %i32 : !i32
%50 = cuda_tile.muli %i32, %i32 : !i32
%51 = cuda_tile.shli %i32, %i32 : !i32
%52 = cuda_tile.andi %i32, %i32 : !i32
%53 = cuda_tile.ori %i32, %i32 : !i32
%54 = cuda_tile.xori %i32, %i32 : !i32
%55 = cuda_tile.mulhii %i32, %i32 : !i32
%56 = cuda_tile.divi %i32, %i32 unsigned : !i32
%57 = cuda_tile.remi %i32, %i32 unsigned : !i32
%58 = cuda_tile.maxi %i32, %i32 unsigned : !i32
%59 = cuda_tile.mini %i32, %i32 unsigned : !i32
%60 = cuda_tile.shri %i32, %i32 unsigned : !i32
%61 = cuda_tile.absi %i32 : !i32
%62 = cuda_tile.negi %i32 : !i32
%63 = cuda_tile.cmpi equal %i32, %i32, unsigned : !i32 -> tile<1x1x4xi1>
%64 = cuda_tile.addi %i64, %i64 : !i64
%65 = cuda_tile.subi %i64, %i64 : !i64
%66 = cuda_tile.muli %i64, %i64 : !i64
%67 = cuda_tile.shli %i64, %i64 : !i64
%68 = cuda_tile.andi %i64, %i64 : !i64
%69 = cuda_tile.ori %i64, %i64 : !i64
%70 = cuda_tile.xori %i64, %i64 : !i64
%71 = cuda_tile.mulhii %i64, %i64 : !i64
%72 = cuda_tile.divi %i64, %i64 unsigned : !i64
%73 = cuda_tile.remi %i64, %i64 unsigned : !i64
%74 = cuda_tile.maxi %i64, %i64 unsigned : !i64
%75 = cuda_tile.mini %i64, %i64 unsigned : !i64
%76 = cuda_tile.shri %i64, %i64 unsigned : !i64
%77 = cuda_tile.absi %i64 : !i64
%78 = cuda_tile.negi %i64 : !i64
%79 = cuda_tile.cmpi equal %i64, %i64, unsigned : !i64 -> !i1

// -----

// Discardable attributes stand before the colon.

// REQ: B-04, B-28

!i32 = !cuda_tile.tile<i32>
%a, %b = "test.op"() : () -> (!i32, !i32)
%0 = cuda_tile.addi %a, %b overflow<no_wrap> {my.tag = 7 : i32, unit} : !i32
%1 = cuda_tile.subi %a, %b overflow<no_wrap> {my.tag = 7 : i32, unit} : !i32
%2 = cuda_tile.muli %a, %b overflow<no_wrap> {my.tag = 7 : i32, unit} : !i32
%3 = cuda_tile.shli %a, %b overflow<no_wrap> {my.tag = 7 : i32, unit} : !i32
%4 = cuda_tile.andi %a, %b {my.tag = 7 : i32, unit} : !i32
%5 = cuda_tile.ori %a, %b {my.tag = 7 : i32, unit} : !i32
%6 = cuda_tile.xori %a, %b {my.tag = 7 : i32, unit} : !i32
%7 = cuda_tile.mulhii %a, %b {my.tag = 7 : i32, unit} : !i32
%8 = cuda_tile.divi %a, %b signed rounding<positive_inf> {my.tag = 7 : i32, unit} : !i32
%9 = cuda_tile.remi %a, %b unsigned {my.tag = 7 : i32, unit} : !i32
%10 = cuda_tile.maxi %a, %b unsigned {my.tag = 7 : i32, unit} : !i32
%11 = cuda_tile.mini %a, %b unsigned {my.tag = 7 : i32, unit} : !i32
%12 = cuda_tile.shri %a, %b unsigned {my.tag = 7 : i32, unit} : !i32
%13 = cuda_tile.absi %a {my.tag = 7 : i32, unit} : !i32
%14 = cuda_tile.negi %a {my.tag = 7 : i32, unit} : !i32
%15 = cuda_tile.cmpi equal %a, %b, unsigned {my.tag = 7 : i32, unit} : !i32 -> tile<i1>

// -----

// Generic form; what has a default may be left out.

// REQ: B-08, B-22

!i32 = !cuda_tile.tile<i32>
%a, %b = "test.op"() : () -> (!i32, !i32)
// PRINTS: %0 = cuda_tile.addi %a, %b overflow<no_wrap> : !i32
%0 = "cuda_tile.addi"(%a, %b) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!i32, !i32) -> !i32
// PRINTS: %1 = cuda_tile.addi %a, %b : !i32
%1 = "cuda_tile.addi"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!i32, !i32) -> !i32
// PRINTS: %2 = cuda_tile.addi %a, %b : !i32
%2 = "cuda_tile.addi"(%a, %b) : (!i32, !i32) -> !i32
// PRINTS: %3 = cuda_tile.subi %a, %b overflow<no_wrap> : !i32
%3 = "cuda_tile.subi"(%a, %b) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!i32, !i32) -> !i32
// PRINTS: %4 = cuda_tile.subi %a, %b : !i32
%4 = "cuda_tile.subi"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!i32, !i32) -> !i32
// PRINTS: %5 = cuda_tile.subi %a, %b : !i32
%5 = "cuda_tile.subi"(%a, %b) : (!i32, !i32) -> !i32
// PRINTS: %6 = cuda_tile.muli %a, %b overflow<no_wrap> : !i32
%6 = "cuda_tile.muli"(%a, %b) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!i32, !i32) -> !i32
// PRINTS: %7 = cuda_tile.muli %a, %b : !i32
%7 = "cuda_tile.muli"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!i32, !i32) -> !i32
// PRINTS: %8 = cuda_tile.muli %a, %b : !i32
%8 = "cuda_tile.muli"(%a, %b) : (!i32, !i32) -> !i32
// PRINTS: %9 = cuda_tile.shli %a, %b overflow<no_wrap> : !i32
%9 = "cuda_tile.shli"(%a, %b) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!i32, !i32) -> !i32
// PRINTS: %10 = cuda_tile.shli %a, %b : !i32
%10 = "cuda_tile.shli"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!i32, !i32) -> !i32
// PRINTS: %11 = cuda_tile.shli %a, %b : !i32
%11 = "cuda_tile.shli"(%a, %b) : (!i32, !i32) -> !i32
// PRINTS: %12 = cuda_tile.andi %a, %b {my.tag} : !i32
%12 = "cuda_tile.andi"(%a, %b) {my.tag} : (!i32, !i32) -> !i32
// PRINTS: %13 = cuda_tile.ori %a, %b {my.tag} : !i32
%13 = "cuda_tile.ori"(%a, %b) {my.tag} : (!i32, !i32) -> !i32
// PRINTS: %14 = cuda_tile.xori %a, %b {my.tag} : !i32
%14 = "cuda_tile.xori"(%a, %b) {my.tag} : (!i32, !i32) -> !i32
// PRINTS: %15 = cuda_tile.mulhii %a, %b {my.tag} : !i32
%15 = "cuda_tile.mulhii"(%a, %b) {my.tag} : (!i32, !i32) -> !i32
// PRINTS: %16 = cuda_tile.remi %a, %b unsigned : !i32
%16 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!i32, !i32) -> !i32
// PRINTS: %17 = cuda_tile.maxi %a, %b unsigned : !i32
%17 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!i32, !i32) -> !i32
// PRINTS: %18 = cuda_tile.mini %a, %b unsigned : !i32
%18 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!i32, !i32) -> !i32
// PRINTS: %19 = cuda_tile.shri %a, %b unsigned : !i32
%19 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!i32, !i32) -> !i32
// PRINTS: %20 = cuda_tile.divi %a, %b signed rounding<negative_inf> : !i32
%20 = "cuda_tile.divi"(%a, %b) <{rounding = #cuda_tile.rounding<negative_inf>, signedness = #cuda_tile.signedness<signed>}> : (!i32, !i32) -> !i32
// PRINTS: %21 = cuda_tile.divi %a, %b unsigned : !i32
%21 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!i32, !i32) -> !i32
// PRINTS: %22 = cuda_tile.absi %a : !i32
%22 = "cuda_tile.absi"(%a) : (!i32) -> !i32
// PRINTS: %23 = cuda_tile.negi %a overflow<no_signed_wrap> : !i32
%23 = "cuda_tile.negi"(%a) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (!i32) -> !i32
// PRINTS: %24 = cuda_tile.negi %a : !i32
%24 = "cuda_tile.negi"(%a) : (!i32) -> !i32
// PRINTS: %25 = cuda_tile.cmpi less_than %a, %b, signed : !i32 -> tile<i1>
%25 = "cuda_tile.cmpi"(%a, %b) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, signedness = #cuda_tile.signedness<signed>}> : (!i32, !i32) -> !cuda_tile.tile<i1>
