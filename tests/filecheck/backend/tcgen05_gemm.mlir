// RUN: tileiras-opt %s -p convert-scf-while-to-cf,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvgpu-to-nvvm,convert-to-llvm -t 'ptx{arch=sm_100a}' | filecheck %s

// C[M, N] = A[M, K] * B[K, N], f16 in row-major order, C in f32: a CTA of four warps computes a tile of 128 x 128. One thread of
// warp 0 loads tiles of 64 along K by TMA, and multiplies them; the accumulator is in tensor memory, where each thread finds a row.
// `tests/pytest/backend/test_tcgen05.py` assembles it.

// CHECK:     .visible .entry gemm(
// CHECK:     mbarrier.init.shared.b64
// CHECK:     tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [shared+32792], %r{{[0-9]+}};
// CHECK:     tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// CHECK:     tcgen05.fence::before_thread_sync;
// CHECK:     bar.sync 0;
// CHECK:     tcgen05.fence::after_thread_sync;
// CHECK:     elect.sync
// CHECK:     mbarrier.arrive.expect_tx
// CHECK:     cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK:     tcgen05.fence::after_thread_sync;
// The constants of descriptors, and what they grow by, are added where they are needed.
// CHECK:     add.u32 l1, %r{{[0-9]+}}, 0x10000; mov.b64 d1, {l1, 0x40004040};
// CHECK-SAME: add.u32 l2, %r{{[0-9]+}}, 0x2000000; mov.b64 d2, {l2, 0x40004040};
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16 [%r{{[0-9]+}}], d1, d2, %r{{[0-9]+}}, %p{{[0-9]+}};
// CHECK:     add.u32 l1, %r{{[0-9]+}}, 0x10002; {{.*}}, 0x2000080; {{.*}}tcgen05.mma.cta_group::1.kind::f16
// CHECK:     add.u32 l1, %r{{[0-9]+}}, 0x10004; {{.*}}, 0x2000100; {{.*}}tcgen05.mma.cta_group::1.kind::f16
// CHECK:     add.u32 l1, %r{{[0-9]+}}, 0x10006; {{.*}}, 0x2000180; {{.*}}tcgen05.mma.cta_group::1.kind::f16
// CHECK-NOT: tcgen05.mma
// CHECK:     tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK:     tcgen05.commit
// CHECK:     tcgen05.fence::after_thread_sync;
// CHECK:     tcgen05.ld.sync.aligned.32x32b.x32.b32
// CHECK:     tcgen05.wait::ld.sync.aligned;
// CHECK:     tcgen05.fence::before_thread_sync;
// CHECK:     tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r{{[0-9]+}}, %r{{[0-9]+}};

!shared = !llvm.ptr<3>
!tensor = !llvm.ptr<6>

