// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expects an offset from 0 on and a size from 1 on, but got -8 and 16
"test.op"() {a = #nv_tileas.buffer<-8, 16>} : () -> ()

// -----

// CHECK: expects an offset from 0 on and a size from 1 on, but got 8 and 0
"test.op"() {a = #nv_tileas.buffer<8, 0>} : () -> ()

// -----

// CHECK: unknown wait 'warps' (expected threads or copies)
"test.op"() {a = #nv_tileas.buffer<8, 16, warps>} : () -> ()

// -----

// CHECK: unknown sync 'block' (expected threads or warp or copies or next)
"test.op"() {a = #nv_tileas.buffer<8, 16, threads, sync = block>} : () -> ()

// -----

// CHECK: scratch memory begins at 2048, which is not in 1024 bytes
"test.op"() {a = #nv_tileas.shared_memory<1024, 2048, 49152>} : () -> ()

// -----

// CHECK: a CTA can have 49152 bytes of shared memory, not 65536
"test.op"() {a = #nv_tileas.shared_memory<65536, 2048, 49152>} : () -> ()

// -----

// CHECK: agent 1 begins with warp 4: one thread of it runs, and the others never arrive
"nv_tileas.async.pipeline.agent_switch"() <{num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>}> ({
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.barrier
  nv_tileas.async.pipeline.yield
}) : () -> ()

// -----

// CHECK: agent 0 begins with warp 4: one thread of it runs, and the others never arrive
"nv_tileas.async.pipeline.agent_switch"() <{num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>}> ({
  nv_tileas.wait_copies
  nv_tileas.async.pipeline.yield
}, {
  nv_tileas.async.pipeline.yield
}) : () -> ()
