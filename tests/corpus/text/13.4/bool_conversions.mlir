entry @bool_conversions(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i1>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i1>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %cst_0_i32 = constant <i32: 0> : tile<128xi32>
  %1 = cmpi not_equal %tile, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
  %pview_13 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<128xf16>, token
  %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
  %reshape = reshape %cst_0_f16 : tile<f16> -> tile<1xf16>
  %bcast = broadcast %reshape : tile<1xf16> -> tile<128xf16>
  %2 = cmpf not_equal unordered %tile_14, %bcast : tile<128xf16> -> tile<128xi1>
  %pview_16 = make_partition_view %tview_10 : partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>, tile<i32> -> tile<128xi1>, token
  %3 = exti %1 unsigned : tile<128xi1> -> tile<128xi8>
  %4 = exti %2 unsigned : tile<128xi1> -> tile<128xi8>
  %5 = addi %3, %4 : tile<128xi8>
  %6 = itof %5 signed  : tile<128xi8> -> tile<128xf32>
  %7 = itof %tile_17 unsigned  : tile<128xi1> -> tile<128xf32>
  %8 = addf %6, %7  : tile<128xf32>
  %pview_19 = make_partition_view %tview_12 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %9 = store_view_tko weak %8, %pview_19[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
