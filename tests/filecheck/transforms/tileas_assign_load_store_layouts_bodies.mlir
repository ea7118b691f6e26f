// RUN: tileiras-opt -p tileas-assign-load-store-layouts --split-input-file --verify-diagnostics %s | filecheck %s

// Each thread runs the body of a reduction for its own elements. A tile in it is computed before, by
// all threads together.

gpu.module @m {
  gpu.func @hoisted(%n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %n : i32 to tensor<64xi32>
    %y = nv_tileas.reduce %x {axis = 0 : i32, identities = [0 : i32]} : tensor<64xi32> -> i32 {
    ^body(%p: i32, %q: i32):
      %tile = nv_tileaa.muli %x, %x : tensor<64xi32>
      %one = nv_tileaa.extract %tile[%n] : (tensor<64xi32>, i32) -> i32
      %t = nv_tileaa.andi %p, %one : i32
      %s = nv_tileaa.addi %t, %q : i32
      nv_tileas.yield %s : i32
    }
    gpu.return
  }
  // CHECK:      %tile = nv_tileaa.muli %x, %x : tensor<64xi32, #blocked0>
  // CHECK-NEXT: %one = nv_tileaa.extract %tile[%n]
  // CHECK-NEXT: %y = nv_tileas.reduce %x
  // CHECK-NEXT: ^{{.*}}(%p: i32, %q: i32):
  // CHECK-NEXT:   %t = nv_tileaa.andi %p, %one : i32
  // CHECK-NEXT:   %s = nv_tileaa.addi %t, %q : i32
}

// -----

// CHECK: 'nv_tileaa.splat' op has a tile that depends on the elements of 'nv_tileas.reduce', which cannot be lowered to threads
gpu.module @m {
  gpu.func @elements(%n: i32) kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = nv_tileaa.splat %n : i32 to tensor<64xi32>
    %y = nv_tileas.reduce %x {axis = 0 : i32, identities = [0 : i32]} : tensor<64xi32> -> i32 {
    ^body(%p: i32, %q: i32):
      %tile = nv_tileaa.splat %p : i32 to tensor<64xi32>
      %one = nv_tileaa.extract %tile[%q] : (tensor<64xi32>, i32) -> i32
      nv_tileas.yield %one : i32
    }
    gpu.return
  }
}
