// RUN: tileiras-opt %s -p convert-gpu-to-nvvm | filecheck %s

// Math by libdevice, and by instructions that approximate.
// CHECK: llvm.func @__nv_powif(f32, i32) -> f32
// CHECK-NEXT: llvm.func @__nv_powi(f64, i32) -> f64
// CHECK-NEXT: llvm.func @__nv_sinf(f32) -> f32
// CHECK-NEXT: llvm.func @__nv_fast_sinf(f32) -> f32
// CHECK-NEXT: llvm.func @__nv_fast_powf(f32, f32) -> f32
// CHECK-NEXT: llvm.func @__nv_fast_expf(f32) -> f32
// CHECK-NEXT: llvm.func @__nv_sin(f64) -> f64
// CHECK-NEXT: llvm.func @__nv_sqrtf(f32) -> f32
// CHECK-NEXT: llvm.func @__nv_exp2f(f32) -> f32
// CHECK-NEXT: llvm.func @__nv_fast_fdividef(f32, f32) -> f32
// CHECK-NEXT: llvm.func @__nv_atan2f(f32, f32) -> f32
// CHECK-NEXT: llvm.func @__nv_sqrt(f64) -> f64

// REQ: G-26, G-27, G-28
!v4xf32 = vector<4xf32>

func.func @element_types(%x: f32, %d: f64, %h: f16, %b: bf16) {
  %0 = math.sqrt %x : f32
  %1 = math.sqrt %d : f64
  %2 = math.sqrt %h : f16
  %3 = math.sqrt %b : bf16
  func.return
}
// CHECK-LABEL: func.func @element_types(%x: f32, %d: f64, %h: f16, %b: bf16) {
// CHECK-NEXT: %0 = llvm.call @__nv_sqrtf(%x) : (f32) -> f32
// CHECK-NEXT: %1 = llvm.call @__nv_sqrt(%d) : (f64) -> f64
// CHECK-NEXT: %2 = llvm.fpext %h : f16 to f32
// CHECK-NEXT: %3 = llvm.call @__nv_sqrtf(%2) : (f32) -> f32
// CHECK-NEXT: %4 = llvm.fptrunc %3 : f32 to f16
// CHECK-NEXT: %5 = llvm.fpext %b : bf16 to f32
// CHECK-NEXT: %6 = llvm.call @__nv_sqrtf(%5) : (f32) -> f32
// CHECK-NEXT: %7 = llvm.fptrunc %6 : f32 to bf16
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// REQ: G-29, G-30, I-08
func.func @vectors(%v: !v4xf32, %h: vector<2xf16>) -> !v4xf32 {
  %r = math.sqrt %v : !v4xf32
  %s = math.atan2 %h, %h : vector<2xf16>
  func.return %r : !v4xf32
}
// CHECK-LABEL: func.func @vectors(%v: vector<4xf32>, %h: vector<2xf16>) -> vector<4xf32> {
// CHECK-NEXT: %0 = vector.extract %v[0] : f32 from vector<4xf32>
// CHECK-NEXT: %1 = vector.extract %v[1] : f32 from vector<4xf32>
// CHECK-NEXT: %2 = vector.extract %v[2] : f32 from vector<4xf32>
// CHECK-NEXT: %3 = vector.extract %v[3] : f32 from vector<4xf32>
// CHECK-NEXT: %4 = llvm.call @__nv_sqrtf(%0) : (f32) -> f32
// CHECK-NEXT: %5 = llvm.call @__nv_sqrtf(%1) : (f32) -> f32
// CHECK-NEXT: %6 = llvm.call @__nv_sqrtf(%2) : (f32) -> f32
// CHECK-NEXT: %7 = llvm.call @__nv_sqrtf(%3) : (f32) -> f32
// CHECK-NEXT: %r = vector.from_elements %4, %5, %6, %7 : vector<4xf32>
// CHECK-NEXT: %8 = vector.extract %h[0] : f16 from vector<2xf16>
// CHECK-NEXT: %9 = vector.extract %h[1] : f16 from vector<2xf16>
// CHECK-NEXT: %10 = vector.extract %h[0] : f16 from vector<2xf16>
// CHECK-NEXT: %11 = vector.extract %h[1] : f16 from vector<2xf16>
// CHECK-NEXT: %12 = llvm.fpext %8 : f16 to f32
// CHECK-NEXT: %13 = llvm.fpext %10 : f16 to f32
// CHECK-NEXT: %14 = llvm.call @__nv_atan2f(%12, %13) : (f32, f32) -> f32
// CHECK-NEXT: %15 = llvm.fptrunc %14 : f32 to f16
// CHECK-NEXT: %16 = llvm.fpext %9 : f16 to f32
// CHECK-NEXT: %17 = llvm.fpext %11 : f16 to f32
// CHECK-NEXT: %18 = llvm.call @__nv_atan2f(%16, %17) : (f32, f32) -> f32
// CHECK-NEXT: %19 = llvm.fptrunc %18 : f32 to f16
// CHECK-NEXT: %s = vector.from_elements %15, %19 : vector<2xf16>
// CHECK-NEXT: func.return %r : vector<4xf32>
// CHECK-NEXT: }

