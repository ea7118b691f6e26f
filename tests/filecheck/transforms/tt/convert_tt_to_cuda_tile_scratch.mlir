// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope | filecheck %s

// A histogram counts in memory of the tile block. What is no number of a counter is masked out.

// CHECK-LABEL: cuda_tile.entry @histogram
// CHECK:       [[MASK:%[0-9a-z_]+]] = cuda_tile.cmpi less_than %i, %{{.*}}, unsigned : !cuda_tile.tile<64xi32> -> !cuda_tile.tile<64xi1>
// CHECK:       [[P:%[0-9]+]] = cuda_tile.alloca num_elem = 16, alignment = 16 : !cuda_tile.tile<ptr<i32>>
// CHECK:       [[STORED:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{%[0-9]+}}, %cst{{.*}} token={{.*}} : !cuda_tile.tile<16xptr<i32>>, !cuda_tile.tile<16xi32> -> !cuda_tile.token
// CHECK:       {{.*}}, [[ADDED:%[0-9]+]] = cuda_tile.atomic_rmw_tko relaxed tl_blk add {{%[0-9]+}}, %cst{{.*}}, [[MASK]] token=[[STORED]] :
// CHECK:       %h, {{.*}} = cuda_tile.load_ptr_tko weak {{%[0-9]+}} token=[[ADDED]] : !cuda_tile.tile<16xptr<i32>> -> !cuda_tile.tile<16xi32>, !cuda_tile.token
tt.func public @histogram(%o: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %h = tt.histogram %i : tensor<64xi32> -> tensor<16xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %o : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %q = tt.addptr %s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %q, %h : tensor<16x!tt.ptr<i32>>
  tt.return
}

// A gather loads from there, and zeros for indices outside.

// CHECK-LABEL: cuda_tile.entry @gather
// CHECK:       cuda_tile.alloca num_elem = 64, alignment = 16 : !cuda_tile.tile<ptr<f32>>
// CHECK:       [[STORED:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} : !cuda_tile.tile<4x16xptr<f32>>, !cuda_tile.tile<4x16xf32> -> !cuda_tile.token
// CHECK:       [[MASK:%[0-9]+]] = cuda_tile.cmpi less_than {{.*}}, unsigned : !cuda_tile.tile<4x16xi32> -> !cuda_tile.tile<4x16xi1>
// CHECK:       %g, {{.*}} = cuda_tile.load_ptr_tko weak {{%[0-9]+}}, [[MASK]], %cst{{.*}} token=[[STORED]] : !cuda_tile.tile<4x16xptr<f32>>, !cuda_tile.tile<4x16xi1>, !cuda_tile.tile<4x16xf32> -> !cuda_tile.tile<4x16xf32>, !cuda_tile.token
tt.func public @gather(%o: !tt.ptr<f32>, %a: f32, %j: i32) {
  %x = tt.splat %a : f32 -> tensor<4x16xf32>
  %i = tt.splat %j : i32 -> tensor<4x16xi32>
  %g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<4x16xf32>, tensor<4x16xi32>) -> tensor<4x16xf32>
  %s = tt.splat %o : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>>
  tt.store %s, %g : tensor<4x16x!tt.ptr<f32>>
  tt.return
}
