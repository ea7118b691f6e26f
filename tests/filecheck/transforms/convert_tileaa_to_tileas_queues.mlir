// RUN: tileiras-opt %s -p 'convert-tileaa-to-tileas{compute-capability=sm_90}' --split-input-file | filecheck %s

// Agents, each with an iterator of each queue that it uses; loops and branches carry it.

// REQ: F-14, F-15
!queue = !nv_tileaa.queue<tensor<8xf32>>
!t8xf32 = tensor<8xf32>

func.func @agents(%x: !t8xf32, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %q = nv_tileaa.create_queue : !queue
  nv_tileaa.mark_for_reuse %q : !queue
  "nv_tileaa.execute"(%q) <{max_registers = 60 : i32, named_barriers = 1 : i32, shared_memory_bytes = 1024 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [#cute.layout<(1@0)>], output_layouts = [#cute.layout<(1@1)>]}> ({
  ^bb0(%r: !queue):
    scf.for %i = %zero to %n step %one : i32 {
      scf.if %c {
        nv_tileaa.queue.put %r, %x : !queue, !t8xf32
      }
    }
    nv_tileaa.yield
  }, {
  ^bb0(%r: !queue):
    %s = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> (!t8xf32) : i32 {
      %y = "nv_tileaa.queue.get"(%q) ({
      ^bb0(%e: !t8xf32):
        %d = nv_tileaa.addf %e, %acc : !t8xf32
        nv_tileaa.queue.yield %d : !t8xf32
      }) : (!queue) -> !t8xf32
      scf.yield %y : !t8xf32
    }
    nv_tileaa.yield
  }) : (!queue) -> ()
  func.return
}

