entry @max_pool_2x2(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3, %assume_4, %assume_5], strides = [%assume_6, %assume_7, %assume_8, 1] : tile<i32> -> tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>
  %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_16 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10, %assume_11, %assume_12], strides = [%assume_13, %assume_14, %assume_15, 1] : tile<i32> -> tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %blockId_x_20, %blockId_y_21, %blockId_z_22 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1x8x32), padding_value = neg_inf, tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_18, %blockId_z_22, %cst_0_i32] token = %0 : partition_view<tile=(1x1x8x32), padding_value = neg_inf, tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x8x32xf32>, token
  %reshape = reshape %tile : tile<1x1x8x32xf32> -> tile<1x1x4x2x16x2xf32>
  %cst_0_i32_23 = constant <i32: 0> : tile<i32>
  %reduce = reduce %reshape dim=3 identities=[0xFF800000 : f32] : tile<1x1x4x2x16x2xf32> -> tile<1x1x4x16x2xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %2 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %2 : tile<f32>
  }
  %reduce_24 = reduce %reduce dim=4 identities=[0xFF800000 : f32] : tile<1x1x4x16x2xf32> -> tile<1x1x4x16xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %2 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %2 : tile<f32>
  }
  %pview_25 = make_partition_view %tview_16 : partition_view<tile=(1x1x4x16), tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>
  %1 = store_view_tko weak %reduce_24, %pview_25[%blockId_x, %blockId_y_18, %blockId_z_22, %cst_0_i32_23] token = %0 : tile<1x1x4x16xf32>, partition_view<tile=(1x1x4x16), tensor_view<?x?x?x?xf32, strides=[?,?,?,1]>>, tile<i32> -> token
  return
}
