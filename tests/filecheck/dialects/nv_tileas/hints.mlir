// RUN: xdsl-opt %s --print-op-generic | tileiras-opt | %verbatim %s

"test.op"() {nv_tileas.ignored_hint = #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one CTA">} : () -> ()
