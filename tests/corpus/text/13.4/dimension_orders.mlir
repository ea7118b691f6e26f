entry @dimension_orders(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3, %assume_4], strides = [%assume_5, %assume_6, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8, %assume_9], strides = [%assume_10, %assume_11, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 1, 0]>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_14, %cst_0_i32] token = %0 : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 1, 0]>, tile<i32> -> tile<8x4x2xf16>, token
  %blockId_x_16, %blockId_y_17, %blockId_z_18 = get_tile_block_id : tile<i32>
  %cst_0_i32_19 = constant <i32: 0> : tile<i32>
  %blockId_x_20, %blockId_y_21, %blockId_z_22 = get_tile_block_id : tile<i32>
  %pview_23 = make_partition_view %tview : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[1, 2, 0]>
  %tile_24, %result_token_25 = load_view_tko weak %pview_23[%blockId_x_16, %cst_0_i32_19, %blockId_y_21] token = %0 : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[1, 2, 0]>, tile<i32> -> tile<8x4x2xf16>, token
  %blockId_x_26, %blockId_y_27, %blockId_z_28 = get_tile_block_id : tile<i32>
  %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
  %cst_0_i32_32 = constant <i32: 0> : tile<i32>
  %1 = addf %tile, %tile_24  : tile<8x4x2xf16>
  %pview_33 = make_partition_view %tview_12 : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 0, 1]>
  %2 = store_view_tko weak %1, %pview_33[%blockId_x_26, %blockId_y_30, %cst_0_i32_32] token = %0 : tile<8x4x2xf16>, partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 0, 1]>, tile<i32> -> token
  %pview_34 = make_partition_view %tview : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 1, 0]>
  %3:3 = get_index_space_shape %pview_34 : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[2, 1, 0]> -> tile<i32>
  %cst_0_i32_35 = constant <i32: 0> : tile<i32>
  %cst_0_i32_36 = constant <i32: 0> : tile<i32>
  %pview_37 = make_partition_view %tview_12 : partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %4 = store_view_tko weak %tile, %pview_37[%3#0, %cst_0_i32_35, %cst_0_i32_36] token = %2 : tile<8x4x2xf16>, partition_view<tile=(8x4x2), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
