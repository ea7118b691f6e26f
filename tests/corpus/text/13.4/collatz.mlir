entry @collatz(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %2 = exti %assume_2 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %1, %cst_1_i64 : tile<i64>
  %5 = offset %assume, %4 : tile<ptr<i64>>, tile<i64> -> tile<ptr<i64>>
  %assume_4 = assume div_by<8>, %5 : tile<ptr<i64>>
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %result, %result_token = load_ptr_tko weak %assume_4, %3, %cst_0_i64 token=%0 : tile<ptr<i64>>, tile<i1>, tile<i64> -> tile<i64>, token
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i64_5 = constant <i64: 1> : tile<i64>
  %cst_2_i64 = constant <i64: 2> : tile<i64>
  %cst_0_i64_6 = constant <i64: 0> : tile<i64>
  %false = constant <i1: false> : tile<i1>
  %cst_0_i64_7 = constant <i64: 0> : tile<i64>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %6:2 = loop iter_values(%arg6 = %result, %arg7 = %cst_0_i32) : tile<i64>, tile<i32> -> tile<i64>, tile<i32> {
    %13 = cmpi greater_than %arg6, %cst_1_i64_5, signed : tile<i64> -> tile<i1>
    if %13 {
    } else {
      break %arg6, %arg7 : tile<i64>, tile<i32>
    }
    %14 = remi %arg6, %cst_2_i64 signed : tile<i64>
    %15 = cmpi less_than %14, %cst_0_i64_6, signed : tile<i64> -> tile<i1>
    %16 = xori %15, %false : tile<i1>
    %17 = cmpi not_equal %14, %cst_0_i64_6, signed : tile<i64> -> tile<i1>
    %18 = andi %16, %17 : tile<i1>
    %19 = addi %14, %cst_2_i64 : tile<i64>
    %20 = select %18, %19, %14 : tile<i1>, tile<i64>
    %21 = cmpi equal %20, %cst_0_i64_7, signed : tile<i64> -> tile<i1>
    %22 = if %21 -> (tile<i64>) {
      %cst_2_i64_12 = constant <i64: 2> : tile<i64>
      %24 = divi %arg6, %cst_2_i64_12 signed rounding<negative_inf> : tile<i64>
      yield %24 : tile<i64>
    } else {
      %cst_3_i64 = constant <i64: 3> : tile<i64>
      %24 = muli %cst_3_i64, %arg6 : tile<i64>
      %cst_1_i64_12 = constant <i64: 1> : tile<i64>
      %25 = addi %24, %cst_1_i64_12 : tile<i64>
      yield %25 : tile<i64>
    }
    %23 = addi %arg7, %cst_1_i32 : tile<i32>
    continue %22, %23 : tile<i64>, tile<i32>
  }
  %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32>
  %7 = exti %blockId_x_8 signed : tile<i32> -> tile<i64>
  %8 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1>
  %10 = muli %7, %cst_1_i64_1 : tile<i64>
  %11 = offset %assume_0, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_11 = assume div_by<4>, %11 : tile<ptr<i32>>
  %12 = store_ptr_tko weak %assume_11, %6#1, %9 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
