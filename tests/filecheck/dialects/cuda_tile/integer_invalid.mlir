// RUN: TILEIRAS_VERIFY_INVALID

#signed = #cuda_tile.signedness<signed>
#equal = #cuda_tile.comparison_predicate<equal>

// -----

// Operand and result types.

// CHECK: 'cuda_tile.absi' op operand #0 must be [[int:tile of i1 or i8 or i16 or i32 or i64 values]], but got '!ptr_i32'
%0 = "cuda_tile.absi"(%ptr_i32) : (!ptr_i32) -> !i32

// CHECK: 'cuda_tile.absi' op result #0 must be [[int]], but got 'i32'
%0 = "cuda_tile.absi"(%i32) : (!i32) -> i32

// CHECK: 'cuda_tile.negi' op operand #0 must be [[int]], but got '!ptr_i32'
%0 = "cuda_tile.negi"(%ptr_i32) : (!ptr_i32) -> !i32

// CHECK: 'cuda_tile.negi' op result #0 must be [[int]], but got 'i32'
%0 = "cuda_tile.negi"(%i32) : (!i32) -> i32

// CHECK: 'cuda_tile.cmpi' op operand #0 must be [[int]], but got '!f32'
%0 = cuda_tile.cmpi equal %f32, %f32, signed : !f32 -> !i1

