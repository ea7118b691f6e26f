entry @integers_to_float(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i8>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i16>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<i32>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<i64>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<f32>>, %arg25: tile<i32>, %arg26: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i16>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<i8>>
  %assume_4 = assume div_by<16>, %arg15 : tile<ptr<i16>>
  %assume_5 = assume div_by<16>, %arg18 : tile<ptr<i32>>
  %assume_6 = assume div_by<16>, %arg21 : tile<ptr<i64>>
  %assume_7 = assume div_by<16>, %arg24 : tile<ptr<f32>>
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
  %tview = make_tensor_view %assume, shape = [%assume_16], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_18 = make_tensor_view %assume_0, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_19 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_20 = make_tensor_view %assume_1, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_21 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_22 = make_tensor_view %assume_2, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_23 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_24 = make_tensor_view %assume_3, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_25 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_26 = make_tensor_view %assume_4, shape = [%assume_25], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_27 = assume bounded<0, ?>, %arg19 : tile<i32>
  %tview_28 = make_tensor_view %assume_5, shape = [%assume_27], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_29 = assume bounded<0, ?>, %arg22 : tile<i32>
  %tview_30 = make_tensor_view %assume_6, shape = [%assume_29], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_31 = assume bounded<0, ?>, %arg25 : tile<i32>
  %tview_32 = make_tensor_view %assume_7, shape = [%assume_31], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %1 = itof %tile signed  : tile<64xi8> -> tile<64xf32>
  %pview_33 = make_partition_view %tview_18 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %tile_34, %result_token_35 = load_view_tko weak %pview_33[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> tile<64xi16>, token
  %2 = itof %tile_34 signed  : tile<64xi16> -> tile<64xf32>
  %3 = addf %1, %2  : tile<64xf32>
  %pview_36 = make_partition_view %tview_20 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile_37, %result_token_38 = load_view_tko weak %pview_36[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %4 = itof %tile_37 signed  : tile<64xi32> -> tile<64xf32>
  %5 = addf %3, %4  : tile<64xf32>
  %pview_39 = make_partition_view %tview_22 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %tile_40, %result_token_41 = load_view_tko weak %pview_39[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<64xi64>, token
  %6 = itof %tile_40 signed  : tile<64xi64> -> tile<64xf32>
  %7 = addf %5, %6  : tile<64xf32>
  %pview_42 = make_partition_view %tview_24 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile_43, %result_token_44 = load_view_tko weak %pview_42[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %8 = itof %tile_43 unsigned  : tile<64xi8> -> tile<64xf32>
  %9 = addf %7, %8  : tile<64xf32>
  %pview_45 = make_partition_view %tview_26 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>
  %tile_46, %result_token_47 = load_view_tko weak %pview_45[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi16, strides=[1]>>, tile<i32> -> tile<64xi16>, token
  %10 = itof %tile_46 unsigned  : tile<64xi16> -> tile<64xf32>
  %11 = addf %9, %10  : tile<64xf32>
  %pview_48 = make_partition_view %tview_28 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile_49, %result_token_50 = load_view_tko weak %pview_48[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %12 = itof %tile_49 unsigned  : tile<64xi32> -> tile<64xf32>
  %13 = addf %11, %12  : tile<64xf32>
  %pview_51 = make_partition_view %tview_30 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %tile_52, %result_token_53 = load_view_tko weak %pview_51[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<64xi64>, token
  %14 = itof %tile_52 unsigned  : tile<64xi64> -> tile<64xf32>
  %15 = addf %13, %14  : tile<64xf32>
  %pview_54 = make_partition_view %tview_32 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %16 = store_view_tko weak %15, %pview_54[%blockId_x] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
