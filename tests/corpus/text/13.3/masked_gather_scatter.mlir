entry @masked_gather_scatter(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i1>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i1>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_4 = constant <i64: 1> : tile<64xi64>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_7 = make_tensor_view %assume_1, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_8 = assume bounded<0, ?>, %arg10 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %pview_12 = make_partition_view %tview_7 : partition_view<tile=(64), tensor_view<?xi1, strides=[1]>>
  %tile_13, %result_token_14 = load_view_tko weak %pview_12[%blockId_x_9] token = %0 : partition_view<tile=(64), tensor_view<?xi1, strides=[1]>>, tile<i32> -> tile<64xi1>, token
  %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
  %1 = exti %tile signed : tile<64xi32> -> tile<64xi64>
  %2 = muli %1, %cst_1_i64 : tile<64xi64>
  %reshape = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %3 = offset %bcast, %2 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %reshape_15 = reshape %cst_NaN_f32 : tile<f32> -> tile<1xf32>
  %bcast_16 = broadcast %reshape_15 : tile<1xf32> -> tile<64xf32>
  %result, %result_token_17 = load_ptr_tko weak %3, %tile_13, %bcast_16 token=%0 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_18 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
  %bcast_19 = broadcast %reshape_18 : tile<1xf32> -> tile<64xf32>
  %4 = mulf %result, %bcast_19  : tile<64xf32>
  %5 = cmpf equal ordered %result, %result : tile<64xf32> -> tile<64xi1>
  %6 = andi %tile_13, %5 : tile<64xi1>
  %7 = exti %tile signed : tile<64xi32> -> tile<64xi64>
  %8 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_20 = reshape %8 : tile<i64> -> tile<1xi64>
  %bcast_21 = broadcast %reshape_20 : tile<1xi64> -> tile<64xi64>
  %9 = cmpi less_than %7, %bcast_21, unsigned : tile<64xi64> -> tile<64xi1>
  %10 = muli %7, %cst_1_i64_4 : tile<64xi64>
  %reshape_22 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_23 = broadcast %reshape_22 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %11 = offset %bcast_23, %10 : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %12 = andi %9, %6 : tile<64xi1>
  %13 = store_ptr_tko weak %11, %4, %12 token=%0 : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}
