entry @convolution(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<f16>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg14 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg17 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<32xi32>
  %cst_1_i64 = constant <i64: 1> : tile<32x32xi64>
  %cst_1_i64_4 = constant <i64: 1> : tile<32x32xi64>
  %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview = make_tensor_view %assume_1, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_16 = assume bounded<0, ?>, %arg18 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_21 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_22 = assume bounded<0, ?>, %arg24 : tile<i32>
  %tview_23 = make_tensor_view %assume_2, shape = [%assume_16, %assume_17, %assume_18, %assume_19], strides = [%assume_20, %assume_21, %assume_22, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %cst_32_i32 = constant <i32: 32> : tile<i32>
  %cst_32_i32_24 = constant <i32: 32> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_25, %blockId_y_26, %blockId_z_27 = get_tile_block_id : tile<i32>
  %blockId_x_28, %blockId_y_29, %blockId_z_30 = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_32_i32 : tile<i32>
  %2 = iota : tile<32xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<32xi32>
  %3 = addi %bcast, %2 : tile<32xi32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
  %cst_9_i32 = constant <i32: 9> : tile<i32>
  %cst_0_i32_31 = constant <i32: 0> : tile<i32>
  %cst_1_i32_32 = constant <i32: 1> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %cst_3_i32_33 = constant <i32: 3> : tile<i32>
  %cst_0_i32_34 = constant <i32: 0> : tile<i32>
  %false = constant <i1: false> : tile<i1>
  %4 = muli %blockId_y_26, %arg26 : tile<i32>
  %reshape_35 = reshape %arg26 : tile<i32> -> tile<1xi32>
  %bcast_36 = broadcast %reshape_35 : tile<1xi32> -> tile<32xi32>
  %5 = muli %3, %bcast_36 : tile<32xi32>
  %reshape_37 = reshape %arg27 : tile<i32> -> tile<1xi32>
  %bcast_38 = broadcast %reshape_37 : tile<1xi32> -> tile<32xi32>
  %cst_0_i32_39 = constant <i32: 0> : tile<i32>
  %reshape_40 = reshape %assume_7 : tile<i32> -> tile<1xi32>
  %bcast_41 = broadcast %reshape_40 : tile<1xi32> -> tile<32xi32>
  %cst_0_i32_42 = constant <i32: 0> : tile<i32>
  %6 = iota : tile<32xi32>
  %7 = exti %blockId_z_30 signed : tile<i32> -> tile<i64>
  %reshape_43 = reshape %7 : tile<i64> -> tile<1x1xi64>
  %bcast_44 = broadcast %reshape_43 : tile<1x1xi64> -> tile<32x32xi64>
  %8 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %reshape_45 = reshape %8 : tile<i64> -> tile<1x1xi64>
  %bcast_46 = broadcast %reshape_45 : tile<1x1xi64> -> tile<32x32xi64>
  %9 = cmpi less_than %bcast_44, %bcast_46, unsigned : tile<32x32xi64> -> tile<32x32xi1>
  %10 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_47 = reshape %10 : tile<i64> -> tile<1x1xi64>
  %bcast_48 = broadcast %reshape_47 : tile<1x1xi64> -> tile<32x32xi64>
  %11 = muli %bcast_44, %bcast_48 : tile<32x32xi64>
  %12 = exti %assume_6 signed : tile<i32> -> tile<i64>
  %reshape_49 = reshape %12 : tile<i64> -> tile<1x1xi64>
  %bcast_50 = broadcast %reshape_49 : tile<1x1xi64> -> tile<32x32xi64>
  %13 = exti %assume_10 signed : tile<i32> -> tile<i64>
  %reshape_51 = reshape %13 : tile<i64> -> tile<1x1xi64>
  %bcast_52 = broadcast %reshape_51 : tile<1x1xi64> -> tile<32x32xi64>
  %14 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %reshape_53 = reshape %14 : tile<i64> -> tile<1x1xi64>
  %bcast_54 = broadcast %reshape_53 : tile<1x1xi64> -> tile<32x32xi64>
  %15 = exti %assume_11 signed : tile<i32> -> tile<i64>
  %reshape_55 = reshape %15 : tile<i64> -> tile<1x1xi64>
  %bcast_56 = broadcast %reshape_55 : tile<1x1xi64> -> tile<32x32xi64>
  %16 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_57 = reshape %16 : tile<i64> -> tile<1x1xi64>
  %bcast_58 = broadcast %reshape_57 : tile<1x1xi64> -> tile<32x32xi64>
  %reshape_59 = reshape %assume : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %bcast_60 = broadcast %reshape_59 : tile<1x1xptr<f16>> -> tile<32x32xptr<f16>>
  %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
  %reshape_61 = reshape %cst_0_f16 : tile<f16> -> tile<1x1xf16>
  %bcast_62 = broadcast %reshape_61 : tile<1x1xf16> -> tile<32x32xf16>
  %17 = iota : tile<32xi32>
  %reshape_63 = reshape %17 : tile<32xi32> -> tile<1x32xi32>
  %18 = exti %assume_12 signed : tile<i32> -> tile<i64>
  %reshape_64 = reshape %18 : tile<i64> -> tile<1x1xi64>
  %bcast_65 = broadcast %reshape_64 : tile<1x1xi64> -> tile<32x32xi64>
  %19 = exti %assume_14 signed : tile<i32> -> tile<i64>
  %reshape_66 = reshape %19 : tile<i64> -> tile<1x1xi64>
  %bcast_67 = broadcast %reshape_66 : tile<1x1xi64> -> tile<32x32xi64>
  %20 = exti %reshape_63 signed : tile<1x32xi32> -> tile<1x32xi64>
  %bcast_68 = broadcast %20 : tile<1x32xi64> -> tile<32x32xi64>
  %21 = exti %assume_13 signed : tile<i32> -> tile<i64>
  %reshape_69 = reshape %21 : tile<i64> -> tile<1x1xi64>
  %bcast_70 = broadcast %reshape_69 : tile<1x1xi64> -> tile<32x32xi64>
  %22 = cmpi less_than %bcast_68, %bcast_70, unsigned : tile<32x32xi64> -> tile<32x32xi1>
  %23 = muli %bcast_68, %cst_1_i64_4 : tile<32x32xi64>
  %reshape_71 = reshape %assume_0 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %bcast_72 = broadcast %reshape_71 : tile<1x1xptr<f16>> -> tile<32x32xptr<f16>>
  %cst_0_f16_73 = constant <f16: 0.000000e+00> : tile<f16>
  %reshape_74 = reshape %cst_0_f16_73 : tile<f16> -> tile<1x1xf16>
  %bcast_75 = broadcast %reshape_74 : tile<1x1xf16> -> tile<32x32xf16>
  %for = for %loopIdx in (%cst_0_i32_31 to %cst_9_i32, step %cst_1_i32_32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x32xf32>) {
    %29 = divi %loopIdx, %cst_3_i32 signed rounding<negative_inf> : tile<i32>
    %30 = remi %loopIdx, %cst_3_i32_33 signed : tile<i32>
    %31 = cmpi less_than %30, %cst_0_i32_34, signed : tile<i32> -> tile<i1>
    %32 = xori %31, %false : tile<i1>
    %33 = cmpi not_equal %30, %cst_0_i32_34, signed : tile<i32> -> tile<i1>
    %34 = andi %32, %33 : tile<i1>
    %35 = addi %30, %cst_3_i32_33 : tile<i32>
    %36 = select %34, %35, %30 : tile<i1>, tile<i32>
    %37 = addi %4, %29 : tile<i32>
    %38 = subi %37, %arg27 : tile<i32>
    %reshape_85 = reshape %36 : tile<i32> -> tile<1xi32>
    %bcast_86 = broadcast %reshape_85 : tile<1xi32> -> tile<32xi32>
    %39 = addi %5, %bcast_86 : tile<32xi32>
    %40 = subi %39, %bcast_38 : tile<32xi32>
    %41 = cmpi less_than %38, %cst_0_i32_39, signed : tile<i32> -> tile<i1>
    %42 = if %41 -> (tile<i1>) {
      yield %41 : tile<i1>
    } else {
      %57 = cmpi greater_than_or_equal %38, %assume_6, signed : tile<i32> -> tile<i1>
      yield %57 : tile<i1>
    }
    if %42 {
      continue %iterArg0 : tile<32x32xf32>
    } else {
    }
    %43 = cmpi greater_than_or_equal %40, %cst_0_i32, signed : tile<32xi32> -> tile<32xi1>
    %44 = cmpi less_than %40, %bcast_41, signed : tile<32xi32> -> tile<32xi1>
    %45 = andi %43, %44 : tile<32xi1>
    %reshape_87 = reshape %45 : tile<32xi1> -> tile<32x1xi1>
    %reshape_88 = reshape %40 : tile<32xi32> -> tile<32x1xi32>
    %46 = exti %38 signed : tile<i32> -> tile<i64>
    %reshape_89 = reshape %46 : tile<i64> -> tile<1x1xi64>
    %bcast_90 = broadcast %reshape_89 : tile<1x1xi64> -> tile<32x32xi64>
    %47 = cmpi less_than %bcast_90, %bcast_50, unsigned : tile<32x32xi64> -> tile<32x32xi1>
    %48 = andi %9, %47 : tile<32x32xi1>
    %49 = muli %bcast_90, %bcast_52 : tile<32x32xi64>
    %50 = addi %11, %49 : tile<32x32xi64>
    %51 = exti %reshape_88 signed : tile<32x1xi32> -> tile<32x1xi64>
    %bcast_91 = broadcast %51 : tile<32x1xi64> -> tile<32x32xi64>
    %52 = cmpi less_than %bcast_91, %bcast_54, unsigned : tile<32x32xi64> -> tile<32x32xi1>
    %53 = andi %48, %52 : tile<32x32xi1>
    %54 = muli %bcast_91, %bcast_56 : tile<32x32xi64>
    %55 = addi %50, %54 : tile<32x32xi64>
    %bcast_92 = broadcast %reshape_87 : tile<32x1xi1> -> tile<32x32xi1>
    %56 = muli %loopIdx, %assume_8 : tile<i32>
    %reshape_93 = reshape %56 : tile<i32> -> tile<1x1xi32>
    %bcast_94 = broadcast %reshape_93 : tile<1x1xi32> -> tile<32x1xi32>
    %for_95 = for %loopIdx_96 in (%cst_0_i32_42 to %assume_8, step %cst_32_i32_24) : tile<i32> iter_values(%iterArg0_97 = %iterArg0) -> (tile<32x32xf32>) {
      %reshape_98 = reshape %loopIdx_96 : tile<i32> -> tile<1xi32>
      %bcast_99 = broadcast %reshape_98 : tile<1xi32> -> tile<32xi32>
      %57 = addi %bcast_99, %6 : tile<32xi32>
      %reshape_100 = reshape %57 : tile<32xi32> -> tile<1x32xi32>
      %58 = exti %reshape_100 signed : tile<1x32xi32> -> tile<1x32xi64>
      %bcast_101 = broadcast %58 : tile<1x32xi64> -> tile<32x32xi64>
      %59 = cmpi less_than %bcast_101, %bcast_58, unsigned : tile<32x32xi64> -> tile<32x32xi1>
      %60 = andi %53, %59 : tile<32x32xi1>
      %61 = muli %bcast_101, %cst_1_i64 : tile<32x32xi64>
      %62 = addi %55, %61 : tile<32x32xi64>
      %63 = offset %bcast_60, %62 : tile<32x32xptr<f16>>, tile<32x32xi64> -> tile<32x32xptr<f16>>
      %64 = andi %60, %bcast_92 : tile<32x32xi1>
      %result, %result_token_102 = load_ptr_tko weak %63, %64, %bcast_62 token=%0 : tile<32x32xptr<f16>>, tile<32x32xi1>, tile<32x32xf16> -> tile<32x32xf16>, token
      %reshape_103 = reshape %57 : tile<32xi32> -> tile<32x1xi32>
      %65 = addi %bcast_94, %reshape_103 : tile<32x1xi32>
      %66 = exti %65 signed : tile<32x1xi32> -> tile<32x1xi64>
      %bcast_104 = broadcast %66 : tile<32x1xi64> -> tile<32x32xi64>
      %67 = cmpi less_than %bcast_104, %bcast_65, unsigned : tile<32x32xi64> -> tile<32x32xi1>
      %68 = muli %bcast_104, %bcast_67 : tile<32x32xi64>
      %69 = andi %67, %22 : tile<32x32xi1>
      %70 = addi %68, %23 : tile<32x32xi64>
      %71 = offset %bcast_72, %70 : tile<32x32xptr<f16>>, tile<32x32xi64> -> tile<32x32xptr<f16>>
      %result_105, %result_token_106 = load_ptr_tko weak %71, %69, %bcast_75 token=%0 : tile<32x32xptr<f16>>, tile<32x32xi1>, tile<32x32xf16> -> tile<32x32xf16>, token
      %72 = mmaf %result, %result_105, %iterArg0_97 : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>
      continue %72 : tile<32x32xf32>
    }
    continue %for_95 : tile<32x32xf32>
  }
  %cst_0_i32_76 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32_76] token = %0 : partition_view<tile=(32), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<32xf16>, token
  %24 = ftof %tile  : tile<32xf16> -> tile<32xf32>
  %reshape_77 = reshape %24 : tile<32xf32> -> tile<1x32xf32>
  %bcast_78 = broadcast %reshape_77 : tile<1x32xf32> -> tile<32x32xf32>
  %25 = addf %for, %bcast_78  : tile<32x32xf32>
  %cst_0_i32_79 = constant <i32: 0> : tile<i32>
  %cst_0_f32_80 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_81 = reshape %cst_0_f32_80 : tile<f32> -> tile<1x1xf32>
  %bcast_82 = broadcast %reshape_81 : tile<1x1xf32> -> tile<32x32xf32>
  %26 = maxf %25, %bcast_82 : tile<32x32xf32>
  %reshape_83 = reshape %26 : tile<32x32xf32> -> tile<1x1x32x32xf32>
  %27 = ftof %reshape_83  : tile<1x1x32x32xf32> -> tile<1x1x32x32xf16>
  %pview_84 = make_partition_view %tview_23 : partition_view<tile=(1x1x32x32), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %28 = store_view_tko weak %27, %pview_84[%blockId_z_30, %blockId_y_26, %blockId_x, %cst_0_i32_79] token = %0 : tile<1x1x32x32xf16>, partition_view<tile=(1x1x32x32), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> token
  return
}
