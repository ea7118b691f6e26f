// RUN: TILEIRAS_VERBATIM

// Every op and type of the dialect, as Triton prints it.

tt.func public @grid(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  %x = tt.get_program_id x : i32
  %z = tt.get_num_programs z : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %b = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %b : tensor<128xi32>
  %0 = tt.load %q : tensor<128x!tt.ptr<f32>>
  %1 = tt.load %q, %m : tensor<128x!tt.ptr<f32>>
  %2 = tt.load %q, %m, %0 cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<128x!tt.ptr<f32>>
  %3 = tt.load %q, %m, %0 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<128x!tt.ptr<f32>>
  %4 = tt.load %p : !tt.ptr<f32>
  tt.store %q, %3 : tensor<128x!tt.ptr<f32>>
  tt.store %q, %3, %m cacheModifier = cs : tensor<128x!tt.ptr<f32>>
  %5 = tt.bitcast %q : tensor<128x!tt.ptr<f32>> -> tensor<128x!tt.ptr<i32>>
  %6 = tt.atomic_rmw fadd, acq_rel, gpu, %q, %3, %m : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
  %7 = tt.atomic_rmw umin, relaxed, sys, %5, %r : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>) -> tensor<128xi32>
  %8 = tt.atomic_cas release, cta, %5, %r, %7 : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi32>) -> tensor<128xi32>
  %9 = tt.atomic_load acquire, gpu, %5, %m : (tensor<128x!tt.ptr<i32>>, tensor<128xi1>) -> tensor<128xi32>
  tt.atomic_store release, gpu, %5, %9 : tensor<128x!tt.ptr<i32>>
  %10 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %11 = tt.int_to_ptr %10 : i64 -> !tt.ptr<f16, 3>
  tt.print " x: " {hex = false, isSigned = array<i32: 1, 0>} : %7, %0 : tensor<128xi32>, tensor<128xf32>
  tt.print "here" {hex = false, isSigned = array<i32>}
  tt.assert %m, "below" : tensor<128xi1>
  ttg.barrier all
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  tt.return
}

tt.func private @helper(%x: f32, %y: f32) -> f32 attributes {noinline = true} {
  %0 = tt.precise_divf %x, %y : f32
  tt.return %0 : f32
}

tt.func public @values(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %s: f32, %h: tensor<4x8xf16>) {
  %0 = tt.call @helper(%s, %s) : (f32, f32) -> f32
  %1 = tt.precise_sqrt %x : tensor<4x8xf32>
  %2 = tt.approx_divf %x, %1 : tensor<4x8xf32>
  %3 = tt.mulhiui %i, %i : tensor<4x8xi32>
  %4 = arith.remf %x, %1 : tensor<4x8xf32>
  %5 = tt.clampf %x, %1, %2, propagateNan = all : tensor<4x8xf32>
  %6 = tt.fp_to_fp %x, rounding = rtz : tensor<4x8xf32> -> tensor<4x8xf16>
  %7 = tt.fp_to_fp %h : tensor<4x8xf16> -> tensor<4x8xf32>
  %8 = tt.extern_elementwise %x, %1 {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %9, %10 = tt.elementwise_inline_asm "mov.b32 $0, $2; mov.b32 $1, $3;" {constraints = "=r,=r,r,r", packed_element = 1 : i32, pure = true} %i, %x : tensor<4x8xi32>, tensor<4x8xf32> -> tensor<4x8xi32>, tensor<4x8xf32>
  %11 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %12 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a1: f32, %b1: f32):
    %c1 = arith.addf %a1, %b1 : f32
    tt.reduce.return %c1 : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  %13, %14 = "tt.scan"(%x, %i) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a2: f32, %b2: i32, %c2: f32, %d2: i32):
    tt.scan.return %c2, %b2 : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  tt.return
}

tt.func public @shapes(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %m: tensor<4x8xi1>, %one: tensor<1x1xf32>) {
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  %1 = tt.broadcast %0 : tensor<4x1x8xf32> -> tensor<4x2x8xf32>
  %2 = tt.reshape %1 allow_reorder efficient_layout : tensor<4x2x8xf32> -> tensor<64xf32>
  %3 = tt.trans %1 {order = array<i32: 2, 0, 1>} : tensor<4x2x8xf32> -> tensor<8x4x2xf32>
  %4 = tt.cat %2, %2 : tensor<64xf32> -> tensor<128xf32>
  %5 = tt.join %x, %x : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %6, %7 = tt.split %5 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %8 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %9 = tt.histogram %i, %m : tensor<4x8xi32> -> tensor<16xi32>
  %10 = tt.unsplat %one : tensor<1x1xf32>
  tt.return
}

tt.func public @dots(%a: tensor<16x64xf16>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>, %p: tensor<16x32xi8>, %q: tensor<64x16xi8>, %s: tensor<16x2xi8>) {
  %0 = tt.dot %a, %b, %c : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  %1 = tt.dot %a, %b, %0, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  %2 = tt.dot_scaled %p scale %s, %q scale %s, %1 lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  %3 = tt.dot_scaled %a, %q scale %s, %2 lhs = fp16 rhs = e5m2 {fastMath = true} : tensor<16x64xf16> * tensor<64x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  tt.return
}

tt.func public @descriptors(%p: !tt.ptr<f32>, %d: !tt.tensordesc<1x32xf32>, %i: i32, %l: i64, %x: tensor<8xi32>) {
  %0 = tt.make_tensor_descriptor %p, [%i, %i], [%l, %l] {padding = 2 : i32} : <f32>, <8x32xf32>
  %1 = tt.descriptor_load %0[%i, %i] cacheModifier = cg : !tt.tensordesc<8x32xf32> -> tensor<8x32xf32>
  tt.descriptor_store %0[%i, %i], %1 : !tt.tensordesc<8x32xf32>, tensor<8x32xf32>
  tt.descriptor_reduce add, %0[%i, %i], %1 : !tt.tensordesc<8x32xf32>, tensor<8x32xf32>
  %2 = tt.descriptor_gather %d[%x, %i] : (!tt.tensordesc<1x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  tt.descriptor_scatter %d[%x, %i], %2 : !tt.tensordesc<1x32xf32>, tensor<8xi32>, i32, tensor<8x32xf32>
  %3 = tt.make_tensor_descriptor %p, [%i], [%l] : <f32>, <tensor<32xf32>>
  %4 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 1, 0>} : <tensor<8x32xf32>>
  %5 = tt.advance %4, [%i, %i] : <tensor<8x32xf32>>
  %6 = tt.load %5 {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<8x32xf32>>
  tt.store %5, %6 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8x32xf32>>
  tt.return
}

// A loop that carries nothing, and hints of loops.

tt.func public @loops(%c: i1, %n: i32) {
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  scf.for %i = %n to %n step %n : i32 {
    "test.op"() : () -> ()
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = #llvm.loop_licm<disable = true>>, tt.num_stages = 3 : i32, tt.flatten}
  tt.return
}
