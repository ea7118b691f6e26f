// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// The cuTe names are attributes, no value has such a type.

// REQ: B-41
// CHECK: 'cute.layout' is not registered
func.func private @layout() -> !cute.layout<(1@0)>

// -----

// REQ: B-41
// CHECK: 'cute.shape' is not registered
cuda_tile.module @m {
  entry @k(%a: !cute.shape<(1@0)>) {
    return
  }
}

// -----

// REQ: B-41
// CHECK: 'cute.stride' is not registered
func.func private @element() -> !cuda_tile.tile<4x!cute.stride<(1@0)>>

// -----

// CHECK: 'cute.swizzle' is not registered
func.func private @unknown() attributes {l = #cute.swizzle<(1@0)>}
