// Interplay: what the conversion makes reaches PTX.
// RUN: tileiras-opt %s -p convert-gpu-to-nvvm,convert-to-llvm -t ptx | filecheck %s

// REQ: J-12

// CHECK: .entry k(
// CHECK: .reqntid 128
// CHECK: .shared .align 16 .b8 all_reduce_storage[4096]
// CHECK: bar.sync
// CHECK: call{{.*}}__assertfail
// CHECK: ex2.approx.ftz.f32
// CHECK: call{{.*}}vprintf
// CHECK: shfl.sync.bfly.b32
// CHECK: bar.sync
// CHECK: shfl.sync.down.b32
// CHECK: shfl.sync.idx.b32
gpu.module @m {
gpu.func @k(%out: !llvm.ptr<1>, %x: f32, %n : index, %v: vector<4xf32>, %c : i1, %h : f16) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
  %i = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
  %y3 = math.exp2 %v {flush_to_zero} : vector<4xf32>
  gpu.barrier
  cf.assert %c, "message" loc("a.py":12:3)
  "gpu.printf"(%x, %n, %c) {format = "%f %d\n"} : (f32, index, i1) -> ()
  %a = "gpu.all_reduce"(%x) ({}) {op = #gpu<all_reduce_op add>} : (f32) -> f32
  %b = "gpu.all_reduce"(%a) ({
   ^bb0(%p: f32, %q: f32):
     %s = arith.mulf %p, %q : f32
     "gpu.yield"(%s) : (f32) -> ()
  }) : (f32) -> f32
  %b1 = "gpu.subgroup_reduce"(%h) {op = #gpu<all_reduce_op add>, cluster_size = 4 : i32} : (f16) -> f16
  %w = arith.constant 32 : i32
  %r, %valid = "gpu.shuffle"(%b, %w, %w) {mode = #gpu<shuffle_mode xor>} : (f32, i32, i32) -> (f32, i1)
  %dm = "gpu.dynamic_shared_memory"() : () -> memref<?xi8, #gpu.address_space<workgroup>>
  llvm.store %y3, %out : vector<4xf32>, !llvm.ptr<1>
  llvm.store %r, %out : f32, !llvm.ptr<1>
  llvm.store %b1, %out : f16, !llvm.ptr<1>
  gpu.return
}
}
