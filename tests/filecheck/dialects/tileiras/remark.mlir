// RUN: xdsl-opt %s --print-op-generic | tileiras-opt | %verbatim %s

"test.op"() {tileiras.remarks = [#tileiras.remark<"Missed", "Memory", "Load", "kernel", "load by threads", "no TMA", loc("kernel.py":1:2)>]} : () -> ()
