// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=sm_100}' | filecheck %s
// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=sm_103a}' | filecheck %s
// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=110}' | filecheck %s
// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=10.0}' | filecheck %s
// RUN: tileiras-opt %s -p convert-tileaa-to-tileas | filecheck %s

// All there is on these devices. The architecture is that of the option, or of the module.

// REQ: F-09, F-14
builtin.module attributes {nv_tileaa.compute_capability = 100 : i32} {
  // CHECK:      nv_tileas.async.pipeline.agent_switch attributes {named_barriers = 16 : i32, shared_memory_bytes = 232448 : i64, tensor_memory_bytes = 262144 : i64,
  // CHECK-SAME:      input_layouts = [#cute.layout<(1@0)>], output_layouts = [#cute.layout<(1@1)>], max_regs = array<i32: 256>} {
  // CHECK-NEXT:   nv_tileas.async.pipeline.yield
  // CHECK-NEXT: }
  "nv_tileaa.execute"() <{max_registers = 255 : i32, named_barriers = 16 : i32, shared_memory_bytes = 232448 : i64, tensor_memory_bytes = 262144 : i64, input_layouts = [#cute.layout<(1@0)>], output_layouts = [#cute.layout<(1@1)>]}> : () -> ()
  // CHECK-NEXT: "nv_tileaa.plugin"() <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [],
  // CHECK-SAME: output_layouts = []}> : () -> ()
  "nv_tileaa.plugin"() <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> : () -> ()
}
