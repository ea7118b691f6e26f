// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t8x16xi32 = tensor<8x16xi32>
!t8x16xf32 = tensor<8x16xf32>
%i, %ti, %f, %tf, %tf16, %c, %p, %tp = "test.op"() : () -> (i32, !t8x16xi32, f32, !t8x16xf32, tensor<8x16xf16>, i1, !llvm.ptr<1>, tensor<8x16x!llvm.ptr<1>>)

// Integers: operands of one type, modes as words.

%0 = nv_tileaa.addi %ti, %ti : !t8x16xi32
%1 = nv_tileaa.subi %ti, %ti : !t8x16xi32
%2 = nv_tileaa.muli %ti, %ti : !t8x16xi32
%3 = nv_tileaa.shli %ti, %ti : !t8x16xi32
%4 = nv_tileaa.addi %i, %i {overflow = "none"} : i32
%5 = nv_tileaa.subi %i, %i {overflow = "no_signed_wrap"} : i32
%6 = nv_tileaa.muli %i, %i {overflow = "no_unsigned_wrap"} : i32
%7 = nv_tileaa.shli %i, %i {overflow = "no_wrap"} : i32
%8 = nv_tileaa.andi %ti, %ti : !t8x16xi32
%9 = nv_tileaa.ori %ti, %ti : !t8x16xi32
%10 = nv_tileaa.xori %ti, %ti : !t8x16xi32
%11 = nv_tileaa.remi %ti, %ti : !t8x16xi32
%12 = nv_tileaa.shri %ti, %ti : !t8x16xi32
%13 = nv_tileaa.divi %ti, %ti : !t8x16xi32
%14 = nv_tileaa.mulhii %ti, %ti : !t8x16xi32
%15 = nv_tileaa.remi %i, %i {signedness = "unsigned"} : i32
%16 = nv_tileaa.shri %i, %i {signedness = "signed"} : i32
// PRINTS: %17 = nv_tileaa.divi %i, %i {rounding = "positive_inf", signedness = "unsigned"} : i32
%17 = "nv_tileaa.divi"(%i, %i) {signedness = "unsigned", rounding = "positive_inf"} : (i32, i32) -> i32
// PRINTS: %18 = nv_tileaa.divi %i, %i {my.tag, rounding = "negative_inf"} : i32
%18 = "nv_tileaa.divi"(%i, %i) <{rounding = "negative_inf"}> {my.tag} : (i32, i32) -> i32
%19 = nv_tileaa.absi %ti : !t8x16xi32
%20 = nv_tileaa.negi %ti : !t8x16xi32
%21 = nv_tileaa.negi %i {overflow = "no_signed_wrap"} : i32
%22 = nv_tileaa.cmpi %ti, %ti : !t8x16xi32 -> tensor<8x16xi1>
%23 = nv_tileaa.cmpi %i, %i {comparison_predicate = "equal", signedness = "unsigned"} : i32 -> i1
%24 = nv_tileaa.cmpi %i, %i {comparison_predicate = "not_equal", signedness = "unsigned"} : i32 -> i1
%25 = nv_tileaa.cmpi %i, %i {comparison_predicate = "less_than", signedness = "unsigned"} : i32 -> i1
%26 = nv_tileaa.cmpi %i, %i {comparison_predicate = "less_than_or_equal", signedness = "unsigned"} : i32 -> i1
%27 = nv_tileaa.cmpi %i, %i {comparison_predicate = "greater_than", signedness = "unsigned"} : i32 -> i1
%28 = nv_tileaa.cmpi %i, %i {comparison_predicate = "greater_than_or_equal", signedness = "unsigned"} : i32 -> i1

// Floats: rounding modes and flags are kept, and so is `fastmath`.

