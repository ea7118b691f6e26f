// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes; an entry is one kernel.

// REQ: A-02, A-17, B-02, B-03

cuda_tile.module @kernels attributes {producer = "demo 1.0"} {
  global  @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  global private  constant @h <i32: 7> : tile<2xi32>
  entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
    // PRINTS: ^body:
    // PRINTS: %0 = get_global @g : tile<ptr<f32>>
    %0 = get_global @g : tile<ptr<f32>>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    // PRINTS: %cst = constant <f32: 1.500000e+00> : tile<2x2xf32>
    %cst_f32 = constant <f32: 1.500000e+00> : tile<2x2xf32>
    return
  }
  entry @other() {
    // PRINTS: ^body:
    // PRINTS: %cst = constant <i32: [1, -2, 3, 4]> : tile<4xi32>
    %cst_i32 = constant <i32: [1, -2, 3, 4]> : tile<4xi32>
    return
  }
}

// -----

// Modules: empty, with a producer, with other attributes, with an unusual name.

// REQ: A-02, B-28

cuda_tile.module @empty {
}
// PRINTS: module @producer attributes {producer = "a \22quoted\22 name"} {
cuda_tile.module @producer attributes {producer = "a \"quoted\" name"} {
}
cuda_tile.module @attributes attributes {my.tag = 7 : i32, unit} {
}
// PRINTS: module @both attributes {my.tag = 7 : i32, producer = "demo 1.0"} {
cuda_tile.module @both attributes {producer = "demo 1.0", my.tag = 7 : i32} {
}
cuda_tile.module @"a b" {
}
cuda_tile.module @outer {
  cuda_tile.module @inner {
    // PRINTS: entry @k() {
    // PRINTS: ^body:
    // PRINTS: return
    entry @k() {
    }
  }
}

// -----

// Prefixes may be left out or not; both are the same.

// REQ: B-03

cuda_tile.module @a {
  cuda_tile.entry @k() {
    // PRINTS: ^body:
    // PRINTS: %cst_1 = constant <i32: 1> : tile<i32>
    %0 = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    cuda_tile.return
  }
}
cuda_tile.module @b {
  entry @k() {
    // PRINTS: ^body:
    // PRINTS: %cst_1 = constant <i32: 1> : tile<i32>
    %0 = constant <i32: 1> : tile<i32>
    return
  }
}

// -----

// Entries: parameters that are tiles are scalars, others are free; `return` may be left out.

// REQ: A-12, B-28

cuda_tile.module @m {
  entry @none() {
  // PRINTS: ^body:
  // PRINTS: return
  // PRINTS: }
  }
  entry @scalars(%a: tile<i1>, %b: tile<bf16>, %c: tile<ptr<i8>>, %d: !cuda_tile.tile<fnv8E5M3FNU>) {
    // PRINTS: ^body:
    // PRINTS: return
    return
  }
  entry @others(%t: token, %v: tensor_view<?x64xf32, strides=[64,1]>, %w: !cuda_tile.partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>) {
  // PRINTS: ^body:
  ^any:
    return
  }
  // PRINTS: entry @hints() optimization_hints=<default = {occupancy = 2}, sm_90 = {num_cta_in_cga = 1, occupancy = 1}> {
  // PRINTS: ^body:
  entry @hints() optimization_hints = <default = {occupancy = 2}, sm_90 = {num_cta_in_cga = 1, occupancy = 1}> {
    return
  }
  entry @"unusual name"() {
    // PRINTS: ^body:
    // PRINTS: return
    return
  } {my.tag = 7 : i32, unit}
  entry @attributes(%a: tile<i32>) {
    // PRINTS: ^body:
    // PRINTS: return
    return
  } {arg_attrs = [{my.tag}], res_attrs = []}
}

// -----

// Globals: visibility, `constant`, alignment, attributes, and every element type.

// REQ: A-17, B-28

!t2xi32 = !cuda_tile.tile<2xi32>

