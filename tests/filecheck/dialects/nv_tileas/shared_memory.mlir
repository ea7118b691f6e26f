// RUN: tileiras-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// Of bytes that all threads, those of a warp or bulk copies read, and of two buffers in use at once.

"test.op"() {a = #nv_tileas.buffer<0, 1024>, b = #nv_tileas.buffer<0, 1024, threads>, c = #nv_tileas.buffer<0, 1024, copies>} : () -> ()
"test.op"() {a = #nv_tileas.buffer<0, 1024, sync = warp>, b = #nv_tileas.buffer<8, 4, sync = next>, c = #nv_tileas.buffer<0, 1024, copies, sync = copies>} : () -> ()
// PRINTS: "test.op"() {a = #nv_tileas.buffer<0, 1024>} : () -> ()
"test.op"() {a = #nv_tileas.buffer<0, 1024, sync = threads>} : () -> ()
"test.op"() {a = #nv_tileas.shared_memory<17408, 16384, 232448>, b = #nv_tileas.shared_memory<0, 0, 49152>} : () -> ()

nv_tileas.barrier
nv_tileas.wait_copies
nv_tileas.wait_copies written
nv_tileas.fence_proxy

// The agent whose first warp is that of the block is the one that works on tiles.
nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
  nv_tileas.fence_proxy
  nv_tileas.async.pipeline.yield
} {
  nv_tileas.barrier
  nv_tileas.wait_copies
  nv_tileas.async.pipeline.yield
}
