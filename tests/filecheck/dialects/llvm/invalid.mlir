// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: unsupported ordering 'release'
%p = "test.op"() : () -> !llvm.ptr
%0 = llvm.load %p atomic release : !llvm.ptr -> i32

// -----

// CHECK: unsupported ordering 'acquire'
%p, %x = "test.op"() : () -> (!llvm.ptr, i32)
llvm.store %x, %p atomic acquire : i32, !llvm.ptr

// -----

// CHECK: expected syncscope to be null for non-atomic access
%p = "test.op"() : () -> !llvm.ptr
%0 = "llvm.load"(%p) {syncscope = "device"} : (!llvm.ptr) -> i32

// -----

// CHECK: unknown atomic ordering 3
%p = "test.op"() : () -> !llvm.ptr
%0 = "llvm.load"(%p) {ordering = 3 : i64} : (!llvm.ptr) -> i32

// -----

// CHECK: expected LLVM IR float type for 'fadd', but got 'i32'
%p, %x = "test.op"() : () -> (!llvm.ptr, i32)
%0 = llvm.atomicrmw fadd %p, %x monotonic : !llvm.ptr, i32

// -----

// CHECK: expected at least 'monotonic' ordering
%p, %x = "test.op"() : () -> (!llvm.ptr, i32)
%0 = llvm.atomicrmw add %p, %x unordered : !llvm.ptr, i32

// -----

// CHECK: unexpected LLVM IR type 'f32'
%p, %x = "test.op"() : () -> (!llvm.ptr, f32)
%0 = llvm.cmpxchg %p, %x, %x monotonic monotonic : !llvm.ptr, f32

// -----

// CHECK: failure ordering cannot be 'release' or 'acq_rel'
%p, %x = "test.op"() : () -> (!llvm.ptr, i32)
%0 = llvm.cmpxchg %p, %x, %x monotonic release : !llvm.ptr, i32

// -----

// CHECK: can be given only acquire, release, acq_rel, and seq_cst orderings
llvm.fence monotonic

// -----

// CHECK: '!llvm.ptr' is not in the address space of '!llvm.ptr<3>'
%p = "test.op"() : () -> !llvm.ptr<3>
%0 = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr, f32

// -----

// CHECK: operand #0 must be a pointer, or a vector of pointers, but got 'i64'
%p = "test.op"() : () -> i64
%0 = llvm.getelementptr %p[1] : (i64) -> !llvm.ptr, f32

// -----

// CHECK: expects pointers, but got 'i64'
%p = "test.op"() : () -> i64
%0 = llvm.addrspacecast %p : i64 to !llvm.ptr

// -----

// CHECK: 'vector<4xf32>' and 'vector<2xi32>' have different shapes
%x = "test.op"() : () -> vector<4xf32>
%0 = llvm.fptosi %x : vector<4xf32> to vector<2xi32>

// -----

// CHECK: 'vector<2xi1>' has not the shape of 'vector<4xf32>'
%c, %x = "test.op"() : () -> (vector<2xi1>, vector<4xf32>)
%0 = llvm.select %c, %x, %x : vector<2xi1>, vector<4xf32>

// -----

// CHECK: compares floats, but got 'i32'
%x = "test.op"() : () -> i32
%0 = llvm.fcmp "olt" %x, %x : i32

// -----

// CHECK: expects a result of type 'vector<4xi1>', but got 'i1'
%x = "test.op"() : () -> vector<4xi32>
%0 = "llvm.icmp"(%x, %x) {predicate = 0 : i64} : (vector<4xi32>, vector<4xi32>) -> i1

// -----

// CHECK: casts an integer to a pointer, not 'f32' to '!llvm.ptr'
%x = "test.op"() : () -> f32
%0 = llvm.inttoptr %x : f32 to !llvm.ptr
