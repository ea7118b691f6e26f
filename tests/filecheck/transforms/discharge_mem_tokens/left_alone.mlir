// RUN: tileiras-opt %s -p discharge-mem-tokens --print-local-scope | %verbatim %s

// Agents do not run all threads of a block, so what orders them is left, together with all tokens
// that it flows from or to. Others go.

!ptr = !llvm.ptr<1>
!token = !nv_tileaa.mem_token

func.func @queue(%p: !ptr, %x: i32) {
  %q = nv_tileaa.create_queue : !nv_tileaa.queue<!nv_tileaa.mem_token>
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !ptr, i32 -> !token
  nv_tileaa.queue.put %q, %t1 : !nv_tileaa.queue<!nv_tileaa.mem_token>, !token
  // PRINTS: nv_tileaa.store %p, %x : !ptr, i32
  %t2 = nv_tileaa.create_mem_token : !token
  // PRINTS:
  %t3 = nv_tileaa.store %p, %x token(%t2) : !ptr, i32 -> !token
  func.return
}

// Tokens in an agent are left, even if none leaves it.

func.func @pragma(%p: !ptr, %x: i32) {
  "nv_tileaa.pragma"() ({
    %t0 = nv_tileaa.create_mem_token : !token
    %t1 = nv_tileaa.store %p, %x token(%t0) : !ptr, i32 -> !token
    nv_tileaa.yield
  }) : () -> ()
  func.return
}

// So are those of unknown origin.

func.func @unknown(%p: !ptr, %x: i32) {
  %t0 = "test.op"() : () -> !token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !ptr, i32 -> !token
  func.return
}

