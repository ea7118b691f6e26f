// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s --match-full-lines

// CHECK:      %x = "test.op"() : () -> f32
%x = "test.op"() : () -> f32
// CHECK-NEXT: %pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, numConsumers = 2 : i32} : !nv_tileas.pipeline<f32, i32>
%pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, numConsumers = 2 : i32} : !nv_tileas.pipeline<f32, i32>
// CHECK-NEXT: %empty = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32, sharedMem = true, mark_for_reuse} : !nv_tileas.pipeline
%empty = nv_tileas.async.pipeline.create_pipeline {numStages = 1 : i32, sharedMem = true, mark_for_reuse} : !nv_tileas.pipeline
// CHECK-NEXT: %put = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<producer, f32, i32>
%put = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<producer, f32, i32>
// CHECK-NEXT: %get = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<consumer, f32, i32>
%get = nv_tileas.async.pipeline.create_iterator %pipe : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.iterator<consumer, f32, i32>
// CHECK-NEXT: %null = nv_tileas.async.pipeline.create_null_token : !nv_tileas.producer_token
%null = nv_tileas.async.pipeline.create_null_token : !nv_tileas.producer_token
// CHECK-NEXT: %token = nv_tileas.async.token_to_async %null : !nv_tileas.producer_token
%token = nv_tileas.async.token_to_async %null : !nv_tileas.producer_token
// CHECK-NEXT: nv_tileas.async.pipeline.agent_switch(%put, %get : !nv_tileas.iterator<producer, f32, i32>, !nv_tileas.iterator<consumer, f32, i32>) attributes {max_regs = array<i32: 40, 232>, isolated} {
// CHECK-NEXT: ^bb0(%put0: !nv_tileas.iterator<producer, f32, i32>, %get0: !nv_tileas.iterator<consumer, f32, i32>):
// CHECK-NEXT:   nv_tileas.async.pipeline.produce_one %pipe[%put0] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32> {
// CHECK-NEXT:     %a = nv_tileas.async.pipeline.producer_acquire %pipe[%put0] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32>
// CHECK-NEXT:     %b = nv_tileas.async.pipeline.producer_write %pipe, %a : !nv_tileas.pipeline<f32, i32> {
// CHECK-NEXT:       %c = arith.constant 1 : i32
// CHECK-NEXT:       nv_tileas.async.pipeline.yield %x, %c : f32, i32
// CHECK-NEXT:     }
// CHECK-NEXT:     nv_tileas.async.pipeline.producer_commit %pipe, %b : !nv_tileas.pipeline<f32, i32>
// CHECK-NEXT:     nv_tileas.async.pipeline.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   %put2 = nv_tileas.async.pipeline.inc_iter %put0 : !nv_tileas.iterator<producer, f32, i32>
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: } {
// CHECK-NEXT: ^bb0(%put1: !nv_tileas.iterator<producer, f32, i32>, %get1: !nv_tileas.iterator<consumer, f32, i32>):
// CHECK-NEXT:   %d = nv_tileas.async.pipeline.consume_one %pipe[%get1] {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32> -> f32 {
// CHECK-NEXT:     %e = nv_tileas.async.pipeline.consumer_wait %pipe[%get1] {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32>
// CHECK-NEXT:     %f, %g = nv_tileas.async.pipeline.consumer_read %pipe, %e {consumer_idx = 1 : i32} : !nv_tileas.pipeline<f32, i32> -> !nv_tileas.consumer_token, f32 {
// CHECK-NEXT:     ^bb0(%h: f32, %i: i32):
// CHECK-NEXT:       nv_tileas.async.pipeline.yield %h : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     nv_tileas.async.pipeline.consumer_release %pipe, %f : !nv_tileas.pipeline<f32, i32>
// CHECK-NEXT:     nv_tileas.async.pipeline.yield %g : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }
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
// CHECK-NEXT: %p0 = nv_tileas.async.pipeline.produce_one_async %pipe[%put] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32> -> !nv_tileas.async_token {
// CHECK-NEXT:   %p1 = nv_tileas.create_none : !nv_tileas.async_token
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %p1 : !nv_tileas.async_token
// CHECK-NEXT: }
%p0 = nv_tileas.async.pipeline.produce_one_async %pipe[%put] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<producer, f32, i32> -> !nv_tileas.async_token {
  %p1 = nv_tileas.create_none : !nv_tileas.async_token
  nv_tileas.async.pipeline.yield %p1 : !nv_tileas.async_token
}
// CHECK-NEXT: %c0, %c1 = nv_tileas.async.pipeline.consume_one_async %pipe[%get] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32> -> !nv_tileas.async_token, f32 {
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %p0, %x : !nv_tileas.async_token, f32
// CHECK-NEXT: }
%c0, %c1 = nv_tileas.async.pipeline.consume_one_async %pipe[%get] : !nv_tileas.pipeline<f32, i32>, !nv_tileas.iterator<consumer, f32, i32> -> !nv_tileas.async_token, f32 {
  nv_tileas.async.pipeline.yield %p0, %x : !nv_tileas.async_token, f32
}
