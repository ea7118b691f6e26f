// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

// CHECK: nv_tileas.async.pipeline.agent_switch
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 8>, warp_id = array<i32: 8, 0>} {
  nv_tileas.async.pipeline.yield
} {
  // CHECK: [[T:%.*]] = nv_tileas.turn.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  %turns = nv_tileas.turn.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  // CHECK-NEXT: nv_tileas.turn.wait [[T]]
  nv_tileas.turn.wait %turns
  // CHECK-NEXT: nv_tileas.turn.pass [[T]]
  nv_tileas.turn.pass %turns
  // CHECK-NEXT: nv_tileas.turn.end [[T]]
  nv_tileas.turn.end %turns
  nv_tileas.async.pipeline.yield
}
