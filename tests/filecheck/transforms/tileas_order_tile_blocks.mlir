// RUN: tileiras-opt -p "tileas-order-tile-blocks" %s | filecheck %s

!tiled_view0 = !nv_tileaa.tiled_view<64x16, !nv_tileaa.memref<?x?xf16, strides = [?, 1]>>
!t64x8xf32 = tensor<64x8xf32>
!t64x16xf16 = tensor<64x16xf16>
!t16x8xf16 = tensor<16x8xf16>
#mma_sm90 = #nv_tileas.atom<mma.sm90>

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @m {

    // Tile blocks with a larger x have more iterations: the last x comes first, for eight y at a time.
    gpu.func @grows() kernel {
      %x0 = gpu.block_id x
      %x = arith.index_cast %x0 : index to i32
      %y0 = gpu.block_id y
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %a, %b, %c = "test.pureop"(%y0) : (index) -> (!t64x16xf16, !t16x8xf16, !t64x8xf32)
      scf.for %i = %zero to %x step %one : i32 {
        %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @grows() kernel attributes {nv_tileas.longest_first} {
    // CHECK-NEXT: [[BX:%.*]] = gpu.block_id x
    // CHECK-NEXT: [[X:%.*]] = arith.index_cast [[BX]] : index to i32
    // CHECK-NEXT: [[DX:%.*]] = gpu.grid_dim x
    // CHECK-NEXT: [[GX:%.*]] = arith.index_cast [[DX]] : index to i32
    // CHECK-NEXT: [[BY:%.*]] = gpu.block_id y
    // CHECK-NEXT: [[Y:%.*]] = arith.index_cast [[BY]] : index to i32
    // CHECK-NEXT: [[DY:%.*]] = gpu.grid_dim y
    // CHECK-NEXT: [[GY:%.*]] = arith.index_cast [[DY]] : index to i32
    // CHECK: [[COUNTABLE:%.*]] = arith.cmpi sle
    // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
    // CHECK-NEXT: [[MOST:%.*]] = arith.constant 8 : i32
    // CHECK-NEXT: [[ROWS:%.*]] = arith.muli [[Y]], [[GX]] : i32
    // CHECK-NEXT: [[NUMBER:%.*]] = arith.addi [[ROWS]], [[X]] : i32
    // CHECK-NEXT: [[PRODUCT:%.*]] = arith.muli [[GX]], [[MOST]] : i32
    // CHECK-NEXT: [[SIZE:%.*]] = arith.select [[COUNTABLE]], [[PRODUCT]], [[ONE]] : i32
    // CHECK-NEXT: [[GROUP:%.*]] = arith.divsi [[NUMBER]], [[SIZE]] : i32
    // CHECK-NEXT: [[FIRST:%.*]] = arith.muli [[GROUP]], [[MOST]] : i32
    // CHECK-NEXT: [[REST:%.*]] = arith.remsi [[NUMBER]], [[SIZE]] : i32
    // CHECK-NEXT: [[LEFT:%.*]] = arith.subi [[GY]], [[FIRST]] : i32
    // CHECK-NEXT: [[FEWER:%.*]] = arith.minsi [[LEFT]], [[MOST]] : i32
    // CHECK-NEXT: [[COUNT:%.*]] = arith.select [[COUNTABLE]], [[FEWER]], [[ONE]] : i32
    // CHECK-NEXT: [[ROW:%.*]] = arith.divsi [[REST]], [[COUNT]] : i32
    // CHECK: [[NEW_X:%.*]] = arith.subi {{%.*}}, [[ROW]] : i32
    // CHECK-NEXT: [[OFFSET:%.*]] = arith.remsi [[REST]], [[COUNT]] : i32
    // CHECK-NEXT: [[NEW_Y:%.*]] = arith.addi [[FIRST]], [[OFFSET]] : i32
    // CHECK-NEXT: arith.select [[COUNTABLE]], [[NEW_X]], [[X]] : i32
    // CHECK-NEXT: arith.select [[COUNTABLE]], [[NEW_Y]], [[Y]] : i32

    // They are as many for all x: y counts from its end.
    gpu.func @beside() kernel {
      %x0 = gpu.block_id x
      %y0 = gpu.block_id y
      %y = arith.index_cast %y0 : index to i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %a, %b, %c = "test.pureop"(%x0) : (index) -> (!t64x16xf16, !t16x8xf16, !t64x8xf32)
      scf.for %i = %zero to %y step %one : i32 {
        %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @beside() kernel attributes {nv_tileas.longest_first} {
    // CHECK-NEXT: [[BY:%.*]] = gpu.block_id y
    // CHECK-NEXT: [[Y:%.*]] = arith.index_cast [[BY]] : index to i32
    // CHECK-NEXT: [[DY:%.*]] = gpu.grid_dim y
    // CHECK-NEXT: [[GY:%.*]] = arith.index_cast [[DY]] : index to i32
    // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
    // CHECK-NEXT: [[LAST:%.*]] = arith.subi [[GY]], [[ONE]] : i32
    // CHECK-NEXT: [[NEW:%.*]] = arith.subi [[LAST]], [[Y]] : i32
    // CHECK-NEXT: [[BOUNDED:%.*]] = nv_tileaa.assume [[NEW]] {predicate = #nv_tileaa.bounded<0, 65534>} : i32
    // CHECK-NEXT: %y0 = arith.index_cast [[BOUNDED]] : i32 to index

    // Loops without dots, and trip counts that are the same everywhere, change nothing.
    gpu.func @same(%n: i32) kernel {
      %x0 = gpu.block_id x
      %x = arith.index_cast %x0 : index to i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %a, %b, %c = "test.pureop"(%x0) : (index) -> (!t64x16xf16, !t16x8xf16, !t64x8xf32)
      scf.for %i = %zero to %x step %one : i32 {
        "test.pureop"(%i) : (i32) -> ()
      }
      scf.for %i = %zero to %n step %one : i32 {
        %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @same(%n: i32) kernel {
    // CHECK-NEXT: %x0 = gpu.block_id x
  }
}
