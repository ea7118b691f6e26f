// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --split-input-file | filecheck %s
// RUN: tileiras-opt %s -p convert-tileaa-to-tileas --split-input-file | filecheck %s --check-prefix=CLEAN
// RUN: tileiras-opt %s -p canonicalize-tileaa --split-input-file | filecheck %s --check-prefix=BEFORE

// Nothing is left of tokens but numbers of barriers.

// REQ: E-20
// CLEAN-NOT: mem_token

// Hop two, and nothing before it, makes barriers.

// REQ: E-23
// BEFORE-NOT: mbarrier
// BEFORE: nv_tileaa.join_mem_token

// A token is a barrier of the pool of its function, initialised once, and a number. A join waits
// for all of its tokens, in order, at phase 0 if they are fresh.

// REQ: E-14, E-16, E-17, E-18
func.func @join() {
  %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %t1 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
  %v = "test.op"() : () -> i32
  nv_tileaa.print "%d", %v : i32 token(%j)
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_join() {addr_space = 3 : i32, alignment = 8 : i64} : [[array:!llvm.array<32 x i64>]]
// CHECK-NEXT:  func.func @join() {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_join : [[sptr:!llvm.ptr<3>]]
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
// CHECK-NEXT:    %2 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %3 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %4 = arith.xori %3, %phase1 : i1
// CHECK-NEXT:      scf.condition(%4)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = nvvm.mbarrier.arrive.shared %slot1 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %6 = nvvm.mbarrier.try_wait.parity.shared %slot1, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %7 = arith.xori %6, %phase1 : i1
// CHECK-NEXT:      scf.condition(%7)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %v = "test.op"() : () -> i32
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %8 = nvvm.mbarrier.try_wait.parity.shared %slot1, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %9 = arith.xori %8, %phase1 : i1
// CHECK-NEXT:      scf.condition(%9)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    nv_tileaa.print "%d", %v : i32
// CHECK-NEXT:    %10 = nvvm.mbarrier.arrive.shared %slot1 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// The count is that of the announced producers, which a join waits for; it does not arrive for
// them.

// REQ: E-15
func.func @announced() {
  %t0 = nv_tileaa.create_mem_token {num_producers = 3 : i32} : !nv_tileaa.mem_token
  %t1 = "nv_tileaa.create_mem_token"() {num_producers = 1 : i32} : () -> !nv_tileaa.mem_token
  %j = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_announced() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @announced() {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_announced : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    %slot1 = llvm.getelementptr inbounds %mbarriers[0, 1] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot1, %1 : [[sptr]], i32
// CHECK-NEXT:    %t1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:      scf.condition(%3)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %4 = nvvm.mbarrier.try_wait.parity.shared %slot1, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %5 = arith.xori %4, %phase1 : i1
// CHECK-NEXT:      scf.condition(%5)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// An effect waits for the phase before it, then arrives, which ends the phase; the parities take
// turns.

// REQ: E-09, E-19
!token = !nv_tileaa.mem_token

func.func @chain(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token : !token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
  %x, %t2 = nv_tileaa.load %p token(%t1) {mem_semantic = "acquire", mem_scope = "gpu"} : !llvm.ptr<1> -> i32, !token
  %t3 = nv_tileaa.store %p, %x token(%t2) : !llvm.ptr<1>, i32 -> !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_chain() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @chain(%p: [[gptr:!llvm.ptr<1>]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_chain : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:      scf.condition(%3)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %x = nv_tileas.load %p {mem_semantic = "acquire", mem_scope = "gpu"} : [[gptr]] -> i32
// CHECK-NEXT:    %4 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %5 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %6 = arith.xori %5, %phase1 : i1
// CHECK-NEXT:      scf.condition(%6)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    nv_tileas.store %p, %x : [[gptr]], i32
// CHECK-NEXT:    %7 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Two producers make a phase. The first two stores need not wait for each other.

// REQ: E-10, E-19
!token = !nv_tileaa.mem_token

func.func @producers(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token {num_producers = 2 : i32} : !token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
  %t2 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !token
  %j = nv_tileaa.join_mem_token [%t1, %t2] : !token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_producers() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @producers(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_producers : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %2 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %3 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %4 = arith.xori %3, %phase1 : i1
// CHECK-NEXT:      scf.condition(%4)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %5 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %6 = arith.xori %5, %phase1 : i1
// CHECK-NEXT:      scf.condition(%6)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Here the second one depends on the first, so the phase ends with an arrival for nobody.

func.func @dependent_producers(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.create_mem_token {num_producers = 2 : i32} : !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %v token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  %t2 = nv_tileaa.store %p, %v token(%t1) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_dependent_producers() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @dependent_producers(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_dependent_producers : [[sptr]]
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    %2 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:      %3 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:      %4 = arith.xori %3, %phase1 : i1
// CHECK-NEXT:      scf.condition(%4)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %5 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// An access without a token gets a barrier if its own token is used, and none otherwise.

func.func @no_token(%p: !llvm.ptr<1>, %v: i32) {
  %t0 = nv_tileaa.store %p, %v : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  %t1 = nv_tileaa.store %p, %v : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
  %x, %t2 = nv_tileaa.load %p token(%t1) : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
  func.return
}

// CHECK:       llvm.mlir.global internal @mbarriers_no_token() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  func.func @no_token(%p: [[gptr]], %v: i32) {
// CHECK-NEXT:    %mbarriers = llvm.mlir.addressof @mbarriers_no_token : [[sptr]]
// CHECK-NEXT:    %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:    %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:    %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:    %t1 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:    nv_tileas.store %p, %v : [[gptr]], i32
// CHECK-NEXT:    %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
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

// All kinds of effects.

!tiled_view0 = !nv_tileaa.tiled_view<8, !nv_tileaa.memref<64xf32, strides = [1]>>
!token = !nv_tileaa.mem_token

func.func @effects(%p: !llvm.ptr<1>, %i: i32, %m: i1, %view: !tiled_view0, %tile: tensor<8xf32>) {
  %t0 = nv_tileaa.create_mem_token : !token
  %a, %t1 = nv_tileaa.atomic_rmw %p, %i mask(%m : i1) token(%t0) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : !llvm.ptr<1>, i32 -> i32, !token
  %b, %t2 = nv_tileaa.tiled_load %view[%i] token(%t1) : !tiled_view0, i32 -> tensor<8xf32>, !token
  %t3 = nv_tileaa.tiled_store %tile, %view[%i] token(%t2) : tensor<8xf32>, !tiled_view0, i32 -> !token
  %t4 = nv_tileaa.print "%d", %i : i32 token(%t3) -> !token
  %t5 = nv_tileaa.memory_fence_alias_tko token(%t4) -> !token
  %t6 = nv_tileaa.gdc_wait_tko token(%t5) -> !token
  %t7 = nv_tileaa.gdc_launch_dependents_tko token(%t6) -> !token
  func.return
}

// CHECK: !memref0 = !nv_tileaa.memref<64xf32, strides = [1]>
// CHECK: !tiled_view0 = !nv_tileaa.tiled_view<8, !memref0>
// CHECK:      %a = nv_tileaa.atomic_rmw %p, %i mask(%m : i1) {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"} : [[gptr]], i32 -> i32
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0
// CHECK:      %b = nv_tileas.tiled_load %view[%i] : !tiled_view0, i32 -> tensor<8xf32>
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1
// CHECK:      nv_tileas.tiled_store %tile, %view[%i] : tensor<8xf32>, !tiled_view0, i32
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0
// CHECK:      nv_tileaa.print "%d", %i : i32
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1
// CHECK:      nv_tileaa.memory_fence_alias_tko
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0
// CHECK:      nv_tileaa.gdc_wait_tko
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK:      nvvm.mbarrier.try_wait.parity.shared %slot0, %phase1
// CHECK:      nv_tileaa.gdc_launch_dependents_tko
// CHECK-NEXT: nvvm.mbarrier.arrive.shared
// CHECK-NEXT: func.return

// -----

// Functions in one module have pools of their own, under names that are free.

gpu.module @m {
  nv_tileaa.global @mbarriers_f {value = dense<0> : tensor<1xi32>}
  gpu.func @f() kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %j = nv_tileaa.join_mem_token [%t0] : !nv_tileaa.mem_token
    gpu.return
  }
  gpu.func @g() kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    gpu.return
  }
  gpu.func @no_tokens() kernel {
    gpu.return
  }
}

// CHECK:       gpu.module @m {
// CHECK-NEXT:    nv_tileaa.global @mbarriers_f {value = dense<0> : tensor<1xi32>}
// CHECK-NEXT:    llvm.mlir.global internal @mbarriers_f_0() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:    gpu.func @f() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 1 : i32} {
// CHECK-NEXT:      %mbarriers = llvm.mlir.addressof @mbarriers_f_0 : [[sptr]]
// CHECK-NEXT:      %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:      %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:      nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:      %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:      %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:      %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:      %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:      %1 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:      scf.while : () -> () {
// CHECK-NEXT:        %2 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:        %3 = arith.xori %2, %phase1 : i1
// CHECK-NEXT:        scf.condition(%3)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.mlir.global internal @mbarriers_g() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:    gpu.func @g() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 1 : i32} {
// CHECK-NEXT:      %mbarriers = llvm.mlir.addressof @mbarriers_g : [[sptr]]
// CHECK-NEXT:      %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:      %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:      nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:      %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.func @no_tokens() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 1 : i32} {
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Tokens need no function.

!token = !nv_tileaa.mem_token

%t0 = "nv_tileaa.create_mem_token"() : () -> !token
%t1 = "nv_tileaa.create_mem_token"() : () -> !token
%j = "nv_tileaa.join_mem_token"(%t0, %t1) : (!token, !token) -> !token

// CHECK:       llvm.mlir.global internal @mbarriers() {addr_space = 3 : i32, alignment = 8 : i64} : [[array]]
// CHECK-NEXT:  %mbarriers = llvm.mlir.addressof @mbarriers : [[sptr]]
// CHECK-NEXT:  %slot0 = llvm.getelementptr inbounds %mbarriers[0, 0] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:  %0 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:  nvvm.mbarrier.init.shared %slot0, %0 : [[sptr]], i32
// CHECK-NEXT:  %t0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:  %phase0 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:  %phase1 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:  %ticks = llvm.mlir.constant(10000000 : i32) : i32
// CHECK-NEXT:  %slot1 = llvm.getelementptr inbounds %mbarriers[0, 1] : ([[sptr]]) -> [[sptr]], [[array]]
// CHECK-NEXT:  %1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:  nvvm.mbarrier.init.shared %slot1, %1 : [[sptr]], i32
// CHECK-NEXT:  %t1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:  %2 = nvvm.mbarrier.arrive.shared %slot0 : [[sptr]] -> i64
// CHECK-NEXT:  scf.while : () -> () {
// CHECK-NEXT:    %3 = nvvm.mbarrier.try_wait.parity.shared %slot0, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:    %4 = arith.xori %3, %phase1 : i1
// CHECK-NEXT:    scf.condition(%4)
// CHECK-NEXT:  } do {
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  %5 = nvvm.mbarrier.arrive.shared %slot1 : [[sptr]] -> i64
// CHECK-NEXT:  scf.while : () -> () {
// CHECK-NEXT:    %6 = nvvm.mbarrier.try_wait.parity.shared %slot1, %phase0, %ticks : [[sptr]], i1, i32 -> i1
// CHECK-NEXT:    %7 = arith.xori %6, %phase1 : i1
// CHECK-NEXT:    scf.condition(%7)
// CHECK-NEXT:  } do {
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  }
