// RUN: tileiras-opt %s -p discharge-mem-tokens --print-local-scope | %verbatim %s

// Agents do not run all threads of a block, so what orders them is left, together with all tokens
// that it flows from or to. Others go.

func.func @queue(%p: !llvm.ptr<1>, %x: i32) {
  %q = nv_tileaa.create_queue : !nv_tileaa.queue<!nv_tileaa.mem_token>
  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  nv_tileaa.queue.put %q, %t1 : !nv_tileaa.queue<!nv_tileaa.mem_token>, !nv_tileaa.mem_token
  // PRINTS: nv_tileaa.store %p, %x : !llvm.ptr<1>, i32
  %t2 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // PRINTS:
  %t3 = nv_tileaa.store %p, %x token(%t2) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  func.return
}

// Tokens in an agent are left, even if none leaves it.

func.func @pragma(%p: !llvm.ptr<1>, %x: i32) {
  "nv_tileaa.pragma"() ({
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    nv_tileaa.yield
  }) : () -> ()
  func.return
}

// So are those of unknown origin.

func.func @unknown(%p: !llvm.ptr<1>, %x: i32) {
  %t0 = "test.op"() : () -> !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  func.return
}

