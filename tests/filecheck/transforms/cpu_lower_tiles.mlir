// RUN: tileiras-opt %s -p cpu-lower-tiles --split-input-file | filecheck %s

// A kernel takes a range of CTAs. A store is a loop over vectors, of which the last dimension has
// 16 lanes; the tile is computed where it is stored.

gpu.module @kernels {
  gpu.func @fill(%p: !llvm.ptr<1>, %x: f32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %c0 = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<256xf32, strides = [1]>
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !nv_tileaa.memref<256xf32, strides = [1]> -> !nv_tileaa.tiled_view<256, !nv_tileaa.memref<256xf32, strides = [1]>>
    %s = nv_tileaa.splat %x : f32 to tensor<256xf32>
    %y = nv_tileaa.addf %s, %s : tensor<256xf32>
    %t1 = nv_tileaa.tiled_store %y, %v[%c0] token(%t0) : tensor<256xf32>, !nv_tileaa.tiled_view<256, !nv_tileaa.memref<256xf32, strides = [1]>>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK:       llvm.func @fill(%{{.*}}: !llvm.ptr, {{.*}}: !llvm.ptr {llvm.noalias})
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
// CHECK:           scf.if %{{.*}} {
// CHECK-NEXT:        scf.for
// CHECK:               llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:               llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK:           } else {
// CHECK:               llvm.call_intrinsic "llvm.masked.store.v16f32.p0"
// CHECK-NOT:     nv_tileaa
// CHECK:         llvm.return

// -----

// Division by zero and overflow are defined: no operand of `sdiv` is 0 or -1.

gpu.module @divisions {
  gpu.func @divide(%p: !llvm.ptr<1>, %x: i32, %y: i32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %q = nv_tileaa.divi %x, %y : i32
    %t1 = nv_tileaa.store %p, %q token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @divide
// CHECK:         %[[ZERO:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %[[D:.*]] = llvm.select %[[ZERO]]
// CHECK-NEXT:    %[[MINUS:.*]] = llvm.icmp "eq" %[[D]], %{{.*}} : i32
// CHECK-NEXT:    %[[E:.*]] = llvm.select %[[MINUS]]
// CHECK-NEXT:    %[[Q:.*]] = llvm.sdiv %{{.*}}, %[[E]] : i32

// -----

// Rounding in a direction is a function of its own, which sets the mode and sets it back. Narrow
// floats are rounded twice in the same direction.

gpu.module @rounding {
  gpu.func @down(%p: !llvm.ptr<1>, %x: f16) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %y = nv_tileaa.addf %x, %x {rounding_mode = "negative_inf"} : f16
    %t1 = nv_tileaa.store %p, %y token(%t0) : !llvm.ptr<1>, f16 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func internal @fadd_negative_inf_f32(%{{.*}}: f32, %{{.*}}: f32) -> f32
// CHECK-SAME:    passthrough = ["noinline", "strictfp"
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1
// CHECK:         llvm.call_intrinsic "llvm.set.rounding"(%{{.*}})
// CHECK-NEXT:    llvm.call_intrinsic "llvm.experimental.constrained.fadd.f32"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.set.rounding"(%[[ONE]])
// CHECK-LABEL: llvm.func @down
// CHECK:         %[[NEAREST:.*]] = llvm.fptrunc %{{.*}} : f32 to f16
// CHECK-NEXT:    %[[BACK:.*]] = llvm.fpext %[[NEAREST]] : f16 to f32
// CHECK:         llvm.fcmp "ogt" %[[BACK]]

// -----

// A body that gives another result for swapped elements: neighbours first, no identity.

gpu.module @reductions {
  gpu.func @first(%p: !llvm.ptr<1>, %x: i32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %s = nv_tileaa.splat %x : i32 to tensor<8xi32>
    %r = nv_tileaa.reduce %s {axis = 0 : i32, identities = [0 : i32]} : tensor<8xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %d = nv_tileaa.subi %a, %b : i32
      nv_tileaa.yield %d : i32
    }
    %t1 = nv_tileaa.store %p, %r token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @first
// CHECK:         llvm.shufflevector {{.*}} [0, 2, 4, 6]
// CHECK-NEXT:    llvm.shufflevector {{.*}} [1, 3, 5, 7]
// CHECK-NEXT:    llvm.sub {{.*}} : vector<4xi32>
// CHECK:         llvm.shufflevector {{.*}} [0, 2]
// CHECK-NOT:     scf.for
// CHECK:         llvm.return

// -----

// A long chain of ops is computed for four registers side by side.

gpu.module @chains {
  gpu.func @exp(%p: !llvm.ptr<1>) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %c0 = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<256xf32, strides = [1]>
    %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !nv_tileaa.memref<256xf32, strides = [1]> -> !nv_tileaa.tiled_view<256, !nv_tileaa.memref<256xf32, strides = [1]>>
    %x, %t1 = nv_tileaa.tiled_load %v[%c0] token(%t0) : !nv_tileaa.tiled_view<256, !nv_tileaa.memref<256xf32, strides = [1]>>, i32 -> tensor<256xf32>, !nv_tileaa.mem_token
    %y = nv_tileaa.exp %x : tensor<256xf32>
    %t2 = nv_tileaa.tiled_store %y, %v[%c0] token(%t1) : tensor<256xf32>, !nv_tileaa.tiled_view<256, !nv_tileaa.memref<256xf32, strides = [1]>>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @exp
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK:           llvm.call_intrinsic "llvm.fma.v64f32"
// CHECK:           llvm.store %{{.*}} : vector<64xf32>, !llvm.ptr

// -----

// The step after the last iteration of a loop over i64 may wrap around; that of narrower ones,
// which count in i64, does not.

gpu.module @loops {
  gpu.func @count(%p: !llvm.ptr<1>, %n: i32, %m: i64) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %c0 = arith.constant 0 : i32
    %c0_i64 = arith.constant 0 : i64
    %r = scf.for %i = %c0 to %n step %n iter_args(%a = %c0) -> (i32) : i32 {
      %s = arith.addi %a, %i : i32
      scf.yield %s : i32
    }
    %q = scf.for %j = %c0_i64 to %m step %m iter_args(%b = %r) -> (i32) : i64 {
      %s = arith.muli %b, %r : i32
      scf.yield %s : i32
    }
    %t1 = nv_tileaa.store %p, %q token(%t0) : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @count
// CHECK:         llvm.add
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:    } {nvgpu.no_wrap}
// CHECK:         llvm.mul
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:    }{{$}}

// -----

// While the sums are copied from scratch memory, the row of the next CTA is prefetched: all of it,
// or of a part that was cut out as many lines as there are elements.

gpu.module @scans {
  gpu.func @sums(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %c0 = arith.constant 0 : i32
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    %mp = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<4096xf32, strides = [1]>
    %mq = nv_tileaa.make_memref %q : !llvm.ptr<1> -> !nv_tileaa.memref<4096xf32, strides = [1]>
    %vp = nv_tileaa.block_tile %mp {tileSizes = array<i64: 1024>, dimGroups = [[0]]} : !nv_tileaa.memref<4096xf32, strides = [1]> -> !nv_tileaa.tiled_view<1024, !nv_tileaa.memref<4096xf32, strides = [1]>>
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 32>, dimGroups = [[0]]} : !nv_tileaa.memref<4096xf32, strides = [1]> -> !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>
    %x, %t1 = nv_tileaa.tiled_load %vp[%i] token(%t0) : !nv_tileaa.tiled_view<1024, !nv_tileaa.memref<4096xf32, strides = [1]>>, i32 -> tensor<1024xf32>, !nv_tileaa.mem_token
    %part = nv_tileaa.extract %x[%c0] : (tensor<1024xf32>, i32) -> tensor<32xf32>
    %s = nv_tileaa.scan %part {axis = 0 : i32, inclusive = false, reverse = false, identities = [0.0 : f32]} : tensor<32xf32> -> tensor<32xf32> {
    ^bb0(%c: f32, %d: f32):
      %e = nv_tileaa.addf %c, %d : f32
      nv_tileaa.yield %e : f32
    }
    %t2 = nv_tileaa.tiled_store %s, %vq[%i] token(%t1) : tensor<32xf32>, !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @sums
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK:           llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK:           llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK:         } else {
// CHECK:           llvm.masked.store

// -----

// The vectors of a scan that only a store needs are stored where they are computed.

gpu.module @rows {
  gpu.func @in_order(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) kernel {
    %t0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    %mp = nv_tileaa.make_memref %p : !llvm.ptr<1> -> !nv_tileaa.memref<4096xf32, strides = [1]>
    %mq = nv_tileaa.make_memref %q : !llvm.ptr<1> -> !nv_tileaa.memref<4096xf32, strides = [1]>
    %vp = nv_tileaa.block_tile %mp {tileSizes = array<i64: 32>, dimGroups = [[0]]} : !nv_tileaa.memref<4096xf32, strides = [1]> -> !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>
    %vq = nv_tileaa.block_tile %mq {tileSizes = array<i64: 32>, dimGroups = [[0]]} : !nv_tileaa.memref<4096xf32, strides = [1]> -> !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>
    %x, %t1 = nv_tileaa.tiled_load %vp[%i] token(%t0) : !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>, i32 -> tensor<32xf32>, !nv_tileaa.mem_token
    %s = nv_tileaa.scan %x {axis = 0 : i32, inclusive = true, reverse = false, identities = [0.0 : f32]} : tensor<32xf32> -> tensor<32xf32> {
    ^bb0(%c: f32, %d: f32):
      %e = nv_tileaa.addf %c, %d : f32
      nv_tileaa.yield %e : f32
    }
    %t2 = nv_tileaa.tiled_store %s, %vq[%i] token(%t1) : tensor<32xf32>, !nv_tileaa.tiled_view<32, !nv_tileaa.memref<4096xf32, strides = [1]>>, i32 -> !nv_tileaa.mem_token
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @in_order
// CHECK:         scf.if
// CHECK:           llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK:           llvm.shufflevector %{{.*}} [8, 9, 10
// CHECK-NEXT:      %[[SUMS:.*]] = llvm.fadd %{{.*}} : vector<16xf32>
// CHECK-NOT:       llvm.fadd
// CHECK:           llvm.store %[[SUMS]], %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK:         } else {
