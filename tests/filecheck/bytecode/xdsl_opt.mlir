// Plain xdsl-opt knows the target, but writes text only.

// RUN: not xdsl-opt %s -t tileir-bytecode 2>&1 | filecheck %s
// RUN: tileiras-opt %s -t tileir-bytecode | tileiras-opt | xdsl-opt | filecheck %s --check-prefix=TEXT

// CHECK: target 'tileir-bytecode' is binary, use tileiras-opt

// TEXT:      cuda_tile.module @kernels {
// TEXT-NEXT:   cuda_tile.entry @k() {

cuda_tile.module @kernels {
  entry @k() {
    return
  }
}
