// RUN: tileiras-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

// Warps 0 and 4 write when they begin, what they do and when they end.
gpu.module @m {
  gpu.func @marks(%p: !llvm.ptr<1>, %n: i32) attributes {nv_tileas.profile = #nv_tileas.profile<ctas = 4, every = 2, warps = 9, records = 64>} {
    nv_tileas.profile.begin %p {warps = array<i32: 0, 4>} : !llvm.ptr<1>
    %m = nv_tileas.profile.mark %p[%n] {event = 1 : i32, kind = "wait", label = "p0 full", warps = array<i32: 0, 4>} : !llvm.ptr<1>
    nv_tileas.profile.end %p[%m] {warps = array<i32: 0, 4>} : !llvm.ptr<1>
    gpu.return
  }
}
