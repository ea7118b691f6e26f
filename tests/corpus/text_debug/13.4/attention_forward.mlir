entry @attention_forward(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<f16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<ptr<f16>>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<i32>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc46)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>> loc(#loc47)
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<f16>> loc(#loc48)
  %assume_1 = assume div_by<16>, %arg18 : tile<ptr<f16>> loc(#loc49)
  %assume_2 = assume div_by<16>, %arg27 : tile<ptr<f16>> loc(#loc50)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc46)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc46)
  %cst_1_i32_4 = constant <i32: 1> : tile<i32> loc(#loc46)
  %cst_1_i32_5 = constant <i32: 1> : tile<i32> loc(#loc46)
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc46)
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc46)
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc46)
  %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc46)
  %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32> loc(#loc46)
  %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc46)
  %assume_12 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc46)
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8, %assume_9], strides = [%assume_10, %assume_11, %assume_12, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]> loc(#loc46)
  %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32> loc(#loc46)
  %assume_14 = assume bounded<0, ?>, %arg11 : tile<i32> loc(#loc46)
  %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32> loc(#loc46)
  %assume_16 = assume bounded<0, ?>, %arg13 : tile<i32> loc(#loc46)
  %assume_17 = assume bounded<0, ?>, %arg14 : tile<i32> loc(#loc46)
  %assume_18 = assume bounded<0, ?>, %arg15 : tile<i32> loc(#loc46)
  %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32> loc(#loc46)
  %tview_20 = make_tensor_view %assume_0, shape = [%assume_13, %assume_14, %assume_15, %assume_16], strides = [%assume_17, %assume_18, %assume_19, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]> loc(#loc46)
  %assume_21 = assume bounded<0, ?>, %arg19 : tile<i32> loc(#loc46)
  %assume_22 = assume bounded<0, ?>, %arg20 : tile<i32> loc(#loc46)
  %assume_23 = assume bounded<0, ?>, %arg21 : tile<i32> loc(#loc46)
  %assume_24 = assume bounded<0, ?>, %arg22 : tile<i32> loc(#loc46)
  %assume_25 = assume bounded<0, ?>, %arg23 : tile<i32> loc(#loc46)
  %assume_26 = assume bounded<0, ?>, %arg24 : tile<i32> loc(#loc46)
  %assume_27 = assume bounded<0, ?>, %arg25 : tile<i32> loc(#loc46)
  %tview_28 = make_tensor_view %assume_1, shape = [%assume_21, %assume_22, %assume_23, %assume_24], strides = [%assume_25, %assume_26, %assume_27, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]> loc(#loc46)
  %assume_29 = assume bounded<0, ?>, %arg28 : tile<i32> loc(#loc46)
  %assume_30 = assume bounded<0, ?>, %arg29 : tile<i32> loc(#loc46)
  %assume_31 = assume bounded<0, ?>, %arg30 : tile<i32> loc(#loc46)
  %assume_32 = assume bounded<0, ?>, %arg31 : tile<i32> loc(#loc46)
  %assume_33 = assume bounded<0, ?>, %arg32 : tile<i32> loc(#loc46)
  %assume_34 = assume bounded<0, ?>, %arg33 : tile<i32> loc(#loc46)
  %assume_35 = assume bounded<0, ?>, %arg34 : tile<i32> loc(#loc46)
  %tview_36 = make_tensor_view %assume_2, shape = [%assume_29, %assume_30, %assume_31, %assume_32], strides = [%assume_33, %assume_34, %assume_35, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]> loc(#loc46)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc51)
  %blockId_x_37, %blockId_y_38, %blockId_z_39 = get_tile_block_id : tile<i32> loc(#loc52)
  %blockId_x_40, %blockId_y_41, %blockId_z_42 = get_tile_block_id : tile<i32> loc(#loc53)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc54)
  %pview = make_partition_view %tview : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> loc(#loc55)
  %tile, %result_token = load_view_tko weak %pview[%blockId_z_42, %blockId_y_38, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x64x64xf16>, token loc(#loc55)
  %reshape = reshape %tile : tile<1x1x64x64xf16> -> tile<64x64xf16> loc(#loc56)
  %cst_f32 = constant <f32: 0xFF800000> : tile<64x1xf32> loc(#loc57)
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x1xf32> loc(#loc58)
  %cst_0_f32_43 = constant <f32: 0.000000e+00> : tile<64x64xf32> loc(#loc59)
  %pview_44 = make_partition_view %tview_20 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> loc(#loc60)
  %1:4 = get_index_space_shape %pview_44 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> -> tile<i32> loc(#loc60)
  %cst_0_i32_45 = constant <i32: 0> : tile<i32> loc(#loc61)
  %cst_1_i32_46 = constant <i32: 1> : tile<i32> loc(#loc61)
  %cst_0_i32_47 = constant <i32: 0> : tile<i32> loc(#loc62)
  %pview_48 = make_partition_view %tview_20 : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>, dim_map=[0, 1, 3, 2]> loc(#loc63)
  %cst_0_f32_49 = constant <f32: 0.000000e+00> : tile<64x64xf32> loc(#loc64)
  %cst_f32_50 = constant <f32: 1.44269502> : tile<f32> loc(#loc65)
  %2 = mulf %arg36, %cst_f32_50  : tile<f32> loc(#loc66)
  %reshape_51 = reshape %2 : tile<f32> -> tile<1x1xf32> loc(#loc67)
  %bcast = broadcast %reshape_51 : tile<1x1xf32> -> tile<64x1xf32> loc(#loc67)
  %cst_f32_52 = constant <f32: 1.44269502> : tile<f32> loc(#loc68)
  %3 = mulf %arg36, %cst_f32_52  : tile<f32> loc(#loc69)
  %reshape_53 = reshape %3 : tile<f32> -> tile<1x1xf32> loc(#loc70)
  %bcast_54 = broadcast %reshape_53 : tile<1x1xf32> -> tile<64x64xf32> loc(#loc70)
  %cst_0_i32_55 = constant <i32: 0> : tile<i32> loc(#loc71)
  %pview_56 = make_partition_view %tview_28 : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> loc(#loc72)
  %for:3 = for %loopIdx in (%cst_0_i32_45 to %1#2, step %cst_1_i32_46) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_43, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>) {
    %tile_61, %result_token_62 = load_view_tko weak %pview_48[%blockId_z_42, %blockId_y_38, %cst_0_i32_47, %loopIdx] token = %0 optimization_hints = <default = {latency = 2}> : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>, dim_map=[0, 1, 3, 2]>, tile<i32> -> tile<1x1x64x64xf16>, token loc(#loc63)
    %reshape_63 = reshape %tile_61 : tile<1x1x64x64xf16> -> tile<64x64xf16> loc(#loc74)
    %7 = mmaf %reshape, %reshape_63, %cst_0_f32_49 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> loc(#loc75)
    %reduce = reduce %7 dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %19 = maxf %reduce_lhs, %reduce_rhs : tile<f32> loc(#loc67)
      yield %19 : tile<f32> loc(#loc67)
    } loc(#loc67)
    %reshape_64 = reshape %reduce : tile<64xf32> -> tile<64x1xf32> loc(#loc67)
    %8 = mulf %reshape_64, %bcast  : tile<64x1xf32> loc(#loc67)
    %9 = maxf %iterArg1, %8 : tile<64x1xf32> loc(#loc76)
    %bcast_65 = broadcast %9 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc70)
    %10 = negf %bcast_65 : tile<64x64xf32> loc(#loc70)
    %11 = fma %7, %bcast_54, %10  : tile<64x64xf32> loc(#loc70)
    %12 = exp2 %11 flush_to_zero : tile<64x64xf32> loc(#loc77)
    %13 = subf %iterArg1, %9  : tile<64x1xf32> loc(#loc78)
    %14 = exp2 %13 flush_to_zero : tile<64x1xf32> loc(#loc79)
    %reduce_66 = reduce %12 dim=1 identities=[0.000000e+00 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %19 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc80)
      yield %19 : tile<f32> loc(#loc80)
    } loc(#loc80)
    %reshape_67 = reshape %reduce_66 : tile<64xf32> -> tile<64x1xf32> loc(#loc80)
    %15 = fma %iterArg2, %14, %reshape_67  : tile<64x1xf32> loc(#loc81)
    %tile_68, %result_token_69 = load_view_tko weak %pview_56[%blockId_z_42, %blockId_y_38, %loopIdx, %cst_0_i32_55] token = %0 optimization_hints = <default = {latency = 4}> : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x64x64xf16>, token loc(#loc72)
    %16 = ftof %12  : tile<64x64xf32> -> tile<64x64xf16> loc(#loc92)
    %reshape_70 = reshape %tile_68 : tile<1x1x64x64xf16> -> tile<64x64xf16> loc(#loc84)
    %bcast_71 = broadcast %14 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc85)
    %17 = mulf %iterArg0, %bcast_71  : tile<64x64xf32> loc(#loc85)
    %18 = mmaf %16, %reshape_70, %17 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> loc(#loc86)
    continue %18, %9, %15 : tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32> loc(#loc73)
  } loc(#loc73)
  %bcast_57 = broadcast %for#2 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc87)
  %4 = divf %for#0, %bcast_57 rounding<approx> flush_to_zero : tile<64x64xf32> loc(#loc87)
  %cst_0_i32_58 = constant <i32: 0> : tile<i32> loc(#loc88)
  %reshape_59 = reshape %4 : tile<64x64xf32> -> tile<1x1x64x64xf32> loc(#loc89)
  %5 = ftof %reshape_59  : tile<1x1x64x64xf32> -> tile<1x1x64x64xf16> loc(#loc93)
  %pview_60 = make_partition_view %tview_36 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> loc(#loc91)
  %6 = store_view_tko weak %5, %pview_60[%blockId_z_42, %blockId_y_38, %blockId_x, %cst_0_i32_58] token = %0 : tile<1x1x64x64xf16>, partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> token loc(#loc91)
  return loc(#loc45)
} loc(#loc46)
#di_file = #cuda_tile.di_file<"attention.py" in "kernels">
#di_file1 = #cuda_tile.di_file<"_stub.py" in "cuda/tile">
#loc = loc("kernels/attention.py":13:0)
#loc1 = loc("kernels/attention.py":13:22)
#loc2 = loc("kernels/attention.py":13:25)
#loc3 = loc("kernels/attention.py":13:28)
#loc4 = loc("kernels/attention.py":13:31)
#loc5 = loc("kernels/attention.py":15:25)
#loc6 = loc("kernels/attention.py":15:36)
#loc7 = loc("kernels/attention.py":15:47)
#loc8 = loc("kernels/attention.py":17:40)
#loc9 = loc("kernels/attention.py":17:8)
#loc10 = loc("kernels/attention.py":16:12)
#loc11 = loc("kernels/attention.py":19:10)
#loc12 = loc("kernels/attention.py":20:12)
#loc13 = loc("kernels/attention.py":21:13)
#loc14 = loc("kernels/attention.py":22:19)
#loc15 = loc("kernels/attention.py":22:13)
#loc16 = loc("kernels/attention.py":25:26)
#loc17 = loc("kernels/attention.py":23:14)
#loc18 = loc("kernels/attention.py":31:62)
#loc19 = loc("kernels/attention.py":32:82)
#loc20 = loc("kernels/attention.py":32:74)
#loc21 = loc("kernels/attention.py":32:34)
#loc22 = loc("kernels/attention.py":33:37)
#loc23 = loc("kernels/attention.py":33:29)
#loc24 = loc("kernels/attention.py":33:20)
#loc25 = loc("kernels/attention.py":36:44)
#loc26 = loc("kernels/attention.py":36:16)
#loc27 = loc("kernels/attention.py":22:4)
#loc28 = loc("kernels/attention.py":31:30)
#loc29 = loc("kernels/attention.py":31:16)
#loc30 = loc("kernels/attention.py":32:18)
#loc31 = loc("kernels/attention.py":33:12)
#loc32 = loc("kernels/attention.py":34:25)
#loc33 = loc("kernels/attention.py":34:17)
#loc34 = loc("kernels/attention.py":35:33)
#loc35 = loc("kernels/attention.py":35:16)
#loc36 = loc("cuda/tile/_stub.py":678:15)
#loc37 = loc("kernels/attention.py":37:24)
#loc38 = loc("kernels/attention.py":37:46)
#loc39 = loc("kernels/attention.py":37:80)
#loc40 = loc("kernels/attention.py":37:17)
#loc41 = loc("kernels/attention.py":39:13)
#loc42 = loc("kernels/attention.py":41:34)
#loc43 = loc("kernels/attention.py":41:38)
#loc44 = loc("kernels/attention.py":40:4)
#loc45 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_compile_unit1 = #cuda_tile.di_compile_unit<file = #di_file1>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 12, name = "attention_forward", linkageName = "attention_forward", compileUnit = #di_compile_unit, scopeLine = 12>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file1, line = 676, name = "astype", linkageName = "astype@_stub:676:5_s0", compileUnit = #di_compile_unit1, scopeLine = 676>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file1, line = 676, name = "astype", linkageName = "astype@_stub:676:5_s1", compileUnit = #di_compile_unit1, scopeLine = 676>
#loc46 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc47 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc48 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc49 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc50 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc51 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc52 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc53 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc54 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc55 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc56 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc57 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc58 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc59 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc60 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc61 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc62 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc63 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc64 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc65 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc66 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc67 = #cuda_tile.di_loc<#loc21 in #di_subprogram>
#loc68 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
#loc69 = #cuda_tile.di_loc<#loc23 in #di_subprogram>
#loc70 = #cuda_tile.di_loc<#loc24 in #di_subprogram>
#loc71 = #cuda_tile.di_loc<#loc25 in #di_subprogram>
#loc72 = #cuda_tile.di_loc<#loc26 in #di_subprogram>
#loc73 = #cuda_tile.di_loc<#loc27 in #di_subprogram>
#loc74 = #cuda_tile.di_loc<#loc28 in #di_subprogram>
#loc75 = #cuda_tile.di_loc<#loc29 in #di_subprogram>
#loc76 = #cuda_tile.di_loc<#loc30 in #di_subprogram>
#loc77 = #cuda_tile.di_loc<#loc31 in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc32 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc33 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc34 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc35 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc36 in #di_subprogram1>
#loc83 = #cuda_tile.di_loc<#loc37 in #di_subprogram>
#loc84 = #cuda_tile.di_loc<#loc38 in #di_subprogram>
#loc85 = #cuda_tile.di_loc<#loc39 in #di_subprogram>
#loc86 = #cuda_tile.di_loc<#loc40 in #di_subprogram>
#loc87 = #cuda_tile.di_loc<#loc41 in #di_subprogram>
#loc88 = #cuda_tile.di_loc<#loc42 in #di_subprogram>
#loc89 = #cuda_tile.di_loc<#loc43 in #di_subprogram>
#loc90 = #cuda_tile.di_loc<#loc36 in #di_subprogram2>
#loc91 = #cuda_tile.di_loc<#loc44 in #di_subprogram>
#loc92 = loc(callsite(#loc82 at #loc83))
#loc93 = loc(callsite(#loc90 at #loc89))
