entry @paged_attention(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f16>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<ptr<i32>>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<ptr<i32>>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<ptr<f16>>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<i32>, %arg37: tile<i32>, %arg38: tile<i32>, %arg39: tile<i32>, %arg40: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg16 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg25 : tile<ptr<i32>>
  %assume_3 = assume div_by<16>, %arg30 : tile<ptr<i32>>
  %assume_4 = assume div_by<16>, %arg33 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_8 = constant <i64: 1> : tile<i64>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_9, %assume_10, %assume_11], strides = [%assume_12, %assume_13, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_14 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg14 : tile<i32>
  %tview_21 = make_tensor_view %assume_0, shape = [%assume_14, %assume_15, %assume_16, %assume_17], strides = [%assume_18, %assume_19, %assume_20, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %assume_22 = assume bounded<0, ?>, %arg17 : tile<i32>
  %assume_23 = assume bounded<0, ?>, %arg18 : tile<i32>
  %assume_24 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_26 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_27 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_28 = assume bounded<0, ?>, %arg23 : tile<i32>
  %tview_29 = make_tensor_view %assume_1, shape = [%assume_22, %assume_23, %assume_24, %assume_25], strides = [%assume_26, %assume_27, %assume_28, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %assume_30 = assume bounded<0, ?>, %arg26 : tile<i32>
  %assume_31 = assume bounded<0, ?>, %arg27 : tile<i32>
  %assume_32 = assume bounded<0, ?>, %arg28 : tile<i32>
  %assume_33 = assume bounded<0, ?>, %arg31 : tile<i32>
  %assume_34 = assume bounded<0, ?>, %arg34 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg35 : tile<i32>
  %assume_36 = assume bounded<0, ?>, %arg36 : tile<i32>
  %assume_37 = assume bounded<0, ?>, %arg37 : tile<i32>
  %assume_38 = assume bounded<0, ?>, %arg38 : tile<i32>
  %tview_39 = make_tensor_view %assume_4, shape = [%assume_34, %assume_35, %assume_36], strides = [%assume_37, %assume_38, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %cst_16_i32 = constant <i32: 16> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_40, %blockId_y_41, %blockId_z_42 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = exti %blockId_y_41 signed : tile<i32> -> tile<i64>
  %2 = exti %assume_33 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %1, %cst_1_i64 : tile<i64>
  %5 = offset %assume_3, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_43 = assume div_by<4>, %5 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_43, %3, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %cst_0_i32_44 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile, %result_token_45 = load_view_tko weak %pview[%blockId_y_41, %blockId_x, %cst_0_i32_44] token = %0 : partition_view<tile=(1x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x1x64xf16>, token
  %reshape = reshape %tile : tile<1x1x64xf16> -> tile<1x64xf16>
  %6 = ftof %reshape  : tile<1x64xf16> -> tile<1x64xf32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<f32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %cst_0_f32_46 = constant <f32: 0.000000e+00> : tile<1x64xf32>
  %cst_0_i32_47 = constant <i32: 0> : tile<i32>
  %cst_0_i32_48 = constant <i32: 0> : tile<i32>
  %7 = exti %blockId_y_41 signed : tile<i32> -> tile<i64>
  %8 = exti %assume_30 signed : tile<i32> -> tile<i64>
  %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1>
  %10 = exti %assume_32 signed : tile<i32> -> tile<i64>
  %11 = muli %7, %10 : tile<i64>
  %12 = exti %assume_31 signed : tile<i32> -> tile<i64>
  %cst_0_i32_49 = constant <i32: 0> : tile<i32>
  %cst_0_i32_50 = constant <i32: 0> : tile<i32>
  %pview_51 = make_partition_view %tview_21 : partition_view<tile=(1x1x16x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %cst_0_i32_52 = constant <i32: 0> : tile<i32>
  %cst_0_i32_53 = constant <i32: 0> : tile<i32>
  %pview_54 = make_partition_view %tview_29 : partition_view<tile=(1x1x16x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %bcast = broadcast %6 : tile<1x64xf32> -> tile<16x64xf32>
  %reshape_55 = reshape %arg40 : tile<f32> -> tile<1xf32>
  %bcast_56 = broadcast %reshape_55 : tile<1xf32> -> tile<16xf32>
  %13 = iota : tile<16xi32>
  %reshape_57 = reshape %result : tile<i32> -> tile<1xi32>
  %bcast_58 = broadcast %reshape_57 : tile<1xi32> -> tile<16xi32>
  %cst_f32_59 = constant <f32: 0xFF800000> : tile<f32>
  %reshape_60 = reshape %cst_f32_59 : tile<f32> -> tile<1xf32>
  %bcast_61 = broadcast %reshape_60 : tile<1xf32> -> tile<16xf32>
  %14:4 = loop iter_values(%arg41 = %cst_0_i32_47, %arg42 = %cst_0_f32_46, %arg43 = %cst_f32, %arg44 = %cst_0_f32) : tile<i32>, tile<1x64xf32>, tile<f32>, tile<f32> -> tile<i32>, tile<1x64xf32>, tile<f32>, tile<f32> {
    %assume_67 = assume div_by<16>, %arg41 : tile<i32>
    %18 = cmpi less_than %assume_67, %result, signed : tile<i32> -> tile<i1>
    if %18 {
    } else {
      break %assume_67, %arg42, %arg43, %arg44 : tile<i32>, tile<1x64xf32>, tile<f32>, tile<f32>
    }
    %19 = divi %assume_67, %cst_16_i32 signed rounding<negative_inf> : tile<i32>
    %20 = exti %19 signed : tile<i32> -> tile<i64>
    %21 = cmpi less_than %20, %12, unsigned : tile<i64> -> tile<i1>
    %22 = andi %9, %21 : tile<i1>
    %23 = muli %20, %cst_1_i64_8 : tile<i64>
    %24 = addi %11, %23 : tile<i64>
    %25 = offset %assume_2, %24 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_68 = assume div_by<4>, %25 : tile<ptr<i32>>
    %result_69, %result_token_70 = load_ptr_tko weak %assume_68, %22, %cst_0_i32_48 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %tile_71, %result_token_72 = load_view_tko weak %pview_51[%result_69, %blockId_x, %cst_0_i32_49, %cst_0_i32_50] token = %0 : partition_view<tile=(1x1x16x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x16x64xf16>, token
    %reshape_73 = reshape %tile_71 : tile<1x1x16x64xf16> -> tile<16x64xf16>
    %26 = ftof %reshape_73  : tile<16x64xf16> -> tile<16x64xf32>
    %tile_74, %result_token_75 = load_view_tko weak %pview_54[%result_69, %blockId_x, %cst_0_i32_52, %cst_0_i32_53] token = %0 : partition_view<tile=(1x1x16x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x16x64xf16>, token
    %reshape_76 = reshape %tile_74 : tile<1x1x16x64xf16> -> tile<16x64xf16>
    %27 = ftof %reshape_76  : tile<16x64xf16> -> tile<16x64xf32>
    %28 = mulf %bcast, %26  : tile<16x64xf32>
    %reduce = reduce %28 dim=1 identities=[0.000000e+00 : f32] : tile<16x64xf32> -> tile<16xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %42 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %42 : tile<f32>
    }
    %29 = mulf %reduce, %bcast_56  : tile<16xf32>
    %reshape_77 = reshape %assume_67 : tile<i32> -> tile<1xi32>
    %bcast_78 = broadcast %reshape_77 : tile<1xi32> -> tile<16xi32>
    %30 = addi %bcast_78, %13 : tile<16xi32>
    %31 = cmpi less_than %30, %bcast_58, signed : tile<16xi32> -> tile<16xi1>
    %32 = select %31, %29, %bcast_61 : tile<16xi1>, tile<16xf32>
    %reduce_79 = reduce %32 dim=0 identities=[0xFF800000 : f32] : tile<16xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %42 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %42 : tile<f32>
    }
    %33 = maxf %arg43, %reduce_79 : tile<f32>
    %reshape_80 = reshape %33 : tile<f32> -> tile<1xf32>
    %bcast_81 = broadcast %reshape_80 : tile<1xf32> -> tile<16xf32>
    %34 = subf %32, %bcast_81  : tile<16xf32>
    %35 = exp %34  : tile<16xf32>
    %36 = subf %arg43, %33  : tile<f32>
    %37 = exp %36  : tile<f32>
    %reduce_82 = reduce %35 dim=0 identities=[0.000000e+00 : f32] : tile<16xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %42 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %42 : tile<f32>
    }
    %38 = fma %arg44, %37, %reduce_82  : tile<f32>
    %reshape_83 = reshape %37 : tile<f32> -> tile<1x1xf32>
    %bcast_84 = broadcast %reshape_83 : tile<1x1xf32> -> tile<1x64xf32>
    %reshape_85 = reshape %35 : tile<16xf32> -> tile<16x1xf32>
    %bcast_86 = broadcast %reshape_85 : tile<16x1xf32> -> tile<16x64xf32>
    %39 = mulf %bcast_86, %27  : tile<16x64xf32>
    %reduce_87 = reduce %39 dim=0 identities=[0.000000e+00 : f32] : tile<16x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %42 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %42 : tile<f32>
    }
    %reshape_88 = reshape %reduce_87 : tile<64xf32> -> tile<1x64xf32>
    %40 = fma %arg42, %bcast_84, %reshape_88  : tile<1x64xf32>
    %41 = addi %assume_67, %cst_16_i32 : tile<i32>
    continue %41, %40, %33, %38 : tile<i32>, tile<1x64xf32>, tile<f32>, tile<f32>
  }
  %cst_0_i32_62 = constant <i32: 0> : tile<i32>
  %reshape_63 = reshape %14#3 : tile<f32> -> tile<1x1xf32>
  %bcast_64 = broadcast %reshape_63 : tile<1x1xf32> -> tile<1x64xf32>
  %15 = divf %14#1, %bcast_64  : tile<1x64xf32>
  %reshape_65 = reshape %15 : tile<1x64xf32> -> tile<1x1x64xf32>
  %16 = ftof %reshape_65  : tile<1x1x64xf32> -> tile<1x1x64xf16>
  %pview_66 = make_partition_view %tview_39 : partition_view<tile=(1x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %17 = store_view_tko weak %16, %pview_66[%blockId_y_41, %blockId_x, %cst_0_i32_62] token = %0 : tile<1x1x64xf16>, partition_view<tile=(1x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
