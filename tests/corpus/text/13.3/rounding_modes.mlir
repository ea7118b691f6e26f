entry @rounding_modes(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f64>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %1 = addf %tile, %tile_10 rounding<zero> : tile<64xf64>
  %2 = mulf %tile, %tile_10 rounding<positive_inf> : tile<64xf64>
  %3 = subf %1, %2 rounding<negative_inf> : tile<64xf64>
  %4 = divf %3, %tile_10  : tile<64xf64>
  %5 = divf %4, %tile_10 rounding<zero> : tile<64xf64>
  %6 = sqrt %5 rounding<negative_inf> : tile<64xf64>
  %7 = sqrt %tile rounding<positive_inf> : tile<64xf64>
  %8 = addf %6, %7 rounding<positive_inf> : tile<64xf64>
  %9 = fma %tile, %8, %tile_10 rounding<negative_inf> : tile<64xf64>
  %10 = mulf %9, %8 rounding<zero> : tile<64xf64>
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %11 = store_view_tko weak %10, %pview_12[%blockId_x] token = %0 : tile<64xf64>, partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  return
}
