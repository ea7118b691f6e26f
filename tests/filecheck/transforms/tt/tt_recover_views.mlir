// RUN: tileiras-opt %s -p tt-recover-views --print-local-scope | filecheck %s

// A tile of a matrix: rows · stride + columns, a bound for both.

// CHECK-LABEL: tt.func public @copy
// CHECK:       [[M:%.*]] = arith.maxsi %m, {{.*}} : i32
// CHECK:       [[N:%.*]] = arith.maxsi %n, {{.*}} : i32
// CHECK:       [[STRIDE:%.*]] = arith.extsi %s : i32 to i64
// CHECK:       [[IS:%.*]] = arith.cmpi sge, [[STRIDE]], {{.*}} : i64
// CHECK-NEXT:  llvm.intr.assume [[IS]] : i1
// CHECK:       [[D:%.*]] = tt.make_tensor_descriptor %p, [[[M]], [[N]]], [[[STRIDE]], {{.*}}] {alignment = 1 : i32} : <f32>, <16x32xf32>
// CHECK:       %x = tt.descriptor_load [[D]][{{.*}}, {{.*}}] : !tt.tensordesc<16x32xf32> -> tensor<16x32xf32>
// CHECK:       tt.descriptor_store {{.*}}, %x : !tt.tensordesc<16x32xf32>, tensor<16x32xf32>
// CHECK-NEXT:  tt.return
tt.func public @copy(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %m: i32, %n: i32, %s: i32) {
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %c16 : i32
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rs = tt.splat %start : i32 -> tensor<16xi32>
  %r1 = arith.addi %rs, %r0 : tensor<16xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = tt.expand_dims %c0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ss = tt.splat %s : i32 -> tensor<16x1xi32>
  %ro = arith.muli %r, %ss : tensor<16x1xi32>
  %rb = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offset : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %ms = tt.splat %m : i32 -> tensor<16x1xi32>
  %mr = arith.cmpi slt, %r, %ms : tensor<16x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %nc = arith.cmpi slt, %c, %ns : tensor<1x32xi32>
  %mb = tt.broadcast %mr : tensor<16x1xi1> -> tensor<16x32xi1>
  %nb = tt.broadcast %nc : tensor<1x32xi1> -> tensor<16x32xi1>
  %mask = arith.andi %mb, %nb : tensor<16x32xi1>
  %x = tt.load %pp, %mask, %zero : tensor<16x32x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %offset : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %op, %x, %mask : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// What is masked out is one: no view has such elements.

// CHECK-LABEL: tt.func public @other
// CHECK:       tt.load
tt.func public @other(%p: !tt.ptr<f32>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<16x32xf32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %r0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ro = arith.muli %r, %c32 : tensor<16x1xi32>
  %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = tt.expand_dims %c0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offset : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %nc = arith.cmpi slt, %c, %ns : tensor<1x32xi32>
  %mask = tt.broadcast %nc : tensor<1x32xi1> -> tensor<16x32xi1>
  %x = tt.load %pp, %mask, %one : tensor<16x32x!tt.ptr<f32>>
  tt.store %pp, %x, %mask : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// What is subtracted moves the pointer: an index is not negative. A size that is computed is not, either.
// A product of 64 bits is no index, of 32.

// CHECK-LABEL: tt.func public @subtracted
// CHECK:       [[P:%.*]] = tt.addptr %p, {{.*}} : !tt.ptr<f32>, i64
// CHECK:       [[SIZE:%.*]] = arith.maxsi {{.*}} : i32
// CHECK:       tt.make_tensor_descriptor [[P]], [[[SIZE]], {{.*}}], [{{.*}}]{{.*}} : <f32>, <16x32xf32>
tt.func public @subtracted(%p: !tt.ptr<f32>, %n: i32, %s: i32) {
  %c16 = arith.constant 16 : i32
  %c96 = arith.constant 96 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %id = tt.get_program_id x : i32
  %wide = arith.extsi %id : i32 to i64
  %swide = arith.extsi %s : i32 to i64
  %far = arith.muli %wide, %swide : i64
  %q = tt.addptr %p, %far : !tt.ptr<f32>, i64
  %back = arith.muli %id, %c16 : i32
  %start = arith.subi %c96, %back : i32
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rs = tt.splat %start : i32 -> tensor<16xi32>
  %r1 = arith.addi %rs, %r0 : tensor<16xi32>
  %r = tt.expand_dims %r1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %ro = arith.muli %r, %c64 : tensor<16x1xi32>
  %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = tt.expand_dims %c0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %q : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offset : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %ns = tt.splat %n : i32 -> tensor<16x1xi32>
  %nr = arith.cmpi slt, %r, %ns : tensor<16x1xi32>
  %mask = tt.broadcast %nr : tensor<16x1xi1> -> tensor<16x32xi1>
  %x = tt.load %pp, %mask, %zero : tensor<16x32x!tt.ptr<f32>>
  tt.store %pp, %x : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Rows of pointers begin at multiples of 16 bytes: so do the strides, and the address, as columns begin at multiples of
// 32 elements.

// CHECK-LABEL: tt.func public @hint
// CHECK:       tt.make_tensor_descriptor {{.*}} {alignment = 16 : i32} : <f32>, <16x32xf32>
tt.func public @hint(%p: !tt.ptr<f32>, %s: i32, %n: i32) {
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %r0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ss = tt.splat %s : i32 -> tensor<16x1xi32>
  %ro = arith.muli %r, %ss : tensor<16x1xi32>
  %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %id = tt.get_program_id x : i32
  %step = arith.constant 32 : i32
  %start = arith.muli %id, %step : i32
  %cs = tt.splat %start : i32 -> tensor<32xi32>
  %c1 = arith.addi %cs, %c0 : tensor<32xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offset {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %x = tt.load %pp : tensor<16x32x!tt.ptr<f32>>
  tt.store %pp, %x : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Columns begin at multiples of 2 elements of 4 bytes, within a matrix that ends at a bound: it may begin at such, too.

// CHECK-LABEL: tt.func public @odd_columns
// CHECK:       tt.make_tensor_descriptor {{.*}} {alignment = 8 : i32} : <f32>, <16x32xf32>
tt.func public @odd_columns(%p: !tt.ptr<f32>, %s: i32, %n: i32) {
  %r0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %r0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ss = tt.splat %s : i32 -> tensor<16x1xi32>
  %ro = arith.muli %r, %ss : tensor<16x1xi32>
  %c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %id = tt.get_program_id x : i32
  %step = arith.constant 2 : i32
  %start = arith.muli %id, %step : i32
  %cs = tt.splat %start : i32 -> tensor<32xi32>
  %c1 = arith.addi %cs, %c0 : tensor<32xi32>
  %c = tt.expand_dims %c1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset = arith.addi %rb, %cb : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offset {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %nc = arith.cmpi slt, %c, %ns : tensor<1x32xi32>
  %mask = tt.broadcast %nc : tensor<1x32xi1> -> tensor<16x32xi1>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %x = tt.load %pp, %mask, %zero : tensor<16x32x!tt.ptr<f32>>
  tt.store %pp, %x, %mask : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