cuda_tile.global @plain <i32: [1, 2]> : !t2xi32
// PRINTS: cuda_tile.global @public <i32: [1, 2]> : !t2xi32
cuda_tile.global public @public <i32: [1, 2]> : !t2xi32
cuda_tile.global private @private <i32: [1, 2]> : !t2xi32
cuda_tile.global constant @constant <i32: [1, 2]> : !t2xi32
// PRINTS: cuda_tile.global constant @public_constant <i32: [1, 2]> : !t2xi32
cuda_tile.global public constant @public_constant <i32: [1, 2]> : !t2xi32
cuda_tile.global private constant @private_constant <i32: [1, 2]> : !t2xi32
cuda_tile.global @aligned alignment = 128 <i32: [1, 2]> : !t2xi32
// PRINTS: cuda_tile.global @unaligned <i32: [1, 2]> : !t2xi32
cuda_tile.global @unaligned alignment = 0 <i32: [1, 2]> : !t2xi32
cuda_tile.global @odd alignment = -3 <i32: [1, 2]> : !t2xi32
cuda_tile.global @attributes {my.tag = 7 : i32, unit} <i32: [1, 2]> : !t2xi32
// PRINTS: cuda_tile.global private constant @all alignment = 16 {my.tag} <i32: 5> : !t2xi32
cuda_tile.global private constant @all alignment=16 {my.tag} <i32: 5> : !t2xi32
cuda_tile.global @one <i32: 5> : tile<1xi32>
cuda_tile.global @g_i1 <i1: [true, false]> : tile<2xi1>
cuda_tile.global @g_i8 <i8: -1> : tile<2xi8>
cuda_tile.global @g_i16 <i16: [1, -2]> : tile<2xi16>
cuda_tile.global @g_i32 <i32: 5> : !t2xi32
cuda_tile.global @g_i64 <i64: [1, -9223372036854775808]> : tile<2xi64>
cuda_tile.global @g_f16 <f16: [1.000000e+00, 0x7C00]> : tile<2xf16>
cuda_tile.global @g_bf16 <bf16: 2.000000e+00> : tile<2xbf16>
cuda_tile.global @g_f32 <f32: [-0.000000e+00, 0x7FC00000]> : tile<2xf32>
cuda_tile.global @g_f64 <f64: 123456.789> : tile<2xf64>
cuda_tile.global @g_tf32 <tf32: 1.500000e+00> : tile<2xtf32>
cuda_tile.global @g_f8E4M3FN <f8E4M3FN: [1.000000e+00, 2.000000e+00]> : tile<2xf8E4M3FN>
cuda_tile.global @g_f8E5M2 <f8E5M2: 1.000000e+00> : tile<2xf8E5M2>
cuda_tile.global @g_f8E8M0FNU <f8E8M0FNU: [1.000000e+00, 2.000000e+00]> : tile<2xf8E8M0FNU>
cuda_tile.global @g_f4E2M1FN <f4E2M1FN: [1.000000e+00, 6.000000e+00]> : tile<2xf4E2M1FN>
cuda_tile.global @g_fnv8E5M3FNU <fnv8E5M3FNU: 1.000000e+00> : tile<2xfnv8E5M3FNU>

// -----

// Addresses of globals, before and after them, and the grid.

// REQ: A-17, B-28

cuda_tile.module @m {
  entry @k() {
    // PRINTS: ^body:
    // PRINTS: %a = get_global @g : tile<ptr<f32>>
    %a = get_global @g : tile<ptr<f32>>
    %b = cuda_tile.get_global @h {my.tag = 7 : i32, unit} : !cuda_tile.tile<ptr<i8>>
    %x, %y, %z = cuda_tile.get_tile_block_id {my.tag = 7 : i32, unit} : !cuda_tile.tile<i32>
    %u, %v, %w = cuda_tile.get_num_tile_blocks {my.tag = 7 : i32, unit} : !cuda_tile.tile<i32>
    // PRINTS: %0, %1, %2 = get_tile_block_id : tile<i32>
    %0:3 = get_tile_block_id : tile<i32>
    return
  }
  global @g <f32: 1.000000e+00> : tile<2xf32>
  global private @h <i8: 1> : tile<2xi8>
  testing$func @f() {
    // PRINTS: ^body:
    // PRINTS: %a = get_global @g : tile<ptr<f32>>
    %a = get_global @g : tile<ptr<f32>>
    return
  }
}
cuda_tile.global @top <i64: 1> : tile<2xi64>
%a = cuda_tile.get_global @top : tile<ptr<i64>>

// -----

// Constants are named after their values, whatever they were called.

// REQ: A-17, B-06, B-43, B-44, B-45, B-46, B-47, B-48, B-49, B-55

