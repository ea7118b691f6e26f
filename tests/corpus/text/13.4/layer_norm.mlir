entry @layer_norm(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f16>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f32>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<f16>>
  %assume_3 = assume div_by<16>, %arg16 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg19 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11], strides = [%assume_12, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_14 = make_tensor_view %assume_0, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_16 = make_tensor_view %assume_1, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg14 : tile<i32>
  %tview_20 = make_tensor_view %assume_2, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_21 = assume bounded<0, ?>, %arg17 : tile<i32>
  %tview_22 = make_tensor_view %assume_3, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_23 = assume bounded<0, ?>, %arg20 : tile<i32>
  %tview_24 = make_tensor_view %assume_4, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1024), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<1x1024xf16>, token
  %1 = ftof %tile  : tile<1x1024xf16> -> tile<1x1024xf32>
  %reduce = reduce %1 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %21 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %21 : tile<f32>
  }
  %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %2 = itof %assume_11 signed  : tile<i32> -> tile<f32>
  %reshape_25 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %3 = divf %reshape, %reshape_25  : tile<1x1xf32>
  %4 = iota : tile<1024xi32>
  %reshape_26 = reshape %4 : tile<1024xi32> -> tile<1x1024xi32>
  %reshape_27 = reshape %assume_11 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_27 : tile<1x1xi32> -> tile<1x1024xi32>
  %5 = cmpi less_than %reshape_26, %bcast, signed : tile<1x1024xi32> -> tile<1x1024xi1>
  %bcast_28 = broadcast %3 : tile<1x1xf32> -> tile<1x1024xf32>
  %6 = subf %1, %bcast_28  : tile<1x1024xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_29 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_30 = broadcast %reshape_29 : tile<1x1xf32> -> tile<1x1024xf32>
  %7 = select %5, %6, %bcast_30 : tile<1x1024xi1>, tile<1x1024xf32>
  %8 = mulf %7, %7  : tile<1x1024xf32>
  %reduce_31 = reduce %8 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %21 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %21 : tile<f32>
  }
  %reshape_32 = reshape %reduce_31 : tile<1xf32> -> tile<1x1xf32>
  %9 = itof %assume_11 signed  : tile<i32> -> tile<f32>
  %reshape_33 = reshape %9 : tile<f32> -> tile<1x1xf32>
  %10 = divf %reshape_32, %reshape_33  : tile<1x1xf32>
  %reshape_34 = reshape %arg22 : tile<f32> -> tile<1x1xf32>
  %11 = addf %10, %reshape_34  : tile<1x1xf32>
  %12 = rsqrt %11 : tile<1x1xf32>
  %cst_0_i32_35 = constant <i32: 0> : tile<i32>
  %pview_36 = make_partition_view %tview_14 : partition_view<tile=(1024), tensor_view<?xf16, strides=[1]>>
  %tile_37, %result_token_38 = load_view_tko weak %pview_36[%cst_0_i32_35] token = %0 : partition_view<tile=(1024), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<1024xf16>, token
  %13 = ftof %tile_37  : tile<1024xf16> -> tile<1024xf32>
  %cst_0_i32_39 = constant <i32: 0> : tile<i32>
  %pview_40 = make_partition_view %tview_16 : partition_view<tile=(1024), tensor_view<?xf16, strides=[1]>>
  %tile_41, %result_token_42 = load_view_tko weak %pview_40[%cst_0_i32_39] token = %0 : partition_view<tile=(1024), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<1024xf16>, token
  %14 = ftof %tile_41  : tile<1024xf16> -> tile<1024xf32>
  %cst_0_i32_43 = constant <i32: 0> : tile<i32>
  %bcast_44 = broadcast %12 : tile<1x1xf32> -> tile<1x1024xf32>
  %15 = mulf %7, %bcast_44  : tile<1x1024xf32>
  %reshape_45 = reshape %13 : tile<1024xf32> -> tile<1x1024xf32>
  %reshape_46 = reshape %14 : tile<1024xf32> -> tile<1x1024xf32>
  %16 = fma %15, %reshape_45, %reshape_46  : tile<1x1024xf32>
  %17 = ftof %16  : tile<1x1024xf32> -> tile<1x1024xf16>
  %pview_47 = make_partition_view %tview_20 : partition_view<tile=(1x1024), tensor_view<?x?xf16, strides=[?,1]>>
  %18 = store_view_tko weak %17, %pview_47[%blockId_x, %cst_0_i32_43] token = %0 : tile<1x1024xf16>, partition_view<tile=(1x1024), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  %reshape_48 = reshape %3 : tile<1x1xf32> -> tile<1xf32>
  %pview_49 = make_partition_view %tview_22 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %19 = store_view_tko weak %reshape_48, %pview_49[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %reshape_50 = reshape %12 : tile<1x1xf32> -> tile<1xf32>
  %pview_51 = make_partition_view %tview_24 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %20 = store_view_tko weak %reshape_50, %pview_51[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
