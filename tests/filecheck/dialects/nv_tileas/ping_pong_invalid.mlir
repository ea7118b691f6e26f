// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expects at least 2 warpgroups, not 1
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 1 : i32}
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 2 named barriers from 10 to 15, the others are used elsewhere, but begins with 1
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 1 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 2 named barriers from 10 to 15, the others are used elsewhere, but begins with 15
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 15 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects to be in an agent of 2 warpgroups that begins with warp 0, but that one has 4 warps
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 4>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects to be in an agent of 2 warpgroups that begins with warp 0
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 4>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects one 'nv_tileas.ping_pong.end', in the same block
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  nv_tileas.ping_pong.arrive %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 'nv_tileas.ping_pong.arrive' after it in its block: the other warpgroups wait for it forever
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 'nv_tileas.ping_pong.arrive' after it in its block: the other warpgroups wait for it forever
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  nv_tileas.ping_pong.wait %t
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 'nv_tileas.ping_pong.wait' before it in its block
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 'nv_tileas.ping_pong.arrive' before 'nv_tileas.barrier', where warpgroups wait for each other
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  nv_tileas.barrier
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects 'nv_tileas.ping_pong.arrive' before 'nv_tileas.barrier', where warpgroups wait for each other
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  %c = arith.constant true
  nv_tileas.ping_pong.wait %t
  scf.if %c {
    nv_tileas.barrier
  }
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: expects the result of 'nv_tileas.ping_pong.begin'
%t = "test.op"() : () -> !nv_tileas.ping_pong
nv_tileas.ping_pong.end %t

// -----

// CHECK: expects 'nv_tileas.ping_pong.arrive' before 'nv_tileas.async.pipeline.consumer_wait': others that wait for their turns have not released the stages that this warpgroup has
!pipeline = !nv_tileas.pipeline<f32>
!iterator = !nv_tileas.iterator<consumer, f32>
%pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline
%get = nv_tileas.async.pipeline.create_iterator %pipe : !pipeline -> !iterator
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  %first = nv_tileas.async.pipeline.consumer_wait %pipe[%get] : !pipeline, !iterator
  nv_tileas.ping_pong.wait %t
  nv_tileas.async.pipeline.consumer_release %pipe, %first : !pipeline
  %second = nv_tileas.async.pipeline.consumer_wait %pipe[%get] : !pipeline, !iterator
  nv_tileas.ping_pong.arrive %t
  nv_tileas.async.pipeline.consumer_release %pipe, %second : !pipeline
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}

// -----

// CHECK: %first, %end, %step = "test.op"()
// CHECK: expects 'nv_tileas.ping_pong.arrive' before 'nv_tileas.async.pipeline.consumer_wait': others that wait for their turns have not released the stages that this warpgroup has
!pipeline = !nv_tileas.pipeline<f32>
!iterator = !nv_tileas.iterator<consumer, f32>
%pipe = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline
%get = nv_tileas.async.pipeline.create_iterator %pipe : !pipeline -> !iterator
%first, %end, %step = "test.op"() : () -> (index, index, index)
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 8>, warp_id = array<i32: 0>} {
  %t = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  nv_tileas.ping_pong.wait %t
  scf.for %i = %first to %end step %step {
    %token = nv_tileas.async.pipeline.consumer_wait %pipe[%get] : !pipeline, !iterator
    nv_tileas.async.pipeline.consumer_release %pipe, %token : !pipeline
  }
  nv_tileas.ping_pong.arrive %t
  nv_tileas.ping_pong.end %t
  nv_tileas.async.pipeline.yield
}
