// RUN: tileiras-opt %s -p convert-tileas-to-nvgpu | filecheck %s

// An op on a tile is an op on the vector of a thread's registers, one on a scalar stays one.

#few = #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>
#layout = #nv_tileas.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
gpu.module @m {
  gpu.func @arithmetic(%n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %two = arith.constant 2 : i32
    %more = nv_tileaa.addi %n, %two : i32
    %tile = nv_tileaa.splat %more : i32 to tensor<128xi32, #layout>
    %odd = arith.constant dense<3> : tensor<128xi32, #layout>
    %product = nv_tileaa.muli %tile, %odd {overflow = "no_signed_wrap"} : tensor<128xi32, #layout>
    %shifted = nv_tileaa.shli %product, %odd : tensor<128xi32, #layout>
    %quotient = nv_tileaa.divi %shifted, %odd {signedness = "unsigned"} : tensor<128xi32, #layout>
    %float = arith.sitofp %quotient : tensor<128xi32, #layout> to tensor<128xf32, #layout>
    %half = nv_tileaa.fp_to_fp %float : tensor<128xf32, #layout> to tensor<128xf16, #layout>
    %power = nv_tileaa.exp %half : tensor<128xf16, #layout>
    gpu.return
  }

  // CHECK:      %[[two:.*]] = arith.constant 2 : i32
  // CHECK-NEXT: %[[odd:.*]] = arith.constant dense<3> : vector<4xi32>
  // CHECK-NEXT: %[[more:.*]] = arith.addi %n, %[[two]] : i32
  // CHECK-NEXT: %[[tile:.*]] = vector.broadcast %[[more]] : i32 to vector<4xi32>
  // CHECK-NEXT: %[[product:.*]] = arith.muli %[[tile]], %[[odd]] overflow<nsw> : vector<4xi32>
  // CHECK-NEXT: %[[shifted:.*]] = arith.shli %[[product]], %[[odd]] : vector<4xi32>
  // CHECK-NEXT: %[[quotient:.*]] = arith.divui %[[shifted]], %[[odd]] : vector<4xi32>
  // CHECK-NEXT: %[[float:.*]] = arith.sitofp %[[quotient]] : vector<4xi32> to vector<4xf32>
  // CHECK-NEXT: %[[half:.*]] = arith.truncf %[[float]] : vector<4xf32> to vector<4xf16>
  // CHECK-NEXT: llvm.intr.exp(%[[half]]) : (vector<4xf16>) -> vector<4xf16>
  // CHECK-NEXT: gpu.return

  // Functions are those of libdevice, but for what is one instruction, and what asks for it.
  gpu.func @functions(%h: f16, %x: f32, %d: f64, %n: i8) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %0 = nv_tileaa.exp %x : f32
    %1 = nv_tileaa.exp %x {rounding_mode = "approx"} : f32
    %2 = nv_tileaa.tanh %x : f32
    %3 = nv_tileaa.tanh %x {rounding_mode = "approx"} : f32
    %4 = nv_tileaa.exp2 %h : f16
    %5 = nv_tileaa.rsqrt %x : f32
    %6 = nv_tileaa.rsqrt %d : f64
    %7 = nv_tileaa.fpowi %h, %n : f16, i8
    gpu.return
  }
  // CHECK:      %[[log2e:.*]] = arith.constant 1.44269502 : f32
  // CHECK-NEXT: llvm.intr.exp(%x) : (f32) -> f32
  // CHECK-NEXT: %[[scaled:.*]] = arith.mulf %x, %[[log2e]] : f32
  // CHECK-NEXT: nvvm.ex2.approx.f %[[scaled]] : f32
  // CHECK-NEXT: llvm.intr.tanh(%x) : (f32) -> f32
  // CHECK-NEXT: nvvm.tanh.approx.f %x : f32
  // CHECK-NEXT: %[[wide:.*]] = arith.extf %h : f16 to f32
  // CHECK-NEXT: %[[power:.*]] = nvvm.ex2.approx.f %[[wide]] {ftz} : f32
  // CHECK-NEXT: arith.truncf %[[power]] : f32 to f16
  // CHECK-NEXT: nvvm.rsqrt.approx.f %x : f32
  // CHECK-NEXT: math.rsqrt %d : f64
  // CHECK-NEXT: %[[exponent:.*]] = arith.extsi %n : i8 to i32
  // CHECK-NEXT: math.fpowi %h, %[[exponent]] : f16, i32
  // CHECK-NEXT: gpu.return

  // Where the hardware has no conversion, there are two.
  gpu.func @conversions(%d: f64, %i: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %0 = nv_tileaa.splat %d : f64 to tensor<128xf64, #layout>
    %1 = nv_tileaa.fp_to_fp %0 : tensor<128xf64, #layout> to tensor<128xf8E4M3FN, #layout>
    %2 = nv_tileaa.splat %i : i32 to tensor<128xi32, #layout>
    %3 = arith.sitofp %2 : tensor<128xi32, #layout> to tensor<128xf8E5M2, #layout>
    %4 = arith.sitofp %2 : tensor<128xi32, #layout> to tensor<128xtf32, #layout>
    gpu.return
  }
  // CHECK:      %[[single:.*]] = arith.truncf %{{.*}} : vector<4xf64> to vector<4xf32>
  // CHECK-NEXT: arith.bitcast %[[single]] : vector<4xf32> to vector<4xi32>
  // CHECK:      %[[half:.*]] = arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf16>
  // CHECK-NEXT: arith.extf %[[half]] : vector<4xf16> to vector<4xf32>
  // CHECK:      %[[single:.*]] = arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf32>
  // CHECK-NEXT: arith.bitcast %[[single]] : vector<4xf32> to vector<4xi32>

  // A divisor that may be 0 or -1 is replaced, since LLVM takes the division for undefined.
  gpu.func @division(%a: i32, %b: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %q = nv_tileaa.divi %a, %b : i32
    gpu.return
  }
  // CHECK:      %[[zero:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[one:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[all:.*]] = arith.constant -1 : i32
  // CHECK-NEXT: %[[is_zero:.*]] = arith.cmpi eq, %b, %[[zero]] : i32
  // CHECK-NEXT: %[[next:.*]] = arith.addi %b, %[[one]] : i32
  // CHECK-NEXT: %[[special:.*]] = arith.cmpi ule, %[[next]], %[[one]] : i32
  // CHECK-NEXT: %[[divisor:.*]] = arith.select %[[special]], %[[one]], %b : i32
  // CHECK-NEXT: %[[quotient:.*]] = arith.divsi %a, %[[divisor]] : i32
  // CHECK-NEXT: %[[negated:.*]] = arith.subi %[[zero]], %a : i32
  // CHECK-NEXT: %[[defined:.*]] = arith.select %[[special]], %[[negated]], %[[quotient]] : i32
  // CHECK-NEXT: arith.select %[[is_zero]], %[[all]], %[[defined]] : i32

  // Scalars that are not negative are divided as unsigned ones.
  gpu.func @unsigned_division(%a: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %mask = arith.constant 255 : i32
    %x = arith.andi %a, %mask : i32
    %ten = arith.constant 10 : i32
    %q = nv_tileaa.divi %x, %ten : i32
    %r = arith.remsi %x, %ten : i32
    gpu.return
  }
  // CHECK:      gpu.func @unsigned_division
  // CHECK:      arith.divui %[[x:.*]], %[[ten:.*]] : i32
  // CHECK-NEXT: arith.remui %[[x]], %[[ten]] : i32

  // Elements that lie elsewhere in each thread come from memory.
  gpu.func @constants() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %table = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32, #few>
    %narrow = arith.sitofp %table : tensor<8xi32, #few> to tensor<8xf32, #few>
    gpu.return
  }
  // CHECK:      llvm.mlir.global internal constant @constant_table_0(dense<[0, 1, 2, 3,
  // CHECK:      %[[table:.*]] = llvm.mlir.addressof @constant_table_0 : !llvm.ptr<1>
  // CHECK:      %[[pointers:.*]] = llvm.getelementptr %[[table]][%{{.*}}]
  // CHECK-NEXT: %[[own:.*]] = nvvm.fragment.load %[[pointers]] {alignment = 8 : i64, invariant} : vector<1x!llvm.ptr<1>> -> vector<2xi32>
  // CHECK-NEXT: arith.sitofp %[[own]] : vector<2xi32> to vector<2xf32>
}