// PRINTS: %true = cuda_tile.constant <i1: true> : tile<8xi1>
%0 = cuda_tile.constant <i1: 1> : !cuda_tile.tile<8xi1>
// PRINTS: %false = cuda_tile.constant <i1: false> : tile<i1>
%true = cuda_tile.constant <i1: 0> : !cuda_tile.tile<i1>
// PRINTS: %cst_NaN = cuda_tile.constant <f32: 0x7FC00000> : tile<4xf32>
%2 = cuda_tile.constant <f32: 0x7FC00000> : !cuda_tile.tile<4xf32>
// PRINTS: %cst_i1 = cuda_tile.constant <i1: [true, false, true, false]> : tile<4xi1>
%3 = cuda_tile.constant <i1: [1, 0, 1, 0]> : !cuda_tile.tile<4xi1>
// PRINTS: %cst_42 = cuda_tile.constant <i32: 42> : tile<16xi32>
%4 = cuda_tile.constant <i32: 42> : !cuda_tile.tile<16xi32>
// PRINTS: %cst_-1 = cuda_tile.constant <i8: -1> : tile<i8>
%cst_42 = cuda_tile.constant <i8: -1> : !cuda_tile.tile<i8>
// PRINTS: %cst = cuda_tile.constant <f32: 2.500000e+00> : tile<f32> {my.tag = 7 : i32, unit}
%x = cuda_tile.constant <f32: 2.5> : !cuda_tile.tile<f32> {my.tag = 7 : i32, unit}

// -----

// Generic form; what has a default may be left out.

// REQ: B-08, B-22

!i32 = !cuda_tile.tile<i32>
// PRINTS: cuda_tile.module @empty {
"cuda_tile.module"() <{sym_name = "empty"}> ({
// PRINTS:
^bb0:
// PRINTS: }
}) : () -> ()
// PRINTS: cuda_tile.module @m attributes {my.tag, producer = "demo 1.0"} {
"cuda_tile.module"() <{producer = "demo 1.0", sym_name = "m"}> ({
  // PRINTS: cuda_tile.global @g <i32: [1, 2]> : tile<2xi32>
  "cuda_tile.global"() <{sym_name = "g", value = #cuda_tile.dense<i32: [1, 2] : tile<2xi32>>}> : () -> ()
  // PRINTS: cuda_tile.global private constant @h alignment = 16 {my.tag} <f32: 1.000000e+00> : tile<4xf32>
  "cuda_tile.global"() <{alignment = 16 : i64, constant, sym_name = "h", symbol_visibility = #cuda_tile.symbol_visibility<private>, value = #cuda_tile.dense<f32: 1.0 : tile<4xf32>>}> {my.tag} : () -> ()
  // PRINTS: cuda_tile.global @i <i8: 1> : tile<4xi8>
  "cuda_tile.global"() <{alignment = 0 : i64, sym_name = "i", symbol_visibility = #cuda_tile.symbol_visibility<public>, value = #cuda_tile.dense<i8: 1 : tile<4xi8>>}> : () -> ()
  // PRINTS: cuda_tile.entry @k(%a: tile<f32>) optimization_hints=<sm_90 = {occupancy = 1}> {
  "cuda_tile.entry"() <{arg_attrs = [{my.tag}], function_type = (!cuda_tile.tile<f32>) -> (), optimization_hints = #cuda_tile.optimization_hints<sm_90 = {occupancy = 1}>, sym_name = "k"}> ({
  // PRINTS: ^body:
  ^bb0(%a: !cuda_tile.tile<f32>):
    // PRINTS: %g = cuda_tile.get_global @g : tile<ptr<i32>>
    %g = "cuda_tile.get_global"() <{name = @g}> : () -> !cuda_tile.tile<ptr<i32>>
    // PRINTS: %x, %y, %z = cuda_tile.get_tile_block_id : !i32
    %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (!i32, !i32, !i32)
    // PRINTS: %u, %v, %w = cuda_tile.get_num_tile_blocks {my.tag} : !i32
    %u, %v, %w = "cuda_tile.get_num_tile_blocks"() {my.tag} : () -> (!i32, !i32, !i32)
    // PRINTS: %cst_5 = cuda_tile.constant <i32: 5> : !i32
    %c = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 5 : tile<i32>>}> : () -> !i32
    // PRINTS: cuda_tile.return
    "cuda_tile.return"() : () -> ()
  // PRINTS: } {unit, arg_attrs = [{my.tag}]}
  }) {unit} : () -> ()
// PRINTS: }
}) {my.tag} : () -> ()
