entry @reinterpreted_pointer(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %assume_1 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_1, %assume_2], strides = [%assume_3, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_assume = assume div_by<16>, %assume : tile<ptr<f32>>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg8 : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %tview_7 = make_tensor_view %assume_assume, shape = [64, %assume_4], strides = [%assume_5, 1] : tile<i32> -> tensor_view<64x?xf32, strides=[?,1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_8 = constant <i32: 0> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32_9 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview_7 : partition_view<tile=(8x8), tensor_view<64x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32_9] token = %0 : partition_view<tile=(8x8), tensor_view<64x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x8xf32>, token
  %pview_10 = make_partition_view %tview : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>
  %1 = store_view_tko weak %tile, %pview_10[%cst_0_i32, %cst_0_i32_8] token = %0 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
