// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: needs 'nv_tileas.profile' at the kernel
gpu.func @nowhere(%p: !llvm.ptr<1>) {
  nv_tileas.profile.begin %p {warps = array<i32: 0>} : !llvm.ptr<1>
  gpu.return
}

// -----

// CHECK: expects warps from 0 to 3, but got [4]
gpu.func @warps(%p: !llvm.ptr<1>) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1, every = 1, warps = 4, records = 8>} {
  nv_tileas.profile.begin %p {warps = array<i32: 4>} : !llvm.ptr<1>
  gpu.return
}

// -----

// CHECK: expects warps from 0 to 3, but got []
gpu.func @none(%p: !llvm.ptr<1>, %n: i32) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1, every = 1, warps = 4, records = 8>} {
  nv_tileas.profile.end %p[%n] {warps = array<i32>} : !llvm.ptr<1>
  gpu.return
}

// -----

// CHECK: expects an event from 1 on, but got 0
gpu.func @event(%p: !llvm.ptr<1>, %n: i32) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1, every = 1, warps = 4, records = 8>} {
  %m = nv_tileas.profile.mark %p[%n] {event = 0 : i32, kind = "wait", label = "p0", warps = array<i32: 0>} : !llvm.ptr<1>
  gpu.return
}

// -----

// CHECK: unknown kind 'rest' (expected start, wait, load, mma, compute, store, end)
gpu.func @kind(%p: !llvm.ptr<1>, %n: i32) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1, every = 1, warps = 4, records = 8>} {
  %m = nv_tileas.profile.mark %p[%n] {event = 1 : i32, kind = "rest", label = "p0", warps = array<i32: 0>} : !llvm.ptr<1>
  gpu.return
}

// -----

// CHECK: 'nv_tileas.profile' needs every, a positive number
gpu.func @every(%p: !llvm.ptr<1>) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1, every = 0, warps = 4, records = 8>} {
  gpu.return
}

// -----

// CHECK: 'nv_tileas.profile' needs 268435456 words, but can have 134217728
gpu.func @large(%p: !llvm.ptr<1>) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 1024, every = 1, warps = 4, records = 65530>} {
  gpu.return
}
