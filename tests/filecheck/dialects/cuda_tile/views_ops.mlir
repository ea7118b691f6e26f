// RUN: TILEIRAS_VERBATIM

// `make_tensor_view`: static and dynamic sizes, pointers with an attribute.

!i32 = !cuda_tile.tile<i32>
!tview_1 = !cuda_tile.tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>
!tview_2 = !cuda_tile.tensor_view<32xf32, strides=[1], #cuda_tile.ptr_attr<none>>
!tview = !cuda_tile.tensor_view<?x64xf32, strides=[?,1]>
%p, %i, %l, %q = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !i32, !cuda_tile.tile<i64>, !cuda_tile.tile<ptr<f32, <none>>>)
// PRINTS: %view = cuda_tile.make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
%0 = cuda_tile.make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
// PRINTS: %view_1 = cuda_tile.make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
%1 = cuda_tile.make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
// PRINTS: %view_2 = cuda_tile.make_tensor_view %p, shape = [%i, 64], strides = [%i, 1] : !i32 -> !tview
%2 = cuda_tile.make_tensor_view %p, shape = [%i, 64], strides = [%i, 1] : !i32 -> !tview
// PRINTS: %view_3 = cuda_tile.make_tensor_view %p, shape = [%l, %l], strides = [64, 1] : tile<i64> -> tensor_view<?x?xf32, strides=[64,1]>
%3 = cuda_tile.make_tensor_view %p, shape = [%l, %l], strides = [64, 1] : tile<i64> -> tensor_view<?x?xf32, strides=[64,1]>
// PRINTS: %view_4 = cuda_tile.make_tensor_view %p, shape = [32], strides = [%i] : !i32 -> tensor_view<32xf32, strides=[?]>
%4 = cuda_tile.make_tensor_view %p, shape = [32], strides = [%i] : !i32 -> tensor_view<32xf32, strides=[?]>
// PRINTS: %view_5 = cuda_tile.make_tensor_view %p, shape = [32], strides = [1] {my.tag = 7 : i32} : tensor_view<32xf32, strides=[1]>
%5 = cuda_tile.make_tensor_view %p, shape = [32], strides = [1] {my.tag = 7 : i32} : !cuda_tile.tensor_view<32xf32, strides=[1]>
// PRINTS: %view_6 = cuda_tile.make_tensor_view %q, shape = [%i], strides = [1] : tile<ptr<f32, <none>>>, !i32 -> !tview_1
%6 = cuda_tile.make_tensor_view %q, shape = [%i], strides = [1] : tile<ptr<f32, <none>>>, !i32 -> !tview_1
// PRINTS: %view_7 = cuda_tile.make_tensor_view %q, shape = [32], strides = [1] : tile<ptr<f32, <none>>> -> !tview_2
%7 = cuda_tile.make_tensor_view %q, shape = [32], strides = [1] : tile<ptr<f32, <none>>> -> !tview_2
// PRINTS: %view_8 = cuda_tile.make_tensor_view %p, shape = [%i, 64], strides = [64, 1] {my.tag} : !i32 -> tensor_view<?x64xf32, strides=[64,1]>
%8 = cuda_tile.make_tensor_view %p,shape=[%i,64],strides=[64,1] {my.tag} : !i32 -> !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
// PRINTS: %view_9 = cuda_tile.make_tensor_view %p, shape = [%i, 64], strides = [%i, 1] : !i32 -> !tview
%9 = "cuda_tile.make_tensor_view"(%p, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !i32, !i32) -> !tview
// PRINTS: %view_10 = cuda_tile.make_tensor_view %p, shape = [%i], strides = [1] : !i32 -> tensor_view<?xf32, strides=[1]>
%10 = cuda_tile.make_tensor_view %p, shape = [%i], strides = [1] : tile<ptr<f32>>, !i32 -> tensor_view<?xf32, strides=[1]>

// -----

// Tile views; the type of the operand is that of the view.

