// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --verify-diagnostics --split-input-file | filecheck %s

// CHECK: 'func.func' op argument 1 of @argument is a memory token, which a function cannot receive
func.func @argument(%p: !llvm.ptr<1>, %t: !nv_tileaa.mem_token) {
  func.return
}

// -----

// CHECK: 'func.func' op result of @result is a memory token, which a function cannot return
func.func @result() -> !nv_tileaa.mem_token {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  func.return %t : !nv_tileaa.mem_token
}

// -----

func.func @other_op() {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK: 'test.op' op has tokens, which only accesses and structured ops may
  "test.op"(%t) : (!nv_tileaa.mem_token) -> ()
  func.return
}

// -----

func.func @other_region(%p: !llvm.ptr<1>, %v: i32, %n: index) {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK: 'test.op' op has tokens in it, which only structured ops may
  "test.op"() ({
    %t1 = nv_tileaa.store %p, %v token(%t) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    "test.termop"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

// CHECK: 'func.func' op of @blocks has tokens in control flow that is not structured
func.func @blocks() {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  cf.br ^bb1
^bb1:
  func.return
}

// -----

// A queue cannot hand a token to another agent.

// REQ: I-18
func.func @queue(%q: !nv_tileaa.queue) {
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK: 'nv_tileaa.queue.put' op has tokens, which only accesses and structured ops may
  nv_tileaa.queue.put %q, %t : !nv_tileaa.queue, !nv_tileaa.mem_token
  func.return
}

// -----

func.func @queue_type() {
  // CHECK: 'nv_tileaa.create_queue' op has memory tokens that could not be lowered
  %q = nv_tileaa.create_queue : !nv_tileaa.queue<!nv_tileaa.mem_token>
  func.return
}

// -----

func.func @agents(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK: 'nv_tileaa.execute' op has agents that share tokens (barrier 0)
  "nv_tileaa.execute"() <{max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
    %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    nv_tileaa.yield
  }, {
    %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    nv_tileaa.yield
  }) : () -> ()
  func.return
}
