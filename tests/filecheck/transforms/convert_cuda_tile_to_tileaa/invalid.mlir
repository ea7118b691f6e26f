// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90 tile-ir-version=13.1}' --allow-unregistered-dialect --verify-diagnostics --split-input-file | filecheck %s

// REQ: C-04, C-08, C-09, I-02

// An op of the dialect that nothing is known of
cuda_tile.module @m {
  entry @k() {
    // CHECK: failed to convert cuda_tile to nv_tileaa: 'cuda_tile.brand_new' op has no conversion
    "cuda_tile.brand_new"() : () -> ()
    return
  }
}

// -----

// A type that has no counterpart
cuda_tile.module @m {
  // CHECK: failed to convert cuda_tile to nv_tileaa: 'cuda_tile.testing$func' op type '!cuda_tile.string' cannot be converted
  testing$func @f(%s: !cuda_tile.string) {
    return
  }
}

// -----

builtin.module {
  // CHECK: failed to convert cuda_tile to nv_tileaa: 'func.func' op type '!cuda_tile.string' cannot be converted
  func.func private @f(!cuda_tile.string)
}

// -----

cuda_tile.module @m {
  entry @k() {
    // CHECK: failed to convert cuda_tile to nv_tileaa: 'test.op' op type '!cuda_tile.string' cannot be converted
    %s = "test.op"() : () -> !cuda_tile.string
    return
  }
}

// -----

// Newer than the version that was asked for
cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // CHECK: failed to convert cuda_tile to nv_tileaa: 'cuda_tile.atan2' op needs Tile IR 13.2, but 13.1 was asked for
    %0 = atan2 %x, %x : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // CHECK: failed to convert cuda_tile to nv_tileaa: 'cuda_tile.gdc_wait_tko' op needs Tile IR 13.4, but 13.1 was asked for
    %0 = gdc_wait_tko -> token
    return
  }
}
