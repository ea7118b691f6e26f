entry @array_slices(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg10 : tile<i32>
  %1 = muli %arg12, %assume_5 : tile<i32>
  %2 = exti %1 signed : tile<i32> -> tile<i64>
  %3 = offset %assume, %2 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %4 = subi %arg13, %arg12 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %4 : tile<i32>
  %assume_assume_10 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_11 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %cst_8_i32 = constant <i32: 8> : tile<i32>
  %5 = muli %cst_8_i32, %cst_1_i32 : tile<i32>
  %6 = exti %5 signed : tile<i32> -> tile<i64>
  %7 = offset %3, %6 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_12 = assume div_by<4>, %7 : tile<ptr<f32>>
  %assume_assume_assume = assume bounded<0, ?>, %assume_assume : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %cst_32_i32 = constant <i32: 32> : tile<i32>
  %assume_assume_assume_14 = assume bounded<0, ?>, %assume_assume_10 : tile<i32>
  %assume_assume_assume_15 = assume bounded<0, ?>, %assume_assume_11 : tile<i32>
  %tview = make_tensor_view %assume_12, shape = [%assume_assume_assume, %assume_assume_13, 32], strides = [%assume_assume_assume_14, %assume_assume_assume_15, 1] : tile<i32> -> tensor_view<?x?x32xf32, strides=[?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x32xf32, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_16] token = %0 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x32xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %8 = muli %cst_1_i32_17, %assume_8 : tile<i32>
  %9 = exti %8 signed : tile<i32> -> tile<i64>
  %10 = offset %assume_0, %9 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_18 = assume div_by<4>, %10 : tile<ptr<f32>>
  %11 = subi %assume_6, %cst_1_i32_17 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %11 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %assume_assume_21 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %tview_22 = make_tensor_view %assume_18, shape = [%assume_19, %assume_assume_20], strides = [%assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
  %cst_0_i32_26 = constant <i32: 0> : tile<i32>
  %reshape = reshape %tile : tile<1x16x16xf32> -> tile<16x16xf32>
  %pview_27 = make_partition_view %tview_22 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %12 = store_view_tko weak %reshape, %pview_27[%blockId_x_23, %cst_0_i32_26] token = %0 : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
