entry @prints(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<f64>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc19)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc20)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>> loc(#loc21)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc19)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc19)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc19)
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc19)
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc19)
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc19)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc22)
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> loc(#loc23)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token loc(#loc23)
  %1 = join_tokens %0, %result_token : token loc(#loc23)
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32> loc(#loc24)
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32> loc(#loc25)
  %2 = join_tokens %0, %1 : token loc(#loc26)
  %3 = print_tko "block %d of %d, 100%%\0A", %blockId_x_5, %gridSize_x token=%2 : tile<i32>, tile<i32> -> token loc(#loc26)
  %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32> loc(#loc27)
  %pview_11 = make_partition_view %tview_4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>> loc(#loc28)
  %4 = join_tokens %0, %3 : token loc(#loc28)
  %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x_8] token = %4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<8xi64>, token loc(#loc28)
  %5 = join_tokens %0, %result_token_13 : token loc(#loc28)
  %6 = join_tokens %3, %1, %5 : token loc(#loc29)
  %7 = print_tko "x = %8.3f y = %lld\0A", %tile, %tile_12 token=%6 : tile<8xf32>, tile<8xi64> -> token loc(#loc29)
  %8 = join_tokens %7, %1, %5 : token loc(#loc30)
  %9 = print_tko "count: %d: ratio: %lf\0A", %arg6, %arg7 token=%8 : tile<i32>, tile<f64> -> token loc(#loc30)
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc31)
    yield %15 : tile<f32> loc(#loc31)
  } loc(#loc31)
  %10 = join_tokens %9, %1, %5 : token loc(#loc32)
  %11 = print_tko "sum %.2f \22quoted\22\09and %x", %reduce, %arg6 token=%10 : tile<f32>, tile<i32> -> token loc(#loc32)
  %blockId_x_14, %blockId_y_15, %blockId_z_16 = get_tile_block_id : tile<i32> loc(#loc33)
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32> loc(#loc34)
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32> loc(#loc35)
  %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32> loc(#loc35)
  %12 = addf %tile, %bcast  : tile<8xf32> loc(#loc35)
  %pview_17 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> loc(#loc36)
  %13 = join_tokens %1, %11 : token loc(#loc36)
  %14 = store_view_tko weak %12, %pview_17[%blockId_x_14] token = %13 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc36)
  return loc(#loc18)
} loc(#loc19)
#di_file = #cuda_tile.di_file<"misc.py" in "kernels">
#loc = loc("kernels/misc.py":125:0)
#loc1 = loc("kernels/misc.py":125:11)
#loc2 = loc("kernels/misc.py":125:14)
#loc3 = loc("kernels/misc.py":127:19)
#loc4 = loc("kernels/misc.py":127:8)
#loc5 = loc("kernels/misc.py":128:41)
#loc6 = loc("kernels/misc.py":128:52)
#loc7 = loc("kernels/misc.py":128:4)
#loc8 = loc("kernels/misc.py":129:52)
#loc9 = loc("kernels/misc.py":129:41)
#loc10 = loc("kernels/misc.py":129:4)
#loc11 = loc("kernels/misc.py":130:4)
#loc12 = loc("kernels/misc.py":131:17)
#loc13 = loc("kernels/misc.py":131:4)
#loc14 = loc("kernels/misc.py":132:16)
#loc15 = loc("kernels/misc.py":132:31)
#loc16 = loc("kernels/misc.py":132:27)
#loc17 = loc("kernels/misc.py":132:4)
#loc18 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 124, name = "prints", linkageName = "prints", compileUnit = #di_compile_unit, scopeLine = 124>
#loc19 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc23 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc24 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc26 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc29 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc31 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc33 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
