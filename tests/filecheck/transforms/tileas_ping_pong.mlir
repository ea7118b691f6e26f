// RUN: tileiras-opt -p "tileas-generate-schedule{ping_pong=true exclusive=false}" %s | filecheck %s --check-prefix=SCHEDULE
// RUN: tileiras-opt -p "tileas-generate-schedule{ping_pong=false}" %s | filecheck %s --check-prefix=OFF
// RUN: tileiras-opt -p "tileas-generate-schedule" %s | filecheck %s --check-prefix=DEFAULT
// RUN: tileiras-opt -p "tileas-generate-schedule,tileas-materialize-schedule" %s | filecheck %s --check-prefix=EXCLUSIVE
// RUN: tileiras-opt -p "tileas-generate-schedule{ping_pong=true exclusive=false},tileas-materialize-schedule" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-generate-schedule{ping_pong=true exclusive=false},tileas-materialize-schedule,convert-tileas-to-nvgpu{abi=host-maps}" %s | filecheck %s --check-prefix=THREADS

// Two warpgroups have 64 rows each, and issue WGMMAs alternately. A turn is from the first WGMMA of an
// iteration to the last, before threads wait for any.

// SCHEDULE: gpu.func @attention({{.*}}nv_tileas.schedule = #nv_tileas.schedule<stages = [1, {{.*}}], producer_warps = {{.*}}, ping_pong = 2>

// OFF-NOT: ping_pong

// By default two warpgroups keep turns until WGMMAs are done, and compute exponentials after that:
// DEFAULT: ping_pong = 2, exclusive = 1>

// EXCLUSIVE: [[T:%.*]] = nv_tileas.ping_pong.begin
// EXCLUSIVE: scf.for
// EXCLUSIVE: nv_tileas.ping_pong.wait [[T]]
// EXCLUSIVE-NEXT: [[S:%.*]] = nv_tileas.async.dot
// EXCLUSIVE-NOT: ping_pong.arrive
// EXCLUSIVE: [[O:%.*]] = nv_tileas.async.dot
// EXCLUSIVE-NOT: exp2
// EXCLUSIVE: nv_tileas.async.future_wait [[S]]
// EXCLUSIVE-NOT: exp2
// EXCLUSIVE: nv_tileas.async.future_wait [[O]]
// EXCLUSIVE-NEXT: nv_tileas.ping_pong.arrive [[T]]
// EXCLUSIVE-NEXT: nv_tileas.async.pipeline.consumer_release
// EXCLUSIVE-NEXT: nv_tileas.sched_barrier
// EXCLUSIVE: nv_tileaa.exp2
// EXCLUSIVE: scf.yield

// CHECK: agent_switch attributes {num_warps = array<i32: {{.*}}, 8>
// CHECK: [[T:%.*]] = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}

// The first iteration:
// CHECK: nv_tileas.async.pipeline.consumer_wait
// CHECK: nv_tileas.ping_pong.wait [[T]]
// CHECK-NEXT: nv_tileas.async.dot
// CHECK: nv_tileas.ping_pong.arrive [[T]]
// CHECK-NEXT: nv_tileas.async.future_wait
// CHECK: nv_tileaa.exp2

// CHECK: scf.for
// CHECK: nv_tileas.async.pipeline.consumer_wait
// CHECK: nv_tileas.ping_pong.wait [[T]]
// CHECK-NEXT: [[S:%.*]] = nv_tileas.async.dot
// CHECK-NOT: release
// CHECK: nv_tileas.async.pipeline.consumer_wait
// CHECK-NOT: release
// CHECK: [[O:%.*]] = nv_tileas.async.dot
// CHECK: nv_tileas.ping_pong.arrive [[T]]
// CHECK-NEXT: nv_tileas.async.future_wait [[S]]
// CHECK-NEXT: nv_tileas.async.pipeline.consumer_release
// CHECK: nv_tileaa.exp2
// CHECK: scf.yield

// The last one:
// CHECK: nv_tileas.ping_pong.wait [[T]]
// CHECK-NEXT: nv_tileas.async.dot
// CHECK: nv_tileas.ping_pong.arrive [[T]]
// CHECK: nv_tileas.tiled_store
// CHECK: nv_tileas.ping_pong.end [[T]]
// CHECK-NEXT: nv_tileas.async.pipeline.yield

// The last warpgroup gives the first turn to the first one, which takes the last one in the end.
// THREADS-DAG: [[FIRST:%.*]] = arith.constant 10 : i32
// THREADS-DAG: [[SECOND:%.*]] = arith.constant 11 : i32
// THREADS-DAG: [[COUNT:%.*]] = arith.constant 256 : i32
// THREADS: nvvm.setmaxregister increase
// THREADS-NEXT: [[LAST:%.*]] = arith.cmpi eq, [[GROUP:%[0-9]+]], {{%.*}} : i32
// THREADS-NEXT: scf.if [[LAST]] {
// THREADS-NEXT:   nvvm.barrier.arrive id = [[FIRST]] number_of_threads = [[COUNT]]
// THREADS: [[MINE:%.*]] = arith.addi [[GROUP]], [[FIRST]]
// THREADS-NEXT: nvvm.barrier id = [[MINE]] number_of_threads = [[COUNT]]
// THREADS: nvvm.wgmma.mma_async
// THREADS: nvvm.wgmma.commit.group.sync.aligned
// THREADS: [[OTHER:%.*]] = arith.addi [[GROUP]], [[SECOND]]
// THREADS-NEXT: [[IS_LAST:%.*]] = arith.cmpi eq, [[GROUP]], {{%.*}} : i32
// THREADS-NEXT: [[NEXT:%.*]] = arith.select [[IS_LAST]], [[FIRST]], [[OTHER]] : i32
// THREADS-NEXT: nvvm.barrier.arrive id = [[NEXT]] number_of_threads = [[COUNT]]
// THREADS-NEXT: nvvm.wgmma.wait.group.sync.aligned
// THREADS: nvvm.cp.async.bulk.commit.group
// THREADS-NEXT: }
// THREADS-NEXT: [[IS_FIRST:%.*]] = arith.cmpi eq, [[GROUP]], {{%.*}} : i32
// THREADS-NEXT: scf.if [[IS_FIRST]] {
// THREADS-NEXT:   nvvm.barrier id = [[FIRST]] number_of_threads = [[COUNT]]

