entry @padding_modes(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %pview = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %2 = subi %1#0, %cst_1_i32_9 : tile<i32>
  %pview_10 = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %3:2 = get_index_space_shape %pview_10 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %4 = subi %3#1, %cst_1_i32_11 : tile<i32>
  %pview_12 = make_partition_view %tview : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview_12[%2, %4] token = %0 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %pview_13 = make_partition_view %tview : partition_view<tile=(16x16), padding_value = neg_zero, tensor_view<?x?xf32, strides=[?,1]>>
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%2, %4] token = %0 : partition_view<tile=(16x16), padding_value = neg_zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %5 = addf %tile, %tile_14  : tile<16x16xf32>
  %pview_16 = make_partition_view %tview : partition_view<tile=(16x16), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%2, %4] token = %0 : partition_view<tile=(16x16), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %6 = maxf %5, %tile_17 : tile<16x16xf32>
  %pview_19 = make_partition_view %tview : partition_view<tile=(16x16), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %tile_20, %result_token_21 = load_view_tko weak %pview_19[%2, %4] token = %0 : partition_view<tile=(16x16), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %7 = minf %6, %tile_20 : tile<16x16xf32>
  %pview_22 = make_partition_view %tview : partition_view<tile=(16x16), padding_value = nan, tensor_view<?x?xf32, strides=[?,1]>>
  %tile_23, %result_token_24 = load_view_tko weak %pview_22[%2, %4] token = %0 : partition_view<tile=(16x16), padding_value = nan, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %8 = addf %7, %tile_23  : tile<16x16xf32>
  %pview_25 = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_26, %result_token_27 = load_view_tko weak %pview_25[%2, %4] token = %0 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %9 = addf %8, %tile_26  : tile<16x16xf32>
  %pview_28 = make_partition_view %tview_8 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %10 = store_view_tko weak %9, %pview_28[%2, %4] token = %0 : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
