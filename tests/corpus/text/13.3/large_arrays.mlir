entry @large_arrays(%arg0: tile<ptr<f32>>, %arg1: tile<i64>, %arg2: tile<i64>, %arg3: tile<i64>, %arg4: tile<i64>, %arg5: tile<ptr<f32>>, %arg6: tile<i64>, %arg7: tile<i64>, %arg8: tile<i64>, %arg9: tile<i64>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i64>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i64>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i64>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i64>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i64>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i64>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %pview_9 = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %cst_0_i64_10 = constant <i64: 0> : tile<i64>
  %pview_11 = make_partition_view %tview_8 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %for = for %loopIdx in (%blockId_x to %1#0, step %gridSize_x) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
    %6 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %tile, %result_token = load_view_tko weak %pview_9[%6, %cst_0_i64] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i64> -> tile<32x32xf32>, token
    %7 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %8 = store_view_tko weak %tile, %pview_11[%7, %cst_0_i64_10] token = %iterArg0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i64> -> token
    continue %8 : token
  }
  %2 = muli %assume_2, %assume_4 : tile<i64>
  %cst_1_i64_12 = constant <i64: 1> : tile<i64>
  %3 = subi %2, %cst_1_i64_12 : tile<i64>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %4 = offset %assume_0, %3 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_13 = assume div_by<4>, %4 : tile<ptr<f32>>
  %5 = store_ptr_tko weak %assume_13, %cst_1_f32 token=%for : tile<ptr<f32>>, tile<f32> -> token
  return
}
