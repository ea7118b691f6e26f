entry @atomic_half(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<32xi64>
  %assume_1 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %1 = iota : tile<32xi32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<32xf16>, token
  %2 = join_tokens %0, %result_token : token
  %3 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %4 = exti %assume_1 signed : tile<i32> -> tile<i64>
  %reshape = reshape %4 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<32xi64>
  %5 = cmpi less_than %3, %bcast, unsigned : tile<32xi64> -> tile<32xi1>
  %6 = muli %3, %cst_1_i64 : tile<32xi64>
  %reshape_3 = reshape %assume : tile<ptr<f16>> -> tile<1xptr<f16>>
  %bcast_4 = broadcast %reshape_3 : tile<1xptr<f16>> -> tile<32xptr<f16>>
  %7 = offset %bcast_4, %6 : tile<32xptr<f16>>, tile<32xi64> -> tile<32xptr<f16>>
  %8 = join_tokens %0, %2 : token
  %result, %result_token_5 = atomic_rmw_tko acq_rel device %7, addf, %tile, %5 token=%8 : tile<32xptr<f16>>, tile<32xf16>, tile<32xi1> -> tile<32xf16>, token
  return
}
