entry @extractions(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_0_i32_14 = constant <i32: 0> : tile<i32>
  %1 = extract %tile[%cst_1_i32_13, %cst_0_i32_14] : tile<16x16xf32> -> tile<8x8xf32>
  %cst_0_i32_15 = constant <i32: 0> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %2 = extract %tile[%cst_0_i32_15, %cst_1_i32_16] : tile<16x16xf32> -> tile<8x8xf32>
  %3 = subf %1, %2  : tile<8x8xf32>
  %4 = extract %tile[%arg13, %arg13] : tile<16x16xf32> -> tile<4x4xf32>
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %cst_0_i32_20 = constant <i32: 0> : tile<i32>
  %pview_21 = make_partition_view %tview_10 : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>
  %5 = store_view_tko weak %3, %pview_21[%blockId_x_17, %cst_0_i32_20] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %6 = extract %4[%cst_3_i32, %arg13] : tile<4x4xf32> -> tile<1x1xf32>
  %reshape = reshape %6 : tile<1x1xf32> -> tile<f32>
  %cst_5_i32 = constant <i32: 5> : tile<i32>
  %cst_9_i32 = constant <i32: 9> : tile<i32>
  %7 = extract %tile[%cst_5_i32, %cst_9_i32] : tile<16x16xf32> -> tile<1x1xf32>
  %reshape_22 = reshape %7 : tile<1x1xf32> -> tile<f32>
  %8 = addf %reshape, %reshape_22  : tile<f32>
  %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
  %reshape_26 = reshape %8 : tile<f32> -> tile<1xf32>
  %pview_27 = make_partition_view %tview_12 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %9 = store_view_tko weak %reshape_26, %pview_27[%blockId_x_23] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
