// RUN: TILEIRAS_VERIFY_INVALID

// -----

// `module`.

// CHECK: 'cuda_tile.module' op requires attribute 'sym_name'
"cuda_tile.module"() ({
^bb0:
}) : () -> ()

// CHECK: 'cuda_tile.module' op [[constraint:attribute 'sym_name' failed to satisfy constraint: string attribute]]
"cuda_tile.module"() <{sym_name = 5 : i32}> ({
^bb0:
}) : () -> ()

// CHECK: 'cuda_tile.module' op attribute 'producer' failed to satisfy constraint: string attribute
cuda_tile.module @m attributes {producer = 5 : i32} {
}

// CHECK: 'cuda_tile.module' op requires zero operands
"cuda_tile.module"(%i32) <{sym_name = "m"}> ({
^bb0:
}) : (!i32) -> ()

// CHECK: 'cuda_tile.module' op requires one region
"cuda_tile.module"() <{sym_name = "m"}> ({
^bb0:
}, {
}) : () -> ()

// CHECK: 'cuda_tile.module' op [[constraint_1:region #0 \('body'\) failed to verify constraint: region with 1 blocks]]
"cuda_tile.module"() <{sym_name = "m"}> ({
}) : () -> ()

// CHECK: 'cuda_tile.module' op region #0 should have no arguments
"cuda_tile.module"() <{sym_name = "m"}> ({
^bb0(%a: !i32):
}) : () -> ()

// CHECK: 'cuda_tile.module' op [[operations:non-symbol operations are not allowed in a module body]]
cuda_tile.module @m {
  %0 = constant <i32: 1> : !i32
}

// CHECK: 'cuda_tile.module' op [[operations]]
cuda_tile.module @m {
  "test.op"() : () -> ()
}

// CHECK: redefinition of symbol named 'a'
cuda_tile.module @m {
  global @a <i32: 1> : !t2xi32
  entry @a() {
  }
}

// CHECK: operand #0: using value defined outside the region ('cuda_tile.entry' is isolated from above)
cuda_tile.module @m {
  entry @k() {
    %0 = absi %i32 : !i32
  }
}

// `entry`.

