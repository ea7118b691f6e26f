// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!queue = !nv_tileaa.queue<isolated, f32, i32>
%a, %b, %c = "test.op"() : () -> (f32, i32, f64)

// REQ: P-04
%q = nv_tileaa.create_queue : !nv_tileaa.queue
// PRINTS: %r = nv_tileaa.create_queue : !queue
%r = "nv_tileaa.create_queue"() : () -> !queue
nv_tileaa.queue.put %q, %a : !nv_tileaa.queue, f32
nv_tileaa.queue.put %q {my.tag} : !nv_tileaa.queue
// PRINTS: nv_tileaa.queue.put %r, %a, %b : !queue, f32, i32
"nv_tileaa.queue.put"(%r, %a, %b) : (!queue, f32, i32) -> ()
// PRINTS: %get, %get_1, %get_2 = "nv_tileaa.queue.get"() ({
%get:3 = "nv_tileaa.queue.get"() ({
  // PRINTS: nv_tileaa.queue.yield %a, %b, %c : f32, i32, f64
  "nv_tileaa.queue.yield"(%a, %b, %c) : (f32, i32, f64) -> ()
}) : () -> (f32, i32, f64)
// PRINTS: %one = "nv_tileaa.queue.get"(%r) <{consumer_idx = 1 : i32}> ({
%one = "nv_tileaa.queue.get"(%r) ({
  nv_tileaa.queue.yield %b : i32
// PRINTS: }) : (!queue) -> i32
}) {consumer_idx = 1 : i32} : (!queue) -> i32
"nv_tileaa.queue.get"(%q) ({
  nv_tileaa.queue.yield
}) : (!nv_tileaa.queue) -> ()
nv_tileaa.mark_for_reuse %q, %r : !nv_tileaa.queue, !queue

// Pragmas carry attributes of any name.

// PRINTS: %pragma, %pragma_1 = "nv_tileaa.pragma"() ({
%pragma:2 = "nv_tileaa.pragma"() ({
  // PRINTS: nv_tileaa.yield %a, %b : f32, i32
  "nv_tileaa.yield"(%a, %b) : (f32, i32) -> ()
}) {unroll = 4 : i32} : () -> (f32, i32)
// PRINTS: %named = "nv_tileaa.pragma"(%a) <{payload_results = [0 : i64]}> ({
%named = "nv_tileaa.pragma"(%a) ({
^bb0(%x: f32):
  nv_tileaa.yield %x : f32
// PRINTS: }) {ocgEnterDirectives = "a"} : (f32) -> f32
}) {payload_results = [0 : i64], ocgEnterDirectives = "a"} : (f32) -> f32
"nv_tileaa.pragma"() ({
  nv_tileaa.yield
}) : () -> ()

// Resources of plugins.

// PRINTS: "nv_tileaa.execute"() <{max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 1073741824 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> : () -> ()
"nv_tileaa.execute"() {max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 1073741824 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()
// PRINTS: %executed = "nv_tileaa.execute"(%a) <{max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = ["a"], output_layouts = ["b"]}> ({
%executed = "nv_tileaa.execute"(%a) ({
  nv_tileaa.yield %a : f32
}, {
  nv_tileaa.yield
// PRINTS: }) : (f32) -> f32
}) {max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = ["a"], output_layouts = ["b"]} : (f32) -> f32
// PRINTS: "nv_tileaa.plugin"() <{plugin_name = "attention", max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> : () -> ()
"nv_tileaa.plugin"() {plugin_name = "attention", max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []} : () -> ()
