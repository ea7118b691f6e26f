entry @byte_histogram(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
  %cst_0_i8 = constant <i8: 0> : tile<1024xi8>
  %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
  %assume_1 = assume bounded<0, ?>, %arg1 : tile<i32>
  %cst_1024_i32 = constant <i32: 1024> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
  %2 = iota : tile<1024xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
  %3 = addi %bcast, %2 : tile<1024xi32>
  %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
  %5 = exti %assume_1 signed : tile<i32> -> tile<i64>
  %reshape_2 = reshape %5 : tile<i64> -> tile<1xi64>
  %bcast_3 = broadcast %reshape_2 : tile<1xi64> -> tile<1024xi64>
  %6 = cmpi less_than %4, %bcast_3, unsigned : tile<1024xi64> -> tile<1024xi1>
  %7 = muli %4, %cst_1_i64 : tile<1024xi64>
  %reshape_4 = reshape %assume : tile<ptr<i8>> -> tile<1xptr<i8>>
  %bcast_5 = broadcast %reshape_4 : tile<1xptr<i8>> -> tile<1024xptr<i8>>
  %8 = offset %bcast_5, %7 : tile<1024xptr<i8>>, tile<1024xi64> -> tile<1024xptr<i8>>
  %result, %result_token = load_ptr_tko weak %8, %6, %cst_0_i8 token=%0 : tile<1024xptr<i8>>, tile<1024xi1>, tile<1024xi8> -> tile<1024xi8>, token
  %9 = exti %result unsigned : tile<1024xi8> -> tile<1024xi32>
  %reshape_6 = reshape %assume_1 : tile<i32> -> tile<1xi32>
  %bcast_7 = broadcast %reshape_6 : tile<1xi32> -> tile<1024xi32>
  %10 = cmpi less_than %3, %bcast_7, signed : tile<1024xi32> -> tile<1024xi1>
  %11 = exti %9 signed : tile<1024xi32> -> tile<1024xi64>
  %reshape_8 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_9 = broadcast %reshape_8 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %12 = offset %bcast_9, %11 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
  %result_10, %result_token_11 = atomic_rmw_tko relaxed device %12, add, %cst_1_i32, %10 token=%0 : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> tile<1024xi32>, token
  return
}
