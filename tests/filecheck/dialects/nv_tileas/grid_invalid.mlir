// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expects at least one CTA per SM, but got 0
%count = nv_tileas.resident_ctas {ctas_per_sm = 0 : i32}
