// out[i] = (x[i + 3] + x[i + 4] + x[i + 5]) / 3: the mean of three neighbours, where x has a margin
// of four elements on both sides. A block walks through tiles of 512 elements; while it computes
// one, the next is on its way to the other buffer.
"gpu.module"() <{sym_name = "kernels"}> ({
  "memref.global"() <{sym_name = "buffers", type = memref<2x520xf32, 3>, initial_value, sym_visibility = "private", alignment = 16 : i64}> : () -> ()

  "gpu.func"() <{function_type = (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> (), kernel}> ({
  ^entry(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %tiles: i32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %c512 = arith.constant 512 : index
    %size = arith.constant 16 : i32
    %third = arith.constant dense<0.333333343> : vector<4xf32>
    %buffers = memref.get_global @buffers : memref<2x520xf32, 3>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %count = arith.index_cast %tiles : i32 to index
    %first = arith.muli %block, %count : index
    %mine = arith.muli %thread, %c4 : index
    %margin = arith.addi %c512, %mine : index
    %has_margin = arith.cmpi ult, %thread, %c2 : index

    // One turn more than there are tiles: turn t begins the copy of tile t and computes tile t - 1.
    %turns = arith.addi %count, %c1 : index
    scf.for %turn = %c0 to %turns step %c1 {
      %is_copy = arith.cmpi slt, %turn, %count : index
      scf.if %is_copy {
        %buffer = arith.remui %turn, %c2 : index
        %tile = arith.addi %first, %turn : index
        %start = arith.muli %tile, %c512 : index
        %from = arith.addi %start, %mine : index
        %from64 = arith.index_cast %from : index to i64
        %src = llvm.getelementptr inbounds %x[%from64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %dst = memref.subview %buffers[%buffer, %mine] [1, 4] [1, 1] : memref<2x520xf32, 3> to memref<1x4xf32, strided<[520, 1], offset: ?>, 3>
        %token = nvgpu.device_async_copy %src, %dst, %size {bypassL1} : !llvm.ptr<1>, memref<1x4xf32, strided<[520, 1], offset: ?>, 3>, i32 -> !nvgpu.token
        scf.if %has_margin {
          %src2 = llvm.getelementptr inbounds %src[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
          %dst2 = memref.subview %buffers[%buffer, %margin] [1, 4] [1, 1] : memref<2x520xf32, 3> to memref<1x4xf32, strided<[520, 1], offset: ?>, 3>
          %token2 = nvgpu.device_async_copy %src2, %dst2, %size {bypassL1} : !llvm.ptr<1>, memref<1x4xf32, strided<[520, 1], offset: ?>, 3>, i32 -> !nvgpu.token
        }
      }
      %group = nvgpu.device_async_create_group : () -> !nvgpu.token
      nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
      gpu.barrier
      %is_tile = arith.cmpi sgt, %turn, %c0 : index
      scf.if %is_tile {
        %previous = arith.subi %turn, %c1 : index
        %buffer = arith.remui %previous, %c2 : index
        %i3 = arith.addi %mine, %c3 : index
        %i4 = arith.addi %mine, %c4 : index
        %i5 = arith.addi %mine, %c5 : index
        %i8 = arith.addi %mine, %c8 : index
        %left = memref.load %buffers[%buffer, %i3] : memref<2x520xf32, 3>
        %middle = vector.load %buffers[%buffer, %i4] {alignment = 16 : i64} : memref<2x520xf32, 3>, vector<4xf32>
        %right = memref.load %buffers[%buffer, %i8] : memref<2x520xf32, 3>
        %m0 = vector.extract %middle[0] : f32 from vector<4xf32>
        %m1 = vector.extract %middle[1] : f32 from vector<4xf32>
        %m2 = vector.extract %middle[2] : f32 from vector<4xf32>
        %m3 = vector.extract %middle[3] : f32 from vector<4xf32>
        %lefts = vector.from_elements %left, %m0, %m1, %m2 : vector<4xf32>
        %rights = vector.from_elements %m1, %m2, %m3, %right : vector<4xf32>
        %two = arith.addf %lefts, %middle : vector<4xf32>
        %three = arith.addf %two, %rights : vector<4xf32>
        %mean = arith.mulf %three, %third : vector<4xf32>
        %tile = arith.addi %first, %previous : index
        %start = arith.muli %tile, %c512 : index
        %to = arith.addi %start, %mine : index
        %to64 = arith.index_cast %to : index to i64
        %p = llvm.getelementptr inbounds %out[%to64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        llvm.store %mean, %p {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
      }
      gpu.barrier
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "cp_async_stencil", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
