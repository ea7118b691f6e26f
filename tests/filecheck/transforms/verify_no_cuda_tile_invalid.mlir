// RUN: tileiras-opt %s -p verify-no-cuda-tile --allow-unregistered-dialect --verify-diagnostics --split-input-file | filecheck %s

// REQ: J-08

builtin.module {
  // CHECK: 'cuda_tile.module' op is left after the conversion to nv_tileaa
  cuda_tile.module @m {
  }
}

// -----

func.func @nested(%x: i1) {
  scf.if %x {
    // CHECK: 'cuda_tile.make_token' op is left after the conversion to nv_tileaa
    %0 = cuda_tile.make_token : !cuda_tile.token
  }
  func.return
}

// -----

func.func @unregistered() {
  // CHECK: 'cuda_tile.brand_new' op is left after the conversion to nv_tileaa
  "cuda_tile.brand_new"() : () -> ()
  func.return
}

// -----

func.func @result() {
  // CHECK: 'test.op' op has type '!cuda_tile.tile<f32>' after the conversion to nv_tileaa
  %0 = "test.op"() : () -> !cuda_tile.tile<f32>
  func.return
}

// -----

// CHECK: 'func.func' op has type '!cuda_tile.token' after the conversion to nv_tileaa
func.func @argument(%t: !cuda_tile.token) {
  func.return
}

// -----

func.func @cast(%x: f32) {
  // CHECK: 'builtin.unrealized_conversion_cast' op has type '!cuda_tile.tile<f32>' after the conversion to nv_tileaa
  %0 = builtin.unrealized_conversion_cast %x : f32 to !cuda_tile.tile<f32>
  func.return
}

// -----

// CHECK: 'func.func' op has type '(!cuda_tile.tile<8xf32>) -> ()' after the conversion to nv_tileaa
func.func private @declaration(!cuda_tile.tile<8xf32>)

// -----

func.func @nested_type() {
  // CHECK: 'test.op' op has type 'tensor<4x!cuda_tile.ptr<f32>>' after the conversion to nv_tileaa
  %0 = "test.op"() : () -> tensor<4x!cuda_tile.ptr<f32>>
  func.return
}
