// RUN: tileiras-opt -p 'require-determinism{compute-capability=sm_90}' %s | filecheck %s
// RUN: tileiras-opt -p 'require-determinism{all=true}' %s | filecheck %s --check-prefix=ALL

// What sizes are multiples of is forgotten, what strides and others are is not.

// CHECK:      entry @asks(%x: !cuda_tile.tile<ptr<f32>>, %m: !cuda_tile.tile<i32>)
// CHECK:        %[[S:.*]] = cuda_tile.assume bounded<0, ?>, %m
// CHECK:        cuda_tile.make_tensor_view %x, shape = [%[[S]], %m], strides = [%n, 1]
// CHECK:        cuda_tile.addi %n, %n
// CHECK:      entry @does_not
// CHECK:        %[[N:.*]] = cuda_tile.assume div_by<16>
// CHECK:        make_tensor_view %x, shape = [%[[N]]]

// ALL:        entry @does_not
// ALL:          make_tensor_view %x, shape = [%m]
cuda_tile.module @m {
  entry @asks(%x: tile<ptr<f32>>, %m: tile<i32>) optimization_hints=<sm_90 = {deterministic = true}> {
    %n = assume div_by<16>, %m : tile<i32>
    %s = assume bounded<0, ?>, %n : tile<i32>
    %v = make_tensor_view %x, shape = [%s, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %sum = addi %n, %n : tile<i32>
    return
  }

  entry @does_not(%x: tile<ptr<f32>>, %m: tile<i32>) optimization_hints=<sm_90 = {deterministic = false}> {
    %n = assume div_by<16>, %m : tile<i32>
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    return
  }
}
