entry @while_break_continue(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_-1_i32 = constant <i32: -1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %cst_0_i32_4 = constant <i32: 0> : tile<i32>
  %1 = exti %assume_2 signed : tile<i32> -> tile<i64>
  %cst_0_i32_5 = constant <i32: 0> : tile<i32>
  %2:3 = loop iter_values(%arg7 = %cst_0_i32_5, %arg8 = %assume_2, %arg9 = %cst_0_i32) : tile<i32>, tile<i32>, tile<i32> -> tile<i32>, tile<i32>, tile<i32> {
    %9 = cmpi greater_than_or_equal %arg9, %arg8, signed : tile<i32> -> tile<i1>
    if %9 {
      break %cst_-1_i32, %arg8, %arg9 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    %10 = addi %arg9, %arg8 : tile<i32>
    %11 = divi %10, %cst_2_i32 signed rounding<negative_inf> : tile<i32>
    %12 = exti %11 signed : tile<i32> -> tile<i64>
    %13 = cmpi less_than %12, %1, unsigned : tile<i64> -> tile<i1>
    %14 = muli %12, %cst_1_i64 : tile<i64>
    %15 = offset %assume, %14 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_7 = assume div_by<4>, %15 : tile<ptr<i32>>
    %result, %result_token = load_ptr_tko weak %assume_7, %13, %cst_0_i32_4 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %16 = cmpi less_than %result, %arg6, signed : tile<i32> -> tile<i1>
    if %16 {
      %cst_1_i32 = constant <i32: 1> : tile<i32>
      %18 = addi %11, %cst_1_i32 : tile<i32>
      continue %cst_-1_i32, %arg8, %18 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    %17 = cmpi equal %result, %arg6, signed : tile<i32> -> tile<i1>
    if %17 {
      break %11, %arg8, %arg9 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    continue %cst_-1_i32, %11, %arg9 : tile<i32>, tile<i32>, tile<i32>
  }
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %3 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %4 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %5 = cmpi less_than %3, %4, unsigned : tile<i64> -> tile<i1>
  %6 = muli %3, %cst_1_i64_1 : tile<i64>
  %7 = offset %assume_0, %6 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_6 = assume div_by<4>, %7 : tile<ptr<i32>>
  %8 = store_ptr_tko weak %assume_6, %2#0, %5 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
