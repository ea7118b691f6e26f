// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope | filecheck %s

// A load through an argument that nothing is stored through has no token. Other accesses keep the
// order in which they are written: a load comes after the last store, a store after the loads.

// CHECK-LABEL: cuda_tile.entry @order(%p: !cuda_tile.tile<ptr<f32>>, %o: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>) {
// CHECK:       [[P:%[0-9]+]] = cuda_tile.assume div_by<16>, %p : !cuda_tile.tile<ptr<f32>>
// CHECK-NEXT:  [[START:%[0-9]+]] = cuda_tile.make_token
// CHECK:       cuda_tile.reshape [[P]] : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<1xptr<f32>>
// CHECK:       %q = cuda_tile.offset
// CHECK:       %x, {{.*}} = cuda_tile.load_ptr_tko weak %q, %m, %cst :
// CHECK:       [[STORED:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}}, %x, %m token=[[START]] :
// CHECK-NEXT:  %y, [[LOADED:%[0-9]+]] = cuda_tile.load_ptr_tko weak {{.*}} token=[[STORED]] :
// CHECK-NEXT:  cuda_tile.store_ptr_tko weak {{.*}}, %y, %m token=[[LOADED]] :
// CHECK-NEXT:  cuda_tile.return
tt.func public @order(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %b = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %b : tensor<128xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %q, %m : tensor<128x!tt.ptr<f32>>
  %t = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  tt.store %t, %x, %m : tensor<128x!tt.ptr<f32>>
  %y = tt.load %t : tensor<128x!tt.ptr<f32>>
  tt.store %t, %y, %m : tensor<128x!tt.ptr<f32>>
  tt.return
}

// An atomic that orders other programs orders all loads; a loop with a write carries a token.

// CHECK-LABEL: cuda_tile.entry @fence
// CHECK:       cuda_tile.for %i in ({{.*}}) : !cuda_tile.tile<i32> iter_values([[T:%[0-9]+]] = {{.*}}) -> (!cuda_tile.token) {
// CHECK:         %x, [[LOADED:%[0-9]+]] = cuda_tile.load_ptr_tko weak %p token=[[T]] :
// CHECK-NEXT:    %y, [[ADDED:%[0-9]+]] = cuda_tile.atomic_rmw_tko acq_rel gpu addf %o, %x token=[[LOADED]] :
// CHECK-NEXT:    cuda_tile.continue [[ADDED]] : !cuda_tile.token
tt.func public @fence(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %y = tt.atomic_rmw fadd, acq_rel, gpu, %o, %x : (!tt.ptr<f32>, f32) -> f32
  }
  tt.return
}

// Offsets that are multiples of the extents of a block count tiles; others count smaller steps.

// Triton asks for aligned tensors, whose sizes and strides are positive.

// CHECK-LABEL: cuda_tile.entry @descriptor
// CHECK:       cuda_tile.assume bounded<0, 2147483647>, {{.*}} : !cuda_tile.tile<i64>
// CHECK:       cuda_tile.assume bounded<0, 549755813887>, {{.*}} : !cuda_tile.tile<i64>
// CHECK:       cuda_tile.assume div_by<16>, %p : !cuda_tile.tile<ptr<f16>>
// CHECK-NEXT:  cuda_tile.assume div_by<8>, {{.*}} : !cuda_tile.tile<i64>
// CHECK:       cuda_tile.make_partition_view {{.*}}partition_view<tile=(64x32), padding_value = zero,
// CHECK:       cuda_tile.load_view_tko weak
// CHECK:       cuda_tile.make_strided_view {{.*}}strided_view<tile=(64x32), traversal_strides=[64,16],
// CHECK:       cuda_tile.store_view_tko weak
tt.func public @descriptor(%p: !tt.ptr<f16>, %n: i32, %s: i64, %j: i32 {tt.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <64x32xf16>
  %id = tt.get_program_id x : i32
  %i = arith.muli %id, %c64 : i32
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
  tt.descriptor_store %d[%i, %j], %x : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>
  tt.return
}

// A kernel may end early; calls are inlined.

// CHECK-LABEL: cuda_tile.entry @early
// CHECK:       cuda_tile.if %c {
// CHECK-NEXT:  ^then:
// CHECK-NEXT:    cuda_tile.return
// CHECK-NEXT:  }
// CHECK:       [[SUM:%.*]] = cuda_tile.addf %x, %x
// CHECK-NEXT:  cuda_tile.store_ptr_tko weak %p, [[SUM]]
tt.func public @early(%p: !tt.ptr<f32>, %x: f32, %c: i1) {
  cf.cond_br %c, ^end, ^rest
^end:
  tt.return
^rest:
  %y = tt.call @twice(%x) : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}
tt.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// A branch without another one leaves an order all the same.

// CHECK-LABEL: cuda_tile.entry @no_else
// CHECK:       [[START:%[0-9]+]] = cuda_tile.make_token
// CHECK-NEXT:  [[LAST:%[0-9]+]] = cuda_tile.if %c -> (!cuda_tile.token) {
// CHECK:         [[STORED:%[0-9]+]] = cuda_tile.store_ptr_tko weak %p, %x token=[[START]]
// CHECK-NEXT:    cuda_tile.yield [[STORED]]
// CHECK:         cuda_tile.yield [[START]]
// CHECK:       cuda_tile.load_ptr_tko weak %p token=[[LAST]]
tt.func public @no_else(%p: !tt.ptr<f32>, %x: f32, %c: i1) {
  scf.if %c {
    tt.store %p, %x : !tt.ptr<f32>
  }
  %y = tt.load %p : !tt.ptr<f32>
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// What counts programs and elements is not negative, so that its quotients and remainders have runs. An argument may be.

// CHECK-LABEL: cuda_tile.entry @quotients
// CHECK:       [[I:%.*]] = cuda_tile.assume bounded<0, ?>, %i : !cuda_tile.tile<64xi32>
// CHECK-NEXT:  %q = cuda_tile.divi [[I]], {{.*}} signed
// CHECK:       [[J:%.*]] = cuda_tile.assume bounded<0, ?>, %i : !cuda_tile.tile<64xi32>
// CHECK-NEXT:  %r = cuda_tile.remi [[J]], {{.*}} signed
// CHECK:       %k = cuda_tile.addi
// CHECK-NEXT:  %s = cuda_tile.remi %k, {{.*}} signed
tt.func public @quotients(%p: !tt.ptr<i32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %splat = tt.splat %start : i32 -> tensor<64xi32>
  %i = arith.addi %splat, %range : tensor<64xi32>
  %q = arith.divsi %i, %c16 : tensor<64xi32>
  %r = arith.remsi %i, %c16 : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %k = arith.addi %ns, %range : tensor<64xi32>
  %s = arith.remsi %k, %c16 : tensor<64xi32>
  %t = arith.addi %q, %r : tensor<64xi32>
  %u = arith.addi %t, %s : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %pp = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %pp, %u : tensor<64x!tt.ptr<i32>>
  tt.return
}
