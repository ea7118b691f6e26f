// RUN: tileiras-opt -p "tileas-dynamic-persistent" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-dynamic-persistent{abi=device-maps}" %s | filecheck %s --check-prefix=DEVICE

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Missed", "Hints", "", "four", "num_cta_in_cga = 4 is ignored, clusters have 2 CTAs", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Hints", "", "some", "num_cta_in_cga = 2 is ignored, only some CTAs load", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Hints", "", "stores", "num_cta_in_cga = 2 is ignored, 'nv_tileas.tiled_store' is in a loop or a branch", ""

// The launches of others have all blocks, and pass nothing else.
// DEVICE-NOT: nvgpu.persistent
// DEVICE-NOT: %grid_x

!memref0 = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!tiled_view1 = !nv_tileaa.tiled_view<16x8, !memref0>
!tiled_view2 = !nv_tileaa.tiled_view<64x8, !nv_tileaa.memref<?x?xf32, strides = [?, 1]>>
!tiled_view0 = !nv_tileaa.tiled_view<64x16, !memref0>
!t64x8xf32 = tensor<64x8xf32>
!t64x16xf16 = tensor<64x16xf16>
!t16x8xf16 = tensor<16x8xf16>
#mma_sm90 = #nv_tileas.atom<mma.sm90>
#kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {

  // What depends on the block is in a loop over blocks, in nested regions too; what does not is
  // before it. The size of the grid is a parameter. `occupancy` blocks stay on a multiprocessor.
  gpu.func @grid(%n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
    %x0 = gpu.block_id x
    %x = arith.index_cast %x0 : index to i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %end = arith.addi %n, %one : i32
    %far = arith.addi %x, %one : i32
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    scf.for %i = %zero to %end step %one : i32 {
      %y = gpu.block_id y
      %z = gpu.block_id z
      %height = gpu.grid_dim y
      %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
      %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
      "test.pureop"(%d, %far, %y, %z, %height) : (!t64x8xf32, i32, index, index, index) -> ()
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @grid(%n: i32, %grid_x: i32, %grid_y: i32, %grid_z: i32) kernel
  // CHECK-SAME: nvgpu.persistent = 2 : i32} {
  // CHECK-NEXT: %zero = arith.constant 0 : i32
  // CHECK-NEXT: %one = arith.constant 1 : i32
  // CHECK-NEXT: %end = arith.addi %n, %one : i32
  // CHECK-NEXT: [[GX:%.*]] = nv_tileaa.assume %grid_x {predicate = #nv_tileaa.bounded<1, 2147483647>} : i32
  // CHECK-NEXT: [[GY:%.*]] = nv_tileaa.assume %grid_y {predicate = #nv_tileaa.bounded<1, 65535>} : i32
  // CHECK-NEXT: [[GZ:%.*]] = nv_tileaa.assume %grid_z {predicate = #nv_tileaa.bounded<1, 65535>} : i32
  // CHECK-NEXT: [[ID:%.*]] = gpu.block_id x
  // CHECK-NEXT: [[DIM:%.*]] = gpu.grid_dim x
  // CHECK-NEXT: [[PLANE:%.*]] = arith.muli [[GX]], [[GY]] : i32
  // CHECK-NEXT: [[TOTAL:%.*]] = arith.muli [[PLANE]], [[GZ]] : i32
  // CHECK-NEXT: [[FIRST:%.*]] = arith.index_cast [[ID]] : index to i32
  // CHECK-NEXT: [[STEP:%.*]] = arith.index_cast [[DIM]] : index to i32
  // CHECK-NEXT: scf.for [[N:%.*]] = [[FIRST]] to [[TOTAL]] step [[STEP]] : i32 {
  // CHECK-NEXT: [[X:%.*]] = arith.remsi [[N]], [[GX]] : i32
  // CHECK-NEXT: [[REST:%.*]] = arith.divsi [[N]], [[GX]] : i32
  // CHECK-NEXT: [[Y:%.*]] = arith.remsi [[REST]], [[GY]] : i32
  // CHECK-NEXT: [[Z:%.*]] = arith.divsi [[REST]], [[GY]] : i32
  // CHECK-NEXT: %x0 = arith.index_cast [[X]] : i32 to index
  // CHECK-NEXT: %x = arith.index_cast %x0 : index to i32
  // CHECK-NEXT: %far = arith.addi %x, %one : i32
  // CHECK-NEXT: %va, %vb, %at, %c = "test.pureop"()
  // CHECK-NEXT: scf.for %i = %zero to %end step %one : i32 {
  // CHECK-NEXT: %y = arith.index_cast [[Y]] : i32 to index
  // CHECK-NEXT: %z = arith.index_cast [[Z]] : i32 to index
  // CHECK-NEXT: %height = arith.index_cast [[GY]] : i32 to index
  // CHECK-NEXT: %a = nv_tileas.tiled_load %va
  // CHECK-NEXT: %b = nv_tileas.tiled_load %vb
  // CHECK-NEXT: %d = nv_tileas.dot %a, %b, %c
  // CHECK-NEXT: "test.pureop"(%d, %far, %y, %z, %height)
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  // CHECK-NEXT: }

  // Launched by others: blocks beyond those that the GPU holds have no iterations. A grid that
  // cannot be counted has one iteration in each block, for that block.
  // DEVICE-LABEL: gpu.func @grid(%n: i32) kernel
  // DEVICE: %end = arith.addi %n, %one : i32
  // DEVICE: [[GX:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE: [[GY:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE: [[GZ:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE: [[BX:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE: [[BY:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE: [[BZ:%.*]] = arith.index_cast {{%.*}} : index to i32
  // DEVICE-NEXT: [[PLANES:%.*]] = arith.muli [[BZ]], [[GY]] : i32
  // DEVICE-NEXT: [[ROW:%.*]] = arith.addi [[PLANES]], [[BY]] : i32
  // DEVICE-NEXT: [[ROWS:%.*]] = arith.muli [[ROW]], [[GX]] : i32
  // DEVICE-NEXT: [[INDEX:%.*]] = arith.addi [[ROWS]], [[BX]] : i32
  // DEVICE: [[AREA:%.*]] = arith.muli {{%.*}}, {{%.*}} : i64
  // DEVICE-NEXT: [[TOTAL:%.*]] = arith.muli [[AREA]], {{%.*}} : i64
  // DEVICE-NEXT: [[LIMIT:%.*]] = arith.constant 1073741824 : i64
  // DEVICE-NEXT: [[FITS:%.*]] = arith.cmpi sle, [[TOTAL]], [[LIMIT]] : i64
  // DEVICE-NEXT: [[COUNT:%.*]] = nv_tileas.resident_ctas {ctas_per_sm = 2 : i32}
  // DEVICE-NEXT: [[STEP:%.*]] = nv_tileaa.assume [[COUNT]] {predicate = #nv_tileaa.bounded<1, 1048576>} : i32
  // DEVICE-NEXT: [[WORKS:%.*]] = arith.cmpi slt, [[INDEX]], [[STEP]] : i32
  // DEVICE-NEXT: [[ZERO:%.*]] = arith.constant 0 : i32
  // DEVICE-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
  // DEVICE-NEXT: [[BLOCKS:%.*]] = arith.trunci [[TOTAL]] : i64 to i32
  // DEVICE-NEXT: [[STOP:%.*]] = arith.select [[WORKS]], [[BLOCKS]], [[ZERO]] : i32
  // DEVICE-NEXT: [[START:%.*]] = arith.select [[FITS]], [[INDEX]], [[ZERO]] : i32
  // DEVICE-NEXT: [[BEHIND:%.*]] = arith.select [[FITS]], [[STOP]], [[ONE]] : i32
  // DEVICE-NEXT: [[FIRST:%.*]] = nv_tileaa.assume [[START]] {predicate = #nv_tileaa.bounded<0, 1073741824>} : i32
  // DEVICE-NEXT: [[END:%.*]] = nv_tileaa.assume [[BEHIND]] {predicate = #nv_tileaa.bounded<0, 1073741824>} : i32
  // DEVICE-NEXT: {{%.*}} = scf.for [[N:%.*]] = [[FIRST]] to [[END]] step [[STEP]]
  // DEVICE-SAME: iter_args([[X:%.*]] = [[BX]], [[Y:%.*]] = [[BY]], [[Z:%.*]] = [[BZ]])
  // DEVICE: %x0 = arith.index_cast [[X]] : i32 to index
  // DEVICE: %y = arith.index_cast [[Y]] : i32 to index
  // DEVICE: %height = arith.index_cast [[GY]] : i32 to index
  // DEVICE: [[NEXT:%.*]] = arith.addi [[N]], [[STEP]] : i32
  // DEVICE-NEXT: [[NEXT_X:%.*]] = arith.remsi [[NEXT]], [[GX]] : i32
  // DEVICE-NEXT: [[REST:%.*]] = arith.divsi [[NEXT]], [[GX]] : i32
  // DEVICE-NEXT: [[NEXT_Y:%.*]] = arith.remsi [[REST]], [[GY]] : i32
  // DEVICE-NEXT: [[NEXT_Z:%.*]] = arith.divsi [[REST]], [[GY]] : i32
  // DEVICE-NEXT: scf.yield [[NEXT_X]], [[NEXT_Y]], [[NEXT_Z]] : i32, i32, i32
  // DEVICE-NEXT: } {nv_tileas.early_return}
  // DEVICE-NEXT: gpu.return

  // Blocks with more iterations the larger x is: one, then the one that is as far from the end.
  gpu.func @longer() kernel {
    %x = gpu.block_id x
    %one = arith.constant 1 : index
    %end = arith.addi %x, %one : index
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    scf.for %i = %one to %end step %one {
      %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
      %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    }
    gpu.return
  }
  // DEVICE-LABEL: gpu.func @longer() kernel {
  // DEVICE: nv_tileas.resident_ctas
  // DEVICE: } {nv_tileas.early_return}
  // CHECK-LABEL: gpu.func @longer(%grid_x: i32, %grid_y: i32, %grid_z: i32) kernel
  // CHECK: [[PLANE:%.*]] = arith.muli
  // CHECK-NEXT: [[TOTAL:%.*]] = arith.muli [[PLANE]], {{%.*}} : i32
  // CHECK-NEXT: [[ID:%.*]] = arith.index_cast {{%.*}} : index to i32
  // CHECK-NEXT: [[STEP:%.*]] = arith.index_cast {{%.*}} : index to i32
  // CHECK: [[HALF:%.*]] = arith.divsi [[TOTAL]], {{%.*}} : i32
  // CHECK-NEXT: [[PAIRS:%.*]] = arith.subi [[TOTAL]], [[HALF]] : i32
  // CHECK-NEXT: [[LEFT:%.*]] = arith.subi [[PAIRS]], [[ID]] : i32
  // CHECK: [[ROUNDS:%.*]] = arith.divsi {{%.*}}, [[STEP]] : i32
  // CHECK: [[END:%.*]] = arith.maxsi
  // CHECK-NEXT: scf.for [[TURN:%.*]] = {{%.*}} to [[END]] step
  // CHECK: [[ROUND:%.*]] = arith.shrsi [[TURN]], {{%.*}} : i32
  // CHECK-NEXT: [[FAR:%.*]] = arith.muli [[ROUND]], [[STEP]] : i32
  // CHECK-NEXT: [[UNIT:%.*]] = arith.addi [[FAR]], [[ID]] : i32
  // CHECK-NEXT: [[LAST:%.*]] = arith.subi [[TOTAL]], {{%.*}} : i32
  // CHECK-NEXT: [[OTHER:%.*]] = arith.subi [[LAST]], [[UNIT]] : i32
  // CHECK: [[NUMBER:%.*]] = arith.select {{%.*}}, [[UNIT]], [[OTHER]] : i32
  // CHECK-NEXT: arith.remsi [[NUMBER]]

  // Blocks that do not all have the same number of iterations, in no known way.
  gpu.func @uneven(%n: index) kernel {
    %x = gpu.block_id x
    %one = arith.constant 1 : index
    %end = arith.remui %x, %n : index
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    scf.for %i = %one to %end step %one {
      %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
      %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    }
    gpu.return
  }
  // DEVICE-LABEL: gpu.func @uneven(%n: index) kernel {
  // DEVICE-NOT: resident_ctas
  // CHECK-LABEL: gpu.func @uneven(%n: index) kernel {
  // CHECK-NEXT: %x = gpu.block_id
  // CHECK: scf.for %i = %one to %end step %one {
  // CHECK: gpu.return

  // Blocks that may wait.
  gpu.func @waits(%go: i1) kernel {
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    "scf.while"() ({
      "scf.condition"(%go) : (i1) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : () -> ()
    gpu.return
  }
  // DEVICE-LABEL: gpu.func @waits(%go: i1) kernel {
  // DEVICE-NOT: resident_ctas
  // CHECK-LABEL: gpu.func @waits(%go: i1) kernel {
  // CHECK: gpu.return

  // Blocks that others may wait for.
  gpu.func @counts(%p: !llvm.ptr<1>, %n: i32) kernel {
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %old, %t1 = nv_tileaa.atomic_rmw %p, %n token(%t0) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
    gpu.return
  }
  // DEVICE-LABEL: gpu.func @counts(%p: !llvm.ptr<1>, %n: i32) kernel {
  // DEVICE-NOT: resident_ctas
  // DEVICE: gpu.return
  // CHECK-LABEL: gpu.func @counts(%p: !llvm.ptr<1>, %n: i32) kernel {
  // CHECK: gpu.return

  // Pairs of neighbours in clusters. Both go round equally often, and what is behind the last block
  // of the grid does the work of the last, and stores nothing.
  gpu.func @pairs(%va: !tiled_view0, %vb: !tiled_view1, %vc: !tiled_view2, %at: i32, %c: !t64x8xf32) kernel attributes {nv_tileaa.kernel_spec = #kernel_spec} {
    %x0 = gpu.block_id x
    %x = arith.index_cast %x0 : index to i32
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    nv_tileas.tiled_store %d, %vc[%x, %at] : !t64x8xf32, !tiled_view2, i32, i32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @pairs({{.*}}attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, gpu.known_cluster_size = array<i32: 2, 1, 1>,
  // CHECK-SAME: nvgpu.persistent = 1 : i32} {
  // CHECK: [[GX:%.*]] = nv_tileaa.assume %grid_x
  // CHECK-NEXT: [[GY:%.*]] = nv_tileaa.assume %grid_y
  // CHECK-NEXT: [[GZ:%.*]] = nv_tileaa.assume %grid_z
  // CHECK: [[PLANE:%.*]] = arith.muli [[GX]], [[GY]] : i32
  // CHECK-NEXT: [[TOTAL:%.*]] = arith.muli [[PLANE]], [[GZ]] : i32
  // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
  // CHECK-NEXT: [[MASK:%.*]] = arith.constant -2 : i32
  // CHECK-NEXT: [[MORE:%.*]] = arith.addi [[TOTAL]], [[ONE]] : i32
  // CHECK-NEXT: [[END:%.*]] = arith.andi [[MORE]], [[MASK]] : i32
  // CHECK: scf.for [[N:%.*]] = {{%.*}} to [[END]] step {{%.*}} : i32 {
  // CHECK-NEXT: [[ONE:%.*]] = arith.constant 1 : i32
  // CHECK-NEXT: [[LAST:%.*]] = arith.subi [[TOTAL]], [[ONE]] : i32
  // CHECK-NEXT: [[NUMBER:%.*]] = arith.minsi [[N]], [[LAST]] : i32
  // CHECK-NEXT: [[X:%.*]] = arith.remsi [[NUMBER]], [[GX]] : i32
  // CHECK: [[IS_THERE:%.*]] = arith.cmpi slt, [[N]], [[TOTAL]] : i32
  // CHECK: %a = nv_tileas.tiled_load %va[%at, %at]
  // CHECK: scf.if [[IS_THERE]] {
  // CHECK-NEXT: nv_tileas.tiled_store %d, %vc[%x, %at]
  // CHECK-NEXT: }
  // CHECK-NEXT: } {nvgpu.no_wrap, nv_tileas.cluster = #nv_tileas.cluster<2>}
  // CHECK-NEXT: gpu.return
  // CHECK-NEXT: }

  // Larger clusters: blocks stay without one, and the kernel says why.
  gpu.func @four(%va: !tiled_view0, %vb: !tiled_view1, %vc: !tiled_view2, %at: i32, %c: !t64x8xf32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 4>} {
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @four({{.*}}attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>,
  // CHECK-SAME: nvgpu.persistent = 1 : i32} {
  // CHECK: scf.for
  // CHECK-NOT: nv_tileas.cluster
  // CHECK: gpu.return

  // Only some blocks load: the others would not take what is meant for them.
  gpu.func @some(%va: !tiled_view0, %vb: !tiled_view1, %vc: !tiled_view2, %at: i32, %c: !t64x8xf32) kernel attributes {nv_tileaa.kernel_spec = #kernel_spec} {
    %x0 = gpu.block_id x
    %x = arith.index_cast %x0 : index to i32
    %is_first = arith.cmpi eq, %x, %at : i32
    scf.if %is_first {
      %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
      %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @some({{.*}}attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>,
  // CHECK-SAME: nvgpu.persistent = 1 : i32} {
  // CHECK: scf.for
  // CHECK-NOT: nv_tileas.cluster
  // CHECK: gpu.return

  // A store that is not known to be the last.
  gpu.func @stores(%va: !tiled_view0, %vb: !tiled_view1, %vc: !tiled_view2, %at: i32, %c: !t64x8xf32) kernel attributes {nv_tileaa.kernel_spec = #kernel_spec} {
    %x0 = gpu.block_id x
    %x = arith.index_cast %x0 : index to i32
    %is_first = arith.cmpi eq, %x, %at : i32
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    scf.if %is_first {
      nv_tileas.tiled_store %d, %vc[%x, %at] : !t64x8xf32, !tiled_view2, i32, i32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @stores({{.*}}attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>,
  // CHECK-SAME: nvgpu.persistent = 1 : i32} {
  // CHECK: scf.for
  // CHECK-NOT: nv_tileas.cluster
  // CHECK: gpu.return

  // An operand from before the loop is loaded in the loop over tile blocks.
  gpu.func @loaded_before(%n: i32, %one: i32) kernel {
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    scf.for %i = %one to %n step %one : i32 {
      %b = nv_tileas.tiled_load %vb[%i, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @loaded_before(%n: i32, %one: i32, %grid_x: i32, %grid_y: i32, %grid_z: i32) kernel
  // CHECK: scf.for
  // CHECK: nv_tileas.tiled_load %va
  // CHECK-NEXT: scf.for %i = %one to %n step %one : i32 {
  // DEVICE-LABEL: gpu.func @loaded_before(%n: i32, %one: i32) kernel {
  // DEVICE: scf.for
  // DEVICE: nv_tileas.tiled_load %va
  // DEVICE-NEXT: scf.for %i = %one to %n step %one : i32 {

  // In tensor memory, too.
  gpu.func @tensor_memory(%n: i32, %one: i32) kernel {
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    scf.for %i = %one to %n step %one : i32 {
      %b = nv_tileas.tiled_load %vb[%i, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
      %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @tensor_memory({{.*}}) kernel attributes {nvgpu.persistent = 1 : i32} {
  // CHECK: scf.for
  // CHECK: nv_tileas.tiled_load %va
  // DEVICE-LABEL: gpu.func @tensor_memory(%n: i32, %one: i32) kernel {
  // DEVICE: scf.for
  // DEVICE: nv_tileas.tiled_load %va

  // Without a loop, a computed operand leaves nothing to load ahead.
  gpu.func @computed(%n: i32) kernel {
    %va, %b, %at, %c = "test.pureop"() : () -> (!tiled_view0, !t16x8xf16, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #mma_sm90} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @computed(%n: i32) kernel {
  // CHECK: gpu.return

  // Products by warps.
  gpu.func @warps() kernel {
    %va, %vb, %at, %c = "test.pureop"() : () -> (!tiled_view0, !tiled_view1, i32, !t64x8xf32)
    %a = nv_tileas.tiled_load %va[%at, %at] : !tiled_view0, i32, i32 -> !t64x16xf16
    %b = nv_tileas.tiled_load %vb[%at, %at] : !tiled_view1, i32, i32 -> !t16x8xf16
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>} : !t64x16xf16, !t16x8xf16, !t64x8xf32
    gpu.return
  }
  // CHECK-LABEL: gpu.func @warps() kernel {

}
}
