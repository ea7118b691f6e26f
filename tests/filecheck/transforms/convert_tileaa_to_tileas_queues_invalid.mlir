// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir -p convert-tileaa-to-tileas --split-input-file --verify-diagnostics | filecheck %t.mlir

!queue = !nv_tileaa.queue<i32>

// -----

// Ends of queues that map to no slot of a pipeline.

// REQ: F-16
func.func @argument(%q: !queue, %x: i32) {
  // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: its queue is not made in this function
  nv_tileaa.queue.put %q, %x : !queue, i32
  func.return
}

func.func @no_queue(%x: i32) {
  // CHECK: 'nv_tileaa.queue.get' op maps to no pipeline slot: its queue is not made in this function
  %y = "nv_tileaa.queue.get"() ({
    nv_tileaa.queue.yield %x : i32
  }) : () -> i32
  func.return
}

func.func @no_producer(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  // CHECK: 'nv_tileaa.queue.get' op maps to no pipeline slot: its queue has no producer
  "nv_tileaa.queue.get"(%q) ({
    nv_tileaa.queue.yield
  }) : (!queue) -> ()
  func.return
}

func.func @no_consumer(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  nv_tileaa.queue.put %q, %x : !queue, i32
  nv_tileaa.queue.put %q, %x : !queue, i32
  // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: its queue of 2 stages has no consumer
  nv_tileaa.queue.put %q, %x : !queue, i32
  func.return
}

func.func @two_producers(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  "nv_tileaa.execute"() <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
    nv_tileaa.queue.put %q, %x : !queue, i32
    nv_tileaa.yield
  }, {
    // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: another agent is the producer of its queue
    nv_tileaa.queue.put %q, %x : !queue, i32
    nv_tileaa.yield
  }) : () -> ()
  func.return
}

func.func @gap(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  nv_tileaa.queue.put %q, %x : !queue, i32
  // CHECK: 'nv_tileaa.queue.get' op maps to no pipeline slot: its queue has no consumer 0
  "nv_tileaa.queue.get"(%q) ({
    nv_tileaa.queue.yield
  }) {consumer_idx = 1 : i32} : (!queue) -> ()
  func.return
}

func.func @agents_in_a_loop(%x: i32, %n: i32) {
  %q = nv_tileaa.create_queue : !queue
  scf.for %i = %x to %n step %x : i32 {
    "nv_tileaa.execute"() <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
      // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: its agent is in a loop that its queue is not in
      nv_tileaa.queue.put %q, %x : !queue, i32
      nv_tileaa.yield
    }) : () -> ()
  }
  func.return
}

func.func @types(%x: i32, %y: f32) {
  %q = nv_tileaa.create_queue : !nv_tileaa.queue
  nv_tileaa.queue.put %q, %x : !nv_tileaa.queue, i32
  // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: it has (f32), and its queue (i32)
  nv_tileaa.queue.put %q, %y : !nv_tileaa.queue, f32
  func.return
}

func.func @nested(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  nv_tileaa.queue.put %q, %x : !queue, i32
  "nv_tileaa.queue.get"(%q) ({
    // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: it is in the region of another end
    nv_tileaa.queue.put %q, %x : !queue, i32
    nv_tileaa.queue.yield
  }) : (!queue) -> ()
  func.return
}

func.func @other_region(%x: i32) {
  %q = nv_tileaa.create_queue : !queue
  scf.execute_region {
    // CHECK: 'nv_tileaa.queue.put' op maps to no pipeline slot: a 'scf.execute_region' op around it cannot carry an iterator
    nv_tileaa.queue.put %q, %x : !queue, i32
    scf.yield
  }
  func.return
}

func.func @escapes() {
  %q = nv_tileaa.create_queue : !queue
  // CHECK: 'test.op' op maps to no pipeline slot: only the ends of a queue may take it
  "test.op"(%q) : (!queue) -> ()
  func.return
}

func.func @no_stage() {
  // CHECK: 'nv_tileaa.create_queue' op needs at least one stage, not 0
  %q = nv_tileaa.create_queue {num_stages = 0 : i64} : !queue
  func.return
}

func.func @blocks() {
  // CHECK: 'nv_tileaa.execute' op has an agent with control flow that is not structured
  "nv_tileaa.execute"() <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
    cf.br ^bb1
  ^bb1:
    nv_tileaa.yield
  }) : () -> ()
  func.return
}
