entry @overlapping_windows(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %assume_1 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_1], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_2 = assume bounded<0, ?>, %arg4 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %sview = make_strided_view %tview : strided_view<tile=(64), traversal_strides=[16], tensor_view<?xf32, strides=[1]>>
  %1 = get_index_space_shape %sview : strided_view<tile=(64), traversal_strides=[16], tensor_view<?xf32, strides=[1]>> -> tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %sview_3 = make_strided_view %tview : strided_view<tile=(64), traversal_strides=[16], padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %cst_64_f32 = constant <f32: 6.400000e+01> : tile<f32>
  %2 = exti %assume_2 signed : tile<i32> -> tile<i64>
  %for = for %loopIdx in (%blockId_x to %1, step %gridSize_x) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
    %tile, %result_token = load_view_tko weak %sview_3[%loopIdx] token = %0 : strided_view<tile=(64), traversal_strides=[16], padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %9 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %9 : tile<f32>
    }
    %3 = divf %reduce, %cst_64_f32  : tile<f32>
    %4 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %5 = cmpi less_than %4, %2, unsigned : tile<i64> -> tile<i1>
    %6 = muli %4, %cst_1_i64 : tile<i64>
    %7 = offset %assume_0, %6 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_4 = assume div_by<4>, %7 : tile<ptr<f32>>
    %8 = store_ptr_tko weak %assume_4, %3, %5 token=%iterArg0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    continue %8 : token
  }
  return
}
