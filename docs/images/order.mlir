// Adds rows of a table onto its first row, which may be another tile block's as well, and counts.
cuda_tile.module @kernels {
  entry @fold_rows(%pointer: tile<ptr<f32>>, %counter: tile<ptr<i32>>, %rows: tile<i32>) {
    %table = make_tensor_view %pointer, shape = [%rows, 64], strides = [64, 1] : tile<i32>
        -> tensor_view<?x64xf32, strides=[64,1]>
    %view = make_partition_view %table
        : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = make_token : token
    %last = for %row in (%one to %rows, step %one) : tile<i32>
        iter_values(%before = %start) -> (token) {
      %next, %t1 = load_view_tko weak %view[%row, %zero]
          : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>
          -> tile<1x64xf32>, token
      %total, %t2 = load_view_tko weak %view[%zero, %zero] token = %before
          : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>
          -> tile<1x64xf32>, token
      %sum = addf %total, %next : tile<1x64xf32>
      %both = join_tokens %t1, %t2 : token
      %t3 = store_view_tko weak %sum, %view[%zero, %zero] token = %both
          : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>,
          tile<i32> -> token
      continue %t3 : token
    }
    %count, %done = atomic_rmw_tko release device %counter, add, %one token = %last
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
