entry @array_choice(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview = make_tensor_view %assume_1, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = cmpi greater_than %arg9, %cst_0_i32, signed : tile<i32> -> tile<i1>
  %2:2 = if %1 -> (tile<ptr<f32>>, tile<i32>) {
    yield %assume, %assume_4 : tile<ptr<f32>>, tile<i32>
  } else {
    %cst_32_i32 = constant <i32: 32> : tile<i32>
    %4 = muli %cst_32_i32, %cst_1_i32 : tile<i32>
    %5 = exti %4 signed : tile<i32> -> tile<i64>
    %6 = offset %assume_0, %5 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %7 = subi %assume_5, %cst_32_i32 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %7 : tile<i32>
    yield %6, %assume_13 : tile<ptr<f32>>, tile<i32>
  }
  %assume_ = assume div_by<16>, %2#0 : tile<ptr<f32>>
  %assume__7 = assume bounded<0, ?>, %2#1 : tile<i32>
  %tview_8 = make_tensor_view %assume_, shape = [%assume__7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview_8 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x_9] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %pview_12 = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %3 = store_view_tko weak %tile, %pview_12[%blockId_x] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
