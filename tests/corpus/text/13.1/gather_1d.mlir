entry @gather_1d(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<128xi64>
  %cst_0_i8 = constant <i8: 0> : tile<128xi8>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_6 = make_tensor_view %assume_1, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %blockId_x_7, %blockId_y_8, %blockId_z_9 = get_tile_block_id : tile<i32>
  %1 = exti %tile signed : tile<128xi32> -> tile<128xi64>
  %2 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape = reshape %2 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<128xi64>
  %3 = cmpi less_than %1, %bcast, unsigned : tile<128xi64> -> tile<128xi1>
  %4 = muli %1, %cst_1_i64 : tile<128xi64>
  %reshape_10 = reshape %assume : tile<ptr<i8>> -> tile<1xptr<i8>>
  %bcast_11 = broadcast %reshape_10 : tile<1xptr<i8>> -> tile<128xptr<i8>>
  %5 = offset %bcast_11, %4 : tile<128xptr<i8>>, tile<128xi64> -> tile<128xptr<i8>>
  %result, %result_token_12 = load_ptr_tko weak %5, %3, %cst_0_i8 token=%0 : tile<128xptr<i8>>, tile<128xi1>, tile<128xi8> -> tile<128xi8>, token
  %pview_13 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>
  %6 = store_view_tko weak %result, %pview_13[%blockId_x_7] token = %0 : tile<128xi8>, partition_view<tile=(128), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  return
}
