entry @online_softmax(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(4x256), tensor_view<?x?xbf16, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(4x256), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<4x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4x1xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %for:2 = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_9) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %cst_0_f32) -> (tile<4x1xf32>, tile<4x1xf32>) {
    %pview_13 = make_partition_view %tview : partition_view<tile=(4x256), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview_13[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(4x256), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<4x256xbf16>, token
    %2 = ftof %tile  : tile<4x256xbf16> -> tile<4x256xf32>
    %reduce = reduce %2 dim=1 identities=[0xFF800000 : f32] : tile<4x256xf32> -> tile<4xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %9 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %9 : tile<f32>
    }
    %reshape = reshape %reduce : tile<4xf32> -> tile<4x1xf32>
    %3 = maxf %iterArg0, %reshape : tile<4x1xf32>
    %4 = subf %iterArg0, %3  : tile<4x1xf32>
    %5 = exp %4  : tile<4x1xf32>
    %bcast_14 = broadcast %3 : tile<4x1xf32> -> tile<4x256xf32>
    %6 = subf %2, %bcast_14  : tile<4x256xf32>
    %7 = exp %6  : tile<4x256xf32>
    %reduce_15 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<4x256xf32> -> tile<4xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %9 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %9 : tile<f32>
    }
    %reshape_16 = reshape %reduce_15 : tile<4xf32> -> tile<4x1xf32>
    %8 = fma %iterArg1, %5, %reshape_16  : tile<4x1xf32>
    continue %3, %8 : tile<4x1xf32>, tile<4x1xf32>
  }
  %cst_0_i32_10 = constant <i32: 0> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %bcast = broadcast %for#0 : tile<4x1xf32> -> tile<4x256xf32>
  %bcast_12 = broadcast %for#1 : tile<4x1xf32> -> tile<4x256xf32>
  for %loopIdx in (%cst_0_i32_10 to %1#1, step %cst_1_i32_11) : tile<i32> {
    %pview_13 = make_partition_view %tview : partition_view<tile=(4x256), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview_13[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(4x256), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<4x256xbf16>, token
    %2 = ftof %tile  : tile<4x256xbf16> -> tile<4x256xf32>
    %3 = subf %2, %bcast  : tile<4x256xf32>
    %4 = exp %3  : tile<4x256xf32>
    %5 = divf %4, %bcast_12  : tile<4x256xf32>
    %6 = ftof %5  : tile<4x256xf32> -> tile<4x256xbf16>
    %pview_14 = make_partition_view %tview_8 : partition_view<tile=(4x256), tensor_view<?x?xbf16, strides=[?,1]>>
    %7 = store_view_tko weak %6, %pview_14[%blockId_x, %loopIdx] token = %0 : tile<4x256xbf16>, partition_view<tile=(4x256), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  }
  return
}
