// RUN: tileiras-opt %s -t 'cuda-tile-public{module=true}' | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t 'cuda-tile-public{module=true debuginfo=true}' | tileiras-opt -t 'cuda-tile-public{module=true}' | filecheck %s --match-full-lines
// RUN: tileiras-opt %s -t 'cuda-tile-public{module=true debuginfo=true}' | filecheck %s --check-prefix=LOC

// With wrappers there may be any number of modules; the locations of all have different names.

// REQ: P-12

// CHECK:      cuda_tile.module @a {
// CHECK-NEXT:   entry @f() {
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
// LOC:      cuda_tile.module @a {
// LOC-NEXT:   entry @f() {
// LOC-NEXT:     return loc([[A:#loc[0-9]*]])
cuda_tile.module @a { entry @f() { return } }
// CHECK-NEXT: cuda_tile.module @b {
// CHECK-NEXT:   entry @f() {
// CHECK-NEXT:     return
// CHECK-NEXT:   }
// CHECK-NEXT: }
// LOC:      cuda_tile.module @b {
// LOC-NEXT:   entry @f() {
// LOC-NEXT:     return loc([[B:#loc[0-9]*]])
// LOC:      [[A]] = loc({{.*}}:17:36)
// LOC:      [[B]] = loc({{.*}}:28:36)
cuda_tile.module @b { entry @f() { return } }
