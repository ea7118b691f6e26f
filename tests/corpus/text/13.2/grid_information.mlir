entry @grid_information(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_1 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0, %assume_1, %assume_2], strides = [%assume_3, %assume_4, 1] : tile<i32> -> tensor_view<?x?x?xi32, strides=[?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %1 = muli %blockId_z, %gridSize_y : tile<i32>
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %2 = addi %1, %blockId_y_6 : tile<i32>
  %gridSize_x_8, %gridSize_y_9, %gridSize_z_10 = get_num_tile_blocks : tile<i32>
  %3 = muli %2, %gridSize_x_8 : tile<i32>
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
  %4 = addi %3, %blockId_x_11 : tile<i32>
  %cst_100_i32 = constant <i32: 100> : tile<i32>
  %5 = muli %4, %cst_100_i32 : tile<i32>
  %gridSize_x_14, %gridSize_y_15, %gridSize_z_16 = get_num_tile_blocks : tile<i32>
  %gridSize_x_17, %gridSize_y_18, %gridSize_z_19 = get_num_tile_blocks : tile<i32>
  %6 = muli %gridSize_x_14, %gridSize_y_18 : tile<i32>
  %gridSize_x_20, %gridSize_y_21, %gridSize_z_22 = get_num_tile_blocks : tile<i32>
  %7 = muli %6, %gridSize_z_22 : tile<i32>
  %8 = divi %5, %7 signed rounding<negative_inf> : tile<i32>
  %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
  %blockId_x_26, %blockId_y_27, %blockId_z_28 = get_tile_block_id : tile<i32>
  %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
  %reshape = reshape %8 : tile<i32> -> tile<1x1x1xi32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1x1), tensor_view<?x?x?xi32, strides=[?,?,1]>>
  %9 = store_view_tko weak %reshape, %pview[%blockId_x_23, %blockId_y_27, %blockId_z_31] token = %0 : tile<1x1x1xi32>, partition_view<tile=(1x1x1), tensor_view<?x?x?xi32, strides=[?,?,1]>>, tile<i32> -> token
  return
}
