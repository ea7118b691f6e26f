entry @math_on_integers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %1 = itof %tile signed  : tile<64xi32> -> tile<64xf32>
  %2 = exp %1  : tile<64xf32>
  %3 = itof %tile signed  : tile<64xi32> -> tile<64xf32>
  %4 = sqrt %3  : tile<64xf32>
  %5 = addf %2, %4  : tile<64xf32>
  %6 = itof %tile signed  : tile<64xi32> -> tile<64xf32>
  %7 = cos %6 : tile<64xf32>
  %8 = addf %5, %7  : tile<64xf32>
  %9 = itof %tile signed  : tile<64xi32> -> tile<64xf32>
  %cst_4_f32 = constant <f32: 4.000000e+00> : tile<f32>
  %reshape = reshape %cst_4_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<64xf32>
  %10 = divf %9, %bcast  : tile<64xf32>
  %11 = addf %8, %10  : tile<64xf32>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_5[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
