entry @best_with_payload(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<i64>>, %arg14: tile<i32>, %arg15: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg13 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg14 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(4x64), tensor_view<?x?xf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(4x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<4x64xf16>, token
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %pview_18 = make_partition_view %tview_12 : partition_view<tile=(4x64), tensor_view<?x?xi64, strides=[?,1]>>
  %tile_19, %result_token_20 = load_view_tko weak %pview_18[%blockId_x, %cst_0_i32_17] token = %0 : partition_view<tile=(4x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> tile<4x64xi64>, token
  %reduce:2 = reduce %tile, %tile_19 dim=1 identities=[0xFC00 : f16, -1] : tile<4x64xf16>, tile<4x64xi64> -> tile<4xf16>, tile<4xi64> 
  (%reduce_lhs0: tile<f16>, %reduce_rhs0: tile<f16>, %reduce_lhs1: tile<i64>, %reduce_rhs1: tile<i64>) {
    %3 = cmpf greater_than ordered %reduce_lhs0, %reduce_rhs0 : tile<f16> -> tile<i1>
    %4 = cmpf equal ordered %reduce_lhs0, %reduce_rhs0 : tile<f16> -> tile<i1>
    %5 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i64> -> tile<i1>
    %6 = andi %4, %5 : tile<i1>
    %7 = ori %3, %6 : tile<i1>
    %8 = select %7, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<f16>
    %9 = select %7, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i64>
    yield %8, %9 : tile<f16>, tile<i64>
  }
  %pview_21 = make_partition_view %tview_14 : partition_view<tile=(4), tensor_view<?xf16, strides=[1]>>
  %1 = store_view_tko weak %reduce#0, %pview_21[%blockId_x] token = %0 : tile<4xf16>, partition_view<tile=(4), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %pview_22 = make_partition_view %tview_16 : partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>
  %2 = store_view_tko weak %reduce#1, %pview_22[%blockId_x] token = %0 : tile<4xi64>, partition_view<tile=(4), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
