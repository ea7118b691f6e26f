// RUN: tileiras-opt -p "split-operands{shared-bytes=5000}" %s | filecheck %s
// RUN: tileiras-opt -p "split-operands{shared-bytes=9000}" %s | filecheck %s --check-prefix=WHOLE

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Memory", "", "twice", "tiles of 32x64 are read by several dots, and two do not fit in shared memory: 4 parts of 32x16 have a buffer stage each", ""

// Two tiles of keys fit: nothing is split.
// WHOLE-COUNT-2: nv_tileaa.tiled_load

!memref0 = !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
!memref1 = !nv_tileaa.memref<64x16xf32, strides = [16, 1]>
!keys = !nv_tileaa.tiled_view<32x64, !memref0>
!queries = !nv_tileaa.tiled_view<64x4, !memref0, dim_map = [1, 0]>
!results = !nv_tileaa.tiled_view<64x4, !memref1>

builtin.module attributes {tileiras.remarks = []} {
gpu.module @m {

  // One dot adds up the products of pieces, another computes a piece of its result from each.
  gpu.func @twice(%k: !memref0, %q: !memref0, %r: !memref1, %n: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %vk = nv_tileaa.block_tile %k {tileSizes = array<i64: 32, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !keys
    %vq = nv_tileaa.block_tile %q {tileSizes = array<i64: 64, 4>, dimGroups = [[1 : i64], [0 : i64]]} : !memref0 -> !queries
    %vr = nv_tileaa.block_tile %r {tileSizes = array<i64: 64, 4>, dimGroups = [[0 : i64], [1 : i64]]} : !memref1 -> !results
    %f = arith.constant 0.0 : f32
    %none = nv_tileaa.splat %f : f32 to tensor<32x4xf32>
    %start = nv_tileaa.splat %f : f32 to tensor<64x4xf32>
    %query, %t1 = nv_tileaa.tiled_load %vq[%zero, %zero] token(%t) : !queries, i32, i32 -> tensor<64x4xf16>, !nv_tileaa.mem_token
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (tensor<64x4xf32>) : i32 {
      %key, %t2 = nv_tileaa.tiled_load %vk[%i, %zero] token(%t) : !keys, i32, i32 -> tensor<32x64xf16>, !nv_tileaa.mem_token
      %score = nv_tileaa.dot %key, %query, %none : tensor<32x64xf16>, tensor<64x4xf16>, tensor<32x4xf32>
      %h = nv_tileaa.fp_to_fp %score : tensor<32x4xf32> to tensor<32x4xf16>
      %value = nv_tileaa.permute %key {permutation = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
      %next = nv_tileaa.dot %value, %h, %s : tensor<64x32xf16>, tensor<32x4xf16>, tensor<64x4xf32>
      scf.yield %next : tensor<64x4xf32>
    }
    %t3 = nv_tileaa.tiled_store %sum, %vr[%zero, %zero] token(%t) : tensor<64x4xf32>, !results, i32, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
  // CHECK-LABEL: gpu.func @twice
  // CHECK-COUNT-4: nv_tileaa.tiled_load {{.*}} -> tensor<16x4xf16>
  // CHECK: scf.for {{%.*}} = %zero to %n
  // CHECK: [[K0:%.*]], {{%.*}} = nv_tileaa.tiled_load {{.*}} -> tensor<32x16xf16>
  // CHECK-NEXT: [[S0:%.*]] = nv_tileaa.dot [[K0]], {{%.*}}, %none
  // CHECK-NEXT: [[K1:%.*]], {{%.*}} = nv_tileaa.tiled_load {{.*}} -> tensor<32x16xf16>
  // CHECK-NEXT: [[S1:%.*]] = nv_tileaa.dot [[K1]], {{%.*}}, [[S0]]
  // CHECK: [[S2:%.*]] = nv_tileaa.dot {{%.*}}, {{%.*}}, [[S1]]
  // CHECK: [[S3:%.*]] = nv_tileaa.dot {{%.*}}, {{%.*}}, [[S2]]
  // CHECK-NEXT: %h = nv_tileaa.fp_to_fp [[S3]]
  // CHECK-NEXT: [[V0:%.*]] = nv_tileaa.permute [[K0]]
  // CHECK-NEXT: nv_tileaa.dot [[V0]], %h
  // CHECK-NEXT: [[V1:%.*]] = nv_tileaa.permute [[K1]]
  // CHECK-NEXT: nv_tileaa.dot [[V1]], %h
  // CHECK: scf.yield {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}} :
  // CHECK-COUNT-4: nv_tileaa.tiled_store {{.*}} : tensor<16x4xf32>
}
}
