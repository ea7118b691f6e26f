// RUN: tileiras-opt %s -p "unroll-loops{compute-capability=sm_90}" --split-input-file --print-local-scope | filecheck %s

// Nothing is left of a loop whose iterations all fit: all loads, then all else.

!ptrs = tensor<1024x!llvm.ptr<1>>
!ints = tensor<1024xi32>
!tile = tensor<1024xf32>

gpu.module @m {
  gpu.func @all(%p: !ptrs, %q: !ptrs, %o: !ints) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : !tile
    %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %k = nv_tileaa.addi %j, %o : !ints
      %at = nv_tileaa.addptr %p, %k {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %b = nv_tileaa.addf %a, %x : !tile
      scf.yield %b : !tile
    }
    nv_tileaa.store %q, %s : !ptrs, !tile
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @all
// CHECK-NOT:     scf.for
// CHECK:         [[ONE:%[0-9]+]] = arith.constant 1 : i32
// CHECK-NEXT:    [[I1:%[0-9]+]] = arith.addi %c0, [[ONE]] : i32
// CHECK-NEXT:    [[J0:%.*]] = nv_tileaa.splat %c0
// CHECK-NEXT:    [[J1:%.*]] = nv_tileaa.splat [[I1]]
// CHECK:         [[X0:%.*]] = nv_tileaa.load
// CHECK-NEXT:    [[X1:%.*]] = nv_tileaa.load
// CHECK-NEXT:    [[B0:%.*]] = nv_tileaa.addf %zero, [[X0]]
// CHECK-NEXT:    [[B1:%.*]] = nv_tileaa.addf [[B0]], [[X1]]
// CHECK-NEXT:    nv_tileaa.store %q, [[B1]]

// -----

// 64 do not fit.

gpu.module @m {
  gpu.func @several(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    %c1 = arith.constant 1 : i32
    %c65 = arith.constant 65 : i32
    %zero = arith.constant 0 : i32
    %s = scf.for %i = %c1 to %c65 step %c1 iter_args(%a = %zero) -> (i32) : i32 {
      %at = nv_tileaa.addptr %p, %i {elem_type = i32} : !llvm.ptr<1>, i32
      %x = nv_tileaa.load %at : !llvm.ptr<1> -> i32
      %b = nv_tileaa.addi %a, %x : i32
      scf.yield %b : i32
    }
    nv_tileaa.store %q, %s : !llvm.ptr<1>, i32
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @several
// CHECK:         [[STEP:%.*]] = arith.constant 32 : i32
// CHECK-NEXT:    [[SUM:%.*]] = scf.for [[I:%.*]] = %c1 to %c65 step [[STEP]] iter_args([[A:%.*]] = %zero)
// CHECK-NEXT:      [[ONE:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:      arith.addi [[I]], [[ONE]] : i32
// CHECK-COUNT-32:  nv_tileaa.load
// CHECK-NEXT:      nv_tileaa.addi [[A]],
// CHECK-COUNT-31:  nv_tileaa.addi
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {nv_tileaa.unrolled}
// CHECK-NEXT:    nv_tileaa.store %q, [[SUM]]

// -----

// In place: each iteration has other elements, so loads wait for nothing in the loop. What waits for
// them still waits for what they waited for.

!ptrs = tensor<1024x!llvm.ptr<1>>
!ints = tensor<1024xi32>
!tile = tensor<1024xf32>
!token = !nv_tileaa.mem_token

gpu.module @m {
  gpu.func @in_place(%p: !llvm.ptr<1>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c1024 = arith.constant 1024 : i32
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to !ptrs
    %lane = nv_tileaa.make_range %c0, %c1024 : i32 to !ints
    %t0 = nv_tileaa.create_mem_token : !token
    %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %t0) -> (!token) : i32 {
      %j = nv_tileaa.muli %i, %c1024 : i32
      %k = nv_tileaa.splat %j : i32 to !ints
      %o = nv_tileaa.addi %k, %lane : !ints
      %at = nv_tileaa.addptr %ps, %o {elem_type = f32} : !ptrs, !ints
      %x, %v = nv_tileaa.load %at token(%u) : !ptrs -> !tile, !token
      %y = nv_tileaa.addf %x, %x : !tile
      %w = nv_tileaa.store %at, %y token(%v) : !ptrs, !tile -> !token
      scf.yield %w : !token
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @in_place
// CHECK:         [[START:%.*]] = nv_tileaa.join_mem_token [%t0]
// CHECK:         {{%.*}}, [[V0:%.*]] = nv_tileaa.load {{.*}} token([[START]])
// CHECK-NEXT:    {{%.*}}, [[V1:%.*]] = nv_tileaa.load {{.*}} token([[START]])
// CHECK-NEXT:    [[W0:%.*]] = nv_tileaa.join_mem_token {{\[}}[[V0]], %t0]
// CHECK:         [[S0:%.*]] = nv_tileaa.store {{.*}} token([[W0]])
// CHECK-NEXT:    [[W1:%.*]] = nv_tileaa.join_mem_token {{\[}}[[V1]], [[S0]]]
// CHECK:         nv_tileaa.store {{.*}} token([[W1]])

  // Tiles overlap.

  gpu.func @overlapping(%p: !llvm.ptr<1>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c1023 = arith.constant 1023 : i32
    %c1024 = arith.constant 1024 : i32
    %ps = nv_tileaa.splat %p : !llvm.ptr<1> to !ptrs
    %lane = nv_tileaa.make_range %c0, %c1024 : i32 to !ints
    %t0 = nv_tileaa.create_mem_token : !token
    %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %t0) -> (!token) : i32 {
      %j = nv_tileaa.muli %i, %c1023 : i32
      %k = nv_tileaa.splat %j : i32 to !ints
      %o = nv_tileaa.addi %k, %lane : !ints
      %at = nv_tileaa.addptr %ps, %o {elem_type = f32} : !ptrs, !ints
      %x, %v = nv_tileaa.load %at token(%u) : !ptrs -> !tile, !token
      %w = nv_tileaa.store %at, %x token(%v) : !ptrs, !tile -> !token
      scf.yield %w : !token
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @overlapping
// CHECK:         scf.for {{%.*}} step %c1
// CHECK-NEXT:      nv_tileaa.muli

  // A CTA that stays for all tile blocks, and a loop whose addresses are carried.

  gpu.func @stays(%p: !ptrs, %q: !ptrs, %n: i32, %o: !ints) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %id = gpu.block_id x
    %block = arith.index_cast %id : index to i32
    %dim = gpu.grid_dim x
    %ctas = arith.index_cast %dim : index to i32
    scf.for %i = %block to %n step %ctas : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %at = nv_tileaa.addptr %p, %j {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %to = nv_tileaa.addptr %q, %j {elem_type = f32} : !ptrs, !ints
      nv_tileaa.store %to, %x : !ptrs, !tile
    }
    %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %o) -> (!ints) : i32 {
      %at = nv_tileaa.addptr %p, %k {elem_type = i32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !ints
      scf.yield %x : !ints
    }
    nv_tileaa.store %q, %end : !ptrs, !ints
    gpu.return
  }

// CHECK-LABEL: gpu.func @stays
// CHECK:         scf.for {{%.*}} = %block to %n step %ctas
// CHECK:         scf.for {{%.*}} = %c0 to %c2 step %c1
// CHECK-NOT:     unrolled

  // Its plan asks for buffers.

  gpu.func @planned(%p: !ptrs, %q: !ptrs) kernel attributes {nv_tileas.kernel_plan = #nv_tileas.kernel_plan<stages = 2>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %at = nv_tileaa.addptr %p, %j {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %to = nv_tileaa.addptr %q, %j {elem_type = f32} : !ptrs, !ints
      nv_tileaa.store %to, %x : !ptrs, !tile
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @planned
// CHECK:         scf.for
// CHECK-NOT:     unrolled
}

// -----

// Buffers have more on their way, and room.

!ptrs = tensor<8192x!llvm.ptr<1>>
!ints = tensor<8192xi32>
!tile = tensor<8192xf32>

gpu.module @m {
  gpu.func @ahead(%p: !ptrs, %q: !ptrs, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %at = nv_tileaa.addptr %p, %j {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %to = nv_tileaa.addptr %q, %j {elem_type = f32} : !ptrs, !ints
      nv_tileaa.store %to, %x : !ptrs, !tile
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @ahead
// CHECK-NOT:     unrolled

  // Two loops read the same.

  gpu.func @again(%p: !ptrs, %q: !ptrs, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !tile
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %at = nv_tileaa.addptr %p, %j {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %b = nv_tileaa.addf %a, %x : !tile
      scf.yield %b : !tile
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %j = nv_tileaa.splat %i : i32 to !ints
      %at = nv_tileaa.addptr %p, %j {elem_type = f32} : !ptrs, !ints
      %x = nv_tileaa.load %at : !ptrs -> !tile
      %y = nv_tileaa.addf %x, %s : !tile
      %to = nv_tileaa.addptr %q, %j {elem_type = f32} : !ptrs, !ints
      nv_tileaa.store %to, %y : !ptrs, !tile
    }
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @again
// CHECK-COUNT-2: } {nv_tileaa.unrolled}

// -----

// What another access reads as well is read without a loop, even a single tile.

!ptrs = tensor<1024x!llvm.ptr<1>>
!tile = tensor<1024xf32>

gpu.module @m {
  gpu.func @again(%p: !ptrs, %q: !ptrs) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !tile
    %s = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %x = nv_tileaa.load %p : !ptrs -> !tile
      %b = nv_tileaa.addf %a, %x : !tile
      scf.yield %b : !tile
    }
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      %y = nv_tileaa.load %p : !ptrs -> !tile
      %z = nv_tileaa.addf %s, %y : !tile
      nv_tileaa.store %q, %z : !ptrs, !tile
    }
    gpu.return
  }

// CHECK-LABEL: gpu.func @again
// CHECK-NOT:     scf.for
// CHECK:         gpu.return

  // Not if the other one stays in a loop.

  gpu.func @left(%p: !ptrs, %q: !ptrs, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !tile
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (!tile) : i32 {
      %x = nv_tileaa.load %p : !ptrs -> !tile
      %b = nv_tileaa.addf %a, %x : !tile
      scf.yield %b : !tile
    }
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      %y = nv_tileaa.load %p : !ptrs -> !tile
      %z = nv_tileaa.addf %s, %y : !tile
      nv_tileaa.store %q, %z : !ptrs, !tile
    }
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @left
// CHECK:         scf.for
// CHECK:         scf.for {{.*}} step %c1
// CHECK-NEXT:      nv_tileaa.load
