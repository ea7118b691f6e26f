entry @murmur_mix(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc21)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc22)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc23)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc21)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc21)
  %cst_-862048943_i32 = constant <i32: -862048943> : tile<256xi32> loc(#loc24)
  %cst_15_i32 = constant <i32: 15> : tile<256xi32> loc(#loc44)
  %cst_17_i32 = constant <i32: 17> : tile<256xi32> loc(#loc45)
  %cst_461845907_i32 = constant <i32: 461845907> : tile<256xi32> loc(#loc26)
  %cst_13_i32 = constant <i32: 13> : tile<256xi32> loc(#loc46)
  %cst_19_i32 = constant <i32: 19> : tile<256xi32> loc(#loc47)
  %cst_5_i32 = constant <i32: 5> : tile<256xi32> loc(#loc29)
  %cst_-430675100_i32 = constant <i32: -430675100> : tile<256xi32> loc(#loc29)
  %cst_16_i32 = constant <i32: 16> : tile<256xi32> loc(#loc31)
  %cst_-2048144789_i32 = constant <i32: -2048144789> : tile<256xi32> loc(#loc32)
  %cst_13_i32_2 = constant <i32: 13> : tile<256xi32> loc(#loc33)
  %cst_-1028477387_i32 = constant <i32: -1028477387> : tile<256xi32> loc(#loc34)
  %cst_16_i32_3 = constant <i32: 16> : tile<256xi32> loc(#loc35)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc21)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc21)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc21)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc21)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc36)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc24)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token loc(#loc24)
  %1 = muli %tile, %cst_-862048943_i32 : tile<256xi32> loc(#loc24)
  %2 = shli %1, %cst_15_i32 : tile<256xi32> loc(#loc44)
  %3 = shri %1, %cst_17_i32 unsigned : tile<256xi32> loc(#loc45)
  %4 = ori %2, %3 : tile<256xi32> loc(#loc48)
  %5 = muli %4, %cst_461845907_i32 : tile<256xi32> loc(#loc26)
  %reshape = reshape %arg6 : tile<i32> -> tile<1xi32> loc(#loc38)
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32> loc(#loc38)
  %6 = xori %5, %bcast : tile<256xi32> loc(#loc38)
  %7 = shli %6, %cst_13_i32 : tile<256xi32> loc(#loc46)
  %8 = shri %6, %cst_19_i32 unsigned : tile<256xi32> loc(#loc47)
  %9 = ori %7, %8 : tile<256xi32> loc(#loc49)
  %10 = muli %9, %cst_5_i32 : tile<256xi32> loc(#loc29)
  %11 = addi %10, %cst_-430675100_i32 : tile<256xi32> loc(#loc29)
  %12 = shri %11, %cst_16_i32 unsigned : tile<256xi32> loc(#loc31)
  %13 = xori %11, %12 : tile<256xi32> loc(#loc40)
  %14 = muli %13, %cst_-2048144789_i32 : tile<256xi32> loc(#loc32)
  %15 = shri %14, %cst_13_i32_2 unsigned : tile<256xi32> loc(#loc33)
  %16 = xori %14, %15 : tile<256xi32> loc(#loc41)
  %17 = muli %16, %cst_-1028477387_i32 : tile<256xi32> loc(#loc34)
  %18 = shri %17, %cst_16_i32_3 unsigned : tile<256xi32> loc(#loc35)
  %19 = xori %17, %18 : tile<256xi32> loc(#loc42)
  %pview_7 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc43)
  %20 = store_view_tko weak %19, %pview_7[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc43)
  return loc(#loc20)
} loc(#loc21)
#di_file = #cuda_tile.di_file<"integer.py" in "kernels">
#loc = loc("kernels/integer.py":47:0)
#loc1 = loc("kernels/integer.py":47:15)
#loc2 = loc("kernels/integer.py":47:18)
#loc3 = loc("kernels/integer.py":54:20)
#loc4 = loc("kernels/integer.py":51:16)
#loc5 = loc("kernels/integer.py":54:8)
#loc6 = loc("kernels/integer.py":51:35)
#loc7 = loc("kernels/integer.py":55:8)
#loc8 = loc("kernels/integer.py":56:14)
#loc9 = loc("kernels/integer.py":56:8)
#loc10 = loc("kernels/integer.py":57:14)
#loc11 = loc("kernels/integer.py":57:8)
#loc12 = loc("kernels/integer.py":58:30)
#loc13 = loc("kernels/integer.py":53:12)
#loc14 = loc("kernels/integer.py":51:15)
#loc15 = loc("kernels/integer.py":55:20)
#loc16 = loc("kernels/integer.py":56:9)
#loc17 = loc("kernels/integer.py":57:9)
#loc18 = loc("kernels/integer.py":58:25)
#loc19 = loc("kernels/integer.py":58:4)
#loc20 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 46, name = "murmur_mix", linkageName = "murmur_mix", compileUnit = #di_compile_unit, scopeLine = 46>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 50, name = "rotate_left", linkageName = "rotate_left@integer:50:5_s0", compileUnit = #di_compile_unit, scopeLine = 50>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 50, name = "rotate_left", linkageName = "rotate_left@integer:50:5_s1", compileUnit = #di_compile_unit, scopeLine = 50>
#loc21 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc23 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc24 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc4 in #di_subprogram1>
#loc26 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc6 in #di_subprogram1>
#loc28 = #cuda_tile.di_loc<#loc4 in #di_subprogram2>
#loc29 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc6 in #di_subprogram2>
#loc31 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc33 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc38 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc14 in #di_subprogram2>
#loc40 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc41 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc42 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc43 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc44 = loc(callsite(#loc25 at #loc26))
#loc45 = loc(callsite(#loc27 at #loc26))
#loc46 = loc(callsite(#loc28 at #loc29))
#loc47 = loc(callsite(#loc30 at #loc29))
#loc48 = loc(callsite(#loc37 at #loc26))
#loc49 = loc(callsite(#loc39 at #loc29))
