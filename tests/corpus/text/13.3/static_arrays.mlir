entry @static_arrays(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %cst_128_i32_1 = constant <i32: 128> : tile<i32>
  %tview = make_tensor_view %assume, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xf32, strides=[128,1]>
  %assume_2 = assume bounded<0, ?>, %arg6 : tile<i32>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %cst_64_i32_3 = constant <i32: 64> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %tview_5 = make_tensor_view %assume_0, shape = [%assume_2, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %cst_16_i32 = constant <i32: 16> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x64), tensor_view<256x128xf32, strides=[128,1]>>
  %cst_0_i32_7 = constant <i32: 0> : tile<i32>
  %cst_256_f32 = constant <f32: 2.560000e+02> : tile<f32>
  %reshape = reshape %cst_256_f32 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<16x64xf32>
  %pview_8 = make_partition_view %tview_5 : partition_view<tile=(16x64), tensor_view<?x64xf32, strides=[64,1]>>
  for %loopIdx in (%cst_0_i32 to %cst_16_i32, step %cst_1_i32_6) : tile<i32> {
    %tile, %result_token = load_view_tko weak %pview[%loopIdx, %blockId_x] token = %0 : partition_view<tile=(16x64), tensor_view<256x128xf32, strides=[128,1]>>, tile<i32> -> tile<16x64xf32>, token
    %1 = mulf %tile, %bcast  : tile<16x64xf32>
    %2 = store_view_tko weak %1, %pview_8[%loopIdx, %cst_0_i32_7] token = %0 : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  }
  return
}
