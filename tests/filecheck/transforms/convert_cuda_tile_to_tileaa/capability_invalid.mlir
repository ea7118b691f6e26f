// The capability is checked first: nothing is converted, and nothing comes out.

// RUN: not tileiras-opt %s -p convert-cuda-tile-to-tileaa 2>&1 | filecheck %s
// RUN: not tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=banana}' -o %t.none 2>&1 | filecheck %s
// RUN: test ! -e %t.none
// RUN: not tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_}' 2>&1 | filecheck %s
// RUN: not tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=""}' 2>&1 | filecheck %s
// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=9.0}' | filecheck %s --check-prefix=GOOD

// REQ: C-06, C-07, I-01

// CHECK: capability_invalid.mlir: error: the pass option 'compute-capability' is invalid or missing, as in 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' [in pass 'convert-cuda-tile-to-tileaa']{{$}}
// CHECK-NOT: {{.}}

// GOOD: builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90"} {

cuda_tile.module @m {
  entry @k() {
    return
  }
}
