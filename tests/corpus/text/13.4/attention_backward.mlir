entry @attention_backward(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f16>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<f32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<ptr<f32>>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<ptr<f32>>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<ptr<f16>>, %arg32: tile<i32>, %arg33: tile<i32>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<ptr<f16>>, %arg37: tile<i32>, %arg38: tile<i32>, %arg39: tile<i32>, %arg40: tile<i32>, %arg41: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg15 : tile<ptr<f16>>
  %assume_3 = assume div_by<16>, %arg20 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg23 : tile<ptr<f32>>
  %assume_5 = assume div_by<16>, %arg26 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg31 : tile<ptr<f16>>
  %assume_7 = assume div_by<16>, %arg36 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %cst_1_i32_10 = constant <i32: 1> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %cst_1_i32_12 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<32x64xi64>
  %assume_15 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_15, %assume_16], strides = [%assume_17, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_18 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_21 = make_tensor_view %assume_0, shape = [%assume_18, %assume_19], strides = [%assume_20, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_22 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_23 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_24 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_25 = make_tensor_view %assume_1, shape = [%assume_22, %assume_23], strides = [%assume_24, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_26 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_27 = assume bounded<0, ?>, %arg17 : tile<i32>
  %assume_28 = assume bounded<0, ?>, %arg18 : tile<i32>
  %tview_29 = make_tensor_view %assume_2, shape = [%assume_26, %assume_27], strides = [%assume_28, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_30 = assume bounded<0, ?>, %arg21 : tile<i32>
  %tview_31 = make_tensor_view %assume_3, shape = [%assume_30], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_32 = assume bounded<0, ?>, %arg24 : tile<i32>
  %tview_33 = make_tensor_view %assume_4, shape = [%assume_32], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_34 = assume bounded<0, ?>, %arg27 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg28 : tile<i32>
  %assume_36 = assume bounded<0, ?>, %arg29 : tile<i32>
  %assume_37 = assume bounded<0, ?>, %arg32 : tile<i32>
  %assume_38 = assume bounded<0, ?>, %arg33 : tile<i32>
  %assume_39 = assume bounded<0, ?>, %arg34 : tile<i32>
  %tview_40 = make_tensor_view %assume_6, shape = [%assume_37, %assume_38], strides = [%assume_39, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_41 = assume bounded<0, ?>, %arg37 : tile<i32>
  %assume_42 = assume bounded<0, ?>, %arg38 : tile<i32>
  %assume_43 = assume bounded<0, ?>, %arg39 : tile<i32>
  %tview_44 = make_tensor_view %assume_7, shape = [%assume_41, %assume_42], strides = [%assume_43, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %cst_32_i32 = constant <i32: 32> : tile<i32>
  %cst_32_i32_45 = constant <i32: 32> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview_21 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
  %cst_0_i32_46 = constant <i32: 0> : tile<i32>
  %pview_47 = make_partition_view %tview_25 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %tile_48, %result_token_49 = load_view_tko weak %pview_47[%blockId_x, %cst_0_i32_46] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x64xf32>
  %cst_0_f32_50 = constant <f32: 0.000000e+00> : tile<32x64xf32>
  %1 = muli %blockId_x, %cst_32_i32_45 : tile<i32>
  %2 = iota : tile<32xi32>
  %reshape = reshape %2 : tile<32xi32> -> tile<1x32xi32>
  %reshape_51 = reshape %1 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_51 : tile<1x1xi32> -> tile<1x32xi32>
  %3 = addi %bcast, %reshape : tile<1x32xi32>
  %4 = iota : tile<64xi32>
  %reshape_52 = reshape %4 : tile<64xi32> -> tile<1x64xi32>
  %5 = muli %blockId_x, %cst_32_i32_45 : tile<i32>
  %6 = divi %5, %cst_32_i32 signed rounding<negative_inf> : tile<i32>
  %pview_53 = make_partition_view %tview : partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>>
  %7:2 = get_index_space_shape %pview_53 : partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
  %cst_1_i32_54 = constant <i32: 1> : tile<i32>
  %cst_0_i32_55 = constant <i32: 0> : tile<i32>
  %pview_56 = make_partition_view %tview : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %cst_0_i32_57 = constant <i32: 0> : tile<i32>
  %pview_58 = make_partition_view %tview_29 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %8 = iota : tile<32xi32>
  %reshape_59 = reshape %8 : tile<32xi32> -> tile<32x1xi32>
  %9 = permute %tile [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
  %cst_0_f32_60 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %reshape_61 = reshape %arg41 : tile<f32> -> tile<1x1xf32>
  %bcast_62 = broadcast %reshape_61 : tile<1x1xf32> -> tile<32x32xf32>
  %pview_63 = make_partition_view %tview_31 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %bcast_64 = broadcast %3 : tile<1x32xi32> -> tile<32x32xi32>
  %cst_0_f32_65 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_66 = reshape %cst_0_f32_65 : tile<f32> -> tile<1x1xf32>
  %bcast_67 = broadcast %reshape_66 : tile<1x1xf32> -> tile<32x32xf32>
  %10 = permute %tile_48 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
  %cst_0_f32_68 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %pview_69 = make_partition_view %tview_33 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
  %reshape_70 = reshape %arg41 : tile<f32> -> tile<1x1xf32>
  %bcast_71 = broadcast %reshape_70 : tile<1x1xf32> -> tile<32x32xf32>
  %cst_0_f32_72 = constant <f32: 0.000000e+00> : tile<32x64xf32>
  %11 = exti %assume_34 signed : tile<i32> -> tile<i64>
  %reshape_73 = reshape %11 : tile<i64> -> tile<1x1xi64>
  %bcast_74 = broadcast %reshape_73 : tile<1x1xi64> -> tile<32x64xi64>
  %12 = exti %assume_36 signed : tile<i32> -> tile<i64>
  %reshape_75 = reshape %12 : tile<i64> -> tile<1x1xi64>
  %bcast_76 = broadcast %reshape_75 : tile<1x1xi64> -> tile<32x64xi64>
  %13 = exti %reshape_52 signed : tile<1x64xi32> -> tile<1x64xi64>
  %bcast_77 = broadcast %13 : tile<1x64xi64> -> tile<32x64xi64>
  %14 = exti %assume_35 signed : tile<i32> -> tile<i64>
  %reshape_78 = reshape %14 : tile<i64> -> tile<1x1xi64>
  %bcast_79 = broadcast %reshape_78 : tile<1x1xi64> -> tile<32x64xi64>
  %15 = cmpi less_than %bcast_77, %bcast_79, unsigned : tile<32x64xi64> -> tile<32x64xi1>
  %16 = muli %bcast_77, %cst_1_i64 : tile<32x64xi64>
  %reshape_80 = reshape %assume_5 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %bcast_81 = broadcast %reshape_80 : tile<1x1xptr<f32>> -> tile<32x64xptr<f32>>
  %for:3 = for %loopIdx in (%6 to %7#0, step %cst_1_i32_54) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_0_f32_50, %iterArg2 = %0) -> (tile<32x64xf32>, tile<32x64xf32>, token) {
    %tile_86, %result_token_87 = load_view_tko weak %pview_56[%loopIdx, %cst_0_i32_55] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %tile_88, %result_token_89 = load_view_tko weak %pview_58[%loopIdx, %cst_0_i32_57] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %21 = muli %loopIdx, %cst_32_i32 : tile<i32>
    %reshape_90 = reshape %21 : tile<i32> -> tile<1x1xi32>
    %bcast_91 = broadcast %reshape_90 : tile<1x1xi32> -> tile<32x1xi32>
    %22 = addi %bcast_91, %reshape_59 : tile<32x1xi32>
    %23 = mmaf %tile_86, %9, %cst_0_f32_60 : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
    %tile_92, %result_token_93 = load_view_tko weak %pview_63[%loopIdx] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %reshape_94 = reshape %tile_92 : tile<32xf32> -> tile<32x1xf32>
    %bcast_95 = broadcast %22 : tile<32x1xi32> -> tile<32x32xi32>
    %24 = cmpi greater_than_or_equal %bcast_95, %bcast_64, signed : tile<32x32xi32> -> tile<32x32xi1>
    %bcast_96 = broadcast %reshape_94 : tile<32x1xf32> -> tile<32x32xf32>
    %25 = negf %bcast_96 : tile<32x32xf32>
    %26 = fma %23, %bcast_62, %25  : tile<32x32xf32>
    %27 = exp %26  : tile<32x32xf32>
    %28 = select %24, %27, %bcast_67 : tile<32x32xi1>, tile<32x32xf32>
    %29 = ftof %28  : tile<32x32xf32> -> tile<32x32xf16>
    %30 = permute %29 [1, 0] : tile<32x32xf16> -> tile<32x32xf16>
    %31 = mmaf %30, %tile_88, %iterArg1 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
    %32 = mmaf %tile_88, %10, %cst_0_f32_68 : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
    %tile_97, %result_token_98 = load_view_tko weak %pview_69[%loopIdx] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %reshape_99 = reshape %tile_97 : tile<32xf32> -> tile<32x1xf32>
    %bcast_100 = broadcast %reshape_99 : tile<32x1xf32> -> tile<32x32xf32>
    %33 = subf %32, %bcast_100  : tile<32x32xf32>
    %34 = mulf %28, %33  : tile<32x32xf32>
    %35 = mulf %34, %bcast_71  : tile<32x32xf32>
    %36 = ftof %35  : tile<32x32xf32> -> tile<32x32xf16>
    %37 = permute %36 [1, 0] : tile<32x32xf16> -> tile<32x32xf16>
    %38 = mmaf %37, %tile_86, %iterArg0 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
    %39 = mmaf %36, %tile, %cst_0_f32_72 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
    %40 = exti %22 signed : tile<32x1xi32> -> tile<32x1xi64>
    %bcast_101 = broadcast %40 : tile<32x1xi64> -> tile<32x64xi64>
    %41 = cmpi less_than %bcast_101, %bcast_74, unsigned : tile<32x64xi64> -> tile<32x64xi1>
    %42 = muli %bcast_101, %bcast_76 : tile<32x64xi64>
    %43 = andi %41, %15 : tile<32x64xi1>
    %44 = addi %42, %16 : tile<32x64xi64>
    %45 = offset %bcast_81, %44 : tile<32x64xptr<f32>>, tile<32x64xi64> -> tile<32x64xptr<f32>>
    %result, %result_token_102 = atomic_rmw_tko relaxed device %45, addf, %39, %43 token=%iterArg2 : tile<32x64xptr<f32>>, tile<32x64xf32>, tile<32x64xi1> -> tile<32x64xf32>, token
    continue %38, %31, %result_token_102 : tile<32x64xf32>, tile<32x64xf32>, token
  }
  %cst_0_i32_82 = constant <i32: 0> : tile<i32>
  %17 = ftof %for#0  : tile<32x64xf32> -> tile<32x64xf16>
  %pview_83 = make_partition_view %tview_40 : partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>>
  %18 = store_view_tko weak %17, %pview_83[%blockId_x, %cst_0_i32_82] token = %0 : tile<32x64xf16>, partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  %cst_0_i32_84 = constant <i32: 0> : tile<i32>
  %19 = ftof %for#1  : tile<32x64xf32> -> tile<32x64xf16>
  %pview_85 = make_partition_view %tview_44 : partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>>
  %20 = store_view_tko weak %19, %pview_85[%blockId_x, %cst_0_i32_84] token = %0 : tile<32x64xf16>, partition_view<tile=(32x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  return
}
