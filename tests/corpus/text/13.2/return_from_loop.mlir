entry @return_from_loop(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %false = constant <i1: false> : tile<i1>
  %true = constant <i1: true> : tile<i1>
  %false_1 = constant <i1: false> : tile<i1>
  %true_2 = constant <i1: true> : tile<i1>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_3 = constant <i64: 1> : tile<i64>
  %cst_1_i64_4 = constant <i64: 1> : tile<i64>
  %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_0_i32_7 = constant <i32: 0> : tile<i32>
  %1 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %for:3 = for %loopIdx in (%cst_0_i32 to %assume_5, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %false, %iterArg1 = %false_1, %iterArg2 = %0) -> (tile<i1>, tile<i1>, token) {
    if %iterArg1 {
      continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i1>, token
    } else {
    }
    %8 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %9 = cmpi less_than %8, %1, unsigned : tile<i64> -> tile<i1>
    %10 = muli %8, %cst_1_i64 : tile<i64>
    %11 = offset %assume, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_9 = assume div_by<4>, %11 : tile<ptr<i32>>
    %result, %result_token = load_ptr_tko weak %assume_9, %9, %cst_0_i32_7 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %12 = cmpi equal %result, %arg6, signed : tile<i32> -> tile<i1>
    %13 = if %12 -> (token) {
      %blockId_x_10, %blockId_y_11, %blockId_z_12 = get_tile_block_id : tile<i32>
      %14 = exti %blockId_x_10 signed : tile<i32> -> tile<i64>
      %15 = exti %assume_6 signed : tile<i32> -> tile<i64>
      %16 = cmpi less_than %14, %15, unsigned : tile<i64> -> tile<i1>
      %17 = muli %14, %cst_1_i64_3 : tile<i64>
      %18 = offset %assume_0, %17 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
      %assume_13 = assume div_by<4>, %18 : tile<ptr<i32>>
      %19 = store_ptr_tko weak %assume_13, %loopIdx, %16 token=%iterArg2 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
      continue %true, %true_2, %19 : tile<i1>, tile<i1>, token
    } else {
      yield %iterArg2 : token
    }
    continue %iterArg0, %iterArg1, %13 : tile<i1>, tile<i1>, token
  }
  if %for#0 {
    return
  } else {
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_-1_i32 = constant <i32: -1> : tile<i32>
  %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %3 = exti %assume_6 signed : tile<i32> -> tile<i64>
  %4 = cmpi less_than %2, %3, unsigned : tile<i64> -> tile<i1>
  %5 = muli %2, %cst_1_i64_4 : tile<i64>
  %6 = offset %assume_0, %5 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_8 = assume div_by<4>, %6 : tile<ptr<i32>>
  %7 = store_ptr_tko weak %assume_8, %cst_-1_i32, %4 token=%for#2 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
