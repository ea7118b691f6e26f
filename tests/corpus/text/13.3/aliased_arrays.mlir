entry @aliased_arrays(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
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
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %1 = join_tokens %0, %result_token : token
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<64xf32>
  %2 = addf %tile, %bcast  : tile<64xf32>
  %pview_13 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %3 = join_tokens %0, %1 : token
  %4 = store_view_tko weak %2, %pview_13[%blockId_x] token = %3 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %5 = join_tokens %4, %0 : token
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_x] token = %5 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %6 = join_tokens %4, %result_token_16 : token
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_17 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
  %bcast_18 = broadcast %reshape_17 : tile<1xf32> -> tile<64xf32>
  %7 = addf %tile_15, %bcast_18  : tile<64xf32>
  %pview_19 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %8 = join_tokens %1, %6 : token
  %9 = store_view_tko weak %7, %pview_19[%blockId_x] token = %8 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_20 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %10 = join_tokens %4, %9 : token
  %tile_21, %result_token_22 = load_view_tko weak %pview_20[%blockId_x] token = %10 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %11 = join_tokens %6, %result_token_22 : token
  %pview_23 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %12 = join_tokens %9, %4 : token
  %tile_24, %result_token_25 = load_view_tko weak %pview_23[%blockId_x] token = %12 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %13 = addf %tile_21, %tile_24  : tile<64xf32>
  %pview_26 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %14 = join_tokens %0, %11 : token
  %15 = store_view_tko weak %13, %pview_26[%blockId_x] token = %14 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_27 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %16 = join_tokens %15, %4 : token
  %tile_28, %result_token_29 = load_view_tko weak %pview_27[%blockId_x] token = %16 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %pview_30 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %17 = store_view_tko weak %tile_28, %pview_30[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %cst_1_i32_31 = constant <i32: 1> : tile<i32>
  %18 = addi %blockId_x, %cst_1_i32_31 : tile<i32>
  %pview_32 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile_33, %result_token_34 = load_view_tko weak %pview_32[%blockId_x] token = %17 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %19 = join_tokens %17, %result_token_34 : token
  %pview_35 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %20 = store_view_tko weak %tile_33, %pview_35[%18] token = %19 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
