// RUN: TILEIRAS_VERBATIM

// The attribute: both levels are sorted by key, and an `i64` shows no type.

// REQ: A-65

// PRINTS: func.func private @empty() -> () attributes {h = #cuda_tile.optimization_hints<>}
func.func private @empty() attributes {h = #cuda_tile.optimization_hints<>}
// PRINTS: func.func private @one() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 5}>}
func.func private @one() attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 5}>}
// PRINTS: func.func private @typed() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 5}>}
func.func private @typed() attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 5 : i64}>}
// PRINTS: func.func private @no_hints() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {}>}
func.func private @no_hints() attributes {h = #cuda_tile.optimization_hints<sm_100 = {}>}
// PRINTS: func.func private @sorted() -> () attributes {h = #cuda_tile.optimization_hints<default = {latency = 1}, sm_100 = {allow_tma = false, latency = 5}, sm_90 = {num_cta_in_cga = 1, occupancy = 2}>}
func.func private @sorted() attributes {h = #cuda_tile.optimization_hints<sm_90 = {occupancy = 2, num_cta_in_cga = 1}, sm_100 = {latency = 5, allow_tma = false}, default = {latency = 1}>}
// PRINTS: func.func private @strings() -> () attributes {h = #cuda_tile.optimization_hints<"an arch" = {"a key" = 1}, sm_100 = {latency = 5}>}
func.func private @strings() attributes {h = #cuda_tile.optimization_hints<"sm_100" = {"latency" = 5}, "an arch" = {"a key" = 1}>}
// PRINTS: func.func private @archs() -> () attributes {h = #cuda_tile.optimization_hints<default = {latency = 7}, sm_100 = {latency = 7}, sm_103 = {latency = 8}, sm_107 = {latency = 9}, sm_110 = {latency = 10}, sm_120 = {latency = 9}, sm_121 = {latency = 8}, sm_80 = {latency = 1}, sm_86 = {latency = 2}, sm_87 = {latency = 3}, sm_88 = {latency = 4}, sm_89 = {latency = 5}, sm_90 = {latency = 6}>}
func.func private @archs() attributes {h = #cuda_tile.optimization_hints<sm_80 = {latency = 1}, sm_86 = {latency = 2}, sm_87 = {latency = 3}, sm_88 = {latency = 4}, sm_89 = {latency = 5}, sm_90 = {latency = 6}, sm_100 = {latency = 7}, sm_103 = {latency = 8}, sm_107 = {latency = 9}, sm_110 = {latency = 10}, sm_120 = {latency = 9}, sm_121 = {latency = 8}, default = {latency = 7}>}
// PRINTS: func.func private @spaced() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {allow_tma = true, latency = 5}>}
func.func private @spaced() attributes {h = #cuda_tile.optimization_hints < sm_100={ latency=5,allow_tma=true } >}

// -----

// Whatever is not known is kept as it is: architectures, keys, types and values.

// REQ: A-65

// PRINTS: func.func private @arch() -> () attributes {h = #cuda_tile.optimization_hints<pluto = {latency = 5}, sm_100a = {latency = 5}>}
func.func private @arch() attributes {h = #cuda_tile.optimization_hints<sm_100a = {latency = 5}, pluto = {latency = 5}>}
// PRINTS: func.func private @key() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {num_qqq = 5}>}
func.func private @key() attributes {h = #cuda_tile.optimization_hints<sm_100 = {num_qqq = 5}>}
// PRINTS: func.func private @value() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {allow_tma = 7, latency = 11, num_cta_in_cga = 3, occupancy = -1}>}
func.func private @value() attributes {h = #cuda_tile.optimization_hints<sm_100 = {allow_tma = 7, latency = 11, num_cta_in_cga = 3, occupancy = -1}>}
// PRINTS: func.func private @type() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {allow_tma = 1 : i8, latency = "5", num_cta_in_cga = 2.500000e+00 : f32, occupancy = 5 : i32}>}
func.func private @type() attributes {h = #cuda_tile.optimization_hints<sm_100 = {allow_tma = 1 : i8, latency = "5", num_cta_in_cga = 2.5 : f32, occupancy = 5 : i32}>}
// PRINTS: func.func private @nested() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {a = [1 : i64, 2 : i32], b = {c = 3 : i64}}>}
func.func private @nested() attributes {h = #cuda_tile.optimization_hints<sm_100 = {a = [1 : i64, 2 : i32], b = {c = 3 : i64}}>}
// PRINTS: func.func private @unit() -> () attributes {h = #cuda_tile.optimization_hints<sm_100 = {a = unit}>}
func.func private @unit() attributes {h = #cuda_tile.optimization_hints<sm_100 = {a = unit}>}

// -----

// On an entry: all three hints, none, and an empty attribute, which only the public text leaves out.

// REQ: A-65, B-04

cuda_tile.module @m {
  // PRINTS: entry @all() optimization_hints=<default = {occupancy = 1}, sm_100 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 4}> {
  // PRINTS: ^body:
  entry @all() optimization_hints=<sm_100 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 4}, default = {occupancy = 1}> {
    return
  }
  entry @none() {
    // PRINTS: ^body:
    // PRINTS: return
    return
  }
  entry @empty() optimization_hints=<> {
    // PRINTS: ^body:
    // PRINTS: return
    return
  }
  entry @unknown() optimization_hints=<sm_999 = {speed = "high"}> {
    // PRINTS: ^body:
    // PRINTS: return
    return
  }
  // PRINTS: entry @discardable() optimization_hints=<sm_80 = {occupancy = 2}> {
  // PRINTS: ^body:
  entry @discardable() optimization_hints = <sm_80 = {occupancy = 2}> {
    return
  } {cuda_tile.loop_split = 4 : i64}
}

// -----

// On accesses: shown even when empty.

// REQ: A-65, B-21

!f32 = !cuda_tile.tile<f32>
!view = !cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<?xf32, strides=[1]>>
%p, %x, %v, %i = "test.op"() : () -> (!cuda_tile.tile<ptr<f32>>, !f32, !view, !cuda_tile.tile<i32>)
%y = "test.op"() : () -> !cuda_tile.tile<8xf32>
%a0, %a1 = cuda_tile.load_ptr_tko weak %p optimization_hints = <sm_100 = {latency = 5}> : tile<ptr<f32>> -> tile<f32>, token
// PRINTS: %b0, %b1 = cuda_tile.load_ptr_tko weak %p optimization_hints = <> : tile<ptr<f32>> -> !f32, token
%b0, %b1 = cuda_tile.load_ptr_tko weak %p optimization_hints=<> : tile<ptr<f32>> -> !f32, token
// PRINTS: %c = cuda_tile.store_ptr_tko weak %p, %x optimization_hints = <default = {latency = 1}, sm_90 = {latency = 10}> : tile<ptr<f32>>, !f32 -> token
%c = cuda_tile.store_ptr_tko weak %p, %x optimization_hints = <sm_90 = {latency = 10}, default = {latency = 1}> : tile<ptr<f32>>, tile<f32> -> token
%d = cuda_tile.store_ptr_tko weak %p, %x optimization_hints = <> : tile<ptr<f32>>, !f32 -> token
// PRINTS: %e0, %e1 = cuda_tile.load_view_tko weak %v[%i] optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> : !view -> tile<8xf32>, token
%e0, %e1 = cuda_tile.load_view_tko weak %v[%i] optimization_hints = <sm_100 = {latency = 5, allow_tma = false}> : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
// PRINTS: %f0, %f1 = cuda_tile.load_view_tko weak %v[%i] optimization_hints = <> : !view -> tile<8xf32>, token
%f0, %f1 = cuda_tile.load_view_tko weak %v[%i] optimization_hints = <> : !view, tile<i32> -> tile<8xf32>, token
// PRINTS: %g = cuda_tile.store_view_tko weak %v[%i], %y optimization_hints = <default = {allow_tma = true}> : !view, tile<8xf32> -> token
%g = cuda_tile.store_view_tko weak %y, %v[%i] optimization_hints = <default = {allow_tma = true}> : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
// PRINTS: %h = cuda_tile.store_view_tko weak %v[%i], %y optimization_hints = <> : !view, tile<8xf32> -> token
%h = cuda_tile.store_view_tko weak %y, %v[%i] optimization_hints = <> : tile<8xf32>, !view, tile<i32> -> token
// PRINTS: %j0, %j1 = cuda_tile.load_ptr_tko weak %p optimization_hints = <sm_100 = {latency = 5}> : tile<ptr<f32>> -> !f32, token
%j0, %j1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>, optimization_hints = #cuda_tile.optimization_hints<sm_100 = {latency = 5}>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
