// out = factor * in, for f32 matrices of any height and of a width that is a multiple of four.
// A block takes 32 rows, box by box: one thread has a box of 32 x 64 copied to shared memory, all
// wait for its bytes on a barrier and scale it in place, and the box is copied out.
"gpu.module"() <{sym_name = "kernels"}> ({
  "memref.global"() <{sym_name = "box", type = memref<32x64xf32, 3>, initial_value, sym_visibility = "private", alignment = 128 : i64}> : () -> ()

  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32, i32, f32, !nvgpu.tensormap.descriptor, !nvgpu.tensormap.descriptor) -> (), kernel}> ({
  ^entry(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %width: i32, %height: i32, %factor: f32, %in_map: !nvgpu.tensormap.descriptor, %out_map: !nvgpu.tensormap.descriptor):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %bytes = arith.constant 8192 : i32
    %ticks = arith.constant 1000000 : i32
    %even = arith.constant false
    %true = arith.constant true
    %factors = vector.broadcast %factor : f32 to vector<4xf32>
    %box = memref.get_global @box : memref<32x64xf32, 3>
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %row = arith.divui %thread, %c16 : index
    %lane = arith.remui %thread, %c16 : index
    %column = arith.muli %lane, %c4 : index
    %block = gpu.block_id x
    %y = arith.muli %block, %c32 : index
    %y32 = arith.index_cast %y : index to i32
    %end = arith.index_cast %width : i32 to index

    %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
    scf.if %is_first {
      nvgpu.tma.prefetch.descriptor %in_map : !nvgpu.tensormap.descriptor
      nvgpu.tma.prefetch.descriptor %out_map : !nvgpu.tensormap.descriptor
      nvgpu.mbarrier.init %bar, %one : !nvgpu.mbarrier, i32
      nvvm.fence.mbarrier.init
    }
    gpu.barrier

    %last = scf.for %x = %c0 to %end step %c64 iter_args(%phase = %even) -> (i1) {
      %x32 = arith.index_cast %x : index to i32
      scf.if %is_first {
        nvgpu.mbarrier.arrive.expect_tx %bar, %bytes : !nvgpu.mbarrier, i32
        nvgpu.tma.async.load %box[%x32, %y32], %bar, %in_map : memref<32x64xf32, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
      }
      scf.while : () -> () {
        %done = nvgpu.mbarrier.try_wait.parity %bar, %phase, %ticks : !nvgpu.mbarrier, i1, i32 -> i1
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      scf.for %r = %row to %c32 step %c8 {
        %before = vector.load %box[%r, %column] {alignment = 16 : i64} : memref<32x64xf32, 3>, vector<4xf32>
        %after = arith.mulf %before, %factors : vector<4xf32>
        vector.store %after, %box[%r, %column] {alignment = 16 : i64} : memref<32x64xf32, 3>, vector<4xf32>
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      scf.if %is_first {
        nvgpu.tma.async.store %box, %out_map[%x32, %y32] : memref<32x64xf32, 3>, !nvgpu.tensormap.descriptor
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0 {read}
      }
      %next = arith.xori %phase, %true : i1
      scf.yield %next : i1
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "tma_copy", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
