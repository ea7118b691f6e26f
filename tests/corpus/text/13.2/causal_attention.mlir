entry @causal_attention(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<bf16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<bf16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<ptr<bf16>>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<i32>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<ptr<f32>>, %arg37: tile<i32>, %arg38: tile<i32>, %arg39: tile<i32>, %arg40: tile<i32>, %arg41: tile<i32>, %arg42: tile<i32>, %arg43: tile<f32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<bf16>>
  %assume_1 = assume div_by<16>, %arg18 : tile<ptr<bf16>>
  %assume_2 = assume div_by<16>, %arg27 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg36 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8, %assume_9, %assume_10, %assume_11], strides = [%assume_12, %assume_13, %assume_14, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %assume_15 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_21 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_22 = make_tensor_view %assume_0, shape = [%assume_15, %assume_16, %assume_17, %assume_18], strides = [%assume_19, %assume_20, %assume_21, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %assume_23 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_24 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_26 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_27 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_28 = assume bounded<0, ?>, %arg24 : tile<i32>
  %assume_29 = assume bounded<0, ?>, %arg25 : tile<i32>
  %tview_30 = make_tensor_view %assume_1, shape = [%assume_23, %assume_24, %assume_25, %assume_26], strides = [%assume_27, %assume_28, %assume_29, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %assume_31 = assume bounded<0, ?>, %arg28 : tile<i32>
  %assume_32 = assume bounded<0, ?>, %arg29 : tile<i32>
  %assume_33 = assume bounded<0, ?>, %arg30 : tile<i32>
  %assume_34 = assume bounded<0, ?>, %arg31 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg32 : tile<i32>
  %assume_36 = assume bounded<0, ?>, %arg33 : tile<i32>
  %assume_37 = assume bounded<0, ?>, %arg34 : tile<i32>
  %tview_38 = make_tensor_view %assume_2, shape = [%assume_31, %assume_32, %assume_33, %assume_34], strides = [%assume_35, %assume_36, %assume_37, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %assume_39 = assume bounded<0, ?>, %arg37 : tile<i32>
  %assume_40 = assume bounded<0, ?>, %arg38 : tile<i32>
  %assume_41 = assume bounded<0, ?>, %arg39 : tile<i32>
  %assume_42 = assume bounded<0, ?>, %arg40 : tile<i32>
  %assume_43 = assume bounded<0, ?>, %arg41 : tile<i32>
  %tview_44 = make_tensor_view %assume_3, shape = [%assume_39, %assume_40, %assume_41], strides = [%assume_42, %assume_43, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %cst_32_i32 = constant <i32: 32> : tile<i32>
  %cst_4_i32 = constant <i32: 4> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_45, %blockId_y_46, %blockId_z_47 = get_tile_block_id : tile<i32>
  %blockId_x_48, %blockId_y_49, %blockId_z_50 = get_tile_block_id : tile<i32>
  %1 = divi %blockId_y_46, %cst_4_i32 signed rounding<negative_inf> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_z_50, %blockId_y_46, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x64x64xbf16>, token
  %reshape = reshape %tile : tile<1x1x64x64xbf16> -> tile<64x64xbf16>
  %2 = muli %blockId_x, %cst_64_i32 : tile<i32>
  %3 = iota : tile<64xi32>
  %reshape_51 = reshape %3 : tile<64xi32> -> tile<64x1xi32>
  %reshape_52 = reshape %2 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_52 : tile<1x1xi32> -> tile<64x1xi32>
  %4 = addi %bcast, %reshape_51 : tile<64x1xi32>
  %5 = iota : tile<32xi32>
  %reshape_53 = reshape %5 : tile<32xi32> -> tile<1x32xi32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<64x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x1xf32>
  %cst_0_f32_54 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %6 = divi %2, %cst_32_i32 signed rounding<negative_inf> : tile<i32>
  %7 = addi %2, %cst_64_i32 : tile<i32>
  %8 = divi %7, %cst_32_i32 signed rounding<positive_inf> : tile<i32>
  %pview_55 = make_partition_view %tview_22 : partition_view<tile=(1x1x32x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
  %9:4 = get_index_space_shape %pview_55 : partition_view<tile=(1x1x32x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>> -> tile<i32>
  %10 = mini %8, %9#2 signed : tile<i32>
  %cst_0_i32_56 = constant <i32: 0> : tile<i32>
  %cst_1_i32_57 = constant <i32: 1> : tile<i32>
  %cst_0_i32_58 = constant <i32: 0> : tile<i32>
  %cst_0_f32_59 = constant <f32: 0.000000e+00> : tile<64x32xf32>
  %reshape_60 = reshape %arg43 : tile<f32> -> tile<1x1xf32>
  %bcast_61 = broadcast %reshape_60 : tile<1x1xf32> -> tile<64x32xf32>
  %cst_0_i32_62 = constant <i32: 0> : tile<i32>
  %11 = mini %10, %6 signed : tile<i32>
  %12 = maxi %cst_0_i32_56, %6 signed : tile<i32>
  %for:3 = for %loopIdx in (%cst_0_i32_56 to %11, step %cst_1_i32_57) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_54, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>) {
    %pview_70 = make_partition_view %tview_22 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
    %tile_71, %result_token_72 = load_view_tko weak %pview_70[%blockId_z_50, %1, %loopIdx, %cst_0_i32_58] token = %0 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x32x64xbf16>, token
    %reshape_73 = reshape %tile_71 : tile<1x1x32x64xbf16> -> tile<32x64xbf16>
    %19 = permute %reshape_73 [1, 0] : tile<32x64xbf16> -> tile<64x32xbf16>
    %20 = mmaf %reshape, %19, %cst_0_f32_59 : tile<64x64xbf16>, tile<64x32xbf16>, tile<64x32xf32>
    %21 = mulf %20, %bcast_61  : tile<64x32xf32>
    %reduce = reduce %21 dim=1 identities=[0xFF800000 : f32] : tile<64x32xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %31 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %31 : tile<f32>
    }
    %reshape_74 = reshape %reduce : tile<64xf32> -> tile<64x1xf32>
    %22 = maxf %iterArg1, %reshape_74 : tile<64x1xf32>
    %bcast_75 = broadcast %22 : tile<64x1xf32> -> tile<64x32xf32>
    %23 = subf %21, %bcast_75  : tile<64x32xf32>
    %24 = exp %23  : tile<64x32xf32>
    %25 = subf %iterArg1, %22  : tile<64x1xf32>
    %26 = exp %25  : tile<64x1xf32>
    %reduce_76 = reduce %24 dim=1 identities=[0.000000e+00 : f32] : tile<64x32xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %31 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %31 : tile<f32>
    }
    %reshape_77 = reshape %reduce_76 : tile<64xf32> -> tile<64x1xf32>
    %27 = fma %iterArg2, %26, %reshape_77  : tile<64x1xf32>
    %pview_78 = make_partition_view %tview_30 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
    %tile_79, %result_token_80 = load_view_tko weak %pview_78[%blockId_z_50, %1, %loopIdx, %cst_0_i32_62] token = %0 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x32x64xbf16>, token
    %28 = ftof %24  : tile<64x32xf32> -> tile<64x32xbf16>
    %reshape_81 = reshape %tile_79 : tile<1x1x32x64xbf16> -> tile<32x64xbf16>
    %bcast_82 = broadcast %26 : tile<64x1xf32> -> tile<64x64xf32>
    %29 = mulf %iterArg0, %bcast_82  : tile<64x64xf32>
    %30 = mmaf %28, %reshape_81, %29 : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    continue %30, %22, %27 : tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>
  }
  %for_63:3 = for %loopIdx in (%12 to %10, step %cst_1_i32_57) : tile<i32> iter_values(%iterArg0 = %for#0, %iterArg1 = %for#1, %iterArg2 = %for#2) -> (tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>) {
    %pview_70 = make_partition_view %tview_22 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
    %tile_71, %result_token_72 = load_view_tko weak %pview_70[%blockId_z_50, %1, %loopIdx, %cst_0_i32_58] token = %0 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x32x64xbf16>, token
    %reshape_73 = reshape %tile_71 : tile<1x1x32x64xbf16> -> tile<32x64xbf16>
    %19 = permute %reshape_73 [1, 0] : tile<32x64xbf16> -> tile<64x32xbf16>
    %20 = mmaf %reshape, %19, %cst_0_f32_59 : tile<64x64xbf16>, tile<64x32xbf16>, tile<64x32xf32>
    %21 = mulf %20, %bcast_61  : tile<64x32xf32>
    %22 = muli %loopIdx, %cst_32_i32 : tile<i32>
    %reshape_74 = reshape %22 : tile<i32> -> tile<1x1xi32>
    %bcast_75 = broadcast %reshape_74 : tile<1x1xi32> -> tile<1x32xi32>
    %23 = addi %bcast_75, %reshape_53 : tile<1x32xi32>
    %bcast_76 = broadcast %23 : tile<1x32xi32> -> tile<64x32xi32>
    %bcast_77 = broadcast %4 : tile<64x1xi32> -> tile<64x32xi32>
    %24 = cmpi less_than_or_equal %bcast_76, %bcast_77, signed : tile<64x32xi32> -> tile<64x32xi1>
    %reshape_78 = reshape %assume_17 : tile<i32> -> tile<1x1xi32>
    %bcast_79 = broadcast %reshape_78 : tile<1x1xi32> -> tile<1x32xi32>
    %25 = cmpi less_than %23, %bcast_79, signed : tile<1x32xi32> -> tile<1x32xi1>
    %bcast_80 = broadcast %25 : tile<1x32xi1> -> tile<64x32xi1>
    %26 = andi %24, %bcast_80 : tile<64x32xi1>
    %cst_f32_81 = constant <f32: 0xFF800000> : tile<f32>
    %reshape_82 = reshape %cst_f32_81 : tile<f32> -> tile<1x1xf32>
    %bcast_83 = broadcast %reshape_82 : tile<1x1xf32> -> tile<64x32xf32>
    %27 = select %26, %21, %bcast_83 : tile<64x32xi1>, tile<64x32xf32>
    %reduce = reduce %27 dim=1 identities=[0xFF800000 : f32] : tile<64x32xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %37 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %37 : tile<f32>
    }
    %reshape_84 = reshape %reduce : tile<64xf32> -> tile<64x1xf32>
    %28 = maxf %iterArg1, %reshape_84 : tile<64x1xf32>
    %bcast_85 = broadcast %28 : tile<64x1xf32> -> tile<64x32xf32>
    %29 = subf %27, %bcast_85  : tile<64x32xf32>
    %30 = exp %29  : tile<64x32xf32>
    %31 = subf %iterArg1, %28  : tile<64x1xf32>
    %32 = exp %31  : tile<64x1xf32>
    %reduce_86 = reduce %30 dim=1 identities=[0.000000e+00 : f32] : tile<64x32xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %37 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %37 : tile<f32>
    }
    %reshape_87 = reshape %reduce_86 : tile<64xf32> -> tile<64x1xf32>
    %33 = fma %iterArg2, %32, %reshape_87  : tile<64x1xf32>
    %pview_88 = make_partition_view %tview_30 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
    %tile_89, %result_token_90 = load_view_tko weak %pview_88[%blockId_z_50, %1, %loopIdx, %cst_0_i32_62] token = %0 : partition_view<tile=(1x1x32x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x32x64xbf16>, token
    %34 = ftof %30  : tile<64x32xf32> -> tile<64x32xbf16>
    %reshape_91 = reshape %tile_89 : tile<1x1x32x64xbf16> -> tile<32x64xbf16>
    %bcast_92 = broadcast %32 : tile<64x1xf32> -> tile<64x64xf32>
    %35 = mulf %iterArg0, %bcast_92  : tile<64x64xf32>
    %36 = mmaf %34, %reshape_91, %35 : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    continue %36, %28, %33 : tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>
  }
  %cst_0_i32_64 = constant <i32: 0> : tile<i32>
  %bcast_65 = broadcast %for_63#2 : tile<64x1xf32> -> tile<64x64xf32>
  %13 = divf %for_63#0, %bcast_65  : tile<64x64xf32>
  %reshape_66 = reshape %13 : tile<64x64xf32> -> tile<1x1x64x64xf32>
  %14 = ftof %reshape_66  : tile<1x1x64x64xf32> -> tile<1x1x64x64xbf16>
  %pview_67 = make_partition_view %tview_38 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
  %15 = store_view_tko weak %14, %pview_67[%blockId_z_50, %blockId_y_46, %blockId_x, %cst_0_i32_64] token = %0 : tile<1x1x64x64xbf16>, partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> token
  %16 = log %for_63#2 : tile<64x1xf32>
  %17 = addf %for_63#1, %16  : tile<64x1xf32>
  %reshape_68 = reshape %17 : tile<64x1xf32> -> tile<1x1x64xf32>
  %pview_69 = make_partition_view %tview_44 : partition_view<tile=(1x1x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
  %18 = store_view_tko weak %reshape_68, %pview_69[%blockId_z_50, %blockId_y_46, %blockId_x] token = %0 : tile<1x1x64xf32>, partition_view<tile=(1x1x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
  return
}
