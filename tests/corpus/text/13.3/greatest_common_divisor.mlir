entry @greatest_common_divisor(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<64xi32>
  %cst_1_i32_4 = constant <i32: 1> : tile<64xi32>
  %cst_0_i32_5 = constant <i32: 0> : tile<64xi32>
  %cst_0_i32_6 = constant <i32: 0> : tile<64xi32>
  %cst_0_i32_7 = constant <i32: 0> : tile<64xi32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %pview_13 = make_partition_view %tview_10 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %cst_0_i32_17 = constant <i32: 0> : tile<64xi32>
  %1:2 = loop iter_values(%arg9 = %tile, %arg10 = %tile_14) : tile<64xi32>, tile<64xi32> -> tile<64xi32>, tile<64xi32> {
    %reduce = reduce %arg10 dim=0 identities=[-2147483648 : i32] : tile<64xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %18 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
      yield %18 : tile<i32>
    }
    %3 = cmpi not_equal %reduce, %cst_0_i32_16, signed : tile<i32> -> tile<i1>
    if %3 {
    } else {
      break %arg9, %arg10 : tile<64xi32>, tile<64xi32>
    }
    %4 = cmpi equal %arg10, %cst_0_i32, signed : tile<64xi32> -> tile<64xi1>
    %5 = select %4, %cst_1_i32_4, %arg10 : tile<64xi1>, tile<64xi32>
    %6 = cmpi equal %arg10, %cst_0_i32_5, signed : tile<64xi32> -> tile<64xi1>
    %7 = select %6, %arg9, %arg10 : tile<64xi1>, tile<64xi32>
    %8 = cmpi equal %arg10, %cst_0_i32_6, signed : tile<64xi32> -> tile<64xi1>
    %9 = remi %arg9, %5 signed : tile<64xi32>
    %10 = cmpi less_than %9, %cst_0_i32_17, signed : tile<64xi32> -> tile<64xi1>
    %11 = cmpi less_than %5, %cst_0_i32_17, signed : tile<64xi32> -> tile<64xi1>
    %12 = xori %10, %11 : tile<64xi1>
    %13 = cmpi not_equal %9, %cst_0_i32_17, signed : tile<64xi32> -> tile<64xi1>
    %14 = andi %12, %13 : tile<64xi1>
    %15 = addi %9, %5 : tile<64xi32>
    %16 = select %14, %15, %9 : tile<64xi1>, tile<64xi32>
    %17 = select %8, %cst_0_i32_7, %16 : tile<64xi1>, tile<64xi32>
    continue %7, %17 : tile<64xi32>, tile<64xi32>
  }
  %pview_18 = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %2 = store_view_tko weak %1#0, %pview_18[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
