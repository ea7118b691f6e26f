entry @mixed_widths(%arg0: tile<ptr<i16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<64xi32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> tile<64xi16>, token
  %pview_13 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<64xi64>, token
  %pview_16 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %1 = trunci %tile : tile<64xi16> -> tile<64xi8>
  %2 = addi %1, %tile_17 : tile<64xi8>
  %3 = trunci %tile_14 : tile<64xi64> -> tile<64xi32>
  %4 = shri %3, %cst_3_i32 unsigned : tile<64xi32>
  %5 = exti %2 signed : tile<64xi8> -> tile<64xi64>
  %6 = muli %5, %tile_14 : tile<64xi64>
  %7 = exti %4 unsigned : tile<64xi32> -> tile<64xi64>
  %8 = addi %6, %7 : tile<64xi64>
  %9 = exti %tile signed : tile<64xi16> -> tile<64xi64>
  %10 = addi %8, %9 : tile<64xi64>
  %pview_19 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %11 = store_view_tko weak %10, %pview_19[%blockId_x] token = %0 : tile<64xi64>, partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