!memref0 = !nv_tileaa.memref<?x64xf16, strides = [64, 1]>
!tiled_view0 = !nv_tileaa.tiled_view<128x64, !memref0>
#mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#mma1 = #nv_tileas.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
    warp = [[16, 0], [32, 0], [64, 0]]>
#blocked0 = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
    warp = [[4, 0], [8, 0], [16, 0]]>
#blocked1 = #nv_tileas.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32], [0, 64]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]],
    warp = [[0, 4], [0, 8], [0, 16]]>
builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @kernels {
    gpu.func @attention(%pq: !llvm.ptr<1>, %pk: !llvm.ptr<1>, %pv: !llvm.ptr<1>, %po: !llvm.ptr<1>,
        %n: i32) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 8 : i32} {
      %qq = nv_tileaa.assume %pq {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tq = nv_tileaa.make_memref %qq sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vq = nv_tileaa.block_tile %tq {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %qk = nv_tileaa.assume %pk {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tk = nv_tileaa.make_memref %qk sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vk = nv_tileaa.block_tile %tk {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %qv = nv_tileaa.assume %pv {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %tv = nv_tileaa.make_memref %qv sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vv = nv_tileaa.block_tile %tv {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %qo = nv_tileaa.assume %po {predicate = #nv_tileaa.div_by<16>} : !llvm.ptr<1>
      %to = nv_tileaa.make_memref %qo sizes(%n : i32) : !llvm.ptr<1> -> !memref0
      %vo = nv_tileaa.block_tile %to {tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]} : !memref0 -> !tiled_view0
      %0 = gpu.block_id x
      %i = arith.index_cast %0 : index to i32
      %cst = arith.constant 0 : i32
      %cst_1 = arith.constant 1 : i32
      %1 = arith.constant 0.000000e+00 : f32
      %q = nv_tileas.tiled_load %vq[%i, %cst] {nv_tileaa.independent, nv_tileas.layout = #mma0, nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>,
          in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32 -> tensor<128x64xf16, #mma0>
      %cst_2 = nv_tileaa.splat %1 : f32 to tensor<128x64xf32, #mma0>
      %cst_3 = nv_tileaa.splat %1 : f32 to tensor<128x128xf32, #mma1>
      %sum = scf.for %x = %cst to %n step %cst_1 iter_args(%acc = %cst_2) -> (tensor<128x64xf32, #mma0>) : i32 {
        %k = nv_tileas.tiled_load %vk[%x, %cst] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #blocked0,
            nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32
            -> tensor<128x64xf16, #blocked0>
        %kt = nv_tileaa.permute %k {permutation = array<i32: 1, 0>} : tensor<128x64xf16, #blocked0> -> tensor<64x128xf16, #blocked1>
        %2 = arith.constant true
        %s = nv_tileas.dot %q, %kt, %cst_3, %2 {nv_tileas.layout = #mma1, nv_tileas.layout_a = #mma0, input_precision = "tf32",
            atom = #nv_tileas.atom<mma.sm90>} : tensor<128x64xf16, #mma0>, tensor<64x128xf16, #blocked1>, tensor<128x128xf32, #mma1>, i1
        %e = nv_tileaa.exp2 %s : tensor<128x128xf32, #mma1>
        %p = nv_tileaa.fp_to_fp %e : tensor<128x128xf32, #mma1> to tensor<128x128xf16, #mma1>
        %v = nv_tileas.tiled_load %vv[%x, %cst] {nv_tileaa.hoistable, nv_tileaa.independent, nv_tileas.layout = #blocked0,
            nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>, in_bounds = array<i1: false, true>} : !tiled_view0, i32, i32
            -> tensor<128x64xf16, #blocked0>
        %3 = arith.constant true
        %next = nv_tileas.dot %p, %v, %acc, %3 {nv_tileas.layout = #mma0, nv_tileas.layout_a = #mma1, input_precision = "tf32",
            atom = #nv_tileas.atom<mma.sm90>} : tensor<128x128xf16, #mma1>, tensor<128x64xf16, #blocked0>, tensor<128x64xf32, #mma0>, i1
        scf.yield %next : tensor<128x64xf32, #mma0>
      }
      %r = nv_tileaa.fp_to_fp %sum : tensor<128x64xf32, #mma0> to tensor<128x64xf16, #mma0>
      nv_tileas.tiled_store %r, %vo[%i, %cst] {atom = #nv_tileas.atom<tma_store>} : tensor<128x64xf16, #mma0>, !tiled_view0, i32, i32
      gpu.return
    }
  }
}
