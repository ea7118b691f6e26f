// Views: every view type, and every ordering, scope, mode and operand of the ops on them.

entry @tensor_views(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i64>, %h: tile<i16>) {
  %scalar = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  %static = make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
  %shape = make_tensor_view %p, shape = [%i, %i], strides = [64, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[64,1]>
  %strides = make_tensor_view %p, shape = [32, 64], strides = [%j, %j] : tile<i64> -> tensor_view<32x64xf32, strides=[?,?]>
  %mixed = make_tensor_view %p, shape = [4294967296, %h, 3], strides = [%h, 5, 9223372036854775807] : tile<i16> -> tensor_view<4294967296x?x3xf32, strides=[?,5,9223372036854775807]>
  %two:2 = get_tensor_shape %static : tensor_view<32x64xf32, strides=[64,1]> -> tile<i64>
  %three:3 = get_tensor_shape %mixed : tensor_view<4294967296x?x3xf32, strides=[?,5,9223372036854775807]> -> tile<i32>
  return
}

entry @partition_views(%p: tile<ptr<f32>>, %i: tile<i32>) {
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %plain = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>
  %mapped = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %zero = make_partition_view %tview : partition_view<tile=(8x4), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
  %neg_zero = make_partition_view %tview : partition_view<tile=(8x4), padding_value = neg_zero, tensor_view<?x64xf32, strides=[64,1]>>
  %nan = make_partition_view %tview : partition_view<tile=(8x4), padding_value = nan, tensor_view<?x64xf32, strides=[64,1]>>
  %pos_inf = make_partition_view %tview : partition_view<tile=(8x4), padding_value = pos_inf, tensor_view<?x64xf32, strides=[64,1]>>
  %neg_inf = make_partition_view %tview : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %space:2 = get_index_space_shape %plain : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
  %wide:2 = get_index_space_shape %mapped : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]> -> tile<i64>
  return
}

entry @view_loads(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
  %t = make_token : token
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %view = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>
  %weak, %weak_token = load_view_tko weak %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %relaxed_tl_blk, %relaxed_tl_blk_token = load_view_tko relaxed tl_blk %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %relaxed_device, %relaxed_device_token = load_view_tko relaxed device %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %relaxed_sys, %relaxed_sys_token = load_view_tko relaxed sys %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %acquire_tl_blk, %acquire_tl_blk_token = load_view_tko acquire tl_blk %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %acquire_device, %acquire_device_token = load_view_tko acquire device %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %acquire_sys, %acquire_sys_token = load_view_tko acquire sys %view[%i, %j] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %after, %after_token = load_view_tko weak %view[%i, %j] token = %t : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %hinted, %hinted_token = load_view_tko weak %view[%i, %j] optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %all, %all_token = load_view_tko acquire sys %view[%i, %j] token = %t optimization_hints = <default = {allow_tma = true}, sm_90 = {latency = 2}> : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  return
}

entry @view_stores(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
  %t = make_token : token
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %view = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>
  %v = constant <f32: 1.0> : tile<8x4xf32>
  %weak = store_view_tko weak %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %relaxed_tl_blk = store_view_tko relaxed tl_blk %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %relaxed_device = store_view_tko relaxed device %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %relaxed_sys = store_view_tko relaxed sys %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %release_tl_blk = store_view_tko release tl_blk %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %release_device = store_view_tko release device %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %release_sys = store_view_tko release sys %v, %view[%i, %j] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %after = store_view_tko weak %v, %view[%i, %j] token = %t : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %hinted = store_view_tko weak %v, %view[%i, %j] optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %all = store_view_tko release sys %v, %view[%i, %j] token = %t optimization_hints = <default = {allow_tma = true}, sm_90 = {latency = 2}> : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}

// -----
// before 13.3: 'cuda_tile.make_strided_view' op requires bytecode version 13.3+, targeting {version}

