entry @any_and_all(%arg0: tile<ptr<i1>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i1>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i1>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i32>>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i1>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i1>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<i1>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xi1, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x32), tensor_view<?x?xi1, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x32), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> tile<16x32xi1>, token
  %reduce = reduce %tile dim=1 identities=[false] : tile<16x32xi1> -> tile<16xi1> 
  (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
    %5 = ori %reduce_lhs, %reduce_rhs : tile<i1>
    yield %5 : tile<i1>
  }
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>
  %1 = store_view_tko weak %reduce, %pview_15[%blockId_x] token = %0 : tile<16xi1>, partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  %reduce_16 = reduce %tile dim=1 identities=[true] : tile<16x32xi1> -> tile<16xi1> 
  (%reduce_lhs: tile<i1>, %reduce_rhs: tile<i1>) {
    %5 = andi %reduce_lhs, %reduce_rhs : tile<i1>
    yield %5 : tile<i1>
  }
  %pview_17 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>
  %2 = store_view_tko weak %reduce_16, %pview_17[%blockId_x] token = %0 : tile<16xi1>, partition_view<tile=(16), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  %3 = exti %tile unsigned : tile<16x32xi1> -> tile<16x32xi32>
  %reduce_18 = reduce %3 dim=1 identities=[0 : i32] : tile<16x32xi32> -> tile<16xi32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %5 = addi %reduce_lhs, %reduce_rhs : tile<i32>
    yield %5 : tile<i32>
  }
  %pview_19 = make_partition_view %tview_14 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %4 = store_view_tko weak %reduce_18, %pview_19[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
