// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s

func.func @space(%slot: !llvm.ptr<1>, %n: i32) {
  // CHECK: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr<1>'
  "nvvm.mbarrier.init.shared"(%slot, %n) : (!llvm.ptr<1>, i32) -> ()
  func.return
}

// -----

func.func @no_space(%slot: !llvm.ptr) {
  // CHECK: must be a pointer to shared memory, '!llvm.ptr<3>', but got '!llvm.ptr'
  %state = "nvvm.mbarrier.arrive.shared"(%slot) : (!llvm.ptr) -> i64
  func.return
}

// -----

func.func @not_a_pointer(%slot: i64, %phase: i1, %ticks: i32) {
  // CHECK: must be a pointer to shared memory, '!llvm.ptr<3>', but got 'i64'
  %w = "nvvm.mbarrier.try_wait.parity.shared"(%slot, %phase, %ticks) : (i64, i1, i32) -> i1
  func.return
}

// -----

func.func @count(%slot: !llvm.ptr<3>, %n: i64) {
  // CHECK: operand 'count' at position 1 does not verify
  "nvvm.mbarrier.init.shared"(%slot, %n) : (!llvm.ptr<3>, i64) -> ()
  func.return
}

// -----

func.func @phase(%slot: !llvm.ptr<3>, %phase: i32, %ticks: i32) {
  // CHECK: operand 'phase' at position 1 does not verify
  %w = "nvvm.mbarrier.try_wait.parity.shared"(%slot, %phase, %ticks) : (!llvm.ptr<3>, i32, i32) -> i1
  func.return
}
