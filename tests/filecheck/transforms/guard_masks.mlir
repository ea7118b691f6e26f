// RUN: tileiras-opt %s -p guard-masks --split-input-file --print-local-scope | filecheck %s
// RUN: tileiras-opt %s -p 'guard-masks,loop-split' --split-input-file --print-local-scope | filecheck %s --check-prefix SPLIT

// Rows from %row on are masked where blocks of eight columns are beyond them

!i32 = !cuda_tile.tile<i32>
!ids = !cuda_tile.tile<8x8xi32>
!f32 = !cuda_tile.tile<8x8xf32>
!f16 = !cuda_tile.tile<8x8xf16>
!mask = !cuda_tile.tile<8x8xi1>

builtin.module attributes {tileiras.remarks = []} {
cuda_tile.module @causal {
  testing$func @causal(%n: !i32, %row: !i32, %q: !f16, %k: !f16, %z: !f32) -> !f32 {
    %zero = constant <i32: 0> : !i32
    %one = constant <i32: 1> : !i32
    %eight = constant <i32: 8> : !i32
    %hidden = constant <f32: 0xFF800000> : !f32
    %iota = iota : tile<8xi32>
    %r1 = reshape %iota : tile<8xi32> -> tile<8x1xi32>
    %r2 = broadcast %r1 : tile<8x1xi32> -> !ids
    %r3 = reshape %row : !i32 -> tile<1x1xi32>
    %r4 = broadcast %r3 : tile<1x1xi32> -> !ids
    %rows = addi %r2, %r4 : !ids
    %c1 = reshape %iota : tile<8xi32> -> tile<1x8xi32>
    %c2 = broadcast %c1 : tile<1x8xi32> -> !ids
    %r = for %i in (%zero to %n, step %one) : !i32 iter_values(%s = %z) -> (!f32) {
      %d = mmaf %q, %k, %s : !f16, !f16, !f32
      %first = muli %i, %eight : !i32
      %c3 = reshape %first : !i32 -> tile<1x1xi32>
      %c4 = broadcast %c3 : tile<1x1xi32> -> !ids
      %columns = addi %c2, %c4 : !ids
      %m = cmpi greater_than_or_equal %rows, %columns, signed : !ids -> !mask
      %x = select %m, %d, %hidden : !mask, !f32
      continue %x : !f32
    }
    return %r : !f32
  }
}
}

// The first block with a column beyond the first row is (row - 7 + 8) / 8.
// CHECK: #tileiras.remark<"Passed", "Pipeline", "Mask", "causal", "mask only where it differs between elements; loops without it have the others", ""
// CHECK-LABEL: @causal(
// CHECK:      [[ROW:%[^ ]+]] = cuda_tile.exti %row signed
// CHECK-NEXT: %cst_1_1 = cuda_tile.constant <i64: 1>
// CHECK-NEXT: [[SUM:%[^ ]+]] = cuda_tile.addi [[ROW]], %cst_1_1
// CHECK-NEXT: %cst_8_1 = cuda_tile.constant <i64: 8>
// CHECK-NEXT: [[BOUND:%[^ ]+]] = cuda_tile.divi [[SUM]], %cst_8_1 signed rounding<negative_inf>
// Neither the last row nor the last column may wrap around.
// CHECK:      [[LAST:%[^ ]+]] = cuda_tile.addi [[ROW]], %cst_7
// CHECK:      [[FITS:%[^ ]+]] = cuda_tile.cmpi less_than_or_equal [[LAST]], %cst_2147483647, signed
// CHECK:      [[N:%[^ ]+]] = cuda_tile.exti %n signed
// CHECK:      cuda_tile.muli [[N]]
// CHECK:      [[BOTH:%[^ ]+]] = cuda_tile.andi [[FITS]]
// CHECK:      cuda_tile.maxi [[BOUND]]
// CHECK:      cuda_tile.mini
// CHECK:      cuda_tile.trunci
// CHECK:      [[FIRST:%[^ ]+]] = cuda_tile.select [[BOTH]]
// CHECK:      cuda_tile.for
// CHECK-NEXT: ^body:
// CHECK-NEXT:   [[ALL:%[^ ]+]] = cuda_tile.cmpi less_than %i, [[FIRST]], signed
// CHECK-NEXT:   %d = cuda_tile.mmaf
// CHECK-NEXT:   %x = cuda_tile.if [[ALL]]
// CHECK-NEXT:   ^then:
// CHECK-NEXT:     cuda_tile.yield %d
// CHECK-NEXT:   } else {
// CHECK-NEXT:   ^else:
// CHECK-NEXT:     %first = cuda_tile.muli %i, %cst_8
// CHECK:          cuda_tile.cmpi greater_than_or_equal
// CHECK-NEXT:     %x_1 = cuda_tile.select
// CHECK-NEXT:     cuda_tile.yield %x_1

