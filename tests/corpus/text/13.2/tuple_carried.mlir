entry @tuple_carried(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %pview_6 = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile_7, %result_token_8 = load_view_tko weak %pview_6[%cst_1_i32_5] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %cst_0_i32_9 = constant <i32: 0> : tile<i32>
  %cst_1_i32_10 = constant <i32: 1> : tile<i32>
  %for:2 = for %loopIdx in (%cst_0_i32_9 to %arg6, step %cst_1_i32_10) : tile<i32> iter_values(%iterArg0 = %tile, %iterArg1 = %tile_7) -> (tile<32xf32>, tile<32xf32>) {
    %3 = addf %iterArg0, %iterArg1  : tile<32xf32>
    continue %iterArg1, %3 : tile<32xf32>, tile<32xf32>
  }
  %cst_0_i32_11 = constant <i32: 0> : tile<i32>
  %pview_12 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %1 = store_view_tko weak %for#0, %pview_12[%cst_0_i32_11] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %pview_14 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %for#1, %pview_14[%cst_1_i32_13] token = %1 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
