// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope | filecheck %s

// Where the dividend is negative nothing is loaded: low bits have runs, remainders have not.

// CHECK-LABEL: cuda_tile.entry @concatenates
// CHECK:       [[LOW:%[0-9a-z_]+]] = cuda_tile.constant <i32: 1023>
// CHECK:       cuda_tile.andi %y, [[LOW]]
// CHECK:       cuda_tile.andi %y,
// CHECK-NOT:   cuda_tile.remi
// CHECK:       cuda_tile.return
tt.func public @concatenates(%a: !tt.ptr<f32>, %n: i32) {
  %x = tt.splat %n : i32 -> tensor<64xi32>
  %c = arith.constant dense<-1024> : tensor<64xi32>
  %d = arith.constant dense<1024> : tensor<64xi32>
  %e = arith.constant dense<1024> : tensor<64xi64>
  %y = arith.addi %x, %c : tensor<64xi32>
  %r = arith.remsi %y, %d : tensor<64xi32>
  %w = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
  %m = arith.cmpi sge, %w, %e : tensor<64xi64>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q, %m : tensor<64x!tt.ptr<f32>>
  %f = arith.constant dense<1023> : tensor<64xi32>
  %g = arith.cmpi sgt, %x, %f : tensor<64xi32>
  %b = arith.andi %m, %g : tensor<64xi1>
  %s = arith.remsi %y, %d : tensor<64xi32>
  %t = tt.addptr %p, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %t, %v, %b : tensor<64x!tt.ptr<f32>>
  tt.return
}

// The mask of one access lets elements through whose dividend is negative, the other one has none.

// CHECK-LABEL: cuda_tile.entry @loads
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.remi %y
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.remi %y
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.return
tt.func public @loads(%a: !tt.ptr<f32>, %n: i32) {
  %x = tt.splat %n : i32 -> tensor<64xi32>
  %c = arith.constant dense<-1024> : tensor<64xi32>
  %d = arith.constant dense<1024> : tensor<64xi32>
  %e = arith.constant dense<1023> : tensor<64xi32>
  %y = arith.addi %x, %c : tensor<64xi32>
  %r = arith.remsi %y, %d : tensor<64xi32>
  %m = arith.cmpi sge, %x, %e : tensor<64xi32>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q, %m : tensor<64x!tt.ptr<f32>>
  %f = arith.constant dense<512> : tensor<64xi32>
  %s = arith.remsi %y, %f : tensor<64xi32>
  %t = tt.addptr %p, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %t, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A remainder that is stored is negative; one by another number is none of bits.

// CHECK-LABEL: cuda_tile.entry @counts
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.remi %y
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.remi %y
// CHECK-NOT:   cuda_tile.andi
// CHECK:       cuda_tile.return
tt.func public @counts(%a: !tt.ptr<i32>, %n: i32) {
  %x = tt.splat %n : i32 -> tensor<64xi32>
  %c = arith.constant dense<-1024> : tensor<64xi32>
  %d = arith.constant dense<1024> : tensor<64xi32>
  %y = arith.addi %x, %c : tensor<64xi32>
  %r = arith.remsi %y, %d : tensor<64xi32>
  %m = arith.cmpi sge, %x, %d : tensor<64xi32>
  %p = tt.splat %a : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  tt.store %p, %r, %m : tensor<64x!tt.ptr<i32>>
  %f = arith.constant dense<96> : tensor<64xi32>
  %s = arith.remsi %y, %f : tensor<64xi32>
  %t = tt.addptr %p, %s : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %t, %x, %m : tensor<64x!tt.ptr<i32>>
  tt.return
}
