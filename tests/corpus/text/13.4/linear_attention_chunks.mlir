entry @linear_attention_chunks(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg15 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_16 = make_tensor_view %assume_1, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_17 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg17 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg18 : tile<i32>
  %tview_20 = make_tensor_view %assume_2, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %1 = iota : tile<32xi32>
  %reshape = reshape %1 : tile<32xi32> -> tile<32x1xi32>
  %reshape_21 = reshape %1 : tile<32xi32> -> tile<1x32xi32>
  %bcast = broadcast %reshape : tile<32x1xi32> -> tile<32x32xi32>
  %bcast_22 = broadcast %reshape_21 : tile<1x32xi32> -> tile<32x32xi32>
  %2 = cmpi greater_than_or_equal %bcast, %bcast_22, signed : tile<32x32xi32> -> tile<32x32xi1>
  %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %3:2 = get_index_space_shape %pview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_23 = constant <i32: 1> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview_24 = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %blockId_x_25, %blockId_y_26, %blockId_z_27 = get_tile_block_id : tile<i32>
  %pview_28 = make_partition_view %tview_12 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
  %pview_32 = make_partition_view %tview_16 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %cst_0_f32_33 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %cst_0_f32_34 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_35 = reshape %cst_0_f32_34 : tile<f32> -> tile<1x1xf32>
  %bcast_36 = broadcast %reshape_35 : tile<1x1xf32> -> tile<32x32xf32>
  %cst_0_f32_37 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %blockId_x_38, %blockId_y_39, %blockId_z_40 = get_tile_block_id : tile<i32>
  %pview_41 = make_partition_view %tview_20 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %for = for %loopIdx in (%cst_0_i32 to %3#0, step %cst_1_i32_23) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x32xf32>) {
    %tile, %result_token = load_view_tko weak %pview_24[%loopIdx, %blockId_x] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %tile_42, %result_token_43 = load_view_tko weak %pview_28[%loopIdx, %blockId_x_25] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %tile_44, %result_token_45 = load_view_tko weak %pview_32[%loopIdx, %blockId_x_29] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %4 = permute %tile_42 [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %5 = mmaf %tile, %4, %cst_0_f32_33 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %6 = select %2, %5, %bcast_36 : tile<32x32xi1>, tile<32x32xf32>
    %7 = mmaf %tile, %iterArg0, %cst_0_f32_37 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %8 = mmaf %6, %tile_44, %7 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %9 = permute %tile_42 [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %10 = mmaf %9, %tile_44, %iterArg0 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %11 = store_view_tko weak %8, %pview_41[%loopIdx, %blockId_x_38] token = %0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    continue %10 : tile<32x32xf32>
  }
  return
}
