entry @float_remainder(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %1 = remf %tile, %tile_10 : tile<128xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128xf32>
  %2 = cmpf less_than ordered %1, %cst_0_f32 : tile<128xf32> -> tile<128xi1>
  %3 = cmpf less_than ordered %tile_10, %cst_0_f32 : tile<128xf32> -> tile<128xi1>
  %4 = xori %2, %3 : tile<128xi1>
  %5 = cmpf not_equal unordered %1, %cst_0_f32 : tile<128xf32> -> tile<128xi1>
  %6 = andi %4, %5 : tile<128xi1>
  %7 = addf %1, %tile_10  : tile<128xf32>
  %8 = select %6, %7, %1 : tile<128xi1>, tile<128xf32>
  %cst_3_f32 = constant <f32: 3.000000e+00> : tile<f32>
  %reshape = reshape %cst_3_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
  %9 = remf %tile, %bcast : tile<128xf32>
  %cst_0_f32_12 = constant <f32: 0.000000e+00> : tile<128xf32>
  %10 = cmpf less_than ordered %9, %cst_0_f32_12 : tile<128xf32> -> tile<128xi1>
  %11 = cmpf less_than ordered %bcast, %cst_0_f32_12 : tile<128xf32> -> tile<128xi1>
  %12 = xori %10, %11 : tile<128xi1>
  %13 = cmpf not_equal unordered %9, %cst_0_f32_12 : tile<128xf32> -> tile<128xi1>
  %14 = andi %12, %13 : tile<128xi1>
  %15 = addf %9, %bcast  : tile<128xf32>
  %16 = select %14, %15, %9 : tile<128xi1>, tile<128xf32>
  %17 = addf %8, %16  : tile<128xf32>
  %18 = divf %tile, %tile_10  : tile<128xf32>
  %19 = floor %18 : tile<128xf32>
  %20 = subf %17, %19  : tile<128xf32>
  %pview_13 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %21 = store_view_tko weak %20, %pview_13[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
