entry @skipping_view(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i8>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %blockId_x_12, %blockId_y_13, %blockId_z_14 = get_tile_block_id : tile<i32>
  %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
  %sview = make_strided_view %tview : strided_view<tile=(4x8), traversal_strides=[6,4], tensor_view<?x?xi8, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %sview[%blockId_y_13, %blockId_x_15] token = %0 optimization_hints = <default = {latency = 1}> : strided_view<tile=(4x8), traversal_strides=[6,4], tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<4x8xi8>, token
  %sview_18 = make_strided_view %tview_8 : strided_view<tile=(4x8), traversal_strides=[4,16], tensor_view<?x?xi8, strides=[?,1]>>
  %1 = store_view_tko weak %tile, %sview_18[%blockId_x, %blockId_y_10] token = %0 : tile<4x8xi8>, strided_view<tile=(4x8), traversal_strides=[4,16], tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
  return
}
