// RUN: tileiras-opt %s -p discharge-mem-tokens | filecheck %s

// Agents do not run all threads of a block, so what orders them is left, together with all tokens
// that it flows from or to. Others go.

func.func @queue(%p: !llvm.ptr<1>, %x: i32) {
  %q = nv_tileaa.create_queue : !nv_tileaa.queue<!nv_tileaa.mem_token>
  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  nv_tileaa.queue.put %q, %t1 : !nv_tileaa.queue<!nv_tileaa.mem_token>, !nv_tileaa.mem_token
  %t2 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t3 = nv_tileaa.store %p, %x token(%t2) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  func.return
}

// CHECK-LABEL: func.func @queue(%p: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    %q = nv_tileaa.create_queue : !nv_tileaa.queue<!nv_tileaa.mem_token>
// CHECK-NEXT:    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:    %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:    nv_tileaa.queue.put %q, %t1 : !nv_tileaa.queue<!nv_tileaa.mem_token>, !nv_tileaa.mem_token
// CHECK-NEXT:    nv_tileaa.store %p, %x : !llvm.ptr<1>, i32
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// Tokens in an agent are left, even if none leaves it.

func.func @pragma(%p: !llvm.ptr<1>, %x: i32) {
  "nv_tileaa.pragma"() ({
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    nv_tileaa.yield
  }) : () -> ()
  func.return
}

// CHECK-LABEL: func.func @pragma(%p: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    "nv_tileaa.pragma"() ({
// CHECK-NEXT:      %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:      %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:      nv_tileaa.yield
// CHECK-NEXT:    }) : () -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// So are those of unknown origin.

func.func @unknown(%p: !llvm.ptr<1>, %x: i32) {
  %t0 = "test.op"() : () -> !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  func.return
}

// CHECK-LABEL: func.func @unknown(%p: !llvm.ptr<1>, %x: i32) {
// CHECK-NEXT:    %t0 = "test.op"() : () -> !nv_tileaa.mem_token
// CHECK-NEXT:    %t1 = nv_tileaa.store %p, %x token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
