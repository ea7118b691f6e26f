// RUN: tileiras-opt %s -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_90a}' | filecheck %s

// REQ: C-02, C-10, C-13, C-21, C-28, C-29, C-36, J-05

!ptr_f32 = !cuda_tile.tile<ptr<f32>>
!f32 = !cuda_tile.tile<8xf32>

// CHECK: builtin.module attributes {nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
builtin.module {
  // CHECK-NEXT: gpu.module @first attributes {my.mark, producer = "a front end"} {
  cuda_tile.module @first attributes {my.mark, producer = "a front end"} {
    // CHECK-NEXT: nv_tileaa.global @table {value = dense<[1, 2]> : tensor<2xi32>}
    global @table <i32: [1, 2]> : tile<2xi32>
    // CHECK-NEXT: gpu.func @plain(%p: !llvm.ptr<1>, %n: i32, %x: f64) kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>} {
    // CHECK-NEXT:   %t = nv_tileaa.get_global @table : !llvm.ptr<1>
    // CHECK-NEXT:   gpu.return
    // CHECK-NEXT: }
    entry @plain(%p: !ptr_f32, %n: tile<i32>, %x: tile<f64>) {
      %t = get_global @table : tile<ptr<i32>>
      return
    }
    // The hints for this architecture count, then those for all.
    // CHECK-NEXT: gpu.func @hinted() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 4, num_warps = 8>,
    // CHECK-SAME: optimization_hints = {default = {num_cta_in_cga = 1 : i64, occupancy = 4 : i64}, sm_100 = {occupancy = 16 : i64},
    // CHECK-SAME: sm_90 = {num_cta_in_cga = 2 : i64, num_worker_warps_per_cta = 8 : i64}}} {
    // CHECK-NEXT:   gpu.return
    // CHECK-NEXT: }
    entry @hinted() optimization_hints=<sm_90 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8}, default = {num_cta_in_cga = 1, occupancy = 4}, sm_100 = {occupancy = 16}> {
      return
    }
    // CHECK-NEXT: gpu.func @for_others() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, optimization_hints = {sm_100 = {occupancy = 16 : i64}}} {
    // CHECK-NEXT:   gpu.return
    // CHECK-NEXT: }
    entry @for_others() optimization_hints=<sm_100 = {occupancy = 16}> {
      return
    }
    // CHECK-NEXT: gpu.func @no_hints() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>} {
    // CHECK-NEXT:   gpu.return
    // CHECK-NEXT: }
    entry @no_hints() optimization_hints=<> {
      return
    }
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: builtin.module @inner {
  builtin.module @inner {
    // CHECK-NEXT: gpu.module @second {
    cuda_tile.module @second {
      // CHECK-NEXT: func.func @helper(%x: tensor<8xf32>, %t: !nv_tileaa.mem_token) -> (tensor<8xf32>, !nv_tileaa.mem_token) {
      // CHECK-NEXT:   func.return %x, %t : tensor<8xf32>, !nv_tileaa.mem_token
      // CHECK-NEXT: }
      testing$func @helper(%x: !f32, %t: token) -> (!f32, token) {
        return %x, %t : !f32, token
      }
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: builtin.module {
    builtin.module {
      // CHECK-NEXT: gpu.module @third {
      // CHECK-NEXT: ^bb0:
      // CHECK-NEXT: }
      cuda_tile.module @third {
      }
    // CHECK-NEXT: }
    }
  // CHECK-NEXT: }
  }
  // Functions around it take converted types where theirs are public.
  // CHECK-NEXT: func.func private @declared(tensor<8xf32>, i32) -> !llvm.ptr<1>
  func.func private @declared(!f32, i32) -> !ptr_f32
  // CHECK-NEXT: func.func @defined(%x: tensor<8xf32>, %i: i32) -> !llvm.ptr<1> {
  // CHECK-NEXT:   %p = func.call @declared(%x, %i) : (tensor<8xf32>, i32) -> !llvm.ptr<1>
  // CHECK-NEXT:   func.return %p : !llvm.ptr<1>
  // CHECK-NEXT: }
  func.func @defined(%x: !f32, %i: i32) -> !ptr_f32 {
    %p = func.call @declared(%x, %i) : (!f32, i32) -> !ptr_f32
    func.return %p : !ptr_f32
  }
  // CHECK-NEXT: func.func @untouched(%i: i32) -> i32 {
  // CHECK-NEXT:   func.return %i : i32
  // CHECK-NEXT: }
  func.func @untouched(%i: i32) -> i32 {
    func.return %i : i32
  }
// CHECK-NEXT: }
}
