// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// Only what a module holds may stand at top level without one.

// REQ: P-11
// CHECK: Operation constant is not registered
%0 = constant <i32: 1> : tile<i32>

// -----

// REQ: P-11
// CHECK: Operation return is not registered
return

// -----

// A name without its prefix is one of the dialect only inside it.

// REQ: B-03
// CHECK: Operation addi is not registered
func.func @f(%x: !cuda_tile.tile<i32>) {
  %0 = addi %x, %x : !cuda_tile.tile<i32>
  func.return
}
