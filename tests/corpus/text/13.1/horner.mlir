entry @horner(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<64xf64>, token
  %cst_f64 = constant <f64: 1.250000e-01> : tile<f64>
  %reshape = reshape %cst_f64 : tile<f64> -> tile<1xf64>
  %bcast = broadcast %reshape : tile<1xf64> -> tile<64xf64>
  %cst_f64_5 = constant <f64: 5.000000e-01> : tile<f64>
  %reshape_6 = reshape %cst_f64_5 : tile<f64> -> tile<1xf64>
  %bcast_7 = broadcast %reshape_6 : tile<1xf64> -> tile<64xf64>
  %1 = negf %bcast_7 : tile<64xf64>
  %2 = fma %tile, %bcast, %1  : tile<64xf64>
  %cst_3_f64 = constant <f64: 3.000000e+00> : tile<f64>
  %reshape_8 = reshape %cst_3_f64 : tile<f64> -> tile<1xf64>
  %bcast_9 = broadcast %reshape_8 : tile<1xf64> -> tile<64xf64>
  %3 = negf %2 : tile<64xf64>
  %4 = fma %3, %tile, %bcast_9  : tile<64xf64>
  %cst_f64_10 = constant <f64: 1.750000e+00> : tile<f64>
  %reshape_11 = reshape %cst_f64_10 : tile<f64> -> tile<1xf64>
  %bcast_12 = broadcast %reshape_11 : tile<1xf64> -> tile<64xf64>
  %5 = fma %4, %tile, %bcast_12  : tile<64xf64>
  %6 = negf %5 : tile<64xf64>
  %7 = fma %6, %tile, %tile  : tile<64xf64>
  %8 = negf %tile : tile<64xf64>
  %9 = fma %7, %tile, %8  : tile<64xf64>
  %cst_f64_13 = constant <f64: 2.250000e+00> : tile<f64>
  %reshape_14 = reshape %cst_f64_13 : tile<f64> -> tile<1xf64>
  %bcast_15 = broadcast %reshape_14 : tile<1xf64> -> tile<64xf64>
  %10 = fma %tile, %9, %bcast_15  : tile<64xf64>
  %cst_1_f64 = constant <f64: 1.000000e+00> : tile<f64>
  %reshape_16 = reshape %cst_1_f64 : tile<f64> -> tile<1xf64>
  %bcast_17 = broadcast %reshape_16 : tile<1xf64> -> tile<64xf64>
  %11 = fma %10, %tile, %bcast_17  : tile<64xf64>
  %pview_18 = make_partition_view %tview_4 : partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_18[%blockId_x] token = %0 : tile<64xf64>, partition_view<tile=(64), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  return
}
