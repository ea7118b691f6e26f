entry @signed_division_i8(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i8>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i8>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i8>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i8>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<64xi8>, token
  %1 = divi %tile, %tile_10 signed rounding<negative_inf> : tile<64xi8>
  %2 = remi %tile, %tile_10 signed : tile<64xi8>
  %cst_0_i8 = constant <i8: 0> : tile<64xi8>
  %3 = cmpi less_than %2, %cst_0_i8, signed : tile<64xi8> -> tile<64xi1>
  %4 = cmpi less_than %tile_10, %cst_0_i8, signed : tile<64xi8> -> tile<64xi1>
  %5 = xori %3, %4 : tile<64xi1>
  %6 = cmpi not_equal %2, %cst_0_i8, signed : tile<64xi8> -> tile<64xi1>
  %7 = andi %5, %6 : tile<64xi1>
  %8 = addi %2, %tile_10 : tile<64xi8>
  %9 = select %7, %8, %2 : tile<64xi1>, tile<64xi8>
  %10 = divi %tile, %tile_10 signed rounding<positive_inf> : tile<64xi8>
  %11 = divi %tile, %tile_10 signed rounding<negative_inf> : tile<64xi8>
  %12 = addi %10, %11 : tile<64xi8>
  %13 = remi %tile, %tile_10 signed : tile<64xi8>
  %cst_0_i8_12 = constant <i8: 0> : tile<64xi8>
  %14 = cmpi less_than %13, %cst_0_i8_12, signed : tile<64xi8> -> tile<64xi1>
  %15 = cmpi less_than %tile_10, %cst_0_i8_12, signed : tile<64xi8> -> tile<64xi1>
  %16 = xori %14, %15 : tile<64xi1>
  %17 = cmpi not_equal %13, %cst_0_i8_12, signed : tile<64xi8> -> tile<64xi1>
  %18 = andi %16, %17 : tile<64xi1>
  %19 = addi %13, %tile_10 : tile<64xi8>
  %20 = select %18, %19, %13 : tile<64xi1>, tile<64xi8>
  %21 = addi %12, %20 : tile<64xi8>
  %22 = muli %1, %9 : tile<64xi8>
  %23 = addi %21, %22 : tile<64xi8>
  %pview_13 = make_partition_view %tview_8 : partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>
  %24 = store_view_tko weak %23, %pview_13[%blockId_x] token = %0 : tile<64xi8>, partition_view<tile=(64), tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
  return
}
