entry @loops_in_branches(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
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
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16xf32>
  %pview = make_partition_view %tview : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %1#0, step %cst_1_i32_7) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<16xf32>) {
    %3 = addi %arg8, %loopIdx : tile<i32>
    %4 = cmpi greater_than %3, %cst_3_i32, signed : tile<i32> -> tile<i1>
    %5 = if %4 -> (tile<16xf32>) {
      %cst_4_i32 = constant <i32: 4> : tile<i32>
      %cst_0_i32_9 = constant <i32: 0> : tile<i32>
      %cst_1_i32_10 = constant <i32: 1> : tile<i32>
      %for_11 = for %loopIdx_12 in (%cst_0_i32_9 to %cst_4_i32, step %cst_1_i32_10) : tile<i32> iter_values(%iterArg0_13 = %iterArg0) -> (tile<16xf32>) {
        %pview_14 = make_partition_view %tview : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>>
        %tile, %result_token = load_view_tko weak %pview_14[%loopIdx, %loopIdx_12] token = %0 : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x16xf32>, token
        %reshape = reshape %tile : tile<1x16xf32> -> tile<16xf32>
        %6 = addf %iterArg0_13, %reshape  : tile<16xf32>
        continue %6 : tile<16xf32>
      }
      yield %for_11 : tile<16xf32>
    } else {
      %cst_0_i32_9 = constant <i32: 0> : tile<i32>
      %cst_8_i32 = constant <i32: 8> : tile<i32>
      %cst_10_f32 = constant <f32: 1.000000e+01> : tile<f32>
      %cst_2_i32 = constant <i32: 2> : tile<i32>
      %6:2 = loop iter_values(%arg9 = %cst_0_i32_9, %arg10 = %iterArg0) : tile<i32>, tile<16xf32> -> tile<i32>, tile<16xf32> {
        %assume_10 = assume div_by<2>, %arg9 : tile<i32>
        %7 = cmpi less_than %assume_10, %cst_8_i32, signed : tile<i32> -> tile<i1>
        if %7 {
        } else {
          break %assume_10, %arg10 : tile<i32>, tile<16xf32>
        }
        %pview_11 = make_partition_view %tview : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>>
        %tile, %result_token = load_view_tko weak %pview_11[%loopIdx, %assume_10] token = %0 : partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x16xf32>, token
        %reshape = reshape %tile : tile<1x16xf32> -> tile<16xf32>
        %reduce = reduce %reshape dim=0 identities=[0xFF800000 : f32] : tile<16xf32> -> tile<f32> 
        (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
          %11 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
          yield %11 : tile<f32>
        }
        %8 = cmpf greater_than ordered %reduce, %cst_10_f32 : tile<f32> -> tile<i1>
        if %8 {
          break %assume_10, %arg10 : tile<i32>, tile<16xf32>
        } else {
        }
        %9 = subf %arg10, %reshape  : tile<16xf32>
        %10 = addi %assume_10, %cst_2_i32 : tile<i32>
        continue %10, %9 : tile<i32>, tile<16xf32>
      }
      yield %6#1 : tile<16xf32>
    }
    continue %5 : tile<16xf32>
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview_8 = make_partition_view %tview_6 : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %for, %pview_8[%blockId_x] token = %0 : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
