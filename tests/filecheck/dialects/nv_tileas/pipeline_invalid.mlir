// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expects at least one stage, but got 0
%p = nv_tileas.async.pipeline.create_pipeline {numStages = 0 : i32} : !nv_tileas.pipeline<f32>

// -----

%p = "test.op"() : () -> !nv_tileas.pipeline<f32>
// CHECK: expects '!nv_tileas.iterator<producer, f32>', but got '!nv_tileas.iterator<producer, i32>'
%i = nv_tileas.async.pipeline.create_iterator %p : !nv_tileas.pipeline<f32> -> !nv_tileas.iterator<producer, i32>

// -----

// CHECK: unsupported role: observer (expected one of producer, consumer)
"test.op"() : () -> !nv_tileas.iterator<observer, f32>

// -----

%p, %i = "test.op"() : () -> (!nv_tileas.pipeline<f32>, !nv_tileas.iterator<consumer, f32>)
// CHECK: expects '!nv_tileas.iterator<producer, f32>', but got '!nv_tileas.iterator<consumer, f32>'
%t = nv_tileas.async.pipeline.producer_acquire %p[%i] : !nv_tileas.pipeline<f32>, !nv_tileas.iterator<consumer, f32>

// -----

%p, %t = "test.op"() : () -> (!nv_tileas.pipeline<f32>, !nv_tileas.consumer_token)
// CHECK: expects region arguement types to match with producer types [f32], but got [i32]
%u = nv_tileas.async.pipeline.consumer_read %p, %t : !nv_tileas.pipeline<f32> -> !nv_tileas.consumer_token {
^bb0(%x: i32):
  nv_tileas.async.pipeline.yield
}

// -----

%p, %t, %x = "test.op"() : () -> (!nv_tileas.pipeline<f32>, !nv_tileas.producer_token, i32)
// CHECK: expects region result types to be match with operation result types [f32], but got [i32]
%u = nv_tileas.async.pipeline.producer_write %p, %t : !nv_tileas.pipeline<f32> {
  nv_tileas.async.pipeline.yield %x : i32
}

// -----

%p, %t = "test.op"() : () -> (!nv_tileas.pipeline, !nv_tileas.producer_token)
// CHECK: expects regions to end with 'nv_tileas.async.pipeline.yield'
%u = nv_tileas.async.pipeline.producer_write %p, %t : !nv_tileas.pipeline {
  "test.termop"() : () -> ()
}

// -----

%p = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !nv_tileas.pipeline<f32>
%i = nv_tileas.async.pipeline.create_iterator %p : !nv_tileas.pipeline<f32> -> !nv_tileas.iterator<consumer, f32>
// CHECK: consumer_idx 1 is out of range of 1 consumers
%t = nv_tileas.async.pipeline.consumer_wait %p[%i] {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32>, !nv_tileas.iterator<consumer, f32>

// -----

%p, %i = "test.op"() : () -> (!nv_tileas.pipeline<f32>, !nv_tileas.iterator<producer, f32>)
// CHECK: expects the first result to be '!nv_tileas.async_token'
nv_tileas.async.pipeline.produce_one_async %p[%i] : !nv_tileas.pipeline<f32>, !nv_tileas.iterator<producer, f32> {
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects at least one agent
"nv_tileas.async.pipeline.agent_switch"() : () -> ()

// -----

// CHECK: expects max_regs of 1 agents, but got 2
"nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) {max_regs = array<i32: 40, 232>} : () -> ()

// -----

// CHECK: expects registers in multiples of 8, but got 41
"nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) {max_regs = array<i32: 41>} : () -> ()

// -----

// CHECK: expects one agent to yield the results, but 0 do
%x = "nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) : () -> f32
