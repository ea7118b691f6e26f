entry @half_to_floats(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<bf16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f64>>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<bf16>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_16 = make_tensor_view %assume_3, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
  %1 = ftof %tile  : tile<64xf16> -> tile<64xbf16>
  %2 = ftof %tile  : tile<64xf16> -> tile<64xf32>
  %3 = ftof %tile  : tile<64xf16> -> tile<64xf64>
  %pview_17 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xbf16, strides=[1]>>
  %4 = store_view_tko weak %1, %pview_17[%blockId_x] token = %0 : tile<64xbf16>, partition_view<tile=(64), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %pview_18 = make_partition_view %tview_14 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %5 = store_view_tko weak %2, %pview_18[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_19 = make_partition_view %tview_16 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %6 = store_view_tko weak %3, %pview_19[%blockId_x] token = %0 : tile<64xf64>, partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  %7 = ftof %1  : tile<64xbf16> -> tile<64xf16>
  %8 = ftof %2  : tile<64xf32> -> tile<64xf16>
  %9 = addf %7, %8  : tile<64xf16>
  %10 = ftof %3  : tile<64xf64> -> tile<64xf16>
  %11 = addf %9, %10  : tile<64xf16>
  %pview_20 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_20[%blockId_x] token = %0 : tile<64xf16>, partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  return
}