// CHECK: !pipeline0 = !nv_tileas.pipeline<tensor<8xf32>>
// CHECK: !producer0 = !nv_tileas.iterator<producer, tensor<8xf32>>
// CHECK: !consumer0 = !nv_tileas.iterator<consumer, tensor<8xf32>>
// CHECK:       func.func @agents(%x: tensor<8xf32>, %n: i32, %c: i1) {
// CHECK-NEXT:    %zero = arith.constant 0 : i32
// CHECK-NEXT:    %one = arith.constant 1 : i32
// CHECK-NEXT:    %q = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, mark_for_reuse} : !pipeline0
// CHECK-NEXT:    %put = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !producer0
// CHECK-NEXT:    %get = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !consumer0
// CHECK-NEXT:    nv_tileas.async.pipeline.agent_switch(%q, %put, %get : !pipeline0, !producer0, !consumer0) attributes {named_barriers = 1 : i32,
// CHECK-SAME:    shared_memory_bytes = 1024 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [#cute.layout<(1@0)>], output_layouts = [#cute.layout<(1@1)>],
// CHECK-SAME:    max_regs = array<i32: 64, 64>} {
// CHECK-NEXT:    ^bb0(%r: !pipeline0, %put_1: !producer0, %get_1: !consumer0):
// CHECK-NEXT:      %put_2 = scf.for %i = %zero to %n step %one iter_args(%put_3 = %put_1) -> (!producer0) : i32 {
// CHECK-NEXT:        %put_4 = scf.if %c -> (!producer0) {
// CHECK-NEXT:          nv_tileas.async.pipeline.produce_one %q[%put_3] : !pipeline0, !producer0 {
// CHECK-NEXT:            %0 = nv_tileas.async.pipeline.producer_acquire %q[%put_3] : !pipeline0, !producer0
// CHECK-NEXT:            %1 = nv_tileas.async.pipeline.producer_write %q, %0 : !pipeline0 {
// CHECK-NEXT:              nv_tileas.async.pipeline.yield %x : tensor<8xf32>
// CHECK-NEXT:            }
// CHECK-NEXT:            nv_tileas.async.pipeline.producer_commit %q, %1 : !pipeline0
// CHECK-NEXT:            nv_tileas.async.pipeline.yield
// CHECK-NEXT:          }
// CHECK-NEXT:          %put_5 = nv_tileas.async.pipeline.inc_iter %put_3 : !producer0
// CHECK-NEXT:          scf.yield %put_5 : !producer0
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %put_3 : !producer0
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %put_4 : !producer0
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    } {
// CHECK-NEXT:    ^bb0(%r_1: !pipeline0, %put_6: !producer0, %get_2: !consumer0):
// CHECK-NEXT:      %s, %get_3 = scf.for %i_1 = %zero to %n step %one iter_args(%acc = %x, %get_4 = %get_2) -> (tensor<8xf32>, !consumer0) : i32 {
// CHECK-NEXT:        %y = nv_tileas.async.pipeline.consume_one %q[%get_4] : !pipeline0, !consumer0 -> tensor<8xf32> {
// CHECK-NEXT:          %2 = nv_tileas.async.pipeline.consumer_wait %q[%get_4] : !pipeline0, !consumer0
// CHECK-NEXT:          %3, %4 = nv_tileas.async.pipeline.consumer_read %q, %2 : !pipeline0 -> !nv_tileas.consumer_token, tensor<8xf32> {
// CHECK-NEXT:          ^bb0(%e: tensor<8xf32>):
// CHECK-NEXT:            %d = nv_tileaa.addf %e, %acc : tensor<8xf32>
// CHECK-NEXT:            nv_tileas.async.pipeline.yield %d : tensor<8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          nv_tileas.async.pipeline.consumer_release %q, %3 : !pipeline0
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %4 : tensor<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %get_5 = nv_tileas.async.pipeline.inc_iter %get_4 : !consumer0
// CHECK-NEXT:        scf.yield %y, %get_5 : tensor<8xf32>, !consumer0
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// One agent is both ends: the function itself. A while loop carries two iterators.

// REQ: F-15
func.func @one_agent(%x: i32) -> i32 {
  %q = nv_tileaa.create_queue {num_stages = 4 : i64} : !nv_tileaa.queue
  %r = scf.while (%i = %x) : (i32) -> i32 {
    nv_tileaa.queue.put %q, %i, %i : !nv_tileaa.queue, i32, i32
    %c = arith.cmpi slt, %i, %x : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = "nv_tileaa.queue.get"(%q) ({
      nv_tileaa.queue.yield %x : i32
    }) : (!nv_tileaa.queue) -> i32
    scf.yield %j : i32
  }
  func.return %r : i32
}

// CHECK: !pipeline0 = !nv_tileas.pipeline<i32, i32>
// CHECK: !producer0 = !nv_tileas.iterator<producer, i32, i32>
// CHECK: !consumer0 = !nv_tileas.iterator<consumer, i32, i32>
// CHECK:       func.func @one_agent(%x: i32) -> i32 {
// CHECK-NEXT:    %q = nv_tileas.async.pipeline.create_pipeline {numStages = 4 : i32} : !pipeline0
// CHECK-NEXT:    %put = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !producer0
// CHECK-NEXT:    %get = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !consumer0
// CHECK-NEXT:    %r, %put_1, %get_1 = scf.while (%i = %x, %put_2 = %put, %get_2 = %get) : (i32, !producer0, !consumer0) -> (i32, !producer0, !consumer0) {
// CHECK-NEXT:      nv_tileas.async.pipeline.produce_one %q[%put_2] : !pipeline0, !producer0 {
// CHECK-NEXT:        %0 = nv_tileas.async.pipeline.producer_acquire %q[%put_2] : !pipeline0, !producer0
// CHECK-NEXT:        %1 = nv_tileas.async.pipeline.producer_write %q, %0 : !pipeline0 {
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %i, %i : i32, i32
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.producer_commit %q, %1 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %put_3 = nv_tileas.async.pipeline.inc_iter %put_2 : !producer0
// CHECK-NEXT:      %c = arith.cmpi slt, %i, %x : i32
// CHECK-NEXT:      scf.condition(%c) %i, %put_3, %get_2 : i32, !producer0, !consumer0
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%i_1: i32, %put_4: !producer0, %get_3: !consumer0):
// CHECK-NEXT:      %j = nv_tileas.async.pipeline.consume_one %q[%get_3] : !pipeline0, !consumer0 -> i32 {
// CHECK-NEXT:        %2 = nv_tileas.async.pipeline.consumer_wait %q[%get_3] : !pipeline0, !consumer0
// CHECK-NEXT:        %3, %4 = nv_tileas.async.pipeline.consumer_read %q, %2 : !pipeline0 -> !nv_tileas.consumer_token, i32 {
// CHECK-NEXT:        ^bb0(%5: i32, %6: i32):
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %x : i32
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.consumer_release %q, %3 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield %4 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %get_4 = nv_tileas.async.pipeline.inc_iter %get_3 : !consumer0
// CHECK-NEXT:      scf.yield %j, %put_4, %get_4 : i32, !producer0, !consumer0
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : i32
// CHECK-NEXT:  }

