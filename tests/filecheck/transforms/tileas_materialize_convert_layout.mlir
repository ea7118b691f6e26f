// RUN: tileiras-opt -p tileas-materialize-convert-layout --split-input-file --verify-diagnostics %s | filecheck %s

#rows = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#swapped = #nv_tileas.layout<register = [[0, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#columns = #nv_tileas.layout<register = [[0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [1, 0]], warp = []>
#everywhere = #nv_tileas.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
#by_lane = #nv_tileas.layout<register = [[2]], lane = [[0], [0], [1], [0], [0]], warp = []>
#tall = #nv_tileas.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>
#flat = #nv_tileas.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]]>
#back = #nv_tileas.layout<register = [[0, 1], [0, 2], [16, 0], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>

func.func @plans(%a: tensor<8x8xf32, #rows>, %b: tensor<4xf32, #everywhere>, %c: tensor<32x32xf32, #tall>) -> (tensor<8x8xf32, #swapped>, tensor<8x8xf32, #columns>, tensor<4xf32, #by_lane>, tensor<32x32xf32, #flat>, tensor<32x32xf32, #back>) {
  // CHECK:      nv_tileas.convert_layout %a {nv_tileas.plan = "Renaming"}
  // CHECK-SAME:      -> tensor<8x8xf32, #blocked1>
  %swapped = nv_tileas.convert_layout %a : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #swapped>
  // CHECK-NEXT: nv_tileas.convert_layout %a {nv_tileas.plan = "Shuffles"}
  %columns = nv_tileas.convert_layout %a : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #columns>
  // CHECK-NEXT: nv_tileas.convert_layout %b {nv_tileas.plan = "LocalSelect"}
  %by_lane = nv_tileas.convert_layout %b : tensor<4xf32, #everywhere> -> tensor<4xf32, #by_lane>
  // CHECK-NEXT: nv_tileas.convert_layout %c {nv_tileas.plan = "ThroughShared"}
  %flat = nv_tileas.convert_layout %c : tensor<32x32xf32, #tall> -> tensor<32x32xf32, #flat>
  // CHECK-NEXT: nv_tileas.convert_layout %c {nv_tileas.plan = "Renaming"}
  %back = nv_tileas.convert_layout %c : tensor<32x32xf32, #tall> -> tensor<32x32xf32, #back>
  // CHECK-NEXT: func.return
  func.return %swapped, %columns, %by_lane, %flat, %back : tensor<8x8xf32, #swapped>, tensor<8x8xf32, #columns>, tensor<4xf32, #by_lane>, tensor<32x32xf32, #flat>, tensor<32x32xf32, #back>
}

// -----

#rows = #nv_tileas.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
// CHECK: failed to query target spec for convert_layout
func.func @no_layout(%a: tensor<8x8xf32>) -> tensor<8x8xf32, #rows> {
  %b = nv_tileas.convert_layout %a : tensor<8x8xf32> -> tensor<8x8xf32, #rows>
  func.return %b : tensor<8x8xf32, #rows>
}

// -----

#two = #nv_tileas.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#four = #nv_tileas.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// CHECK: there is no conversion between layouts of 2 and 4 warps
func.func @warps(%a: tensor<128xf32, #two>) -> tensor<128xf32, #four> {
  %b = nv_tileas.convert_layout %a : tensor<128xf32, #two> -> tensor<128xf32, #four>
  func.return %b : tensor<128xf32, #four>
}
