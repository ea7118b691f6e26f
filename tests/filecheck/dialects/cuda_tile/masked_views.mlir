// RUN: tileiras-opt %s | filecheck %s
// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

// Text of Tile IR 13.1 says `masked` where accesses may leave the tensor, and not what is read there.

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f16>>, %n: tile<i32>, %s: tile<i32>) {
    %t = make_token : token
    %i = constant <i32: 0> : tile<i32>
    %x = make_tensor_view %p, shape = [%n, %n, %n], strides = [%s, %s, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    // CHECK: make_partition_view %x : {{.*}}partition_view<tile=(32x1x64), padding_value = zero, {{.*}}tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %v = make_partition_view %x : partition_view<masked tile=(32x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 1, 2]>
    // CHECK: load_view_tko weak {{.*}}partition_view<tile=(32x1x64), padding_value = zero,
    %y, %u = load_view_tko weak %v[%i, %i, %i] token = %t : partition_view<masked tile=(32x1x64), tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 1, 2]>, tile<i32> -> tile<32x1x64xf16>, token
    // What is said is kept.
    // CHECK: make_partition_view %x : {{.*}}partition_view<tile=(8x1x8), padding_value = nan,
    %w = make_partition_view %x : partition_view<masked tile=(8x1x8), padding_value = nan, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    // CHECK: make_partition_view %x : {{.*}}partition_view<tile=(8x1x8), {{(!cuda_tile\.)?}}tensor_view
    %z = make_partition_view %x : partition_view<tile=(8x1x8), tensor_view<?x?x?xf16, strides=[?,?,1]>>
    return
  }
}
