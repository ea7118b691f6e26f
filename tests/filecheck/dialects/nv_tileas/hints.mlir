// RUN: xdsl-opt %s --print-op-generic | tileiras-opt | filecheck %s

// CHECK: "test.op"() {nv_tileas.ignored_hint = #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one block">} : () -> ()
"test.op"() {nv_tileas.ignored_hint = #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one block">} : () -> ()