// CHECK: 'cuda_tile.entry' op requires attribute 'sym_name'
"cuda_tile.entry"() <{function_type = () -> ()}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op requires attribute 'function_type'
"cuda_tile.entry"() <{sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op [[constraint]]
"cuda_tile.entry"() <{function_type = () -> (), sym_name = @k}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op attribute 'function_type' failed to satisfy constraint: type attribute of function type
"cuda_tile.entry"() <{function_type = i32, sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op attribute 'arg_attrs' failed to satisfy constraint: Array of dictionary attributes
"cuda_tile.entry"() <{arg_attrs = {}, function_type = () -> (), sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op attribute 'res_attrs' failed to satisfy constraint: Array of dictionary attributes
"cuda_tile.entry"() <{function_type = () -> (), res_attrs = [5 : i32], sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op attribute 'optimization_hints' failed to satisfy constraint: Optimization hints attribute
"cuda_tile.entry"() <{function_type = () -> (), optimization_hints = {}, sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op [[constraint_1]]
"cuda_tile.entry"() <{function_type = () -> (), sym_name = "k"}> ({
}) : () -> ()

// CHECK: 'cuda_tile.entry' op entry op must not return values
"cuda_tile.entry"() <{function_type = () -> !i32, sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op entry op must have scalar types (rank 0 !cuda_tile.tile)
cuda_tile.module @m {
  entry @k(%a: !t4xf32) {
  }
}

// CHECK: 'cuda_tile.entry' op entry op must have scalar types (rank 0 !cuda_tile.tile)
cuda_tile.module @m {
  entry @k(%a: token, %b: !i32, %c: !t1xptr_f32) {
  }
}

// CHECK: 'cuda_tile.entry' op entry block has arguments (), but the function type takes ('!i32')
"cuda_tile.entry"() <{function_type = (!i32) -> (), sym_name = "k"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op expects a non-empty block
"cuda_tile.entry"() <{function_type = () -> (), sym_name = "k"}> ({
^bb0:
}) : () -> ()

// CHECK: 'cuda_tile.entry' op body must end in return
cuda_tile.module @m {
  entry @k() {
    "test.termop"() : () -> ()
  }
}

// `testing$func`.

// CHECK: 'cuda_tile.testing$func' op expects a non-empty block
"cuda_tile.testing$func"() <{function_type = () -> (), sym_name = "f"}> ({
^bb0:
}) : () -> ()

// CHECK: 'cuda_tile.testing$func' op body has arguments (), but the function type takes ('!i32')
"cuda_tile.testing$func"() <{function_type = (!i32) -> (), sym_name = "f"}> ({
^bb0:
  "cuda_tile.return"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.testing$func' op body must end in return
cuda_tile.testing$func @f() {
  "test.termop"() : () -> ()
}

// `global`.

// CHECK: 'cuda_tile.global' op type must have rank 1
cuda_tile.global @g <i32: 1> : !i32

// CHECK: 'cuda_tile.global' op type must have rank 1
cuda_tile.global @g <f32: [[1.0, 2.0], [3.0, 4.0]]> : !t2x2xf32

// CHECK: 'cuda_tile.global' op requires attribute 'sym_name'
"cuda_tile.global"() <{value = #cuda_tile.dense<i32: 1 : tile<2xi32>>}> : () -> ()

// CHECK: 'cuda_tile.global' op requires attribute 'value'
"cuda_tile.global"() <{sym_name = "g"}> : () -> ()

// CHECK: 'cuda_tile.global' op [[constraint_2:attribute 'value' failed to satisfy constraint: dense elements attribute]]
"cuda_tile.global"() <{sym_name = "g", value = dense<1> : tensor<2xi32>}> : () -> ()

// CHECK: 'cuda_tile.global' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute
"cuda_tile.global"() <{alignment = 8 : i32, sym_name = "g", value = #cuda_tile.dense<i32: 1 : tile<2xi32>>}> : () -> ()

// CHECK: 'cuda_tile.global' op attribute 'symbol_visibility' failed to satisfy constraint: symbol visibility attribute
"cuda_tile.global"() <{sym_name = "g", symbol_visibility = "private", value = #cuda_tile.dense<i32: 1 : tile<2xi32>>}> : () -> ()

// CHECK: 'cuda_tile.global' op attribute 'constant' failed to satisfy constraint: true should be of base attribute unit
"cuda_tile.global"() <{constant = true, sym_name = "g", value = #cuda_tile.dense<i32: 1 : tile<2xi32>>}> : () -> ()

// CHECK: 'cuda_tile.global' op requires zero results
%0 = "cuda_tile.global"() <{sym_name = "g", value = #cuda_tile.dense<i32: 1 : tile<2xi32>>}> : () -> !i32

// `get_global`.

// CHECK: 'cuda_tile.get_global' op 'zz' does not reference a valid global
cuda_tile.module @m {
  global @g <i32: [1, 2]> : !t2xi32
  entry @k() {
    %0 = get_global @zz : !ptr_f32
  }
}

// CHECK: 'cuda_tile.get_global' op 'k' does not reference a valid global
cuda_tile.module @m {
  global @g <i32: [1, 2]> : !t2xi32
  entry @k() {
    %0 = get_global @k : !ptr_f32
  }
}

// CHECK: 'cuda_tile.get_global' op 'g' does not reference a valid global
cuda_tile.global @g <i32: 1> : !t2xi32
cuda_tile.module @m {
  entry @k() {
    %0 = get_global @g : !ptr_i32
  }
}

// CHECK: 'cuda_tile.get_global' op 'g' does not reference a valid global
%0 = cuda_tile.get_global @g : !ptr_i32

// CHECK: 'cuda_tile.get_global' op pointee type of result type '!cuda_tile.ptr<f32>' does not match type 'i32' of the global @g
cuda_tile.module @m {
  global @g <i32: [1, 2]> : !t2xi32
  entry @k() {
    %0 = get_global @g : !ptr_f32
  }
}

// CHECK: 'cuda_tile.get_global' op result #0 must be 0D tile of Pointer type values, but got '!t2xptr_i32'
cuda_tile.module @m {
  global @g <i32: [1, 2]> : !t2xi32
  entry @k() {
    %0 = get_global @g : !t2xptr_i32
  }
}

// CHECK: 'cuda_tile.get_global' op requires attribute 'name'
%0 = "cuda_tile.get_global"() : () -> !ptr_i32

// CHECK: 'cuda_tile.get_global' op [[constraint_3:attribute 'name' failed to satisfy constraint: flat symbol reference attribute]]
%0 = "cuda_tile.get_global"() <{name = "g"}> : () -> !ptr_i32

// CHECK: 'cuda_tile.get_global' op [[constraint_3]]
%0 = "cuda_tile.get_global"() <{name = @m::@g}> : () -> !ptr_i32

// The grid.

// CHECK: 'cuda_tile.get_tile_block_id' op result #0 must be 0D tile of i32 values, but got '!i64'
%0:3 = cuda_tile.get_tile_block_id : !i64

// CHECK: 'cuda_tile.get_tile_block_id' op result #1 must be 0D tile of i32 values, but got '!t1xi32'
%0:3 = "cuda_tile.get_tile_block_id"() : () -> (!i32, !t1xi32, !i32)

// CHECK: 'cuda_tile.get_tile_block_id' op expected 3 results
%0 = "cuda_tile.get_tile_block_id"() : () -> !i32

// CHECK: 'cuda_tile.get_num_tile_blocks' op result #1 must be 0D tile of i32 values, but got '!t1xi32'
%0:3 = "cuda_tile.get_num_tile_blocks"() : () -> (!i32, !t1xi32, !i32)

// CHECK: 'cuda_tile.get_num_tile_blocks' op result #2 must be 0D tile of i32 values, but got '!f32'
%0:3 = "cuda_tile.get_num_tile_blocks"() : () -> (!i32, !i32, !f32)

// CHECK: 'cuda_tile.get_num_tile_blocks' op expected 3 results
%0 = "cuda_tile.get_num_tile_blocks"() : () -> !i32

// `constant`; its literals are with the elements.

// CHECK: 'cuda_tile.constant' op result #0 must be [[int:tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU values]], but got '!t4xi4'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !t4xi4

// CHECK: 'cuda_tile.constant' op result #0 must be [[int]], but got '!ptr_f32'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !ptr_f32

// CHECK: 'cuda_tile.constant' op result #0 must be [[int]], but got '!token'
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1 : tile<i32>>}> : () -> !token

// CHECK: 'cuda_tile.constant' op requires attribute 'value'
%0 = "cuda_tile.constant"() : () -> !i32

// CHECK: 'cuda_tile.constant' op [[constraint_2]]
%0 = "cuda_tile.constant"() <{value = 5 : i32}> : () -> !i32

// CHECK: 'cuda_tile.constant' op [[constraint_2]]
%0 = "cuda_tile.constant"() <{value = dense<5> : tensor<i32>}> : () -> !i32

// CHECK: 'cuda_tile.constant' op [[constraint_2]]
%0 = "cuda_tile.constant"() <{value = #cuda_tile.rounding<zero>}> : () -> !i32

// CHECK: 'cuda_tile.constant' op [[verify:failed to verify that all of \{value, result\} have same type]]
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 5 : tile<2xi32>>}> : () -> !i32

// CHECK: 'cuda_tile.constant' op [[verify]]
%0 = "cuda_tile.constant"() <{value = #cuda_tile.dense<f32: 5.0 : tile<f32>>}> : () -> !i32

// Of two faults the first in the order counts, types, attributes, verifier, what it contains.

// CHECK: 'cuda_tile.global' op requires attribute 'value'
cuda_tile.module @m {
  entry @k() {
    %0 = get_global @g : !ptr_f32
  }
  "cuda_tile.global"() <{sym_name = "g"}> : () -> ()
}

// CHECK: 'cuda_tile.entry' op entry op must not return values
"cuda_tile.entry"() <{function_type = (!cuda_tile.tile<4xf32>) -> !i32, sym_name = "k"}> ({
^bb0:
  "cuda_tile.yield"() : () -> ()
}) : () -> ()

// CHECK: 'cuda_tile.entry' op entry op must have scalar types (rank 0 !cuda_tile.tile)
cuda_tile.module @m {
  entry @k(%a: !t4xi32) {
    absf %a : !t4xi32
  }
}

// CHECK: 'cuda_tile.absf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!i32'
cuda_tile.module @m {
  %0 = constant <i32: 1> : !i32
  entry @k(%a: !i32) {
    absf %a : !i32
  }
}
