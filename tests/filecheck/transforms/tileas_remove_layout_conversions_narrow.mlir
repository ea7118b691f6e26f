// RUN: tileiras-opt -p "tileas-remove-layout-conversions" %s | filecheck %s

// Registers are renamed while an element has one of its own; bytes of several words would have to
// be packed again. Words that stay whole are renamed as they are, and so is what lanes exchange.

#even = #nv_tileas.layout<register = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#packed = #nv_tileas.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#words = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#turned = #nv_tileas.layout<register = [[0, 1], [0, 2], [0, 32], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#lanes = #nv_tileas.layout<register = [[0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
!f = tensor<8x16xf32>
!b = tensor<8x16xf8E4M3FN>
!i = tensor<8x16xi32>
!c = tensor<8x16xi8>
!wide = tensor<8x64xf32>
!wide_b = tensor<8x64xf8E4M3FN>

gpu.module @m {
  // CHECK-LABEL: gpu.func @floats
  // CHECK:      [[X:%.*]] = "test.op"
  // CHECK-NEXT: [[Y:%.*]] = nv_tileas.convert_layout [[X]] : tensor<8x16xf32, [[EVEN:.*]]> -> tensor<8x16xf32, [[PACKED:.*]]>
  // CHECK-NEXT: [[B:%.*]] = nv_tileaa.fp_to_fp [[Y]] : tensor<8x16xf32, [[PACKED]]> to tensor<8x16xf8E4M3FN, [[PACKED]]>
  // CHECK-NEXT: "test.op"([[B]])
  gpu.func @floats() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = "test.op"() {nv_tileas.layout = #even} : () -> !f
    %b = nv_tileaa.fp_to_fp %x : !f to !b
    "test.op"(%b) {nv_tileas.layout = #packed} : (!b) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @integers
  // CHECK:      nv_tileas.convert_layout {{.*}} : tensor<8x16xi32, {{.*}}> -> tensor<8x16xi32,
  // CHECK-NEXT: arith.trunci
  gpu.func @integers() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = "test.op"() {nv_tileas.layout = #even} : () -> !i
    %b = arith.trunci %x : !i to !c
    "test.op"(%b) {nv_tileas.layout = #packed} : (!c) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @whole_words
  // CHECK:      nv_tileaa.fp_to_fp
  // CHECK-NEXT: nv_tileas.convert_layout
  gpu.func @whole_words() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = "test.op"() {nv_tileas.layout = #words} : () -> !wide
    %b = nv_tileaa.fp_to_fp %x : !wide to !wide_b
    "test.op"(%b) {nv_tileas.layout = #turned} : (!wide_b) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @exchanged
  // CHECK:      nv_tileaa.fp_to_fp
  // CHECK-NEXT: nv_tileas.convert_layout
  gpu.func @exchanged() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = "test.op"() {nv_tileas.layout = #lanes} : () -> !f
    %b = nv_tileaa.fp_to_fp %x : !f to !b
    "test.op"(%b) {nv_tileas.layout = #packed} : (!b) -> ()
    gpu.return
  }

  // What is narrowed is needed in both layouts.
  // CHECK-LABEL: gpu.func @used_twice
  // CHECK:      nv_tileaa.fp_to_fp
  // CHECK-NEXT: nv_tileas.convert_layout
  gpu.func @used_twice() kernel attributes {nv_tileas.num_warps = 1 : i32} {
    %x = "test.op"() {nv_tileas.layout = #even} : () -> !f
    %b = nv_tileaa.fp_to_fp %x : !f to !b
    "test.op"(%b) {nv_tileas.layout = #packed} : (!b) -> ()
    "test.op"(%b) {nv_tileas.layout = #even} : (!b) -> ()
    gpu.return
  }
}
