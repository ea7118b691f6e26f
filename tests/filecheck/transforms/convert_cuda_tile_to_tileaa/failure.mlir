// A failure is one line with its place and exit code 1, and leaves no file; from plain xdsl-opt it is the text.

// RUN: not tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' -o %t.none 2>&1 | filecheck %s
// RUN: test ! -e %t.none
// RUN: not xdsl-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90}' 2>&1 | filecheck %s --check-prefix=PLAIN

// REQ: C-08, I-02, J-05

// CHECK: {{^.*}}failure.mlir:{{[0-9]+}}:3: error: failed to convert cuda_tile to nv_tileaa: 'func.func' op type '!cuda_tile.string' cannot be converted [in pass 'convert-cuda-tile-to-tileaa']{{$}}
// CHECK-NOT: {{.}}

// PLAIN: failed to convert cuda_tile to nv_tileaa: 'func.func' op type '!cuda_tile.string' cannot be

builtin.module {
  func.func private @f(!cuda_tile.string)
}
