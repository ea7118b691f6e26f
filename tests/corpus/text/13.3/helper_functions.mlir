entry @helper_functions(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %false = constant <i1: false> : tile<i1>
  %true = constant <i1: true> : tile<i1>
  %false_1 = constant <i1: false> : tile<i1>
  %true_2 = constant <i1: true> : tile<i1>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %false_5 = constant <i1: false> : tile<i1>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %1 = get_index_space_shape %pview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_0_i32_7 = constant <i32: 0> : tile<i32>
  %pview_8 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %cst_-1_i32 = constant <i32: -1> : tile<i32>
  %cst_0_i32_9 = constant <i32: 0> : tile<i32>
  %2 = loop iter_values(%arg7 = %cst_0_i32_9) : tile<i32> -> tile<i32> {
    %for:3 = for %loopIdx in (%cst_0_i32 to %1, step %cst_1_i32_6) : tile<i32> iter_values(%iterArg0 = %false_5, %iterArg1 = %cst_0_i32_7, %iterArg2 = %false) -> (tile<i1>, tile<i32>, tile<i1>) {
      if %iterArg2 {
        continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1>
      } else {
      }
      %tile, %result_token = load_view_tko weak %pview_8[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
      %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %15 : tile<f32>
      }
      %14 = cmpf greater_than ordered %reduce, %arg6 : tile<f32> -> tile<i1>
      if %14 {
        %true_21 = constant <i1: true> : tile<i1>
        continue %true_21, %loopIdx, %true : tile<i1>, tile<i32>, tile<i1>
      } else {
      }
      continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1>
    }
    if %for#0 {
      break %for#1 : tile<i32>
    } else {
    }
    break %cst_-1_i32 : tile<i32>
  }
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %3 = mulf %arg6, %cst_2_f32  : tile<f32>
  %false_10 = constant <i1: false> : tile<i1>
  %pview_11 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %4 = get_index_space_shape %pview_11 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> -> tile<i32>
  %cst_0_i32_12 = constant <i32: 0> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_0_i32_14 = constant <i32: 0> : tile<i32>
  %pview_15 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %cst_-1_i32_16 = constant <i32: -1> : tile<i32>
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %5 = loop iter_values(%arg7 = %cst_0_i32_17) : tile<i32> -> tile<i32> {
    %for:3 = for %loopIdx in (%cst_0_i32_12 to %4, step %cst_1_i32_13) : tile<i32> iter_values(%iterArg0 = %false_10, %iterArg1 = %cst_0_i32_14, %iterArg2 = %false_1) -> (tile<i1>, tile<i32>, tile<i1>) {
      if %iterArg2 {
        continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1>
      } else {
      }
      %tile, %result_token = load_view_tko weak %pview_15[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
      %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %15 : tile<f32>
      }
      %14 = cmpf greater_than ordered %reduce, %3 : tile<f32> -> tile<i1>
      if %14 {
        %true_21 = constant <i1: true> : tile<i1>
        continue %true_21, %loopIdx, %true_2 : tile<i1>, tile<i32>, tile<i1>
      } else {
      }
      continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1>
    }
    if %for#0 {
      break %for#1 : tile<i32>
    } else {
    }
    break %cst_-1_i32_16 : tile<i32>
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32_18 = constant <i32: 0> : tile<i32>
  %6 = cmpi less_than %2, %cst_0_i32_18, signed : tile<i32> -> tile<i1>
  %cst_0_i32_19 = constant <i32: 0> : tile<i32>
  %7 = loop iter_values(%arg7 = %cst_0_i32_19) : tile<i32> -> tile<i32> {
    if %6 {
      break %5 : tile<i32>
    } else {
    }
    break %2 : tile<i32>
  }
  %8 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %9 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %10 = cmpi less_than %8, %9, unsigned : tile<i64> -> tile<i1>
  %11 = muli %8, %cst_1_i64 : tile<i64>
  %12 = offset %assume_0, %11 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_20 = assume div_by<4>, %12 : tile<ptr<i32>>
  %13 = store_ptr_tko weak %assume_20, %7, %10 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
