entry @raw_atomics(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i64>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %cst_10_i64 = constant <i64: 10> : tile<16xi64>
  %cst_1_i64 = constant <i64: 1> : tile<16xi64>
  %1 = iota : tile<16xi64>
  %reshape = reshape %arg3 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<16xi64>
  %2 = cmpi less_than %1, %bcast, signed : tile<16xi64> -> tile<16xi1>
  %reshape_0 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_1 = broadcast %reshape_0 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %3 = offset %bcast_1, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result, %result_token = atomic_rmw_tko acq_rel device %3, max, %cst_10_i64, %2 token=%0 : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> tile<16xi64>, token
  %reshape_2 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_3 = broadcast %reshape_2 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %4 = offset %bcast_3, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_4, %result_token_5 = atomic_rmw_tko acq_rel device %4, min, %result, %2 token=%result_token : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> tile<16xi64>, token
  %reshape_6 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_7 = broadcast %reshape_6 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %5 = offset %bcast_7, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_8, %result_token_9 = atomic_rmw_tko acq_rel device %5, and, %result_4 token=%result_token_5 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xi64>, token
  %reshape_10 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_11 = broadcast %reshape_10 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %6 = offset %bcast_11, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_12, %result_token_13 = atomic_rmw_tko acq_rel tl_blk %6, or, %result_8 token=%result_token_9 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xi64>, token
  %reshape_14 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_15 = broadcast %reshape_14 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %7 = offset %bcast_15, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_16, %result_token_17 = atomic_rmw_tko acq_rel sys %7, xor, %result_12, %2 token=%result_token_13 : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> tile<16xi64>, token
  %reshape_18 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_19 = broadcast %reshape_18 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %8 = offset %bcast_19, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_20, %result_token_21 = atomic_rmw_tko acq_rel device %8, xchg, %result_16 token=%result_token_17 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xi64>, token
  %9 = addi %result_20, %cst_1_i64 : tile<16xi64>
  %reshape_22 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_23 = broadcast %reshape_22 : tile<1xptr<i64>> -> tile<16xptr<i64>>
  %10 = offset %bcast_23, %1 : tile<16xptr<i64>>, tile<16xi64> -> tile<16xptr<i64>>
  %result_24, %result_token_25 = atomic_cas_tko acq_rel device %10, %result_20, %9, %2 token=%result_token_21 : tile<16xptr<i64>>, tile<16xi64>, tile<16xi1> -> tile<16xi64>, token
  return
}
