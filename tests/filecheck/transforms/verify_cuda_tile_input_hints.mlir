// RUN: tileiras-opt %s -p verify-cuda-tile-input --split-input-file | filecheck %s --check-prefix=IGNORED
// RUN: tileiras-opt %s -p 'verify-cuda-tile-input{werr-hints=true}' --verify-diagnostics --split-input-file | filecheck %s

// IGNORED: sm_90a = {num_cta_in_cga = 2}
// CHECK: Optimization hints verification failed: unknown hint key sm_90a
cuda_tile.module @architecture {
  entry @f() optimization_hints=<sm_90a = {num_cta_in_cga = 2}> {
    return
  }
}

// -----

// IGNORED: sm_90 = {latency = 0}
cuda_tile.module @value {
  entry @f(%p: tile<ptr<f32>>) {
    // CHECK: Optimization hints verification failed: value 0 for sm_90.latency is not in [1, 10]
    %x, %t = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 0}> : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

// IGNORED: num_cta_in_cga = 2
// CHECK: entry @f() optimization_hints=<default = {occupancy = 2}, sm_90 = {num_cta_in_cga = 2}>
cuda_tile.module @valid {
  entry @f() optimization_hints=<sm_90 = {num_cta_in_cga = 2}, default = {occupancy = 2}> {
    return
  }
}
