// RUN: tileiras-opt %s -p convert-tt-to-cuda-tile --print-local-scope | filecheck %s

// The only accesses through %p and %q are stores: these have no order. An atomic comes after both.

// CHECK-LABEL: cuda_tile.entry @apart
// CHECK:       [[FIRST:%[0-9]+]] = cuda_tile.make_token
// CHECK:       [[P:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} token=[[FIRST]]
// CHECK:       [[Q:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} token=[[FIRST]]
// CHECK:       [[BOTH:%[0-9]+]] = cuda_tile.join_tokens [[P]], [[Q]]
// CHECK:       cuda_tile.atomic_rmw_tko {{.*}} token=[[BOTH]]
tt.func public @apart(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %lock: !tt.ptr<i32>, %x: f32) {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  tt.store %p, %x : !tt.ptr<f32>
  tt.store %q, %x : !tt.ptr<f32>
  %old = tt.atomic_rmw exch, acq_rel, gpu, %lock, %zero, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// Two through %p, and one through %q.

// CHECK-LABEL: cuda_tile.entry @twice
// CHECK:       [[FIRST:%[0-9]+]] = cuda_tile.make_token
// CHECK:       [[P:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} token=[[FIRST]]
// CHECK:       [[Q:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} token=[[P]]
// CHECK:       cuda_tile.store_ptr_tko weak {{.*}} token=[[Q]]
tt.func public @twice(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %x: f32, %y: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  tt.store %q, %x : !tt.ptr<f32>
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// It is not known where the last store is to.

// CHECK-LABEL: cuda_tile.entry @unknown
// CHECK:       [[FIRST:%[0-9]+]] = cuda_tile.make_token
// CHECK:       [[P:%[0-9]+]] = cuda_tile.store_ptr_tko weak {{.*}} token=[[FIRST]]
// CHECK:       cuda_tile.store_ptr_tko weak {{.*}} token=[[P]]
tt.func public @unknown(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1, %x: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  %r = arith.select %c, %p, %q : !tt.ptr<f32>
  tt.store %r, %x : !tt.ptr<f32>
  tt.return
}
