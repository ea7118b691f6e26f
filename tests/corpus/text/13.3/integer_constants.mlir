entry @integer_constants(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i64>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i1>>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i16>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<i64>>
  %assume_4 = assume div_by<16>, %arg15 : tile<ptr<i1>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_18 = make_tensor_view %assume_3, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_20 = make_tensor_view %assume_4, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_1_i8 = constant <i8: 1> : tile<4xi8>
  %pview = make_partition_view %tview : partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>
  %1 = store_view_tko weak %cst_1_i8, %pview[%blockId_x] token = %0 : tile<4xi8>, partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  %blockId_x_21, %blockId_y_22, %blockId_z_23 = get_tile_block_id : tile<i32>
  %cst_256_i16 = constant <i16: 256> : tile<4xi16>
  %pview_24 = make_partition_view %tview_12 : partition_view<tile=(4), tensor_view<?xi16, strides=[1]>>
  %2 = store_view_tko weak %cst_256_i16, %pview_24[%blockId_x_21] token = %0 : tile<4xi16>, partition_view<tile=(4), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %blockId_x_25, %blockId_y_26, %blockId_z_27 = get_tile_block_id : tile<i32>
  %cst_-128_i8 = constant <i8: -128> : tile<4xi8>
  %pview_28 = make_partition_view %tview : partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>
  %3 = store_view_tko weak %cst_-128_i8, %pview_28[%blockId_x_25] token = %1 : tile<4xi8>, partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
  %cst_-32768_i16 = constant <i16: -32768> : tile<4xi16>
  %pview_32 = make_partition_view %tview_12 : partition_view<tile=(4), tensor_view<?xi16, strides=[1]>>
  %4 = store_view_tko weak %cst_-32768_i16, %pview_32[%blockId_x_29] token = %2 : tile<4xi16>, partition_view<tile=(4), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %blockId_x_33, %blockId_y_34, %blockId_z_35 = get_tile_block_id : tile<i32>
  %cst_2147483647_i32 = constant <i32: 2147483647> : tile<4xi32>
  %pview_36 = make_partition_view %tview_14 : partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>
  %5 = store_view_tko weak %cst_2147483647_i32, %pview_36[%blockId_x_33] token = %0 : tile<4xi32>, partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_37, %blockId_y_38, %blockId_z_39 = get_tile_block_id : tile<i32>
  %cst_9223372032559808512_i64 = constant <i64: 9223372032559808512> : tile<4xi64>
  %pview_40 = make_partition_view %tview_16 : partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>
  %6 = store_view_tko weak %cst_9223372032559808512_i64, %pview_40[%blockId_x_37] token = %0 : tile<4xi64>, partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %blockId_x_41, %blockId_y_42, %blockId_z_43 = get_tile_block_id : tile<i32>
  %cst_-2147483648_i32 = constant <i32: -2147483648> : tile<4xi32>
  %pview_44 = make_partition_view %tview_14 : partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>
  %7 = store_view_tko weak %cst_-2147483648_i32, %pview_44[%blockId_x_41] token = %5 : tile<4xi32>, partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_45, %blockId_y_46, %blockId_z_47 = get_tile_block_id : tile<i32>
  %cst_-9223372036854775808_i64 = constant <i64: -9223372036854775808> : tile<4xi64>
  %pview_48 = make_partition_view %tview_16 : partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>
  %8 = store_view_tko weak %cst_-9223372036854775808_i64, %pview_48[%blockId_x_45] token = %6 : tile<4xi64>, partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %blockId_x_49, %blockId_y_50, %blockId_z_51 = get_tile_block_id : tile<i32>
  %cst_-1_i64 = constant <i64: -1> : tile<2xi64>
  %pview_52 = make_partition_view %tview_18 : partition_view<tile=(2), tensor_view<?xi64, strides=[1]>>
  %9 = store_view_tko weak %cst_-1_i64, %pview_52[%blockId_x_49] token = %0 : tile<2xi64>, partition_view<tile=(2), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %blockId_x_53, %blockId_y_54, %blockId_z_55 = get_tile_block_id : tile<i32>
  %true = constant <i1: true> : tile<8xi1>
  %pview_56 = make_partition_view %tview_20 : partition_view<tile=(8), tensor_view<?xi1, strides=[1]>>
  %10 = store_view_tko weak %true, %pview_56[%blockId_x_53] token = %0 : tile<8xi1>, partition_view<tile=(8), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  %blockId_x_57, %blockId_y_58, %blockId_z_59 = get_tile_block_id : tile<i32>
  %false = constant <i1: false> : tile<8xi1>
  %pview_60 = make_partition_view %tview_20 : partition_view<tile=(8), tensor_view<?xi1, strides=[1]>>
  %11 = store_view_tko weak %false, %pview_60[%blockId_x_57] token = %10 : tile<8xi1>, partition_view<tile=(8), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  return
}
