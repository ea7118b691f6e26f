// RUN: tileiras-opt -p "tileas-insert-profiling{ctas=2 records=64}" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-insert-profiling{ctas=2 records=64},convert-tileas-to-nvgpu{compute-capability=sm_90a}" %s | filecheck %s --check-prefix THREADS

#blocked = #nv_tileas.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
!memref = !nv_tileaa.memref<?xf32, strides = [1]>
!view = !nv_tileaa.tiled_view<256, !memref>
!tile = tensor<256xf32, #blocked>

gpu.module @m {
  // All threads do the same. A loop and a branch carry how many marks there were; constants and
  // addresses take no time, and loads, arithmetic and stores of all threads are one activity.
  // CHECK-LABEL: gpu.func @loop(%p: !llvm.ptr<1>, %n: i32, %profile: !llvm.ptr<1>) kernel
  // CHECK: nv_tileas.profile = #nv_tileas.profile<ctas = 2, every = 1, warps = 4, records = 64>
  // CHECK-NEXT: nv_tileas.profile.begin %profile {warps = array<i32: 0>} : !llvm.ptr<1>
  // CHECK-NEXT: [[NONE:%.*]] = arith.constant 0 : i32
  // CHECK-NEXT: [[START:%.*]] = nv_tileas.profile.mark %profile{{\[}}[[NONE]]] {event = 1 : i32, kind = "start", label = "start", warps = array<i32: 0>}
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK: [[AFTER:%.*]] = scf.for %i = %{{.*}} to %n step %{{.*}} iter_args([[COUNT:%.*]] = [[START]]) -> (i32)
  // CHECK-NEXT: [[WORK:%.*]] = nv_tileas.profile.mark %profile{{\[}}[[COUNT]]] {event = 2 : i32, kind = "compute", label = "work"
  // CHECK-NEXT: nv_tileas.tiled_load
  // CHECK-NEXT: nv_tileaa.addf
  // CHECK-NEXT: nv_tileaa.mulf
  // CHECK-NEXT: arith.cmpi
  // CHECK-NEXT: scf.if %even {
  // CHECK-NEXT: nv_tileas.tiled_store
  // CHECK-NEXT: }
  // CHECK-NEXT: [[BOTH:%.*]] = scf.if
  // CHECK-NEXT: [[WAIT:%.*]] = nv_tileas.profile.mark %profile{{\[}}[[WORK]]] {event = 3 : i32, kind = "wait", label = "threads"
  // CHECK-NEXT: nv_tileas.barrier
  // CHECK-NEXT: scf.yield [[WAIT]] : i32
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield [[WORK]] : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.yield [[BOTH]] : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: [[END:%.*]] = nv_tileas.profile.mark %profile{{\[}}[[AFTER]]] {event = 4 : i32, kind = "end", label = "end"
  // CHECK-NEXT: nv_tileas.profile.end %profile{{\[}}[[END]]] {warps = array<i32: 0>} : !llvm.ptr<1>
  // CHECK-NEXT: gpu.return

  // The first thread of warp 0 of the first CTAs writes, as long as there is room.
  // THREADS-LABEL: gpu.func @loop(%p: !llvm.ptr<1>, %n: i32, %profile: !llvm.ptr<1>) kernel
  // THREADS: [[LIMIT:%.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  // THREADS: nvvm.read.ptx.sreg.globaltimer : i64
  // THREADS: nvvm.read.ptx.sreg.smid : i32
  // THREADS: scf.for
  // THREADS-NEXT: [[FITS:%.*]] = arith.cmpi ult, [[NUMBER:%.*]], [[LIMIT]] : i32
  // THREADS-NEXT: scf.if [[FITS]] {
  // THREADS-NEXT: [[CLOCK:%.*]] = nvvm.read.ptx.sreg.clock : i32
  // THREADS-NEXT: [[WIDE:%.*]] = arith.extui [[CLOCK]] : i32 to i64
  // THREADS-NEXT: [[WORD:%.*]] = arith.ori [[WIDE]], %{{.*}} : i64
  // THREADS-NEXT: [[INDEX:%.*]] = arith.addi %{{.*}}, [[NUMBER]] : i32
  // THREADS-NEXT: [[PLACE:%.*]] = llvm.getelementptr %profile{{\[}}[[INDEX]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
  // THREADS-NEXT: llvm.store [[WORD]], [[PLACE]] {alignment = 8 : i64} : i64, !llvm.ptr<1>
  // THREADS-NEXT: }
  // THREADS-NEXT: arith.addi [[NUMBER]], %{{.*}} : i32
  // THREADS-NOT: nv_tileas.profile
  gpu.func @loop(%p: !llvm.ptr<1>, %n: i32) kernel attributes {nv_tileas.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %memref = nv_tileaa.make_memref %p sizes(%n : i32) : !llvm.ptr<1> -> !memref
    %view = nv_tileaa.block_tile %memref {tileSizes = array<i64: 256>, dimGroups = [[0]]} : !memref -> !view
    scf.for %i = %zero to %n step %one : i32 {
      %x = nv_tileas.tiled_load %view[%i] : !view, i32 -> !tile
      %y = nv_tileaa.addf %x, %x : !tile
      %z = nv_tileaa.mulf %y, %x : !tile
      %even = arith.cmpi slt, %i, %one : i32
      scf.if %even {
        nv_tileas.tiled_store %z, %view[%i] : !tile, !view, i32
      }
      scf.if %even {
        nv_tileas.barrier
      }
    }
    gpu.return
  }

  // Nothing to mark but begin and end; functions that are no kernels stay as they are.
  // CHECK-LABEL: gpu.func @empty(%profile: !llvm.ptr<1>) kernel
  // CHECK: nv_tileas.profile.begin
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK-NEXT: kind = "start"
  // CHECK-NEXT: kind = "end"
  // CHECK-NEXT: nv_tileas.profile.end
  // CHECK-NEXT: gpu.return
  gpu.func @empty() kernel attributes {nv_tileas.num_warps = 4 : i32} {
    gpu.return
  }
}
