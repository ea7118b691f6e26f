// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

%x = "test.op"() : () -> f32
%pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, numConsumers = 2 : i32} : !nv_tileas.pipeline<f32, i32>
%empty = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32, sharedMem = true, mark_for_reuse} : !nv_tileas.pipeline
%put = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<producer, f32, i32>
%get = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<consumer, f32, i32>
%null = nv_tileas.async.pipeline.create_null_token : !nv_tileas.producer_token
%token = nv_tileas.async.token_to_async %null : !nv_tileas.producer_token
nv_tileas.async.pipeline.agent_switch(%put, %get : !nv_tileas.iterator<producer, f32, i32>, !nv_tileas.iterator<consumer, f32, i32>) attributes {max_regs = array<i32: 40, 232>, isolated} {
^bb0(%put0: !nv_tileas.iterator<producer, f32, i32>, %get0: !nv_tileas.iterator<consumer, f32, i32>):
  nv_tileas.async.pipeline.produce_one %pipe[%put0] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32> {
    %a = nv_tileas.async.pipeline.producer_acquire %pipe[%put0] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32>
    %b = nv_tileas.async.pipeline.producer_write %pipe, %a : !nv_tileas.pipeline<f32, i32> {
      %c = arith.constant 1 : i32
      nv_tileas.async.pipeline.yield %x, %c : f32, i32
    }
    nv_tileas.async.pipeline.producer_commit %pipe, %b : !nv_tileas.pipeline<f32, i32>
    nv_tileas.async.pipeline.yield
  }
  %put2 = nv_tileas.async.pipeline.inc_iter %put0 : !nv_tileas.iterator<producer, f32, i32>
  nv_tileas.async.pipeline.yield
} {
^bb0(%put1: !nv_tileas.iterator<producer, f32, i32>, %get1: !nv_tileas.iterator<consumer, f32, i32>):
  %d = nv_tileas.async.pipeline.consume_one %pipe[%get1] {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32> -> f32 {
    %e = nv_tileas.async.pipeline.consumer_wait %pipe[%get1] {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32>
    %f, %g = nv_tileas.async.pipeline.consumer_read %pipe, %e {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.consumer_token, f32 {
    ^bb0(%h: f32, %i: i32):
      nv_tileas.async.pipeline.yield %h : f32
    }
    nv_tileas.async.pipeline.consumer_release %pipe, %f : !nv_tileas.pipeline<f32, i32>
    nv_tileas.async.pipeline.yield %g : f32
  }
  nv_tileas.async.pipeline.yield
}
%p0 = nv_tileas.async.pipeline.produce_one_async %pipe[%put] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32> -> !nv_tileas.async_token {
  %p1 = nv_tileas.create_none : !nv_tileas.async_token
  nv_tileas.async.pipeline.yield %p1 : !nv_tileas.async_token
}
%c0, %c1 = nv_tileas.async.pipeline.consume_one_async %pipe[%get] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32> -> !nv_tileas.async_token, f32 {
  nv_tileas.async.pipeline.yield %p0, %x : !nv_tileas.async_token, f32
}
