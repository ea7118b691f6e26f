// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// Parameters may point to the same memory, a global as well; an alloca and another global do not.

!memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
!tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
!tiled_view1 = !nv_tileaa.tiled_view<8, !memref0, steps = [4]>
!token = !nv_tileaa.mem_token
!t8xptr = tensor<8x!llvm.ptr<1>>
!ptr = !llvm.ptr<1>
!t8xf32 = tensor<8xf32>
!t8xi32 = tensor<8xi32>

nv_tileaa.global @first {value = dense<0> : tensor<8xi32>}
nv_tileaa.global @second {value = dense<0> : tensor<8xi32>}

func.func @objects(%p: !ptr, %q: !ptr, %x: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %local = nv_tileaa.alloca {num_elem = 8 : i64, alignment = 16 : i64, elem_type = i32} : !ptr
  %first = nv_tileaa.get_global @first : !ptr
  %second = nv_tileaa.get_global @second : !ptr
  %t1 = nv_tileaa.store %first, %x token(%t0) : !ptr, i32 -> !token
  %a, %t2 = nv_tileaa.load %second token(%t1) : !ptr -> i32, !token
  %b, %t3 = nv_tileaa.load %local token(%t2) : !ptr -> i32, !token
  %c, %t4 = nv_tileaa.load %p token(%t3) : !ptr -> i32, !token
  %t5 = nv_tileaa.store %local, %x token(%t4) : !ptr, i32 -> !token
  %d, %t6 = nv_tileaa.load %q token(%t5) : !ptr -> i32, !token
  "test.op"(%a, %b, %c, %d) : (i32, i32, i32, i32) -> ()
  func.return
}

// CHECK: !memref0 = !nv_tileaa.memref<?xf32, strides = [1]>
// CHECK: !tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
// CHECK: !tiled_view1 = !nv_tileaa.tiled_view<8, !memref0, steps = [4]>
// CHECK-LABEL: func.func @objects(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    %local = nv_tileaa.alloca {num_elem = 8 : i64, alignment = 16 : i64, elem_type = i32} : [[gptr:!llvm.ptr<1>]]
// CHECK-NEXT:    %first = nv_tileaa.get_global @first : [[gptr]]
// CHECK-NEXT:    %second = nv_tileaa.get_global @second : [[gptr]]
// CHECK-NEXT:    nv_tileaa.store %first, %x : [[gptr]], i32
// CHECK-NEXT:    %a = nv_tileaa.load %second {nv_tileaa.independent, nv_tileaa.invariant} : [[gptr]] -> i32
// CHECK-NEXT:    %b = nv_tileaa.load %local {nv_tileaa.independent} : [[gptr]] -> i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %c = nv_tileaa.load %p {nv_tileaa.invariant} : [[gptr]] -> i32
// CHECK-NEXT:    nv_tileaa.store %local, %x : [[gptr]], i32
// CHECK-NEXT:    %d = nv_tileaa.load %q {nv_tileaa.invariant} : [[gptr]] -> i32
// CHECK-NEXT:    "test.op"(%a, %b, %c, %d) : (i32, i32, i32, i32) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Other tiles of a view are apart, the same one is not.