// REQ: G-31, J-18
func.func @fast(%x: f32, %d: f64, %h: f16) {
  %precise = math.sin %x : f32
  %not_approximate = math.sin %x fastmath<nnan,contract> : f32
  %fast = math.sin %x fastmath<fast> : f32
  %approximate = math.powf %x, %x fastmath<afn> : f32
  %half = math.exp %h fastmath<afn> : f16
  // There is none for these.
  %double = math.sin %d fastmath<fast> : f64
  %root = math.sqrt %x fastmath<fast> : f32
  %power = math.exp2 %x fastmath<fast> : f32
  // The documented name is __nv_unsafe_divf; this is the function that exists.
  %quotient = arith.divf %x, %x fastmath<afn> : f32
  %exact = arith.divf %x, %x : f32
  %wide = arith.divf %d, %d fastmath<afn> : f64
  func.return
}
// CHECK-LABEL: func.func @fast(%x: f32, %d: f64, %h: f16) {
// CHECK-NEXT: %precise = llvm.call @__nv_sinf(%x) : (f32) -> f32
// CHECK-NEXT: %not_approximate = llvm.call @__nv_sinf(%x) {fastmathFlags = #llvm.fastmath<nnan,contract>} : (f32) -> f32
// CHECK-NEXT: %fast = llvm.call @__nv_fast_sinf(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
// CHECK-NEXT: %approximate = llvm.call @__nv_fast_powf(%x, %x) {fastmathFlags = #llvm.fastmath<afn>} : (f32, f32) -> f32
// CHECK-NEXT: %0 = llvm.fpext %h : f16 to f32
// CHECK-NEXT: %1 = llvm.call @__nv_fast_expf(%0) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK-NEXT: %half = llvm.fptrunc %1 : f32 to f16
// CHECK-NEXT: %double = llvm.call @__nv_sin(%d) {fastmathFlags = #llvm.fastmath<fast>} : (f64) -> f64
// CHECK-NEXT: %root = llvm.call @__nv_sqrtf(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
// CHECK-NEXT: %power = llvm.call @__nv_exp2f(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
// CHECK-NEXT: %quotient = llvm.call @__nv_fast_fdividef(%x, %x) {fastmathFlags = #llvm.fastmath<afn>} : (f32, f32) -> f32
// CHECK-NEXT: %exact = arith.divf %x, %x : f32
// CHECK-NEXT: %wide = arith.divf %d, %d fastmath<afn> : f64
// CHECK-NEXT: func.return
// CHECK-NEXT: }

