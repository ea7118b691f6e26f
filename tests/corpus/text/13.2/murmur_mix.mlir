entry @murmur_mix(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_-862048943_i32 = constant <i32: -862048943> : tile<256xi32>
  %cst_15_i32 = constant <i32: 15> : tile<256xi32>
  %cst_17_i32 = constant <i32: 17> : tile<256xi32>
  %cst_461845907_i32 = constant <i32: 461845907> : tile<256xi32>
  %cst_13_i32 = constant <i32: 13> : tile<256xi32>
  %cst_19_i32 = constant <i32: 19> : tile<256xi32>
  %cst_5_i32 = constant <i32: 5> : tile<256xi32>
  %cst_-430675100_i32 = constant <i32: -430675100> : tile<256xi32>
  %cst_16_i32 = constant <i32: 16> : tile<256xi32>
  %cst_-2048144789_i32 = constant <i32: -2048144789> : tile<256xi32>
  %cst_13_i32_2 = constant <i32: 13> : tile<256xi32>
  %cst_-1028477387_i32 = constant <i32: -1028477387> : tile<256xi32>
  %cst_16_i32_3 = constant <i32: 16> : tile<256xi32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %1 = muli %tile, %cst_-862048943_i32 : tile<256xi32>
  %2 = shli %1, %cst_15_i32 : tile<256xi32>
  %3 = shri %1, %cst_17_i32 unsigned : tile<256xi32>
  %4 = ori %2, %3 : tile<256xi32>
  %5 = muli %4, %cst_461845907_i32 : tile<256xi32>
  %reshape = reshape %arg6 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
  %6 = xori %5, %bcast : tile<256xi32>
  %7 = shli %6, %cst_13_i32 : tile<256xi32>
  %8 = shri %6, %cst_19_i32 unsigned : tile<256xi32>
  %9 = ori %7, %8 : tile<256xi32>
  %10 = muli %9, %cst_5_i32 : tile<256xi32>
  %11 = addi %10, %cst_-430675100_i32 : tile<256xi32>
  %12 = shri %11, %cst_16_i32 unsigned : tile<256xi32>
  %13 = xori %11, %12 : tile<256xi32>
  %14 = muli %13, %cst_-2048144789_i32 : tile<256xi32>
  %15 = shri %14, %cst_13_i32_2 unsigned : tile<256xi32>
  %16 = xori %14, %15 : tile<256xi32>
  %17 = muli %16, %cst_-1028477387_i32 : tile<256xi32>
  %18 = shri %17, %cst_16_i32_3 unsigned : tile<256xi32>
  %19 = xori %17, %18 : tile<256xi32>
  %pview_7 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %20 = store_view_tko weak %19, %pview_7[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
