// RUN: TILEIRAS_ROUNDTRIP
// RUN: TILEIRAS_GENERIC_ROUNDTRIP
// RUN: tileiras-opt %s -p cse,dce | filecheck %s

!ptr3 = !llvm.ptr<3>

// CHECK-LABEL: func.func @barrier(
// CHECK-NEXT:    nvvm.mbarrier.init.shared %slot, %n : !llvm.ptr<3>, i32
// CHECK-NEXT:    %state = nvvm.mbarrier.arrive.shared %slot : !llvm.ptr<3> -> i64
// CHECK-NEXT:    %{{.*}} = nvvm.mbarrier.arrive.shared %slot : !llvm.ptr<3> -> i64
// CHECK-NEXT:    %w0 = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks : !llvm.ptr<3>, i1, i32 -> i1
// CHECK-NEXT:    %w1 = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i1, i32 -> i1
// CHECK-NEXT:    func.return
// CHECK-GENERIC:      "nvvm.mbarrier.init.shared"(%slot, %n) : (!llvm.ptr<3>, i32) -> ()
// CHECK-GENERIC-NEXT: %state = "nvvm.mbarrier.arrive.shared"(%slot) : (!llvm.ptr<3>) -> i64
func.func @barrier(%slot: !ptr3, %n: i32, %phase: i1, %ticks: i32) {
  nvvm.mbarrier.init.shared %slot, %n : !ptr3, i32
  %state = nvvm.mbarrier.arrive.shared %slot : !ptr3 -> i64
  %other = nvvm.mbarrier.arrive.shared %slot : !ptr3 -> i64
  %w0 = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks : !ptr3, i1, i32 -> i1
  %w1 = nvvm.mbarrier.try_wait.parity.shared %slot, %phase, %ticks {scope = #nvvm.mem_scope<cluster>} : !ptr3, i1, i32 -> i1
  func.return
}
