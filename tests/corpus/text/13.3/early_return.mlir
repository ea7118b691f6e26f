entry @early_return(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = cmpi greater_than_or_equal %blockId_x, %arg6, signed : tile<i32> -> tile<i1>
  if %1 {
    return
  } else {
  }
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x_5] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<32xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %5 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %5 : tile<f32>
  }
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %2 = cmpf less_than ordered %reduce, %cst_0_f32 : tile<f32> -> tile<i1>
  %3 = if %2 -> (token) {
    %blockId_x_12, %blockId_y_13, %blockId_z_14 = get_tile_block_id : tile<i32>
    %cst_0_f32_15 = constant <f32: 0.000000e+00> : tile<32xf32>
    %pview_16 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
    %5 = store_view_tko weak %cst_0_f32_15, %pview_16[%blockId_x_12] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  } else {
    yield %0 : token
  }
  %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32>
  %pview_11 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %4 = store_view_tko weak %tile, %pview_11[%blockId_x_8] token = %3 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
