// RUN: tileiras-opt %s | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --print-op-generic | tileiras-opt | filecheck %s --match-full-lines
// RUN: xdsl-opt %s | filecheck %s --match-full-lines

// REQ: B-36, B-37, B-38, B-39, B-40

// CHECK:      func.func private @layout() -> () attributes {l = #cute.layout<(1@0, 16@1)>}
func.func private @layout() attributes {l = #cute.layout<(1@0, 16@1)>}
// CHECK-NEXT: func.func private @shape() -> () attributes {l = #cute.shape<(128@0, 64@1)>}
func.func private @shape() attributes {l = #cute.shape<(128@0, 64@1)>}
// CHECK-NEXT: func.func private @stride() -> () attributes {l = #cute.stride<(1@0, 128@1)>}
func.func private @stride() attributes {l = #cute.stride<(1@0, 128@1)>}
// CHECK-NEXT: func.func private @one() -> () attributes {l = #cute.layout<(1@0)>}
func.func private @one() attributes {l = #cute.layout<(1@0)>}
// CHECK-NEXT: func.func private @empty() -> () attributes {l = #cute.layout<()>}
func.func private @empty() attributes {l = #cute.layout<()>}
// CHECK-NEXT: func.func private @nested() -> () attributes {l = #cute.layout<((1@0, 16@1), 4@0)>}
func.func private @nested() attributes {l = #cute.layout<((1@0, 16@1), 4@0)>}
// CHECK-NEXT: func.func private @deeply_nested() -> () attributes {l = #cute.shape<(((2@0, 3@1)), (), 4@2)>}
func.func private @deeply_nested() attributes {l = #cute.shape<(((2@0, 3@1)), (), 4@2)>}
// CHECK-NEXT: func.func private @large() -> () attributes {l = #cute.stride<(340282366920938463463374607431768211456@0)>}
func.func private @large() attributes {l = #cute.stride<(340282366920938463463374607431768211456@0)>}
// CHECK-NEXT: func.func private @spaced() -> () attributes {l = #cute.layout<(1@0, 16@1)>}
func.func private @spaced() attributes {l = #cute.layout< ( 1 @ 0 ,16@1 ) >}
// CHECK-NEXT: func.func private @line_breaks() -> () attributes {l = #cute.layout<(1@0, 16@1)>}
func.func private @line_breaks() attributes {l = #cute.layout<(1@0,
  16@1)>}
// CHECK-NEXT: func.func private @zeros() -> () attributes {l = #cute.layout<(1@0)>}
func.func private @zeros() attributes {l = #cute.layout<(001@00)>}
// CHECK-NEXT: func.func private @in_array() -> () attributes {l = [#cute.layout<(1@0)>, #cute.shape<(4@0)>]}
func.func private @in_array() attributes {l = [#cute.layout<(1@0)>, #cute.shape<(4@0)>]}

// Tile metadata: attributes of ops, in the dialect's regions as well.

// REQ: B-41

// CHECK-NEXT: %0 = cuda_tile.iota {cute.layout = #cute.layout<(1@0)>} : !cuda_tile.tile<4xi32>
%0 = cuda_tile.iota {cute.layout = #cute.layout<(1@0)>} : !cuda_tile.tile<4xi32>
// CHECK-NEXT: cuda_tile.module @m {
cuda_tile.module @m {
// CHECK-NEXT:   cuda_tile.entry @k() {
// CHECK-NEXT:   ^body:
  entry @k() {
// CHECK-NEXT:     %1 = cuda_tile.iota {a.shape = #cute.shape<(4@0)>, b.stride = #cute.stride<(1@0)>} : !cuda_tile.tile<4xi32>
    %1 = iota {a.shape = #cute.shape<(4@0)>, b.stride = #cute.stride<(1@0)>} : tile<4xi32>
// CHECK-NEXT:     cuda_tile.return
// CHECK-NEXT:   } {c.layout = #cute.layout<(1@0, 16@1)>}
// CHECK-NEXT: }
    return
  } {c.layout = #cute.layout<(1@0, 16@1)>}
}
// CHECK-NEXT: }
