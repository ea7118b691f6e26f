// RUN: tileiras-opt %s -p convert-gpu-to-nvvm --allow-unregistered-dialect --verify-diagnostics --split-input-file | filecheck %s

// What is left of `gpu` is named.
// REQ: G-01, G-03, I-05
func.func @host(%n: index) {
  // CHECK: failed to convert gpu to nvvm: 'gpu.wait' op has no conversion
  "gpu.wait"() {operandSegmentSizes = array<i32: 0>} : () -> ()
  func.return
}

// -----

func.func @unknown() {
  // CHECK: failed to convert gpu to nvvm: 'gpu.unheard_of' op has no conversion
  "gpu.unheard_of"() : () -> ()
  func.return
}

// -----

// A yield is legal only while the op is rewritten that it belongs to.
// REQ: G-02, I-07
func.func @yield(%c: i1) {
  // CHECK: failed to convert gpu to nvvm: 'gpu.yield' op has no conversion
  "test.op"() ({
    "gpu.yield"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

// REQ: G-30
func.func @matrix(%v: vector<2x2xf32>) {
  // CHECK: failed to convert gpu to nvvm: 'math.sqrt' op cannot be split into scalars: 'vector<2x2xf32>' is no vector of rank 1 and fixed length
  %0 = math.sqrt %v : vector<2x2xf32>
  func.return
}

// -----

func.func @scalable(%v: vector<[4]xf32>) {
  // CHECK: failed to convert gpu to nvvm: 'math.sqrt' op cannot be split into scalars: 'vector<[4]xf32>' is no vector of rank 1 and fixed length
  %0 = math.sqrt %v : vector<[4]xf32>
  func.return
}

// -----

func.func @no_function(%x: f80) {
  // CHECK: 'math.sqrt' op has no libdevice function for 'f80'
  %0 = math.sqrt %x : f80
  func.return
}

// -----

func.func @no_approximation(%x: f32) {
  // CHECK: 'math.erf' op has no such approximation
  %0 = math.erf %x {approx} : f32
  func.return
}

// -----

func.func @double(%x: f64) {
  // CHECK: 'math.exp2' op has no approximation for f64, and nothing that flushes it
  %0 = math.exp2 %x {flush_to_zero} : f64
  func.return
}

// -----

llvm.func @dynamic_shared_memory(i32)
func.func @other_symbol() {
  // CHECK: 'gpu.dynamic_shared_memory' op needs '@dynamic_shared_memory', which is something else here
  %a = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, 3>
  func.return
}

// -----

// REQ: G-24
llvm.func @__assertfail(i32)
func.func @other_function(%c: i1) {
  // CHECK: 'cf.assert' op calls '@__assertfail', which is something else here
  cf.assert %c, "message"
  func.return
}

// -----

// REQ: G-18
func.func @structured(%c: i1) {
  scf.if %c {
    // CHECK: 'cf.assert' op is in 'scf.if', which cannot branch; convert-scf-to-cf has to come first
    cf.assert %c, "message"
  }
  func.return
}

// -----

gpu.module @m {
  // CHECK: 'gpu.func' op argument #0 of type 'memref<?xf32>' cannot be passed
  gpu.func @k(%x: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

func.func @print(%v: vector<2xf32>) {
  // CHECK: 'gpu.printf' op cannot print a value of type 'vector<2xf32>'
  "gpu.printf"(%v) {format = "%f"} : (vector<2xf32>) -> ()
  func.return
}

// -----

func.func @too_wide(%x: i32) {
  // CHECK: 'gpu.subgroup_reduce' op has clusters of 8 lanes, 8 apart, but a warp has 32 lanes
  %0 = "gpu.subgroup_reduce"(%x) {op = #gpu<all_reduce_op mul>, cluster_size = 8 : i32, cluster_stride = 8 : i32} : (i32) -> i32
  func.return
}

// -----

func.func @wrong_kind(%x: f32) {
  // CHECK: 'gpu.subgroup_reduce' op cannot combine values of type 'f32' by 'xor'
  %0 = "gpu.subgroup_reduce"(%x) {op = #gpu<all_reduce_op xor>} : (f32) -> f32
  func.return
}