!tview = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
!view = !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!view_1 = !cuda_tile.partition_view<tile=(8x4), padding_value = nan, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
!strided = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,8], !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!strided_1 = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,8], padding_value = zero, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
!gather_1 = !cuda_tile.gather_scatter_view<tile=(8x8), padding_value = neg_inf, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
%t = "test.op"() : () -> !tview
// PRINTS: %view = cuda_tile.make_partition_view %t : !view
%0 = cuda_tile.make_partition_view %t : !view
// PRINTS: %view_1 = cuda_tile.make_partition_view %t {my.tag} : !view_1
%1 = cuda_tile.make_partition_view %t {my.tag} : !view_1
// PRINTS: %view_2 = cuda_tile.make_partition_view %t : !view
%2 = "cuda_tile.make_partition_view"(%t) : (!tview) -> !view
// PRINTS: %view_3 = cuda_tile.make_strided_view %t : !strided
%3 = cuda_tile.make_strided_view %t : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>
// PRINTS: %view_4 = cuda_tile.make_strided_view %t {my.tag} : !strided_1
%4 = cuda_tile.make_strided_view %t {my.tag} : !strided_1
// PRINTS: %view_5 = cuda_tile.make_strided_view %t : !strided
%5 = "cuda_tile.make_strided_view"(%t) : (!tview) -> !strided
// PRINTS: %view_6 = cuda_tile.make_gather_scatter_view %t : !gather
%6 = cuda_tile.make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
// PRINTS: %view_7 = cuda_tile.make_gather_scatter_view %t {my.tag} : !gather_1
%7 = cuda_tile.make_gather_scatter_view %t {my.tag} : !gather_1
// PRINTS: %view_8 = cuda_tile.make_gather_scatter_view %t : !gather
%8 = "cuda_tile.make_gather_scatter_view"(%t) : (!tview) -> !gather

// -----

// Sizes: one type for all results; different ones, which the public text cannot show, are listed.

!i32 = !cuda_tile.tile<i32>
!tview = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
!view = !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!strided = !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xf32, strides=[1]>>
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
%t, %s = "test.op"() : () -> (!tview, !cuda_tile.tensor_view<f32>)
%p, %v, %g = "test.op"() : () -> (!view, !strided, !gather)
// PRINTS: %0, %1 = cuda_tile.get_tensor_shape %t : !tview -> tile<i64>
%0:2 = cuda_tile.get_tensor_shape %t : tensor_view<?x64xf32, strides=[64,1]> -> tile<i64>
// PRINTS: %2, %3 = cuda_tile.get_tensor_shape %t {my.tag} : !tview -> tile<i8>
%1, %2 = cuda_tile.get_tensor_shape %t {my.tag} : !tview -> !cuda_tile.tile<i8>
// PRINTS: %4, %5 = cuda_tile.get_tensor_shape %t : !tview -> tile<i64>, !i32
%3, %4 = cuda_tile.get_tensor_shape %t : !tview -> tile<i64>, !i32
// PRINTS: %6, %7 = cuda_tile.get_tensor_shape %t : !tview -> !i32
%5, %6 = "cuda_tile.get_tensor_shape"(%t) : (!tview) -> (!i32, !i32)
cuda_tile.get_tensor_shape %s : tensor_view<f32>
// PRINTS: %8, %9 = cuda_tile.get_index_space_shape %p : !view -> !i32
%7:2 = cuda_tile.get_index_space_shape %p : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
// PRINTS: %10 = cuda_tile.get_index_space_shape %v {my.tag} : !strided -> !i32
%8 = cuda_tile.get_index_space_shape %v {my.tag} : !strided -> !i32
// PRINTS: %11, %12 = cuda_tile.get_index_space_shape %g : !gather -> !i32
%9, %10 = cuda_tile.get_index_space_shape %g : !gather -> !i32
// PRINTS: %13, %14 = cuda_tile.get_index_space_shape %p : !view -> tile<i64>, tile<i16>
%11, %12 = "cuda_tile.get_index_space_shape"(%p) : (!view) -> (!cuda_tile.tile<i64>, !cuda_tile.tile<i16>)

