// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir --match-full-lines

%i32 = "test.op"() : () -> i32
%f32 = "test.op"() : () -> f32

// -----

// CHECK:      result 'result' at position 0 does not verify:
// CHECK-NEXT: [[tileaa:i32 should be of base attribute nv_tileaa\.queue]]
%0 = "nv_tileaa.create_queue"() : () -> i32

// CHECK: expects values (f32), but got (i32)
%q = "test.op"() : () -> !nv_tileaa.queue<f32>
nv_tileaa.queue.put %q, %i32 : !nv_tileaa.queue<f32>, i32

// CHECK: expects values (f32, f32), but got (f32)
%q = "test.op"() : () -> !nv_tileaa.queue<f32, f32>
nv_tileaa.queue.put %q, %f32 : !nv_tileaa.queue<f32, f32>, f32

// CHECK:      operand 'queue' at position 0 does not verify:
// CHECK-NEXT: [[tileaa]]
"nv_tileaa.queue.put"(%i32) : (i32) -> ()

// CHECK: expect operands with queue types
%q = "test.op"() : () -> !nv_tileaa.queue
nv_tileaa.mark_for_reuse %q, %i32 : !nv_tileaa.queue, i32

// CHECK: expects regions to end with 'nv_tileaa.queue.yield'
%0 = "nv_tileaa.queue.get"() ({
  "test.termop"() : () -> ()
}) : () -> f32

// CHECK: 'nv_tileaa.yield' expects parent op to be one of 'nv_tileaa.reduce', 'nv_tileaa.scan', 'nv_tileaa.pragma', 'nv_tileaa.execute', 'nv_tileaa.plugin'
%0 = "nv_tileaa.queue.get"() ({
  nv_tileaa.yield %f32 : f32
}) : () -> f32

// CHECK: expects the region to yield (f32), but got (f32, f32)
%0 = "nv_tileaa.queue.get"() ({
  nv_tileaa.queue.yield %f32, %f32 : f32, f32
}) : () -> f32

// CHECK: expects the region to yield (f32), but got ()
%0 = "nv_tileaa.queue.get"() ({
  nv_tileaa.queue.yield
}) : () -> f32

// CHECK: Region 'body' at position 0 expected a single block, but got 0 blocks
"nv_tileaa.queue.get"() ({
}) : () -> ()

// CHECK: wrong attribute 'consumer_idx': Expected attribute i32 but got i64
"nv_tileaa.queue.get"() ({
  nv_tileaa.queue.yield
}) {consumer_idx = 1 : i64} : () -> ()

// CHECK: 'nv_tileaa.queue.yield' expects parent op 'nv_tileaa.queue.get'
%0 = "nv_tileaa.pragma"() ({
  nv_tileaa.queue.yield %f32 : f32
}) : () -> f32

// CHECK: expects regions to end with 'nv_tileaa.yield'
%0 = "nv_tileaa.pragma"() ({
  "test.termop"() : () -> ()
}) : () -> f32

// CHECK: expects the region to yield (f32), but got ()
%0 = "nv_tileaa.pragma"() ({
  nv_tileaa.yield
}) : () -> f32

// CHECK: payload_results names result 1, but there are 1
%0 = "nv_tileaa.pragma"() ({
  nv_tileaa.yield %f32 : f32
}) {payload_results = [1 : i64]} : () -> f32

// CHECK: payload_results must list integers, but got ["x"]
%0 = "nv_tileaa.pragma"() ({
  nv_tileaa.yield %f32 : f32
}) {payload_results = ["x"]} : () -> f32

// CHECK: max_registers must not be negative
"nv_tileaa.plugin"() {max_registers = -1 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()

// CHECK: named_barriers must not be negative
"nv_tileaa.execute"() {max_registers = 0 : i32, named_barriers = -1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()

// CHECK: shared_memory_bytes must not be negative
"nv_tileaa.plugin"() {max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = -1 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()

// CHECK: tensor_memory_bytes must not be negative
"nv_tileaa.execute"() {max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = -1 : i64, input_layouts = [], output_layouts = []} : () -> ()

// CHECK: requires attribute 'named_barriers'
"nv_tileaa.execute"() {max_registers = 64 : i32} : () -> ()

// CHECK: wrong attribute 'max_registers': Expected attribute i32 but got i64
"nv_tileaa.execute"() {max_registers = 0 : i64, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()