// CHECK: 'cuda_tile.cmpi' op operand #1 must be [[int]], but got '!f32'
%0 = "cuda_tile.cmpi"(%i32, %f32) <{comparison_predicate = #equal, signedness = #signed}> : (!i32, !f32) -> !i1

// One type for all.

// CHECK: 'cuda_tile.cmpi' op [[operands:failed to verify that Result type has i1 element type and same shape as operands]]
%0 = cuda_tile.cmpi equal %t4xi32, %t4xi32, signed : !t4xi32 -> !i1

// CHECK: 'cuda_tile.cmpi' op [[operands]]
%0 = cuda_tile.cmpi equal %t2x4xi32, %t2x4xi32, signed : !t2x4xi32 -> !t4x2xi1

// Attributes.

// CHECK: 'cuda_tile.divi' op [[signedness:requires attribute 'signedness']]
%0 = "cuda_tile.divi"(%i32, %i32) : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.divi' op [[constraint:attribute 'signedness' failed to satisfy constraint: Signedness attribute]]
%0 = "cuda_tile.divi"(%i32, %i32) <{signedness = 1 : i32}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.remi' op [[signedness]]
%0 = "cuda_tile.remi"(%i32, %i32) : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.remi' op [[constraint]]
%0 = "cuda_tile.remi"(%i32, %i32) <{signedness = 1 : i32}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.maxi' op [[signedness]]
%0 = "cuda_tile.maxi"(%i32, %i32) : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.maxi' op [[constraint]]
%0 = "cuda_tile.maxi"(%i32, %i32) <{signedness = 1 : i32}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.mini' op [[signedness]]
%0 = "cuda_tile.mini"(%i32, %i32) : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.mini' op [[constraint]]
%0 = "cuda_tile.mini"(%i32, %i32) <{signedness = 1 : i32}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.shri' op [[signedness]]
%0 = "cuda_tile.shri"(%i32, %i32) : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.shri' op [[constraint]]
%0 = "cuda_tile.shri"(%i32, %i32) <{signedness = 1 : i32}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.addi' op [[constraint_1:attribute 'overflow' failed to satisfy constraint: Integer overflow attribute]]
%0 = "cuda_tile.addi"(%i32, %i32) <{overflow = "none"}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.subi' op [[constraint_1]]
%0 = "cuda_tile.subi"(%i32, %i32) <{overflow = "none"}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.muli' op [[constraint_1]]
%0 = "cuda_tile.muli"(%i32, %i32) <{overflow = "none"}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.shli' op [[constraint_1]]
%0 = "cuda_tile.shli"(%i32, %i32) <{overflow = "none"}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.negi' op [[constraint_1]]
%0 = "cuda_tile.negi"(%i32) <{overflow = 0 : i32}> : (!i32) -> !i32

// CHECK: 'cuda_tile.divi' op attribute 'rounding' failed to satisfy constraint: Rounding mode attribute
%0 = "cuda_tile.divi"(%i32, %i32) <{rounding = unit, signedness = #signed}> : (!i32, !i32) -> !i32

// CHECK: 'cuda_tile.cmpi' op requires attribute 'comparison_predicate'
%0 = "cuda_tile.cmpi"(%i32, %i32) <{signedness = #signed}> : (!i32, !i32) -> !i1

// CHECK: 'cuda_tile.cmpi' op [[signedness]]
%0 = "cuda_tile.cmpi"(%i32, %i32) <{comparison_predicate = #equal}> : (!i32, !i32) -> !i1

// CHECK: 'cuda_tile.cmpi' op attribute 'comparison_predicate' failed to satisfy constraint: Comparison predicate attribute
%0 = "cuda_tile.cmpi"(%i32, %i32) <{comparison_predicate = 0 : i32, signedness = #signed}> : (!i32, !i32) -> !i1

// CHECK: 'cuda_tile.addi' op attribute 'overflow' is already given as a property
%0 = cuda_tile.addi %i32, %i32 {overflow = #cuda_tile.overflow<no_wrap>} : !i32

// Modes.

// CHECK: 'cuda_tile.divi' op [[specified:invalid rounding mode specified, expect one of]] [zero, negative_inf, positive_inf]
%0 = cuda_tile.divi %i32, %i32 signed rounding<approx> : !i32

// CHECK: 'cuda_tile.divi' op [[specified]] [zero, negative_inf, positive_inf]
%0 = cuda_tile.divi %i32, %i32 signed rounding<full> : !i32

// CHECK: 'cuda_tile.divi' op [[specified]] [zero, negative_inf, positive_inf]
%0 = cuda_tile.divi %i32, %i32 signed rounding<nearest_int_to_zero> : !i32

// CHECK: 'cuda_tile.divi' op [[specified]] [zero, negative_inf, positive_inf]
%0 = cuda_tile.divi %i32, %i32 signed rounding<nearest_away> : !i32

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.addi' op expected 2 operands, but found 1
%0 = "cuda_tile.addi"(%f32) <{overflow = 0 : i32}> : (!f32) -> !i32

// CHECK: 'cuda_tile.addi' op expected 2 operands, but found 3
%0 = "cuda_tile.addi"(%i32, %i32, %i32) : (!i32, !i32, !i32) -> !i32

// CHECK: 'cuda_tile.addi' op requires one result
"cuda_tile.addi"(%f32, %f32) : (!f32, !f32) -> ()

// CHECK: 'cuda_tile.negi' op requires a single operand
%0 = "cuda_tile.negi"() : () -> !f32

// CHECK: 'cuda_tile.negi' op requires zero regions
%0 = "cuda_tile.negi"(%f32) ({}) : (!f32) -> !i32

// CHECK: 'cuda_tile.divi' op [[signedness]]
%0 = "cuda_tile.divi"(%f32, %i32) : (!f32, !i32) -> !f32

// CHECK: 'cuda_tile.divi' op [[signedness]]
%0 = "cuda_tile.divi"(%i32, %i64) : (!i32, !i64) -> !f32

// CHECK: 'cuda_tile.divi' op [[signedness]]
%0 = "cuda_tile.divi"(%i32, %i64) : (!i32, !i64) -> !i32

// CHECK: 'cuda_tile.divi' op [[verify:failed to verify that all of \{lhs, rhs, result\} have same type]]
%0 = "cuda_tile.divi"(%i32, %i64) <{rounding = #cuda_tile.rounding<full>, signedness = #signed}> : (!i32, !i64) -> !i32

// CHECK: 'cuda_tile.cmpi' op [[verify_4:failed to verify that all of \{lhs, rhs\} have same type]]
%0 = "cuda_tile.cmpi"(%i32, %i64) <{comparison_predicate = #equal, signedness = #signed}> : (!i32, !i64) -> !t4xi1

// CHECK: 'cuda_tile.divi' op [[specified]] [zero, negative_inf, positive_inf]
%0 = cuda_tile.divi %i32, %i32 unsigned rounding<approx> : !i32