// -----

// `load_view_tko`: every ordering and scope.

// REQ: A-11, A-57, B-05, B-09, B-17, B-18, B-22, B-29, B-30, B-34, B-56

!f32 = !cuda_tile.tile<8xf32>
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
%v, %i = "test.op"() : () -> (!view, !cuda_tile.tile<i32>)
%x0, %t0 = cuda_tile.load_view_tko weak %v[%i] : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>> -> tile<8xf32>, token
%x1, %t1 = cuda_tile.load_view_tko relaxed tl_blk %v[%i] : !view -> !f32, token
%x2, %t2 = cuda_tile.load_view_tko relaxed cluster %v[%i] : !view -> !f32, token
%x3, %t3 = cuda_tile.load_view_tko relaxed gpu %v[%i] : !view -> !f32, token
// PRINTS: %x4, %t4 = cuda_tile.load_view_tko relaxed gpu %v[%i] : !view -> !f32, token
%x4, %t4 = cuda_tile.load_view_tko relaxed device %v[%i] : !view -> !f32, token
%x5, %t5 = cuda_tile.load_view_tko relaxed sys %v[%i] : !view -> !f32, token
%x6, %t6 = cuda_tile.load_view_tko acquire tl_blk %v[%i] : !view -> !f32, token
%x7, %t7 = cuda_tile.load_view_tko acquire cluster %v[%i] : !view -> !f32, token
%x8, %t8 = cuda_tile.load_view_tko acquire gpu %v[%i] : !view -> !f32, token
// PRINTS: %x9, %t9 = cuda_tile.load_view_tko acquire gpu %v[%i] : !view -> !f32, token
%x9, %t9 = cuda_tile.load_view_tko acquire device %v[%i] : !view -> !f32, token
%x10, %t10 = cuda_tile.load_view_tko acquire sys %v[%i] : !view -> !f32, token

// -----

// Index types may be left out if they are `tile<i32>`, and are then not printed.

// REQ: A-57, B-05, B-09, B-15, B-19, B-21, B-22, B-23, B-28, B-56

