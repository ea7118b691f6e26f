entry @broadcasts(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8, %assume_9], strides = [%assume_10, %assume_11, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %cst_0_i32_13 = constant <i32: 0> : tile<i32>
  %pview_14 = make_partition_view %tview_6 : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%cst_0_i32_13] token = %0 : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  %reshape = reshape %tile : tile<8xf32> -> tile<8x1xf32>
  %reshape_17 = reshape %tile_15 : tile<16xf32> -> tile<1x16xf32>
  %bcast = broadcast %reshape : tile<8x1xf32> -> tile<8x16xf32>
  %bcast_18 = broadcast %reshape_17 : tile<1x16xf32> -> tile<8x16xf32>
  %reshape_19 = reshape %arg13 : tile<f32> -> tile<1x1xf32>
  %bcast_20 = broadcast %reshape_19 : tile<1x1xf32> -> tile<8x16xf32>
  %1 = fma %bcast, %bcast_18, %bcast_20  : tile<8x16xf32>
  %reshape_21 = reshape %tile : tile<8xf32> -> tile<8x1xf32>
  %reshape_22 = reshape %reshape_21 : tile<8x1xf32> -> tile<1x8x1xf32>
  %bcast_23 = broadcast %reshape_22 : tile<1x8x1xf32> -> tile<4x8x16xf32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32_24 = constant <i32: 0> : tile<i32>
  %cst_0_i32_25 = constant <i32: 0> : tile<i32>
  %reshape_26 = reshape %1 : tile<8x16xf32> -> tile<1x8x16xf32>
  %bcast_27 = broadcast %reshape_26 : tile<1x8x16xf32> -> tile<4x8x16xf32>
  %2 = addf %bcast_27, %bcast_23  : tile<4x8x16xf32>
  %pview_28 = make_partition_view %tview_12 : partition_view<tile=(4x8x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
  %3 = store_view_tko weak %2, %pview_28[%blockId_x, %cst_0_i32_24, %cst_0_i32_25] token = %0 : tile<4x8x16xf32>, partition_view<tile=(4x8x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
  return
}
