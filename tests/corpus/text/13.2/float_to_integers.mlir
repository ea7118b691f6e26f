entry @float_to_integers(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i8>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i64>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i8>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<i16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<i32>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<i64>>, %arg25: tile<i32>, %arg26: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i8>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i16>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i32>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<i64>>
  %assume_4 = assume div_by<16>, %arg15 : tile<ptr<i8>>
  %assume_5 = assume div_by<16>, %arg18 : tile<ptr<i16>>
  %assume_6 = assume div_by<16>, %arg21 : tile<ptr<i32>>
  %assume_7 = assume div_by<16>, %arg24 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %cst_1_i32_10 = constant <i32: 1> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %cst_1_i32_12 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_16], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_18 = make_tensor_view %assume_0, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_19 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_20 = make_tensor_view %assume_1, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_21 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_22 = make_tensor_view %assume_2, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_23 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_24 = make_tensor_view %assume_3, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_25 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_26 = make_tensor_view %assume_4, shape = [%assume_25], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_27 = assume bounded<0, ?>, %arg19 : tile<i32>
  %tview_28 = make_tensor_view %assume_5, shape = [%assume_27], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_29 = assume bounded<0, ?>, %arg22 : tile<i32>
  %tview_30 = make_tensor_view %assume_6, shape = [%assume_29], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_31 = assume bounded<0, ?>, %arg25 : tile<i32>
  %tview_32 = make_tensor_view %assume_7, shape = [%assume_31], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %1 = ftoi %tile signed  : tile<64xf32> -> tile<64xi8>
  %pview_33 = make_partition_view %tview_18 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %2 = store_view_tko weak %1, %pview_33[%blockId_x] token = %0 : tile<64xi8>, partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  %3 = ftoi %tile signed  : tile<64xf32> -> tile<64xi16>
  %pview_34 = make_partition_view %tview_20 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %4 = store_view_tko weak %3, %pview_34[%blockId_x] token = %0 : tile<64xi16>, partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %5 = ftoi %tile signed  : tile<64xf32> -> tile<64xi32>
  %pview_35 = make_partition_view %tview_22 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %6 = store_view_tko weak %5, %pview_35[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %7 = ftoi %tile signed  : tile<64xf32> -> tile<64xi64>
  %pview_36 = make_partition_view %tview_24 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %8 = store_view_tko weak %7, %pview_36[%blockId_x] token = %0 : tile<64xi64>, partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  %9 = ftoi %tile unsigned  : tile<64xf32> -> tile<64xi8>
  %pview_37 = make_partition_view %tview_26 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %10 = store_view_tko weak %9, %pview_37[%blockId_x] token = %0 : tile<64xi8>, partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  %11 = ftoi %tile unsigned  : tile<64xf32> -> tile<64xi16>
  %pview_38 = make_partition_view %tview_28 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %12 = store_view_tko weak %11, %pview_38[%blockId_x] token = %0 : tile<64xi16>, partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %13 = ftoi %tile unsigned  : tile<64xf32> -> tile<64xi32>
  %pview_39 = make_partition_view %tview_30 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %14 = store_view_tko weak %13, %pview_39[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %15 = ftoi %tile unsigned  : tile<64xf32> -> tile<64xi64>
  %pview_40 = make_partition_view %tview_32 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %16 = store_view_tko weak %15, %pview_40[%blockId_x] token = %0 : tile<64xi64>, partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
