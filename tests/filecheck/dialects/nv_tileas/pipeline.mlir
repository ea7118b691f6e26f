// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!pipeline = !nv_tileas.pipeline<f32, i32>
!iterator = !nv_tileas.iterator<producer, f32, i32>
!iterator_1 = !nv_tileas.iterator<consumer, f32, i32>
%x = "test.op"() : () -> f32
%pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, numConsumers = 2 : i32} : !pipeline
%empty = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32, sharedMem = true, mark_for_reuse} : !nv_tileas.pipeline
%put = nv_tileas.async.pipeline.create_iterator %pipe : !pipeline -> !iterator
%get = nv_tileas.async.pipeline.create_iterator %pipe : !pipeline -> !iterator_1
%null = nv_tileas.async.pipeline.create_null_token : !nv_tileas.producer_token
%token = nv_tileas.async.token_to_async %null : !nv_tileas.producer_token
nv_tileas.async.pipeline.agent_switch(%put, %get : !iterator, !iterator_1) attributes {max_regs = array<i32: 40, 232>, isolated} {
^bb0(%put0: !iterator, %get0: !iterator_1):
  nv_tileas.async.pipeline.produce_one %pipe[%put0] : !pipeline, !iterator {
    %a = nv_tileas.async.pipeline.producer_acquire %pipe[%put0] : !pipeline, !iterator
    %b = nv_tileas.async.pipeline.producer_write %pipe, %a : !pipeline {
      %c = arith.constant 1 : i32
      nv_tileas.async.pipeline.yield %x, %c : f32, i32
    }
    nv_tileas.async.pipeline.producer_commit %pipe, %b : !pipeline
    nv_tileas.async.pipeline.yield
  }
  %put2 = nv_tileas.async.pipeline.inc_iter %put0 : !iterator
  nv_tileas.async.pipeline.yield
} {
^bb0(%put1: !iterator, %get1: !iterator_1):
  %d = nv_tileas.async.pipeline.consume_one %pipe[%get1] {consumer_idx = 1 : i32} : !pipeline, !iterator_1 -> f32 {
    %e = nv_tileas.async.pipeline.consumer_wait %pipe[%get1] {consumer_idx = 1 : i32} : !pipeline, !iterator_1
    %f, %g = nv_tileas.async.pipeline.consumer_read %pipe, %e {consumer_idx = 1 : i32} : !pipeline -> !nv_tileas.consumer_token, f32 {
    ^bb0(%h: f32, %i: i32):
      nv_tileas.async.pipeline.yield %h : f32
    }
    nv_tileas.async.pipeline.consumer_release %pipe, %f : !pipeline
    nv_tileas.async.pipeline.yield %g : f32
  }
  nv_tileas.async.pipeline.yield
}
%result = nv_tileas.async.pipeline.agent_switch -> f32 {
  nv_tileas.async.pipeline.yield
} {
  nv_tileas.async.pipeline.yield %x : f32
}
%p0 = nv_tileas.async.pipeline.produce_one_async %pipe[%put] : !pipeline, !iterator -> !nv_tileas.async_token {
  %p1 = nv_tileas.create_none : !nv_tileas.async_token
  nv_tileas.async.pipeline.yield %p1 : !nv_tileas.async_token
}
%c0, %c1 = nv_tileas.async.pipeline.consume_one_async %pipe[%get] : !pipeline, !iterator_1 -> !nv_tileas.async_token, f32 {
  nv_tileas.async.pipeline.yield %p0, %x : !nv_tileas.async_token, f32
}
%sums = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !nv_tileas.pipeline<tensor<128x32xf32>>
%sum = nv_tileas.async.pipeline.stage_buffer %sums, %null : !nv_tileas.pipeline<tensor<128x32xf32>> -> tensor<128x32xf32>
