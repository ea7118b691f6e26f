entry @last_block_reduces(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_3 = constant <i64: 1> : tile<i64>
  %cst_1_i64_4 = constant <i64: 1> : tile<256xi64>
  %cst_1_i64_5 = constant <i64: 1> : tile<i64>
  %cst_1_i64_6 = constant <i64: 1> : tile<i64>
  %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_8 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x_11] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %1 = join_tokens %0, %result_token : token
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %15 : tile<f32>
  }
  %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %3 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %4 = cmpi less_than %2, %3, unsigned : tile<i64> -> tile<i1>
  %5 = muli %2, %cst_1_i64 : tile<i64>
  %6 = offset %assume_0, %5 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_14 = assume div_by<4>, %6 : tile<ptr<f32>>
  %7 = store_ptr_tko weak %assume_14, %reduce, %4 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %8 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %9 = cmpi less_than %cst_0_i64, %8, unsigned : tile<i64> -> tile<i1>
  %10 = muli %cst_0_i64, %cst_1_i64_3 : tile<i64>
  %11 = offset %assume_1, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %12 = join_tokens %0, %1, %7 : token
  %result, %result_token_16 = atomic_rmw_tko acq_rel device %11, add, %cst_1_i32_15, %9 token=%12 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %13 = subi %gridSize_x, %cst_1_i32_17 : tile<i32>
  %14 = cmpi equal %result, %13, signed : tile<i32> -> tile<i1>
  if %14 {
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256xf32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %gridSize_x_18, %gridSize_y_19, %gridSize_z_20 = get_num_tile_blocks : tile<i32>
    %15 = iota : tile<256xi32>
    %16 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %reshape = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast = broadcast %reshape : tile<1xi64> -> tile<256xi64>
    %reshape_21 = reshape %assume_0 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_22 = broadcast %reshape_21 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %cst_0_f32_23 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_24 = reshape %cst_0_f32_23 : tile<f32> -> tile<1xf32>
    %bcast_25 = broadcast %reshape_24 : tile<1xf32> -> tile<256xf32>
    %17 = join_tokens %7, %result_token_16 : token
    %for = for %loopIdx in (%cst_0_i32 to %gridSize_x_18, step %cst_256_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256xf32>) {
      %reshape_32 = reshape %loopIdx : tile<i32> -> tile<1xi32>
      %bcast_33 = broadcast %reshape_32 : tile<1xi32> -> tile<256xi32>
      %29 = addi %bcast_33, %15 : tile<256xi32>
      %30 = exti %29 signed : tile<256xi32> -> tile<256xi64>
      %31 = cmpi less_than %30, %bcast, unsigned : tile<256xi64> -> tile<256xi1>
      %32 = muli %30, %cst_1_i64_4 : tile<256xi64>
      %33 = offset %bcast_22, %32 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
      %result_34, %result_token_35 = load_ptr_tko weak %33, %31, %bcast_25 token=%17 : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
      %34 = addf %iterArg0, %result_34  : tile<256xf32>
      continue %34 : tile<256xf32>
    }
    %reduce_26 = reduce %for dim=0 identities=[0.000000e+00 : f32] : tile<256xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %29 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %29 : tile<f32>
    }
    %cst_0_i64_27 = constant <i64: 0> : tile<i64>
    %18 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %19 = cmpi less_than %cst_0_i64_27, %18, unsigned : tile<i64> -> tile<i1>
    %20 = muli %cst_0_i64_27, %cst_1_i64_5 : tile<i64>
    %21 = offset %assume_2, %20 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_28 = assume div_by<16>, %21 : tile<ptr<f32>>
    %22 = join_tokens %0, %result_token_16 : token
    %23 = store_ptr_tko weak %assume_28, %reduce_26, %19 token=%22 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %cst_0_i32_29 = constant <i32: 0> : tile<i32>
    %cst_0_i64_30 = constant <i64: 0> : tile<i64>
    %24 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %25 = cmpi less_than %cst_0_i64_30, %24, unsigned : tile<i64> -> tile<i1>
    %26 = muli %cst_0_i64_30, %cst_1_i64_6 : tile<i64>
    %27 = offset %assume_1, %26 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_31 = assume div_by<16>, %27 : tile<ptr<i32>>
    %28 = store_ptr_tko weak %assume_31, %cst_0_i32_29, %25 token=%result_token_16 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  } else {
  }
  return
}
