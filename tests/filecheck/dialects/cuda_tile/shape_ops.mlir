// RUN: TILEIRAS_VERBATIM

// Public text, without prefixes.

// REQ: A-13, A-17, A-66, B-02, B-03

cuda_tile.module @m {
  testing$func @public(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i1>, %arg5: tile<ptr<f32>>, %big: tile<2x4x8xf32>, %part: tile<2x8xf32>) {
    // PRINTS: ^body:
    // PRINTS: %reshape = reshape %arg0 : tile<f32> -> tile<1x1xf32>
    %reshape = reshape %arg0 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<4x8xf32>
    %0 = permute %big [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>
    %1 = cat %bcast, %bcast dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>
    %2 = extract %bcast[%arg2, %arg3] : tile<4x8xf32> -> tile<2x8xf32>
    %3 = insert %part, %bcast[%arg2, %arg3] : tile<2x8xf32>, tile<4x8xf32>
    %4 = iota : tile<16xi32>
    %5 = select %arg4, %arg0, %arg1 : tile<i1>, tile<f32>
    %6 = offset %arg5, %arg2 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %assume = assume div_by<16>, %arg2 : tile<i32>
    %other = assume bounded<0, ?>, %arg2 : tile<i32>
    return
  }
}

// -----

// `broadcast`: every element type; the result of one is called `bcast` unless it has a name.

// REQ: A-13, B-50, B-51

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_ptr_f32 = "test.op"() : () -> (!cuda_tile.tile<1x4xi1>, !cuda_tile.tile<1x4xi4>, !cuda_tile.tile<1x4xi8>, !cuda_tile.tile<1x4xi16>, !cuda_tile.tile<1x4xi32>, !cuda_tile.tile<1x4xi64>, !cuda_tile.tile<1x4xf16>, !cuda_tile.tile<1x4xbf16>, !cuda_tile.tile<1x4xf32>, !cuda_tile.tile<1x4xf64>, !cuda_tile.tile<1x4xtf32>, !cuda_tile.tile<1x4xf8E4M3FN>, !cuda_tile.tile<1x4xf8E5M2>, !cuda_tile.tile<1x4xf8E8M0FNU>, !cuda_tile.tile<1x4xf4E2M1FN>, !cuda_tile.tile<1x4xfnv8E5M3FNU>, !cuda_tile.tile<1x4xptr<f32>>)
// PRINTS: %bcast = cuda_tile.broadcast %v_i1 : tile<1x4xi1> -> tile<8x4xi1>
%0 = cuda_tile.broadcast %v_i1 : tile<1x4xi1> -> tile<8x4xi1>
// PRINTS: %bcast_1 = cuda_tile.broadcast %v_i4 : tile<1x4xi4> -> tile<8x4xi4>
%1 = cuda_tile.broadcast %v_i4 : tile<1x4xi4> -> tile<8x4xi4>
// PRINTS: %bcast_2 = cuda_tile.broadcast %v_i8 : tile<1x4xi8> -> tile<8x4xi8>
%2 = cuda_tile.broadcast %v_i8 : tile<1x4xi8> -> tile<8x4xi8>
// PRINTS: %bcast_3 = cuda_tile.broadcast %v_i16 : tile<1x4xi16> -> tile<8x4xi16>
%3 = cuda_tile.broadcast %v_i16 : tile<1x4xi16> -> tile<8x4xi16>
// PRINTS: %bcast_4 = cuda_tile.broadcast %v_i32 : tile<1x4xi32> -> tile<8x4xi32>
%4 = cuda_tile.broadcast %v_i32 : tile<1x4xi32> -> tile<8x4xi32>
// PRINTS: %bcast_5 = cuda_tile.broadcast %v_i64 : tile<1x4xi64> -> tile<8x4xi64>
%5 = cuda_tile.broadcast %v_i64 : tile<1x4xi64> -> tile<8x4xi64>
// PRINTS: %bcast_6 = cuda_tile.broadcast %v_f16 : tile<1x4xf16> -> tile<8x4xf16>
%6 = cuda_tile.broadcast %v_f16 : tile<1x4xf16> -> tile<8x4xf16>
// PRINTS: %bcast_7 = cuda_tile.broadcast %v_bf16 : tile<1x4xbf16> -> tile<8x4xbf16>
%7 = cuda_tile.broadcast %v_bf16 : tile<1x4xbf16> -> tile<8x4xbf16>
// PRINTS: %bcast_8 = cuda_tile.broadcast %v_f32 : tile<1x4xf32> -> tile<8x4xf32>
%8 = cuda_tile.broadcast %v_f32 : tile<1x4xf32> -> tile<8x4xf32>
// PRINTS: %bcast_9 = cuda_tile.broadcast %v_f64 : tile<1x4xf64> -> tile<8x4xf64>
%9 = cuda_tile.broadcast %v_f64 : tile<1x4xf64> -> tile<8x4xf64>
// PRINTS: %bcast_10 = cuda_tile.broadcast %v_tf32 : tile<1x4xtf32> -> tile<8x4xtf32>
%10 = cuda_tile.broadcast %v_tf32 : tile<1x4xtf32> -> tile<8x4xtf32>
// PRINTS: %bcast_11 = cuda_tile.broadcast %v_f8E4M3FN : tile<1x4xf8E4M3FN> -> tile<8x4xf8E4M3FN>
%11 = cuda_tile.broadcast %v_f8E4M3FN : tile<1x4xf8E4M3FN> -> tile<8x4xf8E4M3FN>
// PRINTS: %bcast_12 = cuda_tile.broadcast %v_f8E5M2 : tile<1x4xf8E5M2> -> tile<8x4xf8E5M2>
%12 = cuda_tile.broadcast %v_f8E5M2 : tile<1x4xf8E5M2> -> tile<8x4xf8E5M2>
// PRINTS: %bcast_13 = cuda_tile.broadcast %v_f8E8M0FNU : tile<1x4xf8E8M0FNU> -> tile<8x4xf8E8M0FNU>
%13 = cuda_tile.broadcast %v_f8E8M0FNU : tile<1x4xf8E8M0FNU> -> tile<8x4xf8E8M0FNU>
// PRINTS: %bcast_14 = cuda_tile.broadcast %v_f4E2M1FN : tile<1x4xf4E2M1FN> -> tile<8x4xf4E2M1FN>
%14 = cuda_tile.broadcast %v_f4E2M1FN : tile<1x4xf4E2M1FN> -> tile<8x4xf4E2M1FN>
// PRINTS: %bcast_15 = cuda_tile.broadcast %v_fnv8E5M3FNU : tile<1x4xfnv8E5M3FNU> -> tile<8x4xfnv8E5M3FNU>
%15 = cuda_tile.broadcast %v_fnv8E5M3FNU : tile<1x4xfnv8E5M3FNU> -> tile<8x4xfnv8E5M3FNU>
// PRINTS: %bcast_16 = cuda_tile.broadcast %v_ptr_f32 : tile<1x4xptr<f32>> -> tile<8x4xptr<f32>>
%16 = cuda_tile.broadcast %v_ptr_f32 : tile<1x4xptr<f32>> -> tile<8x4xptr<f32>>
%all = cuda_tile.broadcast %v_f32 : tile<1x4xf32> -> tile<1x4xf32>

// -----

// `broadcast` of a scalar, of nothing and of everything.

%a, %b, %c = "test.op"() : () -> (!cuda_tile.tile<f32>, !cuda_tile.tile<1x1x1xf32>, !cuda_tile.tile<2x1x4xf32>)
%s = cuda_tile.broadcast %a : tile<f32> -> tile<f32>
%t = cuda_tile.broadcast %b : tile<1x1x1xf32> -> tile<16x8x4xf32>
%u = cuda_tile.broadcast %c : tile<2x1x4xf32> -> tile<2x64x4xf32>

// -----

// `reshape`: rank 0 counts as one element.

// REQ: A-13

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_ptr_f32, %s, %t = "test.op"() : () -> (!cuda_tile.tile<4x2xi1>, !cuda_tile.tile<4x2xi4>, !cuda_tile.tile<4x2xi8>, !cuda_tile.tile<4x2xi16>, !cuda_tile.tile<4x2xi32>, !cuda_tile.tile<4x2xi64>, !cuda_tile.tile<4x2xf16>, !cuda_tile.tile<4x2xbf16>, !cuda_tile.tile<4x2xf32>, !cuda_tile.tile<4x2xf64>, !cuda_tile.tile<4x2xtf32>, !cuda_tile.tile<4x2xf8E4M3FN>, !cuda_tile.tile<4x2xf8E5M2>, !cuda_tile.tile<4x2xf8E8M0FNU>, !cuda_tile.tile<4x2xf4E2M1FN>, !cuda_tile.tile<4x2xfnv8E5M3FNU>, !cuda_tile.tile<4x2xptr<f32>>, !cuda_tile.tile<f32>, !cuda_tile.tile<1x1xf32>)
%0 = cuda_tile.reshape %v_i1 : tile<4x2xi1> -> tile<8xi1>
%1 = cuda_tile.reshape %v_i4 : tile<4x2xi4> -> tile<8xi4>
%2 = cuda_tile.reshape %v_i8 : tile<4x2xi8> -> tile<8xi8>
%3 = cuda_tile.reshape %v_i16 : tile<4x2xi16> -> tile<8xi16>
%4 = cuda_tile.reshape %v_i32 : tile<4x2xi32> -> tile<8xi32>
%5 = cuda_tile.reshape %v_i64 : tile<4x2xi64> -> tile<8xi64>
%6 = cuda_tile.reshape %v_f16 : tile<4x2xf16> -> tile<8xf16>
%7 = cuda_tile.reshape %v_bf16 : tile<4x2xbf16> -> tile<8xbf16>
%8 = cuda_tile.reshape %v_f32 : tile<4x2xf32> -> tile<8xf32>
%9 = cuda_tile.reshape %v_f64 : tile<4x2xf64> -> tile<8xf64>
%10 = cuda_tile.reshape %v_tf32 : tile<4x2xtf32> -> tile<8xtf32>
%11 = cuda_tile.reshape %v_f8E4M3FN : tile<4x2xf8E4M3FN> -> tile<8xf8E4M3FN>
%12 = cuda_tile.reshape %v_f8E5M2 : tile<4x2xf8E5M2> -> tile<8xf8E5M2>
%13 = cuda_tile.reshape %v_f8E8M0FNU : tile<4x2xf8E8M0FNU> -> tile<8xf8E8M0FNU>
%14 = cuda_tile.reshape %v_f4E2M1FN : tile<4x2xf4E2M1FN> -> tile<8xf4E2M1FN>
%15 = cuda_tile.reshape %v_fnv8E5M3FNU : tile<4x2xfnv8E5M3FNU> -> tile<8xfnv8E5M3FNU>
%16 = cuda_tile.reshape %v_ptr_f32 : tile<4x2xptr<f32>> -> tile<8xptr<f32>>
%17 = cuda_tile.reshape %v_f32 : tile<4x2xf32> -> tile<2x1x4xf32>
%18 = cuda_tile.reshape %s : tile<f32> -> tile<f32>
%19 = cuda_tile.reshape %s : tile<f32> -> tile<1x1x1xf32>
%20 = cuda_tile.reshape %t : tile<1x1xf32> -> tile<f32>

// -----

// `permute`.

// REQ: A-13

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_ptr_f32, %w = "test.op"() : () -> (!cuda_tile.tile<4x2xi1>, !cuda_tile.tile<4x2xi4>, !cuda_tile.tile<4x2xi8>, !cuda_tile.tile<4x2xi16>, !cuda_tile.tile<4x2xi32>, !cuda_tile.tile<4x2xi64>, !cuda_tile.tile<4x2xf16>, !cuda_tile.tile<4x2xbf16>, !cuda_tile.tile<4x2xf32>, !cuda_tile.tile<4x2xf64>, !cuda_tile.tile<4x2xtf32>, !cuda_tile.tile<4x2xf8E4M3FN>, !cuda_tile.tile<4x2xf8E5M2>, !cuda_tile.tile<4x2xf8E8M0FNU>, !cuda_tile.tile<4x2xf4E2M1FN>, !cuda_tile.tile<4x2xfnv8E5M3FNU>, !cuda_tile.tile<4x2xptr<f32>>, !cuda_tile.tile<1x2x4x8xi8>)
%0 = cuda_tile.permute %v_i1 [1, 0] : tile<4x2xi1> -> tile<2x4xi1>
%1 = cuda_tile.permute %v_i4 [1, 0] : tile<4x2xi4> -> tile<2x4xi4>
%2 = cuda_tile.permute %v_i8 [1, 0] : tile<4x2xi8> -> tile<2x4xi8>
%3 = cuda_tile.permute %v_i16 [1, 0] : tile<4x2xi16> -> tile<2x4xi16>
%4 = cuda_tile.permute %v_i32 [1, 0] : tile<4x2xi32> -> tile<2x4xi32>
%5 = cuda_tile.permute %v_i64 [1, 0] : tile<4x2xi64> -> tile<2x4xi64>
%6 = cuda_tile.permute %v_f16 [1, 0] : tile<4x2xf16> -> tile<2x4xf16>
%7 = cuda_tile.permute %v_bf16 [1, 0] : tile<4x2xbf16> -> tile<2x4xbf16>
%8 = cuda_tile.permute %v_f32 [1, 0] : tile<4x2xf32> -> tile<2x4xf32>
%9 = cuda_tile.permute %v_f64 [1, 0] : tile<4x2xf64> -> tile<2x4xf64>
%10 = cuda_tile.permute %v_tf32 [1, 0] : tile<4x2xtf32> -> tile<2x4xtf32>
%11 = cuda_tile.permute %v_f8E4M3FN [1, 0] : tile<4x2xf8E4M3FN> -> tile<2x4xf8E4M3FN>
%12 = cuda_tile.permute %v_f8E5M2 [1, 0] : tile<4x2xf8E5M2> -> tile<2x4xf8E5M2>
%13 = cuda_tile.permute %v_f8E8M0FNU [1, 0] : tile<4x2xf8E8M0FNU> -> tile<2x4xf8E8M0FNU>
%14 = cuda_tile.permute %v_f4E2M1FN [1, 0] : tile<4x2xf4E2M1FN> -> tile<2x4xf4E2M1FN>
%15 = cuda_tile.permute %v_fnv8E5M3FNU [1, 0] : tile<4x2xfnv8E5M3FNU> -> tile<2x4xfnv8E5M3FNU>
%16 = cuda_tile.permute %v_ptr_f32 [1, 0] : tile<4x2xptr<f32>> -> tile<2x4xptr<f32>>
%17 = cuda_tile.permute %v_f32 [0, 1] : tile<4x2xf32> -> tile<4x2xf32>
%18 = cuda_tile.permute %w [3, 0, 2, 1] : tile<1x2x4x8xi8> -> tile<8x1x4x2xi8>
// PRINTS: %19 = cuda_tile.permute %w [0, 1, 3, 2] : tile<1x2x4x8xi8> -> tile<1x2x8x4xi8>
%19 = cuda_tile.permute %w[0,1,3,2] : tile<1x2x4x8xi8> -> tile<1x2x8x4xi8>

// -----

// `cat`.

// REQ: A-13

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_ptr_f32, %w = "test.op"() : () -> (!cuda_tile.tile<4x2xi1>, !cuda_tile.tile<4x2xi4>, !cuda_tile.tile<4x2xi8>, !cuda_tile.tile<4x2xi16>, !cuda_tile.tile<4x2xi32>, !cuda_tile.tile<4x2xi64>, !cuda_tile.tile<4x2xf16>, !cuda_tile.tile<4x2xbf16>, !cuda_tile.tile<4x2xf32>, !cuda_tile.tile<4x2xf64>, !cuda_tile.tile<4x2xtf32>, !cuda_tile.tile<4x2xf8E4M3FN>, !cuda_tile.tile<4x2xf8E5M2>, !cuda_tile.tile<4x2xf8E8M0FNU>, !cuda_tile.tile<4x2xf4E2M1FN>, !cuda_tile.tile<4x2xfnv8E5M3FNU>, !cuda_tile.tile<4x2xptr<f32>>, !cuda_tile.tile<1x2x4xi8>)
%0 = cuda_tile.cat %v_i1, %v_i1 dim = 0 : tile<4x2xi1>, tile<4x2xi1> -> tile<8x2xi1>
%1 = cuda_tile.cat %v_i4, %v_i4 dim = 0 : tile<4x2xi4>, tile<4x2xi4> -> tile<8x2xi4>
%2 = cuda_tile.cat %v_i8, %v_i8 dim = 0 : tile<4x2xi8>, tile<4x2xi8> -> tile<8x2xi8>
%3 = cuda_tile.cat %v_i16, %v_i16 dim = 0 : tile<4x2xi16>, tile<4x2xi16> -> tile<8x2xi16>
%4 = cuda_tile.cat %v_i32, %v_i32 dim = 0 : tile<4x2xi32>, tile<4x2xi32> -> tile<8x2xi32>
%5 = cuda_tile.cat %v_i64, %v_i64 dim = 0 : tile<4x2xi64>, tile<4x2xi64> -> tile<8x2xi64>
%6 = cuda_tile.cat %v_f16, %v_f16 dim = 0 : tile<4x2xf16>, tile<4x2xf16> -> tile<8x2xf16>
%7 = cuda_tile.cat %v_bf16, %v_bf16 dim = 0 : tile<4x2xbf16>, tile<4x2xbf16> -> tile<8x2xbf16>
%8 = cuda_tile.cat %v_f32, %v_f32 dim = 0 : tile<4x2xf32>, tile<4x2xf32> -> tile<8x2xf32>
%9 = cuda_tile.cat %v_f64, %v_f64 dim = 0 : tile<4x2xf64>, tile<4x2xf64> -> tile<8x2xf64>
%10 = cuda_tile.cat %v_tf32, %v_tf32 dim = 0 : tile<4x2xtf32>, tile<4x2xtf32> -> tile<8x2xtf32>
%11 = cuda_tile.cat %v_f8E4M3FN, %v_f8E4M3FN dim = 0 : tile<4x2xf8E4M3FN>, tile<4x2xf8E4M3FN> -> tile<8x2xf8E4M3FN>
%12 = cuda_tile.cat %v_f8E5M2, %v_f8E5M2 dim = 0 : tile<4x2xf8E5M2>, tile<4x2xf8E5M2> -> tile<8x2xf8E5M2>
%13 = cuda_tile.cat %v_f8E8M0FNU, %v_f8E8M0FNU dim = 0 : tile<4x2xf8E8M0FNU>, tile<4x2xf8E8M0FNU> -> tile<8x2xf8E8M0FNU>
%14 = cuda_tile.cat %v_f4E2M1FN, %v_f4E2M1FN dim = 0 : tile<4x2xf4E2M1FN>, tile<4x2xf4E2M1FN> -> tile<8x2xf4E2M1FN>
%15 = cuda_tile.cat %v_fnv8E5M3FNU, %v_fnv8E5M3FNU dim = 0 : tile<4x2xfnv8E5M3FNU>, tile<4x2xfnv8E5M3FNU> -> tile<8x2xfnv8E5M3FNU>
%16 = cuda_tile.cat %v_ptr_f32, %v_ptr_f32 dim = 0 : tile<4x2xptr<f32>>, tile<4x2xptr<f32>> -> tile<8x2xptr<f32>>
%17 = cuda_tile.cat %w, %w dim = 0 : tile<1x2x4xi8>, tile<1x2x4xi8> -> tile<2x2x4xi8>
%18 = cuda_tile.cat %w, %w dim = 1 : tile<1x2x4xi8>, tile<1x2x4xi8> -> tile<1x4x4xi8>
%19 = cuda_tile.cat %w, %w dim = 2 : tile<1x2x4xi8>, tile<1x2x4xi8> -> tile<1x2x8xi8>

// -----

// `extract` and `insert`: indices count slices; whether a constant one is in range is not checked.

// REQ: A-13

%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_f4E2M1FN, %v_fnv8E5M3FNU, %v_ptr_f32, %w_i1, %w_i4, %w_i8, %w_i16, %w_i32, %w_i64, %w_f16, %w_bf16, %w_f32, %w_f64, %w_tf32, %w_f8E4M3FN, %w_f8E5M2, %w_f8E8M0FNU, %w_f4E2M1FN, %w_fnv8E5M3FNU, %w_ptr_f32, %s, %t, %i = "test.op"() : () -> (!cuda_tile.tile<4x8xi1>, !cuda_tile.tile<4x8xi4>, !cuda_tile.tile<4x8xi8>, !cuda_tile.tile<4x8xi16>, !cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi64>, !cuda_tile.tile<4x8xf16>, !cuda_tile.tile<4x8xbf16>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf64>, !cuda_tile.tile<4x8xtf32>, !cuda_tile.tile<4x8xf8E4M3FN>, !cuda_tile.tile<4x8xf8E5M2>, !cuda_tile.tile<4x8xf8E8M0FNU>, !cuda_tile.tile<4x8xf4E2M1FN>, !cuda_tile.tile<4x8xfnv8E5M3FNU>, !cuda_tile.tile<4x8xptr<f32>>, !cuda_tile.tile<2x8xi1>, !cuda_tile.tile<2x8xi4>, !cuda_tile.tile<2x8xi8>, !cuda_tile.tile<2x8xi16>, !cuda_tile.tile<2x8xi32>, !cuda_tile.tile<2x8xi64>, !cuda_tile.tile<2x8xf16>, !cuda_tile.tile<2x8xbf16>, !cuda_tile.tile<2x8xf32>, !cuda_tile.tile<2x8xf64>, !cuda_tile.tile<2x8xtf32>, !cuda_tile.tile<2x8xf8E4M3FN>, !cuda_tile.tile<2x8xf8E5M2>, !cuda_tile.tile<2x8xf8E8M0FNU>, !cuda_tile.tile<2x8xf4E2M1FN>, !cuda_tile.tile<2x8xfnv8E5M3FNU>, !cuda_tile.tile<2x8xptr<f32>>, !cuda_tile.tile<f32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>)
%0 = cuda_tile.extract %v_i1[%i, %i] : tile<4x8xi1> -> tile<2x8xi1>
%1 = cuda_tile.insert %w_i1, %v_i1[%i, %i] : tile<2x8xi1>, tile<4x8xi1>
%2 = cuda_tile.extract %v_i4[%i, %i] : tile<4x8xi4> -> tile<2x8xi4>
%3 = cuda_tile.insert %w_i4, %v_i4[%i, %i] : tile<2x8xi4>, tile<4x8xi4>
%4 = cuda_tile.extract %v_i8[%i, %i] : tile<4x8xi8> -> tile<2x8xi8>
%5 = cuda_tile.insert %w_i8, %v_i8[%i, %i] : tile<2x8xi8>, tile<4x8xi8>
%6 = cuda_tile.extract %v_i16[%i, %i] : tile<4x8xi16> -> tile<2x8xi16>
%7 = cuda_tile.insert %w_i16, %v_i16[%i, %i] : tile<2x8xi16>, tile<4x8xi16>
%8 = cuda_tile.extract %v_i32[%i, %i] : tile<4x8xi32> -> tile<2x8xi32>
%9 = cuda_tile.insert %w_i32, %v_i32[%i, %i] : tile<2x8xi32>, tile<4x8xi32>
%10 = cuda_tile.extract %v_i64[%i, %i] : tile<4x8xi64> -> tile<2x8xi64>
%11 = cuda_tile.insert %w_i64, %v_i64[%i, %i] : tile<2x8xi64>, tile<4x8xi64>
%12 = cuda_tile.extract %v_f16[%i, %i] : tile<4x8xf16> -> tile<2x8xf16>
%13 = cuda_tile.insert %w_f16, %v_f16[%i, %i] : tile<2x8xf16>, tile<4x8xf16>
%14 = cuda_tile.extract %v_bf16[%i, %i] : tile<4x8xbf16> -> tile<2x8xbf16>
%15 = cuda_tile.insert %w_bf16, %v_bf16[%i, %i] : tile<2x8xbf16>, tile<4x8xbf16>
%16 = cuda_tile.extract %v_f32[%i, %i] : tile<4x8xf32> -> tile<2x8xf32>
%17 = cuda_tile.insert %w_f32, %v_f32[%i, %i] : tile<2x8xf32>, tile<4x8xf32>
%18 = cuda_tile.extract %v_f64[%i, %i] : tile<4x8xf64> -> tile<2x8xf64>
%19 = cuda_tile.insert %w_f64, %v_f64[%i, %i] : tile<2x8xf64>, tile<4x8xf64>
%20 = cuda_tile.extract %v_tf32[%i, %i] : tile<4x8xtf32> -> tile<2x8xtf32>
%21 = cuda_tile.insert %w_tf32, %v_tf32[%i, %i] : tile<2x8xtf32>, tile<4x8xtf32>
%22 = cuda_tile.extract %v_f8E4M3FN[%i, %i] : tile<4x8xf8E4M3FN> -> tile<2x8xf8E4M3FN>
%23 = cuda_tile.insert %w_f8E4M3FN, %v_f8E4M3FN[%i, %i] : tile<2x8xf8E4M3FN>, tile<4x8xf8E4M3FN>
%24 = cuda_tile.extract %v_f8E5M2[%i, %i] : tile<4x8xf8E5M2> -> tile<2x8xf8E5M2>
%25 = cuda_tile.insert %w_f8E5M2, %v_f8E5M2[%i, %i] : tile<2x8xf8E5M2>, tile<4x8xf8E5M2>
%26 = cuda_tile.extract %v_f8E8M0FNU[%i, %i] : tile<4x8xf8E8M0FNU> -> tile<2x8xf8E8M0FNU>
%27 = cuda_tile.insert %w_f8E8M0FNU, %v_f8E8M0FNU[%i, %i] : tile<2x8xf8E8M0FNU>, tile<4x8xf8E8M0FNU>
%28 = cuda_tile.extract %v_f4E2M1FN[%i, %i] : tile<4x8xf4E2M1FN> -> tile<2x8xf4E2M1FN>
%29 = cuda_tile.insert %w_f4E2M1FN, %v_f4E2M1FN[%i, %i] : tile<2x8xf4E2M1FN>, tile<4x8xf4E2M1FN>
%30 = cuda_tile.extract %v_fnv8E5M3FNU[%i, %i] : tile<4x8xfnv8E5M3FNU> -> tile<2x8xfnv8E5M3FNU>
%31 = cuda_tile.insert %w_fnv8E5M3FNU, %v_fnv8E5M3FNU[%i, %i] : tile<2x8xfnv8E5M3FNU>, tile<4x8xfnv8E5M3FNU>
%32 = cuda_tile.extract %v_ptr_f32[%i, %i] : tile<4x8xptr<f32>> -> tile<2x8xptr<f32>>
%33 = cuda_tile.insert %w_ptr_f32, %v_ptr_f32[%i, %i] : tile<2x8xptr<f32>>, tile<4x8xptr<f32>>
%34 = cuda_tile.extract %s[] : tile<f32> -> tile<f32>
%35 = cuda_tile.insert %s, %s[] : tile<f32>, tile<f32>
// PRINTS: %36 = cuda_tile.extract %t[%i] : tile<4xf32> -> tile<1xf32>
%36 = cuda_tile.extract %t [ %i ] : tile<4xf32> -> tile<1xf32>
%37 = cuda_tile.extract %t[%i] : tile<4xf32> -> tile<4xf32>
%cst_5 = cuda_tile.constant <i32: 5> : tile<i32>
%cst_-1 = cuda_tile.constant <i32: -1> : tile<i32>
%38 = cuda_tile.extract %t[%cst_5] : tile<4xf32> -> tile<2xf32>
%39 = cuda_tile.extract %t[%cst_-1] : tile<4xf32> -> tile<2xf32>

// -----

// `iota`: as many elements as the type has values.

// REQ: A-13

%0 = cuda_tile.iota : tile<2xi1>
%1 = cuda_tile.iota : tile<256xi8>
%2 = cuda_tile.iota : tile<65536xi16>
%3 = cuda_tile.iota : tile<16777216xi32>
%4 = cuda_tile.iota : tile<1xi64>

// -----

// `select`.

// REQ: A-13

!t2x4xi1 = !cuda_tile.tile<2x4xi1>
%v_i1, %v_i4, %v_i8, %v_i16, %v_i32, %v_i64, %v_f16, %v_bf16, %v_f32, %v_f64, %v_tf32, %v_f8E4M3FN, %v_f8E5M2, %v_f8E8M0FNU, %v_fnv8E5M3FNU, %v_ptr_f32, %c, %d, %s = "test.op"() : () -> (!t2x4xi1, !cuda_tile.tile<2x4xi4>, !cuda_tile.tile<2x4xi8>, !cuda_tile.tile<2x4xi16>, !cuda_tile.tile<2x4xi32>, !cuda_tile.tile<2x4xi64>, !cuda_tile.tile<2x4xf16>, !cuda_tile.tile<2x4xbf16>, !cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xf64>, !cuda_tile.tile<2x4xtf32>, !cuda_tile.tile<2x4xf8E4M3FN>, !cuda_tile.tile<2x4xf8E5M2>, !cuda_tile.tile<2x4xf8E8M0FNU>, !cuda_tile.tile<2x4xfnv8E5M3FNU>, !cuda_tile.tile<2x4xptr<f32>>, !t2x4xi1, !cuda_tile.tile<i1>, !cuda_tile.tile<f32>)
%0 = cuda_tile.select %c, %v_i1, %v_i1 : !t2x4xi1, !t2x4xi1
%1 = cuda_tile.select %c, %v_i4, %v_i4 : !t2x4xi1, tile<2x4xi4>
%2 = cuda_tile.select %c, %v_i8, %v_i8 : !t2x4xi1, tile<2x4xi8>
%3 = cuda_tile.select %c, %v_i16, %v_i16 : !t2x4xi1, tile<2x4xi16>
%4 = cuda_tile.select %c, %v_i32, %v_i32 : !t2x4xi1, tile<2x4xi32>
%5 = cuda_tile.select %c, %v_i64, %v_i64 : !t2x4xi1, tile<2x4xi64>
%6 = cuda_tile.select %c, %v_f16, %v_f16 : !t2x4xi1, tile<2x4xf16>
%7 = cuda_tile.select %c, %v_bf16, %v_bf16 : !t2x4xi1, tile<2x4xbf16>
%8 = cuda_tile.select %c, %v_f32, %v_f32 : !t2x4xi1, tile<2x4xf32>
%9 = cuda_tile.select %c, %v_f64, %v_f64 : !t2x4xi1, tile<2x4xf64>
%10 = cuda_tile.select %c, %v_tf32, %v_tf32 : !t2x4xi1, tile<2x4xtf32>
%11 = cuda_tile.select %c, %v_f8E4M3FN, %v_f8E4M3FN : !t2x4xi1, tile<2x4xf8E4M3FN>
%12 = cuda_tile.select %c, %v_f8E5M2, %v_f8E5M2 : !t2x4xi1, tile<2x4xf8E5M2>
%13 = cuda_tile.select %c, %v_f8E8M0FNU, %v_f8E8M0FNU : !t2x4xi1, tile<2x4xf8E8M0FNU>
%14 = cuda_tile.select %c, %v_fnv8E5M3FNU, %v_fnv8E5M3FNU : !t2x4xi1, tile<2x4xfnv8E5M3FNU>
%15 = cuda_tile.select %c, %v_ptr_f32, %v_ptr_f32 : !t2x4xi1, tile<2x4xptr<f32>>
%16 = cuda_tile.select %d, %s, %s : tile<i1>, tile<f32>

// -----

// `offset`.

// REQ: A-11

!ptr_f16 = !cuda_tile.tile<4xptr<f16>>
%v_i1, %v_i8, %v_i16, %v_i32, %v_i64, %p = "test.op"() : () -> (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xi8>, !cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>, !ptr_f16)
%0 = cuda_tile.offset %p, %v_i1 : !ptr_f16, tile<4xi1> -> !ptr_f16
%1 = cuda_tile.offset %p, %v_i8 : !ptr_f16, tile<4xi8> -> !ptr_f16
%2 = cuda_tile.offset %p, %v_i16 : !ptr_f16, tile<4xi16> -> !ptr_f16
%3 = cuda_tile.offset %p, %v_i32 : !ptr_f16, tile<4xi32> -> !ptr_f16
%4 = cuda_tile.offset %p, %v_i64 : !ptr_f16, tile<4xi64> -> !ptr_f16
// PRINTS: %5 = cuda_tile.offset %p, %v_i32 : !ptr_f16, tile<4xi32> -> !ptr_f16
%5 = cuda_tile.offset %p, %v_i32 : !ptr_f16, tile<4xi32> to !ptr_f16

// -----

// `assume`: predicates with and without their prefix.

// REQ: A-17, A-66

!i32 = !cuda_tile.tile<i32>
!i64 = !cuda_tile.tile<4x16xi64>
!ptr_f32 = !cuda_tile.tile<16xptr<f32>>
!tview = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
%i, %x, %p, %v = "test.op"() : () -> (!i32, !i64, !ptr_f32, !tview)
%0 = cuda_tile.assume div_by<16>, %i : !i32
// PRINTS: %1 = cuda_tile.assume div_by<16>, %i : !i32
%1 = cuda_tile.assume #cuda_tile.div_by<16>, %i : !i32
%2 = cuda_tile.assume div_by<16, every 4 along 1>, %x : !i64
// PRINTS: %3 = cuda_tile.assume div_by<16, every 4 along 1>, %x : !i64
%3 = cuda_tile.assume #cuda_tile.div_by<16, every 4 along 1>, %x : !i64
%4 = cuda_tile.assume div_by<1>, %p : !ptr_f32
// PRINTS: %5 = cuda_tile.assume div_by<1>, %p : !ptr_f32
%5 = cuda_tile.assume #cuda_tile.div_by<1>, %p : !ptr_f32
%6 = cuda_tile.assume div_by<8>, %v : !tview
// PRINTS: %7 = cuda_tile.assume div_by<8>, %v : !tview
%7 = cuda_tile.assume #cuda_tile.div_by<8>, %v : !tview
%8 = cuda_tile.assume same_elements<[1, 4]>, %x : !i64
// PRINTS: %9 = cuda_tile.assume same_elements<[1, 4]>, %x : !i64
%9 = cuda_tile.assume #cuda_tile.same_elements<[1, 4]>, %x : !i64
%10 = cuda_tile.assume same_elements<[16]>, %p : !ptr_f32
// PRINTS: %11 = cuda_tile.assume same_elements<[16]>, %p : !ptr_f32
%11 = cuda_tile.assume #cuda_tile.same_elements<[16]>, %p : !ptr_f32
%12 = cuda_tile.assume same_elements<[]>, %i : !i32
// PRINTS: %13 = cuda_tile.assume same_elements<[]>, %i : !i32
%13 = cuda_tile.assume #cuda_tile.same_elements<[]>, %i : !i32
%14 = cuda_tile.assume bounded<0, ?>, %i : !i32
// PRINTS: %15 = cuda_tile.assume bounded<0, ?>, %i : !i32
%15 = cuda_tile.assume #cuda_tile.bounded<0, ?>, %i : !i32
%16 = cuda_tile.assume bounded<?, -5>, %i : !i32
// PRINTS: %17 = cuda_tile.assume bounded<?, -5>, %i : !i32
%17 = cuda_tile.assume #cuda_tile.bounded<?, -5>, %i : !i32
%18 = cuda_tile.assume bounded<?, ?>, %i : !i32
// PRINTS: %19 = cuda_tile.assume bounded<?, ?>, %i : !i32
%19 = cuda_tile.assume #cuda_tile.bounded<?, ?>, %i : !i32
%20 = cuda_tile.assume bounded<-3, 5>, %x : !i64
// PRINTS: %21 = cuda_tile.assume bounded<-3, 5>, %x : !i64
%21 = cuda_tile.assume #cuda_tile.bounded<-3, 5>, %x : !i64

// -----

// Discardable attributes stand before the colon.

// REQ: B-04, B-28

%a, %b, %c, %p, %i = "test.op"() : () -> (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<1x4xf32>, !cuda_tile.tile<2x4xi1>, !cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>)
%x = cuda_tile.broadcast %b {my.tag = 7 : i32, unit} : tile<1x4xf32> -> tile<2x4xf32>
%0 = cuda_tile.reshape %a {my.tag = 7 : i32, unit} : tile<2x4xf32> -> tile<8xf32>
%1 = cuda_tile.permute %a [1, 0] {my.tag = 7 : i32, unit} : tile<2x4xf32> -> tile<4x2xf32>
%2 = cuda_tile.cat %a, %a dim = 1 {my.tag = 7 : i32, unit} : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
%3 = cuda_tile.extract %a[%i, %i] {my.tag = 7 : i32, unit} : tile<2x4xf32> -> tile<1x4xf32>
%4 = cuda_tile.insert %b, %a[%i, %i] {my.tag = 7 : i32, unit} : tile<1x4xf32>, tile<2x4xf32>
%5 = cuda_tile.iota {my.tag = 7 : i32, unit} : tile<4xi32>
%6 = cuda_tile.select %c, %a, %a {my.tag = 7 : i32, unit} : tile<2x4xi1>, tile<2x4xf32>
%7 = cuda_tile.offset %p, %i {my.tag = 7 : i32, unit} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
%8 = cuda_tile.assume div_by<16>, %i {my.tag = 7 : i32, unit} : tile<i32>

// -----

// Generic form.

// REQ: B-08, B-22

!t2x4xf32 = !cuda_tile.tile<2x4xf32>
!t1x4xf32 = !cuda_tile.tile<1x4xf32>
!i1 = !cuda_tile.tile<2x4xi1>
!ptr_f32 = !cuda_tile.tile<ptr<f32>>
!i32 = !cuda_tile.tile<i32>
%a, %b, %c, %p, %i = "test.op"() : () -> (!t2x4xf32, !t1x4xf32, !i1, !ptr_f32, !i32)
// PRINTS: %x = cuda_tile.broadcast %b : !t1x4xf32 -> !t2x4xf32
%x = "cuda_tile.broadcast"(%b) : (!t1x4xf32) -> !t2x4xf32
// PRINTS: %0 = cuda_tile.reshape %a : !t2x4xf32 -> tile<8xf32>
%0 = "cuda_tile.reshape"(%a) : (!t2x4xf32) -> !cuda_tile.tile<8xf32>
// PRINTS: %1 = cuda_tile.permute %a [1, 0] : !t2x4xf32 -> tile<4x2xf32>
%1 = "cuda_tile.permute"(%a) <{permutation = array<i32: 1, 0>}> : (!t2x4xf32) -> !cuda_tile.tile<4x2xf32>
// PRINTS: %2 = cuda_tile.cat %a, %a dim = 0 : !t2x4xf32, !t2x4xf32 -> tile<4x4xf32>
%2 = "cuda_tile.cat"(%a, %a) <{dim = 0 : i64}> : (!t2x4xf32, !t2x4xf32) -> !cuda_tile.tile<4x4xf32>
// PRINTS: %3 = cuda_tile.extract %a[%i, %i] : !t2x4xf32 -> !t1x4xf32
%3 = "cuda_tile.extract"(%a, %i, %i) : (!t2x4xf32, !i32, !i32) -> !t1x4xf32
// PRINTS: %4 = cuda_tile.insert %b, %a[%i, %i] : !t1x4xf32, !t2x4xf32
%4 = "cuda_tile.insert"(%b, %a, %i, %i) : (!t1x4xf32, !t2x4xf32, !i32, !i32) -> !t2x4xf32
// PRINTS: %5 = cuda_tile.iota : tile<16xi32>
%5 = "cuda_tile.iota"() : () -> !cuda_tile.tile<16xi32>
// PRINTS: %6 = cuda_tile.select %c, %a, %a {my.tag} : !i1, !t2x4xf32
%6 = "cuda_tile.select"(%c, %a, %a) {my.tag} : (!i1, !t2x4xf32, !t2x4xf32) -> !t2x4xf32
// PRINTS: %7 = cuda_tile.offset %p, %i : !ptr_f32, !i32 -> !ptr_f32
%7 = "cuda_tile.offset"(%p, %i) : (!ptr_f32, !i32) -> !ptr_f32
// PRINTS: %8 = cuda_tile.assume bounded<0, ?>, %i : !i32
%8 = "cuda_tile.assume"(%i) <{predicate = #cuda_tile.bounded<0, ?>}> : (!i32) -> !i32
// PRINTS: %9 = cuda_tile.assume div_by<16>, %i : !i32
%9 = "cuda_tile.assume"(%i) <{predicate = #cuda_tile.div_by<16>}> : (!i32) -> !i32