gpu.module @kernels {
  // A tile of A, 128 rows of 64; of B, two of 64 rows of 64; three mbarriers; the address of the accumulator.
  llvm.mlir.global internal @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<32800 x i8>

  gpu.func @gemm(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %m: i32, %n: i32, %k: i32, %map_a: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %map_b: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) kernel attributes {
      gpu.known_block_size = array<i32: 128, 1, 1>,
      nvgpu.host_maps = [
        {element = f16, base = 0 : i64, box = array<i64: 64, 128>, swizzle = 128 : i64, sizes = [array<i64: 1, 5>, array<i64: 1, 3>], strides = [array<i64: 2, 5>]},
        {element = f16, base = 1 : i64, box = array<i64: 64, 64>, swizzle = 128 : i64, sizes = [array<i64: 1, 4>, array<i64: 1, 5>], strides = [array<i64: 2, 4>]}]} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c21 = arith.constant 21 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %bytes = arith.constant 32768 : i32
    %mask = arith.constant 262143 : i32
    %idesc = arith.constant 136380432 : i32
    %ticks = arith.constant 10000000 : i32
    %everyone = arith.constant -1 : i32
    %true = arith.constant true
    %even = arith.constant false

    %shared = llvm.mlir.addressof @shared : !shared
    %tile_b = llvm.getelementptr %shared[16384] : (!shared) -> !shared, i8
    %tile_b1 = llvm.getelementptr %shared[24576] : (!shared) -> !shared, i8
    %full = llvm.getelementptr %shared[32768] : (!shared) -> !shared, i8
    %empty = llvm.getelementptr %shared[32776] : (!shared) -> !shared, i8
    %done = llvm.getelementptr %shared[32784] : (!shared) -> !shared, i8
    %slot = llvm.getelementptr %shared[32792] : (!shared) -> !shared, i8

    %thread_index = gpu.thread_id x
    %thread = arith.index_cast %thread_index : index to i32
    %some_warp = arith.shrui %thread, %c5 : i32
    %warp = nvvm.shfl.sync idx %everyone, %some_warp, %c0, %c31 : i32 -> i32
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %x = arith.index_cast %block_x : index to i32
    %y = arith.index_cast %block_y : index to i32
    %row = arith.muli %y, %c128 : i32
    %column = arith.muli %x, %c128 : i32
    %column1 = arith.addi %column, %c64 : i32

    %leads = arith.cmpi eq, %thread, %c0 : i32
    scf.if %leads {
      nvvm.mbarrier.init.shared %full, %c1 : !shared, i32
      nvvm.mbarrier.init.shared %empty, %c1 : !shared, i32
      nvvm.mbarrier.init.shared %done, %c1 : !shared, i32
      nvvm.fence.mbarrier.init
    }
    %is_first = arith.cmpi eq, %warp, %c0 : i32
    scf.if %is_first {
      nvvm.tcgen05.alloc %slot, %c128 : !shared, i32
      nvvm.tcgen05.relinquish_alloc_permit
    }
    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
    gpu.barrier
    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
    %address = llvm.load %slot : !shared -> i32
    %accumulator = llvm.inttoptr %address : i32 to !tensor

    scf.if %is_first {
      %is_elected = nvvm.elect.sync -> i1
      scf.if %is_elected {
        // Descriptors: bits 4 to 17 of the address of a matrix, and constants: its strides, a swizzle of 128 bytes.
        %bits_a = arith.constant 4611756662049538048 : i64
        %bits_b = arith.constant 4611756662083026944 : i64
        %address_a = llvm.ptrtoint %shared : !shared to i32
        %masked_a = arith.andi %address_a, %mask : i32
        %units_a = arith.shrui %masked_a, %c4 : i32
        %wide_a = arith.extui %units_a : i32 to i64
        %desc_a = arith.ori %bits_a, %wide_a : i64
        %address_b = llvm.ptrtoint %tile_b : !shared to i32
        %masked_b = arith.andi %address_b, %mask : i32
        %units_b = arith.shrui %masked_b, %c4 : i32
        %wide_b = arith.extui %units_b : i32 to i64
        %desc_b = arith.ori %bits_b, %wide_b : i64
        scf.for %i = %c0 to %k step %c64 iter_args(%phase = %even) -> (i1) : i32 {
          // The tiles are free when the products of the step before are complete; a fresh barrier says so of itself.
          %before = arith.xori %phase, %true : i1
          scf.while : () -> () {
            %is_free = nvvm.mbarrier.try_wait.parity.shared %empty, %before, %ticks : !shared, i1, i32 -> i1
            %again = arith.xori %is_free, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          nvvm.mbarrier.arrive.expect_tx.shared %full, %bytes : !shared, i32
          nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %shared, %map_a, %i, %row, %full : !shared, !llvm.ptr, i32, i32, !shared
          nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %tile_b, %map_b, %column, %i, %full : !shared, !llvm.ptr, i32, i32, !shared
          nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %tile_b1, %map_b, %column1, %i, %full : !shared, !llvm.ptr, i32, i32, !shared
          scf.while : () -> () {
            %is_full = nvvm.mbarrier.try_wait.parity.shared %full, %phase, %ticks : !shared, i1, i32 -> i1
            %again = arith.xori %is_full, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
          %adds = arith.cmpi ne, %i, %c0 : i32
          nvvm.tcgen05.mma %accumulator, %desc_a, %desc_b, %idesc, %adds {kind = #nvvm.tcgen05_mma_kind<f16>, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : !tensor, i64
          nvvm.tcgen05.commit %empty : !shared
          scf.yield %before : i1
        }
        nvvm.tcgen05.commit %done : !shared
      }
      nvvm.bar.warp.sync %everyone : i32
    }

    scf.while : () -> () {
      %is_done = nvvm.mbarrier.try_wait.parity.shared %done, %even, %ticks : !shared, i1, i32 -> i1
      %again = arith.xori %is_done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}

    // Warp w has lanes 32 w and on: of the address, bits 16 and on.
    %lanes = arith.shli %warp, %c21 : i32
    %mine = arith.addi %address, %lanes : i32
    %my_row = arith.addi %row, %thread : i32
    %row_start = arith.muli %my_row, %n : i32
    %start = arith.addi %row_start, %column : i32
    scf.for %j = %c0 to %c128 step %c32 : i32 {
      %at = arith.addi %mine, %j : i32
      %part = llvm.inttoptr %at : i32 to !tensor
      %values = nvvm.tcgen05.ld %part {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !tensor -> vector<32xf32>
      nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
      %to = arith.addi %start, %j : i32
      %out = llvm.getelementptr %c[%to] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %values, %out {alignment = 16 : i64} : vector<32xf32>, !llvm.ptr<1>
    }

    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
    gpu.barrier
    nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
    scf.if %is_first {
      nvvm.tcgen05.dealloc %accumulator, %c128 : !tensor, i32
    }
    gpu.return
  }
}
