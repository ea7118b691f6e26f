entry @rms_norm(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<2x512xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_13) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<2x512xf32>) {
    %pview_20 = make_partition_view %tview : partition_view<tile=(2x512), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview_20[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(2x512), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<2x512xbf16>, token
    %6 = ftof %tile  : tile<2x512xbf16> -> tile<2x512xf32>
    %7 = fma %6, %6, %iterArg0  : tile<2x512xf32>
    continue %7 : tile<2x512xf32>
  }
  %reduce = reduce %for dim=1 identities=[0.000000e+00 : f32] : tile<2x512xf32> -> tile<2xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %6 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %6 : tile<f32>
  }
  %reshape = reshape %reduce : tile<2xf32> -> tile<2x1xf32>
  %2 = itof %assume_5 signed  : tile<i32> -> tile<f32>
  %reshape_14 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape_14 : tile<1x1xf32> -> tile<2x1xf32>
  %3 = divf %reshape, %bcast  : tile<2x1xf32>
  %cst_f32 = constant <f32: 9.99999997E-7> : tile<f32>
  %reshape_15 = reshape %cst_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_16 = broadcast %reshape_15 : tile<1x1xf32> -> tile<2x1xf32>
  %4 = addf %3, %bcast_16  : tile<2x1xf32>
  %5 = rsqrt %4 : tile<2x1xf32>
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %cst_1_i32_18 = constant <i32: 1> : tile<i32>
  %bcast_19 = broadcast %5 : tile<2x1xf32> -> tile<2x512xf32>
  for %loopIdx in (%cst_0_i32_17 to %1#1, step %cst_1_i32_18) : tile<i32> {
    %pview_20 = make_partition_view %tview : partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview_20[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<2x512xbf16>, token
    %6 = ftof %tile  : tile<2x512xbf16> -> tile<2x512xf32>
    %pview_21 = make_partition_view %tview_8 : partition_view<tile=(512), tensor_view<?xbf16, strides=[1]>>
    %tile_22, %result_token_23 = load_view_tko weak %pview_21[%loopIdx] token = %0 : partition_view<tile=(512), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<512xbf16>, token
    %7 = ftof %tile_22  : tile<512xbf16> -> tile<512xf32>
    %8 = mulf %6, %bcast_19  : tile<2x512xf32>
    %reshape_24 = reshape %7 : tile<512xf32> -> tile<1x512xf32>
    %bcast_25 = broadcast %reshape_24 : tile<1x512xf32> -> tile<2x512xf32>
    %9 = mulf %8, %bcast_25  : tile<2x512xf32>
    %10 = ftof %9  : tile<2x512xf32> -> tile<2x512xbf16>
    %pview_26 = make_partition_view %tview_12 : partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>>
    %11 = store_view_tko weak %10, %pview_26[%blockId_x, %loopIdx] token = %0 : tile<2x512xbf16>, partition_view<tile=(2x512), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  }
  return
}
