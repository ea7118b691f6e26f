// RUN: tileiras-opt %s | tileiras-opt | filecheck %s

// CHECK: nv_tileas.sched_barrier
nv_tileas.sched_barrier
