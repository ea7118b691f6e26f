// RUN: TILEIRAS_PARSE_INVALID

// -----

// Only the structure is checked: a dictionary for each architecture, and every key once.

// CHECK: expected dictionary attribute for optimization_hints entry `sm_100` got value=2 : i64
func.func private @value() attributes {h = #cuda_tile.optimization_hints<sm_100 = 2>}

// CHECK: expected dictionary attribute for optimization_hints entry `sm_90` got value="latency"
cuda_tile.module @m {
  entry @k() optimization_hints=<sm_90 = "latency"> {
    return
  }
}

// CHECK: expected dictionary attribute for optimization_hints entry `default` got value=[{latency = 1 : i64}]
%0, %1 = cuda_tile.load_ptr_tko weak %ptr_f32 optimization_hints = <default = [{latency = 1}]> : !ptr_f32 -> !f32, token

// CHECK: duplicate optimization_hints key `sm_100`
func.func private @arch() attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 1}, sm_90 = {}, sm_100 = {latency = 2}>}

// CHECK: duplicate optimization_hints key `latency`
func.func private @key() attributes {h = #cuda_tile.optimization_hints<sm_100 = {latency = 1, "latency" = 2}>}

// CHECK: duplicate optimization_hints key `k`
cuda_tile.module @m {
  entry @k() optimization_hints=<sm_90 = {k = 1, k = 1}> {
    return
  }
}

// CHECK: expected a hint key
func.func private @no_arch() attributes {h = #cuda_tile.optimization_hints<{latency = 1}>}

// CHECK: expected a hint key
func.func private @no_key() attributes {h = #cuda_tile.optimization_hints<sm_100 = {5}>}

// CHECK: '<' expected
func.func private @no_brackets() attributes {h = #cuda_tile.optimization_hints}

// Hints are part of the structured syntax, the dictionary cannot hold them.

// CHECK: attribute 'optimization_hints' is already given by the structured syntax
%0, %1 = cuda_tile.load_ptr_tko weak %ptr_f32 {optimization_hints = #cuda_tile.optimization_hints<>} : !ptr_f32 -> !f32, token
