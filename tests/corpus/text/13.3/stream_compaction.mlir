entry @stream_compaction(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_2 = constant <i64: 1> : tile<256xi64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg7 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %1 = join_tokens %0, %result_token : token
  %reshape = reshape %arg9 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
  %2 = cmpi greater_than %tile, %bcast, signed : tile<256xi32> -> tile<256xi1>
  %3 = exti %2 unsigned : tile<256xi1> -> tile<256xi32>
  %4 = scan %3 dim=0 reverse=false identities=[0 : i32] : tile<256xi32> -> tile<256xi32> 
  (%arg10: tile<i32>, %arg11: tile<i32>) {
    %20 = addi %arg10, %arg11 : tile<i32>
    yield %20 : tile<i32>
  }
  %5 = subi %4, %3 : tile<256xi32>
  %reduce = reduce %3 dim=0 identities=[0 : i32] : tile<256xi32> -> tile<i32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %20 = addi %reduce_lhs, %reduce_rhs : tile<i32>
    yield %20 : tile<i32>
  }
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %6 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %7 = cmpi less_than %cst_0_i64, %6, unsigned : tile<i64> -> tile<i1>
  %8 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
  %9 = offset %assume_1, %8 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %10 = join_tokens %0, %1 : token
  %result, %result_token_6 = atomic_rmw_tko acq_rel device %9, add, %reduce, %7 token=%10 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
  %reshape_7 = reshape %result : tile<i32> -> tile<1xi32>
  %bcast_8 = broadcast %reshape_7 : tile<1xi32> -> tile<256xi32>
  %11 = addi %bcast_8, %5 : tile<256xi32>
  %12 = exti %11 signed : tile<256xi32> -> tile<256xi64>
  %13 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %reshape_9 = reshape %13 : tile<i64> -> tile<1xi64>
  %bcast_10 = broadcast %reshape_9 : tile<1xi64> -> tile<256xi64>
  %14 = cmpi less_than %12, %bcast_10, unsigned : tile<256xi64> -> tile<256xi1>
  %15 = muli %12, %cst_1_i64_2 : tile<256xi64>
  %reshape_11 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_12 = broadcast %reshape_11 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %16 = offset %bcast_12, %15 : tile<256xptr<i32>>, tile<256xi64> -> tile<256xptr<i32>>
  %17 = andi %14, %2 : tile<256xi1>
  %18 = join_tokens %0, %result_token_6 : token
  %19 = store_ptr_tko weak %16, %tile, %17 token=%18 : tile<256xptr<i32>>, tile<256xi32>, tile<256xi1> -> token
  return
}
