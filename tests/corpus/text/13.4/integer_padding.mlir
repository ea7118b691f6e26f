entry @integer_padding(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(4x32), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(4x32), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<4x32xi32>, token
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %cst_0_i32_12 = constant <i32: 0> : tile<i32>
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %pview_17 = make_partition_view %tview : partition_view<tile=(4x32), tensor_view<?x?xi32, strides=[?,1]>>
  %tile_18, %result_token_19 = load_view_tko weak %pview_17[%blockId_x_13, %cst_1_i32_16] token = %0 : partition_view<tile=(4x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<4x32xi32>, token
  %1 = addi %tile, %tile_18 : tile<4x32xi32>
  %pview_20 = make_partition_view %tview_8 : partition_view<tile=(4x32), tensor_view<?x?xi32, strides=[?,1]>>
  %2 = store_view_tko weak %1, %pview_20[%blockId_x_9, %cst_0_i32_12] token = %0 : tile<4x32xi32>, partition_view<tile=(4x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
  return
}
