global  @print_mutex <i32: 1> : tile<1xi32>
entry @prints(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<f64>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %1 = join_tokens %0, %result_token : token
  %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %2 = join_tokens %0, %1 : token
  %3 = get_global @print_mutex : tile<ptr<i32>>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %3, %cst_1_i32_8, %cst_0_i32 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %23 = cmpi equal %result_32, %cst_1_i32_8, unsigned : tile<i32> -> tile<i1>
    if %23 {
      break
    } else {
    }
  }
  %4 = print_tko "block %d of %d, 100%%\0A", %blockId_x_5, %gridSize_x : tile<i32>, tile<i32> -> token
  %5 = make_token : token
  %result, %result_token_9 = atomic_rmw_tko acq_rel device %3, xchg, %cst_1_i32_8 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %blockId_x_10, %blockId_y_11, %blockId_z_12 = get_tile_block_id : tile<i32>
  %pview_13 = make_partition_view %tview_4 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>
  %6 = join_tokens %0, %5 : token
  %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x_10] token = %6 : partition_view<tile=(8), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<8xi64>, token
  %7 = join_tokens %0, %result_token_15 : token
  %8 = join_tokens %5, %1, %7 : token
  %9 = get_global @print_mutex : tile<ptr<i32>>
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %9, %cst_1_i32_17, %cst_0_i32_16 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %23 = cmpi equal %result_32, %cst_1_i32_17, unsigned : tile<i32> -> tile<i1>
    if %23 {
      break
    } else {
    }
  }
  %10 = print_tko "x = %8.3f y = %lld\0A", %tile, %tile_14 : tile<8xf32>, tile<8xi64> -> token
  %11 = make_token : token
  %result_18, %result_token_19 = atomic_rmw_tko acq_rel device %9, xchg, %cst_1_i32_17 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %12 = join_tokens %11, %1, %7 : token
  %13 = get_global @print_mutex : tile<ptr<i32>>
  %cst_0_i32_20 = constant <i32: 0> : tile<i32>
  %cst_1_i32_21 = constant <i32: 1> : tile<i32>
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %13, %cst_1_i32_21, %cst_0_i32_20 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %23 = cmpi equal %result_32, %cst_1_i32_21, unsigned : tile<i32> -> tile<i1>
    if %23 {
      break
    } else {
    }
  }
  %14 = print_tko "count: %d: ratio: %lf\0A", %arg6, %arg7 : tile<i32>, tile<f64> -> token
  %15 = make_token : token
  %result_22, %result_token_23 = atomic_rmw_tko acq_rel device %13, xchg, %cst_1_i32_21 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %23 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %23 : tile<f32>
  }
  %16 = join_tokens %15, %1, %7 : token
  %17 = get_global @print_mutex : tile<ptr<i32>>
  %cst_0_i32_24 = constant <i32: 0> : tile<i32>
  %cst_1_i32_25 = constant <i32: 1> : tile<i32>
  loop {
    %result_32, %result_token_33 = atomic_cas_tko acq_rel device %17, %cst_1_i32_25, %cst_0_i32_24 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %23 = cmpi equal %result_32, %cst_1_i32_25, unsigned : tile<i32> -> tile<i1>
    if %23 {
      break
    } else {
    }
  }
  %18 = print_tko "sum %.2f \22quoted\22\09and %x", %reduce, %arg6 : tile<f32>, tile<i32> -> token
  %19 = make_token : token
  %result_26, %result_token_27 = atomic_rmw_tko acq_rel device %17, xchg, %cst_1_i32_25 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %blockId_x_28, %blockId_y_29, %blockId_z_30 = get_tile_block_id : tile<i32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32>
  %20 = addf %tile, %bcast  : tile<8xf32>
  %pview_31 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %21 = join_tokens %1, %19 : token
  %22 = store_view_tko weak %20, %pview_31[%blockId_x_28] token = %21 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
