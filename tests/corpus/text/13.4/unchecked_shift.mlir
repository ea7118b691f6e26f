entry @unchecked_shift(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i64 = constant <i64: 1> : tile<256xi64>
  %cst_1_i64_1 = constant <i64: 1> : tile<256xi64>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_256_i32 : tile<i32>
  %2 = iota : tile<256xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
  %3 = addi %bcast, %2 : tile<256xi32>
  %reshape_2 = reshape %arg6 : tile<i32> -> tile<1xi32>
  %bcast_3 = broadcast %reshape_2 : tile<1xi32> -> tile<256xi32>
  %4 = addi %3, %bcast_3 : tile<256xi32>
  %5 = exti %4 signed : tile<256xi32> -> tile<256xi64>
  %6 = muli %5, %cst_1_i64 : tile<256xi64>
  %reshape_4 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_5 = broadcast %reshape_4 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %7 = offset %bcast_5, %6 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_6 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
  %bcast_7 = broadcast %reshape_6 : tile<1xf32> -> tile<256xf32>
  %result, %result_token = load_ptr_tko weak %7, %bcast_7 token=%0 : tile<256xptr<f32>>, tile<256xf32> -> tile<256xf32>, token
  %8 = exti %3 signed : tile<256xi32> -> tile<256xi64>
  %9 = muli %8, %cst_1_i64_1 : tile<256xi64>
  %reshape_8 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_9 = broadcast %reshape_8 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %10 = offset %bcast_9, %9 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
  %11 = store_ptr_tko weak %10, %result token=%0 optimization_hints = <default = {latency = 8}> : tile<256xptr<f32>>, tile<256xf32> -> token
  return
}
