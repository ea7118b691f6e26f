entry @fp4_and_e8m0_constants(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %cst_f4E2M1FN = constant <f4E2M1FN: [0.000000e+00, 5.000000e-01, 1.000000e+00, -1.500000e+00, 2.000000e+00, -3.000000e+00, 4.000000e+00, 6.000000e+00]> : tile<8xf4E2M1FN>
  %cst_f8E8M0FNU = constant <f8E8M0FNU: [1.000000e+00, 2.000000e+00, 4.000000e+00, 5.000000e-01, 2.500000e-01, 8.000000e+00, 1.600000e+01, 1.250000e-01]> : tile<8xf8E8M0FNU>
  %cst_2_f8E8M0FNU = constant <f8E8M0FNU: 2.000000e+00> : tile<8xf8E8M0FNU>
  %1 = ftof %cst_2_f8E8M0FNU  : tile<8xf8E8M0FNU> -> tile<8xf32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %2 = ftof %cst_f4E2M1FN  : tile<8xf4E2M1FN> -> tile<8xf32>
  %3 = ftof %cst_f8E8M0FNU  : tile<8xf8E8M0FNU> -> tile<8xf32>
  %4 = mulf %2, %3  : tile<8xf32>
  %5 = mulf %4, %1  : tile<8xf32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %6 = store_view_tko weak %5, %pview[%blockId_x] token = %0 : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
