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
