// C = A B, A of 4096 x k and B of k x 4096 in f16, C in f32; k is a multiple of 64. A block of four
// warps computes 128 x 128 elements of C. Tensor maps bring 128 x 64 elements of A and 64 x 128 of B
// (as two boxes of 64 x 64) to one of three slots of shared memory, with a swizzle of 128 bytes;
// two slots are on their way while the third is multiplied.
"gpu.module"() <{sym_name = "kernels"}> ({
  "memref.global"() <{sym_name = "slots", type = memref<98304xi8, 3>, initial_value, sym_visibility = "private", alignment = 1024 : i64}> : () -> ()

  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, memref<4096x4096xf32, 1>, i32, !nvgpu.tensormap.descriptor, !nvgpu.tensormap.descriptor) -> (), kernel}> ({
  ^entry(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: memref<4096x4096xf32, 1>, %k: i32, %a_map: !nvgpu.tensormap.descriptor, %b_map: !nvgpu.tensormap.descriptor):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %slot_bytes = arith.constant 32768 : index
    %b_offset = arith.constant 16384 : index
    %b_half = arith.constant 24576 : index
    %half = arith.constant 64 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 32768 : i32
    %ticks = arith.constant 1000000 : i32
    %even = arith.constant false
    %true = arith.constant true
    %slots = memref.get_global @slots : memref<98304xi8, 3>
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %block_n = gpu.block_id x
    %block_m = gpu.block_id y
    %n = arith.muli %block_n, %c128 : index
    %m = arith.muli %block_m, %c128 : index
    %n32 = arith.index_cast %n : index to i32
    %n_half = arith.addi %n32, %half : i32
    %m32 = arith.index_cast %m : index to i32
    %end = arith.index_cast %k : i32 to index
    %steps = arith.divui %end, %c64 : index

    %group = nvgpu.mbarrier.create : !nvgpu.mbarrier.group<num_barriers = 3>
    %bars = builtin.unrealized_conversion_cast %group : !nvgpu.mbarrier.group<num_barriers = 3> to !llvm.ptr<3>
    scf.if %is_first {
      nvgpu.tma.prefetch.descriptor %a_map : !nvgpu.tensormap.descriptor
      nvgpu.tma.prefetch.descriptor %b_map : !nvgpu.tensormap.descriptor
      scf.for %i = %c0 to %c3 step %c1 {
        %i64 = arith.index_cast %i : index to i64
        %p = llvm.getelementptr inbounds %bars[%i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !nvgpu.mbarrier
        nvgpu.mbarrier.init %bar, %one : !nvgpu.mbarrier, i32
      }
      nvvm.fence.mbarrier.init
    }
    gpu.barrier

    // Two turns more than there are steps along k: turn t begins to copy step t, and multiplies
    // step t - 2, whose slot is that of step t + 1.
    %zero = nvgpu.warpgroup.mma.init.accumulator -> vector<128xf32>
    %turns = arith.addi %steps, %c2 : index
    %product, %last_slot, %last_phase = scf.for %turn = %c0 to %turns step %c1 iter_args(%before = %zero, %slot = %c0, %phase = %even) -> (vector<128xf32>, index, i1) {
      %is_copy = arith.cmpi slt, %turn, %steps : index
      %copies = arith.andi %is_copy, %is_first : i1
      scf.if %copies {
        %to = arith.remui %turn, %c3 : index
        %to64 = arith.index_cast %to : index to i64
        %p = llvm.getelementptr inbounds %bars[%to64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !nvgpu.mbarrier
        %at = arith.muli %turn, %c64 : index
        %at32 = arith.index_cast %at : index to i32
        %a_at = arith.muli %to, %slot_bytes : index
        %b_at = arith.addi %a_at, %b_offset : index
        %b_at2 = arith.addi %a_at, %b_half : index
        %a_dst = memref.view %slots[%a_at][] : memref<98304xi8, 3> to memref<128x64xf16, 3>
        %b_dst = memref.view %slots[%b_at][] : memref<98304xi8, 3> to memref<64x64xf16, 3>
        %b_dst2 = memref.view %slots[%b_at2][] : memref<98304xi8, 3> to memref<64x64xf16, 3>
        nvgpu.mbarrier.arrive.expect_tx %bar, %bytes : !nvgpu.mbarrier, i32
        nvgpu.tma.async.load %a_dst[%at32, %m32], %bar, %a_map : memref<128x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
        nvgpu.tma.async.load %b_dst[%n32, %at32], %bar, %b_map : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
        nvgpu.tma.async.load %b_dst2[%n_half, %at32], %bar, %b_map : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
      }
      %is_product = arith.cmpi sge, %turn, %c2 : index
      %after, %next_slot, %next_phase = scf.if %is_product -> (vector<128xf32>, index, i1) {
        %slot64 = arith.index_cast %slot : index to i64
        %p = llvm.getelementptr inbounds %bars[%slot64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %bar = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to !nvgpu.mbarrier
        scf.while : () -> () {
          %done = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %a_at = arith.muli %slot, %slot_bytes : index
        %b_at = arith.addi %a_at, %b_offset : index
        %a_tile = memref.view %slots[%a_at][] : memref<98304xi8, 3> to memref<128x64xf16, 3>
        %b_tile = memref.view %slots[%b_at][] : memref<98304xi8, 3> to memref<2x64x64xf16, 3>
        // A has k innermost: 8 rows of 128 bytes are 1024 bytes, 16 elements along k are 32 bytes.
        // B has n innermost: 64 columns are 8192 bytes, 16 rows along k are 2048 bytes.
        %a_desc = nvgpu.warpgroup.generate.descriptor %a_tile {leading_byte_offset = 16 : i64, matrix_stride = 1024 : i64, swizzle_base = 0 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : memref<128x64xf16, 3> -> i64
        %b_desc = nvgpu.warpgroup.generate.descriptor %b_tile {leading_byte_offset = 8192 : i64, matrix_stride = 1024 : i64, swizzle_base = 0 : i64, swizzle_mode = #nvgpu<swizzle 128B>} : memref<2x64x64xf16, 3> -> i64
        %sum = nvgpu.warpgroup.mma %a_desc, %b_desc, %before {shape = [64, 128, 16], types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64, m_tiles = 2 : i32, a_tile_step = 512 : i64} : i64, i64, vector<128xf32>
        gpu.barrier
        %wrapped = arith.cmpi eq, %slot, %c2 : index
        %up = arith.addi %slot, %c1 : index
        %new_slot = arith.select %wrapped, %c0, %up : index
        %new_phase = arith.xori %phase, %wrapped : i1
        scf.yield %sum, %new_slot, %new_phase : vector<128xf32>, index, i1
      } else {
        scf.yield %before, %slot, %phase : vector<128xf32>, index, i1
      }
      scf.yield %after, %next_slot, %next_phase : vector<128xf32>, index, i1
    }
    %tile = memref.subview %c[%m, %n] [128, 128] [1, 1] : memref<4096x4096xf32, 1> to memref<128x128xf32, strided<[4096, 1], offset: ?>, 1>
    nvgpu.warpgroup.mma.store %product, %tile : vector<128xf32> to memref<128x128xf32, strided<[4096, 1], offset: ?>, 1>
    "gpu.return"() : () -> ()
  }) {sym_name = "wgmma_matmul", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
