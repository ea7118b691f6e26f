// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t8xf32 = tensor<8xf32>
!t4x8xf32 = tensor<4x8xf32>
%x, %y, %i, %s = "test.op"() : () -> (!t8xf32, !t4x8xf32, i32, tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>>)

%a = nv_tileas.view %x : !t8xf32 -> tensor<4x2xf32>
%b = nv_tileas.expand_dims %x {axis = 0 : i32} : !t8xf32 -> tensor<1x8xf32>
%c = nv_tileas.convert_layout %s : tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>> -> tensor<8xf32, #nv_tileas.layout<register = [[4]], lane = [[1], [2], [0], [0], [0]], warp = []>>
%d = nv_tileas.shuffle %s : tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>> -> tensor<8xf32, #nv_tileas.layout<register = [[4]], lane = [[1], [2], [0], [0], [0]], warp = []>>
%e = nv_tileas.reinterpret %y : !t4x8xf32 -> tensor<4x32xi8>
%f = nv_tileas.extract_slice %y[%i, %i] : (!t4x8xf32, i32, i32) -> tensor<2x8xf32>
%g = nv_tileas.extract_slice %y[%i, %i] : (!t4x8xf32, i32, i32) -> !t8xf32
%h = nv_tileas.insert_slice %x into %y[%i, %i] : (!t8xf32, !t4x8xf32, i32, i32) -> !t4x8xf32
%j = nv_tileas.generate : tensor<4x4xi32> {
^bb0(%k: i32, %l: i32):
  %m = arith.addi %k, %l : i32
  nv_tileas.yield %m : i32
}

// What stays of nv_tileaa takes layouts, the same for all lanes.

%n = nv_tileaa.addf %s, %s : tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>>
%o = nv_tileaa.cmpf %s, %s : tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>> -> tensor<8xi1, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>>
%q = nv_tileaa.permute %s {permutation = array<i32: 0>} : tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>> -> tensor<8xf32, #nv_tileas.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []>>

// Products and aggregates.

%r, %t, %u, %flag = "test.op"() : () -> (tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>, i1)
%v = nv_tileas.dot %r, %t, %u : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>
%w = nv_tileas.dot %r, %t, %u, %flag {atom = #nv_tileas.atom<mma.sm80>} : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>, i1
%e8, %g8, %se, %sg = "test.op"() : () -> (tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x1xf8E8M0FNU>, tensor<1x16xf8E8M0FNU>)
%w8 = nv_tileas.scaled_dot %e8, %g8, %u, %flag scales(%se, %sg) : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>, i1, tensor<16x1xf8E8M0FNU>, tensor<1x16xf8E8M0FNU>
%pa4, %pb4, %sa4, %sb4 = "test.op"() : () -> (tensor<16x32xi8>, tensor<32x16xi8>, tensor<128x4xf8E8M0FNU>, tensor<4x128xf8E8M0FNU>)
%w4 = nv_tileas.scaled_dot %pa4, %pb4, %u, %flag scales(%sa4, %sb4) {packed = f4E2M1FN, block = 32 : i32, atom = #nv_tileas.atom<mma.sm100>} : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xf32>, i1, tensor<128x4xf8E8M0FNU>, tensor<4x128xf8E8M0FNU>
%z = nv_tileas.reduce %y {axis = 1 : i32} : !t4x8xf32 -> tensor<4xf32> {
^bb0(%za: f32, %zb: f32):
  %zc = nv_tileaa.addf %za, %zb : f32
  nv_tileas.yield %zc : f32
}
%sc = nv_tileas.scan %y {axis = 0 : i32, inclusive = true} : !t4x8xf32 -> !t4x8xf32 {
^bb0(%sa: f32, %sb: f32):
  %sd = nv_tileaa.addf %sa, %sb : f32
  nv_tileas.yield %sd : f32
}
%pr = "nv_tileas.pragma"(%x) ({
^bb0(%pa: !t8xf32):
  nv_tileas.yield %pa : !t8xf32
}) {unroll = 4 : i32} : (!t8xf32) -> !t8xf32
