entry @attention_forward(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<f16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<ptr<f16>>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<i32>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg9 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg18 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg27 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8, %assume_9], strides = [%assume_10, %assume_11, %assume_12, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_14 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
  %tview_20 = make_tensor_view %assume_0, shape = [%assume_13, %assume_14, %assume_15, %assume_16], strides = [%assume_17, %assume_18, %assume_19, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %assume_21 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_22 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_23 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_24 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_26 = assume bounded<0, ?>, %arg24 : tile<i32>
  %assume_27 = assume bounded<0, ?>, %arg25 : tile<i32>
  %tview_28 = make_tensor_view %assume_1, shape = [%assume_21, %assume_22, %assume_23, %assume_24], strides = [%assume_25, %assume_26, %assume_27, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %assume_29 = assume bounded<0, ?>, %arg28 : tile<i32>
  %assume_30 = assume bounded<0, ?>, %arg29 : tile<i32>
  %assume_31 = assume bounded<0, ?>, %arg30 : tile<i32>
  %assume_32 = assume bounded<0, ?>, %arg31 : tile<i32>
  %assume_33 = assume bounded<0, ?>, %arg32 : tile<i32>
  %assume_34 = assume bounded<0, ?>, %arg33 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg34 : tile<i32>
  %tview_36 = make_tensor_view %assume_2, shape = [%assume_29, %assume_30, %assume_31, %assume_32], strides = [%assume_33, %assume_34, %assume_35, 1] : tile<i32> -> tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_37, %blockId_y_38, %blockId_z_39 = get_tile_block_id : tile<i32>
  %blockId_x_40, %blockId_y_41, %blockId_z_42 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_z_42, %blockId_y_38, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x64x64xf16>, token
  %reshape = reshape %tile : tile<1x1x64x64xf16> -> tile<64x64xf16>
  %cst_f32 = constant <f32: 0xFF800000> : tile<64x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x1xf32>
  %cst_0_f32_43 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %pview_44 = make_partition_view %tview_20 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %1:4 = get_index_space_shape %pview_44 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>> -> tile<i32>
  %cst_0_i32_45 = constant <i32: 0> : tile<i32>
  %cst_1_i32_46 = constant <i32: 1> : tile<i32>
  %cst_0_i32_47 = constant <i32: 0> : tile<i32>
  %pview_48 = make_partition_view %tview_20 : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>, dim_map=[0, 1, 3, 2]>
  %cst_0_f32_49 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %cst_f32_50 = constant <f32: 1.44269502> : tile<f32>
  %2 = mulf %arg36, %cst_f32_50  : tile<f32>
  %reshape_51 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape_51 : tile<1x1xf32> -> tile<64x1xf32>
  %cst_f32_52 = constant <f32: 1.44269502> : tile<f32>
  %3 = mulf %arg36, %cst_f32_52  : tile<f32>
  %reshape_53 = reshape %3 : tile<f32> -> tile<1x1xf32>
  %bcast_54 = broadcast %reshape_53 : tile<1x1xf32> -> tile<64x64xf32>
  %cst_0_i32_55 = constant <i32: 0> : tile<i32>
  %pview_56 = make_partition_view %tview_28 : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %for:3 = for %loopIdx in (%cst_0_i32_45 to %1#2, step %cst_1_i32_46) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_43, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>) {
    %tile_61, %result_token_62 = load_view_tko weak %pview_48[%blockId_z_42, %blockId_y_38, %cst_0_i32_47, %loopIdx] token = %0 optimization_hints = <default = {latency = 2}> : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>, dim_map=[0, 1, 3, 2]>, tile<i32> -> tile<1x1x64x64xf16>, token
    %reshape_63 = reshape %tile_61 : tile<1x1x64x64xf16> -> tile<64x64xf16>
    %7 = mmaf %reshape, %reshape_63, %cst_0_f32_49 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %reduce = reduce %7 dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %19 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %19 : tile<f32>
    }
    %reshape_64 = reshape %reduce : tile<64xf32> -> tile<64x1xf32>
    %8 = mulf %reshape_64, %bcast  : tile<64x1xf32>
    %9 = maxf %iterArg1, %8 : tile<64x1xf32>
    %bcast_65 = broadcast %9 : tile<64x1xf32> -> tile<64x64xf32>
    %10 = negf %bcast_65 : tile<64x64xf32>
    %11 = fma %7, %bcast_54, %10  : tile<64x64xf32>
    %12 = exp2 %11 flush_to_zero : tile<64x64xf32>
    %13 = subf %iterArg1, %9  : tile<64x1xf32>
    %14 = exp2 %13 flush_to_zero : tile<64x1xf32>
    %reduce_66 = reduce %12 dim=1 identities=[0.000000e+00 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %19 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %19 : tile<f32>
    }
    %reshape_67 = reshape %reduce_66 : tile<64xf32> -> tile<64x1xf32>
    %15 = fma %iterArg2, %14, %reshape_67  : tile<64x1xf32>
    %tile_68, %result_token_69 = load_view_tko weak %pview_56[%blockId_z_42, %blockId_y_38, %loopIdx, %cst_0_i32_55] token = %0 optimization_hints = <default = {latency = 4}> : partition_view<tile=(1x1x64x64), padding_value = zero, tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x1x64x64xf16>, token
    %16 = ftof %12  : tile<64x64xf32> -> tile<64x64xf16>
    %reshape_70 = reshape %tile_68 : tile<1x1x64x64xf16> -> tile<64x64xf16>
    %bcast_71 = broadcast %14 : tile<64x1xf32> -> tile<64x64xf32>
    %17 = mulf %iterArg0, %bcast_71  : tile<64x64xf32>
    %18 = mmaf %16, %reshape_70, %17 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    continue %18, %9, %15 : tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>
  }
  %bcast_57 = broadcast %for#2 : tile<64x1xf32> -> tile<64x64xf32>
  %4 = divf %for#0, %bcast_57 rounding<approx> flush_to_zero : tile<64x64xf32>
  %cst_0_i32_58 = constant <i32: 0> : tile<i32>
  %reshape_59 = reshape %4 : tile<64x64xf32> -> tile<1x1x64x64xf32>
  %5 = ftof %reshape_59  : tile<1x1x64x64xf32> -> tile<1x1x64x64xf16>
  %pview_60 = make_partition_view %tview_36 : partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>
  %6 = store_view_tko weak %5, %pview_60[%blockId_z_42, %blockId_y_38, %blockId_x, %cst_0_i32_58] token = %0 : tile<1x1x64x64xf16>, partition_view<tile=(1x1x64x64), tensor_view<?x?x?x?xf16, strides=[?,?,?,1]>>, tile<i32> -> token
  return
}
