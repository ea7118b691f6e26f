// RUN: tileiras-opt -p "tileas-plan{warps=8 stages=3 persistent=0}" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-plan{warps=8 cluster=2 occupancy=1 kernel=\"b\"}" %s | filecheck %s --check-prefix=NAMED
// RUN: tileiras-opt -p "tileas-plan{warps=4},tileas-plan" %s | filecheck %s --check-prefix=NONE
// RUN: not tileiras-opt -p "tileas-plan{warps=6}" %s 2>&1 | filecheck %s --check-prefix=WARPS
// RUN: not tileiras-opt -p "tileas-plan{stages=0}" %s 2>&1 | filecheck %s --check-prefix=STAGES
// RUN: not tileiras-opt -p "tileas-plan{ping_pong=2}" %s 2>&1 | filecheck %s --check-prefix=PINGPONG
// RUN: not tileiras-opt -p "tileas-plan{kernel=\"c\"}" %s 2>&1 | filecheck %s --check-prefix=KERNEL

// CHECK-LABEL: gpu.func @a() kernel attributes
// CHECK-SAME: nv_tileas.kernel_plan = #nv_tileas.kernel_plan<warps = 8, stages = 3, persistent = 0>
// CHECK-LABEL: gpu.func @b() kernel attributes
// CHECK-SAME: nv_tileas.kernel_plan = #nv_tileas.kernel_plan<warps = 8, stages = 3, persistent = 0>
// CHECK-LABEL: gpu.func @helper() {

// What passes read as hints is replaced as well.

// NAMED-LABEL: gpu.func @a() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
// NAMED-LABEL: gpu.func @b() kernel attributes
// NAMED-SAME: nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_ctas = 2, occupancy = 1, num_warps = 4>
// NAMED-SAME: nv_tileas.kernel_plan = #nv_tileas.kernel_plan<warps = 8, occupancy = 1, cluster = 2>

// NONE-NOT: kernel_plan

// WARPS: error: 'nv_tileas.kernel_plan' needs a power of two for warps, but got 6 [in pass 'tileas-plan']
// STAGES: error: 'nv_tileas.kernel_plan' needs stages of at least 1, but got 0 [in pass 'tileas-plan']
// PINGPONG: error: 'nv_tileas.kernel_plan' has ping_pong of 0 or 1, but got 2 [in pass 'tileas-plan']
// KERNEL: error: no kernel 'c', but a, b

builtin.module attributes {nv_tileaa.compute_capability = 90 : i32} {
  gpu.module @m {
    gpu.func @a() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<occupancy = 2>} {
      gpu.return
    }
    gpu.func @b() kernel attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4>} {
      gpu.return
    }
    gpu.func @helper() {
      gpu.return
    }
  }
}
