// RUN: tileiras-opt %s -p 'privatize-atomics{compute-capability=sm_90 ctas=6}' | filecheck %s

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Memory", "", "histogram", "atomics update a copy of up to 16384 elements in shared memory first, in 6 CTAs, where that makes at most 2 additions to global memory of each update", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Memory", "", "digits", "atomics update a copy of up to 16 elements in shared memory first, in 6 CTAs, where that makes at most 2 additions to global memory of each update", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Memory", "", "released", "every update of the atomic goes to global memory: the kernel has 'nv_tileaa.store', which other CTAs may see or wait for", ""

!memory = !nv_tileaa.memref<?xi32, strides = [1]>
!view = !nv_tileaa.tiled_view<256, !nv_tileaa.memref<?xi32, strides = [1]>>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @kernels {
  // Counts go to shared memory first, where the array has at most 16384 elements and all copies
  // together have at most twice as many elements as are updated.

  gpu.func @histogram(%a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %size: i32, %n: i32) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %m = nv_tileaa.make_memref %a sizes(%size : i32) : !llvm.ptr<1> -> !memory
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256>, dimGroups = [[0 : i64]]} : !memory -> !view
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    %one = arith.constant 1 : i32
    %ones = nv_tileaa.splat %one : i32 to tensor<256xi32>
    %x, %t1 = nv_tileaa.tiled_load %v[%i] token(%t) : !view, i32 -> tensor<256xi32>, !nv_tileaa.mem_token
    %ns = nv_tileaa.splat %n : i32 to tensor<256xi32>
    %mask = nv_tileaa.cmpi %x, %ns {comparison_predicate = "less_than", signedness = "unsigned"} : tensor<256xi32> -> tensor<256xi1>
    %cs = nv_tileaa.splat %c : !llvm.ptr<1> to tensor<256x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %cs, %x {elem_type = i32} : tensor<256x!llvm.ptr<1>>, tensor<256xi32>
    %old, %t2 = nv_tileaa.atomic_rmw %p, %ones mask(%mask : tensor<256xi1>) token(%t) {mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "add"} : tensor<256x!llvm.ptr<1>>, tensor<256xi32> -> tensor<256xi32>, !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @histogram
  // CHECK-SAME:  nv_tileas.num_warps = 8 : i32
  // CHECK:       [[BLOCK:%.*]] = arith.index_cast {{%.*}} : index to i32
  // CHECK:       [[WIDE:%.*]] = arith.extui [[N:%.*]] : i32 to i64
  // CHECK:       [[MOST:%.*]] = arith.subi [[WIDE]], {{%.*}} : i64
  // CHECK:       [[SIZE:%.*]] = arith.constant 16384 : i64
  // CHECK-NEXT:  [[FITS:%.*]] = arith.cmpi ult, [[MOST]], [[SIZE]] : i64
  // CHECK:       [[CTAS:%.*]] = arith.constant 6 : i32
  // CHECK-NEXT:  arith.divui [[CTAS]]
  // CHECK:       [[PRIVATE:%.*]] = arith.andi {{%.*}}, [[FITS]] : i1
  // CHECK:       [[USED:%.*]] = arith.andi [[PRIVATE]], {{%.*}} : i1
  // CHECK:       [[COPY:%.*]] = nv_tileaa.alloca {{.*}}num_elem = 16384 : i64, alignment = 4 : i64, elem_type = i32} : !llvm.ptr<3>
  // CHECK:       [[INITIALIZED:%.*]] = scf.if [[USED]] -> (!nv_tileaa.mem_token) {
  // CHECK:         nv_tileaa.tiled_store
  // CHECK:         gpu.barrier
  // CHECK:       scf.for [[I:%.*]] = [[BLOCK]] to [[REST:%.*]] step {{%.*}} : i32 {
  // CHECK:         [[X0:%.*]], {{%.*}} = nv_tileaa.tiled_load
  // CHECK:         [[X1:%.*]], {{%.*}} = nv_tileaa.tiled_load
  // CHECK:         [[BASES0:%.*]] = nv_tileaa.splat [[COPY]] : !llvm.ptr<3> to tensor<256x!llvm.ptr<3>>
  // CHECK-NEXT:    [[PLACES0:%.*]] = nv_tileaa.addptr [[BASES0]], [[X0]]
  // CHECK-NEXT:    nv_tileaa.atomic_rmw [[PLACES0]], {{.*}} token([[INITIALIZED]])
  // CHECK:         nv_tileaa.addptr {{%.*}}, [[X1]]
  // CHECK:       scf.for {{%.*}} = [[REST]] to {{%.*}} step {{%.*}} : i32 {
  // CHECK:         nv_tileaa.tiled_load
  // CHECK:         scf.if [[PRIVATE]]
  // CHECK-NEXT:      [[BASES:%.*]] = nv_tileaa.splat [[COPY]] : !llvm.ptr<3> to tensor<256x!llvm.ptr<3>>
  // CHECK-NEXT:      [[PLACES:%.*]] = nv_tileaa.addptr [[BASES]]
  // CHECK-NEXT:      nv_tileaa.atomic_rmw [[PLACES]], {{.*}} token([[INITIALIZED]]) {rmw_mode = "add", mem_semantic = "relaxed",
  // CHECK-SAME:    mem_scope = "tl_blk"}
  // CHECK:         } else {
  // CHECK-NEXT:      nv_tileaa.atomic_rmw {{.*}}mem_scope = "gpu"
  // CHECK:       scf.if [[USED]] {
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         scf.for
  // CHECK-NEXT:      [[SUM:%.*]], {{%.*}} = nv_tileaa.tiled_load
  // CHECK:           [[CHANGED:%.*]] = nv_tileaa.cmpi [[SUM]], {{%.*}} {comparison_predicate = "not_equal"}
  // CHECK:           nv_tileaa.atomic_rmw {{%.*}}, [[SUM]] mask([[CHANGED]] : tensor<256xi1>) {{.*}}mem_scope = "gpu"
  // CHECK:       gpu.return

  // An index of four bits needs no mask, and a copy of 16 elements.

  gpu.func @digits(%a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %size: i32) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %m = nv_tileaa.make_memref %a sizes(%size : i32) : !llvm.ptr<1> -> !memory
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256>, dimGroups = [[0 : i64]]} : !memory -> !view
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    %c15 = arith.constant 15 : i32
    %low = nv_tileaa.splat %c15 : i32 to tensor<256xi32>
    %x, %t1 = nv_tileaa.tiled_load %v[%i] token(%t) : !view, i32 -> tensor<256xi32>, !nv_tileaa.mem_token
    %y = nv_tileaa.andi %x, %low : tensor<256xi32>
    %cs = nv_tileaa.splat %c : !llvm.ptr<1> to tensor<256x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %cs, %y {elem_type = i32} : tensor<256x!llvm.ptr<1>>, tensor<256xi32>
    %old, %t2 = nv_tileaa.atomic_rmw %p, %x token(%t) {mem_semantic = "relaxed", mem_scope = "sys", rmw_mode = "min"} : tensor<256x!llvm.ptr<1>>, tensor<256xi32> -> tensor<256xi32>, !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @digits
  // CHECK:       nv_tileaa.alloca {{.*}}num_elem = 16 : i64
  // CHECK:       arith.constant 2147483647 : i32
  // CHECK:       nv_tileaa.atomic_rmw {{.*}} {rmw_mode = "min", mem_semantic = "relaxed", mem_scope = "tl_blk"}
  // CHECK:       nv_tileaa.atomic_rmw {{.*}}mem_scope = "sys"
  // CHECK:       nv_tileaa.atomic_rmw {{.*}}mem_scope = "sys"

  // Another CTA may wait for the last of these: all that comes before a release is done before it.

  gpu.func @released(%a: !llvm.ptr<1>, %c: !llvm.ptr<1>, %flag: !llvm.ptr<1>, %size: i32) kernel {
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %m = nv_tileaa.make_memref %a sizes(%size : i32) : !llvm.ptr<1> -> !memory
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256>, dimGroups = [[0 : i64]]} : !memory -> !view
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    %c15 = arith.constant 15 : i32
    %low = nv_tileaa.splat %c15 : i32 to tensor<256xi32>
    %x, %t1 = nv_tileaa.tiled_load %v[%i] token(%t) : !view, i32 -> tensor<256xi32>, !nv_tileaa.mem_token
    %y = nv_tileaa.andi %x, %low : tensor<256xi32>
    %cs = nv_tileaa.splat %c : !llvm.ptr<1> to tensor<256x!llvm.ptr<1>>
    %p = nv_tileaa.addptr %cs, %y {elem_type = i32} : tensor<256x!llvm.ptr<1>>, tensor<256xi32>
    %old, %t2 = nv_tileaa.atomic_rmw %p, %x token(%t) {mem_semantic = "relaxed", mem_scope = "gpu", rmw_mode = "add"} : tensor<256x!llvm.ptr<1>>, tensor<256xi32> -> tensor<256xi32>, !nv_tileaa.mem_token
    %t3 = nv_tileaa.store %flag, %c15 token(%t2) {mem_semantic = "release", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }

  // CHECK-LABEL: @released
  // CHECK-NOT:   alloca
  // CHECK:       nv_tileaa.atomic_rmw
  // CHECK-NOT:   nv_tileaa.privatized
}
}
