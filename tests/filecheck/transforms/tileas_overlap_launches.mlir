// RUN: tileiras-opt -p "tileas-overlap-launches" %s | filecheck %s
// RUN: tileiras-opt -p "tileas-overlap-launches{abi=device-maps}" %s | filecheck %s --check-prefix DEVICE
// RUN: tileiras-opt -p "tileas-overlap-launches{enable=false}" %s | filecheck %s --check-prefix DEVICE

// CHECK: tileiras.remarks =
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "copy", "programmatic dependent launch: may start while the kernel ahead of it ends", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "persistent", "programmatic dependent launch: may start while the kernel ahead of it ends", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "agents", "programmatic dependent launch: may start while the kernel ahead of it ends", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "scalar_and_agents", "programmatic dependent launch: may start while the kernel ahead of it ends", ""
// CHECK-SAME: #tileiras.remark<"Passed", "Resources", "", "idle_consumer", "programmatic dependent launch: may start while the kernel ahead of it ends", ""
// CHECK-SAME: #tileiras.remark<"Missed", "Resources", "", "heap", "starts when the kernel ahead of it has ended", "it allocates memory on the heap of the device when it starts"
// CHECK-SAME: #tileiras.remark<"Missed", "Resources", "", "own", "starts when the kernel ahead of it has ended", "the program waits for other kernels, or launches them"

// DEVICE-NOT: gdc_launch
// DEVICE-NOT: nvgpu.programmatic

builtin.module attributes {tileiras.remarks = [], nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"} {
  gpu.module @m {

    // It waits before its first access, behind scalar code; then the next kernel may start.
    gpu.func @copy(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) kernel {
      %m = arith.addi %n, %n : i32
      %x, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
      %u = nv_tileaa.store %q, %x {mem_semantic = "weak"} : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
      gpu.return
    }
    // CHECK-LABEL: gpu.func @copy(
    // CHECK-SAME: nvgpu.programmatic
    // CHECK-NEXT: arith.addi
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: nv_tileaa.gdc_launch_dependents_tko
    // CHECK-NEXT: nv_tileaa.load

    // A persistent kernel lets it start if there are no more tile blocks than CTAs.
    gpu.func @persistent(%p: !llvm.ptr<1>, %x: i32, %y: i32, %z: i32) kernel attributes {nvgpu.persistent = 1 : i32} {
      %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
      gpu.return
    }
    // CHECK-LABEL: gpu.func @persistent(
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: [[PLANE:%.*]] = arith.muli %x, %y : i32
    // CHECK-NEXT: [[TOTAL:%.*]] = arith.muli [[PLANE]], %z : i32
    // CHECK-NEXT: [[SIZE:%.*]] = gpu.grid_dim x
    // CHECK-NEXT: [[CTAS:%.*]] = arith.index_cast [[SIZE]] : index to i32
    // CHECK-NEXT: [[ONE:%.*]] = arith.cmpi sle, [[TOTAL]], [[CTAS]] : i32
    // CHECK-NEXT: scf.if [[ONE]] {
    // CHECK-NEXT: nv_tileaa.gdc_launch_dependents_tko
    // CHECK: }
    // CHECK-NEXT: nv_tileaa.load

    // Agents wait for themselves; behind the wait of the consumer, the next kernel may start.
    gpu.func @agents(%p: !llvm.ptr<1>) kernel {
      nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
        %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      } {
        %c = arith.constant 1 : i32
        %u = nv_tileaa.store %p, %c {mem_semantic = "weak"} : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @agents(
    // CHECK-NEXT: agent_switch
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: nv_tileaa.load
    // CHECK-NEXT: yield
    // CHECK-NEXT: } {
    // CHECK-NEXT: arith.constant
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: nv_tileaa.gdc_launch_dependents_tko
    // CHECK-NEXT: nv_tileaa.store
    // CHECK-NEXT: yield
    // CHECK-NEXT: }
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: gpu.return

    // All threads wait before they specialize; tensor memory is allocated after that.
    gpu.func @scalar_and_agents(%p: !llvm.ptr<1>) kernel attributes {nv_tileas.tensor_memory = #nv_tileas.tensor_memory_columns<128>} {
      %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
      nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
        nv_tileas.async.pipeline.yield
      } {
        %u = nv_tileaa.store %p, %v {mem_semantic = "weak"} : !llvm.ptr<1>, i32 -> !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @scalar_and_agents(
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: nv_tileaa.load
    // CHECK-NEXT: agent_switch
    // CHECK-NEXT: yield
    // CHECK-NEXT: } {
    // CHECK-NEXT: nv_tileaa.gdc_launch_dependents_tko
    // CHECK-NEXT: nv_tileaa.store

    // A consumer that has nothing to wait for does not let the next kernel start: it would start
    // before all that is ahead of this one has ended.
    gpu.func @idle_consumer(%p: !llvm.ptr<1>) kernel {
      nv_tileas.async.pipeline.agent_switch attributes {num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>} {
        %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
        nv_tileas.async.pipeline.yield
      } {
        nv_tileas.async.pipeline.yield
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @idle_consumer(
    // CHECK-NEXT: agent_switch
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: nv_tileaa.load
    // CHECK-NEXT: yield
    // CHECK-NEXT: } {
    // CHECK-NEXT: yield
    // CHECK-NEXT: }
    // CHECK-NEXT: nv_tileaa.gdc_wait_tko
    // CHECK-NEXT: gpu.return

    // CTAs that wait would hold memory of the heap.
    gpu.func @heap(%p: !llvm.ptr<1>) kernel {
      %m = nv_tileaa.alloca {num_elem = 4 : i64, alignment = 16 : i64, elem_type = i32, global} : !llvm.ptr<1>
      %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
      gpu.return
    }
    // CHECK-LABEL: gpu.func @heap(
    // CHECK-NEXT: nv_tileaa.alloca

    // Programs that say so by themselves are left alone.
    gpu.func @own(%p: !llvm.ptr<1>) kernel {
      %v, %t = nv_tileaa.load %p {mem_semantic = "weak"} : !llvm.ptr<1> -> i32, !nv_tileaa.mem_token
      nv_tileaa.gdc_wait_tko
      gpu.return
    }
    // CHECK-LABEL: gpu.func @own(
    // CHECK-NEXT: nv_tileaa.load
  }
}
