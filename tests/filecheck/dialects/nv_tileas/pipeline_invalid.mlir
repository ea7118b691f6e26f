// RUN: %shared %s > %t.mlir
// RUN: tileiras-opt %t.mlir --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %t.mlir

!pipeline = !nv_tileas.pipeline<f32>
%pipeline = "test.op"() : () -> !pipeline
!producer_token = !nv_tileas.producer_token
%producer_token = "test.op"() : () -> !producer_token
!iterator = !nv_tileas.iterator<consumer, f32>
%iterator = "test.op"() : () -> !iterator

// -----

// CHECK: expects at least one stage, but got 0
%p = nv_tileas.async.pipeline.create_pipeline {numStages = 0 : i32} : !pipeline

// CHECK: expects '!nv_tileas.iterator<producer, f32>', but got '!nv_tileas.iterator<producer, i32>'
%i = nv_tileas.async.pipeline.create_iterator %pipeline : !pipeline -> !nv_tileas.iterator<producer, i32>

// CHECK: unsupported role: observer (expected one of producer, consumer)
"test.op"() : () -> !nv_tileas.iterator<observer, f32>

// CHECK: expects '!nv_tileas.iterator<producer, f32>', but got '!nv_tileas.iterator<consumer, f32>'
%t = nv_tileas.async.pipeline.producer_acquire %pipeline[%iterator] : !pipeline, !iterator

%t = "test.op"() : () -> !nv_tileas.consumer_token
// CHECK: expects region arguement types to match with producer types [f32], but got [i32]
%u = nv_tileas.async.pipeline.consumer_read %pipeline, %t : !pipeline -> !nv_tileas.consumer_token {
^bb0(%x: i32):
  nv_tileas.async.pipeline.yield
}

%x = "test.op"() : () -> i32
// CHECK: expects region result types to be match with operation result types [f32], but got [i32]
%u = nv_tileas.async.pipeline.producer_write %pipeline, %producer_token : !pipeline {
  nv_tileas.async.pipeline.yield %x : i32
}

%p = "test.op"() : () -> !nv_tileas.pipeline
// CHECK: expects regions to end with 'nv_tileas.async.pipeline.yield'
%u = nv_tileas.async.pipeline.producer_write %p, %producer_token : !nv_tileas.pipeline {
  "test.termop"() : () -> ()
}

%p = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline
%i = nv_tileas.async.pipeline.create_iterator %p : !pipeline -> !iterator
// CHECK: consumer_idx 1 is out of range of 1 consumers
%t = nv_tileas.async.pipeline.consumer_wait %p[%i] {consumer_idx = 1 : i32} : !pipeline, !iterator

%i = "test.op"() : () -> !nv_tileas.iterator<producer, f32>
// CHECK: expects the first result to be '!nv_tileas.async_token'
nv_tileas.async.pipeline.produce_one_async %pipeline[%i] : !pipeline, !nv_tileas.iterator<producer, f32> {
  nv_tileas.async.pipeline.yield
}

// CHECK: expects at least one agent
"nv_tileas.async.pipeline.agent_switch"() : () -> ()

// CHECK: expects max_regs of 1 agents, but got 2
"nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) {max_regs = array<i32: 40, 232>} : () -> ()

// CHECK: expects registers in multiples of 8, but got 41
"nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) {max_regs = array<i32: 41>} : () -> ()

// CHECK: expects one agent to yield the results, but 0 do
%x = "nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield
}) : () -> f32

%v = "test.op"() : () -> f32
// CHECK: expects one agent to yield the results, but 2 do
%x = "nv_tileas.async.pipeline.agent_switch"() ({
  nv_tileas.async.pipeline.yield %v : f32
}, {
  nv_tileas.async.pipeline.yield %v : f32
}) : () -> f32

%t = "test.op"() : () -> !nv_tileas.producer_token
// CHECK: expects the only element of '!nv_tileas.pipeline<f32>', but got 'i32'
%y = nv_tileas.async.pipeline.stage_buffer %pipeline, %t : !pipeline -> i32
