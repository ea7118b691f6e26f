entry @for_with_break(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %false = constant <i1: false> : tile<i1>
  %true = constant <i1: true> : tile<i1>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_4 = constant <i32: 0> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_0_i32_5 = constant <i32: 0> : tile<i32>
  %1 = exti %assume_2 signed : tile<i32> -> tile<i64>
  %for:2 = for %loopIdx in (%cst_0_i32_4 to %assume_2, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32, %iterArg1 = %false) -> (tile<i32>, tile<i1>) {
    if %iterArg1 {
      continue %iterArg0, %iterArg1 : tile<i32>, tile<i1>
    } else {
    }
    %8 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %9 = cmpi less_than %8, %1, unsigned : tile<i64> -> tile<i1>
    %10 = muli %8, %cst_1_i64 : tile<i64>
    %11 = offset %assume, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_7 = assume div_by<4>, %11 : tile<ptr<i32>>
    %result, %result_token = load_ptr_tko weak %assume_7, %9, %cst_0_i32_5 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %12 = addi %iterArg0, %result : tile<i32>
    %13 = cmpi greater_than %12, %arg6, signed : tile<i32> -> tile<i1>
    if %13 {
      continue %12, %true : tile<i32>, tile<i1>
    } else {
    }
    continue %12, %iterArg1 : tile<i32>, tile<i1>
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %3 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %4 = cmpi less_than %2, %3, unsigned : tile<i64> -> tile<i1>
  %5 = muli %2, %cst_1_i64_1 : tile<i64>
  %6 = offset %assume_0, %5 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_6 = assume div_by<4>, %6 : tile<ptr<i32>>
  %7 = store_ptr_tko weak %assume_6, %for#0, %4 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
