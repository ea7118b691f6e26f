entry @comparisons(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_5_i32 = constant <i32: 5> : tile<128xi32>
  %cst_-7_i32 = constant <i32: -7> : tile<128xi32>
  %cst_9_i32 = constant <i32: 9> : tile<128xi32>
  %cst_11_i32 = constant <i32: 11> : tile<128xi32>
  %cst_13_i32 = constant <i32: 13> : tile<128xi32>
  %cst_15_i32 = constant <i32: 15> : tile<128xi32>
  %cst_5_i32_6 = constant <i32: 5> : tile<128xi32>
  %cst_7_i32 = constant <i32: 7> : tile<128xi32>
  %cst_9_i32_7 = constant <i32: 9> : tile<128xi32>
  %cst_11_i32_8 = constant <i32: 11> : tile<128xi32>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_10 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_11 = make_tensor_view %assume_0, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_12 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_13 = make_tensor_view %assume_1, shape = [%assume_12], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_14 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_15 = make_tensor_view %assume_2, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %pview_16 = make_partition_view %tview_11 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %pview_19 = make_partition_view %tview_13 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile_20, %result_token_21 = load_view_tko weak %pview_19[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %1 = cmpi less_than %tile, %cst_5_i32, signed : tile<128xi32> -> tile<128xi1>
  %2 = exti %1 unsigned : tile<128xi1> -> tile<128xi32>
  %3 = cmpi less_than_or_equal %tile, %cst_-7_i32, signed : tile<128xi32> -> tile<128xi1>
  %4 = exti %3 unsigned : tile<128xi1> -> tile<128xi32>
  %5 = addi %2, %4 : tile<128xi32>
  %6 = cmpi greater_than %tile, %cst_9_i32, signed : tile<128xi32> -> tile<128xi1>
  %7 = exti %6 unsigned : tile<128xi1> -> tile<128xi32>
  %8 = addi %5, %7 : tile<128xi32>
  %9 = cmpi greater_than_or_equal %tile, %cst_11_i32, signed : tile<128xi32> -> tile<128xi1>
  %10 = exti %9 unsigned : tile<128xi1> -> tile<128xi32>
  %11 = addi %8, %10 : tile<128xi32>
  %12 = cmpi equal %tile, %cst_13_i32, signed : tile<128xi32> -> tile<128xi1>
  %13 = exti %12 unsigned : tile<128xi1> -> tile<128xi32>
  %14 = addi %11, %13 : tile<128xi32>
  %15 = cmpi not_equal %tile, %cst_15_i32, signed : tile<128xi32> -> tile<128xi1>
  %16 = exti %15 unsigned : tile<128xi1> -> tile<128xi32>
  %17 = addi %14, %16 : tile<128xi32>
  %18 = cmpi less_than %tile_17, %cst_5_i32_6, unsigned : tile<128xi32> -> tile<128xi1>
  %19 = exti %18 unsigned : tile<128xi1> -> tile<128xi32>
  %20 = cmpi less_than_or_equal %tile_17, %cst_7_i32, unsigned : tile<128xi32> -> tile<128xi1>
  %21 = exti %20 unsigned : tile<128xi1> -> tile<128xi32>
  %22 = addi %19, %21 : tile<128xi32>
  %23 = cmpi greater_than %tile_17, %cst_9_i32_7, unsigned : tile<128xi32> -> tile<128xi1>
  %24 = exti %23 unsigned : tile<128xi1> -> tile<128xi32>
  %25 = addi %22, %24 : tile<128xi32>
  %26 = cmpi greater_than_or_equal %tile_17, %cst_11_i32_8, unsigned : tile<128xi32> -> tile<128xi1>
  %27 = exti %26 unsigned : tile<128xi1> -> tile<128xi32>
  %28 = addi %25, %27 : tile<128xi32>
  %29 = addi %17, %28 : tile<128xi32>
  %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
  %reshape = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
  %30 = cmpf less_than ordered %tile_20, %bcast : tile<128xf32> -> tile<128xi1>
  %31 = exti %30 unsigned : tile<128xi1> -> tile<128xi32>
  %cst_f32_22 = constant <f32: 2.500000e-01> : tile<f32>
  %reshape_23 = reshape %cst_f32_22 : tile<f32> -> tile<1xf32>
  %bcast_24 = broadcast %reshape_23 : tile<1xf32> -> tile<128xf32>
  %32 = cmpf less_than_or_equal ordered %tile_20, %bcast_24 : tile<128xf32> -> tile<128xi1>
  %33 = exti %32 unsigned : tile<128xi1> -> tile<128xi32>
  %34 = addi %31, %33 : tile<128xi32>
  %cst_f32_25 = constant <f32: 1.500000e+00> : tile<f32>
  %reshape_26 = reshape %cst_f32_25 : tile<f32> -> tile<1xf32>
  %bcast_27 = broadcast %reshape_26 : tile<1xf32> -> tile<128xf32>
  %35 = cmpf greater_than ordered %tile_20, %bcast_27 : tile<128xf32> -> tile<128xi1>
  %36 = exti %35 unsigned : tile<128xi1> -> tile<128xi32>
  %37 = addi %34, %36 : tile<128xi32>
  %cst_f32_28 = constant <f32: 2.500000e+00> : tile<f32>
  %reshape_29 = reshape %cst_f32_28 : tile<f32> -> tile<1xf32>
  %bcast_30 = broadcast %reshape_29 : tile<1xf32> -> tile<128xf32>
  %38 = cmpf greater_than_or_equal ordered %tile_20, %bcast_30 : tile<128xf32> -> tile<128xi1>
  %39 = exti %38 unsigned : tile<128xi1> -> tile<128xi32>
  %40 = addi %37, %39 : tile<128xi32>
  %41 = addi %29, %40 : tile<128xi32>
  %cst_4_f32 = constant <f32: 4.000000e+00> : tile<f32>
  %reshape_31 = reshape %cst_4_f32 : tile<f32> -> tile<1xf32>
  %bcast_32 = broadcast %reshape_31 : tile<1xf32> -> tile<128xf32>
  %42 = cmpf equal ordered %tile_20, %bcast_32 : tile<128xf32> -> tile<128xi1>
  %43 = exti %42 unsigned : tile<128xi1> -> tile<128xi32>
  %cst_8_f32 = constant <f32: 8.000000e+00> : tile<f32>
  %reshape_33 = reshape %cst_8_f32 : tile<f32> -> tile<1xf32>
  %bcast_34 = broadcast %reshape_33 : tile<1xf32> -> tile<128xf32>
  %44 = cmpf not_equal unordered %tile_20, %bcast_34 : tile<128xf32> -> tile<128xi1>
  %45 = exti %44 unsigned : tile<128xi1> -> tile<128xi32>
  %46 = addi %43, %45 : tile<128xi32>
  %47 = cmpf not_equal unordered %tile_20, %tile_20 : tile<128xf32> -> tile<128xi1>
  %48 = exti %47 unsigned : tile<128xi1> -> tile<128xi32>
  %49 = addi %46, %48 : tile<128xi32>
  %50 = addi %41, %49 : tile<128xi32>
  %pview_35 = make_partition_view %tview_15 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %51 = store_view_tko weak %50, %pview_35[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
