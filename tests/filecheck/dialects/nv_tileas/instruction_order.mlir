// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

%x, %y = "test.op"() : () -> (tensor<64x8xf32>, i32)
// CHECK: nv_tileas.sched_barrier
nv_tileas.sched_barrier
// CHECK-NEXT: %z, %w = nv_tileas.sched_barrier(%x, %y) : tensor<64x8xf32>, i32
%z, %w = nv_tileas.sched_barrier(%x, %y) : tensor<64x8xf32>, i32
