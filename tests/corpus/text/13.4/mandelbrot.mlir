entry @mandelbrot(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_1 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0, %assume_1], strides = [%assume_2, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %cst_64_i32_3 = constant <i32: 64> : tile<i32>
  %cst_32_i32 = constant <i32: 32> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_64_i32 : tile<i32>
  %2 = iota : tile<64xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>
  %3 = addi %bcast, %2 : tile<64xi32>
  %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
  %4 = muli %blockId_y_5, %cst_64_i32_3 : tile<i32>
  %5 = iota : tile<64xi32>
  %reshape_7 = reshape %4 : tile<i32> -> tile<1xi32>
  %bcast_8 = broadcast %reshape_7 : tile<1xi32> -> tile<64xi32>
  %6 = addi %bcast_8, %5 : tile<64xi32>
  %7 = itof %3 signed  : tile<64xi32> -> tile<64xf32>
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %8 = itof %assume_0 signed  : tile<i32> -> tile<f32>
  %9 = divf %cst_2_f32, %8  : tile<f32>
  %reshape_9 = reshape %9 : tile<f32> -> tile<1xf32>
  %bcast_10 = broadcast %reshape_9 : tile<1xf32> -> tile<64xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_11 = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast_12 = broadcast %reshape_11 : tile<1xf32> -> tile<64xf32>
  %10 = negf %bcast_12 : tile<64xf32>
  %11 = fma %7, %bcast_10, %10  : tile<64xf32>
  %reshape_13 = reshape %11 : tile<64xf32> -> tile<64x1xf32>
  %12 = itof %6 signed  : tile<64xi32> -> tile<64xf32>
  %cst_3_f32 = constant <f32: 3.000000e+00> : tile<f32>
  %13 = itof %assume_1 signed  : tile<i32> -> tile<f32>
  %14 = divf %cst_3_f32, %13  : tile<f32>
  %reshape_14 = reshape %14 : tile<f32> -> tile<1xf32>
  %bcast_15 = broadcast %reshape_14 : tile<1xf32> -> tile<64xf32>
  %cst_2_f32_16 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_17 = reshape %cst_2_f32_16 : tile<f32> -> tile<1xf32>
  %bcast_18 = broadcast %reshape_17 : tile<1xf32> -> tile<64xf32>
  %15 = negf %bcast_18 : tile<64xf32>
  %16 = fma %12, %bcast_15, %15  : tile<64xf32>
  %reshape_19 = reshape %16 : tile<64xf32> -> tile<1x64xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %cst_0_f32_20 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %cst_0_i32 = constant <i32: 0> : tile<64x64xi32>
  %cst_0_i32_21 = constant <i32: 0> : tile<i32>
  %cst_4_f32 = constant <f32: 4.000000e+00> : tile<f32>
  %reshape_22 = reshape %cst_4_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_23 = broadcast %reshape_22 : tile<1x1xf32> -> tile<64x64xf32>
  %cst_0_i32_24 = constant <i32: 0> : tile<i32>
  %bcast_25 = broadcast %reshape_19 : tile<1x64xf32> -> tile<64x64xf32>
  %cst_2_f32_26 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_27 = reshape %cst_2_f32_26 : tile<f32> -> tile<1x1xf32>
  %bcast_28 = broadcast %reshape_27 : tile<1x1xf32> -> tile<64x64xf32>
  %bcast_29 = broadcast %reshape_13 : tile<64x1xf32> -> tile<64x64xf32>
  %cst_1_i32_30 = constant <i32: 1> : tile<i32>
  %17:4 = loop iter_values(%arg5 = %cst_0_i32, %arg6 = %cst_0_i32_21, %arg7 = %cst_0_f32_20, %arg8 = %cst_0_f32) : tile<64x64xi32>, tile<i32>, tile<64x64xf32>, tile<64x64xf32> -> tile<64x64xi32>, tile<i32>, tile<64x64xf32>, tile<64x64xf32> {
    %19 = cmpi less_than %arg6, %cst_32_i32, signed : tile<i32> -> tile<i1>
    if %19 {
    } else {
      break %arg5, %arg6, %arg7, %arg8 : tile<64x64xi32>, tile<i32>, tile<64x64xf32>, tile<64x64xf32>
    }
    %20 = mulf %arg7, %arg7  : tile<64x64xf32>
    %21 = fma %arg8, %arg8, %20  : tile<64x64xf32>
    %22 = cmpf less_than ordered %21, %bcast_23 : tile<64x64xf32> -> tile<64x64xi1>
    %23 = exti %22 unsigned : tile<64x64xi1> -> tile<64x64xi32>
    %reduce = reduce %23 dim=0 identities=[0 : i32] : tile<64x64xi32> -> tile<64xi32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %36 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %36 : tile<i32>
    }
    %reduce_37 = reduce %reduce dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %36 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %36 : tile<i32>
    }
    %24 = cmpi equal %reduce_37, %cst_0_i32_24, signed : tile<i32> -> tile<i1>
    if %24 {
      break %arg5, %arg6, %arg7, %arg8 : tile<64x64xi32>, tile<i32>, tile<64x64xf32>, tile<64x64xf32>
    } else {
    }
    %25 = mulf %arg7, %arg7  : tile<64x64xf32>
    %26 = negf %25 : tile<64x64xf32>
    %27 = fma %arg8, %arg8, %26  : tile<64x64xf32>
    %28 = addf %27, %bcast_25  : tile<64x64xf32>
    %29 = select %22, %28, %arg8 : tile<64x64xi1>, tile<64x64xf32>
    %30 = mulf %bcast_28, %arg8  : tile<64x64xf32>
    %31 = fma %30, %arg7, %bcast_29  : tile<64x64xf32>
    %32 = select %22, %31, %arg7 : tile<64x64xi1>, tile<64x64xf32>
    %33 = exti %22 unsigned : tile<64x64xi1> -> tile<64x64xi32>
    %34 = addi %arg5, %33 : tile<64x64xi32>
    %35 = addi %arg6, %cst_1_i32_30 : tile<i32>
    continue %34, %35, %32, %29 : tile<64x64xi32>, tile<i32>, tile<64x64xf32>, tile<64x64xf32>
  }
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %blockId_x_34, %blockId_y_35, %blockId_z_36 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>
  %18 = store_view_tko weak %17#0, %pview[%blockId_x_31, %blockId_y_35] token = %0 : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
  return
}
