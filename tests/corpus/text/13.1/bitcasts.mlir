entry @bitcasts(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f64>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<bf16>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i16>>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f64>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<bf16>>
  %assume_4 = assume div_by<16>, %arg15 : tile<ptr<i16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %cst_23_i32 = constant <i32: 23> : tile<64xi32>
  %cst_255_i32 = constant <i32: 255> : tile<64xi32>
  %cst_-2147483648_i32 = constant <i32: -2147483648> : tile<64xi32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_18 = make_tensor_view %assume_3, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_20 = make_tensor_view %assume_4, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %1 = join_tokens %0, %result_token : token
  %2 = bitcast %tile : tile<64xf32> -> tile<64xi32>
  %3 = shri %2, %cst_23_i32 signed : tile<64xi32>
  %4 = andi %3, %cst_255_i32 : tile<64xi32>
  %pview_21 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %5 = store_view_tko weak %4, %pview_21[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %6 = xori %2, %cst_-2147483648_i32 : tile<64xi32>
  %7 = bitcast %6 : tile<64xi32> -> tile<64xf32>
  %pview_22 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %8 = store_view_tko weak %7, %pview_22[%blockId_x] token = %1 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_23 = make_partition_view %tview_14 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %tile_24, %result_token_25 = load_view_tko weak %pview_23[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %9 = bitcast %tile_24 : tile<64xf64> -> tile<64xi64>
  %pview_26 = make_partition_view %tview_16 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %10 = store_view_tko weak %9, %pview_26[%blockId_x] token = %0 : tile<64xi64>, partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %pview_27 = make_partition_view %tview_18 : partition_view<tile=(64), tensor_view<?xbf16, strides=[1]>>
  %tile_28, %result_token_29 = load_view_tko weak %pview_27[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<64xbf16>, token
  %11 = bitcast %tile_28 : tile<64xbf16> -> tile<64xi16>
  %pview_30 = make_partition_view %tview_20 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_30[%blockId_x] token = %0 : tile<64xi16>, partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  return
}