!view = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>>
!i32 = !cuda_tile.tile<i32>
!f32 = !cuda_tile.tile<64x64xf32>
%v, %i, %l, %t = "test.op"() : () -> (!view, !i32, !cuda_tile.tile<i64>, !cuda_tile.token)
%x0, %t0 = cuda_tile.load_view_tko acquire gpu %v[%i, %i] token=%t : !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>> -> !f32, !cuda_tile.token
// PRINTS: %x1, %t1 = cuda_tile.load_view_tko weak %v[%i, %i] token=%t : !view -> !f32, token
%x1, %t1 = cuda_tile.load_view_tko weak %v[%i, %i] token = %t : !view, !i32 -> !f32, token
// PRINTS: %x2, %t2 = cuda_tile.load_view_tko weak %v[%i, %i] : !view -> !f32, token
%x2, %t2 = cuda_tile.load_view_tko weak %v[%i, %i] : !view, !i32, !i32 -> !f32, token
%x3, %t3 = cuda_tile.load_view_tko weak %v[%l, %l] : !view, tile<i64> -> !f32, token
// PRINTS: %x4, %t4 = cuda_tile.load_view_tko relaxed gpu %v[%i, %i] token=%t optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> inbounds = [true, false] {my.tag = 7 : i32} : !view -> !f32, token
%x4, %t4 = cuda_tile.load_view_tko relaxed device %v[%i, %i] token = %t optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> inbounds = [true, false] attributes {my.tag = 7 : i32} : !view, !i32 -> !f32, token
// PRINTS: %x5, %t5 = cuda_tile.load_view_tko weak %v[%i, %i] inbounds = [true, true] {my.tag} : !view -> !f32, token
%x5, %t5 = cuda_tile.load_view_tko weak %v[%i, %i] inbounds=[true,true] {my.tag} : !view -> !f32, token
%x6, %t6 = cuda_tile.load_view_tko weak %v[%i, %i] token=%t addr_space = 1 align = 16 : !view -> !f32, token
%x7, %t7 = cuda_tile.load_view_tko weak %v[%i, %i] align = 16 {my.tag} : !view -> !f32, token
%x8, %t8 = cuda_tile.load_view_tko weak %v[%i, %i] addr_space = 3 optimization_hints = <> inbounds = [false, true] : !view -> !f32, token
%x11, %t11 = cuda_tile.load_view_tko weak %v[%i, %i] inbounds = [false, false] : !view -> !f32, token
// PRINTS: %x9, %t9 = cuda_tile.load_view_tko relaxed gpu %v[%i, %i] optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> inbounds = [true, false] : !view -> !f32, token
%x9, %t9 = "cuda_tile.load_view_tko"(%v, %i, %i) <{inbounds = array<i1: true, false>, memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 0>, optimization_hints = #cuda_tile.optimization_hints<sm_100 = {allow_tma = false, latency = 5}>}> : (!cuda_tile.partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<64x64xf32>, !cuda_tile.token)
// PRINTS: %x10, %t10 = cuda_tile.load_view_tko weak %v[%i, %i] token=%t addr_space = 1 align = 16 : !view -> !f32, token
%x10, %t10 = "cuda_tile.load_view_tko"(%v, %i, %i, %t) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 1>, addr_space = 1 : i64, align = 16 : i64}> : (!view, !i32, !i32, !cuda_tile.token) -> (!f32, !cuda_tile.token)

// -----

// The other views: a permuted one, a strided one, and rows picked by a tile of numbers.

// REQ: A-57

!view = !cuda_tile.partition_view<tile=(8x4), padding_value = nan, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
!strided = !cuda_tile.strided_view<tile=(8), traversal_strides=[4], !cuda_tile.tensor_view<?xi8, strides=[1]>>
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
!gather_1 = !cuda_tile.gather_scatter_view<tile=(2x4x8), !cuda_tile.tensor_view<?x?x64xf32, strides=[64,64,1]>, sparse_dim=1>
%p, %s, %g, %h = "test.op"() : () -> (!view, !strided, !gather, !gather_1)
%i, %l, %r, %q = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i8>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<4xi64>)
// PRINTS: %x0, %t0 = cuda_tile.load_view_tko weak %p[%i, %i] : !view -> tile<8x4xf32>, token
%x0, %t0 = cuda_tile.load_view_tko weak %p[%i, %i] : !view, tile<i32> -> tile<8x4xf32>, token
%x1, %t1 = cuda_tile.load_view_tko weak %s[%l] : !strided, tile<i8> -> tile<8xi8>, token
%x2, %t2 = cuda_tile.load_view_tko weak %g[%r, %i] : !gather, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
%x3, %t3 = cuda_tile.load_view_tko weak %h[%i, %q, %i] : !gather_1, tile<i32>, tile<4xi64>, tile<i32> -> tile<2x4x8xf32>, token

// -----

// `store_view_tko`: every ordering and scope, the view first or the tile first.

// REQ: A-11, A-59, B-05, B-12, B-17, B-18, B-22, B-29, B-30, B-34, B-56

