entry @unrolled(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_2_i32 : tile<i32>
  %2 = addi %1, %cst_0_i32 : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%2] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
  %reshape = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
  %3 = fma %tile, %bcast, %cst_0_f32  : tile<32xf32>
  %blockId_x_6, %blockId_y_7, %blockId_z_8 = get_tile_block_id : tile<i32>
  %4 = muli %blockId_x_6, %cst_2_i32 : tile<i32>
  %5 = addi %4, %cst_1_i32_5 : tile<i32>
  %pview_9 = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%5] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %cst_f32_12 = constant <f32: 1.500000e+00> : tile<f32>
  %reshape_13 = reshape %cst_f32_12 : tile<f32> -> tile<1xf32>
  %bcast_14 = broadcast %reshape_13 : tile<1xf32> -> tile<32xf32>
  %6 = fma %tile_10, %bcast_14, %3  : tile<32xf32>
  %cst_f32_15 = constant <f32: 5.000000e-01> : tile<f32>
  %cst_f32_16 = constant <f32: -1.000000e+00> : tile<f32>
  %reshape_17 = reshape %cst_f32_15 : tile<f32> -> tile<1xf32>
  %bcast_18 = broadcast %reshape_17 : tile<1xf32> -> tile<32xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_19 = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast_20 = broadcast %reshape_19 : tile<1xf32> -> tile<32xf32>
  %7 = fma %6, %bcast_18, %bcast_20  : tile<32xf32>
  %reshape_21 = reshape %cst_f32_16 : tile<f32> -> tile<1xf32>
  %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<32xf32>
  %cst_1_f32_23 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_24 = reshape %cst_1_f32_23 : tile<f32> -> tile<1xf32>
  %bcast_25 = broadcast %reshape_24 : tile<1xf32> -> tile<32xf32>
  %8 = fma %7, %bcast_22, %bcast_25  : tile<32xf32>
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_26 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
  %bcast_27 = broadcast %reshape_26 : tile<1xf32> -> tile<32xf32>
  %cst_1_f32_28 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_29 = reshape %cst_1_f32_28 : tile<f32> -> tile<1xf32>
  %bcast_30 = broadcast %reshape_29 : tile<1xf32> -> tile<32xf32>
  %9 = fma %8, %bcast_27, %bcast_30  : tile<32xf32>
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %pview_34 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %10 = store_view_tko weak %9, %pview_34[%blockId_x_31] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
