entry @embedding_lookup(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<16x64xi64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg11 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16), tensor_view<?xi64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<16xi64>, token
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
  %1 = muli %blockId_y_12, %cst_64_i32 : tile<i32>
  %2 = iota : tile<64xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>
  %3 = addi %bcast, %2 : tile<64xi32>
  %reshape_14 = reshape %tile : tile<16xi64> -> tile<16x1xi64>
  %reshape_15 = reshape %3 : tile<64xi32> -> tile<1x64xi32>
  %cst_f32 = constant <f32: -1.000000e+00> : tile<f32>
  %bcast_16 = broadcast %reshape_14 : tile<16x1xi64> -> tile<16x64xi64>
  %4 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape_17 = reshape %4 : tile<i64> -> tile<1x1xi64>
  %bcast_18 = broadcast %reshape_17 : tile<1x1xi64> -> tile<16x64xi64>
  %5 = cmpi less_than %bcast_16, %bcast_18, unsigned : tile<16x64xi64> -> tile<16x64xi1>
  %6 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %reshape_19 = reshape %6 : tile<i64> -> tile<1x1xi64>
  %bcast_20 = broadcast %reshape_19 : tile<1x1xi64> -> tile<16x64xi64>
  %7 = muli %bcast_16, %bcast_20 : tile<16x64xi64>
  %8 = exti %reshape_15 signed : tile<1x64xi32> -> tile<1x64xi64>
  %bcast_21 = broadcast %8 : tile<1x64xi64> -> tile<16x64xi64>
  %9 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %reshape_22 = reshape %9 : tile<i64> -> tile<1x1xi64>
  %bcast_23 = broadcast %reshape_22 : tile<1x1xi64> -> tile<16x64xi64>
  %10 = cmpi less_than %bcast_21, %bcast_23, unsigned : tile<16x64xi64> -> tile<16x64xi1>
  %11 = andi %5, %10 : tile<16x64xi1>
  %12 = muli %bcast_21, %cst_1_i64 : tile<16x64xi64>
  %13 = addi %7, %12 : tile<16x64xi64>
  %reshape_24 = reshape %assume : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %bcast_25 = broadcast %reshape_24 : tile<1x1xptr<f32>> -> tile<16x64xptr<f32>>
  %14 = offset %bcast_25, %13 : tile<16x64xptr<f32>>, tile<16x64xi64> -> tile<16x64xptr<f32>>
  %reshape_26 = reshape %cst_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_27 = broadcast %reshape_26 : tile<1x1xf32> -> tile<16x64xf32>
  %result, %result_token_28 = load_ptr_tko weak %14, %11, %bcast_27 token=%0 optimization_hints = <default = {latency = 3}> : tile<16x64xptr<f32>>, tile<16x64xi1>, tile<16x64xf32> -> tile<16x64xf32>, token
  %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
  %blockId_x_32, %blockId_y_33, %blockId_z_34 = get_tile_block_id : tile<i32>
  %pview_35 = make_partition_view %tview_10 : partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>
  %15 = store_view_tko weak %result, %pview_35[%blockId_x_29, %blockId_y_33] token = %0 : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