!f32 = !cuda_tile.tile<8xf32>
!i32 = !cuda_tile.tile<i32>
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
%v, %x, %i = "test.op"() : () -> (!view, !f32, !i32)
// PRINTS: %t0 = cuda_tile.store_view_tko weak %v[%i], %x : !view, !f32 -> token
%t0 = cuda_tile.store_view_tko weak %x, %v[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
%t1 = cuda_tile.store_view_tko relaxed tl_blk %v[%i], %x : !view, !f32 -> token
// PRINTS: %t2 = cuda_tile.store_view_tko relaxed cluster %v[%i], %x : !view, !f32 -> token
%t2 = cuda_tile.store_view_tko relaxed cluster %x, %v[%i] : !f32, !view, !i32 -> token
%t3 = cuda_tile.store_view_tko relaxed gpu %v[%i], %x : !view, !f32 -> token
// PRINTS: %t4 = cuda_tile.store_view_tko relaxed gpu %v[%i], %x : !view, !f32 -> token
%t4 = cuda_tile.store_view_tko relaxed device %x, %v[%i] : !f32, !view, !i32 -> token
%t5 = cuda_tile.store_view_tko relaxed sys %v[%i], %x : !view, !f32 -> token
// PRINTS: %t6 = cuda_tile.store_view_tko release tl_blk %v[%i], %x : !view, !f32 -> token
%t6 = cuda_tile.store_view_tko release tl_blk %x, %v[%i] : !f32, !view, !i32 -> token
%t7 = cuda_tile.store_view_tko release cluster %v[%i], %x : !view, !f32 -> token
// PRINTS: %t8 = cuda_tile.store_view_tko release gpu %v[%i], %x : !view, !f32 -> token
%t8 = cuda_tile.store_view_tko release gpu %x, %v[%i] : !f32, !view, !i32 -> token
// PRINTS: %t9 = cuda_tile.store_view_tko release gpu %v[%i], %x : !view, !f32 -> token
%t9 = cuda_tile.store_view_tko release device %v[%i], %x : !view, !f32 -> token
// PRINTS: %t10 = cuda_tile.store_view_tko release sys %v[%i], %x : !view, !f32 -> token
%t10 = cuda_tile.store_view_tko release sys %x, %v[%i] : !f32, !view, !i32 -> token

// -----

// A mask is written in the form with the view first only.

// REQ: A-59, B-05, B-12, B-15, B-19, B-21, B-22, B-24, B-28, B-56

!i64 = !cuda_tile.tile<i64>
!view = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<256x256xf32, strides=[256,1]>>
!t64x64xf32 = !cuda_tile.tile<64x64xf32>
!i1 = !cuda_tile.tile<64x64xi1>
!i32 = !cuda_tile.tile<i32>
!token = !cuda_tile.token
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
%v, %x, %m, %i, %t = "test.op"() : () -> (!view, !t64x64xf32, !i1, !i32, !token)
%l = "test.op"() : () -> !i64
%t0 = cuda_tile.store_view_tko release gpu %v[%i, %i], %x token=%t : !view, !t64x64xf32 -> !token
// PRINTS: %t1 = cuda_tile.store_view_tko release gpu %v[%i, %i], %x, %m token=%t : !view, !t64x64xf32, !i1 -> !token
%t1 = cuda_tile.store_view_tko release gpu %v[%i, %i], %x, %m token = %t : !view, !t64x64xf32, !i1 -> !token
%t2 = cuda_tile.store_view_tko weak %v[%l, %l], %x, %m : !view, !t64x64xf32, !i1, !i64 -> !token
// PRINTS: %t3 = cuda_tile.store_view_tko weak %v[%i, %i], %x token=%t optimization_hints = <sm_100 = {latency = 5}> inbounds = [true, false] {my.tag = 7 : i32} : !view, !t64x64xf32 -> !token
%t3 = cuda_tile.store_view_tko weak %x, %v[%i, %i] token = %t optimization_hints = <sm_100 = {latency = 5}> inbounds = [true, false] attributes {my.tag = 7 : i32} : !t64x64xf32, !view, !i32 -> !token
// PRINTS: %t4 = cuda_tile.store_view_tko weak %v[%l, %l], %x {my.tag} : !view, !t64x64xf32, !i64 -> !token
%t4 = cuda_tile.store_view_tko weak %x, %v[%l, %l] {my.tag} : !t64x64xf32, !view, !i64, !i64 -> !token
%t5 = cuda_tile.store_view_tko weak %v[%i, %i], %x token=%t addr_space = 1 align = 16 : !view, !t64x64xf32 -> !token
// PRINTS: %t6 = cuda_tile.store_view_tko weak %v[%i, %i], %x addr_space = 1 : !view, !t64x64xf32 -> !token
%t6 = cuda_tile.store_view_tko weak %x, %v[%i, %i] addr_space = 1 : !t64x64xf32, !view -> !token
// PRINTS: %t7 = cuda_tile.store_view_tko weak %v[%i, %i], %x token=%t : !view, !t64x64xf32 -> !token
%t7 = "cuda_tile.store_view_tko"(%x, %v, %i, %i, %t) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : (!t64x64xf32, !view, !i32, !i32, !token) -> !token
// PRINTS: %t8 = cuda_tile.store_view_tko release sys %v[%i, %i], %x, %m token=%t : !view, !t64x64xf32, !i1 -> !token
%t8 = "cuda_tile.store_view_tko"(%x, %v, %i, %i, %m, %t) <{memory_ordering_semantics = 3 : i32, memory_scope = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 1, 1>}> : (!t64x64xf32, !view, !i32, !i32, !i1, !token) -> !token
%g, %y, %r = "test.op"() : () -> (!gather, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<8xi32>)
// PRINTS: %t9 = cuda_tile.store_view_tko weak %g[%l, %r], %y : !gather, tile<8x8xf32>, !i64, tile<8xi32> -> !token
%t9 = cuda_tile.store_view_tko weak %y, %g[%l, %r] : tile<8x8xf32>, !gather, !i64, tile<8xi32> -> !token

// -----

// `atomic_red_view_tko`: every mode with every type it takes.

// REQ: B-20, B-31, B-34

!t8xi32 = !cuda_tile.tile<8xi32>
!i64 = !cuda_tile.tile<8xi64>
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xi32, strides=[1]>>
!view_1 = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xi64, strides=[1]>>
!view_2 = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf16, strides=[1]>>
!view_3 = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xbf16, strides=[1]>>
!view_4 = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
!view_5 = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf64, strides=[1]>>
%i = "test.op"() : () -> !cuda_tile.tile<i32>
%v0, %x0 = "test.op"() : () -> (!view, !t8xi32)
// PRINTS: %t0 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], and, %x0 : !t8xi32, !view -> token
%t0 = cuda_tile.atomic_red_view_tko relaxed device %v0[%i], and, %x0 : tile<8xi32>, partition_view<tile=(8), tensor_view<?xi32, strides=[1]>> -> token
%v1, %x1 = "test.op"() : () -> (!view_1, !i64)
%t1 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v1[%i], and, %x1 : !i64, !view_1 -> token
%t2 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], or, %x0 : !t8xi32, !view -> token
%t3 = cuda_tile.atomic_red_view_tko relaxed cluster %v1[%i], or, %x1 : !i64, !view_1 -> token
// PRINTS: %t4 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], xor, %x0 : !t8xi32, !view -> token
%t4 = cuda_tile.atomic_red_view_tko relaxed device %v0[%i], xor, %x0 : !t8xi32, !view -> token
%t5 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v1[%i], xor, %x1 : !i64, !view_1 -> token
%t6 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], add, %x0 : !t8xi32, !view -> token
%t7 = cuda_tile.atomic_red_view_tko relaxed cluster %v1[%i], add, %x1 : !i64, !view_1 -> token
// PRINTS: %t8 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], addu, %x0 : !t8xi32, !view -> token
%t8 = cuda_tile.atomic_red_view_tko relaxed device %v0[%i], addu, %x0 : !t8xi32, !view -> token
%t9 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v1[%i], addu, %x1 : !i64, !view_1 -> token
%t10 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], max, %x0 : !t8xi32, !view -> token
%t11 = cuda_tile.atomic_red_view_tko relaxed cluster %v1[%i], max, %x1 : !i64, !view_1 -> token
// PRINTS: %t12 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], min, %x0 : !t8xi32, !view -> token
%t12 = cuda_tile.atomic_red_view_tko relaxed device %v0[%i], min, %x0 : !t8xi32, !view -> token
%t13 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v1[%i], min, %x1 : !i64, !view_1 -> token
%t14 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], umax, %x0 : !t8xi32, !view -> token
%t15 = cuda_tile.atomic_red_view_tko relaxed cluster %v1[%i], umax, %x1 : !i64, !view_1 -> token
// PRINTS: %t16 = cuda_tile.atomic_red_view_tko relaxed gpu %v0[%i], umin, %x0 : !t8xi32, !view -> token
%t16 = cuda_tile.atomic_red_view_tko relaxed device %v0[%i], umin, %x0 : !t8xi32, !view -> token
%t17 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v1[%i], umin, %x1 : !i64, !view_1 -> token
%v2, %x2 = "test.op"() : () -> (!view_2, !cuda_tile.tile<8xf16>)
%t18 = cuda_tile.atomic_red_view_tko relaxed gpu %v2[%i], addf, %x2 : tile<8xf16>, !view_2 -> token
%v3, %x3 = "test.op"() : () -> (!view_3, !cuda_tile.tile<8xbf16>)
%t19 = cuda_tile.atomic_red_view_tko relaxed cluster %v3[%i], addf, %x3 : tile<8xbf16>, !view_3 -> token
%v4, %x4 = "test.op"() : () -> (!view_4, !cuda_tile.tile<8xf32>)
// PRINTS: %t20 = cuda_tile.atomic_red_view_tko relaxed gpu %v4[%i], addf, %x4 : tile<8xf32>, !view_4 -> token
%t20 = cuda_tile.atomic_red_view_tko relaxed device %v4[%i], addf, %x4 : tile<8xf32>, !view_4 -> token
%v5, %x5 = "test.op"() : () -> (!view_5, !cuda_tile.tile<8xf64>)
%t21 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v5[%i], addf, %x5 : tile<8xf64>, !view_5 -> token