%29 = nv_tileaa.cmpf %tf, %tf : !t8x16xf32 -> tensor<8x16xi1>
%30 = nv_tileaa.cmpf %f, %f {comparison_predicate = "less_than", comparison_ordering = "unordered"} : f32 -> i1
// PRINTS: %31 = nv_tileaa.cmpf %f, %f {comparison_ordering = "ordered"} : f32 -> i1
%31 = "nv_tileaa.cmpf"(%f, %f) {comparison_ordering = "ordered"} : (f32, f32) -> i1
%32 = nv_tileaa.absf %tf : !t8x16xf32
%33 = nv_tileaa.negf %tf : !t8x16xf32
%34 = nv_tileaa.ceil %tf : !t8x16xf32
%35 = nv_tileaa.floor %tf : !t8x16xf32
%36 = nv_tileaa.sin %tf : !t8x16xf32
%37 = nv_tileaa.cos %tf : !t8x16xf32
%38 = nv_tileaa.tan %tf : !t8x16xf32
%39 = nv_tileaa.sinh %tf : !t8x16xf32
%40 = nv_tileaa.cosh %tf : !t8x16xf32
%41 = nv_tileaa.log %tf : !t8x16xf32
%42 = nv_tileaa.log2 %tf : !t8x16xf32
%43 = nv_tileaa.exp %tf : !t8x16xf32
%44 = nv_tileaa.tanh %tf : !t8x16xf32
%45 = nv_tileaa.exp2 %tf : !t8x16xf32
%46 = nv_tileaa.rsqrt %tf : !t8x16xf32
%47 = nv_tileaa.sqrt %tf : !t8x16xf32
%48 = nv_tileaa.sin %tf {fastmath = #arith.fastmath<fast>} : !t8x16xf32
%49 = nv_tileaa.exp %f {rounding_mode = "approx"} : f32
%50 = nv_tileaa.tanh %f {rounding_mode = "full"} : f32
%51 = nv_tileaa.exp2 %f {flush_to_zero} : f32
%52 = nv_tileaa.rsqrt %f {flush_to_zero} : f32
%53 = nv_tileaa.sqrt %f {rounding_mode = "nearest_even", flush_to_zero} : f32
%54 = nv_tileaa.addf %tf, %tf : !t8x16xf32
%55 = nv_tileaa.subf %tf, %tf : !t8x16xf32
%56 = nv_tileaa.mulf %tf, %tf : !t8x16xf32
%57 = nv_tileaa.divf %tf, %tf : !t8x16xf32
%58 = nv_tileaa.remf %tf, %tf : !t8x16xf32
%59 = nv_tileaa.atan2 %tf, %tf : !t8x16xf32
%60 = nv_tileaa.pow %tf, %tf : !t8x16xf32
%61 = nv_tileaa.maxf %tf, %tf : !t8x16xf32
%62 = nv_tileaa.minf %tf, %tf : !t8x16xf32
%63 = nv_tileaa.addf %f, %f {rounding_mode = "zero", flush_to_zero} : f32
%64 = nv_tileaa.subf %f, %f {rounding_mode = "negative_inf", flush_to_zero} : f32
%65 = nv_tileaa.mulf %f, %f {rounding_mode = "positive_inf", flush_to_zero} : f32
%66 = nv_tileaa.divf %f, %f {rounding_mode = "full", flush_to_zero} : f32
%67 = nv_tileaa.divf %f, %f {rounding_mode = "approx", flush_to_zero} : f32
%68 = nv_tileaa.maxf %f, %f {flush_to_zero, propagate_nan} : f32
%69 = nv_tileaa.minf %f, %f {propagate_nan} : f32
%70 = nv_tileaa.fma %tf, %tf, %tf {fastmath = #arith.fastmath<contract>} : !t8x16xf32
// PRINTS: %71 = nv_tileaa.fma %f, %f, %f {fastmath = "contract", rounding_mode = "zero", flush_to_zero} : f32
%71 = "nv_tileaa.fma"(%f, %f, %f) {rounding_mode = "zero", flush_to_zero, fastmath = "contract"} : (f32, f32, f32) -> f32
%72 = nv_tileaa.fpowi %tf, %ti : !t8x16xf32, !t8x16xi32

// Conversions.

%73 = nv_tileaa.trunci %ti : !t8x16xi32 to tensor<8x16xi8>
%74 = nv_tileaa.trunci %i {overflow = "no_wrap"} : i32 to i1
%75 = nv_tileaa.fp_to_fp %tf : !t8x16xf32 to tensor<8x16xf8E5M2>
%76 = nv_tileaa.fp_to_fp %f {rounding_mode = "nearest_away"} : f32 to !cuda_tile.fnv8E5M3FNU
%77 = nv_tileaa.fp_to_fp %tf16 : tensor<8x16xf16> to tensor<8x16xtf32>
%78 = nv_tileaa.bitcast %tf : !t8x16xf32 to !t8x16xi32
%79 = nv_tileaa.bitcast %i : i32 to f32
%80 = nv_tileaa.int_to_ptr %i : i32 to !llvm.ptr<1>
%81 = nv_tileaa.ptr_to_int %tp : tensor<8x16x!llvm.ptr<1>> to tensor<8x16xi64>
// PRINTS: %82 = nv_tileaa.ptr_to_int %p : !llvm.ptr<1> to i64
%82 = "nv_tileaa.ptr_to_int"(%p) : (!llvm.ptr<1>) -> i64
