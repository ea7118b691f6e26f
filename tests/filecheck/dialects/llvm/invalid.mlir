// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!ptr = !llvm.ptr
%ptr = "test.op"() : () -> !ptr
%i32 = "test.op"() : () -> i32
%f32 = "test.op"() : () -> f32
%i64 = "test.op"() : () -> i64
%v4xf32 = "test.op"() : () -> vector<4xf32>

// -----

// CHECK: unsupported ordering 'release'
%0 = llvm.load %ptr atomic release : !ptr -> i32

// CHECK: unsupported ordering 'acquire'
llvm.store %i32, %ptr atomic acquire : i32, !ptr

// CHECK: expected syncscope to be null for non-atomic access
%0 = "llvm.load"(%ptr) {syncscope = "device"} : (!ptr) -> i32

// CHECK: unknown atomic ordering 3
%0 = "llvm.load"(%ptr) {ordering = 3 : i64} : (!ptr) -> i32

// CHECK: expected LLVM IR float type for 'fadd', but got 'i32'
%0 = llvm.atomicrmw fadd %ptr, %i32 monotonic : !ptr, i32

// CHECK: expected at least 'monotonic' ordering
%0 = llvm.atomicrmw add %ptr, %i32 unordered : !ptr, i32

// CHECK: unexpected LLVM IR type 'f32'
%0 = llvm.cmpxchg %ptr, %f32, %f32 monotonic monotonic : !ptr, f32

// CHECK: failure ordering cannot be 'release' or 'acq_rel'
%0 = llvm.cmpxchg %ptr, %i32, %i32 monotonic release : !ptr, i32

// CHECK: can be given only acquire, release, acq_rel, and seq_cst orderings
llvm.fence monotonic

// CHECK: '!llvm.ptr' is not in the address space of '!llvm.ptr<3>'
%p = "test.op"() : () -> !llvm.ptr<3>
%0 = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !ptr, f32

// CHECK: operand #0 must be a pointer, or a vector of pointers, but got 'i64'
%0 = llvm.getelementptr %i64[1] : (i64) -> !ptr, f32

// CHECK: expects pointers, but got 'i64'
%0 = llvm.addrspacecast %i64 : i64 to !ptr

// CHECK: 'vector<4xf32>' and 'vector<2xi32>' have different shapes
%0 = llvm.fptosi %v4xf32 : vector<4xf32> to vector<2xi32>

// CHECK: 'vector<2xi1>' has not the shape of 'vector<4xf32>'
%c = "test.op"() : () -> vector<2xi1>
%0 = llvm.select %c, %v4xf32, %v4xf32 : vector<2xi1>, vector<4xf32>

// CHECK: compares floats, but got 'i32'
%0 = llvm.fcmp "olt" %i32, %i32 : i32

// CHECK: expects a result of type 'vector<4xi1>', but got 'i1'
%x = "test.op"() : () -> vector<4xi32>
%0 = "llvm.icmp"(%x, %x) {predicate = 0 : i64} : (vector<4xi32>, vector<4xi32>) -> i1

// CHECK: casts an integer to a pointer, not 'f32' to '!llvm.ptr'
%0 = llvm.inttoptr %f32 : f32 to !ptr
