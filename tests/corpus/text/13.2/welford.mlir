entry @welford(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8x128), tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(8x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x128xf32>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8x128xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<8x128xf32>
  %1 = addf %cst_0_f32, %bcast  : tile<8x128xf32>
  %cst_0_f32_11 = constant <f32: 0.000000e+00> : tile<f32>
  %cst_1_f32_12 = constant <f32: 1.000000e+00> : tile<f32>
  %cst_0_f32_13 = constant <f32: 0.000000e+00> : tile<f32>
  %reduce:3 = reduce %tile, %cst_0_f32, %1 dim=1 identities=[0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32] : tile<8x128xf32>, tile<8x128xf32>, tile<8x128xf32> -> tile<8xf32>, tile<8xf32>, tile<8xf32> 
  (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<f32>, %reduce_rhs1: tile<f32>, %reduce_lhs2: tile<f32>, %reduce_rhs2: tile<f32>) {
    %5 = addf %reduce_lhs2, %reduce_rhs2  : tile<f32>
    %6 = cmpf greater_than ordered %5, %cst_0_f32_11 : tile<f32> -> tile<i1>
    %7 = maxf %5, %cst_1_f32_12 : tile<f32>
    %8 = divf %reduce_rhs2, %7  : tile<f32>
    %9 = select %6, %8, %cst_0_f32_13 : tile<i1>, tile<f32>
    %10 = subf %reduce_rhs0, %reduce_lhs0  : tile<f32>
    %11 = fma %10, %9, %reduce_lhs0  : tile<f32>
    %12 = addf %reduce_lhs1, %reduce_rhs1  : tile<f32>
    %13 = mulf %10, %10  : tile<f32>
    %14 = mulf %13, %reduce_lhs2  : tile<f32>
    %15 = fma %14, %9, %12  : tile<f32>
    yield %11, %15, %5 : tile<f32>, tile<f32>, tile<f32>
  }
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %reduce#0, %pview_14[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %3 = divf %reduce#1, %reduce#2  : tile<8xf32>
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %4 = store_view_tko weak %3, %pview_15[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
