global  @print_mutex <i32: 1> : tile<1xi32> loc(#loc)
entry @prints(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<f64>) optimization_hints=<sm_90 = {}> {
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
  %3 = get_global @print_mutex : tile<ptr<i32>> loc(#loc26)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc26)
  %cst_1_i32_8 = constant <i32: 1> : tile<i32> loc(#loc26)
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %3, %cst_1_i32_8, %cst_0_i32 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc26)
    %23 = cmpi equal %result_32, %cst_1_i32_8, unsigned : tile<i32> -> tile<i1> loc(#loc26)
    if %23 {
      break loc(#loc26)
    } else {
    } loc(#loc26)
  } loc(#loc26)
  %4 = print_tko "block %d of %d, 100%%\0A", %blockId_x_5, %gridSize_x : tile<i32>, tile<i32> -> token loc(#loc26)
  %5 = make_token : token loc(#loc26)
  %result, %result_token_9 = atomic_rmw_tko acq_rel device %3, xchg, %cst_1_i32_8 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc26)
  %blockId_x_10, %blockId_y_11, %blockId_z_12 = get_tile_block_id : tile<i32> loc(#loc27)
  %pview_13 = make_partition_view %tview_4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>> loc(#loc28)
  %6 = join_tokens %0, %5 : token loc(#loc28)
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x_10] token = %6 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<8xi64>, token loc(#loc28)
  %7 = join_tokens %0, %result_token_15 : token loc(#loc28)
  %8 = join_tokens %5, %1, %7 : token loc(#loc29)
  %9 = get_global @print_mutex : tile<ptr<i32>> loc(#loc29)
  %cst_0_i32_16 = constant <i32: 0> : tile<i32> loc(#loc29)
  %cst_1_i32_17 = constant <i32: 1> : tile<i32> loc(#loc29)
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %9, %cst_1_i32_17, %cst_0_i32_16 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc29)
    %23 = cmpi equal %result_32, %cst_1_i32_17, unsigned : tile<i32> -> tile<i1> loc(#loc29)
    if %23 {
      break loc(#loc29)
    } else {
    } loc(#loc29)
  } loc(#loc29)
  %10 = print_tko "x = %8.3f y = %lld\0A", %tile, %tile_14 : tile<8xf32>, tile<8xi64> -> token loc(#loc29)
  %11 = make_token : token loc(#loc29)
  %result_18, %result_token_19 = atomic_rmw_tko acq_rel device %9, xchg, %cst_1_i32_17 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc29)
  %12 = join_tokens %11, %1, %7 : token loc(#loc30)
  %13 = get_global @print_mutex : tile<ptr<i32>> loc(#loc30)
  %cst_0_i32_20 = constant <i32: 0> : tile<i32> loc(#loc30)
  %cst_1_i32_21 = constant <i32: 1> : tile<i32> loc(#loc30)
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %13, %cst_1_i32_21, %cst_0_i32_20 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc30)
    %23 = cmpi equal %result_32, %cst_1_i32_21, unsigned : tile<i32> -> tile<i1> loc(#loc30)
    if %23 {
      break loc(#loc30)
    } else {
    } loc(#loc30)
  } loc(#loc30)
  %14 = print_tko "count: %d: ratio: %lf\0A", %arg6, %arg7 : tile<i32>, tile<f64> -> token loc(#loc30)
  %15 = make_token : token loc(#loc30)
  %result_22, %result_token_23 = atomic_rmw_tko acq_rel device %13, xchg, %cst_1_i32_21 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc30)
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %23 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc31)
    yield %23 : tile<f32> loc(#loc31)
  } loc(#loc31)
  %16 = join_tokens %15, %1, %7 : token loc(#loc32)
  %17 = get_global @print_mutex : tile<ptr<i32>> loc(#loc32)
  %cst_0_i32_24 = constant <i32: 0> : tile<i32> loc(#loc32)
  %cst_1_i32_25 = constant <i32: 1> : tile<i32> loc(#loc32)
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %17, %cst_1_i32_25, %cst_0_i32_24 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc32)
    %23 = cmpi equal %result_32, %cst_1_i32_25, unsigned : tile<i32> -> tile<i1> loc(#loc32)
    if %23 {
      break loc(#loc32)
    } else {
    } loc(#loc32)
  } loc(#loc32)
  %18 = print_tko "sum %.2f \22quoted\22\09and %x", %reduce, %arg6 : tile<f32>, tile<i32> -> token loc(#loc32)
  %19 = make_token : token loc(#loc32)
  %result_26, %result_token_27 = atomic_rmw_tko acq_rel device %17, xchg, %cst_1_i32_25 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc32)
  %blockId_x_28, %blockId_y_29, %blockId_z_30 = get_tile_block_id : tile<i32> loc(#loc33)
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32> loc(#loc34)
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32> loc(#loc35)
  %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32> loc(#loc35)
  %20 = addf %tile, %bcast  : tile<8xf32> loc(#loc35)
  %pview_31 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> loc(#loc36)
  %21 = join_tokens %1, %19 : token loc(#loc36)
  %22 = store_view_tko weak %20, %pview_31[%blockId_x_28] token = %21 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc36)
  return loc(#loc)
} loc(#loc19)
#di_file = #cuda_tile.di_file<"misc.py" in "kernels">
#loc = loc(unknown)
#loc1 = loc("kernels/misc.py":125:0)
#loc2 = loc("kernels/misc.py":125:11)
#loc3 = loc("kernels/misc.py":125:14)
#loc4 = loc("kernels/misc.py":127:19)
#loc5 = loc("kernels/misc.py":127:8)
#loc6 = loc("kernels/misc.py":128:41)
#loc7 = loc("kernels/misc.py":128:52)
#loc8 = loc("kernels/misc.py":128:4)
#loc9 = loc("kernels/misc.py":129:52)
#loc10 = loc("kernels/misc.py":129:41)
#loc11 = loc("kernels/misc.py":129:4)
#loc12 = loc("kernels/misc.py":130:4)
#loc13 = loc("kernels/misc.py":131:17)
#loc14 = loc("kernels/misc.py":131:4)
#loc15 = loc("kernels/misc.py":132:16)
#loc16 = loc("kernels/misc.py":132:31)
#loc17 = loc("kernels/misc.py":132:27)
#loc18 = loc("kernels/misc.py":132:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 124, name = "prints", linkageName = "prints", compileUnit = #di_compile_unit, scopeLine = 124>
#loc19 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc23 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc24 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc26 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc29 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc31 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc33 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
