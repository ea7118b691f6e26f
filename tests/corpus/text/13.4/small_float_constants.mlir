entry @small_float_constants(%arg0: tile<ptr<f8E4M3FN>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f8E5M2>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f8E4M3FN>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f8E5M2>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf8E4M3FN, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf8E5M2, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_f8E4M3FN = constant <f8E4M3FN: -1.000000e+00> : tile<8xf8E4M3FN>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>
  %1 = store_view_tko weak %cst_f8E4M3FN, %pview[%blockId_x] token = %0 : tile<8xf8E4M3FN>, partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>, tile<i32> -> token
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
  %cst_f8E5M2 = constant <f8E5M2: -1.000000e+00> : tile<8xf8E5M2>
  %pview_12 = make_partition_view %tview_6 : partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>
  %2 = store_view_tko weak %cst_f8E5M2, %pview_12[%blockId_x_9] token = %0 : tile<8xf8E5M2>, partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>, tile<i32> -> token
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %cst_tf32 = constant <tf32: -1.000000e+00> : tile<8xtf32>
  %3 = ftof %cst_tf32  : tile<8xtf32> -> tile<8xf32>
  %pview_16 = make_partition_view %tview_8 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %4 = store_view_tko weak %3, %pview_16[%blockId_x_13] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %cst_f8E4M3FN_20 = constant <f8E4M3FN: 1.015630e-01> : tile<8xf8E4M3FN>
  %pview_21 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>
  %5 = store_view_tko weak %cst_f8E4M3FN_20, %pview_21[%blockId_x_17] token = %1 : tile<8xf8E4M3FN>, partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>, tile<i32> -> token
  %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
  %cst_f8E5M2_25 = constant <f8E5M2: 9.375000e-02> : tile<8xf8E5M2>
  %pview_26 = make_partition_view %tview_6 : partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>
  %6 = store_view_tko weak %cst_f8E5M2_25, %pview_26[%blockId_x_22] token = %2 : tile<8xf8E5M2>, partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>, tile<i32> -> token
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %cst_tf32_30 = constant <tf32: 9.997550e-02> : tile<8xtf32>
  %7 = ftof %cst_tf32_30  : tile<8xtf32> -> tile<8xf32>
  %pview_31 = make_partition_view %tview_8 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %8 = store_view_tko weak %7, %pview_31[%blockId_x_27] token = %4 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_32, %blockId_y_33, %blockId_z_34 = get_tile_block_id : tile<i32>
  %cst_448_f8E4M3FN = constant <f8E4M3FN: 4.480000e+02> : tile<8xf8E4M3FN>
  %pview_35 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>
  %9 = store_view_tko weak %cst_448_f8E4M3FN, %pview_35[%blockId_x_32] token = %5 : tile<8xf8E4M3FN>, partition_view<tile=(8), tensor_view<?xf8E4M3FN, strides=[1]>>, tile<i32> -> token
  %blockId_x_36, %blockId_y_37, %blockId_z_38 = get_tile_block_id : tile<i32>
  %cst_448_f8E5M2 = constant <f8E5M2: 4.480000e+02> : tile<8xf8E5M2>
  %pview_39 = make_partition_view %tview_6 : partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>
  %10 = store_view_tko weak %cst_448_f8E5M2, %pview_39[%blockId_x_36] token = %6 : tile<8xf8E5M2>, partition_view<tile=(8), tensor_view<?xf8E5M2, strides=[1]>>, tile<i32> -> token
  %blockId_x_40, %blockId_y_41, %blockId_z_42 = get_tile_block_id : tile<i32>
  %cst_448_tf32 = constant <tf32: 4.480000e+02> : tile<8xtf32>
  %11 = ftof %cst_448_tf32  : tile<8xtf32> -> tile<8xf32>
  %pview_43 = make_partition_view %tview_8 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_43[%blockId_x_40] token = %8 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
