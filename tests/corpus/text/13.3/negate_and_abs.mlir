entry @negate_and_abs(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %1 = join_tokens %0, %result_token : token
  %2 = absi %tile : tile<128xi32>
  %3 = negi %2 : tile<128xi32>
  %pview_9 = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %4 = store_view_tko weak %3, %pview_9[%blockId_x] token = %1 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %pview_10 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %tile_11, %result_token_12 = load_view_tko weak %pview_10[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token
  %5 = join_tokens %0, %result_token_12 : token
  %6 = negi %tile_11 : tile<128xi64>
  %7 = absi %6 : tile<128xi64>
  %pview_13 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %8 = store_view_tko weak %7, %pview_13[%blockId_x] token = %5 : tile<128xi64>, partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
  %9 = join_tokens %0, %result_token_16 : token
  %10 = negi %tile_15 : tile<128xi8>
  %pview_17 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>
  %11 = store_view_tko weak %10, %pview_17[%blockId_x] token = %9 : tile<128xi8>, partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  return
}
