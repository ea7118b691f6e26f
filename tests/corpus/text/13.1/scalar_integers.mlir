entry @scalar_integers(%arg0: tile<i32>, %arg1: tile<i64>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %assume_0 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %1 = muli %arg0, %cst_3_i32 : tile<i32>
  %cst_7_i64 = constant <i64: 7> : tile<i64>
  %2 = divi %arg1, %cst_7_i64 signed rounding<negative_inf> : tile<i64>
  %3 = exti %1 signed : tile<i32> -> tile<i64>
  %4 = addi %3, %2 : tile<i64>
  %cst_5_i64 = constant <i64: 5> : tile<i64>
  %5 = remi %arg1, %cst_5_i64 signed : tile<i64>
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %6 = cmpi less_than %5, %cst_0_i64, signed : tile<i64> -> tile<i1>
  %false = constant <i1: false> : tile<i1>
  %7 = xori %6, %false : tile<i1>
  %8 = cmpi not_equal %5, %cst_0_i64, signed : tile<i64> -> tile<i1>
  %9 = andi %7, %8 : tile<i1>
  %10 = addi %5, %cst_5_i64 : tile<i64>
  %11 = select %9, %10, %5 : tile<i1>, tile<i64>
  %12 = subi %4, %11 : tile<i64>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %13 = shri %arg2, %cst_2_i32 unsigned : tile<i32>
  %14 = exti %13 unsigned : tile<i32> -> tile<i64>
  %cst_15_i32 = constant <i32: 15> : tile<i32>
  %15 = andi %arg0, %cst_15_i32 : tile<i32>
  %16 = exti %15 signed : tile<i32> -> tile<i64>
  %17 = muli %14, %16 : tile<i64>
  %18 = addi %12, %17 : tile<i64>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i64_1 = constant <i64: 0> : tile<i64>
  %19 = maxi %18, %cst_0_i64_1 signed : tile<i64>
  %reshape = reshape %19 : tile<i64> -> tile<1xi64>
  %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>
  %20 = store_view_tko weak %reshape, %pview[%blockId_x] token = %0 : tile<1xi64>, partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
