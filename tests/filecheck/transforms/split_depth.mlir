// RUN: tileiras-opt %s -p 'split-tiles{compute-capability=sm_90a}' | filecheck %s

!memory = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!left = !nv_tileaa.tiled_view<128x128, !memory, padding = zero>
!right = !nv_tileaa.tiled_view<128x256, !memory, padding = zero>
!token = !nv_tileaa.mem_token

gpu.module @kernels {
  // Two stages of 96 KiB are all that shared memory has room for; the index of a row that is not K
  // stays as it is.

  gpu.func @deep(%a: !llvm.ptr<1>, %n: i32, %s: i32, %steps: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %a sizes(%n, %n : i32, i32) strides(%s : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !left
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 256>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !right
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<128x256xf32>
    %end = nv_tileaa.assume %steps {predicate = #nv_tileaa.bounded<0, 1000>} : i32
    %d = scf.for %k = %c0 to %end step %c1 iter_args(%c = %acc) -> (tensor<128x256xf32>) : i32 {
      %x, %t1 = nv_tileaa.tiled_load %va[%k, %k] token(%t) {padding_value = "zero"} : !left, i32, i32 -> tensor<128x128xf16>, !token
      %y, %t2 = nv_tileaa.tiled_load %vb[%k, %c0] token(%t) {padding_value = "zero"} : !right, i32, i32 -> tensor<128x256xf16>, !token
      %e = nv_tileaa.dot %x, %y, %c : tensor<128x128xf16>, tensor<128x256xf16>, tensor<128x256xf32>
      scf.yield %e : tensor<128x256xf32>
    }
    "test.op"(%d) : (tensor<128x256xf32>) -> ()
    gpu.return
  }

  // The loop does something else for each step of K.

  gpu.func @other(%a: !llvm.ptr<1>, %n: i32, %s: i32, %steps: i32) kernel {
    %t = nv_tileaa.create_mem_token : !token
    %m = nv_tileaa.make_memref %a sizes(%n, %n : i32, i32) strides(%s : i32) : !llvm.ptr<1> -> !memory
    %va = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 128>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !left
    %vb = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 256>, dimGroups = [[0 : i64], [1 : i64]]} : !memory -> !right
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %acc = nv_tileaa.splat %zero : f32 to tensor<128x256xf32>
    %end = nv_tileaa.assume %steps {predicate = #nv_tileaa.bounded<0, 1000>} : i32
    %d = scf.for %k = %c0 to %end step %c1 iter_args(%c = %acc) -> (tensor<128x256xf32>) : i32 {
      %x, %t1 = nv_tileaa.tiled_load %va[%c0, %k] token(%t) {padding_value = "zero"} : !left, i32, i32 -> tensor<128x128xf16>, !token
      %y, %t2 = nv_tileaa.tiled_load %vb[%k, %c0] token(%t) {padding_value = "zero"} : !right, i32, i32 -> tensor<128x256xf16>, !token
      %e = nv_tileaa.dot %x, %y, %c : tensor<128x128xf16>, tensor<128x256xf16>, tensor<128x256xf32>
      "test.op"(%x) : (tensor<128x128xf16>) -> ()
      scf.yield %e : tensor<128x256xf32>
    }
    "test.op"(%d) : (tensor<128x256xf32>) -> ()
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @deep
// CHECK: [[TWO:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[END:%.*]] = nv_tileaa.muli %end, [[TWO]] : i32
// CHECK: [[LEFT:%.*]] = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 64>
// CHECK: [[RIGHT:%.*]] = nv_tileaa.block_tile %m {tileSizes = array<i64: 64, 256>
// CHECK: %d = scf.for [[H:%.*]] = %c0 to [[END]] step %c1
// CHECK-NEXT: [[K:%.*]] = nv_tileaa.divi [[H]], [[TWO]] {signedness = "signed"} : i32
// CHECK-NEXT: nv_tileaa.tiled_load [[LEFT]]{{\[}}[[K]], [[H]]]
// CHECK: nv_tileaa.tiled_load [[RIGHT]]{{\[}}[[H]], %c0]
// CHECK: nv_tileaa.dot {{.*}} : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>

// CHECK-LABEL: gpu.func @other
// CHECK: nv_tileaa.dot {{.*}} : tensor<128x128xf16>, tensor<128x256xf16>, tensor<128x256xf32>
