// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=sm_90}' --verify-diagnostics --split-input-file | filecheck %s
// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --verify-diagnostics --split-input-file | filecheck %s --check-prefix=DEFAULT
// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=sm_75}' --verify-diagnostics --split-input-file | filecheck %s --check-prefix=UNKNOWN
// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=banana}' --verify-diagnostics --split-input-file | filecheck %s --check-prefix=MALFORMED

// UNKNOWN: cannot compile for sm_75 (expected one of sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121)
// MALFORMED: the pass option 'compute-capability' is invalid or missing: 'banana' is no compute capability

// Of several shortages the first is reported: registers, named barriers, shared memory, tensor
// memory.

// REQ: F-10
// CHECK: 'nv_tileaa.execute' op needs 256 registers per thread, but sm_90 has 255
// DEFAULT: 'nv_tileaa.execute' op needs 256 registers per thread, but sm_80 has 255
"nv_tileaa.execute"() {max_registers = 256 : i32, named_barriers = 17 : i32, shared_memory_bytes = 1073741824 : i64, tensor_memory_bytes = 1 : i64, input_layouts = [], output_layouts = []} : () -> ()

// -----

// REQ: F-11
// CHECK: 'nv_tileaa.execute' op needs 17 named barriers, but sm_90 has 16
// DEFAULT: 'nv_tileaa.execute' op needs 17 named barriers, but sm_80 has 16
"nv_tileaa.execute"() {max_registers = 255 : i32, named_barriers = 17 : i32, shared_memory_bytes = 1073741824 : i64, tensor_memory_bytes = 1 : i64, input_layouts = [], output_layouts = []} : () -> ()

// -----

// REQ: F-12
// CHECK: 'nv_tileaa.execute' op needs 1073741824 bytes of shared memory, but sm_90 has 232448
// DEFAULT: 'nv_tileaa.execute' op needs 1073741824 bytes of shared memory, but sm_80 has 166912
"nv_tileaa.execute"() {max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 1073741824 : i64, tensor_memory_bytes = 1 : i64, input_layouts = [], output_layouts = []} : () -> ()

// -----

// REQ: F-13, I-18
// CHECK: 'nv_tileaa.execute' op needs 1 bytes of tensor memory, but sm_90 has 0
// DEFAULT: 'nv_tileaa.execute' op needs 1 bytes of tensor memory, but sm_80 has 0
"nv_tileaa.execute"() {max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 1 : i64, input_layouts = [], output_layouts = []} : () -> ()

// -----

// Plugins too. Resources are checked before anything is lowered, so this wins over the tokens.

func.func @plugin() {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  "test.op"(%t) : (!nv_tileaa.mem_token) -> ()
  // CHECK: 'nv_tileaa.plugin' op needs 300 registers per thread, but sm_90 has 255
  // DEFAULT: 'nv_tileaa.plugin' op needs 300 registers per thread, but sm_80 has 255
  "nv_tileaa.plugin"() <{max_registers = 300 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> : () -> ()
  func.return
}