// -----

// REQ: B-05, B-15, B-19, B-22, B-28, B-56

!f32 = !cuda_tile.tile<8x8xf32>
!i32 = !cuda_tile.tile<i32>
!view = !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!strided = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[8,8], !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
%v, %x, %i, %l, %t = "test.op"() : () -> (!view, !f32, !i32, !cuda_tile.tile<i64>, !cuda_tile.token)
%s = "test.op"() : () -> !strided
// PRINTS: %t0 = cuda_tile.atomic_red_view_tko relaxed gpu %v[%i, %i], addf, %x token=%t : !f32, !view -> token
%t0 = cuda_tile.atomic_red_view_tko relaxed device %v[%i, %i], addf, %x token = %t : !f32, !view, !i32 -> token
// PRINTS: %t1 = cuda_tile.atomic_red_view_tko relaxed gpu %v[%i, %l], addf, %x token=%t : !f32, !view, !i32, tile<i64> -> token
%t1 = cuda_tile.atomic_red_view_tko relaxed device %v[%i, %l], addf, %x token=%t : !f32, !view, !i32, tile<i64> -> token
// PRINTS: %t2 = cuda_tile.atomic_red_view_tko relaxed tl_blk %s[%l, %l], addf, %x {my.tag = 7 : i32} : !f32, !strided, tile<i64> -> token
%t2 = cuda_tile.atomic_red_view_tko relaxed tl_blk %s[%l, %l], addf, %x attributes {my.tag = 7 : i32} : !f32, !strided, tile<i64> -> token
// PRINTS: %t3 = cuda_tile.atomic_red_view_tko relaxed tl_blk %v[%i, %i], addf, %x : !f32, !view -> token
%t3 = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 0 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (!view, !i32, !i32, !f32) -> !cuda_tile.token

