// Text to bytecode and back, at every version; the file's name does not matter.

// RUN: tileiras-opt %s -t tileir-bytecode -o %t.mlir && tileiras-opt %t.mlir | filecheck %s
// RUN: tileiras-opt %s -t tileir-bytecode | tileiras-opt | filecheck %s
// RUN: tileiras-opt %s -t "tileir-bytecode{version=13.1}" | tileiras-opt | filecheck %s
// RUN: tileiras-opt %s -t "tileir-bytecode{version=13.2}" | tileiras-opt | filecheck %s
// RUN: tileiras-opt %s -t "tileir-bytecode{version=13.3}" | tileiras-opt | filecheck %s
// RUN: tileiras-opt %s -t tileir-bytecode | tileiras-opt -t cuda-tile-public | filecheck %s --check-prefix=PUBLIC
// RUN: tileiras-opt %s -t tileir-bytecode | tileiras-opt -p canonicalize | filecheck %s --check-prefix=PASSES
// RUN: tileiras-opt --list-versions | filecheck %s --check-prefix=VERSIONS

// CHECK:      builtin.module {
// CHECK-NEXT:   cuda_tile.module @kernels {
// CHECK-NEXT:     cuda_tile.global @table <f32: [1.000000e+00, 2.000000e+00]> : !cuda_tile.tile<2xf32>
// CHECK-NEXT:     cuda_tile.entry @first(%{{.*}}: !cuda_tile.tile<i32>) {
// CHECK:            %{{.*}} = cuda_tile.addi %{{.*}}, %{{.*}} overflow<no_signed_wrap> : !cuda_tile.tile<i32>
// CHECK:            cuda_tile.return
// CHECK:          cuda_tile.entry @second(%{{.*}}: !cuda_tile.tile<i1>) optimization_hints=<sm_90 = {occupancy = 2 : i32}> {

// PUBLIC:      global  @table <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
// PUBLIC-NEXT: entry @first(%arg0: tile<i32>) {
// PUBLIC-NEXT:   %cst_5_i32 = constant <i32: 5> : tile<i32>
// PUBLIC-NEXT:   %0 = addi %arg0, %cst_5_i32 overflow<no_signed_wrap> : tile<i32>
// PUBLIC-NEXT:   return
// PUBLIC-NEXT: }
// PUBLIC-NEXT: entry @second(%arg0: tile<i1>) optimization_hints=<sm_90 = {occupancy = 2}> {
// PUBLIC-NEXT:   %0 = get_global @table : tile<ptr<f32>>
// PUBLIC-NEXT:   if %arg0 {
// PUBLIC-NEXT:     %result, %result_token = load_ptr_tko relaxed device %0 : tile<ptr<f32>> -> tile<f32>, token
// PUBLIC-NEXT:   }
// PUBLIC-NEXT:   return
// PUBLIC-NEXT: }
// PUBLIC-NOT:  {{.}}

// PASSES:     cuda_tile.entry @first
// PASSES-NOT: addi
// PASSES:     cuda_tile.entry @second

// VERSIONS:      13.1
// VERSIONS-NEXT: 13.2
// VERSIONS-NEXT: 13.3
// VERSIONS-NEXT: 13.4
// VERSIONS-NOT:  {{.}}

global @table <f32: [1.0, 2.0]> : tile<2xf32>

entry @first(%a: tile<i32>) {
  %five = constant <i32: 5> : tile<i32>
  %sum = addi %a, %five overflow<no_signed_wrap> : tile<i32>
  return
}

entry @second(%c: tile<i1>) optimization_hints=<sm_90 = {occupancy = 2 : i32}> {
  %table = get_global @table : tile<ptr<f32>>
  if %c {
    %value, %token = load_ptr_tko relaxed device %table : tile<ptr<f32>> -> tile<f32>, token
  }
  return
}
