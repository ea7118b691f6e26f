entry @int_reductions_u16(%arg0: tile<ptr<i16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i16>>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i16>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<i16>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xi16, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32x16), tensor_view<?x?xi16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(32x16), tensor_view<?x?xi16, strides=[?,1]>>, tile<i32> -> tile<32x16xi16>, token
  %reduce = reduce %tile dim=0 identities=[0 : i16] : tile<32x16xi16> -> tile<16xi16> 
  (%reduce_lhs: tile<i16>, %reduce_rhs: tile<i16>) {
    %4 = addi %reduce_lhs, %reduce_rhs : tile<i16>
    yield %4 : tile<i16>
  }
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xi16, strides=[1]>>
  %1 = store_view_tko weak %reduce, %pview_15[%blockId_x] token = %0 : tile<16xi16>, partition_view<tile=(16), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %reduce_16 = reduce %tile dim=1 identities=[-1 : i16] : tile<32x16xi16> -> tile<32xi16> 
  (%reduce_lhs: tile<i16>, %reduce_rhs: tile<i16>) {
    %4 = mini %reduce_lhs, %reduce_rhs unsigned : tile<i16>
    yield %4 : tile<i16>
  }
  %pview_17 = make_partition_view %tview_12 : partition_view<tile=(32), tensor_view<?xi16, strides=[1]>>
  %2 = store_view_tko weak %reduce_16, %pview_17[%blockId_x] token = %0 : tile<32xi16>, partition_view<tile=(32), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  %reduce_18 = reduce %tile dim=1 identities=[0 : i16] : tile<32x16xi16> -> tile<32xi16> 
  (%reduce_lhs: tile<i16>, %reduce_rhs: tile<i16>) {
    %4 = maxi %reduce_lhs, %reduce_rhs unsigned : tile<i16>
    yield %4 : tile<i16>
  }
  %pview_19 = make_partition_view %tview_14 : partition_view<tile=(32), tensor_view<?xi16, strides=[1]>>
  %3 = store_view_tko weak %reduce_18, %pview_19[%blockId_x] token = %0 : tile<32xi16>, partition_view<tile=(32), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
  return
}
