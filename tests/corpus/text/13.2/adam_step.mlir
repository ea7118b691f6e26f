entry @adam_step(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<f32>, %arg13: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview_8 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %cst_f32 = constant <f32: 0.899999976> : tile<f32>
  %pview_13 = make_partition_view %tview_10 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %1 = join_tokens %0, %result_token_15 : token
  %reshape = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<1024xf32>
  %cst_f32_16 = constant <f32: 1.000000e-01> : tile<f32>
  %reshape_17 = reshape %cst_f32_16 : tile<f32> -> tile<1xf32>
  %bcast_18 = broadcast %reshape_17 : tile<1xf32> -> tile<1024xf32>
  %2 = mulf %bcast_18, %tile  : tile<1024xf32>
  %3 = fma %bcast, %tile_14, %2  : tile<1024xf32>
  %cst_f32_19 = constant <f32: 9.990000e-01> : tile<f32>
  %pview_20 = make_partition_view %tview_12 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %tile_21, %result_token_22 = load_view_tko weak %pview_20[%blockId_x] token = %0 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %4 = join_tokens %0, %result_token_22 : token
  %reshape_23 = reshape %cst_f32_19 : tile<f32> -> tile<1xf32>
  %bcast_24 = broadcast %reshape_23 : tile<1xf32> -> tile<1024xf32>
  %cst_f32_25 = constant <f32: 1.000000e-03> : tile<f32>
  %reshape_26 = reshape %cst_f32_25 : tile<f32> -> tile<1xf32>
  %bcast_27 = broadcast %reshape_26 : tile<1xf32> -> tile<1024xf32>
  %5 = mulf %bcast_27, %tile  : tile<1024xf32>
  %6 = mulf %5, %tile  : tile<1024xf32>
  %7 = fma %bcast_24, %tile_21, %6  : tile<1024xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %cst_f32_28 = constant <f32: 0.899999976> : tile<f32>
  %8 = itof %arg13 signed  : tile<i32> -> tile<f32>
  %9 = fpowf %cst_f32_28, %8 : tile<f32>
  %10 = subf %cst_1_f32, %9  : tile<f32>
  %reshape_29 = reshape %10 : tile<f32> -> tile<1xf32>
  %bcast_30 = broadcast %reshape_29 : tile<1xf32> -> tile<1024xf32>
  %11 = divf %3, %bcast_30  : tile<1024xf32>
  %cst_1_f32_31 = constant <f32: 1.000000e+00> : tile<f32>
  %cst_f32_32 = constant <f32: 9.990000e-01> : tile<f32>
  %12 = itof %arg13 signed  : tile<i32> -> tile<f32>
  %13 = fpowf %cst_f32_32, %12 : tile<f32>
  %14 = subf %cst_1_f32_31, %13  : tile<f32>
  %reshape_33 = reshape %14 : tile<f32> -> tile<1xf32>
  %bcast_34 = broadcast %reshape_33 : tile<1xf32> -> tile<1024xf32>
  %15 = divf %7, %bcast_34  : tile<1024xf32>
  %pview_35 = make_partition_view %tview : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %tile_36, %result_token_37 = load_view_tko weak %pview_35[%blockId_x] token = %0 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %16 = join_tokens %0, %result_token_37 : token
  %reshape_38 = reshape %arg12 : tile<f32> -> tile<1xf32>
  %bcast_39 = broadcast %reshape_38 : tile<1xf32> -> tile<1024xf32>
  %17 = mulf %bcast_39, %11  : tile<1024xf32>
  %18 = sqrt %15  : tile<1024xf32>
  %cst_f32_40 = constant <f32: 9.99999993E-9> : tile<f32>
  %reshape_41 = reshape %cst_f32_40 : tile<f32> -> tile<1xf32>
  %bcast_42 = broadcast %reshape_41 : tile<1xf32> -> tile<1024xf32>
  %19 = addf %18, %bcast_42  : tile<1024xf32>
  %20 = divf %17, %19  : tile<1024xf32>
  %21 = subf %tile_36, %20  : tile<1024xf32>
  %pview_43 = make_partition_view %tview : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %22 = store_view_tko weak %21, %pview_43[%blockId_x] token = %16 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_44 = make_partition_view %tview_10 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %23 = store_view_tko weak %3, %pview_44[%blockId_x] token = %1 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_45 = make_partition_view %tview_12 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %24 = store_view_tko weak %7, %pview_45[%blockId_x] token = %4 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