// SPLIT-LABEL: @causal(
// SPLIT:       cuda_tile.for
// SPLIT-NEXT:  ^body:
// SPLIT-NEXT:    %d = cuda_tile.mmaf
// SPLIT-NEXT:    cuda_tile.continue
// SPLIT:       cuda_tile.for
// SPLIT:         mmaf
// SPLIT:         cuda_tile.cmpi greater_than_or_equal
// SPLIT-NEXT:    %x{{.*}} = cuda_tile.select


// -----

// What a mask is computed from may be the tile that is masked: it stays where both branches see it

!i32 = !cuda_tile.tile<i32>
!ids = !cuda_tile.tile<8x8xi32>
!f32 = !cuda_tile.tile<8x8xf32>
!f16 = !cuda_tile.tile<8x8xf16>
!mask = !cuda_tile.tile<8x8xi1>

cuda_tile.module @kept_and_compared {
  testing$func @kept_and_compared(%n: !i32, %q: !f16, %k: !f16, %z: !f32) -> !f32 {
    %zero = constant <i32: 0> : !i32
    %one = constant <i32: 1> : !i32
    %eight = constant <i32: 8> : !i32
    %limit = constant <i32: 100> : !ids
    %iota = iota : tile<8xi32>
    %c1 = reshape %iota : tile<8xi32> -> tile<1x8xi32>
    %c2 = broadcast %c1 : tile<1x8xi32> -> !ids
    %r = for %i in (%zero to %n, step %one) : !i32 iter_values(%s = %z) -> (!f32) {
      %d = mmaf %q, %k, %s : !f16, !f16, !f32
      %first = muli %i, %eight : !i32
      %c3 = reshape %first : !i32 -> tile<1x1xi32>
      %c4 = broadcast %c3 : tile<1x1xi32> -> !ids
      %columns = addi %c2, %c4 : !ids
      %m = cmpi less_than %columns, %limit, signed : !ids -> !mask
      %kept = select %m, %columns, %limit : !mask, !ids
      %f = itof %kept signed : !ids -> !f32
      %x = addf %d, %f : !f32
      continue %x : !f32
    }
    return %r : !f32
  }
}

// CHECK-LABEL: @kept_and_compared(
// CHECK:      %columns = cuda_tile.addi
// CHECK-NEXT: %kept = cuda_tile.if
// CHECK:        cuda_tile.yield %columns
// CHECK:        cuda_tile.cmpi less_than %columns


// -----

// A mask of indices takes no time beside dots: a branch would only copy the loop

!i32 = !cuda_tile.tile<i32>
!f32 = !cuda_tile.tile<8x8xf32>
!f16 = !cuda_tile.tile<8x8xf16>
!ids = !cuda_tile.tile<8xi32>

cuda_tile.module @indices {
  testing$func @indices(%n: !i32, %q: !f16, %k: !f16, %z: !f32, %s0: !ids) -> !ids {
    %zero = constant <i32: 0> : !i32
    %one = constant <i32: 1> : !i32
    %limit = constant <i32: 100> : !ids
    %iota = iota : !ids
    %r:2 = for %i in (%zero to %n, step %one) : !i32 iter_values(%s = %z, %t = %s0) -> (!f32, !ids) {
      %d = mmaf %q, %k, %s : !f16, !f16, !f32
      %c1 = reshape %i : !i32 -> tile<1xi32>
      %c2 = broadcast %c1 : tile<1xi32> -> !ids
      %columns = addi %iota, %c2 : !ids
      %m = cmpi less_than %columns, %limit, signed : !ids -> tile<8xi1>
      %kept = select %m, %columns, %limit : tile<8xi1>, !ids
      continue %d, %kept : !f32, !ids
    }
    return %r#1 : !ids
  }
}

// CHECK-LABEL: @indices(
// CHECK:      cuda_tile.for
// CHECK-NOT:  cuda_tile.if
// CHECK:      %kept = cuda_tile.select
// CHECK-NOT:  cuda_tile.if

