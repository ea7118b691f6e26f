// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --split-input-file | filecheck %s

// A loop carries numbers. Every iteration begins with the same parity: an extra arrival at its
// end sees to that. The first iteration waits for the odd phase that never was, which is over.

// REQ: E-12, E-19, E-20
!token = !nv_tileaa.mem_token

func.func @for(%p: !llvm.ptr<1>, %v: i32, %n: index, %one: index) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = scf.for %i = %one to %n step %one iter_args(%t = %t0) -> (!token) {
    %t1 = nv_tileaa.store %p, %v token(%t) : !llvm.ptr<1>, i32 -> !token
    scf.yield %t1 : !token
  }
  %x, %t2 = nv_tileaa.load %p token(%r) : !llvm.ptr<1> -> i32, !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_for() {addr_space = 3 : i32, alignment = 8 : i64} : [[array:!llvm.array<32 x i64>]]
// CHECK-NEXT:  func.func @for(%p: [[gptr:!llvm.ptr<1>]], %v: i32, %n: index, %one: index) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_for : [[sptr:!llvm.ptr<3>]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %r = scf.for %i = %one to %n step %one iter_args(%t = %t0) -> (i32) {
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %1 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %2 = arith.xori %1, %phase1 : i1
// CHECK-NEXT:        scf.condition(%2)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %3 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %4 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:        scf.condition(%5)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %t : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %7 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %8 = arith.xori %7, %phase1 : i1
// CHECK-NEXT:      scf.condition(%8)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:    %9 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// An even number of effects needs no extra arrivals.

!token = !nv_tileaa.mem_token

