entry @welford(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc27)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc28)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc29)
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>> loc(#loc30)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc27)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc27)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc27)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc27)
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc27)
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc27)
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc27)
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc27)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc27)
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32> loc(#loc27)
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc27)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc31)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc32)
  %pview = make_partition_view %tview : partition_view<tile=(8x128), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc33)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(8x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x128xf32>, token loc(#loc33)
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8x128xf32> loc(#loc34)
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32> loc(#loc35)
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1x1xf32> loc(#loc36)
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<8x128xf32> loc(#loc36)
  %1 = addf %cst_0_f32, %bcast  : tile<8x128xf32> loc(#loc36)
  %cst_0_f32_11 = constant <f32: 0.000000e+00> : tile<f32> loc(#loc53)
  %cst_1_f32_12 = constant <f32: 1.000000e+00> : tile<f32> loc(#loc54)
  %cst_0_f32_13 = constant <f32: 0.000000e+00> : tile<f32> loc(#loc55)
  %reduce:3 = reduce %tile, %cst_0_f32, %1 dim=1 identities=[0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32] : tile<8x128xf32>, tile<8x128xf32>, tile<8x128xf32> -> tile<8xf32>, tile<8xf32>, tile<8xf32> 
  (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<f32>, %reduce_rhs1: tile<f32>, %reduce_lhs2: tile<f32>, %reduce_rhs2: tile<f32>) {
    %5 = addf %reduce_lhs2, %reduce_rhs2  : tile<f32> loc(#loc56)
    %6 = cmpf greater_than ordered %5, %cst_0_f32_11 : tile<f32> -> tile<i1> loc(#loc57)
    %7 = maxf %5, %cst_1_f32_12 : tile<f32> loc(#loc58)
    %8 = divf %reduce_rhs2, %7  : tile<f32> loc(#loc59)
    %9 = select %6, %8, %cst_0_f32_13 : tile<i1>, tile<f32> loc(#loc60)
    %10 = subf %reduce_rhs0, %reduce_lhs0  : tile<f32> loc(#loc61)
    %11 = fma %10, %9, %reduce_lhs0  : tile<f32> loc(#loc62)
    %12 = addf %reduce_lhs1, %reduce_rhs1  : tile<f32> loc(#loc63)
    %13 = mulf %10, %10  : tile<f32> loc(#loc64)
    %14 = mulf %13, %reduce_lhs2  : tile<f32> loc(#loc64)
    %15 = fma %14, %9, %12  : tile<f32> loc(#loc63)
    yield %11, %15, %5 : tile<f32>, tile<f32>, tile<f32> loc(#loc38)
  } loc(#loc38)
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> loc(#loc50)
  %2 = store_view_tko weak %reduce#0, %pview_14[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc50)
  %3 = divf %reduce#1, %reduce#2  : tile<8xf32> loc(#loc51)
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> loc(#loc52)
  %4 = store_view_tko weak %3, %pview_15[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc52)
  return loc(#loc26)
} loc(#loc27)
#di_file = #cuda_tile.di_file<"reductions.py" in "kernels">
#loc = loc("kernels/reductions.py":88:0)
#loc1 = loc("kernels/reductions.py":88:12)
#loc2 = loc("kernels/reductions.py":88:15)
#loc3 = loc("kernels/reductions.py":88:25)
#loc4 = loc("kernels/reductions.py":101:12)
#loc5 = loc("kernels/reductions.py":102:27)
#loc6 = loc("kernels/reductions.py":102:8)
#loc7 = loc("kernels/reductions.py":103:12)
#loc8 = loc("kernels/reductions.py":104:51)
#loc9 = loc("kernels/reductions.py":104:43)
#loc10 = loc("kernels/reductions.py":93:33)
#loc11 = loc("kernels/reductions.py":104:22)
#loc12 = loc("kernels/reductions.py":93:66)
#loc13 = loc("kernels/reductions.py":93:72)
#loc14 = loc("kernels/reductions.py":92:16)
#loc15 = loc("kernels/reductions.py":93:25)
#loc16 = loc("kernels/reductions.py":93:48)
#loc17 = loc("kernels/reductions.py":93:38)
#loc18 = loc("kernels/reductions.py":93:16)
#loc19 = loc("kernels/reductions.py":94:16)
#loc20 = loc("kernels/reductions.py":96:12)
#loc21 = loc("kernels/reductions.py":97:12)
#loc22 = loc("kernels/reductions.py":97:26)
#loc23 = loc("kernels/reductions.py":105:4)
#loc24 = loc("kernels/reductions.py":106:34)
#loc25 = loc("kernels/reductions.py":106:4)
#loc26 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 87, name = "welford", linkageName = "welford", compileUnit = #di_compile_unit, scopeLine = 87>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 91, name = "merge", linkageName = "merge@reductions:91:5_s0", compileUnit = #di_compile_unit, scopeLine = 91>
#loc27 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc29 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc31 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc33 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc38 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc40 = #cuda_tile.di_loc<#loc13 in #di_subprogram1>
#loc41 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc42 = #cuda_tile.di_loc<#loc15 in #di_subprogram1>
#loc43 = #cuda_tile.di_loc<#loc16 in #di_subprogram1>
#loc44 = #cuda_tile.di_loc<#loc17 in #di_subprogram1>
#loc45 = #cuda_tile.di_loc<#loc18 in #di_subprogram1>
#loc46 = #cuda_tile.di_loc<#loc19 in #di_subprogram1>
#loc47 = #cuda_tile.di_loc<#loc20 in #di_subprogram1>
#loc48 = #cuda_tile.di_loc<#loc21 in #di_subprogram1>
#loc49 = #cuda_tile.di_loc<#loc22 in #di_subprogram1>
#loc50 = #cuda_tile.di_loc<#loc23 in #di_subprogram>
#loc51 = #cuda_tile.di_loc<#loc24 in #di_subprogram>
#loc52 = #cuda_tile.di_loc<#loc25 in #di_subprogram>
#loc53 = loc(callsite(#loc37 at #loc38))
#loc54 = loc(callsite(#loc39 at #loc38))
#loc55 = loc(callsite(#loc40 at #loc38))
#loc56 = loc(callsite(#loc41 at #loc38))
#loc57 = loc(callsite(#loc42 at #loc38))
#loc58 = loc(callsite(#loc43 at #loc38))
#loc59 = loc(callsite(#loc44 at #loc38))
#loc60 = loc(callsite(#loc45 at #loc38))
#loc61 = loc(callsite(#loc46 at #loc38))
#loc62 = loc(callsite(#loc47 at #loc38))
#loc63 = loc(callsite(#loc48 at #loc38))
#loc64 = loc(callsite(#loc49 at #loc38))
