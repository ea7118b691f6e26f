entry @prints(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<f64>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %1 = join_tokens %0, %result_token : token
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %2 = join_tokens %0, %1 : token
  %3 = print_tko "block %d of %d, 100%%\0A", %blockId_x_5, %gridSize_x token=%2 : tile<i32>, tile<i32> -> token
  %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32>
  %pview_11 = make_partition_view %tview_4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>
  %4 = join_tokens %0, %3 : token
  %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x_8] token = %4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<8xi64>, token
  %5 = join_tokens %0, %result_token_13 : token
  %6 = join_tokens %3, %1, %5 : token
  %7 = print_tko "x = %8.3f y = %lld\0A", %tile, %tile_12 token=%6 : tile<8xf32>, tile<8xi64> -> token
  %8 = join_tokens %7, %1, %5 : token
  %9 = print_tko "count: %d: ratio: %lf\0A", %arg6, %arg7 token=%8 : tile<i32>, tile<f64> -> token
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %15 : tile<f32>
  }
  %10 = join_tokens %9, %1, %5 : token
  %11 = print_tko "sum %.2f \22quoted\22\09and %x", %reduce, %arg6 token=%10 : tile<f32>, tile<i32> -> token
  %blockId_x_14, %blockId_y_15, %blockId_z_16 = get_tile_block_id : tile<i32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32>
  %12 = addf %tile, %bcast  : tile<8xf32>
  %pview_17 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %13 = join_tokens %1, %11 : token
  %14 = store_view_tko weak %12, %pview_17[%blockId_x_14] token = %13 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
