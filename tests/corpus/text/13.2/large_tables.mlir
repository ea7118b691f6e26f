entry @large_tables(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i8>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i1>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<i32>>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i8>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f16>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i1>>
  %assume_3 = assume div_by<16>, %arg14 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_16 = make_tensor_view %assume_2, shape = [%assume_15], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
  %assume_17 = assume bounded<0, ?>, %arg15 : tile<i32>
  %tview_18 = make_tensor_view %assume_3, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_i32 = constant <i32: "0x83FFFFFF84FFFFFF87FFFFFF8CFFFFFF93FFFFFF9CFFFFFFA7FFFFFFB4FFFFFFC3FFFFFFD4FFFFFFE7FFFFFFFCFFFFFF130000002C000000470000006400000088FFFFFFA9FFFFFFCCFFFFFFF1FFFFFF18000000410000006C0000009EFFFFFFCDFFFFFFFEFFFFFF3100000066000000A2FFFFFFDBFFFFFF160000005300000097FFFFFFD8FFFFFF1B00000060000000ACFFFFFFF5FFFFFF4000000092FFFFFFE1FFFFFF320000008AFFFFFFDFFFFFFF3600000094FFFFFFEFFFFFFF4C000000B0FFFFFF1100000074000000DEFFFFFF45000000B3FFFFFF1E00000090FFFFFFFFFFFFFF70000000E8FFFFFF5D000000D9FFFFFF52000000D2FFFFFF4F000000D3FFFFFF54000000DCFFFFFF61000000EDFFFFFF760000000600000098FFFFFF27000000BDFFFFFF50000000EAFFFFFF86FFFFFF1F000000BFFFFFFF5C00000000000000A6FFFFFF49000000F3FFFFFF9FFFFFFF48000000F8FFFFFFAAFFFFFF590000000F000000C7FFFFFF7C00000038000000F6FFFFFFB6FFFFFF7300000037000000FDFFFFFFC5FFFFFF8FFFFFFF5600000024000000F4FFFFFFC6FFFFFF9AFFFFFF6B000000430000001D000000F9FFFFFFD7FFFFFFB7FFFFFF99FFFFFF780000005E00000046000000300000001C0000000A000000FAFFFFFFECFFFFFFE0FFFFFFD6FFFFFFCEFFFFFFC8FFFFFFC4FFFFFFC2FFFFFFC2FFFFFFC4FFFFFF"> : tile<128xi32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %1 = store_view_tko weak %cst_i32, %pview[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_19, %blockId_y_20, %blockId_z_21 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_i8 = constant <i8: "0x8384878C939CA7B4C3D4E7FC132C476488A9CCF118416C9ECDFE3166A2DB165397D81B60ACF54092E1328ADF3694EF4CB01174DE45B31E90FF70E85DD952D24FD354DC61ED76069827BD50EA861FBF5C00A649F39F48F8AA590FC77C38F6B67337FDC58F5624F4C69A6B431DF9D7B799785E46301C0AFAECE0D6CEC8C4C2C2C4"> : tile<8x16xi8>
  %pview_22 = make_partition_view %tview_12 : partition_view<tile=(8x16), tensor_view<?x?xi8, strides=[?,1]>>
  %2 = store_view_tko weak %cst_i8, %pview_22[%blockId_x_19, %cst_0_i32] token = %0 : tile<8x16xi8>, partition_view<tile=(8x16), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
  %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
  %cst_f16 = constant <f16: "0xD0D7C0D790D740D7D0D640D690D5C0D4A0D380D140CE00C4C04C80517054405680D770D580D280CB004E1054C05620D660D200C020526056E0D5A0D0804D305590D600D1C04E005640D580C90054E0D6C0CF405260D720D0C052C0D640CCC05400D5404C405740D05054D0D4804F00D700BC005700CED055E0D02055C0D1F054A0D1405580D01056C0CC6057004680D6E05030D4005580CDA0D7C04F10D4C0550000A0D5905480CA10D6805400C860D59055804B20D3C057005300C9A0D43057E05200C260D310D76055805000CA40D360D6B0563054404F00C720D190D470D68057E05560540052004F004900C600CD00D040D140D200D380D3C0D3C0D380D3"> : tile<128xf16>
  %pview_26 = make_partition_view %tview_14 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>
  %3 = store_view_tko weak %cst_f16, %pview_26[%blockId_x_23] token = %0 : tile<128xf16>, partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  %blockId_x_27, %blockId_y_28, %blockId_z_29 = get_tile_block_id : tile<i32>
  %cst_i1 = constant <i1: "0x0101000101000101010001010001010100010100010101000101000101010001010001010100010100010101000101000101010001010001010100010100010101000101000101010001010001010100010100010101000101000101010001010001010100010100010101000101000101010001010001010100010100010101"> : tile<128xi1>
  %pview_30 = make_partition_view %tview_16 : partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>
  %4 = store_view_tko weak %cst_i1, %pview_30[%blockId_x_27] token = %0 : tile<128xi1>, partition_view<tile=(128), tensor_view<?xi1, strides=[1]>>, tile<i32> -> token
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %cst_7_i32 = constant <i32: 7> : tile<4xi32>
  %pview_34 = make_partition_view %tview_18 : partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>
  %5 = store_view_tko weak %cst_7_i32, %pview_34[%blockId_x_31] token = %0 : tile<4xi32>, partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
