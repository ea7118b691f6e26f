entry @float_max_by_cas(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_1 = constant <i64: 1> : tile<i64>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %1 = join_tokens %0, %result_token : token
  %reduce = reduce %tile dim=0 identities=[0xFF800000 : f32] : tile<64xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %12 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %12 : tile<f32>
  }
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %2 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %cst_0_i64, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
  %5 = offset %assume_0, %4 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %5 : tile<ptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %result, %result_token_5 = load_ptr_tko weak %assume_4, %3, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %6 = join_tokens %0, %result_token_5 : token
  %cst_0_i64_6 = constant <i64: 0> : tile<i64>
  %7 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %8 = cmpi less_than %cst_0_i64_6, %7, unsigned : tile<i64> -> tile<i1>
  %9 = muli %cst_0_i64_6, %cst_1_i64_1 : tile<i64>
  %10 = offset %assume_0, %9 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %11:3 = loop iter_values(%arg6 = %result, %arg7 = %6, %arg8 = %0) : tile<f32>, token, token -> tile<f32>, token, token {
    %12 = cmpf less_than ordered %arg6, %reduce : tile<f32> -> tile<i1>
    if %12 {
    } else {
      break %arg6, %arg7, %arg8 : tile<f32>, token, token
    }
    %13 = join_tokens %arg7, %1, %arg8 : token
    %result_7, %result_token_8 = atomic_cas_tko acq_rel device %10, %arg6, %reduce, %8 token=%13 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %14 = cmpf equal ordered %result_7, %arg6 : tile<f32> -> tile<i1>
    if %14 {
      break %arg6, %result_token_8, %result_token_8 : tile<f32>, token, token
    } else {
    }
    continue %result_7, %result_token_8, %result_token_8 : tile<f32>, token, token
  }
  return
}