// -----

// The lines of the public disassembler, without prefixes.

// REQ: A-25, B-02, B-03

!i32 = !cuda_tile.tile<i32>
!f32 = !cuda_tile.tile<8x8xf32>
!tview = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
!view = !cuda_tile.partition_view<tile=(8x4), padding_value = nan, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
!view_1 = !cuda_tile.partition_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!strided = !cuda_tile.strided_view<tile=(8x8), traversal_strides=[4,8], !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
!gather = !cuda_tile.gather_scatter_view<tile=(8x8), !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
cuda_tile.module @m {
  testing$func @f(%arg2: tile<i32>, %arg3: tile<i32>, %arg5: tile<ptr<f32>>, %bcast: tile<8x8xf32>, %rows: tile<8xi32>) {
    // PRINTS: ^body:
    // PRINTS: %tview = make_tensor_view %arg5, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
    %tview = make_tensor_view %arg5, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
    // PRINTS: %tview_1 = make_tensor_view %arg5, shape = [%arg2, 64], strides = [%arg3, 1] : !i32 -> tensor_view<?x64xf32, strides=[?,1]>
    %tview_0 = make_tensor_view %arg5, shape = [%arg2, 64], strides = [%arg3, 1] : !i32 -> tensor_view<?x64xf32, strides=[?,1]>
    // PRINTS: %tview_2 = make_tensor_view %arg5, shape = [%arg2, 64], strides = [64, 1] : !i32 -> !tview
    %tview_1 = make_tensor_view %arg5, shape = [%arg2, 64], strides = [64, 1] : !i32 -> !tview
    // PRINTS: %pview = make_partition_view %tview_2 : !view
    %pview = make_partition_view %tview_1 : !view
    // PRINTS: %pview_1 = make_partition_view %tview_2 : !view_1
    %pview_2 = make_partition_view %tview_1 : !view_1
    // PRINTS: %sview = make_strided_view %tview_2 : !strided
    %sview = make_strided_view %tview_1 : !strided
    // PRINTS: %gsview = make_gather_scatter_view %tview_2 : !gather
    %gsview = make_gather_scatter_view %tview_1 : !gather
    // PRINTS: %0, %1 = get_tensor_shape %tview_2 : !tview -> tile<i64>
    %0:2 = get_tensor_shape %tview_1 : !tview -> tile<i64>
    // PRINTS: %2, %3 = get_index_space_shape %pview_1 : !view_1 -> !i32
    %1:2 = get_index_space_shape %pview_2 : !view_1 -> !i32
    // PRINTS: %4 = make_token : token
    %2 = make_token : token
    // PRINTS: %tile, %result_token = load_view_tko weak %pview_1[%arg2, %arg3] : !view_1 -> !f32, token
    %tile, %result_token = load_view_tko weak %pview_2[%arg2, %arg3] : !view_1, !i32 -> !f32, token
    // PRINTS: %tile_1, %result_token_1 = load_view_tko relaxed gpu %gsview[%rows, %arg3] token=%4 optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> inbounds = [true, false] : !gather, tile<8xi32>, !i32 -> !f32, token
    %tile_1, %result_token_2 = load_view_tko relaxed device %gsview[%rows, %arg3] token = %2 optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> inbounds = [true, false] : !gather, tile<8xi32>, !i32 -> !f32, token
    // PRINTS: %5 = store_view_tko weak %pview_1[%arg2, %arg3], %bcast token=%4 : !view_1, !f32 -> token
    %3 = store_view_tko weak %bcast, %pview_2[%arg2, %arg3] token = %2 : !f32, !view_1, !i32 -> token
    // PRINTS: %6 = atomic_red_view_tko relaxed gpu %pview_1[%arg2, %arg3], addf, %bcast token=%4 : !f32, !view_1 -> token
    %4 = atomic_red_view_tko relaxed device %pview_2[%arg2, %arg3], addf, %bcast token = %2 : !f32, !view_1, !i32 -> token
    return
  }
}
