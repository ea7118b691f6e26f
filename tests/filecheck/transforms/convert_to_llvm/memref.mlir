// RUN: tileiras-opt %s -p convert-to-llvm --print-local-scope | filecheck %s

!m4x2xf32 = memref<4x2xf32, strided<[4, 1], offset: ?>, 3>
!ptr = !ptr_xdsl.ptr

"memref.global"() <{sym_name = "shared", sym_visibility = "private", type = memref<4x8xf32, #gpu.address_space<workgroup>>, initial_value, alignment = 128 : i64}> : () -> ()
// CHECK: llvm.mlir.global internal @shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<32 x f32>

"memref.global"() <{sym_name = "table", sym_visibility = "public", type = memref<2x2xf32, 4>, initial_value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, constant}> : () -> ()
// CHECK: llvm.mlir.global external constant @table(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>) {addr_space = 4 : i32} : !llvm.array<4 x f32>

func.func @accesses(%m: memref<4x8xf32, 1>, %i: index, %j: index, %b: memref<?xi1>, %x: i32, %a: memref<16xi32, 1>) {
  %c3 = arith.constant 3 : index
  %0 = memref.load %m[%i, %j] : memref<4x8xf32, 1>
  %1 = memref.load %m[%c3, %i] {volatile_, alignment = 4 : i64, nontemporal = true} : memref<4x8xf32, 1>
  memref.store %0, %m[%c3, %c3] {ordering = "release", syncscope = "device", alignment = 4 : i64} : memref<4x8xf32, 1>
  %2 = memref.load %b[%i] : memref<?xi1>
  %3 = "memref.atomic_rmw"(%x, %a, %i) <{kind = 1 : i64}> : (i32, memref<16xi32, 1>, index) -> i32
  %4 = "memref.atomic_rmw"(%x, %a, %i) <{kind = 5 : i64}> {ordering = "monotonic", syncscope = "block", volatile_} : (i32, memref<16xi32, 1>, index) -> i32
  func.return
}
// CHECK: llvm.func @accesses(%m: [[gptr:!llvm.ptr<1>]], %i: i64, %j: i64, %b: !llvm.ptr, %x: i32, %a: [[gptr]]) {
// CHECK-NEXT: %c3 = llvm.mlir.constant(3) : i64
// CHECK-NEXT: %0 = llvm.mlir.constant(8) : i64
// CHECK-NEXT: %1 = llvm.mul %i, %0 : i64
// CHECK-NEXT: %2 = llvm.add %1, %j : i64
// CHECK-NEXT: %3 = llvm.getelementptr inbounds %m[%2] : ([[gptr]], i64) -> [[gptr]], f32
// CHECK-NEXT: %4 = llvm.load %3 : [[gptr]] -> f32
// CHECK-NEXT: %5 = llvm.mlir.constant(24) : i64
// CHECK-NEXT: %6 = llvm.add %i, %5 : i64
// CHECK-NEXT: %7 = llvm.getelementptr inbounds %m[%6] : ([[gptr]], i64) -> [[gptr]], f32
// CHECK-NEXT: %8 = llvm.load volatile %7 {alignment = 4 : i64, nontemporal} : [[gptr]] -> f32
// CHECK-NEXT: %9 = llvm.mlir.constant(27) : i64
// CHECK-NEXT: %10 = llvm.getelementptr inbounds %m[%9] : ([[gptr]], i64) -> [[gptr]], f32
// CHECK-NEXT: llvm.store %4, %10 atomic syncscope("device") release {alignment = 4 : i64} : f32, [[gptr]]
// CHECK-NEXT: %11 = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i1
// CHECK-NEXT: %12 = llvm.load %11 : !llvm.ptr -> i1
// CHECK-NEXT: %13 = llvm.getelementptr inbounds %a[%i] : ([[gptr]], i64) -> [[gptr]], i32
// CHECK-NEXT: %14 = llvm.atomicrmw add %13, %x acq_rel : [[gptr]], i32
// CHECK-NEXT: %15 = llvm.getelementptr inbounds %a[%i] : ([[gptr]], i64) -> [[gptr]], i32
// CHECK-NEXT: %16 = llvm.atomicrmw volatile umax %15, %x syncscope("block") monotonic : [[gptr]], i32
// CHECK-NEXT: llvm.return

func.func @memory() {
  %0 = memref.get_global @shared : memref<4x8xf32, #gpu.address_space<workgroup>>
  %1 = memref.alloca() {alignment = 16 : i64} : memref<4x4xf32, #gpu.address_space<private>>
  %2 = memref.alloca() : memref<index>
  func.return
}
// CHECK: llvm.func @memory() {
// CHECK-NEXT: %17 = llvm.mlir.addressof @shared : [[sptr:!llvm.ptr<3>]]
// CHECK-NEXT: %18 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: %19 = llvm.alloca %18 x !llvm.array<16 x f32> {alignment = 16 : i64} : (i32) -> !llvm.ptr
// CHECK-NEXT: %20 = llvm.addrspacecast %19 : !llvm.ptr to !llvm.ptr<5>
// CHECK-NEXT: %21 = llvm.alloca %18 x !llvm.array<1 x i64> : (i32) -> !llvm.ptr
// CHECK-NEXT: llvm.return

func.func @views(%m: memref<8x4xf32, 3>, %i: index, %bytes: memref<2048xi8, 3>, %f: memref<64xf32, strided<[1], offset: 8>>) -> index {
  %0 = memref.subview %m[%i, 2] [4, 2] [1, 1] : memref<8x4xf32, 3> to !m4x2xf32
  %1 = memref.load %0[%i, %i] : !m4x2xf32
  %2 = memref.subview %m[2, 1] [4, 2] [2, 1] : memref<8x4xf32, 3> to memref<4x2xf32, strided<[8, 1], offset: 9>, 3>
  %3 = memref.load %2[%i, %i] : memref<4x2xf32, strided<[8, 1], offset: 9>, 3>
  %4 = "memref.cast"(%0) : (!m4x2xf32) -> memref<?x2xf32, strided<[4, 1], offset: ?>, 3>
  %5 = memref.reinterpret_cast %f to offset: [%i], sizes: [4, 4], strides: [4, 1] : memref<64xf32, strided<[1], offset: 8>> to memref<4x4xf32, strided<[4, 1], offset: ?>>
  %6 = memref.view %bytes[%i][] : memref<2048xi8, 3> to memref<64x4xf32, 3>
  %7 = "memref.memory_space_cast"(%6) : (memref<64x4xf32, 3>) -> memref<64x4xf32>
  %c1 = arith.constant 1 : index
  %8 = "memref.dim"(%7, %c1) : (memref<64x4xf32>, index) -> index
  %9 = memref.load %5[%8, %8] : memref<4x4xf32, strided<[4, 1], offset: ?>>
  %10 = "memref.extract_aligned_pointer_as_index"(%6) : (memref<64x4xf32, 3>) -> index
  func.return %10 : index
}
// CHECK: llvm.func @views(%m_1: [[sptr]], %i_1: i64, %bytes: [[sptr]], %f: !llvm.ptr) -> i64 {
// CHECK-NEXT: %22 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %23 = llvm.mul %i_1, %22 : i64
// CHECK-NEXT: %24 = llvm.mlir.constant(2) : i64
// CHECK-NEXT: %25 = llvm.add %23, %24 : i64
// CHECK-NEXT: %26 = llvm.getelementptr inbounds %m_1[%25] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %27 = llvm.mul %i_1, %22 : i64
// CHECK-NEXT: %28 = llvm.add %27, %i_1 : i64
// CHECK-NEXT: %29 = llvm.getelementptr inbounds %26[%28] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %30 = llvm.load %29 : [[sptr]] -> f32
// CHECK-NEXT: %31 = llvm.mlir.constant(9) : i64
// CHECK-NEXT: %32 = llvm.getelementptr inbounds %m_1[%31] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %33 = llvm.mlir.constant(8) : i64
// CHECK-NEXT: %34 = llvm.mul %i_1, %33 : i64
// CHECK-NEXT: %35 = llvm.add %34, %i_1 : i64
// CHECK-NEXT: %36 = llvm.getelementptr inbounds %32[%35] : ([[sptr]], i64) -> [[sptr]], f32
// CHECK-NEXT: %37 = llvm.load %36 : [[sptr]] -> f32
// CHECK-NEXT: %38 = llvm.mlir.constant(-8) : i64
// CHECK-NEXT: %39 = llvm.add %i_1, %38 : i64
// CHECK-NEXT: %40 = llvm.getelementptr inbounds %f[%39] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %41 = llvm.getelementptr inbounds %bytes[%i_1] : ([[sptr]], i64) -> [[sptr]], i8
// CHECK-NEXT: %42 = llvm.addrspacecast %41 : [[sptr]] to !llvm.ptr
// CHECK-NEXT: %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %43 = llvm.mlir.constant(20) : i64
// CHECK-NEXT: %44 = llvm.getelementptr inbounds %40[%43] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %45 = llvm.load %44 : !llvm.ptr -> f32
// CHECK-NEXT: %46 = llvm.ptrtoint %41 : [[sptr]] to i64
// CHECK-NEXT: llvm.return %46 : i64

func.func @pointers(%m: memref<8xf32, 3>, %o: index) -> f32 {
  %0 = ptr_xdsl.to_ptr %m : memref<8xf32, 3> -> !ptr
  %1 = ptr_xdsl.type_offset f32 : index
  %2 = arith.muli %o, %1 : index
  %3 = ptr_xdsl.ptradd %0, %2 : (!ptr, index) -> !ptr
  %4 = ptr_xdsl.load %3 : !ptr -> f32
  ptr_xdsl.store %4, %0 : f32, !ptr
  func.return %4 : f32
}
// CHECK: llvm.func @pointers(%m_2: [[sptr]], %o: i64) -> f32 {
// CHECK-NEXT: %47 = llvm.addrspacecast %m_2 : [[sptr]] to !llvm.ptr
// CHECK-NEXT: %48 = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %49 = llvm.mul %o, %48 : i64
// CHECK-NEXT: %50 = llvm.getelementptr %47[%49] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: %51 = llvm.load %50 : !llvm.ptr -> f32
// CHECK-NEXT: llvm.store %51, %47 : f32, !llvm.ptr
// CHECK-NEXT: llvm.return %51 : f32