func.func @tiles(%p: !ptr, %n: i32, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref0
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]} : !memref0 -> !tiled_view0
  %t1 = nv_tileaa.tiled_store %x, %v[%c0] token(%t0) : !t8xf32, !tiled_view0, i32 -> !token
  %a, %t2 = nv_tileaa.tiled_load %v[%c1] token(%t1) : !tiled_view0, i32 -> !t8xf32, !token
  %b, %t3 = nv_tileaa.tiled_load %v[%c0] token(%t2) : !tiled_view0, i32 -> !t8xf32, !token
  "test.op"(%a, %b) : (!t8xf32, !t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @tiles(%p: !llvm.ptr<1>, %n: i32, %x: tensor<8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %m = nv_tileaa.make_memref %p sizes(%n : i32) : [[gptr]] -> !memref0
// CHECK-NEXT:    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = {{\[\[}}0 : i64]]} : !memref0 -> !tiled_view0
// CHECK-NEXT:    nv_tileaa.tiled_store %x, %v[%c0] : tensor<8xf32>, !tiled_view0, i32
// CHECK-NEXT:    %a = nv_tileaa.tiled_load %v[%c1] {nv_tileaa.independent} : !tiled_view0, i32 -> tensor<8xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %b = nv_tileaa.tiled_load %v[%c0] : !tiled_view0, i32 -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Windows that begin every four elements overlap.

func.func @windows(%p: !ptr, %n: i32, %x: !t8xf32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = nv_tileaa.make_memref %p sizes(%n : i32) : !ptr -> !memref0
  %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = [[0 : i64]]} : !memref0 -> !tiled_view1
  %t1 = nv_tileaa.tiled_store %x, %v[%c0] token(%t0) : !t8xf32, !tiled_view1, i32 -> !token
  %a, %t2 = nv_tileaa.tiled_load %v[%c1] token(%t1) : !tiled_view1, i32 -> !t8xf32, !token
  "test.op"(%a) : (!t8xf32) -> ()
  func.return
}

// CHECK-LABEL: func.func @windows(%p: !llvm.ptr<1>, %n: i32, %x: tensor<8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c1 = arith.constant 1 : i32
// CHECK-NEXT:    %m = nv_tileaa.make_memref %p sizes(%n : i32) : [[gptr]] -> !memref0
// CHECK-NEXT:    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8>, dimGroups = {{\[\[}}0 : i64]]} : !memref0 -> !tiled_view1
// CHECK-NEXT:    nv_tileaa.tiled_store %x, %v[%c0] : tensor<8xf32>, !tiled_view1, i32
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %a = nv_tileaa.tiled_load %v[%c1] : !tiled_view1, i32 -> tensor<8xf32>
// CHECK-NEXT:    "test.op"(%a) : (tensor<8xf32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Ranges behind one pointer that do not meet.

func.func @ranges(%p: !ptr, %x: !t8xi32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %low = nv_tileaa.make_range %c0, %c8 : i32 to !t8xi32
  %far = arith.constant dense<10> : tensor<8xi32>
  %high = nv_tileaa.addi %low, %far : !t8xi32
  %all = nv_tileaa.splat %p : !ptr to !t8xptr
  %a = nv_tileaa.addptr %all, %low {elem_type = i32} : !t8xptr, !t8xi32
  %b = nv_tileaa.addptr %all, %high {elem_type = i32} : !t8xptr, !t8xi32
  %t1 = nv_tileaa.store %a, %x token(%t0) : !t8xptr, !t8xi32 -> !token
  %t2 = nv_tileaa.store %b, %x token(%t1) : !t8xptr, !t8xi32 -> !token
  %y, %t3 = nv_tileaa.load %b token(%t1) : !t8xptr -> !t8xi32, !token
  %z, %t4 = nv_tileaa.load %b token(%t2) : !t8xptr -> !t8xi32, !token
  "test.op"(%y, %z) : (!t8xi32, !t8xi32) -> ()
  func.return
}

// CHECK-LABEL: func.func @ranges(%p: !llvm.ptr<1>, %x: tensor<8xi32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : i32
// CHECK-NEXT:    %c8 = arith.constant 8 : i32
// CHECK-NEXT:    %low = nv_tileaa.make_range %c0, %c8 : i32 to tensor<8xi32>
// CHECK-NEXT:    %far = arith.constant dense<10> : tensor<8xi32>
// CHECK-NEXT:    %high = nv_tileaa.addi %low, %far : tensor<8xi32>
// CHECK-NEXT:    %all = nv_tileaa.splat %p : [[gptr]] to [[t8xptr:tensor<8x!llvm.ptr<1>>]]
// CHECK-NEXT:    %a = nv_tileaa.addptr %all, %low {elem_type = i32} : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    %b = nv_tileaa.addptr %all, %high {elem_type = i32} : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    nv_tileaa.store %a, %x : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    nv_tileaa.store %b, %x : [[t8xptr]], tensor<8xi32>
// CHECK-NEXT:    %y = nv_tileaa.load %b {nv_tileaa.independent} : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %z = nv_tileaa.load %b : [[t8xptr]] -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%y, %z) : (tensor<8xi32>, tensor<8xi32>) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