// -----

// Several consumers; results; an agent without a body; a queue within a loop.

// REQ: F-15
!queue = !nv_tileaa.queue<i32>

func.func @consumers(%x: i32, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %p = nv_tileaa.create_queue : !queue
    nv_tileaa.queue.put %p, %x : !queue, i32
    "nv_tileaa.queue.get"(%p) ({
      nv_tileaa.queue.yield
    }) : (!queue) -> ()
  }
  %q = nv_tileaa.create_queue : !queue
  nv_tileaa.queue.put %q, %x : !queue, i32
  %r = "nv_tileaa.execute"(%x) <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
    %y = "nv_tileaa.queue.get"(%q) ({
    ^bb0(%e: i32):
      nv_tileaa.queue.yield %e : i32
    }) {consumer_idx = 0 : i32} : (!queue) -> i32
    nv_tileaa.yield %y : i32
  }, {
    %y = "nv_tileaa.queue.get"(%q) ({
    ^bb0(%e: i32):
      nv_tileaa.queue.yield %e : i32
    }) {consumer_idx = 1 : i32} : (!queue) -> i32
    nv_tileaa.yield
  }, {
  }) : (i32) -> i32
  func.return %r : i32
}

// CHECK: !pipeline0 = !nv_tileas.pipeline<i32>
// CHECK: !producer0 = !nv_tileas.iterator<producer, i32>
// CHECK: !consumer0 = !nv_tileas.iterator<consumer, i32>
// CHECK:       func.func @consumers(%x: i32, %n: i32) -> i32 {
// CHECK-NEXT:    %zero = arith.constant 0 : i32
// CHECK-NEXT:    %one = arith.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %zero to %n step %one : i32 {
// CHECK-NEXT:      %p = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline0
// CHECK-NEXT:      %put = nv_tileas.async.pipeline.create_iterator %p : !pipeline0 -> !producer0
// CHECK-NEXT:      %get = nv_tileas.async.pipeline.create_iterator %p : !pipeline0 -> !consumer0
// CHECK-NEXT:      nv_tileas.async.pipeline.produce_one %p[%put] : !pipeline0, !producer0 {
// CHECK-NEXT:        %0 = nv_tileas.async.pipeline.producer_acquire %p[%put] : !pipeline0, !producer0
// CHECK-NEXT:        %1 = nv_tileas.async.pipeline.producer_write %p, %0 : !pipeline0 {
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %x : i32
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.producer_commit %p, %1 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %put_1 = nv_tileas.async.pipeline.inc_iter %put : !producer0
// CHECK-NEXT:      nv_tileas.async.pipeline.consume_one %p[%get] : !pipeline0, !consumer0 {
// CHECK-NEXT:        %2 = nv_tileas.async.pipeline.consumer_wait %p[%get] : !pipeline0, !consumer0
// CHECK-NEXT:        %3 = nv_tileas.async.pipeline.consumer_read %p, %2 : !pipeline0 -> !nv_tileas.consumer_token {
// CHECK-NEXT:        ^bb0(%4: i32):
// CHECK-NEXT:          nv_tileas.async.pipeline.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.consumer_release %p, %3 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %get_1 = nv_tileas.async.pipeline.inc_iter %get : !consumer0
// CHECK-NEXT:    }
// CHECK-NEXT:    %q = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32, numConsumers = 2 : i32} : !pipeline0
// CHECK-NEXT:    %put_2 = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !producer0
// CHECK-NEXT:    %get_2 = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !consumer0
// CHECK-NEXT:    %get_3 = nv_tileas.async.pipeline.create_iterator %q : !pipeline0 -> !consumer0
// CHECK-NEXT:    nv_tileas.async.pipeline.produce_one %q[%put_2] : !pipeline0, !producer0 {
// CHECK-NEXT:      %5 = nv_tileas.async.pipeline.producer_acquire %q[%put_2] : !pipeline0, !producer0
// CHECK-NEXT:      %6 = nv_tileas.async.pipeline.producer_write %q, %5 : !pipeline0 {
// CHECK-NEXT:        nv_tileas.async.pipeline.yield %x : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.async.pipeline.producer_commit %q, %6 : !pipeline0
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %put_3 = nv_tileas.async.pipeline.inc_iter %put_2 : !producer0
// CHECK-NEXT:    %r = nv_tileas.async.pipeline.agent_switch(%x, %get_2, %get_3 : i32, !consumer0, !consumer0)
// CHECK-SAME:    -> i32 attributes {named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = [],
// CHECK-SAME:    max_regs = array<i32: 0, 0, 0>} {
// CHECK-NEXT:    ^bb0(%x_1: i32, %get_4: !consumer0, %get_5: !consumer0):
// CHECK-NEXT:      %y = nv_tileas.async.pipeline.consume_one %q[%get_4] {consumer_idx = 0 : i32} : !pipeline0, !consumer0 -> i32 {
// CHECK-NEXT:        %7 = nv_tileas.async.pipeline.consumer_wait %q[%get_4] {consumer_idx = 0 : i32} : !pipeline0, !consumer0
// CHECK-NEXT:        %8, %9 = nv_tileas.async.pipeline.consumer_read %q, %7 {consumer_idx = 0 : i32} : !pipeline0 -> !nv_tileas.consumer_token, i32 {
// CHECK-NEXT:        ^bb0(%e: i32):
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %e : i32
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.consumer_release %q, %8 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield %9 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %get_6 = nv_tileas.async.pipeline.inc_iter %get_4 : !consumer0
// CHECK-NEXT:      nv_tileas.async.pipeline.yield %y : i32
// CHECK-NEXT:    } {
// CHECK-NEXT:    ^bb0(%x_2: i32, %get_7: !consumer0, %get_8: !consumer0):
// CHECK-NEXT:      %y_1 = nv_tileas.async.pipeline.consume_one %q[%get_8] {consumer_idx = 1 : i32} : !pipeline0, !consumer0 -> i32 {
// CHECK-NEXT:        %10 = nv_tileas.async.pipeline.consumer_wait %q[%get_8] {consumer_idx = 1 : i32} : !pipeline0, !consumer0
// CHECK-NEXT:        %11, %12 = nv_tileas.async.pipeline.consumer_read %q, %10 {consumer_idx = 1 : i32} : !pipeline0 -> !nv_tileas.consumer_token, i32 {
// CHECK-NEXT:        ^bb0(%e_1: i32):
// CHECK-NEXT:          nv_tileas.async.pipeline.yield %e_1 : i32
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.async.pipeline.consumer_release %q, %11 : !pipeline0
// CHECK-NEXT:        nv_tileas.async.pipeline.yield %12 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %get_9 = nv_tileas.async.pipeline.inc_iter %get_8 : !consumer0
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    } {
// CHECK-NEXT:    ^bb0(%x_3: i32, %get_10: !consumer0, %get_11: !consumer0):
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : i32
// CHECK-NEXT:  }
