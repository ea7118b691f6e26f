// C = A B for 2048 x 2048 matrices, A and B in f16, C in f32. A block of four warps computes 64 x 64
// elements of C, each warp 32 x 32 of them as 2 x 4 products of 16 x 8 x 16. Rows of the tiles in
// shared memory are padded by 16 bytes, so that ldmatrix reads eight of them without conflicts.
"gpu.module"() <{sym_name = "kernels"}> ({
  "memref.global"() <{sym_name = "a_tile", type = memref<64x40xf16, 3>, initial_value, sym_visibility = "private", alignment = 16 : i64}> : () -> ()
  "memref.global"() <{sym_name = "b_tile", type = memref<32x72xf16, 3>, initial_value, sym_visibility = "private", alignment = 16 : i64}> : () -> ()

  "gpu.func"() <{function_type = (memref<2048x2048xf16, 1>, memref<2048x2048xf16, 1>, memref<2048x2048xf32, 1>) -> (), kernel}> ({
  ^entry(%a: memref<2048x2048xf16, 1>, %b: memref<2048x2048xf16, 1>, %c: memref<2048x2048xf32, 1>):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %k = arith.constant 2048 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %a_tile = memref.get_global @a_tile : memref<64x40xf16, 3>
    %b_tile = memref.get_global @b_tile : memref<32x72xf16, 3>
    %thread = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = arith.divui %thread, %c32 : index
    %block_n = gpu.block_id x
    %block_m = gpu.block_id y
    %m = arith.muli %block_m, %c64 : index
    %n = arith.muli %block_n, %c64 : index
    %warp_y = arith.divui %warp, %c2 : index
    %warp_x = arith.remui %warp, %c2 : index
    %warp_m = arith.muli %warp_y, %c32 : index
    %warp_n = arith.muli %warp_x, %c32 : index

    // What a thread copies: two times eight elements of each tile.
    %a_row = arith.divui %thread, %c4 : index
    %a_lane = arith.remui %thread, %c4 : index
    %a_column = arith.muli %a_lane, %c8 : index
    %a_row2 = arith.addi %a_row, %c32 : index
    %b_row = arith.divui %thread, %c8 : index
    %b_lane = arith.remui %thread, %c8 : index
    %b_column = arith.muli %b_lane, %c8 : index
    %b_row2 = arith.addi %b_row, %c16 : index
    %a_from = arith.addi %m, %a_row : index
    %a_from2 = arith.addi %m, %a_row2 : index
    %b_from = arith.addi %n, %b_column : index

    // The row of eight elements whose address a lane gives to ldmatrix.
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %am0 = arith.addi %warp_m, %row : index
    %am1 = arith.addi %am0, %c16 : index
    %bn0 = arith.addi %warp_n, %column : index
    %bn1 = arith.addi %bn0, %c16 : index

    %d00, %d01, %d02, %d03, %d10, %d11, %d12, %d13 = scf.for %start = %c0 to %k step %c32 iter_args(%x00 = %zero, %x01 = %zero, %x02 = %zero, %x03 = %zero, %x10 = %zero, %x11 = %zero, %x12 = %zero, %x13 = %zero) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
      %a_at = arith.addi %start, %a_column : index
      %b_at = arith.addi %start, %b_row : index
      %b_at2 = arith.addi %start, %b_row2 : index
      %va = vector.load %a[%a_from, %a_at] {alignment = 16 : i64} : memref<2048x2048xf16, 1>, vector<8xf16>
      %va2 = vector.load %a[%a_from2, %a_at] {alignment = 16 : i64} : memref<2048x2048xf16, 1>, vector<8xf16>
      %vb = vector.load %b[%b_at, %b_from] {alignment = 16 : i64} : memref<2048x2048xf16, 1>, vector<8xf16>
      %vb2 = vector.load %b[%b_at2, %b_from] {alignment = 16 : i64} : memref<2048x2048xf16, 1>, vector<8xf16>
      gpu.barrier
      vector.store %va, %a_tile[%a_row, %a_column] {alignment = 16 : i64} : memref<64x40xf16, 3>, vector<8xf16>
      vector.store %va2, %a_tile[%a_row2, %a_column] {alignment = 16 : i64} : memref<64x40xf16, 3>, vector<8xf16>
      vector.store %vb, %b_tile[%b_row, %b_column] {alignment = 16 : i64} : memref<32x72xf16, 3>, vector<8xf16>
      vector.store %vb2, %b_tile[%b_row2, %b_column] {alignment = 16 : i64} : memref<32x72xf16, 3>, vector<8xf16>
      gpu.barrier
      %z00, %z01, %z02, %z03, %z10, %z11, %z12, %z13 = scf.for %step = %c0 to %c32 step %c16 iter_args(%y00 = %x00, %y01 = %x01, %y02 = %x02, %y03 = %x03, %y10 = %x10, %y11 = %x11, %y12 = %x12, %y13 = %x13) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
        %a_k = arith.addi %step, %column : index
        %b_k = arith.addi %step, %row : index
        %pa0 = memref.subview %a_tile[%am0, %a_k] [1, 8] [1, 1] : memref<64x40xf16, 3> to memref<1x8xf16, strided<[40, 1], offset: ?>, 3>
        %ra0 = nvgpu.ldmatrix %pa0 {num = 4 : i32, transpose = false} : memref<1x8xf16, strided<[40, 1], offset: ?>, 3> -> vector<4xi32>
        %a0 = vector.bitcast %ra0 : vector<4xi32> to vector<8xf16>
        %pa1 = memref.subview %a_tile[%am1, %a_k] [1, 8] [1, 1] : memref<64x40xf16, 3> to memref<1x8xf16, strided<[40, 1], offset: ?>, 3>
        %ra1 = nvgpu.ldmatrix %pa1 {num = 4 : i32, transpose = false} : memref<1x8xf16, strided<[40, 1], offset: ?>, 3> -> vector<4xi32>
        %a1 = vector.bitcast %ra1 : vector<4xi32> to vector<8xf16>
        %pb0 = memref.subview %b_tile[%b_k, %bn0] [1, 8] [1, 1] : memref<32x72xf16, 3> to memref<1x8xf16, strided<[72, 1], offset: ?>, 3>
        %rb0 = nvgpu.ldmatrix %pb0 {num = 4 : i32, transpose = true} : memref<1x8xf16, strided<[72, 1], offset: ?>, 3> -> vector<4xi32>
        %bb0 = vector.bitcast %rb0 : vector<4xi32> to vector<8xf16>
        %b0 = vector.extract_strided_slice %bb0 {offsets = [0], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
        %b1 = vector.extract_strided_slice %bb0 {offsets = [4], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
        %pb1 = memref.subview %b_tile[%b_k, %bn1] [1, 8] [1, 1] : memref<32x72xf16, 3> to memref<1x8xf16, strided<[72, 1], offset: ?>, 3>
        %rb1 = nvgpu.ldmatrix %pb1 {num = 4 : i32, transpose = true} : memref<1x8xf16, strided<[72, 1], offset: ?>, 3> -> vector<4xi32>
        %bb1 = vector.bitcast %rb1 : vector<4xi32> to vector<8xf16>
        %b2 = vector.extract_strided_slice %bb1 {offsets = [0], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
        %b3 = vector.extract_strided_slice %bb1 {offsets = [4], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
        %w00 = nvgpu.mma.sync(%a0, %b0, %y00) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w01 = nvgpu.mma.sync(%a0, %b1, %y01) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w02 = nvgpu.mma.sync(%a0, %b2, %y02) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w03 = nvgpu.mma.sync(%a0, %b3, %y03) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w10 = nvgpu.mma.sync(%a1, %b0, %y10) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w11 = nvgpu.mma.sync(%a1, %b1, %y11) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w12 = nvgpu.mma.sync(%a1, %b2, %y12) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %w13 = nvgpu.mma.sync(%a1, %b3, %y13) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        scf.yield %w00, %w01, %w02, %w03, %w10, %w11, %w12, %w13 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
      }
      scf.yield %z00, %z01, %z02, %z03, %z10, %z11, %z12, %z13 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
    }

    // A lane holds two neighbours in row lane / 4 of a product, and two in the row eight below.
    %quad = arith.divui %lane, %c4 : index
    %pair = arith.remui %lane, %c4 : index
    %right = arith.muli %pair, %c2 : index
    %c24 = arith.constant 24 : index
    %top = arith.addi %m, %warp_m : index
    %left = arith.addi %n, %warp_n : index
    %r0 = arith.addi %top, %quad : index
    %r1 = arith.addi %r0, %c8 : index
    %r2 = arith.addi %r0, %c16 : index
    %r3 = arith.addi %r0, %c24 : index
    %n0 = arith.addi %left, %right : index
    %n1 = arith.addi %n0, %c8 : index
    %n2 = arith.addi %n0, %c16 : index
    %n3 = arith.addi %n0, %c24 : index
    %s000 = vector.extract_strided_slice %d00 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s000, %c[%r0, %n0] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s001 = vector.extract_strided_slice %d00 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s001, %c[%r1, %n0] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s010 = vector.extract_strided_slice %d01 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s010, %c[%r0, %n1] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s011 = vector.extract_strided_slice %d01 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s011, %c[%r1, %n1] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s020 = vector.extract_strided_slice %d02 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s020, %c[%r0, %n2] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s021 = vector.extract_strided_slice %d02 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s021, %c[%r1, %n2] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s030 = vector.extract_strided_slice %d03 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s030, %c[%r0, %n3] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s031 = vector.extract_strided_slice %d03 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s031, %c[%r1, %n3] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s100 = vector.extract_strided_slice %d10 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s100, %c[%r2, %n0] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s101 = vector.extract_strided_slice %d10 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s101, %c[%r3, %n0] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s110 = vector.extract_strided_slice %d11 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s110, %c[%r2, %n1] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s111 = vector.extract_strided_slice %d11 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s111, %c[%r3, %n1] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s120 = vector.extract_strided_slice %d12 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s120, %c[%r2, %n2] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s121 = vector.extract_strided_slice %d12 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s121, %c[%r3, %n2] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s130 = vector.extract_strided_slice %d13 {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s130, %c[%r2, %n3] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    %s131 = vector.extract_strided_slice %d13 {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    vector.store %s131, %c[%r3, %n3] {alignment = 8 : i64} : memref<2048x2048xf32, 1>, vector<2xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "mma_matmul", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
