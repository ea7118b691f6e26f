entry @cast_rounding_modes(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f64>>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg15 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_18 = make_tensor_view %assume_3, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_20 = make_tensor_view %assume_4, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %pview_21 = make_partition_view %tview_20 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %tile_22, %result_token_23 = load_view_tko weak %pview_21[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %1 = ftof %tile rounding<zero> : tile<64xf32> -> tile<64xf16>
  %pview_24 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %2 = store_view_tko weak %1, %pview_24[%blockId_x] token = %0 : tile<64xf16>, partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %3 = ftof %tile  : tile<64xf32> -> tile<64xf16>
  %pview_25 = make_partition_view %tview_14 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %4 = store_view_tko weak %3, %pview_25[%blockId_x] token = %0 : tile<64xf16>, partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %5 = ftof %tile_22 rounding<negative_inf> : tile<64xf64> -> tile<64xf32>
  %pview_26 = make_partition_view %tview_16 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %6 = store_view_tko weak %5, %pview_26[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %7 = ftof %tile_22 rounding<positive_inf> : tile<64xf64> -> tile<64xf32>
  %8 = ftof %tile rounding<nearest_away> : tile<64xf32> -> tile<64xtf32>
  %9 = ftof %8  : tile<64xtf32> -> tile<64xf32>
  %10 = addf %7, %9  : tile<64xf32>
  %pview_27 = make_partition_view %tview_18 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %11 = store_view_tko weak %10, %pview_27[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
