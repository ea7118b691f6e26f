entry @cross_entropy(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg14 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x256), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x256), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x256xf32>, token
  %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>
  %tile_18, %result_token_19 = load_view_tko weak %pview_17[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<1xi64>, token
  %reshape = reshape %tile_18 : tile<1xi64> -> tile<i64>
  %reduce = reduce %tile dim=0 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<256xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %17 : tile<f32>
  }
  %reduce_20 = reduce %reduce dim=0 identities=[0xFF800000 : f32] : tile<256xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %17 : tile<f32>
  }
  %reshape_21 = reshape %reduce_20 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape_21 : tile<1x1xf32> -> tile<1x256xf32>
  %1 = subf %tile, %bcast  : tile<1x256xf32>
  %2 = exp %1  : tile<1x256xf32>
  %reduce_22 = reduce %2 dim=0 identities=[0.000000e+00 : f32] : tile<1x256xf32> -> tile<256xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %17 : tile<f32>
  }
  %reduce_23 = reduce %reduce_22 dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %17 : tile<f32>
  }
  %3 = iota : tile<256xi64>
  %reshape_24 = reshape %3 : tile<256xi64> -> tile<1x256xi64>
  %reshape_25 = reshape %reshape : tile<i64> -> tile<1x1xi64>
  %bcast_26 = broadcast %reshape_25 : tile<1x1xi64> -> tile<1x256xi64>
  %4 = cmpi equal %reshape_24, %bcast_26, signed : tile<1x256xi64> -> tile<1x256xi1>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_27 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_28 = broadcast %reshape_27 : tile<1x1xf32> -> tile<1x256xf32>
  %5 = select %4, %tile, %bcast_28 : tile<1x256xi1>, tile<1x256xf32>
  %reduce_29 = reduce %5 dim=0 identities=[0.000000e+00 : f32] : tile<1x256xf32> -> tile<256xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %17 : tile<f32>
  }
  %reduce_30 = reduce %reduce_29 dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %17 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %17 : tile<f32>
  }
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %6 = cmpi less_than %reshape, %cst_0_i64, signed : tile<i64> -> tile<i1>
  %cst_0_f32_31 = constant <f32: 0.000000e+00> : tile<f32>
  %7 = log %reduce_23 : tile<f32>
  %8 = addf %7, %reduce_20  : tile<f32>
  %9 = subf %8, %reduce_30  : tile<f32>
  %10 = select %6, %cst_0_f32_31, %9 : tile<i1>, tile<f32>
  %reshape_32 = reshape %10 : tile<f32> -> tile<1xf32>
  %pview_33 = make_partition_view %tview_12 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %11 = store_view_tko weak %reshape_32, %pview_33[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %reshape_34 = reshape %reduce_23 : tile<f32> -> tile<1x1xf32>
  %bcast_35 = broadcast %reshape_34 : tile<1x1xf32> -> tile<1x256xf32>
  %12 = divf %2, %bcast_35  : tile<1x256xf32>
  %13 = itof %4 unsigned  : tile<1x256xi1> -> tile<1x256xf32>
  %14 = subf %12, %13  : tile<1x256xf32>
  %cst_0_i32_36 = constant <i32: 0> : tile<i32>
  %cst_0_f32_37 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_38 = reshape %6 : tile<i1> -> tile<1x1xi1>
  %bcast_39 = broadcast %reshape_38 : tile<1x1xi1> -> tile<1x256xi1>
  %reshape_40 = reshape %cst_0_f32_37 : tile<f32> -> tile<1x1xf32>
  %bcast_41 = broadcast %reshape_40 : tile<1x1xf32> -> tile<1x256xf32>
  %15 = select %bcast_39, %bcast_41, %14 : tile<1x256xi1>, tile<1x256xf32>
  %pview_42 = make_partition_view %tview_16 : partition_view<tile=(1x256), tensor_view<?x?xf32, strides=[?,1]>>
  %16 = store_view_tko weak %15, %pview_42[%blockId_x, %cst_0_i32_36] token = %0 : tile<1x256xf32>, partition_view<tile=(1x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
