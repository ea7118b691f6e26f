// RUN: tileiras-opt %s --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --split-input-file | filecheck %s --match-full-lines

// The example of the printer's document; then without labels, and without values.

// REQ: B-52

%cond, %a, %b = "test.op"() : () -> (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>)
// CHECK:      %r = cuda_tile.if %cond -> ([[f32:!cuda_tile.tile<f32>]]) {
// CHECK-NEXT: ^then:
// CHECK-NEXT:   cuda_tile.yield %a : [[f32]]
// CHECK-NEXT: } else {
// CHECK-NEXT: ^else:
// CHECK-NEXT:   cuda_tile.yield %b : [[f32]]
// CHECK-NEXT: }
%r = cuda_tile.if %cond -> (!cuda_tile.tile<f32>) {
^then:
    cuda_tile.yield %a : !cuda_tile.tile<f32>
} else {
^else:
    cuda_tile.yield %b : !cuda_tile.tile<f32>
}
// CHECK-NEXT: %s, %t = cuda_tile.if %cond -> ([[f32]], [[i1:!cuda_tile.tile<i1>]]) {
// CHECK-NEXT: ^then:
// CHECK-NEXT:   cuda_tile.yield %a, %cond : [[f32]], [[i1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: ^else:
// CHECK-NEXT:   cuda_tile.yield %b, %cond : [[f32]], [[i1]]
// CHECK-NEXT: } {my.tag}
%s, %t = cuda_tile.if %cond -> (!cuda_tile.tile<f32>, !cuda_tile.tile<i1>) {
  yield %a, %cond : tile<f32>, tile<i1>
} else {
^whatever:
  yield %b, %cond : tile<f32>, tile<i1>
} {my.tag}
// CHECK-NEXT: cuda_tile.if %cond {
// CHECK-NEXT: ^then:
// CHECK-NEXT:   cuda_tile.yield
// CHECK-NEXT: }
cuda_tile.if %cond { }
// CHECK-NEXT: cuda_tile.if %cond {
// CHECK-NEXT: ^then:
// CHECK-NEXT:   cuda_tile.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: ^else:
// CHECK-NEXT:   cuda_tile.yield
// CHECK-NEXT: }
cuda_tile.if %cond {
^bb0:
} else {
  yield
}
// CHECK-NEXT: }

// -----

// The other bodies: the arguments stand in the header, the label is `^body`.

// REQ: B-53

// CHECK:      cuda_tile.module @m {
// CHECK-NEXT:   cuda_tile.entry @k(%n: [[i32:!cuda_tile.tile<i32>]], %c: [[i1]]) {
// CHECK-NEXT:   ^body:
// CHECK-NEXT:     %f, %g = cuda_tile.for %i in (%n to %n, step %n) : [[i32]] iter_values(%x = %n, %y = %c) -> ([[i32]], [[i1]]) {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       cuda_tile.continue %x, %y : [[i32]], [[i1]]
// CHECK-NEXT:     }
// CHECK-NEXT:     cuda_tile.for unsigned %i_1 in (%n to %n, step %n) : [[i32]] {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       cuda_tile.continue
// CHECK-NEXT:     } {my.tag}
// CHECK-NEXT:     %l = cuda_tile.loop iter_values(%x_1 = %n) : [[i32]] -> [[i1]] {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       cuda_tile.if %c {
// CHECK-NEXT:       ^then:
// CHECK-NEXT:         cuda_tile.break %c : [[i1]]
// CHECK-NEXT:       }
// CHECK-NEXT:       cuda_tile.continue %x_1 : [[i32]]
// CHECK-NEXT:     }
// CHECK-NEXT:     cuda_tile.loop {
// CHECK-NEXT:     ^body:
// CHECK-NEXT:       cuda_tile.break
// CHECK-NEXT:     }
// CHECK-NEXT:     cuda_tile.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
cuda_tile.module @m {
  entry @k(%n: tile<i32>, %c: tile<i1>) {
    %f, %g = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n, %y = %c) -> (tile<i32>, tile<i1>) {
      continue %x, %y : tile<i32>, tile<i1>
    }
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
    ^label:
    } {my.tag}
    %l = loop iter_values(%x = %n) : tile<i32> -> tile<i1> {
    ^body:
      if %c {
        break %c : tile<i1>
      }
      continue %x : tile<i32>
    }
    loop {
      break
    }
  }
}
// CHECK-NEXT: }

// -----

// REQ: B-53

%x = "test.op"() : () -> !cuda_tile.tile<4x8xf32>
// CHECK:      %r = cuda_tile.reduce %x dim=1 identities=[0.000000e+00 : f32] : [[t4x8xf32:!cuda_tile.tile<4x8xf32>]] -> !cuda_tile.tile<4xf32> (%a: [[f32]], %b: [[f32]]) {
// CHECK-NEXT: ^body:
// CHECK-NEXT:   %s = cuda_tile.addf %a, %b : [[f32]]
// CHECK-NEXT:   cuda_tile.yield %s : [[f32]]
// CHECK-NEXT: }
%r = cuda_tile.reduce %x dim=1 identities=[0.0 : f32] : !cuda_tile.tile<4x8xf32> -> !cuda_tile.tile<4xf32>
(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>) {
  %s = addf %a, %b : tile<f32>
  yield %s : tile<f32>
}
// CHECK-NEXT: %q = cuda_tile.scan %x dim=1 reverse=false identities=[0.000000e+00 : f32] : [[t4x8xf32]] -> [[t4x8xf32]] (%a_1: [[f32]], %b_1: [[f32]]) {
// CHECK-NEXT: ^body:
// CHECK-NEXT:   %s_1 = cuda_tile.addf %a_1, %b_1 : [[f32]]
// CHECK-NEXT:   cuda_tile.yield %s_1 : [[f32]]
// CHECK-NEXT: }
%q = cuda_tile.scan %x dim=1 reverse=false identities=[0.0 : f32] : !cuda_tile.tile<4x8xf32> -> !cuda_tile.tile<4x8xf32>
(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>) {
^body:
  %s = addf %a, %b : tile<f32>
  yield %s : tile<f32>
}
// The arguments in the header of the block, as other documents have them.
// CHECK-NEXT: %red = cuda_tile.reduce %x dim=1 : [[t4x8xf32]] -> !cuda_tile.tile<4xf32> (%a_2: [[f32]], %b_2: [[f32]]) {
// CHECK-NEXT: ^body:
// CHECK-NEXT:   %s_2 = cuda_tile.addf %a_2, %b_2 : [[f32]]
// CHECK-NEXT:   cuda_tile.yield %s_2 : [[f32]]
// CHECK-NEXT: }
%0 = cuda_tile.reduce %x {axis = 1 : i32} : !cuda_tile.tile<4x8xf32> -> !cuda_tile.tile<4xf32> {
^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):
  %s = cuda_tile.addf %a, %b : !cuda_tile.tile<f32>
  cuda_tile.yield %s : !cuda_tile.tile<f32>
}
// CHECK-NEXT: }
