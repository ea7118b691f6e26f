entry @atomic_modes_u64(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_1 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_2 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_3 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_4 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_5 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_6 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_7 = constant <i64: 1> : tile<64xi64>
  %cst_1_i64_8 = constant <i64: 1> : tile<64xi64>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume_0, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %1 = iota : tile<64xi32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<64xi64>, token
  %2 = join_tokens %0, %result_token : token
  %3 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %4 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape = reshape %4 : tile<i64> -> tile<1xi64>
  %bcast = broadcast %reshape : tile<1xi64> -> tile<64xi64>
  %5 = cmpi less_than %3, %bcast, unsigned : tile<64xi64> -> tile<64xi1>
  %6 = muli %3, %cst_1_i64 : tile<64xi64>
  %reshape_11 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_12 = broadcast %reshape_11 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %7 = offset %bcast_12, %6 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %8 = join_tokens %0, %2 : token
  %result, %result_token_13 = atomic_rmw_tko acq_rel device %7, add, %tile, %5 token=%8 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %9 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %10 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_14 = reshape %10 : tile<i64> -> tile<1xi64>
  %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<64xi64>
  %11 = cmpi less_than %9, %bcast_15, unsigned : tile<64xi64> -> tile<64xi1>
  %12 = muli %9, %cst_1_i64_1 : tile<64xi64>
  %reshape_16 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_17 = broadcast %reshape_16 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %13 = offset %bcast_17, %12 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %14 = join_tokens %result_token_13, %2 : token
  %result_18, %result_token_19 = atomic_rmw_tko acq_rel device %13, umax, %result, %11 token=%14 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %15 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %16 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_20 = reshape %16 : tile<i64> -> tile<1xi64>
  %bcast_21 = broadcast %reshape_20 : tile<1xi64> -> tile<64xi64>
  %17 = cmpi less_than %15, %bcast_21, unsigned : tile<64xi64> -> tile<64xi1>
  %18 = muli %15, %cst_1_i64_2 : tile<64xi64>
  %reshape_22 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_23 = broadcast %reshape_22 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %19 = offset %bcast_23, %18 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %20 = join_tokens %result_token_19, %2 : token
  %result_24, %result_token_25 = atomic_rmw_tko acq_rel device %19, umin, %result_18, %17 token=%20 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %21 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %22 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_26 = reshape %22 : tile<i64> -> tile<1xi64>
  %bcast_27 = broadcast %reshape_26 : tile<1xi64> -> tile<64xi64>
  %23 = cmpi less_than %21, %bcast_27, unsigned : tile<64xi64> -> tile<64xi1>
  %24 = muli %21, %cst_1_i64_3 : tile<64xi64>
  %reshape_28 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_29 = broadcast %reshape_28 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %25 = offset %bcast_29, %24 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %26 = join_tokens %result_token_25, %2 : token
  %result_30, %result_token_31 = atomic_rmw_tko acq_rel device %25, and, %result_24, %23 token=%26 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %27 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %28 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_32 = reshape %28 : tile<i64> -> tile<1xi64>
  %bcast_33 = broadcast %reshape_32 : tile<1xi64> -> tile<64xi64>
  %29 = cmpi less_than %27, %bcast_33, unsigned : tile<64xi64> -> tile<64xi1>
  %30 = muli %27, %cst_1_i64_4 : tile<64xi64>
  %reshape_34 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_35 = broadcast %reshape_34 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %31 = offset %bcast_35, %30 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %32 = join_tokens %result_token_31, %2 : token
  %result_36, %result_token_37 = atomic_rmw_tko acq_rel device %31, or, %result_30, %29 token=%32 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %33 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %34 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_38 = reshape %34 : tile<i64> -> tile<1xi64>
  %bcast_39 = broadcast %reshape_38 : tile<1xi64> -> tile<64xi64>
  %35 = cmpi less_than %33, %bcast_39, unsigned : tile<64xi64> -> tile<64xi1>
  %36 = muli %33, %cst_1_i64_5 : tile<64xi64>
  %reshape_40 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_41 = broadcast %reshape_40 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %37 = offset %bcast_41, %36 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %38 = join_tokens %result_token_37, %2 : token
  %result_42, %result_token_43 = atomic_rmw_tko acq_rel device %37, xor, %result_36, %35 token=%38 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %39 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %40 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_44 = reshape %40 : tile<i64> -> tile<1xi64>
  %bcast_45 = broadcast %reshape_44 : tile<1xi64> -> tile<64xi64>
  %41 = cmpi less_than %39, %bcast_45, unsigned : tile<64xi64> -> tile<64xi1>
  %42 = muli %39, %cst_1_i64_6 : tile<64xi64>
  %reshape_46 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_47 = broadcast %reshape_46 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %43 = offset %bcast_47, %42 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %44 = join_tokens %result_token_43, %2 : token
  %result_48, %result_token_49 = atomic_rmw_tko acq_rel device %43, xchg, %result_42, %41 token=%44 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  %45 = addi %result_48, %cst_1_i64_7 : tile<64xi64>
  %46 = exti %1 signed : tile<64xi32> -> tile<64xi64>
  %47 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_50 = reshape %47 : tile<i64> -> tile<1xi64>
  %bcast_51 = broadcast %reshape_50 : tile<1xi64> -> tile<64xi64>
  %48 = cmpi less_than %46, %bcast_51, unsigned : tile<64xi64> -> tile<64xi1>
  %49 = muli %46, %cst_1_i64_8 : tile<64xi64>
  %reshape_52 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
  %bcast_53 = broadcast %reshape_52 : tile<1xptr<i64>> -> tile<64xptr<i64>>
  %50 = offset %bcast_53, %49 : tile<64xptr<i64>>, tile<64xi64> -> tile<64xptr<i64>>
  %51 = join_tokens %result_token_49, %2 : token
  %result_54, %result_token_55 = atomic_cas_tko acq_rel device %50, %result_48, %45, %48 token=%51 : tile<64xptr<i64>>, tile<64xi64>, tile<64xi1> -> tile<64xi64>, token
  return
}
