entry @middle_scatter_view(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5, %assume_6], strides = [%assume_7, %assume_8, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview_16 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12, %assume_13], strides = [%assume_14, %assume_15, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview_10 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %cst_0_i32_18 = constant <i32: 0> : tile<i32>
  %pview_19 = make_partition_view %tview : partition_view<tile=(4x8x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %tile_20, %result_token_21 = load_view_tko weak %pview_19[%blockId_x, %cst_0_i32_17, %cst_0_i32_18] token = %0 : partition_view<tile=(4x8x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<4x8x32xbf16>, token
  %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
  %cst_4_i32 = constant <i32: 4> : tile<i32>
  %1 = muli %blockId_x_22, %cst_4_i32 : tile<i32>
  %cst_0_i32_25 = constant <i32: 0> : tile<i32>
  %cst_2_bf16 = constant <bf16: 2.000000e+00> : tile<bf16>
  %reshape = reshape %cst_2_bf16 : tile<bf16> -> tile<1x1x1xbf16>
  %bcast = broadcast %reshape : tile<1x1x1xbf16> -> tile<4x8x32xbf16>
  %2 = mulf %tile_20, %bcast  : tile<4x8x32xbf16>
  %gsview = make_gather_scatter_view %tview_16 : gather_scatter_view<tile=(4x8x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>, sparse_dim=1>
  %3 = store_view_tko weak %2, %gsview[%1, %tile, %cst_0_i32_25] token = %0 optimization_hints = <default = {allow_tma = false}> : tile<4x8x32xbf16>, gather_scatter_view<tile=(4x8x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>, sparse_dim=1>, tile<i32>, tile<8xi32>, tile<i32> -> token
  return
}
