entry @atomic_float(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<32xi64>
  %cst_1_i64_1 = constant <i64: 1> : tile<32xi64>
  %cst_1_i64_2 = constant <i64: 1> : tile<32xi64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %1 = iota : tile<32xi32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(32), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<32xf64>, token
  %2 = join_tokens %0, %result_token : token
  %3 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %4 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape = reshape %4 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<32xi64>
  %5 = cmpi less_than %3, %bcast, unsigned : tile<32xi64> -> tile<32xi1>
  %6 = muli %3, %cst_1_i64 : tile<32xi64>
  %reshape_5 = reshape %assume : tile<ptr<f64>> -> tile<1xptr<f64>>
  %bcast_6 = broadcast %reshape_5 : tile<1xptr<f64>> -> tile<32xptr<f64>>
  %7 = offset %bcast_6, %6 : tile<32xptr<f64>>, tile<32xi64> -> tile<32xptr<f64>>
  %8 = join_tokens %0, %2 : token
  %result, %result_token_7 = atomic_rmw_tko acq_rel device %7, addf, %tile, %5 token=%8 : tile<32xptr<f64>>, tile<32xf64>, tile<32xi1> -> tile<32xf64>, token
  %9 = addf %result, %tile  : tile<32xf64>
  %10 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %11 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape_8 = reshape %11 : tile<i64> -> tile<1xi64>
  %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<32xi64>
  %12 = cmpi less_than %10, %bcast_9, unsigned : tile<32xi64> -> tile<32xi1>
  %13 = muli %10, %cst_1_i64_1 : tile<32xi64>
  %reshape_10 = reshape %assume : tile<ptr<f64>> -> tile<1xptr<f64>>
  %bcast_11 = broadcast %reshape_10 : tile<1xptr<f64>> -> tile<32xptr<f64>>
  %14 = offset %bcast_11, %13 : tile<32xptr<f64>>, tile<32xi64> -> tile<32xptr<f64>>
  %15 = join_tokens %result_token_7, %2 : token
  %result_12, %result_token_13 = atomic_rmw_tko acq_rel device %14, xchg, %9, %12 token=%15 : tile<32xptr<f64>>, tile<32xf64>, tile<32xi1> -> tile<32xf64>, token
  %16 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %17 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape_14 = reshape %17 : tile<i64> -> tile<1xi64>
  %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<32xi64>
  %18 = cmpi less_than %16, %bcast_15, unsigned : tile<32xi64> -> tile<32xi1>
  %19 = muli %16, %cst_1_i64_2 : tile<32xi64>
  %reshape_16 = reshape %assume : tile<ptr<f64>> -> tile<1xptr<f64>>
  %bcast_17 = broadcast %reshape_16 : tile<1xptr<f64>> -> tile<32xptr<f64>>
  %20 = offset %bcast_17, %19 : tile<32xptr<f64>>, tile<32xi64> -> tile<32xptr<f64>>
  %21 = join_tokens %result_token_13, %2 : token
  %result_18, %result_token_19 = atomic_cas_tko acq_rel device %20, %result_12, %tile, %18 token=%21 : tile<32xptr<f64>>, tile<32xf64>, tile<32xi1> -> tile<32xf64>, token
  return
}
