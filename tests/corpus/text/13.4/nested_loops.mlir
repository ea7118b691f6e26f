entry @nested_loops(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x16xf32>
  %pview = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_0_f32_8 = constant <f32: 0.000000e+00> : tile<16x16xf32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %cst_0_i32_10 = constant <i32: 0> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %pview_12 = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %pview_14 = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %2:2 = get_index_space_shape %pview_14 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %pview_15 = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %for = for %loopIdx in (%cst_0_i32 to %1#0, step %cst_1_i32_7) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<16x16xf32>) {
    %4 = addi %loopIdx, %cst_1_i32_9 : tile<i32>
    %for_17 = for %loopIdx_19 in (%cst_0_i32_10 to %4, step %cst_1_i32_11) : tile<i32> iter_values(%iterArg0_20 = %cst_0_f32_8) -> (tile<16x16xf32>) {
      %tile, %result_token = load_view_tko weak %pview_12[%loopIdx, %loopIdx_19] token = %0 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
      %8 = addf %iterArg0_20, %tile  : tile<16x16xf32>
      continue %8 : tile<16x16xf32>
    }
    %5 = addi %loopIdx, %cst_1_i32_13 : tile<i32>
    %for_18 = for %loopIdx_19 in (%5 to %2#1, step %cst_2_i32) : tile<i32> iter_values(%iterArg0_20 = %for_17) -> (tile<16x16xf32>) {
      %tile, %result_token = load_view_tko weak %pview_15[%loopIdx, %loopIdx_19] token = %0 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
      %8 = subf %iterArg0_20, %tile  : tile<16x16xf32>
      continue %8 : tile<16x16xf32>
    }
    %6 = itof %loopIdx signed  : tile<i32> -> tile<f32>
    %reshape = reshape %6 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<16x16xf32>
    %7 = fma %for_18, %bcast, %iterArg0  : tile<16x16xf32>
    continue %7 : tile<16x16xf32>
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %reduce = reduce %for dim=0 identities=[0.000000e+00 : f32] : tile<16x16xf32> -> tile<16xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %4 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %4 : tile<f32>
  }
  %pview_16 = make_partition_view %tview_6 : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
  %3 = store_view_tko weak %reduce, %pview_16[%blockId_x] token = %0 : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
