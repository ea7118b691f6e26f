entry @ordered_views(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<1xi32>
  %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_8 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_9 = make_tensor_view %assume_0, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_11 = make_tensor_view %assume_1, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_12 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_13 = make_tensor_view %assume_2, shape = [%assume_12], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko acquire device %pview[%cst_0_i32] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
  %1 = join_tokens %0, %result_token : token
  %cst_0_i32_14 = constant <i32: 0> : tile<i32>
  %cst_0_i32_15 = constant <i32: 0> : tile<i32>
  %pview_16 = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
  %2 = join_tokens %0, %result_token : token
  %tile_17, %result_token_18 = load_view_tko relaxed sys %pview_16[%cst_0_i32_15] token = %2 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
  %3:2 = loop iter_values(%arg12 = %tile, %arg13 = %1) : tile<1xi32>, token -> tile<1xi32>, token {
    %reshape_28 = reshape %arg12 : tile<1xi32> -> tile<i32>
    %12 = cmpi equal %reshape_28, %cst_0_i32_14, signed : tile<i32> -> tile<i1>
    if %12 {
    } else {
      break %arg12, %arg13 : tile<1xi32>, token
    }
    %13 = join_tokens %arg13, %result_token_18 : token
    continue %tile_17, %13 : tile<1xi32>, token
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview_19 = make_partition_view %tview_11 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %4 = join_tokens %0, %result_token : token
  %tile_20, %result_token_21 = load_view_tko weak %pview_19[%blockId_x] token = %4 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %5 = join_tokens %0, %result_token_21 : token
  %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<64xf32>
  %6 = addf %tile_20, %bcast  : tile<64xf32>
  %pview_25 = make_partition_view %tview_13 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %7 = join_tokens %0, %result_token : token
  %8 = store_view_tko relaxed tl_blk %6, %pview_25[%blockId_x_22] token = %7 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %cst_0_i32_26 = constant <i32: 0> : tile<i32>
  %9 = addi %3#0, %cst_1_i32_6 : tile<1xi32>
  %pview_27 = make_partition_view %tview_9 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
  %10 = join_tokens %0, %3#1, %result_token, %5, %8 : token
  %11 = store_view_tko release device %9, %pview_27[%cst_0_i32_26] token = %10 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
