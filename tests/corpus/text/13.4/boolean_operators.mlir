entry @boolean_operators(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i1>, %arg7: tile<i1>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %1 = if %arg6 -> (tile<i1>) {
    %true = constant <i1: true> : tile<i1>
    %7 = xori %arg7, %true : tile<i1>
    yield %7 : tile<i1>
  } else {
    yield %arg6 : tile<i1>
  }
  %2 = if %1 -> (tile<i1>) {
    yield %1 : tile<i1>
  } else {
    %7 = if %arg7 -> (tile<i1>) {
      %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
      %cst_2_i32 = constant <i32: 2> : tile<i32>
      %8 = remi %blockId_x_9, %cst_2_i32 signed : tile<i32>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %9 = cmpi less_than %8, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %false = constant <i1: false> : tile<i1>
      %10 = xori %9, %false : tile<i1>
      %11 = cmpi not_equal %8, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %12 = andi %10, %11 : tile<i1>
      %13 = addi %8, %cst_2_i32 : tile<i32>
      %14 = select %12, %13, %8 : tile<i1>, tile<i32>
      %cst_1_i32_12 = constant <i32: 1> : tile<i32>
      %15 = cmpi equal %14, %cst_1_i32_12, signed : tile<i32> -> tile<i1>
      yield %15 : tile<i1>
    } else {
      yield %arg7 : tile<i1>
    }
    yield %7 : tile<i1>
  }
  %3 = if %2 -> (tile<32xf32>) {
    %7 = if %arg6 -> (tile<f32>) {
      %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
      yield %cst_1_f32 : tile<f32>
    } else {
      %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
      yield %cst_2_f32 : tile<f32>
    }
    %reshape = reshape %7 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
    %8 = addf %tile, %bcast  : tile<32xf32>
    yield %8 : tile<32xf32>
  } else {
    yield %tile : tile<32xf32>
  }
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %4 = if %arg6 -> (tile<i1>) {
    yield %arg6 : tile<i1>
  } else {
    yield %arg7 : tile<i1>
  }
  %5 = if %4 -> (tile<32xf32>) {
    yield %3 : tile<32xf32>
  } else {
    %7 = negf %3 : tile<32xf32>
    yield %7 : tile<32xf32>
  }
  %pview_8 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %6 = store_view_tko weak %5, %pview_8[%blockId_x_5] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
