entry @powers(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i8>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i8>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<64xi32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %cst_f32 = constant <f32: 1.500000e+00> : tile<f32>
  %reshape = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<64xf32>
  %1 = fpowf %tile, %bcast : tile<64xf32>
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_13 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
  %bcast_14 = broadcast %reshape_13 : tile<1xf32> -> tile<64xf32>
  %2 = fpowf %bcast_14, %tile : tile<64xf32>
  %3 = addf %1, %2  : tile<64xf32>
  %4 = absf %tile : tile<64xf32>
  %5 = fpowf %tile, %4 : tile<64xf32>
  %6 = addf %3, %5  : tile<64xf32>
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile_16, %result_token_17 = load_view_tko weak %pview_15[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %7 = fpowi %tile, %tile_16 : tile<64xf32>, tile<64xi32>
  %pview_18 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile_19, %result_token_20 = load_view_tko weak %pview_18[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %8 = fpowi %tile, %tile_19 : tile<64xf32>, tile<64xi8>
  %9 = addf %7, %8  : tile<64xf32>
  %10 = fpowi %tile, %cst_3_i32 : tile<64xf32>, tile<64xi32>
  %11 = addf %9, %10  : tile<64xf32>
  %12 = addf %6, %11  : tile<64xf32>
  %pview_21 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %13 = store_view_tko weak %12, %pview_21[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
