// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir -p convert-to-llvm --verify-diagnostics --split-input-file | filecheck %t.mlir

!m8x8xf32 = memref<8x8xf32, strided<[1, 8]>>

// -----

func.func @libdevice(%x: f32) -> f32 {
  // CHECK: failed to convert to llvm: 'math.sin' op has no instruction, 'convert-gpu-to-nvvm' should have made a call of libdevice of it
  %0 = math.sin %x : f32
  func.return %0 : f32
}

func.func @double(%x: vector<2xf64>) {
  // CHECK: failed to convert to llvm: 'math.exp2' op has no instruction
  %0 = math.exp2 %x : vector<2xf64>
  func.return
}

func.func @structured(%c: i1) {
  // CHECK: failed to convert to llvm: 'scf.if' op has no conversion
  scf.if %c {
    scf.yield
  }
  func.return
}

gpu.module @kernels {
  // CHECK: failed to convert to llvm: 'gpu.func' op has no conversion
  gpu.func @k() kernel {
    gpu.return
  }
}

func.func @assertion(%c: i1) {
  // CHECK: failed to convert to llvm: 'cf.assert' op 'convert-gpu-to-nvvm' should have made a call of it
  cf.assert %c, "no"
  func.return
}

// CHECK: failed to convert to llvm: 'func.func' op type 'tensor<4xf32>' cannot be converted
func.func @tensor(%x: tensor<4xf32>) {
  func.return
}

func.func @small_float(%x: f8E4M3FN) {
  // CHECK: failed to convert to llvm: 'arith.extf' op LLVM cannot compute with 'f8E4M3FN'
  %0 = arith.extf %x : f8E4M3FN to f32
  func.return
}

func.func @small_vector(%x: vector<4xf8E4M3FN>) {
  // CHECK: failed to convert to llvm: 'vector.fma' op LLVM cannot compute with 'vector<4xf8E4M3FN>'
  %0 = vector.fma %x, %x, %x : vector<4xf8E4M3FN>
  func.return
}

func.func @dynamic_strides(%m: memref<?x?xf32>, %i: index) {
  // CHECK: failed to convert to llvm: 'memref.load' op 'memref<?x?xf32>' has strides that are not known when it is compiled
  %0 = memref.load %m[%i, %i] : memref<?x?xf32>
  func.return
}

func.func @dynamic_extent(%m: memref<?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  // CHECK: failed to convert to llvm: 'memref.dim' op extent 0 of 'memref<?xf32>' is not known when it is compiled
  %0 = "memref.dim"(%m, %c0) : (memref<?xf32>, index) -> index
  func.return
}

func.func @heap() {
  // CHECK: failed to convert to llvm: 'memref.alloc' op the GPU has no heap: use memref.alloca for memory of a thread
  %0 = memref.alloc() : memref<4xf32>
  func.return
}

func.func @heap_end(%m: memref<4xf32>) {
  // CHECK: failed to convert to llvm: 'memref.dealloc' op the GPU has no heap
  memref.dealloc %m : memref<4xf32>
  func.return
}

func.func @large_copy(%m: memref<1024xf32>) {
  // CHECK: failed to convert to llvm: 'memref.copy' op a thread copies 1 to 256 elements whose number is known when it is compiled, not 'memref<1024xf32>'
  "memref.copy"(%m, %m) : (memref<1024xf32>, memref<1024xf32>) -> ()
  func.return
}

func.func @unknown_bounds(%m: memref<?xf32>, %i: index, %x: f32) {
  // CHECK: failed to convert to llvm: 'vector.transfer_read' op extent 0 of 'memref<?xf32>' is not known when it is compiled, and 'in_bounds' does not say that it is large enough
  %0 = vector.transfer_read %m[%i], %x : memref<?xf32>, vector<4xf32>
  func.return
}

func.func @other_elements(%m: memref<8xf32>, %v: vector<8xf16>) {
  %c0 = arith.constant 0 : index
  // CHECK: failed to convert to llvm: 'vector.transfer_write' op the elements of 'memref<8xf32>' are not those of 'vector<8xf16>'
  vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<8xf16>, memref<8xf32>
  func.return
}

func.func @masked_bits(%m: memref<8xi1>, %i: index, %v: vector<4xi1>) {
  // CHECK: failed to convert to llvm: 'vector.maskedstore' op elements of 'i1' cannot be accessed under a mask
  vector.maskedstore %m[%i], %v, %v : memref<8xi1>, vector<4xi1>, vector<4xi1>
  func.return
}

func.func @masked_columns(%m: !m8x8xf32, %i: index, %k: vector<4xi1>, %v: vector<4xf32>) {
  // CHECK: failed to convert to llvm: 'vector.maskedstore' op the elements of 'memref<8x8xf32, strided<[1, 8]>>' do not lie one after the other
  vector.maskedstore %m[%i, %i], %k, %v : !m8x8xf32, vector<4xi1>, vector<4xf32>
  func.return
}

func.func @columns(%m: !m8x8xf32, %i: index) {
  // CHECK: failed to convert to llvm: 'vector.load' op the elements of 'memref<8x8xf32, strided<[1, 8]>>' do not lie one after the other
  %0 = vector.load %m[%i, %i] : !m8x8xf32, vector<4xf32>
  func.return
}

func.func @shared_stack() {
  // CHECK: failed to convert to llvm: 'memref.alloca' op the stack is not in the memory of 'memref<4xf32, 3 : i64>'
  %0 = memref.alloca() : memref<4xf32, 3>
  func.return
}

func.func @product(%x: i32, %m: memref<i32>) {
  // CHECK: failed to convert to llvm: 'memref.atomic_rmw' op kind 10 cannot be done atomically
  %0 = "memref.atomic_rmw"(%x, %m) <{kind = 10 : i64}> : (i32, memref<i32>) -> i32
  func.return
}

func.func @part(%v: vector<4x2xf32>, %i: index) {
  // CHECK: failed to convert to llvm: 'vector.extract' op a vector at a position that is not known when it is compiled
  %0 = vector.extract %v[%i] : vector<2xf32> from vector<4x2xf32>
  func.return
}

func.func @cast(%x: i32) -> f32 {
  // CHECK: failed to convert to llvm: 'builtin.unrealized_conversion_cast' op of 'i32' to 'f32' is left after the conversion
  %0 = builtin.unrealized_conversion_cast %x : i32 to f32
  func.return %0 : f32
}
