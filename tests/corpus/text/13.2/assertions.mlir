entry @assertions(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<16xi32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %1 = cmpi greater_than_or_equal %tile, %cst_0_i32, signed : tile<16xi32> -> tile<16xi1>
  assert %1, "negative index" : tile<16xi1>
  %reshape = reshape %arg6 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<16xi32>
  %2 = cmpi less_than %tile, %bcast, signed : tile<16xi32> -> tile<16xi1>
  assert %2, "" : tile<16xi1>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %3 = remi %arg6, %cst_2_i32 signed : tile<i32>
  %cst_0_i32_5 = constant <i32: 0> : tile<i32>
  %4 = cmpi less_than %3, %cst_0_i32_5, signed : tile<i32> -> tile<i1>
  %false = constant <i1: false> : tile<i1>
  %5 = xori %4, %false : tile<i1>
  %6 = cmpi not_equal %3, %cst_0_i32_5, signed : tile<i32> -> tile<i1>
  %7 = andi %5, %6 : tile<i1>
  %8 = addi %3, %cst_2_i32 : tile<i32>
  %9 = select %7, %8, %3 : tile<i1>, tile<i32>
  %cst_0_i32_6 = constant <i32: 0> : tile<i32>
  %10 = cmpi equal %9, %cst_0_i32_6, signed : tile<i32> -> tile<i1>
  assert %10, "limit must be even: \222n\22\0Asee \C2\A71" : tile<i1>
  %blockId_x_7, %blockId_y_8, %blockId_z_9 = get_tile_block_id : tile<i32>
  %pview_10 = make_partition_view %tview_4 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %11 = store_view_tko weak %tile, %pview_10[%blockId_x_7] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
