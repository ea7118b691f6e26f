entry @transcendental_f16(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
  %1 = sin %tile : tile<64xf16>
  %2 = cos %tile : tile<64xf16>
  %3 = tan %tile : tile<64xf16>
  %4 = fma %2, %3, %1  : tile<64xf16>
  %5 = sinh %tile : tile<64xf16>
  %6 = cosh %tile : tile<64xf16>
  %7 = subf %5, %6  : tile<64xf16>
  %8 = tanh %tile  : tile<64xf16>
  %9 = addf %7, %8  : tile<64xf16>
  %10 = exp %tile  : tile<64xf16>
  %11 = exp2 %tile : tile<64xf16>
  %12 = addf %10, %11  : tile<64xf16>
  %13 = absf %tile : tile<64xf16>
  %cst_1_f16 = constant <f16: 1.000000e+00> : tile<f16>
  %reshape = reshape %cst_1_f16 : tile<f16> -> tile<1xf16>
  %bcast = broadcast %reshape : tile<1xf16> -> tile<64xf16>
  %14 = addf %13, %bcast  : tile<64xf16>
  %15 = log %14 : tile<64xf16>
  %16 = log2 %14 : tile<64xf16>
  %17 = subf %15, %16  : tile<64xf16>
  %18 = sqrt %14  : tile<64xf16>
  %19 = rsqrt %14 : tile<64xf16>
  %20 = floor %tile : tile<64xf16>
  %21 = ceil %tile : tile<64xf16>
  %22 = subf %20, %21  : tile<64xf16>
  %23 = addf %4, %9  : tile<64xf16>
  %24 = addf %23, %12  : tile<64xf16>
  %25 = addf %24, %17  : tile<64xf16>
  %26 = fma %18, %19, %25  : tile<64xf16>
  %27 = addf %26, %22  : tile<64xf16>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>
  %28 = store_view_tko weak %27, %pview_5[%blockId_x] token = %0 : tile<64xf16>, partition_view<tile=(64), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  return
}
