entry @split_k_matmul(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<64x64xi64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_3, %assume_4], strides = [%assume_5, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_6 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_9 = make_tensor_view %assume_0, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg13 : tile<i32>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %cst_64_i32_13 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_14, %blockId_y_15, %blockId_z_16 = get_tile_block_id : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64x32), tensor_view<?x?xf16, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(64x32), tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %for = for %loopIdx in (%blockId_z_19 to %1#1, step %gridSize_z) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<64x64xf32>) {
    %pview_34 = make_partition_view %tview : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tile, %result_token_35 = load_view_tko weak %pview_34[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
    %pview_36 = make_partition_view %tview_9 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tile_37, %result_token_38 = load_view_tko weak %pview_36[%loopIdx, %blockId_y_15] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %20 = mmaf %tile, %tile_37, %iterArg0 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %20 : tile<64x64xf32>
  }
  %2 = muli %blockId_x, %cst_64_i32 : tile<i32>
  %3 = iota : tile<64xi32>
  %reshape = reshape %3 : tile<64xi32> -> tile<64x1xi32>
  %reshape_20 = reshape %2 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_20 : tile<1x1xi32> -> tile<64x1xi32>
  %4 = addi %bcast, %reshape : tile<64x1xi32>
  %5 = muli %blockId_y_15, %cst_64_i32_13 : tile<i32>
  %6 = iota : tile<64xi32>
  %reshape_21 = reshape %6 : tile<64xi32> -> tile<1x64xi32>
  %reshape_22 = reshape %5 : tile<i32> -> tile<1x1xi32>
  %bcast_23 = broadcast %reshape_22 : tile<1x1xi32> -> tile<1x64xi32>
  %7 = addi %bcast_23, %reshape_21 : tile<1x64xi32>
  %8 = exti %4 signed : tile<64x1xi32> -> tile<64x1xi64>
  %bcast_24 = broadcast %8 : tile<64x1xi64> -> tile<64x64xi64>
  %9 = exti %assume_10 signed : tile<i32> -> tile<i64>
  %reshape_25 = reshape %9 : tile<i64> -> tile<1x1xi64>
  %bcast_26 = broadcast %reshape_25 : tile<1x1xi64> -> tile<64x64xi64>
  %10 = cmpi less_than %bcast_24, %bcast_26, unsigned : tile<64x64xi64> -> tile<64x64xi1>
  %11 = exti %assume_12 signed : tile<i32> -> tile<i64>
  %reshape_27 = reshape %11 : tile<i64> -> tile<1x1xi64>
  %bcast_28 = broadcast %reshape_27 : tile<1x1xi64> -> tile<64x64xi64>
  %12 = muli %bcast_24, %bcast_28 : tile<64x64xi64>
  %13 = exti %7 signed : tile<1x64xi32> -> tile<1x64xi64>
  %bcast_29 = broadcast %13 : tile<1x64xi64> -> tile<64x64xi64>
  %14 = exti %assume_11 signed : tile<i32> -> tile<i64>
  %reshape_30 = reshape %14 : tile<i64> -> tile<1x1xi64>
  %bcast_31 = broadcast %reshape_30 : tile<1x1xi64> -> tile<64x64xi64>
  %15 = cmpi less_than %bcast_29, %bcast_31, unsigned : tile<64x64xi64> -> tile<64x64xi1>
  %16 = andi %10, %15 : tile<64x64xi1>
  %17 = muli %bcast_29, %cst_1_i64 : tile<64x64xi64>
  %18 = addi %12, %17 : tile<64x64xi64>
  %reshape_32 = reshape %assume_1 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %bcast_33 = broadcast %reshape_32 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
  %19 = offset %bcast_33, %18 : tile<64x64xptr<f32>>, tile<64x64xi64> -> tile<64x64xptr<f32>>
  %result, %result_token = atomic_rmw_tko relaxed device %19, addf, %for, %16 token=%0 : tile<64x64xptr<f32>>, tile<64x64xf32>, tile<64x64xi1> -> tile<64x64xf32>, token
  return
}
