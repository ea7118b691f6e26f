entry @iotas(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_3_i64 = constant <i64: 3> : tile<64xi64>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = iota : tile<128xi32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %2 = store_view_tko weak %1, %pview[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %3 = iota : tile<16xi8>
  %4 = exti %3 signed : tile<16xi8> -> tile<16xi32>
  %pview_16 = make_partition_view %tview_8 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %5 = store_view_tko weak %4, %pview_16[%blockId_x_13] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %6 = iota : tile<32xi32>
  %7 = itof %6 signed  : tile<32xi32> -> tile<32xf16>
  %cst_f16 = constant <f16: 2.500000e-01> : tile<f16>
  %reshape = reshape %cst_f16 : tile<f16> -> tile<1xf16>
  %bcast = broadcast %reshape : tile<1xf16> -> tile<32xf16>
  %cst_f16_20 = constant <f16: 5.000000e-01> : tile<f16>
  %reshape_21 = reshape %cst_f16_20 : tile<f16> -> tile<1xf16>
  %bcast_22 = broadcast %reshape_21 : tile<1xf16> -> tile<32xf16>
  %8 = fma %7, %bcast, %bcast_22  : tile<32xf16>
  %pview_23 = make_partition_view %tview_10 : partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>
  %9 = store_view_tko weak %8, %pview_23[%blockId_x_17] token = %0 : tile<32xf16>, partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_24, %blockId_y_25, %blockId_z_26 = get_tile_block_id : tile<i32>
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %10 = iota : tile<64xi64>
  %11 = muli %10, %cst_3_i64 : tile<64xi64>
  %12 = exti %blockId_x_27 signed : tile<i32> -> tile<i64>
  %reshape_30 = reshape %12 : tile<i64> -> tile<1xi64>
  %bcast_31 = broadcast %reshape_30 : tile<1xi64> -> tile<64xi64>
  %13 = addi %11, %bcast_31 : tile<64xi64>
  %pview_32 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %14 = store_view_tko weak %13, %pview_32[%blockId_x_24] token = %0 : tile<64xi64>, partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
