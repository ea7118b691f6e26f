entry @many_ranks(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<ptr<f32>>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg1 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg4 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_4 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_13 = make_tensor_view %assume_1, shape = [%assume_4, %assume_5, %assume_6, %assume_7, %assume_8], strides = [%assume_9, %assume_10, %assume_11, %assume_12, 1] : tile<i32> -> tensor_view<?x?x?x?x?xf32, strides=[?,?,?,?,1]>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %result, %result_token = load_ptr_tko weak %assume, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  %1 = join_tokens %0, %result_token : token
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token_14 = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
  %2 = join_tokens %0, %result_token_14 : token
  %reshape = reshape %tile : tile<1xf32> -> tile<f32>
  %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %blockId_x_18, %blockId_y_19, %blockId_z_20 = get_tile_block_id : tile<i32>
  %cst_0_i32_21 = constant <i32: 0> : tile<i32>
  %cst_0_i32_22 = constant <i32: 0> : tile<i32>
  %pview_23 = make_partition_view %tview_13 : partition_view<tile=(1x2x1x4x8), tensor_view<?x?x?x?x?xf32, strides=[?,?,?,?,1]>>
  %tile_24, %result_token_25 = load_view_tko weak %pview_23[%blockId_x_15, %cst_0_i32, %blockId_y_19, %cst_0_i32_21, %cst_0_i32_22] token = %0 : partition_view<tile=(1x2x1x4x8), tensor_view<?x?x?x?x?xf32, strides=[?,?,?,?,1]>>, tile<i32> -> tile<1x2x1x4x8xf32>, token
  %3 = join_tokens %0, %result_token_25 : token
  %cst_0_i32_26 = constant <i32: 0> : tile<i32>
  %cst_0_i32_27 = constant <i32: 0> : tile<i32>
  %cst_0_i32_28 = constant <i32: 0> : tile<i32>
  %cst_0_i32_29 = constant <i32: 0> : tile<i32>
  %cst_0_i32_30 = constant <i32: 0> : tile<i32>
  %reshape_31 = reshape %result : tile<f32> -> tile<1x1x1x1x1xf32>
  %bcast = broadcast %reshape_31 : tile<1x1x1x1x1xf32> -> tile<1x2x1x4x8xf32>
  %4 = mulf %tile_24, %bcast  : tile<1x2x1x4x8xf32>
  %pview_32 = make_partition_view %tview_13 : partition_view<tile=(1x2x1x4x8), tensor_view<?x?x?x?x?xf32, strides=[?,?,?,?,1]>>
  %5 = store_view_tko weak %4, %pview_32[%cst_0_i32_26, %cst_0_i32_27, %cst_0_i32_28, %cst_0_i32_29, %cst_0_i32_30] token = %3 : tile<1x2x1x4x8xf32>, partition_view<tile=(1x2x1x4x8), tensor_view<?x?x?x?x?xf32, strides=[?,?,?,?,1]>>, tile<i32> -> token
  %blockId_x_33, %blockId_y_34, %blockId_z_35 = get_tile_block_id : tile<i32>
  %6 = addf %reshape, %result  : tile<f32>
  %reshape_36 = reshape %6 : tile<f32> -> tile<1xf32>
  %pview_37 = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %7 = store_view_tko weak %reshape_36, %pview_37[%blockId_x_33] token = %2 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %8 = store_ptr_tko weak %assume, %reshape token=%1 : tile<ptr<f32>>, tile<f32> -> token
  return
}
