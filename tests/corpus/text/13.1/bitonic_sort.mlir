entry @bitonic_sort(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_2_i32 = constant <i32: 2> : tile<8xi32>
  %cst_0_i32 = constant <i32: 0> : tile<4x1x1xi32>
  %cst_4_i32 = constant <i32: 4> : tile<8xi32>
  %cst_0_i32_2 = constant <i32: 0> : tile<2x1x2xi32>
  %cst_4_i32_3 = constant <i32: 4> : tile<8xi32>
  %cst_0_i32_4 = constant <i32: 0> : tile<4x1x1xi32>
  %cst_8_i32 = constant <i32: 8> : tile<8xi32>
  %cst_0_i32_5 = constant <i32: 0> : tile<1x1x4xi32>
  %cst_8_i32_6 = constant <i32: 8> : tile<8xi32>
  %cst_0_i32_7 = constant <i32: 0> : tile<2x1x2xi32>
  %cst_8_i32_8 = constant <i32: 8> : tile<8xi32>
  %cst_0_i32_9 = constant <i32: 0> : tile<4x1x1xi32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %1 = join_tokens %0, %result_token : token
  %blockId_x_13, %blockId_y_14, %blockId_z_15 = get_tile_block_id : tile<i32>
  %pview_16 = make_partition_view %tview_12 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x_13] token = %0 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %2 = join_tokens %0, %result_token_18 : token
  %3 = iota : tile<8xi32>
  %reshape = reshape %tile : tile<8xi32> -> tile<4x2x1xi32>
  %reshape_19 = reshape %tile_17 : tile<8xi32> -> tile<4x2x1xi32>
  %4 = andi %3, %cst_2_i32 : tile<8xi32>
  %reshape_20 = reshape %4 : tile<8xi32> -> tile<4x2x1xi32>
  %cst_0_i32_21 = constant <i32: 0> : tile<i32>
  %cst_0_i32_22 = constant <i32: 0> : tile<i32>
  %cst_0_i32_23 = constant <i32: 0> : tile<i32>
  %5 = extract %reshape_20[%cst_0_i32_21, %cst_0_i32_22, %cst_0_i32_23] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %6 = cmpi not_equal %5, %cst_0_i32, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %cst_0_i32_24 = constant <i32: 0> : tile<i32>
  %cst_0_i32_25 = constant <i32: 0> : tile<i32>
  %cst_0_i32_26 = constant <i32: 0> : tile<i32>
  %7 = extract %reshape[%cst_0_i32_24, %cst_0_i32_25, %cst_0_i32_26] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_27 = constant <i32: 0> : tile<i32>
  %cst_1_i32_28 = constant <i32: 1> : tile<i32>
  %cst_0_i32_29 = constant <i32: 0> : tile<i32>
  %8 = extract %reshape[%cst_0_i32_27, %cst_1_i32_28, %cst_0_i32_29] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_30 = constant <i32: 0> : tile<i32>
  %cst_0_i32_31 = constant <i32: 0> : tile<i32>
  %cst_0_i32_32 = constant <i32: 0> : tile<i32>
  %9 = extract %reshape_19[%cst_0_i32_30, %cst_0_i32_31, %cst_0_i32_32] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_33 = constant <i32: 0> : tile<i32>
  %cst_1_i32_34 = constant <i32: 1> : tile<i32>
  %cst_0_i32_35 = constant <i32: 0> : tile<i32>
  %10 = extract %reshape_19[%cst_0_i32_33, %cst_1_i32_34, %cst_0_i32_35] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %11 = cmpi greater_than %7, %8, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %12 = xori %11, %6 : tile<4x1x1xi1>
  %13 = select %12, %8, %7 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %14 = select %12, %7, %8 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %15 = cat %13, %14 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %16 = select %12, %10, %9 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %17 = select %12, %9, %10 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %18 = cat %16, %17 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %reshape_36 = reshape %15 : tile<4x2x1xi32> -> tile<8xi32>
  %reshape_37 = reshape %18 : tile<4x2x1xi32> -> tile<8xi32>
  %reshape_38 = reshape %reshape_36 : tile<8xi32> -> tile<2x2x2xi32>
  %reshape_39 = reshape %reshape_37 : tile<8xi32> -> tile<2x2x2xi32>
  %19 = andi %3, %cst_4_i32 : tile<8xi32>
  %reshape_40 = reshape %19 : tile<8xi32> -> tile<2x2x2xi32>
  %cst_0_i32_41 = constant <i32: 0> : tile<i32>
  %cst_0_i32_42 = constant <i32: 0> : tile<i32>
  %cst_0_i32_43 = constant <i32: 0> : tile<i32>
  %20 = extract %reshape_40[%cst_0_i32_41, %cst_0_i32_42, %cst_0_i32_43] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %21 = cmpi not_equal %20, %cst_0_i32_2, signed : tile<2x1x2xi32> -> tile<2x1x2xi1>
  %cst_0_i32_44 = constant <i32: 0> : tile<i32>
  %cst_0_i32_45 = constant <i32: 0> : tile<i32>
  %cst_0_i32_46 = constant <i32: 0> : tile<i32>
  %22 = extract %reshape_38[%cst_0_i32_44, %cst_0_i32_45, %cst_0_i32_46] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_47 = constant <i32: 0> : tile<i32>
  %cst_1_i32_48 = constant <i32: 1> : tile<i32>
  %cst_0_i32_49 = constant <i32: 0> : tile<i32>
  %23 = extract %reshape_38[%cst_0_i32_47, %cst_1_i32_48, %cst_0_i32_49] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_50 = constant <i32: 0> : tile<i32>
  %cst_0_i32_51 = constant <i32: 0> : tile<i32>
  %cst_0_i32_52 = constant <i32: 0> : tile<i32>
  %24 = extract %reshape_39[%cst_0_i32_50, %cst_0_i32_51, %cst_0_i32_52] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_53 = constant <i32: 0> : tile<i32>
  %cst_1_i32_54 = constant <i32: 1> : tile<i32>
  %cst_0_i32_55 = constant <i32: 0> : tile<i32>
  %25 = extract %reshape_39[%cst_0_i32_53, %cst_1_i32_54, %cst_0_i32_55] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %26 = cmpi greater_than %22, %23, signed : tile<2x1x2xi32> -> tile<2x1x2xi1>
  %27 = xori %26, %21 : tile<2x1x2xi1>
  %28 = select %27, %23, %22 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %29 = select %27, %22, %23 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %30 = cat %28, %29 dim = 1 : tile<2x1x2xi32>, tile<2x1x2xi32> -> tile<2x2x2xi32>
  %31 = select %27, %25, %24 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %32 = select %27, %24, %25 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %33 = cat %31, %32 dim = 1 : tile<2x1x2xi32>, tile<2x1x2xi32> -> tile<2x2x2xi32>
  %reshape_56 = reshape %30 : tile<2x2x2xi32> -> tile<8xi32>
  %reshape_57 = reshape %33 : tile<2x2x2xi32> -> tile<8xi32>
  %reshape_58 = reshape %reshape_56 : tile<8xi32> -> tile<4x2x1xi32>
  %reshape_59 = reshape %reshape_57 : tile<8xi32> -> tile<4x2x1xi32>
  %34 = andi %3, %cst_4_i32_3 : tile<8xi32>
  %reshape_60 = reshape %34 : tile<8xi32> -> tile<4x2x1xi32>
  %cst_0_i32_61 = constant <i32: 0> : tile<i32>
  %cst_0_i32_62 = constant <i32: 0> : tile<i32>
  %cst_0_i32_63 = constant <i32: 0> : tile<i32>
  %35 = extract %reshape_60[%cst_0_i32_61, %cst_0_i32_62, %cst_0_i32_63] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %36 = cmpi not_equal %35, %cst_0_i32_4, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %cst_0_i32_64 = constant <i32: 0> : tile<i32>
  %cst_0_i32_65 = constant <i32: 0> : tile<i32>
  %cst_0_i32_66 = constant <i32: 0> : tile<i32>
  %37 = extract %reshape_58[%cst_0_i32_64, %cst_0_i32_65, %cst_0_i32_66] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_67 = constant <i32: 0> : tile<i32>
  %cst_1_i32_68 = constant <i32: 1> : tile<i32>
  %cst_0_i32_69 = constant <i32: 0> : tile<i32>
  %38 = extract %reshape_58[%cst_0_i32_67, %cst_1_i32_68, %cst_0_i32_69] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_70 = constant <i32: 0> : tile<i32>
  %cst_0_i32_71 = constant <i32: 0> : tile<i32>
  %cst_0_i32_72 = constant <i32: 0> : tile<i32>
  %39 = extract %reshape_59[%cst_0_i32_70, %cst_0_i32_71, %cst_0_i32_72] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_73 = constant <i32: 0> : tile<i32>
  %cst_1_i32_74 = constant <i32: 1> : tile<i32>
  %cst_0_i32_75 = constant <i32: 0> : tile<i32>
  %40 = extract %reshape_59[%cst_0_i32_73, %cst_1_i32_74, %cst_0_i32_75] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %41 = cmpi greater_than %37, %38, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %42 = xori %41, %36 : tile<4x1x1xi1>
  %43 = select %42, %38, %37 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %44 = select %42, %37, %38 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %45 = cat %43, %44 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %46 = select %42, %40, %39 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %47 = select %42, %39, %40 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %48 = cat %46, %47 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %reshape_76 = reshape %45 : tile<4x2x1xi32> -> tile<8xi32>
  %reshape_77 = reshape %48 : tile<4x2x1xi32> -> tile<8xi32>
  %reshape_78 = reshape %reshape_76 : tile<8xi32> -> tile<1x2x4xi32>
  %reshape_79 = reshape %reshape_77 : tile<8xi32> -> tile<1x2x4xi32>
  %49 = andi %3, %cst_8_i32 : tile<8xi32>
  %reshape_80 = reshape %49 : tile<8xi32> -> tile<1x2x4xi32>
  %cst_0_i32_81 = constant <i32: 0> : tile<i32>
  %cst_0_i32_82 = constant <i32: 0> : tile<i32>
  %cst_0_i32_83 = constant <i32: 0> : tile<i32>
  %50 = extract %reshape_80[%cst_0_i32_81, %cst_0_i32_82, %cst_0_i32_83] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %51 = cmpi not_equal %50, %cst_0_i32_5, signed : tile<1x1x4xi32> -> tile<1x1x4xi1>
  %cst_0_i32_84 = constant <i32: 0> : tile<i32>
  %cst_0_i32_85 = constant <i32: 0> : tile<i32>
  %cst_0_i32_86 = constant <i32: 0> : tile<i32>
  %52 = extract %reshape_78[%cst_0_i32_84, %cst_0_i32_85, %cst_0_i32_86] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %cst_0_i32_87 = constant <i32: 0> : tile<i32>
  %cst_1_i32_88 = constant <i32: 1> : tile<i32>
  %cst_0_i32_89 = constant <i32: 0> : tile<i32>
  %53 = extract %reshape_78[%cst_0_i32_87, %cst_1_i32_88, %cst_0_i32_89] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %cst_0_i32_90 = constant <i32: 0> : tile<i32>
  %cst_0_i32_91 = constant <i32: 0> : tile<i32>
  %cst_0_i32_92 = constant <i32: 0> : tile<i32>
  %54 = extract %reshape_79[%cst_0_i32_90, %cst_0_i32_91, %cst_0_i32_92] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %cst_0_i32_93 = constant <i32: 0> : tile<i32>
  %cst_1_i32_94 = constant <i32: 1> : tile<i32>
  %cst_0_i32_95 = constant <i32: 0> : tile<i32>
  %55 = extract %reshape_79[%cst_0_i32_93, %cst_1_i32_94, %cst_0_i32_95] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %56 = cmpi greater_than %52, %53, signed : tile<1x1x4xi32> -> tile<1x1x4xi1>
  %57 = xori %56, %51 : tile<1x1x4xi1>
  %58 = select %57, %53, %52 : tile<1x1x4xi1>, tile<1x1x4xi32>
  %59 = select %57, %52, %53 : tile<1x1x4xi1>, tile<1x1x4xi32>
  %60 = cat %58, %59 dim = 1 : tile<1x1x4xi32>, tile<1x1x4xi32> -> tile<1x2x4xi32>
  %61 = select %57, %55, %54 : tile<1x1x4xi1>, tile<1x1x4xi32>
  %62 = select %57, %54, %55 : tile<1x1x4xi1>, tile<1x1x4xi32>
  %63 = cat %61, %62 dim = 1 : tile<1x1x4xi32>, tile<1x1x4xi32> -> tile<1x2x4xi32>
  %reshape_96 = reshape %60 : tile<1x2x4xi32> -> tile<8xi32>
  %reshape_97 = reshape %63 : tile<1x2x4xi32> -> tile<8xi32>
  %reshape_98 = reshape %reshape_96 : tile<8xi32> -> tile<2x2x2xi32>
  %reshape_99 = reshape %reshape_97 : tile<8xi32> -> tile<2x2x2xi32>
  %64 = andi %3, %cst_8_i32_6 : tile<8xi32>
  %reshape_100 = reshape %64 : tile<8xi32> -> tile<2x2x2xi32>
  %cst_0_i32_101 = constant <i32: 0> : tile<i32>
  %cst_0_i32_102 = constant <i32: 0> : tile<i32>
  %cst_0_i32_103 = constant <i32: 0> : tile<i32>
  %65 = extract %reshape_100[%cst_0_i32_101, %cst_0_i32_102, %cst_0_i32_103] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %66 = cmpi not_equal %65, %cst_0_i32_7, signed : tile<2x1x2xi32> -> tile<2x1x2xi1>
  %cst_0_i32_104 = constant <i32: 0> : tile<i32>
  %cst_0_i32_105 = constant <i32: 0> : tile<i32>
  %cst_0_i32_106 = constant <i32: 0> : tile<i32>
  %67 = extract %reshape_98[%cst_0_i32_104, %cst_0_i32_105, %cst_0_i32_106] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_107 = constant <i32: 0> : tile<i32>
  %cst_1_i32_108 = constant <i32: 1> : tile<i32>
  %cst_0_i32_109 = constant <i32: 0> : tile<i32>
  %68 = extract %reshape_98[%cst_0_i32_107, %cst_1_i32_108, %cst_0_i32_109] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_110 = constant <i32: 0> : tile<i32>
  %cst_0_i32_111 = constant <i32: 0> : tile<i32>
  %cst_0_i32_112 = constant <i32: 0> : tile<i32>
  %69 = extract %reshape_99[%cst_0_i32_110, %cst_0_i32_111, %cst_0_i32_112] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %cst_0_i32_113 = constant <i32: 0> : tile<i32>
  %cst_1_i32_114 = constant <i32: 1> : tile<i32>
  %cst_0_i32_115 = constant <i32: 0> : tile<i32>
  %70 = extract %reshape_99[%cst_0_i32_113, %cst_1_i32_114, %cst_0_i32_115] : tile<2x2x2xi32> -> tile<2x1x2xi32>
  %71 = cmpi greater_than %67, %68, signed : tile<2x1x2xi32> -> tile<2x1x2xi1>
  %72 = xori %71, %66 : tile<2x1x2xi1>
  %73 = select %72, %68, %67 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %74 = select %72, %67, %68 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %75 = cat %73, %74 dim = 1 : tile<2x1x2xi32>, tile<2x1x2xi32> -> tile<2x2x2xi32>
  %76 = select %72, %70, %69 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %77 = select %72, %69, %70 : tile<2x1x2xi1>, tile<2x1x2xi32>
  %78 = cat %76, %77 dim = 1 : tile<2x1x2xi32>, tile<2x1x2xi32> -> tile<2x2x2xi32>
  %reshape_116 = reshape %75 : tile<2x2x2xi32> -> tile<8xi32>
  %reshape_117 = reshape %78 : tile<2x2x2xi32> -> tile<8xi32>
  %reshape_118 = reshape %reshape_116 : tile<8xi32> -> tile<4x2x1xi32>
  %reshape_119 = reshape %reshape_117 : tile<8xi32> -> tile<4x2x1xi32>
  %79 = andi %3, %cst_8_i32_8 : tile<8xi32>
  %reshape_120 = reshape %79 : tile<8xi32> -> tile<4x2x1xi32>
  %cst_0_i32_121 = constant <i32: 0> : tile<i32>
  %cst_0_i32_122 = constant <i32: 0> : tile<i32>
  %cst_0_i32_123 = constant <i32: 0> : tile<i32>
  %80 = extract %reshape_120[%cst_0_i32_121, %cst_0_i32_122, %cst_0_i32_123] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %81 = cmpi not_equal %80, %cst_0_i32_9, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %cst_0_i32_124 = constant <i32: 0> : tile<i32>
  %cst_0_i32_125 = constant <i32: 0> : tile<i32>
  %cst_0_i32_126 = constant <i32: 0> : tile<i32>
  %82 = extract %reshape_118[%cst_0_i32_124, %cst_0_i32_125, %cst_0_i32_126] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_127 = constant <i32: 0> : tile<i32>
  %cst_1_i32_128 = constant <i32: 1> : tile<i32>
  %cst_0_i32_129 = constant <i32: 0> : tile<i32>
  %83 = extract %reshape_118[%cst_0_i32_127, %cst_1_i32_128, %cst_0_i32_129] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_130 = constant <i32: 0> : tile<i32>
  %cst_0_i32_131 = constant <i32: 0> : tile<i32>
  %cst_0_i32_132 = constant <i32: 0> : tile<i32>
  %84 = extract %reshape_119[%cst_0_i32_130, %cst_0_i32_131, %cst_0_i32_132] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %cst_0_i32_133 = constant <i32: 0> : tile<i32>
  %cst_1_i32_134 = constant <i32: 1> : tile<i32>
  %cst_0_i32_135 = constant <i32: 0> : tile<i32>
  %85 = extract %reshape_119[%cst_0_i32_133, %cst_1_i32_134, %cst_0_i32_135] : tile<4x2x1xi32> -> tile<4x1x1xi32>
  %86 = cmpi greater_than %82, %83, signed : tile<4x1x1xi32> -> tile<4x1x1xi1>
  %87 = xori %86, %81 : tile<4x1x1xi1>
  %88 = select %87, %83, %82 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %89 = select %87, %82, %83 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %90 = cat %88, %89 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %91 = select %87, %85, %84 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %92 = select %87, %84, %85 : tile<4x1x1xi1>, tile<4x1x1xi32>
  %93 = cat %91, %92 dim = 1 : tile<4x1x1xi32>, tile<4x1x1xi32> -> tile<4x2x1xi32>
  %reshape_136 = reshape %90 : tile<4x2x1xi32> -> tile<8xi32>
  %reshape_137 = reshape %93 : tile<4x2x1xi32> -> tile<8xi32>
  %blockId_x_138, %blockId_y_139, %blockId_z_140 = get_tile_block_id : tile<i32>
  %pview_141 = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
  %94 = store_view_tko weak %reshape_136, %pview_141[%blockId_x_138] token = %1 : tile<8xi32>, partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %blockId_x_142, %blockId_y_143, %blockId_z_144 = get_tile_block_id : tile<i32>
  %pview_145 = make_partition_view %tview_12 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
  %95 = store_view_tko weak %reshape_137, %pview_145[%blockId_x_142] token = %2 : tile<8xi32>, partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
