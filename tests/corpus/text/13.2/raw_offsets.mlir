entry @raw_offsets(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i64>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %2 = muli %1, %arg10 : tile<i64>
  %3 = iota : tile<64xi64>
  %reshape = reshape %2 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<64xi64>
  %4 = addi %bcast, %3 : tile<64xi64>
  %5 = addi %2, %arg10 : tile<i64>
  %reshape_1 = reshape %5 : tile<i64> -> tile<1xi64>
  %bcast_2 = broadcast %reshape_1 : tile<1xi64> -> tile<64xi64>
  %6 = cmpi less_than %4, %bcast_2, signed : tile<64xi64> -> tile<64xi1>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_3 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_4 = broadcast %reshape_3 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %7 = offset %bcast_4, %4 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %reshape_5 = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast_6 = broadcast %reshape_5 : tile<1xf32> -> tile<64xf32>
  %result, %result_token = load_ptr_tko weak %7, %6, %bcast_6 token=%0 optimization_hints = <sm_90 = {latency = 2}> : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %8 = sqrt %result  : tile<64xf32>
  %9 = addi %2, %arg10 : tile<i64>
  %reshape_7 = reshape %9 : tile<i64> -> tile<1xi64>
  %bcast_8 = broadcast %reshape_7 : tile<1xi64> -> tile<64xi64>
  %10 = cmpi less_than %4, %bcast_8, signed : tile<64xi64> -> tile<64xi1>
  %reshape_9 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_10 = broadcast %reshape_9 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %11 = offset %bcast_10, %4 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %12 = store_ptr_tko weak %11, %8, %10 token=%0 : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  %13 = offset %assume, %2 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_11 = assume div_by<4>, %13 : tile<ptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %result_12, %result_token_13 = load_ptr_tko weak %assume_11, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %14 = offset %assume_0, %2 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_14 = assume div_by<4>, %14 : tile<ptr<f32>>
  %15 = store_ptr_tko weak %assume_14, %result_12 token=%12 : tile<ptr<f32>>, tile<f32> -> token
  return
}
