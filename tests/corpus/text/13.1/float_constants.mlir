entry @float_constants(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<bf16>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %1 = store_view_tko weak %cst_0_f32, %pview[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: -0.000000e+00> : tile<8xf32>
  %pview_16 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %2 = store_view_tko weak %cst_f32, %pview_16[%blockId_x_13] token = %1 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
  %cst_f32_20 = constant <f32: 1.000000e-01> : tile<8xf32>
  %pview_21 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %3 = store_view_tko weak %cst_f32_20, %pview_21[%blockId_x_17] token = %2 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
  %cst_f32_25 = constant <f32: 0xFF800000> : tile<8xf32>
  %pview_26 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %4 = store_view_tko weak %cst_f32_25, %pview_26[%blockId_x_22] token = %3 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<8xf32>
  %pview_30 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %5 = store_view_tko weak %cst_NaN_f32, %pview_30[%blockId_x_27] token = %4 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %cst_f32_34 = constant <f32: 9.999940e-41> : tile<8xf32>
  %pview_35 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %6 = store_view_tko weak %cst_f32_34, %pview_35[%blockId_x_31] token = %5 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_36, %blockId_y_37, %blockId_z_38 = get_tile_block_id : tile<i32>
  %cst_f32_39 = constant <f32: 3.000000e+38> : tile<8xf32>
  %pview_40 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %7 = store_view_tko weak %cst_f32_39, %pview_40[%blockId_x_36] token = %6 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %blockId_x_41, %blockId_y_42, %blockId_z_43 = get_tile_block_id : tile<i32>
  %cst_f64 = constant <f64: -2.500000e-01> : tile<4xf64>
  %pview_44 = make_partition_view %tview_8 : partition_view<tile=(4), tensor_view<?xf64, strides=[1]>>
  %8 = store_view_tko weak %cst_f64, %pview_44[%blockId_x_41] token = %0 : tile<4xf64>, partition_view<tile=(4), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  %blockId_x_45, %blockId_y_46, %blockId_z_47 = get_tile_block_id : tile<i32>
  %cst_f64_48 = constant <f64: [0.10000000149011612, 0x7FF0000000000000, 9.9999461011147596E-41, 0xFFF0000000000000]> : tile<4xf64>
  %pview_49 = make_partition_view %tview_8 : partition_view<tile=(4), tensor_view<?xf64, strides=[1]>>
  %9 = store_view_tko weak %cst_f64_48, %pview_49[%blockId_x_45] token = %8 : tile<4xf64>, partition_view<tile=(4), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  %blockId_x_50, %blockId_y_51, %blockId_z_52 = get_tile_block_id : tile<i32>
  %cst_f16 = constant <f16: 9.997550e-02> : tile<16xf16>
  %pview_53 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>
  %10 = store_view_tko weak %cst_f16, %pview_53[%blockId_x_50] token = %0 : tile<16xf16>, partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_54, %blockId_y_55, %blockId_z_56 = get_tile_block_id : tile<i32>
  %cst_bf16 = constant <bf16: 1.000980e-01> : tile<16xbf16>
  %pview_57 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %11 = store_view_tko weak %cst_bf16, %pview_57[%blockId_x_54] token = %0 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_58, %blockId_y_59, %blockId_z_60 = get_tile_block_id : tile<i32>
  %cst_65504_f16 = constant <f16: 6.550400e+04> : tile<16xf16>
  %pview_61 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>
  %12 = store_view_tko weak %cst_65504_f16, %pview_61[%blockId_x_58] token = %10 : tile<16xf16>, partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_62, %blockId_y_63, %blockId_z_64 = get_tile_block_id : tile<i32>
  %cst_65536_bf16 = constant <bf16: 6.553600e+04> : tile<16xbf16>
  %pview_65 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %13 = store_view_tko weak %cst_65536_bf16, %pview_65[%blockId_x_62] token = %11 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_66, %blockId_y_67, %blockId_z_68 = get_tile_block_id : tile<i32>
  %cst_f16_69 = constant <f16: 5.960460e-08> : tile<16xf16>
  %pview_70 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>
  %14 = store_view_tko weak %cst_f16_69, %pview_70[%blockId_x_66] token = %12 : tile<16xf16>, partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_71, %blockId_y_72, %blockId_z_73 = get_tile_block_id : tile<i32>
  %cst_bf16_74 = constant <bf16: 6.007030e-08> : tile<16xbf16>
  %pview_75 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %15 = store_view_tko weak %cst_bf16_74, %pview_75[%blockId_x_71] token = %13 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_76, %blockId_y_77, %blockId_z_78 = get_tile_block_id : tile<i32>
  %cst_NaN_f16 = constant <f16: 0x7E00> : tile<16xf16>
  %pview_79 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>
  %16 = store_view_tko weak %cst_NaN_f16, %pview_79[%blockId_x_76] token = %14 : tile<16xf16>, partition_view<tile=(16), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_80, %blockId_y_81, %blockId_z_82 = get_tile_block_id : tile<i32>
  %cst_NaN_bf16 = constant <bf16: 0x7FC0> : tile<16xbf16>
  %pview_83 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %17 = store_view_tko weak %cst_NaN_bf16, %pview_83[%blockId_x_80] token = %15 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  return
}
