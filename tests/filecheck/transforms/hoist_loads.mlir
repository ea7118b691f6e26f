// RUN: tileiras-opt %s -p 'hoist-loads{compute-capability=sm_90}' --print-local-scope | filecheck %s

!p = !llvm.ptr<1>
!ps = tensor<8x!llvm.ptr<1>>
!x = tensor<8xf32>
!h = tensor<8xbf16>
!large = tensor<65536xf32>
!wides = tensor<16384x!llvm.ptr<1>>
!wide = tensor<16384xf32>

gpu.module @m {
  // A load goes above stores of tiles and barriers, with what its address is computed of. One that
  // depends on an effect stays, and so does one behind an assertion.
  gpu.func @above_stores(%p: !p, %q: !p, %rs: !ps, %x: !x, %c: i1) kernel {
    %ps = nv_tileaa.splat %p : !p to !ps
    nv_tileaa.store %ps, %x : !ps, !x
    gpu.barrier
    nv_tileaa.store %ps, %x : !ps, !x
    %qs = nv_tileaa.splat %q : !p to !ps
    %y = nv_tileaa.load %qs {nv_tileaa.independent} : !ps -> !x
    %z = nv_tileaa.load %ps : !ps -> !x
    nv_tileaa.assert %c, "bounds" : i1
    %w = nv_tileaa.load %rs {nv_tileaa.independent} : !ps -> !x
    "test.op"(%y, %z, %w) : (!x, !x, !x) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @above_stores
  // CHECK-NEXT: %ps = nv_tileaa.splat %p
  // CHECK-NEXT: %qs = nv_tileaa.splat %q
  // CHECK-NEXT: %y = nv_tileaa.load %qs
  // CHECK-NEXT: nv_tileaa.store %ps
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: nv_tileaa.store %ps
  // CHECK-NEXT: %z = nv_tileaa.load %ps
  // CHECK-NEXT: nv_tileaa.assert %c
  // CHECK-NEXT: %w = nv_tileaa.load %rs

  // Not above a strong store or a loop; with registers for it, above an op that needs all of a tile.
  gpu.func @behind_others(%p: !p, %qs: !ps, %rs: !ps, %us: !ps, %x: !x, %n: i32) kernel {
    %ps = nv_tileaa.splat %p : !p to !ps
    nv_tileaa.store %ps, %x {mem_semantic = "release", mem_scope = "gpu"} : !ps, !x
    %a = nv_tileaa.load %qs {nv_tileaa.independent} : !ps -> !x
    nv_tileaa.store %ps, %a : !ps, !x
    %b = nv_tileaa.sqrt %a {rounding_mode = "nearest_even"} : !x
    %c = nv_tileaa.load %rs {nv_tileaa.independent} : !ps -> !x
    nv_tileaa.store %ps, %b : !ps, !x
    scf.for %i = %n to %n step %n : i32 {
      "test.op"() : () -> ()
    }
    %d = nv_tileaa.load %us {nv_tileaa.independent} : !ps -> !x
    "test.op"(%c, %d) : (!x, !x) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @behind_others
  // CHECK: nv_tileaa.store %ps, %x
  // CHECK-NEXT: %a = nv_tileaa.load
  // CHECK-NEXT: %c = nv_tileaa.load
  // CHECK-NEXT: nv_tileaa.store %ps, %a
  // CHECK-NEXT: %b = nv_tileaa.sqrt
  // CHECK-NEXT: nv_tileaa.store %ps, %b
  // CHECK-NEXT: scf.for
  // CHECK: %d = nv_tileaa.load

  // Above a reduction and a store of a scalar, with what the address is computed of, as it takes no CTA
  // its registers; not if the address comes from the reduction.
  gpu.func @above_a_reduction(%p: !p, %ps: !ps, %q: !p) kernel {
    %x = nv_tileaa.load %ps {nv_tileaa.independent} : !ps -> !x
    %s = nv_tileaa.reduce %x {axis = 0 : i32, identities = [0.0 : f32]} : !x -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = nv_tileaa.addf %a, %b : f32
      nv_tileaa.yield %c : f32
    }
    nv_tileaa.store %p, %s : !p, f32
    %qs = nv_tileaa.splat %q : !p to !ps
    %y = nv_tileaa.load %qs {nv_tileaa.independent} : !ps -> !x
    %i = arith.fptosi %s : f32 to i32
    %r = nv_tileaa.addptr %q, %i {elem_type = f32} : !p, i32
    %rs = nv_tileaa.splat %r : !p to !ps
    %z = nv_tileaa.load %rs {nv_tileaa.independent} : !ps -> !x
    "test.op"(%y, %z) : (!x, !x) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @above_a_reduction
  // CHECK-NEXT: %x = nv_tileaa.load
  // CHECK-NEXT: %qs = nv_tileaa.splat
  // CHECK-NEXT: %y = nv_tileaa.load %qs
  // CHECK-NEXT: %s = nv_tileaa.reduce
  // CHECK: nv_tileaa.store %p, %s
  // CHECK: %z = nv_tileaa.load

  // What was loaded is not loaded again, even if its address is computed again; what has another
  // address is, and what depends on an effect.
  gpu.func @once(%p: !p, %q: !p, %i: i32) kernel {
    %p0 = nv_tileaa.addptr %p, %i {elem_type = f32} : !p, i32
    %ps0 = nv_tileaa.splat %p0 : !p to !ps
    %x0 = nv_tileaa.load %ps0 {nv_tileaa.independent} : !ps -> !x
    "test.op"(%x0) : (!x) -> ()
    %p1 = nv_tileaa.addptr %p, %i {elem_type = f32} : !p, i32
    %ps1 = nv_tileaa.splat %p1 : !p to !ps
    %x1 = nv_tileaa.load %ps1 {nv_tileaa.independent} : !ps -> !x
    %p2 = nv_tileaa.addptr %q, %i {elem_type = f32} : !p, i32
    %ps2 = nv_tileaa.splat %p2 : !p to !ps
    %x2 = nv_tileaa.load %ps2 {nv_tileaa.independent} : !ps -> !x
    %x3 = nv_tileaa.load %ps1 : !ps -> !x
    "test.op"(%x1, %x2, %x3) : (!x, !x, !x) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @once
  // CHECK: %x0 = nv_tileaa.load %ps0
  // CHECK-NEXT: "test.op"(%x0)
  // CHECK-NOT: %x1
  // CHECK: %x2 = nv_tileaa.load %ps2
  // CHECK-NEXT: %x3 = nv_tileaa.load %ps1
  // CHECK-NEXT: "test.op"(%x0, %x2, %x3)

  // Neither if too few CTAs would be left.
  gpu.func @no_room(%ps: !wides, %qs: !wides) kernel {
    %x0 = nv_tileaa.load %ps {nv_tileaa.independent} : !wides -> !wide
    %s = nv_tileaa.reduce %x0 {axis = 0 : i32, identities = [0.0 : f32]} : !wide -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = nv_tileaa.addf %a, %b : f32
      nv_tileaa.yield %c : f32
    }
    %x1 = nv_tileaa.load %ps {nv_tileaa.independent} : !wides -> !wide
    %y = nv_tileaa.load %qs {nv_tileaa.independent} : !wides -> !wide
    "test.op"(%s, %x1, %y) : (f32, !wide, !wide) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_room
  // CHECK-NEXT: %x0 = nv_tileaa.load %ps
  // CHECK-NEXT: %s = nv_tileaa.reduce
  // CHECK: %x1 = nv_tileaa.load %ps
  // CHECK-NEXT: %y = nv_tileaa.load %qs

  // What is widened for later goes below an op that needs all of another tile; what is used before
  // it, or gets narrower, stays.
  gpu.func @widened_late(%ps: !ps, %x: !x) kernel {
    %a = nv_tileaa.load %ps {nv_tileaa.independent} : !ps -> !h
    %late = nv_tileaa.fp_to_fp %a : !h to !x
    %early = nv_tileaa.fp_to_fp %a : !h to !x
    %narrow = nv_tileaa.fp_to_fp %x : !x to !h
    %root = nv_tileaa.sqrt %early {rounding_mode = "nearest_even"} : !x
    "test.op"(%root) : (!x) -> ()
    "test.op"(%late, %narrow) : (!x, !h) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @widened_late
  // CHECK: %a = nv_tileaa.load
  // CHECK-NEXT: %early = nv_tileaa.fp_to_fp %a
  // CHECK-NEXT: %narrow = nv_tileaa.fp_to_fp
  // CHECK-NEXT: %root = nv_tileaa.sqrt
  // CHECK-NEXT: "test.op"(%root)
  // CHECK-NEXT: %late = nv_tileaa.fp_to_fp %a
  // CHECK-NEXT: "test.op"(%late, %narrow)

  // In a loop the next iteration would wait for it.
  gpu.func @widened_in_loop(%ps: !ps, %n: i32) kernel {
    scf.for %i = %n to %n step %n : i32 {
      %a = nv_tileaa.load %ps {nv_tileaa.independent} : !ps -> !h
      %wide = nv_tileaa.fp_to_fp %a : !h to !x
      %root = nv_tileaa.sqrt %a {rounding_mode = "nearest_even"} : !h
      "test.op"(%root, %wide) : (!h, !x) -> ()
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @widened_in_loop
  // CHECK: %a = nv_tileaa.load
  // CHECK-NEXT: %wide = nv_tileaa.fp_to_fp

  // Tiles that leave an SM with one CTA stay in order.
  gpu.func @too_large(%ps: tensor<65536x!llvm.ptr<1>>) kernel {
    %a = nv_tileaa.load %ps {nv_tileaa.independent} : tensor<65536x!llvm.ptr<1>> -> !large
    nv_tileaa.store %ps, %a : tensor<65536x!llvm.ptr<1>>, !large
    %b = nv_tileaa.load %ps {nv_tileaa.independent} : tensor<65536x!llvm.ptr<1>> -> !large
    "test.op"(%b) : (!large) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @too_large
  // CHECK-NEXT: %a = nv_tileaa.load
  // CHECK-NEXT: nv_tileaa.store
  // CHECK-NEXT: %b = nv_tileaa.load

  // TMA loads the operands of dots.
  gpu.func @dots(%ps: tensor<16x16x!llvm.ptr<1>>, %x: tensor<16x16xf16>, %c: tensor<16x16xf32>) kernel {
    nv_tileaa.store %ps, %x : tensor<16x16x!llvm.ptr<1>>, tensor<16x16xf16>
    %a = nv_tileaa.load %ps {nv_tileaa.independent} : tensor<16x16x!llvm.ptr<1>> -> tensor<16x16xf16>
    %d = nv_tileaa.dot %a, %a, %c {input_precision = "tf32"} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    "test.op"(%d) : (tensor<16x16xf32>) -> ()
    gpu.return
  }
  // CHECK-LABEL: gpu.func @dots
  // CHECK-NEXT: nv_tileaa.store
  // CHECK-NEXT: %a = nv_tileaa.load
}
