// RUN: tileiras-opt %s | %verbatim %s
// RUN: tileiras-opt %s --print-op-generic | tileiras-opt | %verbatim %s

// Text beyond ASCII. xDSL's own parser reads its escaped form as bytes, ours as text.

%c = "test.op"() : () -> !cuda_tile.tile<i1>
// PRINTS: cuda_tile.assert %c, "na\C3\AFve \E2\88\80" : tile<i1>
cuda_tile.assert %c, "naïve ∀" : tile<i1>
cuda_tile.assert %c, "na\C3\AFve \E2\88\80" : tile<i1>
