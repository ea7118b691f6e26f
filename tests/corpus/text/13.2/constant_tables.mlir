entry @constant_tables(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i1>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<i8>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<f32>>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i1>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f16>>
  %assume_3 = assume div_by<16>, %arg14 : tile<ptr<i8>>
  %assume_4 = assume div_by<16>, %arg17 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_18 = make_tensor_view %assume_2, shape = [%assume_15, %assume_16], strides = [%assume_17, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_19 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview_20 = make_tensor_view %assume_3, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_21 = assume bounded<0, ?>, %arg18 : tile<i32>
  %tview_22 = make_tensor_view %assume_4, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: [0.000000e+00, -3.700000e-02, -3.600000e-01, -0.968999981, -6.000000e-03, -1.186000e+00, -7.950000e-01, -6.890000e-01, -8.700000e-01, 5.220000e-01, -2.300000e-01, 5.900000e-01, 1.124000e+00, 1.373000e+00, 1.335000e+00, 1.012000e+00, 4.040000e-01, 1.366000e+00, 1.860000e-01, 5.780000e-01, 6.830000e-01, 5.030000e-01, 1.894000e+00, 1.143000e+00, 1.963000e+00, 2.497000e+00, 2.745000e+00, 2.708000e+00, 2.385000e+00, 1.776000e+00, 2.739000e+00, 1.559000e+00, 1.950000e+00, 2.056000e+00, 1.876000e+00, 3.267000e+00, 2.515000e+00, 3.335000e+00, 3.869000e+00, 4.118000e+00, 4.081000e+00, 3.758000e+00, 3.149000e+00, 4.112000e+00, 2.931000e+00, 3.323000e+00, 3.428000e+00, 3.248000e+00, 4.640000e+00, 3.888000e+00, 4.708000e+00, 5.242000e+00, 5.490000e+00, 5.453000e+00, 5.130000e+00, 4.522000e+00, 5.484000e+00, 4.304000e+00, 4.695000e+00, 4.801000e+00, 4.621000e+00, 6.012000e+00, 5.261000e+00, 6.080000e+00]> : tile<64xf32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %1 = store_view_tko weak %cst_f32, %pview[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
  %cst_i64 = constant <i64: [2, 3, 5, 7, 11, 13, 17, 19]> : tile<8xi64>
  %pview_26 = make_partition_view %tview_12 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>
  %2 = store_view_tko weak %cst_i64, %pview_26[%blockId_x_23] token = %0 : tile<8xi64>, partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %cst_i1 = constant <i1: [true, false, false, true, true, true, false, true, false, true, false, false, true, false, true, true]> : tile<16xi1>
  %pview_30 = make_partition_view %tview_14 : partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>
  %3 = store_view_tko weak %cst_i1, %pview_30[%blockId_x_27] token = %0 : tile<16xi1>, partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_f16 = constant <f16: [[1.000000e+00, 5.000000e-01], [-2.500000e-01, 0x7C00]]> : tile<2x2xf16>
  %pview_34 = make_partition_view %tview_18 : partition_view<tile=(2x2), tensor_view<?x?xf16, strides=[?,1]>>
  %4 = store_view_tko weak %cst_f16, %pview_34[%blockId_x_31, %cst_0_i32] token = %0 : tile<2x2xf16>, partition_view<tile=(2x2), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  %blockId_x_35, %blockId_y_36, %blockId_z_37 = get_tile_block_id : tile<i32>
  %cst_i8 = constant <i8: [0, -1, -128, 1]> : tile<4xi8>
  %pview_38 = make_partition_view %tview_20 : partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>
  %5 = store_view_tko weak %cst_i8, %pview_38[%blockId_x_35] token = %0 : tile<4xi8>, partition_view<tile=(4), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %blockId_x_39, %blockId_y_40, %blockId_z_41 = get_tile_block_id : tile<i32>
  %cst_f32_42 = constant <f32: 5.000000e-01> : tile<f32>
  %blockId_x_43, %blockId_y_44, %blockId_z_45 = get_tile_block_id : tile<i32>
  %6 = itof %blockId_x_39 signed  : tile<i32> -> tile<f32>
  %7 = itof %blockId_y_44 signed  : tile<i32> -> tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %reshape_46 = reshape %6 : tile<f32> -> tile<1xf32>
  %8 = cat %reshape, %reshape_46 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
  %reshape_47 = reshape %cst_f32_42 : tile<f32> -> tile<1xf32>
  %reshape_48 = reshape %7 : tile<f32> -> tile<1xf32>
  %9 = cat %reshape_47, %reshape_48 dim = 0 : tile<1xf32>, tile<1xf32> -> tile<2xf32>
  %10 = cat %8, %9 dim = 0 : tile<2xf32>, tile<2xf32> -> tile<4xf32>
  %blockId_x_49, %blockId_y_50, %blockId_z_51 = get_tile_block_id : tile<i32>
  %pview_52 = make_partition_view %tview_22 : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
  %11 = store_view_tko weak %10, %pview_52[%blockId_x_49] token = %0 : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
