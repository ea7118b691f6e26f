// RUN: tileiras-opt -p "convert-cuda-tile-to-tileaa{compute-capability=sm_90a},discharge-mem-tokens,convert-tileaa-to-tileas{compute-capability=sm_90a},tileas-assign-dot-layouts" %s | filecheck %s

// TMA loads operands A, and threads would have to copy operands B of both loops. Of those of the
// first loop no two stages fit: then threads copy none of the kernel, and WGMMA does no dot.

// CHECK-NOT: ldgsts
// CHECK-NOT: mma.sm90
// CHECK: nv_tileas.dot
// CHECK-SAME: atom = #nv_tileas.atom<mma.sm80>
// CHECK-NOT: ldgsts
// CHECK: nv_tileas.dot
// CHECK-SAME: atom = #nv_tileas.atom<mma.sm80>
// CHECK-NOT: ldgsts

cuda_tile.module @kernels {
  entry @two_loops(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %n: tile<i32>, %p: tile<i32>, %q: tile<i32>) {
    %l = assume bounded<0, ?>, %n : tile<i32>
    %b0 = assume bounded<0, ?>, %p : tile<i32>
    %s = assume div_by<2>, %b0 : tile<i32>
    %b1 = assume bounded<0, ?>, %q : tile<i32>
    %w = assume div_by<8>, %b1 : tile<i32>
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %qb = assume div_by<16>, %pb : tile<ptr<f16>>
    %qc = assume div_by<16>, %pc : tile<ptr<f32>>
    %ta = make_tensor_view %qa, shape = [%l, %l], strides = [%w, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %va1 = make_partition_view %ta : partition_view<tile=(128x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %va2 = make_partition_view %ta : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tb = make_tensor_view %qb, shape = [%l, %l], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb1 = make_partition_view %tb : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %vb2 = make_partition_view %tb : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tc = make_tensor_view %qc, shape = [%l, %l], strides = [%w, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %vc = make_partition_view %tc : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %j, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<128x128xf32>
    %sum1 = for %x in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<128x128xf32>) {
      %a, %at = load_view_tko weak %va1[%i, %x] : partition_view<tile=(128x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x256xf16>, token
      %b, %bt = load_view_tko weak %vb1[%x, %j] : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<256x128xf16>, token
      %d = mmaf %a, %b, %acc : tile<128x256xf16>, tile<256x128xf16>, tile<128x128xf32>
      continue %d : tile<128x128xf32>
    }
    %ct1 = store_view_tko weak %sum1, %vc[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %sum2 = for %x in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<128x128xf32>) {
      %a, %at = load_view_tko weak %va2[%i, %x] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %b, %bt = load_view_tko weak %vb2[%x, %j] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
      %d = mmaf %a, %b, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %d : tile<128x128xf32>
    }
    %ct2 = store_view_tko weak %sum2, %vc[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
