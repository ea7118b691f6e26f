// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s --match-full-lines

// Operand and result types.

// CHECK: 'cuda_tile.addi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.subi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.subi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.subi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.muli' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.muli' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.muli' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.shli' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shli' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shli' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.andi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.andi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.andi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.ori' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ori' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ori' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.xori' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.xori' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.xori' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.mulhii' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mulhii' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mulhii' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.divi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.remi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.remi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.remi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.maxi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.maxi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.maxi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.mini' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mini' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mini' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.shri' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shri' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xi4>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>)
%0 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi4>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shri' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.token'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token

// -----

// CHECK: 'cuda_tile.absi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<ptr<i32>>'
%a = "test.op"() : () -> !cuda_tile.tile<ptr<i32>>
%0 = "cuda_tile.absi"(%a) : (!cuda_tile.tile<ptr<i32>>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.absi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got 'i32'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.absi"(%a) : (!cuda_tile.tile<i32>) -> i32

// -----

// CHECK: 'cuda_tile.negi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<ptr<i32>>'
%a = "test.op"() : () -> !cuda_tile.tile<ptr<i32>>
%0 = "cuda_tile.negi"(%a) : (!cuda_tile.tile<ptr<i32>>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.negi' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got 'i32'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.negi"(%a) : (!cuda_tile.tile<i32>) -> i32

// -----

// CHECK: 'cuda_tile.cmpi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = cuda_tile.cmpi equal %a, %a, signed : tile<f32> -> tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op operand #1 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>)
%0 = "cuda_tile.cmpi"(%a, %b) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op result #0 must be tile of i1 values, but got '!cuda_tile.tile<i32>'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi equal %a, %a, signed : tile<i32> -> tile<i32>

// -----

// One type for all.

// CHECK: 'cuda_tile.addi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.subi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.subi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.muli' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.muli' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.shli' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shli' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.andi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.andi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.ori' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.ori' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.xori' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.xori' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.mulhii' op failed to verify that all of {x, y, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mulhii' op failed to verify that all of {x, y, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.divi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.remi' op failed to verify that all of {result, lhs, rhs} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.remi' op failed to verify that all of {result, lhs, rhs} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.maxi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.maxi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.mini' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mini' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.shri' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shri' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<4xi32>

// -----

// CHECK: 'cuda_tile.absi' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.absi"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.absi' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.absi"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>

// -----

// CHECK: 'cuda_tile.negi' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.negi"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>

// -----

// CHECK: 'cuda_tile.negi' op failed to verify that all of {source, result} have same type
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.negi"(%a) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>

// -----

// CHECK: 'cuda_tile.cmpi' op failed to verify that all of {lhs, rhs} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi32>)
%0 = "cuda_tile.cmpi"(%a, %b) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op failed to verify that Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> !cuda_tile.tile<4xi32>
%0 = cuda_tile.cmpi equal %a, %a, signed : tile<4xi32> -> tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op failed to verify that Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.cmpi equal %a, %a, signed : tile<i32> -> tile<1xi1>

// -----

// CHECK: 'cuda_tile.cmpi' op failed to verify that Result type has i1 element type and same shape as operands
%a = "test.op"() : () -> !cuda_tile.tile<2x4xi32>
%0 = cuda_tile.cmpi equal %a, %a, signed : tile<2x4xi32> -> tile<4x2xi1>

// -----

// Attributes.

// CHECK: 'cuda_tile.divi' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.divi"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.divi"(%a, %a) <{signedness = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.remi' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.remi"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.remi' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.remi"(%a, %a) <{signedness = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.maxi' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.maxi"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.maxi' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.maxi"(%a, %a) <{signedness = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mini' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.mini"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.mini' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.mini"(%a, %a) <{signedness = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shri' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.shri"(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shri' op attribute 'signedness' failed to satisfy constraint: Signedness attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.shri"(%a, %a) <{signedness = 1 : i32}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.addi"(%a, %a) <{overflow = "none"}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.subi' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.subi"(%a, %a) <{overflow = "none"}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.muli' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.muli"(%a, %a) <{overflow = "none"}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.shli' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.shli"(%a, %a) <{overflow = "none"}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.negi' op attribute 'overflow' failed to satisfy constraint: Integer overflow attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.negi"(%a) <{overflow = 0 : i32}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op attribute 'rounding' failed to satisfy constraint: Rounding mode attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.divi"(%a, %a) <{rounding = unit, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.cmpi' op requires attribute 'comparison_predicate'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.cmpi"(%a, %a) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op requires attribute 'signedness'
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.cmpi"(%a, %a) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.cmpi' op attribute 'comparison_predicate' failed to satisfy constraint: Comparison predicate attribute
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.cmpi"(%a, %a) <{comparison_predicate = 0 : i32, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>

// -----

// CHECK: 'cuda_tile.addi' op attribute 'overflow' is already given as a property
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.addi %a, %a {overflow = #cuda_tile.overflow<no_wrap>} : tile<i32>

// -----

// Modes.

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<nearest_even> : tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<approx> : tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<full> : tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<nearest_int_to_zero> : tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a signed rounding<nearest_away> : tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op rounding mode 'negative_inf' is not allowed with 'unsigned' flag
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a unsigned rounding<negative_inf> : tile<i32>

// -----

// CHECK: 'cuda_tile.negi' op 'no_unsigned_wrap' overflow flag is not supported
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.negi %a overflow<no_unsigned_wrap> : tile<i32>

// -----

// Of two faults the first in the order counts, types, attributes, traits, verifier.

// CHECK: 'cuda_tile.addi' op expected 2 operands, but found 1
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.addi"(%a) <{overflow = 0 : i32}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op expected 2 operands, but found 3
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = "cuda_tile.addi"(%a, %a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.addi' op requires one result
%a = "test.op"() : () -> !cuda_tile.tile<f32>
"cuda_tile.addi"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()

// -----

// CHECK: 'cuda_tile.negi' op requires a single operand
%0 = "cuda_tile.negi"() : () -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.negi' op requires zero regions
%a = "test.op"() : () -> !cuda_tile.tile<f32>
%0 = "cuda_tile.negi"(%a) ({}) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op requires attribute 'signedness'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>)
%0 = "cuda_tile.divi"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divi' op requires attribute 'signedness'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.divi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<f32>

// -----

// CHECK: 'cuda_tile.divi' op requires attribute 'signedness'
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.divi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.divi' op failed to verify that all of {lhs, rhs, result} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.divi"(%a, %b) <{rounding = #cuda_tile.rounding<full>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>

// -----

// CHECK: 'cuda_tile.cmpi' op failed to verify that all of {lhs, rhs} have same type
%a, %b = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
%0 = "cuda_tile.cmpi"(%a, %b) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<4xi1>

// -----

// CHECK: 'cuda_tile.divi' op invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]
%a = "test.op"() : () -> !cuda_tile.tile<i32>
%0 = cuda_tile.divi %a, %a unsigned rounding<approx> : tile<i32>
