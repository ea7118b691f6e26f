entry @long_prefix_sum(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %1 = get_index_space_shape %pview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %pview_6 = make_partition_view %tview : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %pview_7 = make_partition_view %tview_4 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %for = for %loopIdx in (%cst_0_i32 to %1, step %cst_1_i32_5) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<f32>) {
    %tile, %result_token = load_view_tko weak %pview_6[%loopIdx] token = %0 : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %2 = scan %tile dim=0 reverse=false identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<256xf32> 
    (%arg6: tile<f32>, %arg7: tile<f32>) {
      %6 = addf %arg6, %arg7  : tile<f32>
      yield %6 : tile<f32>
    }
    %reshape = reshape %iterArg0 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<256xf32>
    %3 = addf %2, %bcast  : tile<256xf32>
    %4 = store_view_tko weak %3, %pview_7[%loopIdx] token = %0 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %6 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %6 : tile<f32>
    }
    %5 = addf %iterArg0, %reduce  : tile<f32>
    continue %5 : tile<f32>
  }
  return
}
