entry @float_reductions_bf16(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<bf16>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<bf16>>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg14 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8, %assume_9], strides = [%assume_10, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview_18 = make_tensor_view %assume_3, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x32), tensor_view<?x?xbf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x32), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x32xbf16>, token
  %reduce = reduce %tile dim=1 identities=[0.000000e+00 : bf16] : tile<16x32xbf16> -> tile<16xbf16> 
  (%reduce_lhs: tile<bf16>, %reduce_rhs: tile<bf16>) {
    %5 = addf %reduce_lhs, %reduce_rhs  : tile<bf16>
    yield %5 : tile<bf16>
  }
  %pview_19 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %1 = store_view_tko weak %reduce, %pview_19[%blockId_x] token = %0 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %reduce_20 = reduce %tile dim=0 identities=[1.000000e+00 : bf16] : tile<16x32xbf16> -> tile<32xbf16> 
  (%reduce_lhs: tile<bf16>, %reduce_rhs: tile<bf16>) {
    %5 = mulf %reduce_lhs, %reduce_rhs  : tile<bf16>
    yield %5 : tile<bf16>
  }
  %pview_21 = make_partition_view %tview_14 : partition_view<tile=(32), tensor_view<?xbf16, strides=[1]>>
  %2 = store_view_tko weak %reduce_20, %pview_21[%blockId_x] token = %0 : tile<32xbf16>, partition_view<tile=(32), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %reduce_22 = reduce %tile dim=1 identities=[0x7F80 : bf16] : tile<16x32xbf16> -> tile<16xbf16> 
  (%reduce_lhs: tile<bf16>, %reduce_rhs: tile<bf16>) {
    %5 = minf %reduce_lhs, %reduce_rhs : tile<bf16>
    yield %5 : tile<bf16>
  }
  %pview_23 = make_partition_view %tview_16 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %3 = store_view_tko weak %reduce_22, %pview_23[%blockId_x] token = %0 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  %reduce_24 = reduce %tile dim=0 identities=[0xFF80 : bf16] : tile<16x32xbf16> -> tile<32xbf16> 
  (%reduce_lhs: tile<bf16>, %reduce_rhs: tile<bf16>) {
    %5 = maxf %reduce_lhs, %reduce_rhs : tile<bf16>
    yield %5 : tile<bf16>
  }
  %pview_25 = make_partition_view %tview_18 : partition_view<tile=(32), tensor_view<?xbf16, strides=[1]>>
  %4 = store_view_tko weak %reduce_24, %pview_25[%blockId_x] token = %0 : tile<32xbf16>, partition_view<tile=(32), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  return
}
