entry @helper_functions(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc27)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc28)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc29)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc27)
  %false = constant <i1: false> : tile<i1> loc(#loc63)
  %true = constant <i1: true> : tile<i1> loc(#loc63)
  %false_1 = constant <i1: false> : tile<i1> loc(#loc64)
  %true_2 = constant <i1: true> : tile<i1> loc(#loc64)
  %cst_1_i64 = constant <i64: 1> : tile<i64> loc(#loc34)
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc27)
  %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc27)
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc27)
  %false_5 = constant <i1: false> : tile<i1> loc(#loc65)
  %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> loc(#loc66)
  %1 = get_index_space_shape %pview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> -> tile<i32> loc(#loc66)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc67)
  %cst_1_i32_6 = constant <i32: 1> : tile<i32> loc(#loc67)
  %cst_0_i32_7 = constant <i32: 0> : tile<i32> loc(#loc63)
  %pview_8 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> loc(#loc68)
  %cst_-1_i32 = constant <i32: -1> : tile<i32> loc(#loc69)
  %cst_0_i32_9 = constant <i32: 0> : tile<i32> loc(#loc65)
  %2 = loop iter_values(%arg7 = %cst_0_i32_9) : tile<i32> -> tile<i32> {
    %for:3 = for %loopIdx in (%cst_0_i32 to %1, step %cst_1_i32_6) : tile<i32> iter_values(%iterArg0 = %false_5, %iterArg1 = %cst_0_i32_7, %iterArg2 = %false) -> (tile<i1>, tile<i32>, tile<i1>) {
      if %iterArg2 {
        continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1> loc(#loc63)
      } else {
      } loc(#loc63)
      %tile, %result_token = load_view_tko weak %pview_8[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token loc(#loc68)
      %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc70)
        yield %15 : tile<f32> loc(#loc70)
      } loc(#loc70)
      %14 = cmpf greater_than ordered %reduce, %arg6 : tile<f32> -> tile<i1> loc(#loc70)
      if %14 {
        %true_21 = constant <i1: true> : tile<i1> loc(#loc72)
        continue %true_21, %loopIdx, %true : tile<i1>, tile<i32>, tile<i1> loc(#loc72)
      } else {
      } loc(#loc71)
      continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1> loc(#loc63)
    } loc(#loc63)
    if %for#0 {
      break %for#1 : tile<i32> loc(#loc63)
    } else {
    } loc(#loc63)
    break %cst_-1_i32 : tile<i32> loc(#loc73)
  } loc(#loc65)
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32> loc(#loc44)
  %3 = mulf %arg6, %cst_2_f32  : tile<f32> loc(#loc45)
  %false_10 = constant <i1: false> : tile<i1> loc(#loc74)
  %pview_11 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> loc(#loc75)
  %4 = get_index_space_shape %pview_11 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> -> tile<i32> loc(#loc75)
  %cst_0_i32_12 = constant <i32: 0> : tile<i32> loc(#loc76)
  %cst_1_i32_13 = constant <i32: 1> : tile<i32> loc(#loc76)
  %cst_0_i32_14 = constant <i32: 0> : tile<i32> loc(#loc64)
  %pview_15 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>> loc(#loc77)
  %cst_-1_i32_16 = constant <i32: -1> : tile<i32> loc(#loc78)
  %cst_0_i32_17 = constant <i32: 0> : tile<i32> loc(#loc74)
  %5 = loop iter_values(%arg7 = %cst_0_i32_17) : tile<i32> -> tile<i32> {
    %for:3 = for %loopIdx in (%cst_0_i32_12 to %4, step %cst_1_i32_13) : tile<i32> iter_values(%iterArg0 = %false_10, %iterArg1 = %cst_0_i32_14, %iterArg2 = %false_1) -> (tile<i1>, tile<i32>, tile<i1>) {
      if %iterArg2 {
        continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1> loc(#loc64)
      } else {
      } loc(#loc64)
      %tile, %result_token = load_view_tko weak %pview_15[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token loc(#loc77)
      %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc79)
        yield %15 : tile<f32> loc(#loc79)
      } loc(#loc79)
      %14 = cmpf greater_than ordered %reduce, %3 : tile<f32> -> tile<i1> loc(#loc79)
      if %14 {
        %true_21 = constant <i1: true> : tile<i1> loc(#loc81)
        continue %true_21, %loopIdx, %true_2 : tile<i1>, tile<i32>, tile<i1> loc(#loc81)
      } else {
      } loc(#loc80)
      continue %iterArg0, %iterArg1, %iterArg2 : tile<i1>, tile<i32>, tile<i1> loc(#loc64)
    } loc(#loc64)
    if %for#0 {
      break %for#1 : tile<i32> loc(#loc64)
    } else {
    } loc(#loc64)
    break %cst_-1_i32_16 : tile<i32> loc(#loc82)
  } loc(#loc74)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc55)
  %cst_0_i32_18 = constant <i32: 0> : tile<i32> loc(#loc56)
  %6 = cmpi less_than %2, %cst_0_i32_18, signed : tile<i32> -> tile<i1> loc(#loc57)
  %cst_0_i32_19 = constant <i32: 0> : tile<i32> loc(#loc83)
  %7 = loop iter_values(%arg7 = %cst_0_i32_19) : tile<i32> -> tile<i32> {
    if %6 {
      break %5 : tile<i32> loc(#loc85)
    } else {
    } loc(#loc84)
    break %2 : tile<i32> loc(#loc86)
  } loc(#loc83)
  %8 = exti %blockId_x signed : tile<i32> -> tile<i64> loc(#loc34)
  %9 = exti %assume_4 signed : tile<i32> -> tile<i64> loc(#loc34)
  %10 = cmpi less_than %8, %9, unsigned : tile<i64> -> tile<i1> loc(#loc34)
  %11 = muli %8, %cst_1_i64 : tile<i64> loc(#loc34)
  %12 = offset %assume_0, %11 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>> loc(#loc34)
  %assume_20 = assume div_by<4>, %12 : tile<ptr<i32>> loc(#loc34)
  %13 = store_ptr_tko weak %assume_20, %7, %10 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token loc(#loc34)
  return loc(#loc26)
} loc(#loc27)
#di_file = #cuda_tile.di_file<"control_flow.py" in "kernels">
#loc = loc("kernels/control_flow.py":157:0)
#loc1 = loc("kernels/control_flow.py":157:21)
#loc2 = loc("kernels/control_flow.py":157:24)
#loc3 = loc("kernels/control_flow.py":143:4)
#loc4 = loc("kernels/control_flow.py":159:11)
#loc5 = loc("kernels/control_flow.py":160:10)
#loc6 = loc("kernels/control_flow.py":161:4)
#loc7 = loc("kernels/control_flow.py":141:0)
#loc8 = loc("kernels/control_flow.py":143:19)
#loc9 = loc("kernels/control_flow.py":143:13)
#loc10 = loc("kernels/control_flow.py":144:18)
#loc11 = loc("kernels/control_flow.py":146:11)
#loc12 = loc("kernels/control_flow.py":144:11)
#loc13 = loc("kernels/control_flow.py":144:8)
#loc14 = loc("kernels/control_flow.py":145:12)
#loc15 = loc("kernels/control_flow.py":146:4)
#loc16 = loc("kernels/control_flow.py":160:37)
#loc17 = loc("kernels/control_flow.py":160:25)
#loc18 = loc("kernels/control_flow.py":161:20)
#loc19 = loc("kernels/control_flow.py":161:45)
#loc20 = loc("kernels/control_flow.py":161:38)
#loc21 = loc("kernels/control_flow.py":149:0)
#loc22 = loc("kernels/control_flow.py":161:31)
#loc23 = loc("kernels/control_flow.py":151:4)
#loc24 = loc("kernels/control_flow.py":152:8)
#loc25 = loc("kernels/control_flow.py":153:4)
#loc26 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 156, name = "helper_functions", linkageName = "helper_functions", compileUnit = #di_compile_unit, scopeLine = 156>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 141, name = "first_above", linkageName = "first_above@control_flow:141:1_s0", compileUnit = #di_compile_unit, scopeLine = 141>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 141, name = "first_above", linkageName = "first_above@control_flow:141:1_s1", compileUnit = #di_compile_unit, scopeLine = 141>
#di_subprogram3 = #cuda_tile.di_subprogram<file = #di_file, line = 149, name = "choose", linkageName = "choose@control_flow:149:1_s2", compileUnit = #di_compile_unit, scopeLine = 149>
#loc27 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc29 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc3 in #di_subprogram1>
#loc31 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc3 in #di_subprogram2>
#loc33 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc7 in #di_subprogram1>
#loc36 = #cuda_tile.di_loc<#loc8 in #di_subprogram1>
#loc37 = #cuda_tile.di_loc<#loc9 in #di_subprogram1>
#loc38 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc39 = #cuda_tile.di_loc<#loc11 in #di_subprogram1>
#loc40 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc41 = #cuda_tile.di_loc<#loc13 in #di_subprogram1>
#loc42 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc43 = #cuda_tile.di_loc<#loc15 in #di_subprogram1>
#loc44 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc45 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc46 = #cuda_tile.di_loc<#loc7 in #di_subprogram2>
#loc47 = #cuda_tile.di_loc<#loc8 in #di_subprogram2>
#loc48 = #cuda_tile.di_loc<#loc9 in #di_subprogram2>
#loc49 = #cuda_tile.di_loc<#loc10 in #di_subprogram2>
#loc50 = #cuda_tile.di_loc<#loc11 in #di_subprogram2>
#loc51 = #cuda_tile.di_loc<#loc12 in #di_subprogram2>
#loc52 = #cuda_tile.di_loc<#loc13 in #di_subprogram2>
#loc53 = #cuda_tile.di_loc<#loc14 in #di_subprogram2>
#loc54 = #cuda_tile.di_loc<#loc15 in #di_subprogram2>
#loc55 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc56 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc57 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc58 = #cuda_tile.di_loc<#loc21 in #di_subprogram3>
#loc59 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
#loc60 = #cuda_tile.di_loc<#loc23 in #di_subprogram3>
#loc61 = #cuda_tile.di_loc<#loc24 in #di_subprogram3>
#loc62 = #cuda_tile.di_loc<#loc25 in #di_subprogram3>
#loc63 = loc(callsite(#loc30 at #loc31))
#loc64 = loc(callsite(#loc32 at #loc33))
#loc65 = loc(callsite(#loc35 at #loc31))
#loc66 = loc(callsite(#loc36 at #loc31))
#loc67 = loc(callsite(#loc37 at #loc31))
#loc68 = loc(callsite(#loc38 at #loc31))
#loc69 = loc(callsite(#loc39 at #loc31))
#loc70 = loc(callsite(#loc40 at #loc31))
#loc71 = loc(callsite(#loc41 at #loc31))
#loc72 = loc(callsite(#loc42 at #loc31))
#loc73 = loc(callsite(#loc43 at #loc31))
#loc74 = loc(callsite(#loc46 at #loc33))
#loc75 = loc(callsite(#loc47 at #loc33))
#loc76 = loc(callsite(#loc48 at #loc33))
#loc77 = loc(callsite(#loc49 at #loc33))
#loc78 = loc(callsite(#loc50 at #loc33))
#loc79 = loc(callsite(#loc51 at #loc33))
#loc80 = loc(callsite(#loc52 at #loc33))
#loc81 = loc(callsite(#loc53 at #loc33))
#loc82 = loc(callsite(#loc54 at #loc33))
#loc83 = loc(callsite(#loc58 at #loc59))
#loc84 = loc(callsite(#loc60 at #loc59))
#loc85 = loc(callsite(#loc61 at #loc59))
#loc86 = loc(callsite(#loc62 at #loc59))
