// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

// CHECK: nv_tileas.async.pipeline.agent_switch
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 8>, warp_id = array<i32: 8, 0>} {
  nv_tileas.async.pipeline.yield
} {
  // CHECK: [[T:%.*]] = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  %ping_pong = nv_tileas.ping_pong.begin {barrier = 10 : i32, warpgroups = 2 : i32}
  // CHECK-NEXT: nv_tileas.ping_pong.wait [[T]]
  nv_tileas.ping_pong.wait %ping_pong
  // CHECK-NEXT: nv_tileas.ping_pong.arrive [[T]]
  nv_tileas.ping_pong.arrive %ping_pong
  // CHECK-NEXT: nv_tileas.ping_pong.end [[T]]
  nv_tileas.ping_pong.end %ping_pong
  nv_tileas.async.pipeline.yield
}
