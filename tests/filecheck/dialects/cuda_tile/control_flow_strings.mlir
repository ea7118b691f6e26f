// RUN: tileiras-opt %s | filecheck %s
// RUN: tileiras-opt %s --print-op-generic | tileiras-opt | filecheck %s

// Text beyond ASCII. xDSL's own parser reads its escaped form as bytes, ours as text.

// CHECK: cuda_tile.assert %c, "na\C3\AFve \E2\88\80" : !cuda_tile.tile<i1>
// CHECK-NEXT: cuda_tile.assert %c, "na\C3\AFve \E2\88\80" : !cuda_tile.tile<i1>
%c = "test.op"() : () -> !cuda_tile.tile<i1>
cuda_tile.assert %c, "naïve ∀" : tile<i1>
cuda_tile.assert %c, "na\C3\AFve \E2\88\80" : tile<i1>