func.func @integer_exponent(%x: f32, %d: f64, %h: f16, %n: i32) {
  %0 = math.fpowi %x, %n : f32, i32
  %1 = math.fpowi %d, %n : f64, i32
  %2 = math.fpowi %h, %n : f16, i32
  func.return
}
// CHECK-LABEL: func.func @integer_exponent(%x: f32, %d: f64, %h: f16, %n: i32) {
// CHECK-NEXT: %0 = llvm.call @__nv_powif(%x, %n) : (f32, i32) -> f32
// CHECK-NEXT: %1 = llvm.call @__nv_powi(%d, %n) : (f64, i32) -> f64
// CHECK-NEXT: %2 = llvm.fpext %h : f16 to f32
// CHECK-NEXT: %3 = llvm.call @__nv_powif(%2, %n) : (f32, i32) -> f32
// CHECK-NEXT: %4 = llvm.fptrunc %3 : f32 to f16
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// What says how it approximates is never a call, nor split.
func.func @approximations(%x: f32, %v: !v4xf32, %h: vector<2xf16>, %d: f64) {
  %0 = math.exp2 %v {flush_to_zero} : !v4xf32
  %1 = math.rsqrt %v {flush_to_zero} : !v4xf32
  %2 = math.sqrt %v {approx} : !v4xf32
  %3 = math.sqrt %v {approx, flush_to_zero} : !v4xf32
  %4 = math.sqrt %v {flush_to_zero} : !v4xf32
  %5 = math.tanh %v {rounding_mode = "approx"} : !v4xf32
  %6 = arith.divf %v, %v {rounding_mode = "approx", flush_to_zero} : !v4xf32
  %7 = arith.divf %v, %v {rounding_mode = "full"} : !v4xf32
  %8 = arith.addf %x, %x {rounding_mode = "zero"} : f32
  %9 = math.fma %x, %x, %x {flush_to_zero} : f32
  %10 = math.sqrt %d {rounding_mode = "negative_inf"} : f64
  %11 = math.exp2 %h {approx} : vector<2xf16>
  %12 = math.log2 %x {approx} : f32
  func.return
}
// CHECK-LABEL: func.func @approximations(%x: f32, %v: vector<4xf32>, %h: vector<2xf16>, %d: f64) {
// CHECK-NEXT: %0 = nvvm.ex2.approx.f %v {ftz} : vector<4xf32>
// CHECK-NEXT: %1 = nvvm.rsqrt.approx.f %v {ftz} : vector<4xf32>
// CHECK-NEXT: %2 = nvvm.sqrt.approx.f %v : vector<4xf32>
// CHECK-NEXT: %3 = nvvm.sqrt.approx.f %v {ftz} : vector<4xf32>
// CHECK-NEXT: %4 = nvvm.sqrt.f %v {rnd = #nvvm.fp_rnd_mode<rn>, ftz} : vector<4xf32>
// CHECK-NEXT: %5 = nvvm.tanh.approx.f %v : vector<4xf32>
// CHECK-NEXT: %6 = nvvm.div.approx.f %v, %v {ftz} : vector<4xf32>
// CHECK-NEXT: %7 = nvvm.div.full.f %v, %v : vector<4xf32>
// CHECK-NEXT: %8 = nvvm.add.f %x, %x {rnd = #nvvm.fp_rnd_mode<rz>} : f32
// CHECK-NEXT: %9 = nvvm.fma.f %x, %x, %x {rnd = #nvvm.fp_rnd_mode<rn>, ftz} : f32
// CHECK-NEXT: %10 = nvvm.sqrt.f %d {rnd = #nvvm.fp_rnd_mode<rm>} : f64
// CHECK-NEXT: %11 = arith.extf %h : vector<2xf16> to vector<2xf32>
// CHECK-NEXT: %12 = nvvm.ex2.approx.f %11 : vector<2xf32>
// CHECK-NEXT: %13 = arith.truncf %12 : vector<2xf32> to vector<2xf16>
// CHECK-NEXT: %14 = nvvm.lg2.approx.f %x : f32
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// Instructions of LLVM are left to it.
func.func @native(%x: f32, %i: i32) {
  %0 = math.absf %x : f32
  %1 = math.floor %x : f32
  %2 = math.fma %x, %x, %x : f32
  %3 = math.ctpop %i : i32
  func.return
}
// CHECK-LABEL: func.func @native(%x: f32, %i: i32) {
// CHECK-NEXT: %0 = math.absf %x : f32
// CHECK-NEXT: %1 = math.floor %x : f32
// CHECK-NEXT: %2 = math.fma %x, %x, %x : f32
// CHECK-NEXT: %3 = math.ctpop %i : i32
// CHECK-NEXT: func.return
// CHECK-NEXT: }
