// RUN: tileiras-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// As many CTAs as all SMs hold.
%count = nv_tileas.resident_ctas {ctas_per_sm = 1 : i32}
%more = nv_tileas.resident_ctas {ctas_per_sm = 2 : i32}
