entry @persistent_matmul(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>) optimization_hints=<default = {num_cta_in_cga = 1}, sm_100 = {num_cta_in_cga = 2}, sm_90 = {num_cta_in_cga = 1}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<bf16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %cst_8_i32 = constant <i32: 8> : tile<i32>
  %1 = divi %assume_4, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
  %2 = divi %assume_8, %cst_256_i32 signed rounding<positive_inf> : tile<i32>
  %3 = divi %assume_5, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %4 = muli %cst_8_i32, %2 : tile<i32>
  %5 = muli %cst_8_i32, %2 : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %6 = cmpi less_than %5, %cst_0_i32, signed : tile<i32> -> tile<i1>
  %cst_0_i32_15 = constant <i32: 0> : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x256xf32>
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_19 = make_partition_view %tview_14 : partition_view<tile=(128x256), tensor_view<?x?xbf16, strides=[?,1]>>
  %for = for %loopIdx in (%blockId_x to %arg15, step %gridSize_x) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
    %7 = divi %loopIdx, %4 signed rounding<negative_inf> : tile<i32>
    %8 = muli %7, %cst_8_i32 : tile<i32>
    %9 = subi %1, %8 : tile<i32>
    %10 = mini %9, %cst_8_i32 signed : tile<i32>
    %11 = remi %loopIdx, %5 signed : tile<i32>
    %12 = cmpi less_than %11, %cst_0_i32, signed : tile<i32> -> tile<i1>
    %13 = xori %12, %6 : tile<i1>
    %14 = cmpi not_equal %11, %cst_0_i32, signed : tile<i32> -> tile<i1>
    %15 = andi %13, %14 : tile<i1>
    %16 = addi %11, %5 : tile<i32>
    %17 = select %15, %16, %11 : tile<i1>, tile<i32>
    %18 = remi %17, %10 signed : tile<i32>
    %19 = cmpi less_than %18, %cst_0_i32_15, signed : tile<i32> -> tile<i1>
    %20 = cmpi less_than %10, %cst_0_i32_15, signed : tile<i32> -> tile<i1>
    %21 = xori %19, %20 : tile<i1>
    %22 = cmpi not_equal %18, %cst_0_i32_15, signed : tile<i32> -> tile<i1>
    %23 = andi %21, %22 : tile<i1>
    %24 = addi %18, %10 : tile<i32>
    %25 = select %23, %24, %18 : tile<i1>, tile<i32>
    %26 = addi %8, %25 : tile<i32>
    %27 = divi %17, %10 signed rounding<negative_inf> : tile<i32>
    %for_20 = for %loopIdx_21 in (%cst_0_i32_16 to %3, step %cst_1_i32_17) : tile<i32> iter_values(%iterArg0_22 = %cst_0_f32) -> (tile<128x256xf32>) {
      %tile, %result_token = load_view_tko weak %pview[%26, %loopIdx_21] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<128x64xbf16>, token
      %tile_23, %result_token_24 = load_view_tko weak %pview_18[%loopIdx_21, %27] token = %0 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<64x256xbf16>, token
      %30 = mmaf %tile, %tile_23, %iterArg0_22 : tile<128x64xbf16>, tile<64x256xbf16>, tile<128x256xf32>
      continue %30 : tile<128x256xf32>
    }
    %28 = ftof %for_20  : tile<128x256xf32> -> tile<128x256xbf16>
    %29 = store_view_tko weak %28, %pview_19[%26, %27] token = %iterArg0 : tile<128x256xbf16>, partition_view<tile=(128x256), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
    continue %29 : token
  }
  return
}
