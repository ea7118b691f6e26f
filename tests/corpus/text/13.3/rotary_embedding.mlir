entry @rotary_embedding(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg12 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5, %assume_6], strides = [%assume_7, %assume_8, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview_16 = make_tensor_view %assume_1, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_18, %cst_0_i32] token = %0 : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<16x1x64xbf16>, token
  %1 = join_tokens %0, %result_token : token
  %2 = ftof %tile  : tile<16x1x64xbf16> -> tile<16x1x64xf32>
  %cst_1_i32_20 = constant <i32: 1> : tile<i32>
  %pview_21 = make_partition_view %tview : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %tile_22, %result_token_23 = load_view_tko weak %pview_21[%blockId_x, %blockId_y_18, %cst_1_i32_20] token = %0 : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<16x1x64xbf16>, token
  %3 = join_tokens %1, %result_token_23 : token
  %4 = ftof %tile_22  : tile<16x1x64xbf16> -> tile<16x1x64xf32>
  %cst_0_i32_24 = constant <i32: 0> : tile<i32>
  %pview_25 = make_partition_view %tview_12 : partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_26, %result_token_27 = load_view_tko weak %pview_25[%blockId_x, %cst_0_i32_24] token = %0 : partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x64xf32>, token
  %reshape = reshape %tile_26 : tile<16x64xf32> -> tile<16x1x64xf32>
  %cst_0_i32_28 = constant <i32: 0> : tile<i32>
  %pview_29 = make_partition_view %tview_16 : partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_30, %result_token_31 = load_view_tko weak %pview_29[%blockId_x, %cst_0_i32_28] token = %0 : partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x64xf32>, token
  %reshape_32 = reshape %tile_30 : tile<16x64xf32> -> tile<16x1x64xf32>
  %cst_0_i32_33 = constant <i32: 0> : tile<i32>
  %5 = mulf %4, %reshape_32  : tile<16x1x64xf32>
  %6 = negf %5 : tile<16x1x64xf32>
  %7 = fma %2, %reshape, %6  : tile<16x1x64xf32>
  %8 = ftof %7  : tile<16x1x64xf32> -> tile<16x1x64xbf16>
  %pview_34 = make_partition_view %tview : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %9 = store_view_tko weak %8, %pview_34[%blockId_x, %blockId_y_18, %cst_0_i32_33] token = %3 : tile<16x1x64xbf16>, partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
  %cst_1_i32_35 = constant <i32: 1> : tile<i32>
  %10 = mulf %2, %reshape_32  : tile<16x1x64xf32>
  %11 = fma %4, %reshape, %10  : tile<16x1x64xf32>
  %12 = ftof %11  : tile<16x1x64xf32> -> tile<16x1x64xbf16>
  %pview_36 = make_partition_view %tview : partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %13 = store_view_tko weak %12, %pview_36[%blockId_x, %blockId_y_18, %cst_1_i32_35] token = %9 : tile<16x1x64xbf16>, partition_view<tile=(16x1x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