entry @strided_views(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %plain = make_strided_view %tview : strided_view<tile=(8x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>
  %mapped = make_strided_view %tview : strided_view<tile=(8x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %padded = make_strided_view %tview : strided_view<tile=(8x8), traversal_strides=[2147483647,1], padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %space:2 = get_index_space_shape %plain : strided_view<tile=(8x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
  %tile, %token = load_view_tko weak %plain[%i, %j] : strided_view<tile=(8x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
  %stored = store_view_tko weak %tile, %plain[%i, %j] token = %token : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}

// -----
// before 13.3: 'cuda_tile.make_gather_scatter_view' op requires bytecode version 13.3+, targeting {version}

entry @gather_scatter_views(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i64>) {
  %rows = iota : tile<8xi32>
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %plain = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
  %columns = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
  %padded = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x8), padding_value = pos_inf, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
  %space:2 = get_index_space_shape %plain : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> -> tile<i32>
  %tile, %token = load_view_tko weak %plain[%rows, %i] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
  %stored = store_view_tko weak %tile, %plain[%rows, %j] token = %token : tile<8x8xf32>, gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i64> -> token
  return
}

// -----
// before 13.3: 'cuda_tile.atomic_red_view_tko' op requires bytecode version 13.3+, targeting {version}

entry @view_reductions(%p: tile<ptr<i32>>, %q: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i64>) {
  %t = make_token : token
  %ints = constant <i32: 1> : tile<8xi32>
  %floats = constant <f32: 1.0> : tile<8xf32>
  %int_tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %float_tensor = make_tensor_view %q, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %int_view = make_partition_view %int_tensor : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
  %float_view = make_partition_view %float_tensor : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  %and = atomic_red_view_tko relaxed device %int_view[%i], and, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %or = atomic_red_view_tko relaxed device %int_view[%i], or, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %xor = atomic_red_view_tko relaxed device %int_view[%i], xor, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %add = atomic_red_view_tko relaxed device %int_view[%i], add, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %max = atomic_red_view_tko relaxed device %int_view[%i], max, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %min = atomic_red_view_tko relaxed device %int_view[%i], min, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %umax = atomic_red_view_tko relaxed device %int_view[%i], umax, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %umin = atomic_red_view_tko relaxed device %int_view[%i], umin, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %addf = atomic_red_view_tko relaxed device %float_view[%j], addf, %floats : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i64> -> token
  %block = atomic_red_view_tko relaxed tl_blk %int_view[%i], add, %ints : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  %after = atomic_red_view_tko relaxed device %int_view[%i], add, %ints token = %t : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  return
}

// -----
// before 13.4: 'cuda_tile.load_view_tko' op attribute 'inbounds' requires bytecode version 13.4+, but targeting {version}

entry @inbounds_loads(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %view = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>
  %first, %t1 = load_view_tko weak %view[%i, %j] inbounds = [true, false] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %second, %t2 = load_view_tko weak %view[%i, %j] inbounds = [false, true] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  %both, %t3 = load_view_tko relaxed sys %view[%i, %j] token = %t2 optimization_hints = <sm_100 = {latency = 5}> inbounds = [true, true] : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
  return
}

// -----
// before 13.4: 'cuda_tile.store_view_tko' op attribute 'inbounds' requires bytecode version 13.4+, but targeting {version}

entry @inbounds_stores(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
  %v = constant <f32: 1.0> : tile<8x4xf32>
  %tview = make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %view = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>
  %t1 = store_view_tko weak %v, %view[%i, %j] inbounds = [true, false] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %t2 = store_view_tko weak %v, %view[%i, %j] inbounds = [false, true] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %t3 = store_view_tko relaxed sys %v, %view[%i, %j] token = %t2 optimization_hints = <sm_100 = {latency = 5}> inbounds = [true, true] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}

// -----
// before 13.4: 'cuda_tile.entry' op ptr_attr requires bytecode version 13.4+, targeting {version}

entry @pointer_attributes(%p: tile<ptr<f32, <none>>>, %i: tile<i32>) {
  %static = make_tensor_view %p, shape = [4], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<none>>
  %dynamic = make_tensor_view %p, shape = [%i], strides = [1] : tile<ptr<f32, <none>>>, tile<i32> -> tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>
  %view = make_partition_view %dynamic : partition_view<tile=(8), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>>
  %tile, %token = load_view_tko weak %view[%i] : partition_view<tile=(8), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>>, tile<i32> -> tile<8xf32>, token
  return
}
