entry @nested_branches(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
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
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = cmpi equal %arg6, %cst_0_i32, signed : tile<i32> -> tile<i1>
  %2:2 = if %1 -> (tile<32xf32>, token) {
    %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
    %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
    %4 = addf %tile, %bcast  : tile<32xf32>
    yield %4, %0 : tile<32xf32>, token
  } else {
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %4 = cmpi equal %arg6, %cst_1_i32_9, signed : tile<i32> -> tile<i1>
    %5:2 = if %4 -> (tile<32xf32>, token) {
      %blockId_x_10, %blockId_y_11, %blockId_z_12 = get_tile_block_id : tile<i32>
      %cst_4_i32 = constant <i32: 4> : tile<i32>
      %6 = cmpi greater_than %blockId_x_10, %cst_4_i32, signed : tile<i32> -> tile<i1>
      %7:2 = if %6 -> (tile<32xf32>, token) {
        %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
        %reshape = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
        %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
        %8 = mulf %tile, %bcast  : tile<32xf32>
        yield %8, %0 : tile<32xf32>, token
      } else {
        %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
        %cst_0_i32_16 = constant <i32: 0> : tile<i32>
        %8 = cmpi equal %blockId_y_14, %cst_0_i32_16, signed : tile<i32> -> tile<i1>
        %9:2 = if %8 -> (tile<32xf32>, token) {
          %10 = negf %tile : tile<32xf32>
          %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
          %cst_1_i32_20 = constant <i32: 1> : tile<i32>
          %11 = addi %blockId_x_17, %cst_1_i32_20 : tile<i32>
          %pview_21 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
          %12 = store_view_tko weak %10, %pview_21[%11] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
          yield %10, %12 : tile<32xf32>, token
        } else {
          yield %tile, %0 : tile<32xf32>, token
        }
        yield %9#0, %9#1 : tile<32xf32>, token
      }
      yield %7#0, %7#1 : tile<32xf32>, token
    } else {
      %cst_2_i32 = constant <i32: 2> : tile<i32>
      %6 = cmpi equal %arg6, %cst_2_i32, signed : tile<i32> -> tile<i1>
      %7:2 = if %6 -> (tile<32xf32>, token) {
        %cst_0_i32_10 = constant <i32: 0> : tile<i32>
        %pview_11 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
        %8 = store_view_tko weak %tile, %pview_11[%cst_0_i32_10] token = %0 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
        yield %tile, %8 : tile<32xf32>, token
      } else {
        %8 = exp %tile  : tile<32xf32>
        yield %8, %0 : tile<32xf32>, token
      }
      yield %7#0, %7#1 : tile<32xf32>, token
    }
    yield %5#0, %5#1 : tile<32xf32>, token
  }
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %pview_8 = make_partition_view %tview_4 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %3 = store_view_tko weak %2#0, %pview_8[%blockId_x_5] token = %2#1 : tile<32xf32>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
