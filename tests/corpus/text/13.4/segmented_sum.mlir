entry @segmented_sum(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i1>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i1>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %pview_12 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>
  %tile_13, %result_token_14 = load_view_tko weak %pview_12[%blockId_x_9] token = %0 : partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>, tile<i32> -> tile<128xi1>, token
  %1:2 = scan %tile, %tile_13 dim=0 reverse=false identities=[0.000000e+00 : f32, false] : tile<128xf32>, tile<128xi1> -> tile<128xf32>, tile<128xi1> 
  (%arg9: tile<f32>, %arg10: tile<f32>, %arg11: tile<i1>, %arg12: tile<i1>) {
    %3 = addf %arg9, %arg10  : tile<f32>
    %4 = select %arg12, %arg10, %3 : tile<i1>, tile<f32>
    %5 = ori %arg11, %arg12 : tile<i1>
    yield %4, %5 : tile<f32>, tile<i1>
  }
  %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
  %pview_18 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %1#0, %pview_18[%blockId_x_15] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
