entry @newton_sqrt(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<f32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %false = constant <i1: false> : tile<i1>
  %true = constant <i1: true> : tile<i1>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
  %1 = maxf %tile, %bcast : tile<32xf32>
  %cst_20_i32 = constant <i32: 20> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
  %reshape_6 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast_7 = broadcast %reshape_6 : tile<1xf32> -> tile<32xf32>
  %for:2 = for %loopIdx in (%cst_0_i32 to %cst_20_i32, step %cst_1_i32_5) : tile<i32> iter_values(%iterArg0 = %1, %iterArg1 = %false) -> (tile<32xf32>, tile<i1>) {
    if %iterArg1 {
      continue %iterArg0, %iterArg1 : tile<32xf32>, tile<i1>
    } else {
    }
    %3 = divf %tile, %iterArg0  : tile<32xf32>
    %4 = addf %iterArg0, %3  : tile<32xf32>
    %5 = mulf %bcast_7, %4  : tile<32xf32>
    %6 = subf %5, %iterArg0  : tile<32xf32>
    %7 = absf %6 : tile<32xf32>
    %reduce = reduce %7 dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %9 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %9 : tile<f32>
    }
    %8 = cmpf less_than ordered %reduce, %arg6 : tile<f32> -> tile<i1>
    if %8 {
      continue %5, %true : tile<32xf32>, tile<i1>
    } else {
    }
    continue %5, %iterArg1 : tile<32xf32>, tile<i1>
  }
  %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32>
  %pview_11 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %for#0, %pview_11[%blockId_x_8] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
