entry @linear_attention_chunks(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<sm_90 = {}> {
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
  %blockId_x_24, %blockId_y_25, %blockId_z_26 = get_tile_block_id : tile<i32>
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %cst_0_f32_30 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %cst_0_f32_31 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_32 = reshape %cst_0_f32_31 : tile<f32> -> tile<1x1xf32>
  %bcast_33 = broadcast %reshape_32 : tile<1x1xf32> -> tile<32x32xf32>
  %cst_0_f32_34 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %blockId_x_35, %blockId_y_36, %blockId_z_37 = get_tile_block_id : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %3#0, step %cst_1_i32_23) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x32xf32>) {
    %pview_38 = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview_38[%loopIdx, %blockId_x] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %pview_39 = make_partition_view %tview_12 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_40, %result_token_41 = load_view_tko weak %pview_39[%loopIdx, %blockId_x_24] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %pview_42 = make_partition_view %tview_16 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_43, %result_token_44 = load_view_tko weak %pview_42[%loopIdx, %blockId_x_27] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
    %4 = permute %tile_40 [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %5 = mmaf %tile, %4, %cst_0_f32_30 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %6 = select %2, %5, %bcast_33 : tile<32x32xi1>, tile<32x32xf32>
    %7 = mmaf %tile, %iterArg0, %cst_0_f32_34 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %8 = mmaf %6, %tile_43, %7 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %9 = permute %tile_40 [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %10 = mmaf %9, %tile_43, %iterArg0 : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
    %pview_45 = make_partition_view %tview_20 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %11 = store_view_tko weak %8, %pview_45[%loopIdx, %blockId_x_35] token = %0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    continue %10 : tile<32x32xf32>
  }
  return
}
