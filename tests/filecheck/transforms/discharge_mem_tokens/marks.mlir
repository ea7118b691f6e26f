// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// What tokens said of loads, as marks.

// Strong reads of the same bytes are in order: which thread reads an element is not known here, and a
// later read must not see less than an earlier one.

!t8xptr = tensor<8x!llvm.ptr<1>>
!token = !nv_tileaa.mem_token
!t8xi32 = tensor<8xi32>
!ptr = !llvm.ptr<1>

func.func @coherent(%p: !t8xptr, %q: !t8xptr) {
  %t0 = nv_tileaa.create_mem_token : !token
  %x, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
  %y, %t2 = nv_tileaa.load %q token(%t1) {mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
  %z, %t3 = nv_tileaa.load %q token(%t1) {mem_semantic = "relaxed", mem_scope = "gpu"} : !t8xptr -> !t8xi32, !token
  "test.op"(%x, %y, %z) : (!t8xi32, !t8xi32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @coherent
// CHECK-NEXT:    %x = nv_tileaa.load %p
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %y = nv_tileaa.load %q
// CHECK-NEXT:    %z = nv_tileaa.load %q
// CHECK-NEXT:    "test.op"

// One thread reads scalars, and does so in order.

func.func @coherent_scalars(%p: !ptr) {
  %t0 = nv_tileaa.create_mem_token : !token
  %x, %t1 = nv_tileaa.load %p token(%t0) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  %y, %t2 = nv_tileaa.load %p token(%t1) {mem_semantic = "relaxed", mem_scope = "gpu"} : !ptr -> i32, !token
  "test.op"(%x, %y) : (i32, i32) -> ()
  func.return
}

// CHECK-LABEL: func.func @coherent_scalars
// CHECK-NEXT:    %x = nv_tileaa.load %p
// CHECK-NEXT:    %y = nv_tileaa.load %p
// CHECK-NEXT:    "test.op"

// A load that only a wait for other grids has to be done before, one that a store has to be as well,
// and one that nothing has to be.

func.func @grids(%p: !t8xptr, %q: !t8xptr, %v: !t8xi32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.gdc_wait_tko token(%t0) -> !token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !t8xptr -> !t8xi32, !token
  %t3 = nv_tileaa.store %q, %v token(%t1) : !t8xptr, !t8xi32 -> !token
  %y, %t4 = nv_tileaa.load %p token(%t3) : !t8xptr -> !t8xi32, !token
  %z, %t5 = nv_tileaa.load %p token(%t0) : !t8xptr -> !t8xi32, !token
  "test.op"(%x, %y, %z) : (!t8xi32, !t8xi32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @grids
// CHECK:         %x = nv_tileaa.load %p {nv_tileaa.after_grid_wait} :
// CHECK:         %y = nv_tileaa.load %p :
// CHECK:         %z = nv_tileaa.load %p {nv_tileaa.independent} :

// A load behind an acquire waits for it, if a token says so.

func.func @acquire(%p: !ptr, %f: !ptr) {
  %t0 = nv_tileaa.create_mem_token : !token
  %a, %t1 = nv_tileaa.load %f token(%t0) {mem_semantic = "acquire", mem_scope = "gpu"} : !ptr -> i32, !token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !ptr -> i32, !token
  %y, %t3 = nv_tileaa.load %p token(%t0) : !ptr -> i32, !token
  "test.op"(%a, %x, %y) : (i32, i32, i32) -> ()
  func.return
}

// CHECK-LABEL: func.func @acquire
// CHECK:         gpu.barrier
// CHECK-NEXT:    %x = nv_tileaa.load %p {nv_tileaa.invariant} :
// CHECK-NEXT:    %y = nv_tileaa.load %p {nv_tileaa.independent, nv_tileaa.invariant} :

// Scalars whose memory is changed behind the load, in another iteration too, and those for which no
// token says so.

func.func @changed(%p: !ptr, %q: !ptr, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x, %t1 = nv_tileaa.load %p token(%t0) : !ptr -> i32, !token
  %y, %t2 = nv_tileaa.load %q token(%t0) : !ptr -> i32, !token
  %t3 = nv_tileaa.store %p, %c1 token(%t1) : !ptr, i32 -> !token
  %t4 = scf.for %i = %c0 to %n step %c1 iter_args(%t5 = %t0) -> (!token) : i32 {
    %t6 = nv_tileaa.store %q, %c1 token(%t5) : !ptr, i32 -> !token
    %z, %t7 = nv_tileaa.load %q token(%t6) : !ptr -> i32, !token
    "test.op"(%z) : (i32) -> ()
    scf.yield %t7 : !token
  }
  "test.op"(%x, %y) : (i32, i32) -> ()
  func.return
}

// CHECK-LABEL: func.func @changed
// CHECK:         %x = nv_tileaa.load %p {nv_tileaa.independent} :
// CHECK-NEXT:    %y = nv_tileaa.load %q {nv_tileaa.independent, nv_tileaa.invariant} :
// CHECK:         %z = nv_tileaa.load %q :

// In-place updates of a row at a time: a store behind a load is none that it waits for, and rows of
// other iterations are other ones. Rows that may overlap are not.

!rows = !nv_tileaa.memref<?x64xf32, strides = [64, 1]>
!packed = !nv_tileaa.memref<?x64xf32, strides = [32, 1]>
!row = !nv_tileaa.tiled_view<1x64, !rows>
!window = !nv_tileaa.tiled_view<1x64, !packed>
!tile = tensor<1x64xf32>

func.func @in_place(%p: !ptr, %n: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = nv_tileaa.assume %n {predicate = #nv_tileaa.bounded<0, ?>} : i32
  %a = nv_tileaa.make_memref %p sizes(%m : i32) : !ptr -> !rows
  %b = nv_tileaa.make_memref %p sizes(%m : i32) : !ptr -> !packed
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 1, 64>, dimGroups = [[0], [1]]} : !rows -> !row
  %w = nv_tileaa.block_tile %b {tileSizes = array<i64: 1, 64>, dimGroups = [[0], [1]]} : !packed -> !window
  %t1 = scf.for %i = %c0 to %m step %c1 iter_args(%t = %t0) -> (!token) : i32 {
    %x, %t2 = nv_tileaa.tiled_load %v[%i, %c0] token(%t) : !row, i32, i32 -> !tile, !token
    %t3 = nv_tileaa.tiled_store %x, %v[%i, %c0] token(%t2) : !tile, !row, i32, i32 -> !token
    scf.yield %t3 : !token
  }
  %t4 = scf.for %i = %c0 to %m step %c1 iter_args(%t = %t0) -> (!token) : i32 {
    %y, %t5 = nv_tileaa.tiled_load %w[%i, %c0] token(%t) : !window, i32, i32 -> !tile, !token
    %t6 = nv_tileaa.tiled_store %y, %w[%i, %c0] token(%t5) : !tile, !window, i32, i32 -> !token
    scf.yield %t6 : !token
  }
  func.return
}

// CHECK-LABEL: func.func @in_place
// CHECK:         %x = nv_tileaa.tiled_load %v[%i, %c0] {nv_tileaa.hoistable, nv_tileaa.independent} :
// CHECK:         %y = nv_tileaa.tiled_load %w[{{%.*}}, %c0] :
