entry @fp8_conversions_e5m2(%arg0: tile<ptr<f8E5M2>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f8E5M2>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f16>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f8E5M2>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f8E5M2>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf8E5M2, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf8E5M2, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf8E5M2, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf8E5M2, strides=[1]>>, tile<i32> -> tile<128xf8E5M2>, token
  %1 = ftof %tile  : tile<128xf8E5M2> -> tile<128xf16>
  %pview_13 = make_partition_view %tview_12 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>
  %2 = store_view_tko weak %1, %pview_13[%blockId_x] token = %0 : tile<128xf16>, partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %3 = ftof %tile  : tile<128xf8E5M2> -> tile<128xbf16>
  %4 = ftof %3  : tile<128xbf16> -> tile<128xf32>
  %5 = addf %tile_15, %4  : tile<128xf32>
  %6 = ftof %5  : tile<128xf32> -> tile<128xf8E5M2>
  %pview_17 = make_partition_view %tview_10 : partition_view<tile=(128), tensor_view<?xf8E5M2, strides=[1]>>
  %7 = store_view_tko weak %6, %pview_17[%blockId_x] token = %0 : tile<128xf8E5M2>, partition_view<tile=(128), tensor_view<?xf8E5M2, strides=[1]>>, tile<i32> -> token
  return
}
