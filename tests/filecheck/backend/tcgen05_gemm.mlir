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
!tensor = !nvgpu.tensor_memory<columns = 128>

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
    %c5 = arith.constant 5 : i32
    %c21 = arith.constant 21 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %bytes = arith.constant 32768 : i32
    %ticks = arith.constant 10000000 : i32
    %everyone = arith.constant -1 : i32
    %true = arith.constant true
    %even = arith.constant false

    %shared = llvm.mlir.addressof @shared : !shared
    %tile_b = llvm.getelementptr %shared[16384] : (!shared) -> !shared, i8
    %tile_b1 = llvm.getelementptr %shared[24576] : (!shared) -> !shared, i8
    %at_full = llvm.getelementptr %shared[32768] : (!shared) -> !shared, i8
    %at_empty = llvm.getelementptr %shared[32776] : (!shared) -> !shared, i8
    %at_done = llvm.getelementptr %shared[32784] : (!shared) -> !shared, i8
    %slot = llvm.getelementptr %shared[32792] : (!shared) -> !shared, i8
    %full = nvgpu.mbarrier.at %at_full : !shared -> !nvgpu.mbarrier
    %empty = nvgpu.mbarrier.at %at_empty : !shared -> !nvgpu.mbarrier
    %done = nvgpu.mbarrier.at %at_done : !shared -> !nvgpu.mbarrier

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
      nvgpu.mbarrier.init %full, %c1 : !nvgpu.mbarrier, i32
      nvgpu.mbarrier.init %empty, %c1 : !nvgpu.mbarrier, i32
      nvgpu.mbarrier.init %done, %c1 : !nvgpu.mbarrier, i32
      nvgpu.mbarrier.init.fence
    }
    %is_first = arith.cmpi eq, %warp, %c0 : i32
    scf.if %is_first {
      nvgpu.tcgen05.alloc %slot {columns = 128 : i32} : !shared
      nvgpu.tcgen05.relinquish_alloc_permit
    }
    nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
    gpu.barrier
    nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
    %address = llvm.load %slot : !shared -> i32
    %accumulator = nvgpu.tensor_memory.at %address : i32 -> !tensor

    scf.if %is_first {
      %is_elected = nvvm.elect.sync -> i1
      scf.if %is_elected {
        %desc_a = nvgpu.tcgen05.generate.descriptor %shared {leading_byte_offset = 16 : i64, stride_byte_offset = 1024 : i64, swizzle = "128B"} : !shared -> i64
        %desc_b = nvgpu.tcgen05.generate.descriptor %tile_b {leading_byte_offset = 8192 : i64, stride_byte_offset = 1024 : i64, swizzle = "128B"} : !shared -> i64
        scf.for %i = %c0 to %k step %c64 iter_args(%phase = %even) -> (i1) : i32 {
          // The tiles are free when the products of the step before are complete; a fresh barrier says so of itself.
          %before = arith.xori %phase, %true : i1
          scf.while () : () -> () {
            %is_free = nvgpu.mbarrier.try_wait.parity %empty, %before, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
            %again = arith.xori %is_free, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          nvgpu.mbarrier.arrive.expect_tx %full, %bytes : !nvgpu.mbarrier, i32
          nvgpu.tma.async.load %shared[%i, %row], %full, %map_a : !shared, !nvgpu.mbarrier, !llvm.ptr
          nvgpu.tma.async.load %tile_b[%column, %i], %full, %map_b : !shared, !nvgpu.mbarrier, !llvm.ptr
          nvgpu.tma.async.load %tile_b1[%column1, %i], %full, %map_b : !shared, !nvgpu.mbarrier, !llvm.ptr
          scf.while () : () -> () {
            %is_full = nvgpu.mbarrier.try_wait.parity %full, %phase, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
            %again = arith.xori %is_full, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
          nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
          %adds = arith.cmpi ne, %i, %c0 : i32
          nvgpu.tcgen05.mma %accumulator, %desc_a, %desc_b, %adds {kind = #nvvm.tcgen05_mma_kind<f16>, shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64} : !tensor, i64
          nvgpu.tcgen05.commit %empty : !nvgpu.mbarrier
          scf.yield %before : i1
        }
        nvgpu.tcgen05.commit %done : !nvgpu.mbarrier
      }
      nvvm.bar.warp.sync %everyone : i32
    }

    scf.while () : () -> () {
      %is_done = nvgpu.mbarrier.try_wait.parity %done, %even, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
      %again = arith.xori %is_done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}

    // Warp w has lanes 32 w and on: of the address, bits 16 and on.
    %lanes = arith.shli %warp, %c21 : i32
    %mine = arith.addi %address, %lanes : i32
    %my_row = arith.addi %row, %thread : i32
    %row_start = arith.muli %my_row, %n : i32
    %start = arith.addi %row_start, %column : i32
    scf.for %j = %c0 to %c128 step %c32 : i32 {
      %at = arith.addi %mine, %j : i32
      %part = nvgpu.tensor_memory.at %at : i32 -> !nvgpu.tensor_memory
      %values = nvgpu.tcgen05.ld %part {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : !nvgpu.tensor_memory -> vector<32xf32>
      nvgpu.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}
      %to = arith.addi %start, %j : i32
      %out = llvm.getelementptr %c[%to] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      llvm.store %values, %out {alignment = 16 : i64} : vector<32xf32>, !llvm.ptr<1>
    }

    nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}
    gpu.barrier
    nvgpu.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}
    scf.if %is_first {
      nvgpu.tcgen05.dealloc %accumulator {columns = 128 : i32} : !tensor
    }
    gpu.return
  }
}
