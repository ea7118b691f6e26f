func.func @addi(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.addi %a, %b {overflow = "no_wrap"} : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @subi(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.subi %a, %b : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @andi(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.andi %a, %b : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @shli(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.shli %a, %b : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @shri(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.shri %a, %b : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @negi(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = nv_tileaa.negi %a : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}

func.func @maxsi(%a: tensor<4x{T}>, %b: tensor<4x{T}>, %i: i32) -> {T} {
  %s = arith.maxsi %a, %b : tensor<4x{T}>
  %e = nv_tileaa.extract %s[%i] : (tensor<4x{T}>, i32) -> {T}
  func.return %e : {T}
}
