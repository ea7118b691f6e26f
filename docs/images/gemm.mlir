// A tile of a matrix product for each block.
cuda_tile.module @kernels {
  entry @gemm(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>,
      %n: tile<i32>) {
    %l = assume bounded<0, ?>, %n : tile<i32>
    %s = assume div_by<16>, %l : tile<i32>
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %ta = make_tensor_view %qa, shape = [%s, %s], strides = [%s, 1]
        : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %va = make_partition_view %ta : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %qb = assume div_by<16>, %pb : tile<ptr<f16>>
    %tb = make_tensor_view %qb, shape = [%s, %s], strides = [%s, 1]
        : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_partition_view %tb : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %qc = assume div_by<16>, %pc : tile<ptr<f32>>
    %tc = make_tensor_view %qc, shape = [%s, %s], strides = [%s, 1]
        : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vc = make_partition_view %tc : partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<128x256xf32>
    %sum = for %x in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<128x256xf32>) {
      %a, %ta2 = load_view_tko weak %va[%i, %x]
          : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %b, %tb2 = load_view_tko weak %vb[%x, %j]
          : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x256xf16>, token
      %next = mmaf %a, %b, %acc
          : tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
      continue %next : tile<128x256xf32>
    }
    %done = store_view_tko weak %sum, %vc[%i, %j] : tile<128x256xf32>, partition_view<tile=(128x256), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
