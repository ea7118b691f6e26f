entry @permutations(%arg0: tile<ptr<i16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<i16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i16>>
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<i16>>
  %assume_1 = assume div_by<16>, %arg18 : tile<ptr<i16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5, %assume_6, %assume_7], strides = [%assume_8, %assume_9, %assume_10, 1] : tile<i32> -> tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_18 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12, %assume_13, %assume_14], strides = [%assume_15, %assume_16, %assume_17, 1] : tile<i32> -> tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>
  %assume_19 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_21 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_22 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_23 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_24 = assume bounded<0, ?>, %arg24 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg25 : tile<i32>
  %tview_26 = make_tensor_view %assume_1, shape = [%assume_19, %assume_20, %assume_21, %assume_22], strides = [%assume_23, %assume_24, %assume_25, 1] : tile<i32> -> tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_27 = constant <i32: 0> : tile<i32>
  %cst_0_i32_28 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(2x4x8x16), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_27, %cst_0_i32_28] token = %0 : partition_view<tile=(2x4x8x16), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>, tile<i32> -> tile<2x4x8x16xi16>, token
  %1 = permute %tile [1, 2, 3, 0] : tile<2x4x8x16xi16> -> tile<4x8x16x2xi16>
  %pview_29 = make_partition_view %tview_18 : partition_view<tile=(4x8x16x2), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>
  %2 = store_view_tko weak %1, %pview_29[%blockId_x, %cst_0_i32, %cst_0_i32_27, %cst_0_i32_28] token = %0 : tile<4x8x16x2xi16>, partition_view<tile=(4x8x16x2), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>, tile<i32> -> token
  %3 = permute %tile [0, 3, 2, 1] : tile<2x4x8x16xi16> -> tile<2x16x8x4xi16>
  %pview_30 = make_partition_view %tview_26 : partition_view<tile=(2x16x8x4), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>
  %4 = store_view_tko weak %3, %pview_30[%blockId_x, %cst_0_i32, %cst_0_i32_27, %cst_0_i32_28] token = %0 : tile<2x16x8x4xi16>, partition_view<tile=(2x16x8x4), tensor_view<?x?x?x?xi16, strides=[?,?,?,1]>>, tile<i32> -> token
  return
}
