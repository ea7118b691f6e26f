entry @selective_scan(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<ptr<f32>>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<ptr<f32>>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<i32>, %arg37: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg12 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg19 : tile<ptr<f32>>
  %assume_3 = assume div_by<16>, %arg26 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg33 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg5 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11, %assume_12], strides = [%assume_13, %assume_14, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %assume_15 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_18 = make_tensor_view %assume_0, shape = [%assume_15, %assume_16], strides = [%assume_17, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_19 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_21 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_22 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_23 = assume bounded<0, ?>, %arg17 : tile<i32>
  %tview_24 = make_tensor_view %assume_1, shape = [%assume_19, %assume_20, %assume_21], strides = [%assume_22, %assume_23, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %assume_25 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_26 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_27 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_28 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_29 = assume bounded<0, ?>, %arg24 : tile<i32>
  %tview_30 = make_tensor_view %assume_2, shape = [%assume_25, %assume_26, %assume_27], strides = [%assume_28, %assume_29, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %assume_31 = assume bounded<0, ?>, %arg27 : tile<i32>
  %assume_32 = assume bounded<0, ?>, %arg28 : tile<i32>
  %assume_33 = assume bounded<0, ?>, %arg29 : tile<i32>
  %assume_34 = assume bounded<0, ?>, %arg30 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg31 : tile<i32>
  %tview_36 = make_tensor_view %assume_3, shape = [%assume_31, %assume_32, %assume_33], strides = [%assume_34, %assume_35, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
  %assume_37 = assume bounded<0, ?>, %arg34 : tile<i32>
  %assume_38 = assume bounded<0, ?>, %arg35 : tile<i32>
  %assume_39 = assume bounded<0, ?>, %arg36 : tile<i32>
  %tview_40 = make_tensor_view %assume_4, shape = [%assume_37, %assume_38], strides = [%assume_39, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_41, %blockId_y_42, %blockId_z_43 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview_18 : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_y_42, %cst_0_i32] token = %0 : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
  %1 = exp %tile  : tile<8x16xf32>
  %2 = negf %1 : tile<8x16xf32>
  %cst_0_i32_44 = constant <i32: 0> : tile<i32>
  %pview_45 = make_partition_view %tview_40 : partition_view<tile=(1x8), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_46, %result_token_47 = load_view_tko weak %pview_45[%cst_0_i32_44, %blockId_y_42] token = %0 : partition_view<tile=(1x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x8xf32>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8x16xf32>
  %pview_48 = make_partition_view %tview_36 : partition_view<tile=(1x16x8), tensor_view<?x?x?xf32, strides=[?,?,1]>>
  %3:3 = get_index_space_shape %pview_48 : partition_view<tile=(1x16x8), tensor_view<?x?x?xf32, strides=[?,?,1]>> -> tile<i32>
  %cst_0_i32_49 = constant <i32: 0> : tile<i32>
  %cst_1_i32_50 = constant <i32: 1> : tile<i32>
  %cst_20_f32 = constant <f32: 2.000000e+01> : tile<f32>
  %reshape = reshape %cst_20_f32 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<16x8xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_51 = reshape %cst_1_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_52 = broadcast %reshape_51 : tile<1x1xf32> -> tile<16x8xf32>
  %cst_0_i32_53 = constant <i32: 0> : tile<i32>
  %cst_0_i32_54 = constant <i32: 0> : tile<i32>
  %reshape_55 = reshape %2 : tile<8x16xf32> -> tile<1x8x16xf32>
  %bcast_56 = broadcast %reshape_55 : tile<1x8x16xf32> -> tile<16x8x16xf32>
  %bcast_57 = broadcast %tile_46 : tile<1x8xf32> -> tile<16x8xf32>
  %cst_15_i32 = constant <i32: 15> : tile<i32>
  %cst_0_i32_58 = constant <i32: 0> : tile<i32>
  %cst_0_i32_59 = constant <i32: 0> : tile<i32>
  %for:3 = for %loopIdx in (%cst_0_i32_49 to %3#1, step %cst_1_i32_50) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %0, %iterArg2 = %0) -> (tile<8x16xf32>, token, token) {
    %pview_60 = make_partition_view %tview_36 : partition_view<tile=(1x16x8), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_61, %result_token_62 = load_view_tko weak %pview_60[%blockId_x, %loopIdx, %blockId_y_42] token = %iterArg2 : partition_view<tile=(1x16x8), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x8xf32>, token
    %4 = join_tokens %iterArg1, %result_token_62 : token
    %reshape_63 = reshape %tile_61 : tile<1x16x8xf32> -> tile<16x8xf32>
    %pview_64 = make_partition_view %tview : partition_view<tile=(1x16x8), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_65, %result_token_66 = load_view_tko weak %pview_64[%blockId_x, %loopIdx, %blockId_y_42] token = %0 : partition_view<tile=(1x16x8), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x8xf32>, token
    %reshape_67 = reshape %tile_65 : tile<1x16x8xf32> -> tile<16x8xf32>
    %5 = cmpf greater_than ordered %reshape_67, %bcast : tile<16x8xf32> -> tile<16x8xi1>
    %6 = exp %reshape_67  : tile<16x8xf32>
    %7 = addf %bcast_52, %6  : tile<16x8xf32>
    %8 = log %7 : tile<16x8xf32>
    %9 = select %5, %reshape_67, %8 : tile<16x8xi1>, tile<16x8xf32>
    %pview_68 = make_partition_view %tview_24 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_69, %result_token_70 = load_view_tko weak %pview_68[%blockId_x, %loopIdx, %cst_0_i32_53] token = %0 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %pview_71 = make_partition_view %tview_30 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_72, %result_token_73 = load_view_tko weak %pview_71[%blockId_x, %loopIdx, %cst_0_i32_54] token = %0 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_74 = reshape %9 : tile<16x8xf32> -> tile<16x8x1xf32>
    %bcast_75 = broadcast %reshape_74 : tile<16x8x1xf32> -> tile<16x8x16xf32>
    %10 = mulf %bcast_75, %bcast_56  : tile<16x8x16xf32>
    %11 = exp %10  : tile<16x8x16xf32>
    %12 = mulf %9, %reshape_63  : tile<16x8xf32>
    %reshape_76 = reshape %12 : tile<16x8xf32> -> tile<16x8x1xf32>
    %reshape_77 = reshape %tile_69 : tile<1x16x16xf32> -> tile<16x1x16xf32>
    %bcast_78 = broadcast %reshape_76 : tile<16x8x1xf32> -> tile<16x8x16xf32>
    %bcast_79 = broadcast %reshape_77 : tile<16x1x16xf32> -> tile<16x8x16xf32>
    %13 = mulf %bcast_78, %bcast_79  : tile<16x8x16xf32>
    %14:2 = scan %11, %13 dim=0 reverse=false identities=[1.000000e+00 : f32, 0.000000e+00 : f32] : tile<16x8x16xf32>, tile<16x8x16xf32> -> tile<16x8x16xf32>, tile<16x8x16xf32> 
    (%arg38: tile<f32>, %arg39: tile<f32>, %arg40: tile<f32>, %arg41: tile<f32>) {
      %20 = mulf %arg38, %arg39  : tile<f32>
      %21 = fma %arg39, %arg40, %arg41  : tile<f32>
      yield %20, %21 : tile<f32>, tile<f32>
    }
    %reshape_80 = reshape %iterArg0 : tile<8x16xf32> -> tile<1x8x16xf32>
    %bcast_81 = broadcast %reshape_80 : tile<1x8x16xf32> -> tile<16x8x16xf32>
    %15 = fma %14#0, %bcast_81, %14#1  : tile<16x8x16xf32>
    %reshape_82 = reshape %tile_72 : tile<1x16x16xf32> -> tile<16x1x16xf32>
    %bcast_83 = broadcast %reshape_82 : tile<16x1x16xf32> -> tile<16x8x16xf32>
    %16 = mulf %15, %bcast_83  : tile<16x8x16xf32>
    %reduce = reduce %16 dim=2 identities=[0.000000e+00 : f32] : tile<16x8x16xf32> -> tile<16x8xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %20 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %20 : tile<f32>
    }
    %17 = fma %reshape_63, %bcast_57, %reduce  : tile<16x8xf32>
    %reshape_84 = reshape %17 : tile<16x8xf32> -> tile<1x16x8xf32>
    %pview_85 = make_partition_view %tview_36 : partition_view<tile=(1x16x8), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %18 = store_view_tko weak %reshape_84, %pview_85[%blockId_x, %loopIdx, %blockId_y_42] token = %4 : tile<1x16x8xf32>, partition_view<tile=(1x16x8), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %19 = extract %15[%cst_15_i32, %cst_0_i32_58, %cst_0_i32_59] : tile<16x8x16xf32> -> tile<1x8x16xf32>
    %reshape_86 = reshape %19 : tile<1x8x16xf32> -> tile<8x16xf32>
    continue %reshape_86, %18, %18 : tile<8x16xf32>, token, token
  }
  return
}
