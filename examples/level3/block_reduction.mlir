// sums[block] = the sum of the elements that the block visits. Each thread adds up every
// (threads of the grid)-th vector of four elements, and the first threads what is left over; the
// lanes of a warp combine by shuffles, the warps of the block through shared memory.
"gpu.module"() <{sym_name = "kernels"}> ({
  "memref.global"() <{sym_name = "partial", type = memref<8xf32, 3>, initial_value, sym_visibility = "private", alignment = 16 : i64}> : () -> ()

  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%x: !llvm.ptr<1>, %sums: !llvm.ptr<1>, %n: i32):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %width = arith.constant 32 : i32
    %s16 = arith.constant 16 : i32
    %s8 = arith.constant 8 : i32
    %s4 = arith.constant 4 : i32
    %s2 = arith.constant 2 : i32
    %s1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : index
    %end = arith.index_cast %n : i32 to index
    %vectors = arith.divui %end, %c4 : index
    %partial = memref.get_global @partial : memref<8xf32, 3>
    %id = gpu.global_id x
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %blocks = gpu.grid_dim x
    %step = arith.muli %threads, %blocks : index
    %lane = gpu.lane_id
    %warp = arith.divui %thread, %c32 : index

    %sums4 = scf.for %i = %id to %vectors step %step iter_args(%before = %zeros) -> (vector<4xf32>) {
      %first = arith.muli %i, %c4 : index
      %at = arith.index_cast %first : index to i64
      %p = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      %after = arith.addf %before, %v : vector<4xf32>
      scf.yield %after : vector<4xf32>
    }
    %sum4 = vector.reduction <add>, %sums4 : vector<4xf32> into f32
    %done = arith.muli %vectors, %c4 : index
    %mine_left = arith.addi %done, %id : index
    %has_left = arith.cmpi slt, %mine_left, %end : index
    %sum = scf.if %has_left -> (f32) {
      %at = arith.index_cast %mine_left : index to i64
      %p = llvm.getelementptr inbounds %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      %after = arith.addf %sum4, %v : f32
      scf.yield %after : f32
    } else {
      scf.yield %sum4 : f32
    }

    %o16, %k16 = gpu.shuffle xor %sum, %s16, %width : f32
    %t16 = arith.addf %sum, %o16 : f32
    %o8, %k8 = gpu.shuffle xor %t16, %s8, %width : f32
    %t8 = arith.addf %t16, %o8 : f32
    %o4, %k4 = gpu.shuffle xor %t8, %s4, %width : f32
    %t4 = arith.addf %t8, %o4 : f32
    %o2, %k2 = gpu.shuffle xor %t4, %s2, %width : f32
    %t2 = arith.addf %t4, %o2 : f32
    %o1, %k1 = gpu.shuffle xor %t2, %s1, %width : f32
    %t1 = arith.addf %t2, %o1 : f32

    %is_first_lane = arith.cmpi eq, %lane, %c0 : index
    scf.if %is_first_lane {
      memref.store %t1, %partial[%warp] : memref<8xf32, 3>
    }
    gpu.barrier
    %is_first_warp = arith.cmpi eq, %warp, %c0 : index
    scf.if %is_first_warp {
      %has_partial = arith.cmpi ult, %lane, %c8 : index
      %mine = scf.if %has_partial -> (f32) {
        %v = memref.load %partial[%lane] : memref<8xf32, 3>
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      %total = "gpu.subgroup_reduce"(%mine) {op = #gpu<all_reduce_op add>, uniform} : (f32) -> f32
      scf.if %is_first_lane {
        %block = gpu.block_id x
        %at = arith.index_cast %block : index to i64
        %p = llvm.getelementptr inbounds %sums[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        llvm.store %total, %p : f32, !llvm.ptr<1>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "block_reduction", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()
