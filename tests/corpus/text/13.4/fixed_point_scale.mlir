entry @fixed_point_scale(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_-128_i64 = constant <i64: -128> : tile<128xi64>
  %cst_127_i64 = constant <i64: 127> : tile<128xi64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %1 = exti %tile signed : tile<128xi32> -> tile<128xi64>
  %2 = exti %arg6 signed : tile<i32> -> tile<i64>
  %reshape = reshape %2 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<128xi64>
  %3 = muli %1, %bcast : tile<128xi64>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %4 = subi %arg7, %cst_1_i32_5 : tile<i32>
  %5 = exti %4 signed : tile<i32> -> tile<i64>
  %6 = shli %cst_1_i64, %5 : tile<i64>
  %reshape_6 = reshape %6 : tile<i64> -> tile<1xi64>
  %bcast_7 = broadcast %reshape_6 : tile<1xi64> -> tile<128xi64>
  %7 = addi %3, %bcast_7 : tile<128xi64>
  %8 = exti %arg7 signed : tile<i32> -> tile<i64>
  %reshape_8 = reshape %8 : tile<i64> -> tile<1xi64>
  %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<128xi64>
  %9 = shri %7, %bcast_9 signed : tile<128xi64>
  %10 = maxi %9, %cst_-128_i64 signed : tile<128xi64>
  %11 = mini %10, %cst_127_i64 signed : tile<128xi64>
  %12 = trunci %11 : tile<128xi64> -> tile<128xi32>
  %pview_10 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %13 = store_view_tko weak %12, %pview_10[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