func.func @even(%p: !llvm.ptr<1>, %v: i32, %n: index, %one: index) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = scf.for %i = %one to %n step %one iter_args(%t = %t0) -> (!token) {
    %t1 = nv_tileaa.store %p, %v token(%t) : !llvm.ptr<1>, i32 -> !token
    %x, %t2 = nv_tileaa.load %p token(%t1) : !llvm.ptr<1> -> i32, !token
    scf.yield %t2 : !token
  }
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_even() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @even(%p: [[gptr]], %v: i32, %n: index, %one: index) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_even : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %r = scf.for %i = %one to %n step %one iter_args(%t = %t0) -> (i32) {
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %1 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %2 = arith.xori %1, %phase1 : i1
// CHECK-NEXT:        scf.condition(%2)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %3 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %4 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:        scf.condition(%5)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:      %6 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %t : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// A token made in a loop has one barrier, initialised before the loop.

func.func @created_in_loop(%p: !llvm.ptr<1>, %v: i32, %n: index, %one: index) {
  scf.for %i = %one to %n step %one {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    %t2 = nv_tileaa.store %p, %v token(%t1) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  }
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_created_in_loop() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @created_in_loop(%p: [[gptr]], %v: i32, %n: index, %one: index) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_created_in_loop : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    scf.for %i = %one to %n step %one {
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %1 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %2 = arith.xori %1, %phase1 : i1
// CHECK-NEXT:        scf.condition(%2)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %3 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %4 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:        scf.condition(%5)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %6 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Both arms end alike. Who depends on the result depends on both tokens.

!token = !nv_tileaa.mem_token

func.func @if(%p: !llvm.ptr<1>, %v: i32, %c: i1) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.create_mem_token : !token
  %r = scf.if %c -> (!token) {
    %a = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
    scf.yield %a : !token
  } else {
    scf.yield %t1 : !token
  }
  %x, %t2 = nv_tileaa.load %p token(%r) : !llvm.ptr<1> -> i32, !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_if() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @if(%p: [[gptr]], %v: i32, %c: i1) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_if : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %slot1 = llvm.getelementptr inbounds %mbarriers[0, 1] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot1, %1 : [[sptr]], i32
// CHECK-NEXT:    %t1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    %r = scf.if %c -> (i32) {
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %2 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %t0 : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %3 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %t1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %4 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:      scf.condition(%5)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:    %6 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    %7 = nvvm.mbarrier.arrive.shared %slot1 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Without an else the arm goes back to where it began.

func.func @no_else(%p: !llvm.ptr<1>, %v: i32, %c: i1) {
  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  scf.if %c {
    %a = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  }
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_no_else() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @no_else(%p: [[gptr]], %v: i32, %c: i1) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_no_else : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:        scf.condition(%3)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// The first region of a while also runs when the loop ends; only the second goes back.

!token = !nv_tileaa.mem_token

func.func @while(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = scf.while (%t = %t0) : (!token) -> !token {
    %t1 = nv_tileaa.store %p, %v token(%t) : !llvm.ptr<1>, i32 -> !token
    %c = "test.op"() : () -> i1
    scf.condition(%c) %t1 : !token
  } do {
  ^bb0(%a: !token):
    scf.yield %a : !token
  }
  %x, %t2 = nv_tileaa.load %p token(%r) : !llvm.ptr<1> -> i32, !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_while() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @while(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_while : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %r = scf.while (%t = %t0) : (i32) -> i32 {
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %1 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %2 = arith.xori %1, %phase1 : i1
// CHECK-NEXT:        scf.condition(%2)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %3 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      %c = "test.op"() : () -> i1
// CHECK-NEXT:      scf.condition(%c) %t : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%a: i32):
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %4 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:        scf.condition(%5)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %a : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %7 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %8 = arith.xori %7, %phase1 : i1
// CHECK-NEXT:      scf.condition(%8)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:    %9 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Choices and poison.

!token = !nv_tileaa.mem_token

func.func @select(%p: !llvm.ptr<1>, %v: i32, %c: i1) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = ub.poison : !token
  %s = arith.select %c, %t0, %t1 : !token
  %t2 = nv_tileaa.store %p, %v token(%s) : !llvm.ptr<1>, i32 -> !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_select() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @select(%p: [[gptr]], %v: i32, %c: i1) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_select : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %t1 = ub.poison : i32
// CHECK-NEXT:    %s = arith.select %c, %t0, %t1 : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Agents take and yield numbers.

!token = !nv_tileaa.mem_token

func.func @execute(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = "nv_tileaa.execute"(%t0) <{max_registers = 64 : i32, named_barriers = 1 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> ({
  ^bb0(%t: !token):
    %t1 = nv_tileaa.store %p, %v token(%t) : !llvm.ptr<1>, i32 -> !token
    nv_tileaa.yield %t1 : !token
  }) : (!token) -> !token
  %x, %t2 = nv_tileaa.load %p token(%r) : !llvm.ptr<1> -> i32, !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_execute() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @execute(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_execute : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %r = nv_tileas.async.pipeline.agent_switch(%t0 : i32) -> i32 attributes {named_barriers = 1 : i32, shared_memory_bytes = 0 : i64,
// CHECK-SAME:    tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = [], max_regs = array<i32: 64>} {
// CHECK-NEXT:    ^bb0(%t: i32):
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      nv_tileas.async.pipeline.yield %t : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:      scf.condition(%3)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:    %4 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// All arms of a switch end alike.

!token = !nv_tileaa.mem_token

func.func @index_switch(%p: !llvm.ptr<1>, %v: i32, %n: index) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = scf.index_switch %n -> !token
  case 2 {
    %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
    scf.yield %t1 : !token
  }
  default {
    scf.yield %t0 : !token
  }
  %x, %t2 = nv_tileaa.load %p token(%r) : !llvm.ptr<1> -> i32, !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_index_switch() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @index_switch(%p: [[gptr]], %v: i32, %n: index) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_index_switch : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %r = scf.index_switch %n -> i32
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:        scf.condition(%3)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %t0 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      scf.yield %t0 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %5 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %6 = arith.xori %5, %phase1 : i1
// CHECK-NEXT:      scf.condition(%6)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:    %7 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Regions that run once, and an effect known by name.

!token = !nv_tileaa.mem_token

func.func @pragma(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %r = "nv_tileaa.pragma"() ({
    %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
    nv_tileaa.yield %t1 : !token
  }) {unroll = 4 : i32} : () -> !token
  %queue = nv_tileaa.create_queue : !nv_tileaa.queue
  nv_tileaa.queue.put %queue : !nv_tileaa.queue
  %q = "nv_tileaa.queue.get"(%queue) ({
    %t1 = nv_tileaa.store %p, %v token(%r) : !llvm.ptr<1>, i32 -> !token
    nv_tileaa.queue.yield %t1 : !token
  }) : (!nv_tileaa.queue) -> !token
  %s = scf.execute_region -> (!token) {
    %x, %t2 = nv_tileaa.load %p token(%q) : !llvm.ptr<1> -> i32, !token
    scf.yield %t2 : !token
  }
  %pl = "nv_tileaa.plugin"(%s, %v) <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64, input_layouts = [], output_layouts = []}> : (!token, i32) -> !token
  func.return
}

// CHECK: !pipeline0 = !nv_tileas.pipeline
// CHECK: !producer0 = !nv_tileas.iterator<producer>
// CHECK: !consumer0 = !nv_tileas.iterator<consumer>
// CHECK:       llvm.mlir.global internal @mbarriers_pragma() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @pragma(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_pragma : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %r = "nv_tileas.pragma"() ({
// CHECK-NEXT:      nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:      %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      nv_tileas.yield %t0 : i32
// CHECK-NEXT:    }) {unroll = 4 : i32} : () -> i32
// CHECK-NEXT:    %queue = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32} : !pipeline0
// CHECK-NEXT:    %put = nv_tileas.async.pipeline.create_iterator %queue : !pipeline0 -> !producer0
// CHECK-NEXT:    %get = nv_tileas.async.pipeline.create_iterator %queue : !pipeline0 -> !consumer0
// CHECK-NEXT:    nv_tileas.async.pipeline.produce_one %queue[%put] : !pipeline0, !producer0 {
// CHECK-NEXT:      %2 = nv_tileas.async.pipeline.producer_acquire %queue[%put] : !pipeline0, !producer0
// CHECK-NEXT:      %3 = nv_tileas.async.pipeline.producer_write %queue, %2 : !pipeline0 {
// CHECK-NEXT:        nv_tileas.async.pipeline.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.async.pipeline.producer_commit %queue, %3 : !pipeline0
// CHECK-NEXT:      nv_tileas.async.pipeline.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %put_1 = nv_tileas.async.pipeline.inc_iter %put : !producer0
// CHECK-NEXT:    %q = nv_tileas.async.pipeline.consume_one %queue[%get] : !pipeline0, !consumer0 -> i32 {
// CHECK-NEXT:      %4 = nv_tileas.async.pipeline.consumer_wait %queue[%get] : !pipeline0, !consumer0
// CHECK-NEXT:      %5, %6 = nv_tileas.async.pipeline.consumer_read %queue, %4 : !pipeline0 -> !nv_tileas.consumer_token, i32 {
// CHECK-NEXT:        scf.while : () -> () {
// CHECK-NEXT:          %7 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:          %8 = arith.xori %7, %phase1 : i1
// CHECK-NEXT:          scf.condition(%8)
// CHECK-NEXT:        } do {
// CHECK-NEXT:          scf.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:        %9 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:        nv_tileas.async.pipeline.yield %r : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      nv_tileas.async.pipeline.consumer_release %queue, %5 : !pipeline0
// CHECK-NEXT:      nv_tileas.async.pipeline.yield %6 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %get_1 = nv_tileas.async.pipeline.inc_iter %get : !consumer0
// CHECK-NEXT:    %s = scf.execute_region -> (i32) {
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %10 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %11 = arith.xori %10, %phase1 : i1
// CHECK-NEXT:        scf.condition(%11)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      %x = nv_tileas.load %p : [[gptr]] -> i32
// CHECK-NEXT:      %12 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.yield %q : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %13 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %14 = arith.xori %13, %phase1 : i1
// CHECK-NEXT:      scf.condition(%14)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    "nv_tileaa.plugin"(%v) <{max_registers = 0 : i32, named_barriers = 0 : i32, shared_memory_bytes = 0 : i64, tensor_memory_bytes = 0 : i64,
// CHECK-SAME:    input_layouts = [], output_layouts = []}> : (i32) -> ()
// CHECK-NEXT:    %15 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
