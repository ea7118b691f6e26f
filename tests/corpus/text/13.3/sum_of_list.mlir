entry @sum_of_list(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<ptr<f32>>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg2 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_0 = constant <i32: 1> : tile<i32>
  %tview = make_tensor_view %arg0, shape = [%arg1, 5], strides = [5, 1] : tile<i32> -> tensor_view<?x5xi64, strides=[5,1]>
  %pview = make_partition_view %tview : partition_view<tile=(1x8), tensor_view<?x5xi64, strides=[5,1]>>
  %assume_1 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview_4 = make_tensor_view %assume, shape = [%assume_1, %assume_2], strides = [%assume_3, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x16xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_6, %blockId_y_7, %blockId_z_8 = get_tile_block_id : tile<i32>
  %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32_5) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<16x16xf32>) {
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %tile, %result_token = load_view_tko weak %pview[%loopIdx, %cst_0_i32_16] : partition_view<tile=(1x8), tensor_view<?x5xi64, strides=[5,1]>>, tile<i32> -> tile<1x8xi64>, token
    %cst_0_i32_17 = constant <i32: 0> : tile<i32>
    %2 = extract %tile[%cst_0_i32_16, %cst_0_i32_17] : tile<1x8xi64> -> tile<1x1xi64>
    %reshape = reshape %2 : tile<1x1xi64> -> tile<i64>
    %cst_1_i32_18 = constant <i32: 1> : tile<i32>
    %3 = extract %tile[%cst_0_i32_16, %cst_1_i32_18] : tile<1x8xi64> -> tile<1x1xi64>
    %reshape_19 = reshape %3 : tile<1x1xi64> -> tile<i64>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %4 = extract %tile[%cst_0_i32_16, %cst_2_i32] : tile<1x8xi64> -> tile<1x1xi64>
    %reshape_20 = reshape %4 : tile<1x1xi64> -> tile<i64>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %5 = extract %tile[%cst_0_i32_16, %cst_3_i32] : tile<1x8xi64> -> tile<1x1xi64>
    %reshape_21 = reshape %5 : tile<1x1xi64> -> tile<i64>
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %6 = extract %tile[%cst_0_i32_16, %cst_4_i32] : tile<1x8xi64> -> tile<1x1xi64>
    %reshape_22 = reshape %6 : tile<1x1xi64> -> tile<i64>
    %7 = trunci %reshape_19 : tile<i64> -> tile<i32>
    %8 = trunci %reshape_20 : tile<i64> -> tile<i32>
    %9 = trunci %reshape_21 : tile<i64> -> tile<i32>
    %10 = trunci %reshape_22 : tile<i64> -> tile<i32>
    %11 = int_to_ptr %reshape : tile<i64> -> tile<ptr<f32>>
    %assume_23 = assume div_by<16>, %11 : tile<ptr<f32>>
    %assume_24 = assume bounded<0, ?>, %7 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %8 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %9 : tile<i32>
    %tview_27 = make_tensor_view %assume_23, shape = [%assume_24, %assume_25], strides = [%assume_26, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %pview_28 = make_partition_view %tview_27 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile_29, %result_token_30 = load_view_tko weak %pview_28[%blockId_x, %blockId_y_7] token = %0 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x16xf32>, token
    %12 = addf %iterArg0, %tile_29  : tile<16x16xf32>
    continue %12 : tile<16x16xf32>
  }
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %blockId_x_12, %blockId_y_13, %blockId_z_14 = get_tile_block_id : tile<i32>
  %pview_15 = make_partition_view %tview_4 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>
  %1 = store_view_tko weak %for, %pview_15[%blockId_x_9, %blockId_y_13] token = %0 : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
