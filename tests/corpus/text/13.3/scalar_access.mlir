entry @scalar_access(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %cst_1_i64_2 = constant <i64: 1> : tile<i64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
  %1 = exti %arg10 signed : tile<i32> -> tile<i64>
  %2 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = exti %assume_6 signed : tile<i32> -> tile<i64>
  %5 = muli %1, %4 : tile<i64>
  %6 = exti %arg11 signed : tile<i32> -> tile<i64>
  %7 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %8 = cmpi less_than %6, %7, unsigned : tile<i64> -> tile<i1>
  %9 = andi %3, %8 : tile<i1>
  %10 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %11 = muli %6, %10 : tile<i64>
  %12 = addi %5, %11 : tile<i64>
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %13 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %14 = cmpi less_than %cst_0_i64, %13, unsigned : tile<i64> -> tile<i1>
  %15 = andi %9, %14 : tile<i1>
  %16 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
  %17 = addi %12, %16 : tile<i64>
  %18 = offset %assume, %17 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_9 = assume div_by<4>, %18 : tile<ptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %result, %result_token = load_ptr_tko weak %assume_9, %15, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %cst_0_i64_10 = constant <i64: 0> : tile<i64>
  %19 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %20 = cmpi less_than %cst_0_i64_10, %19, unsigned : tile<i64> -> tile<i1>
  %21 = exti %assume_6 signed : tile<i32> -> tile<i64>
  %22 = muli %cst_0_i64_10, %21 : tile<i64>
  %23 = exti %arg10 signed : tile<i32> -> tile<i64>
  %24 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %25 = cmpi less_than %23, %24, unsigned : tile<i64> -> tile<i1>
  %26 = andi %20, %25 : tile<i1>
  %27 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %28 = muli %23, %27 : tile<i64>
  %29 = addi %22, %28 : tile<i64>
  %30 = exti %arg11 signed : tile<i32> -> tile<i64>
  %31 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %32 = cmpi less_than %30, %31, unsigned : tile<i64> -> tile<i1>
  %33 = andi %26, %32 : tile<i1>
  %34 = muli %30, %cst_1_i64_1 : tile<i64>
  %35 = addi %29, %34 : tile<i64>
  %36 = offset %assume, %35 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_11 = assume div_by<4>, %36 : tile<ptr<f32>>
  %cst_0_f32_12 = constant <f32: 0.000000e+00> : tile<f32>
  %result_13, %result_token_14 = load_ptr_tko weak %assume_11, %33, %cst_0_f32_12 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %37 = addf %result, %result_13  : tile<f32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %38 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %39 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %40 = cmpi less_than %38, %39, unsigned : tile<i64> -> tile<i1>
  %41 = muli %38, %cst_1_i64_2 : tile<i64>
  %42 = offset %assume_0, %41 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_15 = assume div_by<4>, %42 : tile<ptr<f32>>
  %43 = store_ptr_tko weak %assume_15, %37, %40 token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
  return
}
