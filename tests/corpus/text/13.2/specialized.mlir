entry @specialized(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x32xf32>, token
  %1 = ftof %tile  : tile<32x32xf32> -> tile<32x32xf16>
  %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
  %reshape = reshape %cst_0_f16 : tile<f16> -> tile<1x1xf16>
  %bcast = broadcast %reshape : tile<1x1xf16> -> tile<32x32xf16>
  %2 = cmpf greater_than ordered %1, %bcast : tile<32x32xf16> -> tile<32x32xi1>
  %cst_f16 = constant <f16: 1.000210e-02> : tile<f16>
  %reshape_9 = reshape %cst_f16 : tile<f16> -> tile<1x1xf16>
  %bcast_10 = broadcast %reshape_9 : tile<1x1xf16> -> tile<32x32xf16>
  %3 = mulf %1, %bcast_10  : tile<32x32xf16>
  %4 = select %2, %1, %3 : tile<32x32xi1>, tile<32x32xf16>
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
  %cst_0_i32_14 = constant <i32: 0> : tile<i32>
  %5 = ftof %4  : tile<32x32xf16> -> tile<32x32xf32>
  %pview_15 = make_partition_view %tview_8 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
  %6 = store_view_tko weak %5, %pview_15[%blockId_x_11, %cst_0_i32_14] token = %0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
