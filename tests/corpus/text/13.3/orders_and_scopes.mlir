entry @orders_and_scopes(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %cst_1_i64 = constant <i64: 1> : tile<32xi64>
  %cst_1_i32 = constant <i32: 1> : tile<32xi32>
  %cst_1_i64_0 = constant <i64: 1> : tile<32xi64>
  %cst_2_i32 = constant <i32: 2> : tile<32xi32>
  %cst_1_i64_1 = constant <i64: 1> : tile<32xi64>
  %cst_3_i32 = constant <i32: 3> : tile<32xi32>
  %cst_1_i64_2 = constant <i64: 1> : tile<32xi64>
  %cst_4_i32 = constant <i32: 4> : tile<32xi32>
  %cst_1_i64_3 = constant <i64: 1> : tile<32xi64>
  %cst_5_i32 = constant <i32: 5> : tile<32xi32>
  %cst_1_i64_4 = constant <i64: 1> : tile<32xi64>
  %cst_6_i32 = constant <i32: 6> : tile<32xi32>
  %cst_7_i32 = constant <i32: 7> : tile<32xi32>
  %cst_1_i64_5 = constant <i64: 1> : tile<32xi64>
  %cst_7_i32_6 = constant <i32: 7> : tile<32xi32>
  %cst_8_i32 = constant <i32: 8> : tile<32xi32>
  %cst_1_i64_7 = constant <i64: 1> : tile<32xi64>
  %cst_9_i32 = constant <i32: 9> : tile<32xi32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %1 = iota : tile<32xi32>
  %2 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %3 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape = reshape %3 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<32xi64>
  %4 = cmpi less_than %2, %bcast, unsigned : tile<32xi64> -> tile<32xi1>
  %5 = muli %2, %cst_1_i64 : tile<32xi64>
  %reshape_9 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_10 = broadcast %reshape_9 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %6 = offset %bcast_10, %5 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result, %result_token = atomic_rmw_tko relaxed tl_blk %6, add, %cst_1_i32, %4 token=%0 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %7 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %8 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_11 = reshape %8 : tile<i64> -> tile<1xi64>
  %bcast_12 = broadcast %reshape_11 : tile<1xi64> -> tile<32xi64>
  %9 = cmpi less_than %7, %bcast_12, unsigned : tile<32xi64> -> tile<32xi1>
  %10 = muli %7, %cst_1_i64_0 : tile<32xi64>
  %reshape_13 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_14 = broadcast %reshape_13 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %11 = offset %bcast_14, %10 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result_15, %result_token_16 = atomic_rmw_tko relaxed device %11, add, %cst_2_i32, %9 token=%result_token : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %12 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %13 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_17 = reshape %13 : tile<i64> -> tile<1xi64>
  %bcast_18 = broadcast %reshape_17 : tile<1xi64> -> tile<32xi64>
  %14 = cmpi less_than %12, %bcast_18, unsigned : tile<32xi64> -> tile<32xi1>
  %15 = muli %12, %cst_1_i64_1 : tile<32xi64>
  %reshape_19 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_20 = broadcast %reshape_19 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %16 = offset %bcast_20, %15 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result_21, %result_token_22 = atomic_rmw_tko acquire sys %16, add, %cst_3_i32, %14 token=%result_token_16 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %17 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %18 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_23 = reshape %18 : tile<i64> -> tile<1xi64>
  %bcast_24 = broadcast %reshape_23 : tile<1xi64> -> tile<32xi64>
  %19 = cmpi less_than %17, %bcast_24, unsigned : tile<32xi64> -> tile<32xi1>
  %20 = muli %17, %cst_1_i64_2 : tile<32xi64>
  %reshape_25 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_26 = broadcast %reshape_25 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %21 = offset %bcast_26, %20 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result_27, %result_token_28 = atomic_rmw_tko release device %21, max, %cst_4_i32, %19 token=%result_token_22 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %22 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %23 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_29 = reshape %23 : tile<i64> -> tile<1xi64>
  %bcast_30 = broadcast %reshape_29 : tile<1xi64> -> tile<32xi64>
  %24 = cmpi less_than %22, %bcast_30, unsigned : tile<32xi64> -> tile<32xi1>
  %25 = muli %22, %cst_1_i64_3 : tile<32xi64>
  %reshape_31 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_32 = broadcast %reshape_31 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %26 = offset %bcast_32, %25 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %27 = join_tokens %result_token_28, %result_token_22 : token
  %result_33, %result_token_34 = atomic_rmw_tko acq_rel sys %26, min, %cst_5_i32, %24 token=%27 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %28 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %29 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_35 = reshape %29 : tile<i64> -> tile<1xi64>
  %bcast_36 = broadcast %reshape_35 : tile<1xi64> -> tile<32xi64>
  %30 = cmpi less_than %28, %bcast_36, unsigned : tile<32xi64> -> tile<32xi1>
  %31 = muli %28, %cst_1_i64_4 : tile<32xi64>
  %reshape_37 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_38 = broadcast %reshape_37 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %32 = offset %bcast_38, %31 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result_39, %result_token_40 = atomic_cas_tko acquire tl_blk %32, %cst_6_i32, %cst_7_i32, %30 token=%result_token_34 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %33 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %34 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_41 = reshape %34 : tile<i64> -> tile<1xi64>
  %bcast_42 = broadcast %reshape_41 : tile<1xi64> -> tile<32xi64>
  %35 = cmpi less_than %33, %bcast_42, unsigned : tile<32xi64> -> tile<32xi1>
  %36 = muli %33, %cst_1_i64_5 : tile<32xi64>
  %reshape_43 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_44 = broadcast %reshape_43 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %37 = offset %bcast_44, %36 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %result_45, %result_token_46 = atomic_cas_tko release sys %37, %cst_7_i32_6, %cst_8_i32, %35 token=%result_token_40 : tile<32xptr<i32>>, tile<32xi32>, tile<32xi1> -> tile<32xi32>, token
  %38 = exti %1 signed : tile<32xi32> -> tile<32xi64>
  %39 = muli %38, %cst_1_i64_7 : tile<32xi64>
  %reshape_47 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_48 = broadcast %reshape_47 : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %40 = offset %bcast_48, %39 : tile<32xptr<i32>>, tile<32xi64> -> tile<32xptr<i32>>
  %41 = join_tokens %result_token_46, %result_token_40 : token
  %result_49, %result_token_50 = atomic_rmw_tko relaxed sys %40, xchg, %cst_9_i32 token=%41 : tile<32xptr<i32>>, tile<32xi32> -> tile<32xi32>, token
  return
}
