entry @xorshift(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i64>, %arg4: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_-7046029254386353131_i64 = constant <i64: -7046029254386353131> : tile<128xi64>
  %cst_13_i64 = constant <i64: 13> : tile<128xi64>
  %cst_7_i64 = constant <i64: 7> : tile<128xi64>
  %cst_17_i64 = constant <i64: 17> : tile<128xi64>
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = iota : tile<128xi64>
  %2 = muli %1, %cst_-7046029254386353131_i64 : tile<128xi64>
  %reshape = reshape %arg3 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<128xi64>
  %3 = addi %2, %bcast : tile<128xi64>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %arg4, step %cst_1_i32_1) : tile<i32> iter_values(%iterArg0 = %3) -> (tile<128xi64>) {
    %5 = shli %iterArg0, %cst_13_i64 : tile<128xi64>
    %6 = xori %iterArg0, %5 : tile<128xi64>
    %7 = shri %6, %cst_7_i64 unsigned : tile<128xi64>
    %8 = xori %6, %7 : tile<128xi64>
    %9 = shli %8, %cst_17_i64 : tile<128xi64>
    %10 = xori %8, %9 : tile<128xi64>
    continue %10 : tile<128xi64>
  }
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %4 = store_view_tko weak %for, %pview[%blockId_x] token = %0 : tile<128xi64>, partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
